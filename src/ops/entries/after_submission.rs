//! The response to a submission: the settings group `after_submission` with its placeholders filled, and the address
//! that its owner redirects to.

use std::borrow::Cow;
use std::cell::Cell;

use url::{Url, form_urlencoded};

use crate::base::json::{Json, digits};
use crate::fields::Field;
use crate::fields::display::{moment, money};
use crate::fields::kind::Cx;
use crate::fields::system::{self, SystemField};
use crate::fields::texts::after_template::{Template, json_text};
use crate::fields::texts::placeholders::{fill, fill_rich};
use crate::fields::texts::rich_text;
use crate::fields::values::results::exam;
use crate::fields::values::{self, Values};
use crate::model::entry::Entry;
use crate::model::results::number;
use crate::model::settings::{AfterMode, AfterSubmission, Redirect, ShowMessage};
use crate::ops::forms::settings;
use crate::query::as_read;
use crate::query::form_cache::ParsedForm;

/// The results that may be filled in.
const FILLED: [&str; 3] = ["exam_score", "total_price", "preferential_price"];
/// How much text of answers is filled into one message or address, in bytes.
const MAX_FILLED: usize = 1 << 20;

fn template(parsed: &ParsedForm) -> &Template {
    let made = || Template::of(settings::after_submission(&parsed.settings), &parsed.images);
    parsed.after_submission.get_or_init(made)
}

/// The same as [`group`], as JSON text.
pub fn text<'a>(parsed: &'a ParsedForm, entry: &Entry, cx: &Cx) -> Cow<'a, str> {
    match &template(parsed).text {
        Some(text) => Cow::Borrowed(text),
        None => Cow::Owned(json_text(&group(parsed, entry, cx))),
    }
}

/// The group `after_submission`, its placeholders filled, with the whole address to lead on to.
pub fn group(parsed: &ParsedForm, entry: &Entry, cx: &Cx) -> AfterSubmission {
    filled(parsed, entry, cx, |answers, code| answers.text(code))
}

/// The same for a page: with numbers and dates as the form's locale writes them.
pub fn for_page(parsed: &ParsedForm, entry: &Entry, cx: &Cx) -> AfterSubmission {
    filled(parsed, entry, cx, |answers, code| answers.display_text(code))
}

fn filled(
    parsed: &ParsedForm,
    entry: &Entry,
    cx: &Cx,
    text_of: impl Fn(&Answers, &str) -> Option<String>,
) -> AfterSubmission {
    let mut group = template(parsed).group.clone();
    let answers = Answers::of(parsed, entry, cx);
    let text_of = |code: &str| text_of(&answers, code);
    let ShowMessage { rich_text, text, .. } = &mut group.show_message;
    text.title = fill(&text.title, text_of);
    text.description = fill(&text.description, text_of);
    *rich_text = rich_text::clean(&fill_rich(rich_text, text_of), &parsed.images);
    if let Some(address) = redirect(parsed, entry, cx) {
        group.redirect.url = Some(address.into());
    }
    group
}

/// Where the owner sends respondents: http or https, with the fields that they chose as parameters
/// (S55). None where the form shows a message.
pub fn redirect(parsed: &ParsedForm, entry: &Entry, cx: &Cx) -> Option<Url> {
    let after = &parsed.settings.after_submission;
    if after.mode != AfterMode::Redirect {
        return None;
    }
    let Redirect { url, fields } = &after.redirect;
    let answers = Answers::of(parsed, entry, cx);
    // An address is kept as a URL library writes it: braces in its path have become codes.
    let own = url.as_deref()?;
    let template = own.replace("%7B%7B", "{{").replace("%7D%7D", "}}");
    let filled = fill(&template, |code| Some(component(&answers.text(code)?)));
    let mut address = Url::parse(&filled).ok()?;
    // Answers can appear in the path and behind it; the host is the owner's word alone.
    if Url::parse(own).ok()?.origin() != address.origin() {
        return None;
    }
    let is_plain = address.username().is_empty() && address.password().is_none();
    if !matches!(address.scheme(), "http" | "https") || !is_plain {
        return None;
    }
    if !fields.is_empty() {
        let mut pairs = address.query_pairs_mut();
        for code in fields {
            if let Some(text) = answers.chosen(code) {
                pairs.append_pair(code, &text);
            }
        }
    }
    Some(address)
}

/// A line of the owner's, its placeholders filled.
pub(in crate::ops) fn line(parsed: &ParsedForm, entry: &Entry, cx: &Cx, template: &str) -> String {
    let answers = Answers::of(parsed, entry, cx);
    fill(template, |code| answers.display_text(code))
}

