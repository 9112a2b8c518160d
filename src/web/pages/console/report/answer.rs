//! The answer with a report's page: whole, or its beginning while the entries are counted; or a message in its place.

use std::sync::Arc;

use maud::{Markup, Render, html};
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::ops::app::Ticket;
use crate::ops::entries::reports::{self, Overview, ReportRequest};
use crate::web::pages::console;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::report::{ReportPage, SPLIT, figures};
use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::layout::Page;
use crate::web::pages::ui::notice::{Notice, Tone};
use crate::web::pages::ui::report::card::Waiting;
use crate::web::request::reply::{self, Reply};

/// The page of up to so many entries is sent whole: counting them takes some hundredths of a second.
const WAITED_FOR: i64 = 5_000;

/// The id of what ends the beginning of a page.
const WAITING: &str = "report-waiting";

enum Read {
    Known(Arc<Overview>),
    Counting(Ticket<Arc<Overview>>),
}

impl ReportPage<'_> {
    fn is_large(&self) -> bool {
        self.frame.view.form.entries_count > WAITED_FOR
    }

    fn read(&self) -> Result<Read> {
        let (app, caller) = (self.frame.call.app, self.frame.caller);
        let request = ReportRequest { filter: self.address.filter()?, split: self.split.clone() };
        let known = if self.is_large() { reports::recall(app, caller, self.token(), &request)? } else { None };
        Ok(match known {
            Some(report) => Read::Known(report),
            None => Read::Counting(reports::overview(app, caller, self.token(), request)?),
        })
    }

    /// The page; faults of the address are shown in place of the report. With many entries that were not counted yet,
    /// it begins before they are.
    pub(super) fn answer(self) -> Result<Reply> {
        let (status, content, faults) = match self.read() {
            Ok(Read::Counting(counting)) if self.is_large() => return self.begun(counting),
            Ok(Read::Known(report)) => (StatusCode::OK, self.content(&report), Vec::new()),
            Ok(Read::Counting(counting)) => match counting.wait() {
                Ok(report) => (StatusCode::OK, self.content(&report), Vec::new()),
                Err(fault) => self.faulty(fault)?,
            },
            Err(fault) => self.faulty(fault)?,
        };
        let page = html! { (self.above(&faults)?) (content) };
        Ok(self.frame_of(&self.page_title()).answer(status, &page).into())
    }

    /// The page up to the cards, which follow when all entries are counted.
    fn begun(self, counting: Ticket<Arc<Overview>>) -> Result<Reply> {
        let count = figures::count(u64::try_from(self.frame.view.form.entries_count).unwrap_or_default());
        let counting_text = self.frame.texts.fill("report-counting", &[("count", count.into())]);
        let content = html! { (self.above(&[])?) (Waiting { id: WAITING, text: &counting_text }) };
        let (answer, after) = self.frame_of(&self.page_title()).answer_in_parts(StatusCode::OK, &content, WAITING);
        let (caller, address, split) = (self.frame.caller.clone(), self.address, self.split);
        Ok(reply::begun(answer, counting, move |call, counted| {
            let page = ReportPage { address, split, frame: FormFrame::load(call, &caller)? };
            let rest = match counted {
                Ok(report) => page.content(&report),
                Err(fault) => {
                    tracing::warn!("a report was not counted: {fault:?}");
                    page.uncounted()
                }
            };
            Ok(html! { (rest) (after) })
        }))
    }

    /// The answer to a faulty request: the status, the message, and the faults of its conditions.
    fn faulty(&self, fault: Error) -> Result<(StatusCode, Markup, Vec<Issue>)> {
        match fault {
            Error::BadRequest(text) => {
                Ok((StatusCode::BAD_REQUEST, self.refused(&self.frame.texts.phrase(&text)), Vec::new()))
            }
            Error::Invalid(issues) => {
                let told = self.frame.told(&issues);
                Ok((StatusCode::UNPROCESSABLE_ENTITY, self.refused(&told), issues))
            }
            other => Err(other),
        }
    }

    fn page_title(&self) -> String {
        self.frame.title(&self.frame.say("report-title"))
    }

    fn frame_of<'t>(&'t self, title: &'t str) -> Page<'t> {
        let frame = &self.frame;
        let page = console::page(frame.call, &frame.caller.user, &frame.csrf, frame.texts, title);
        page.script("print.js").script("report.js").script("conditions.js")
    }

    /// The page began, but the entries could not be counted: too many reports, or a database that is slow.
    fn uncounted(&self) -> Markup {
        let frame = &self.frame;
        let address = self.address.leads(&frame.address("report"), &[(SPLIT, self.split_by())], &[]);
        let again = Button { label: &frame.say("report-again"), press: Press::Go(&address), ..Button::default() };
        Notice {
            tone: Tone::Bad,
            title: &frame.say("report-uncounted"),
            text: &frame.say("report-uncounted-text"),
            content: again.render(),
        }
        .render()
    }

    fn refused(&self, told: &str) -> Markup {
        let frame = &self.frame;
        let all = Button {
            label: &frame.say("entries-show-all"),
            press: Press::Go(&frame.address("report")),
            ..Button::default()
        };
        Notice { tone: Tone::Bad, title: &frame.say("report-refused"), text: told, content: all.render() }.render()
    }
}
