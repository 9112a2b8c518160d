//! What follows a submission: the settings group `after_submission` with its placeholders filled, and the address
//! that its owner redirects to.

use std::borrow::Cow;
use std::cell::Cell;

use url::{Url, form_urlencoded};

use crate::base::json::Json;
use crate::fields::Field;
use crate::fields::after_template::{Template, json_text};
use crate::fields::kind::Cx;
use crate::fields::money;
use crate::fields::results::exam;
use crate::fields::rich_text;
use crate::fields::system::{self, SystemField};
use crate::fields::values::{self, Values};
use crate::model::entry::Entry;
use crate::model::results::number;
use crate::model::settings::{AfterMode, AfterSubmission, Redirect, ShowMessage};
use crate::ops::settings;
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
pub fn shown(parsed: &ParsedForm, entry: &Entry, cx: &Cx) -> AfterSubmission {
    filled(parsed, entry, cx, |answers, code| answers.shown(code))
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
    let ShowMessage {
        rich_text, text, ..
    } = &mut group.show_message;
    text.title = fill(&text.title, text_of);
    text.description = fill(&text.description, text_of);
    *rich_text = rich_text::clean(&fill_rich(rich_text, text_of), &parsed.images);
    if let Some(address) = redirect(parsed, entry, cx) {
        group.redirect.url = Some(address.into());
    }
    group
}

/// Texts with their placeholders filled, as people write numbers and dates.
pub fn filled_texts<const N: usize>(
    parsed: &ParsedForm,
    entry: &Entry,
    cx: &Cx,
    templates: [&str; N],
) -> [String; N] {
    let answers = Answers::of(parsed, entry, cx);
    templates.map(|template| fill(template, |code| answers.shown(code)))
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
    // Answers stand in the path and behind it; to whom it leads is the owner's word alone.
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
    fill(template, |code| answers.shown(code))
}

/// Rich text of the owner's, its placeholders filled.
pub(in crate::ops) fn rich(parsed: &ParsedForm, entry: &Entry, cx: &Cx, template: &str) -> String {
    let answers = Answers::of(parsed, entry, cx);
    let filled = fill_rich(template, |code| answers.shown(code));
    rich_text::clean(&filled, &parsed.images)
}

/// What was answered, for people.
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
    fn shown(&self, code: &str) -> Option<String> {
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
                    .stored(self.entry)
                    .as_f64()
                    .map_or_else(String::new, |it| number(it).to_string()),
            );
        }
        if let Some(field) = self.system_field(code) {
            return Some(field.kind.text(&field.stored(self.entry), self.cx));
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
            let price =
                |of: Option<f64>| of.map(|of| money::price_of(of, currency, self.cx.locale));
            let shown = match code {
                "total_price" => price(results.total_price),
                "preferential_price" => price(results.preferential_price),
                _ => results.exam_score.map(|of| exam::shown(of, self.cx.locale)),
            };
            return Some(shown.unwrap_or_default());
        }
        match self.answered(code) {
            Some((field, value)) => Some(field.kind.lines(&value, self.cx).join(", ")),
            None => self.chosen(code),
        }
    }

    /// A property of every entry, or a result of this form's.
    fn system_field(&self, code: &str) -> Option<&'static SystemField> {
        let results = self.parsed.result_fields().iter().copied();
        let field = results
            .chain(system::fixed())
            .find(|field| field.name == code)?;
        Some(field).filter(|field| !field.is_link())
    }

    fn answered(&self, code: &str) -> Option<(&Field, Json)> {
        let field = self.parsed.definition.fields.get(code)?;
        let value = values::today(field, self.stored.get(code), self.cx)?;
        Some((field, value))
    }
}

/// The template with each `{{code}}` replaced, in one pass: what is put in is never read again (S95).
/// What names nothing stays as it is.
fn fill(template: &str, text: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let found = after
            .split_once("}}")
            .and_then(|(code, tail)| Some((text(code.trim())?, tail)));
        match found {
            Some((filled, tail)) => {
                out.push_str(&filled);
                rest = tail;
            }
            None => {
                // The second brace may begin a placeholder itself.
                out.push('{');
                rest = &rest[before.len() + 1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Fills the text of sanitised HTML, not its tags: an answer may not say where a link leads (S95).
fn fill_rich(template: &str, text: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while !rest.is_empty() {
        let (words, tag) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
        out.push_str(&fill(words, |code| Some(rich_text::escape(&text(code)?))));
        let end = tag.find('>').map_or(tag.len(), |end| end + 1);
        out.push_str(&tag[..end]);
        rest = &tag[end..];
    }
    out
}

fn component(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes())
        .collect::<String>()
        .replace('+', "%20")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;

    #[test]
    fn answers_stand_in_the_text_of_rich_text_alone() {
        let template = r#"<p>Hi {{a}}, <a href="https://x.org{{a}}">{{a}}</a> {{b}}</p>"#;
        let filled = fill_rich(template, |code| {
            (code == "a").then(|| ".evil<b>".to_owned())
        });
        assert_eq!(
            filled,
            r#"<p>Hi .evil&lt;b&gt;, <a href="https://x.org{{a}}">.evil&lt;b&gt;</a> {{b}}</p>"#
        );
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn any_template_is_filled_in_one_pass(template in "[a{} \\\\é]{0,40}", answer in "[b-z]{1,5}") {
            let filled = fill(&template, |code| (code == "a").then(|| answer.clone()));
            prop_assert!(!filled.contains("{{a}}"));
            let none = fill(&template, |_| None);
            prop_assert_eq!(none, template);
        }
    }

    #[test]
    fn what_is_put_in_is_never_read_again() {
        let text = |code: &str| match code {
            "a" => Some("{{b}}".to_owned()),
            "b" => Some("secret".to_owned()),
            "open" => Some("{{".to_owned()),
            _ => None,
        };
        for (template, filled) in [
            ("x {{a}} y {{ b }}", "x {{b}} y secret"),
            ("{{open}}b}}", "{{b}}"),
            ("{{gone}} {{b}}", "{{gone}} secret"),
            ("{{{{b}}}}", "{{secret}}"),
            ("{{{b}}}", "{secret}"),
            ("{{b", "{{b"),
            ("", ""),
        ] {
            assert_eq!(fill(template, text), filled, "{template}");
        }
        assert_eq!(component("a b&c/é?"), "a%20b%26c%2F%C3%A9%3F");
    }
}