/// Rich text of the owner's, its placeholders filled.
pub(in crate::ops) fn rich(parsed: &ParsedForm, entry: &Entry, cx: &Cx, template: &str) -> String {
    let answers = Answers::of(parsed, entry, cx);
    let filled = fill_rich(template, |code| answers.display_text(code));
    rich_text::clean(&filled, &parsed.images)
}

/// The answers of an entry, formatted for people.
struct Answers<'a> {
    parsed: &'a ParsedForm,
    stored: Values,
    entry: &'a Entry,
    cx: &'a Cx<'a>,
    /// How much more may be filled in.
    room: Cell<usize>,
}

impl<'a> Answers<'a> {
    fn of(parsed: &'a ParsedForm, entry: &'a Entry, cx: &'a Cx<'a>) -> Self {
        Self {
            parsed,
            stored: as_read::values(parsed, &entry.values, cx).unwrap_or_default(),
            entry,
            cx,
            room: Cell::new(MAX_FILLED),
        }
    }

    /// For a placeholder of an address.
    fn text(&self, code: &str) -> Option<String> {
        Some(self.within_room(self.answer(code, Self::chosen)?))
    }

    /// For a placeholder of a text: dates and numbers as the form's locale writes them.
    fn display_text(&self, code: &str) -> Option<String> {
        Some(self.within_room(self.answer(code, Self::for_people)?))
    }

    /// Empty where there is no more room for it. A short template may name a long answer thousands of times.
    fn within_room(&self, text: String) -> String {
        let Some(left) = self.room.get().checked_sub(text.len()) else {
            return String::new();
        };
        self.room.set(left);
        text
    }

    /// Nothing that is hidden from respondents. Empty where nothing was answered, none where there is no such
    /// field.
    fn answer(&self, code: &str, of: fn(&Self, &str) -> Option<String>) -> Option<String> {
        if code == "x_field_1" {
            return Some(self.entry.x_field_1.clone().unwrap_or_default());
        }
        let field = self.parsed.definition.fields.get(code);
        if field.is_some_and(|field| field.hidden) {
            return Some(String::new());
        }
        of(self, code).or(field.map(|_| String::new()))
    }

    /// For a parameter that the owner chose; none where nothing was answered.
    fn chosen(&self, code: &str) -> Option<String> {
        if let Some(result) = self.result(code) {
            return Some(
                result
                    .stored(self.entry, self.cx)
                    .as_f64()
                    .map_or_else(String::new, |it| digits::plain(&number(it).to_string()).into_owned()),
            );
        }
        if let Some(field) = self.system_field(code) {
            return Some(field.kind.text(&field.stored(self.entry, self.cx), self.cx));
        }
        let (field, value) = self.answered(code)?;
        Some(field.kind.text(&value, self.cx))
    }

    /// The score and the prices, where the form has them.
    fn result(&self, code: &str) -> Option<&'static SystemField> {
        let mut fields = self.parsed.result_fields().iter();
        let found = fields.find(|field| field.name == code)?;
        FILLED.contains(&code).then_some(*found)
    }

    fn for_people(&self, code: &str) -> Option<String> {
        if self.result(code).is_some() {
            let results = &self.entry.results;
            let currency = &self.parsed.settings.pricing.currency;
            let price = |of: Option<f64>| of.map(|of| money::price_of(of, currency, self.cx.locale));
            let shown = match code {
                "total_price" => price(results.total_price),
                "preferential_price" => price(results.preferential_price),
                _ => results.exam_score.map(|of| exam::points_text(of, self.cx.locale)),
            };
            return Some(shown.unwrap_or_default());
        }
        let at = match code {
            "created_at" => Some(self.entry.created_at),
            "updated_at" => Some(self.entry.updated_at),
            _ => None,
        };
        if let Some(at) = at {
            return Some(moment::alone(at.timestamp(), self.cx.timezone, self.cx.locale));
        }
        match self.answered(code) {
            Some((field, value)) => Some(field.kind.lines(&value, self.cx).join(", ")),
            None => self.chosen(code),
        }
    }

    /// A property of every entry, or a result of this form's.
    fn system_field(&self, code: &str) -> Option<&'static SystemField> {
        let results = self.parsed.result_fields().iter().copied();
        let field = results.chain(system::fixed()).find(|field| field.name == code)?;
        Some(field).filter(|field| !field.is_link())
    }

    fn answered(&self, code: &str) -> Option<(&Field, Json)> {
        let field = self.parsed.definition.fields.get(code)?;
        let value = values::today(field, self.stored.get(code), self.cx)?;
        Some((field, value))
    }
}

fn component(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_escaped_in_addresses() {
        assert_eq!(component("a b&c/é?"), "a%20b%26c%2F%C3%A9%3F");
    }
}
