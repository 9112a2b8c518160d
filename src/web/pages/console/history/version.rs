//! `/forms/{form_token}/history/{version}`: a version of a form, how it differs from now, and the way back to it.

use maud::{Markup, Render, html};
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::text::isolated;
use crate::model::caller::Caller;
use crate::ops::forms::drafts::bring_back;
use crate::ops::forms::versions::returning::returning;
use crate::ops::forms::versions::{self, VersionView};
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::history::{compare, lines, maker};
use crate::web::pages::console::{self, moment};
use crate::web::pages::form::draft_preview;
use crate::web::pages::ui::build::history::VersionFrame;
use crate::web::pages::ui::build::publishing::{ChangeLine, Changes};
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::notice::{Notice, Tone};
use crate::web::pages::ui::section::Section;
use crate::web::pages::ui::words::{joined, muted, name};
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;
use crate::web::request::session;

/// `GET /forms/{form_token}/history/{version}`, with `compare` for both texts beside each other.
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let shown = load(call, caller)?;
    let frame = FormFrame::load(call, caller)?;
    let texts = frame.texts;
    let number = shown.version.number;
    let title = texts.fill("history-number", &[("number", number.into())]);
    let drawing = Drawing { frame: &frame, shown: &shown };
    let compares = call.query("compare").is_some();
    let content = html! {
        (frame.head(FormPage::Build, false))
        (PageHead {
            back: Some(Back { address: &frame.address("history"), label: &texts.say("history-back") }),
            title: html! { (title) @if let Some(called) = &shown.version.name { " · " (name(called)) } },
            lead: joined(&[maker(texts, &shown.version), moment(&caller.user, shown.version.created_at)]),
            actions: drawing.ways(compares),
            ..PageHead::default()
        })
        (drawing.returning())
        @if compares {
            (Section {
                id: "compare",
                title: html! { (texts.say("history-compare-title")) },
                content: compare::table(&frame, &shown),
                ..Section::default()
            })
        } @else {
            (VersionFrame {
                address: &frame.address(&format!("history/{number}/preview?canvas=1")),
                title: &texts.fill("history-frame", &[("number", number.into())]),
            })
        }
    };
    let page_title = frame.title(&title);
    let page = console::page(call, &caller.user, &frame.csrf, texts, &page_title).framing();
    Ok(page.answer(StatusCode::OK, &content).into())
}

/// `GET /forms/{form_token}/history/{version}/preview`: the page of the form as the version had it, which can't
/// be sent.
pub fn preview(call: &Call, caller: &Caller) -> Result<Reply> {
    let published = versions::preview::as_published(call.app, load(call, caller)?)?;
    draft_preview::show_shut(call, published, console::texts_of(&caller.user))
}

/// `POST /forms/{form_token}/history/{version}/restore`: makes the draft that version and leads to it.
pub fn restore(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, number) = (call.param("form_token"), call.param("version"));
    bring_back::bring_back(call.app, caller, token, number)?;
    Ok(session::to_page(&call.app.config, &format!("/forms/{token}/build?done=restored")).into())
}

fn load(call: &Call, caller: &Caller) -> Result<VersionView> {
    versions::show(call.app, caller, call.param("form_token"), call.param("version"))
}

struct Drawing<'a> {
    frame: &'a FormFrame<'a>,
    shown: &'a VersionView,
}

impl Drawing<'_> {
    fn say(&self, id: &str) -> String {
        self.frame.texts.say(id)
    }

    /// The way between the page as it was and the texts beside each other.
    fn ways(&self, compares: bool) -> Markup {
        let here = self.frame.address(&format!("history/{}", self.shown.version.number));
        let (label, address) = match compares {
            true => ("history-show", here),
            false => ("history-compare", format!("{here}?compare=1")),
        };
        Button { label: &self.say(label), press: Press::Go(&address), ..Button::default() }.render()
    }

    /// The changes that restoring the version makes, the parts that can't be restored, and the button.
    fn returning(&self) -> Markup {
        let changes = self.shown.changes_of_draft();
        if changes.is_empty() {
            return Section { content: muted(self.say("history-same-draft")), ..Section::default() }.render();
        }
        let number = self.shown.version.number;
        let action = self.frame.address(&format!("history/{number}/restore"));
        let button = Button { label: &self.say("history-restore"), weight: Weight::Main, ..Button::default() };
        let lost = self.lost();
        Section {
            id: "restore",
            title: html! { (self.say("history-restore-title")) },
            text: &self.say("history-restore-text"),
            content: html! {
                (Changes { lines: lines(self.frame.texts, changes.iter()) })
                @if !lost.is_empty() {
                    (Notice {
                        tone: Tone::Warn,
                        title: &self.say("history-lost"),
                        text: &self.say("history-lost-text"),
                        content: Changes { lines: lost }.render(),
                    })
                }
                (PostForm {
                    action: &action,
                    csrf: &self.frame.csrf,
                    content: button.render(),
                    ..PostForm::default()
                })
            },
        }
        .render()
    }

    /// The parts that can't be restored as they were.
    fn lost(&self) -> Vec<ChangeLine> {
        let texts = self.frame.texts;
        let line = |text: String| ChangeLine { sign: "removed", text: html! { (text) }, details: String::new() };
        let now = &self.shown.view.parsed.definition;
        let back = returning(&self.shown.definition, &self.shown.content.field_rules, &now.fields, now.next_field);
        let mut lines: Vec<ChangeLine> = back
            .renewed
            .iter()
            .map(|(label, _)| line(texts.fill("history-lost-field", &[("label", isolated(label).into())])))
            .collect();
        let images = self.shown.lost_images;
        if images > 0 {
            lines.push(line(texts.fill("history-lost-images", &[("count", images.into())])));
        }
        lines
    }
}
