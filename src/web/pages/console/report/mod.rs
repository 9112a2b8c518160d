//! `/forms/{form_token}/report`: the report on a form's entries, question by question. It has the search and the
//! conditions of the table of entries, and each bar leads to the entries that it counts.

mod answer;
mod chart;
mod figures;
mod filled;
mod numbers;
mod over_time;

use maud::{Markup, Render, html};

use crate::base::error::Result;
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::fields::filter::cond::Op;
use crate::fields::report::chart::Card;
use crate::fields::report::split;
use crate::model::caller::Caller;
use crate::ops::entries::reports::Overview;
use crate::web::pages::console::entries::address::ListAddress;
use crate::web::pages::console::entries::conditions::{self, FilterBar};
use crate::web::pages::console::entries::sent_conditions;
use crate::web::pages::console::entries::views::ViewBar;
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::entries::sheet::PrintButton;
use crate::web::pages::ui::menu::{Menu, MenuItem};
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::report::card::{Multiples, NumberTable, ReportCard, ReportCards};
use crate::web::pages::ui::section::{EmptyState, Section};
use crate::web::pages::ui::toolbar::{Search, Toolbar};
use crate::web::pages::ui::words::name;
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;
use crate::web::request::session;

/// The parameter that names the question by which the report is split.
const SPLIT: &str = "split";

/// `GET /forms/{form_token}/report`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    let rows = sent_conditions::of_rows(&frame);
    let split = call.query(SPLIT).filter(|code| !code.is_empty());
    let address = ListAddress::of(call, rows.as_ref().map(|sent| sent.filters.clone()));
    let page = ReportPage { address, split, frame };
    if let Some(sent) = rows {
        // One report has one address, however it was asked for.
        let report = format!("/forms/{}/report", page.token());
        let more: Vec<(&str, &str)> = sent.adds().chain([(SPLIT, page.split_by())]).collect();
        let to = page.address.leads(&report, &more, &[]);
        return Ok(session::to_page(&call.app.config, &to).into());
    }
    page.answer()
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

    /// The part above the cards; faults of a condition are shown at it.
    fn above(&self, faults: &[Issue]) -> Result<Markup> {
        let frame = &self.frame;
        let more = [(SPLIT, self.split_by())];
        let bar = FilterBar { more: &more, ..FilterBar::of(frame, &self.address, "report") };
        let views = ViewBar { frame, address: &self.address, path: "report", more: &more, has_acts: false }.draw()?;
        Ok(html! {
            (frame.head(FormPage::Report, true))
            (views)
            (self.toolbar())
            (conditions::draw(&bar, faults))
        })
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
            ReportCards {
                about: self.about(),
                cards: std::iter::once(over_time::card(self, report)).chain(cards).collect(),
            }
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
            answered: html! { (self.answered(card.answered, report.total)) (self.unanswered(card, report.total)) },
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
            ("count", figures::count(count).into()),
            ("total", figures::count(total).into()),
            ("share", figures::share(self, count, total).into()),
        ];
        self.frame.texts.fill("report-answered", &words)
    }

    /// The way to the entries without an answer; nothing where there are none.
    fn unanswered(&self, card: &Card, total: u64) -> Markup {
        let count = total.saturating_sub(card.answered);
        if count == 0 || card.answered == 0 || !card.is_found {
            return Markup::default();
        }
        let address = self.leads_to_entries(vec![card.condition(Op::Null, &Json::Null)]);
        html! { " · " a href=(address) { (self.frame.texts.fill("report-unanswered-by", &[("count", figures::count(count).into())])) } }
    }

    /// The list of the entries that meet these conditions beside those of the address.
    fn leads_to_entries(&self, conditions: Vec<Json>) -> String {
        let filters = self.address.with_conditions(conditions);
        self.address.leads(&self.frame.address("entries"), &[("filters", &filters)], &[])
    }
}
