//! What the row of a question says.

use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::fields::kinds::by_name;
use crate::ops::forms::drafts::DraftView;
use crate::ops::forms::drafts::check::Checked;
use crate::ops::forms::drafts::compare;
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
