//! The search form: the groups of the query, each field with the control that fits its values.

use maud::{Markup, html};

use crate::fields::kind::Live;
use crate::fields::public_query::SearchOption;
use crate::model::public_query::Operand;
use crate::ops::queries::visit::SearchInput;
use crate::web::pages::query::frame::QueryPage;
use crate::web::pages::query::search_faults::Faults;
use crate::web::pages::query::typed::Typed;
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::request::proof;

/// As many digits as the text of a month has, and of a day.
const MONTH: usize = 7;
const DAY: usize = 10;

/// The input for a visitor.
pub enum Entry {
    Choice(Vec<SearchOption>),
    Month,
    Day,
    /// A day, or a time of one.
    Moment,
    /// As much of a date as is known.
    DateStart,
    /// A number, by the keyboard that phones show for it.
    Number(&'static str),
    /// A line of this `type`; part of the value may be enough.
    Line(&'static str, bool),
}

/// How a field is filled in.
pub fn entry(asked: &SearchInput) -> Entry {
    let (field, fuzzy) = (&asked.field, asked.rule.fuzzy);
    let options = asked.options();
    if !options.is_empty() {
        return Entry::Choice(options);
    }
    if field.is_moment() {
        return if fuzzy { Entry::DateStart } else { Entry::Moment };
    }
    match (field.kind().live(), field.type_name()) {
        (_, "date") if fuzzy => Entry::DateStart,
        (Some(Live::Date(MONTH)), "date") => Entry::Month,
        (Some(Live::Date(DAY)), "date") => Entry::Day,
        (_, "date") => Entry::Moment,
        (_, "number") if asked.rule.field.ends_with("serial_number") => Entry::Number("numeric"),
        (_, "number") => Entry::Number("decimal"),
        _ => match field.kind().line_type() {
            // A part of an address is none.
            "email" if fuzzy => Entry::Line("text", true),
            kind => Entry::Line(kind, fuzzy),
        },
    }
}

/// The id of a field's input: the form of a row below has inputs for the same fields.
pub fn input_id(code: &str) -> String {
    format!("search-{code}")
}

/// The form with the entered values. With results below it, it takes less room.
pub fn draw(page: &QueryPage, typed: &Typed, faults: &Faults, has_results: bool) -> Markup {
    let texts = page.texts;
    let rules = &page.open.query.content.rules;
    let asked = page.open.asked();
    if asked.iter().flatten().flatten().next().is_none() {
        return message(Tone::Warn, &texts.say("query-nothing"), &texts.say("query-nothing-text"));
    }
    let groups = rules.search.iter().zip(&asked).enumerate();
    let challenge = proof::challenge(page.call, page.open.query.token.as_str());
    let bits = challenge.as_ref().map(|_| page.call.app.config.limits.proof_bits);
    html! {
        form.query-form.compact[has_results] role="search" method="get" novalidate action={ (page.address()) "#results" }
            aria-label=(texts.say("query-search")) data-busy=(texts.say("query-busy-button"))
            data-challenge=[challenge] data-bits=[bits] {
            @for (at, (group, asked)) in groups {
                @let asked: Vec<&SearchInput> = asked.iter().flatten().collect();
                @if group.operand == Operand::Or && asked.len() > 1 {
                    (any_of(page, &asked, typed, faults, at))
                } @else if !asked.is_empty() {
                    div.query-group { @for it in &asked { (field(page, it, typed, faults, None)) } }
                }
            }
            div.actions {
                button.button type="submit" lang=[page.owners_lang()] { bdi { (rules.search_button.text) } }
                @if typed.is_search() {
                    a.button.quiet href=(page.address()) { (texts.say("query-new")) }
                }
            }
        }
    }
}

/// A group of which one field is enough.
fn any_of(page: &QueryPage, asked: &[&SearchInput], typed: &Typed, faults: &Faults, at: usize) -> Markup {
    let fault = faults.of_group(at);
    let id = format!("group-{at}-fault");
    html! {
        fieldset.query-group.any.wrong[fault.is_some()] aria-describedby=[fault.map(|_| &id)] {
            legend { (page.texts.say("query-any")) }
            @if let Some(text) = fault { p.fault id=(id) { (text) } }
            div.query-group {
                @for it in asked { (field(page, it, typed, faults, fault.map(|_| id.as_str()))) }
            }
        }
    }
}

fn field(page: &QueryPage, asked: &SearchInput, typed: &Typed, faults: &Faults, group_fault: Option<&str>) -> Markup {
    let texts = page.texts;
    let code = asked.rule.field.as_str();
    let entry = entry(asked);
    let fault = faults.of_field(code);
    let hint = match &entry {
        Entry::DateStart => Some("query-hint-start"),
        Entry::Moment => Some("query-hint-moment"),
        Entry::Line(_, true) => Some("query-hint-part"),
        _ => None,
    };
    let id = input_id(code);
    let (hint_id, fault_id) = (format!("{id}-notes"), format!("{id}-fault"));
    let described = [hint.map(|_| hint_id.as_str()), fault.map(|_| fault_id.as_str()), group_fault];
    let described: Vec<&str> = described.into_iter().flatten().collect();
    let described = (!described.is_empty()).then(|| described.join(" "));
    let is_wrong = fault.is_some() || group_fault.is_some();
    let invalid = is_wrong.then_some("true");
    let value = typed.text(code);
    let line = |kind: &str, mode: Option<&str>| {
        html! {
            input.input id=(id) name=(code) type=(kind) value=(value) inputmode=[mode] dir="auto"
                aria-describedby=[described.as_deref()] aria-invalid=[invalid] autocomplete="off"
                autocapitalize="off" spellcheck="false";
        }
    };
    html! {
        div.field.wrong[fault.is_some()] {
            label.label for=(id) { bdi lang=[page.owners_lang()] { (asked.label(texts)) } }
            @if let Some(hint) = hint { p.notes id=(hint_id) { (texts.say(hint)) } }
            @if let Some(text) = fault { p.fault id=(fault_id) { (text) } }
            @match entry {
                Entry::Choice(options) => {
                    select.input id=(id) name=(code) lang=[page.owners_lang()]
                        aria-describedby=[described.as_deref()] aria-invalid=[invalid] {
                        option value="" lang=[page.owners_lang().map(|_| texts.locale())] { (texts.say("choice-none")) }
                        @for option in &options {
                            option value=(option.code) selected[option.code == value] { (option.label) }
                        }
                    }
                }
                Entry::Month => (line("month", None)),
                Entry::Day => (line("date", None)),
                // Date, colon and blank have no keyboard of their own.
                Entry::Moment | Entry::DateStart => (line("text", None)),
                Entry::Number(mode) => (line("text", Some(mode))),
                Entry::Line(kind, _) => (line(kind, None)),
            }
        }
    }
}
