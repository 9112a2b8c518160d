//! What the row of a question says.

use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::text::isolated;
use crate::base::text::texts::Texts;
use crate::fields::kinds::by_name;
use crate::ops::forms::drafts::DraftView;
use crate::ops::forms::drafts::check::Checked;
use crate::ops::forms::drafts::compare;
use crate::web::pages::console::build::properties;
use crate::web::pages::console::rules::of_question;

/// Whether a question lacks the label that its kind needs.
pub fn is_untitled(body: &Json) -> bool {
    let is_needed = body["type"].as_str().and_then(by_name).is_none_or(|row| !row.facets.label_optional);
    is_needed && compare::label(body).trim().is_empty()
}

/// The label of a question, or the text in place of one.
pub fn label(texts: &Texts, body: &Json) -> String {
    match compare::label(body).trim() {
        "" if is_untitled(body) => texts.say("build-untitled"),
        "" => kind(texts, body),
        label => label.to_owned(),
    }
}

/// The label of a question among others; its number tells which one it is where it has none.
fn name(texts: &Texts, body: &Json, number: i32) -> String {
    match compare::label(body).trim() {
        "" if is_untitled(body) => {
            texts.fill("build-untitled-number", &[("number", number.into()), ("kind", kind(texts, body).into())])
        }
        _ => isolated(&label(texts, body)),
    }
}

/// A fault of a question among others, behind its name and the part of it that is wrong.
pub fn fault(texts: &Texts, body: &Json, number: i32, fault: &Issue) -> String {
    let row = body["type"].as_str().and_then(by_name);
    let place = row.map(|row| properties::place(texts, row, &fault.attribute)).filter(|place| !place.is_empty());
    let name = name(texts, body, number);
    let name = place.map_or_else(|| name.clone(), |place| format!("{name} – {place}"));
    texts.labelled(&name, &properties::message(texts, body, fault))
}

/// The name of a question's kind; empty where it stands in place of the label.
pub fn kind_below(texts: &Texts, body: &Json) -> String {
    let is_label = compare::label(body).trim().is_empty() && !is_untitled(body);
    if is_label { String::new() } else { kind(texts, body) }
}

/// Whether a question counts for respondents. One that is not sound has no kind to ask: its row tells whether a sound one
/// would have a value.
pub fn has_number(checked: &Checked, code: &str, body: &Json) -> bool {
    let row = body["type"].as_str().and_then(by_name);
    checked.definition.fields.get(code).map_or_else(
        || row.is_some_and(|row| !row.facets.label_optional),
        |field| field.kind.has_value() || !checked.of(code).is_empty(),
    )
}

/// The name of a question's kind.
pub fn kind(texts: &Texts, body: &Json) -> String {
    body["type"].as_str().map(|kind| texts.say(&format!("kind-{kind}"))).unwrap_or_default()
}

/// How many faults keep a question from being published; empty without any.
pub fn faults(texts: &Texts, draft: &DraftView, checked: &Checked, code: &str) -> String {
    let of_rules = of_question::faults(draft, checked, code);
    match checked.of(code).len() + of_rules + checked.of_exam_question(code).count() {
        0 => String::new(),
        faults => texts.fill("build-faults", &[("count", faults.into())]),
    }
}
