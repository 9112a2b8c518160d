//! `/forms/{form_token}/report`: the report on a form's entries, question by question. It has the search and the
//! conditions of the table of entries, and each bar leads to the entries that it counts.

mod chart;
mod days;
mod figures;
mod numbers;

use std::sync::Arc;

use maud::{Markup, Render, html};
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::fields::report::chart::Card;
use crate::fields::report::split;
use crate::model::caller::Caller;
use crate::ops::entries::reports::{self, Overview, ReportRequest};
use crate::ops::entries::shown_answers::EntryColumn;
use crate::web::pages::console;
use crate::web::pages::console::entries::address::ListAddress;
use crate::web::pages::console::entries::conditions::{self, FilterBar};
use crate::web::pages::console::entries::views::ViewBar;
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::entries::sheet::PrintButton;
use crate::web::pages::ui::menu::{Menu, MenuItem};
use crate::web::pages::ui::notice::{Notice, Tone, message};
use crate::web::pages::ui::report::card::{Multiples, NumberTable, ReportCard, ReportCards};
use crate::web::pages::ui::section::{EmptyState, Section};
use crate::web::pages::ui::toolbar::{Search, Toolbar};
use crate::web::pages::ui::words::name;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// The parameter that names the question by which the report is split.
const SPLIT: &str = "split";

/// `GET /forms/{form_token}/report`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    let rows = conditions::of_rows(call, &EntryColumn::all(&frame.view.parsed));
    let is_of_rows = rows.is_some();
    let split = call.query(SPLIT).filter(|code| !code.is_empty());
    let page = ReportPage { address: ListAddress::of(call, rows), split, frame };
    if is_of_rows {
        // One report has one address, however it was asked for.
        let add = call.query("add").unwrap_or_default();
        let report = format!("/forms/{}/report", page.token());
        let to = page.address.leads(&report, &[("add", &add), (SPLIT, page.split_by())], &[]);
        return Ok(session::to_page(&call.app.config, &to).into());
    }
    let read = page.read();
    Ok(page.answer(read)?.into())
}

struct ReportPage<'a> {
    frame: FormFrame<'a>,
    address: ListAddress,
    /// The code of the question that splits it.
    split: Option<String>,
}

/// A part of the entries: all that are in the report, or those with one choice.
struct Part<'r> {
    card: &'r Card,
    /// The conditions on its entries beside those of the address.
    conditions: Vec<Json>,
}

/// A part with its name and the number of its entries.
struct ShownGroup<'r> {
    /// The choice's; none for no answer.
    label: Option<&'r str>,
    total: u64,
    part: Part<'r>,
}

impl ShownGroup<'_> {
    fn words(&self, page: &ReportPage) -> String {
        match self.label {
            None => page.frame.say("report-no-answer"),
            Some("") => page.frame.say("form-unnamed"),
            Some(label) => label.to_owned(),
        }
    }

    fn title(&self, page: &ReportPage) -> Markup {
        let lang = self.label.and_then(|_| page.frame.owners_lang());
        html! { span lang=[lang] { (name(&self.words(page))) } }
    }
}

impl ReportPage<'_> {
    fn token(&self) -> &str {
        self.frame.view.form.token.as_str()
    }

    fn split_by(&self) -> &str {
        self.split.as_deref().unwrap_or_default()
    }

    fn read(&self) -> Result<Arc<Overview>> {
        let request = ReportRequest { filter: self.address.filter()?, split: self.split.clone() };
        reports::overview(self.frame.call.app, self.frame.caller, self.token(), request)?.wait()
    }

    /// The page; faults of the address are shown in place of the report.
    fn answer(&self, read: Result<Arc<Overview>>) -> Result<Answer> {
        let frame = &self.frame;
        let mut faults = Vec::new();
        let (status, content) = match read {
            Ok(report) => (StatusCode::OK, self.content(&report)),
            Err(Error::BadRequest(text)) => (StatusCode::BAD_REQUEST, self.refused(&[text])),
            Err(Error::Invalid(issues)) => {
                let texts: Vec<String> = issues.iter().map(ToString::to_string).collect();
                faults = issues;
                (StatusCode::UNPROCESSABLE_ENTITY, self.refused(&texts))
            }
            Err(other) => return Err(other),
        };
        let title = format!("{} – {}", frame.say("report-title"), frame.view.form.name);
        let bar = FilterBar { more: &[(SPLIT, self.split_by())], ..FilterBar::of(frame, &self.address, "report") };
        let more = [(SPLIT, self.split_by())];
        let views = ViewBar { frame, address: &self.address, path: "report", more: &more, has_acts: false }.draw()?;
        let content = html! {
            (frame.head(FormPage::Report, true))
            (views)
            (self.toolbar())
            (conditions::draw(&bar, &faults))
            (content)
        };
        let page = console::page(frame.call, &frame.caller.user, &frame.csrf, frame.texts, &title);
        Ok(page.script("print.js").script("report.js").answer(status, &content))
    }

    fn refused(&self, texts: &[String]) -> Markup {
        let frame = &self.frame;
        let all = Button {
            label: &frame.say("entries-show-all"),
            press: Press::Go(&frame.address("report")),
            ..Button::default()
        };
        Notice {
            tone: Tone::Bad, title: &frame.say("report-refused"), text: &texts.join(" · "), content: all.render()
        }
        .render()
    }

    /// The search, and where else the same entries are.
    fn toolbar(&self) -> Markup {
        let frame = &self.frame;
        let mut kept = self.address.pairs_without(&["keyword"]);
        kept.extend(self.split.clone().map(|code| (SPLIT, code)));
        let report = frame.address("report");
        let search = Search {
            action: &report,
            name: "keyword",
            label: &frame.say("entries-search"),
            value: &self.address.keyword,
            button: &frame.say("linked-search"),
            kept,
            narrowing: Markup::default(),
        };
        let entries = self.address.leads(&frame.address("entries"), &[], &[]);
        let entries = Button {
            label: &frame.say("report-entries"),
            press: Press::Go(&entries),
            is_small: true,
            ..Button::default()
        };
        let print = PrintButton { label: &frame.say("entries-print"), is_small: true };
        Toolbar { start: search.render(), end: html! { (self.splits()) (entries) (print) } }.render()
    }

    /// The questions that can split it.
    fn splits(&self) -> Markup {
        let frame = &self.frame;
        let questions = split::questions(&frame.view.parsed.definition.fields);
        let label = |code: &str, label: &str| match label {
            "" => code.to_owned(),
            label => label.to_owned(),
        };
        let questions: Vec<(String, String)> =
            questions.map(|field| (field.api_code.clone(), label(&field.api_code, &field.label))).collect();
        if questions.is_empty() {
            return Markup::default();
        }
        let leads = |code: &str| self.address.leads(&frame.address("report"), &[(SPLIT, code)], &[]);
        let none = (leads(""), frame.say("report-split-none"));
        let all = questions.iter().map(|(code, label)| (leads(code), label.clone()));
        let items: Vec<(String, String)> = self.split.iter().map(|_| none.clone()).chain(all).collect();
        let chosen = questions.iter().find(|(code, _)| Some(code) == self.split.as_ref());
        let words = match chosen {
            Some((_, label)) => frame.texts.fill("report-split-by", &[("question", label.as_str().into())]),
            None => frame.say("report-split"),
        };
        Menu {
            id: "split",
            label: &words,
            about: Markup::default(),
            items: items.iter().map(|(address, label)| MenuItem::Go { address, label }).collect(),
        }
        .render()
    }

    fn content(&self, report: &Overview) -> Markup {
        let warnings = report.warnings.iter().map(|warning| message(Tone::Warn, &warning.to_string(), ""));
        let content = if report.total == 0 {
            self.empty()
        } else {
            let cards = report.cards.iter().enumerate().map(|(at, card)| self.card(report, at, card));
            ReportCards { about: self.about(), cards: std::iter::once(days::card(self, report)).chain(cards).collect() }
                .render()
        };
        html! {
            @for warning in warnings { (warning) }
            (content)
        }
    }

    fn empty(&self) -> Markup {
        let frame = &self.frame;
        let is_all = self.address.is_all();
        let (text, page, words) = match is_all {
            true => ("report-none", "share", "forms-share"),
            false => ("entries-none-found", "report", "entries-show-all"),
        };
        let (label, address) = (frame.say(words), frame.address(page));
        let actions = Button { label: &label, press: Press::Go(&address), ..Button::default() }.render();
        let content = EmptyState { text: &frame.say(text), actions }.render();
        Section { content, ..Section::default() }.render()
    }

    /// Which entries are in it, in words.
    fn about(&self) -> String {
        let frame = &self.frame;
        let bar = FilterBar::of(frame, &self.address, "report");
        let mut words = conditions::in_words(&bar);
        if !self.address.keyword.is_empty() {
            let keyword = self.address.keyword.as_str();
            words.push(frame.texts.fill("report-keyword", &[("keyword", keyword.into())]));
        }
        if words.is_empty() {
            return String::new();
        }
        let list = words.join("; ");
        frame.texts.fill("report-about", &[("conditions", list.into())])
    }

    fn card(&self, report: &Overview, at: usize, card: &Card) -> Markup {
        let frame = &self.frame;
        let whole = Part { card, conditions: Vec::new() };
        let is_split = !report.groups.is_empty() && Some(&card.api_code) != self.split.as_ref();
        let title = html! { span lang=[frame.owners_lang()] { (self.title(&card.label)) } };
        let groups = report.groups.iter().filter(|group| is_split && group.total > 0);
        let groups = groups.filter_map(|group| {
            let (code, found) = &group.found;
            let question = Card { api_code: code.clone(), ..Card::default() };
            let conditions = found.iter().map(|(op, value)| question.condition(*op, value)).collect();
            let part = Part { card: group.cards.get(at)?, conditions };
            Some(ShownGroup { label: group.label.as_deref(), total: group.total, part })
        });
        let groups: Vec<ShownGroup> = groups.collect();
        let parts: Vec<&Part> = if is_split { groups.iter().map(|group| &group.part).collect() } else { vec![&whole] };
        let scale = chart::scale(&parts);
        let chart = if is_split {
            let groups = groups.iter().map(|group| {
                let answered = self.answered(group.part.card.answered, group.total);
                (group.title(self), html! { (answered) }, chart::draw(self, &group.part, scale))
            });
            Multiples { groups: groups.collect() }.render()
        } else {
            chart::draw(self, &whole, scale)
        };
        let id = format!("report-{}", card.api_code);
        let table = numbers::table(self, &whole, &groups);
        ReportCard {
            id: &id,
            title: title.clone(),
            answered: html! { (self.answered(card.answered, report.total)) },
            chart,
            table: table.map(|table| self.opening(title, table)).unwrap_or_default(),
        }
        .render()
    }

    /// A table in a part that opens.
    fn opening(&self, about: Markup, table: Markup) -> Markup {
        let frame = &self.frame;
        NumberTable {
            summary: &frame.say("report-table"),
            about,
            table,
            copy: &frame.say("report-copy"),
            copied: &frame.say("copy-done"),
        }
        .render()
    }

    /// The owner's words, or that there are none.
    fn title(&self, label: &str) -> Markup {
        if label.is_empty() {
            html! { (self.frame.say("form-unnamed")) }
        } else {
            name(label)
        }
    }

    fn answered(&self, count: u64, total: u64) -> String {
        let words = [
            ("count", figures::count(self, count).into()),
            ("total", figures::count(self, total).into()),
            ("share", figures::share(self, count, total).into()),
        ];
        self.frame.texts.fill("report-answered", &words)
    }

    /// The list of the entries that meet these conditions beside those of the address.
    fn leads_to_entries(&self, conditions: Vec<Json>) -> String {
        let filters = self.address.with_conditions(conditions);
        self.address.leads(&self.frame.address("entries"), &[("filters", &filters)], &[])
    }
}
