//! The default of the chosen question, in words, with the way to another one.

use maud::{Markup, Render};

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::fields::kind::Cx;
use crate::fields::{Field, values};
use crate::model::draft::DraftQuestion;
use crate::web::pages::console::build::Drawing;
use crate::web::pages::ui::build::default::TakenValue;

/// The default of a question that takes one; nothing while it is not sound, and for users who can only read.
pub fn draw(drawing: &Drawing, question: &DraftQuestion) -> Markup {
    let frame = drawing.frame;
    let texts = frame.texts;
    let field = drawing.checked.definition.fields.get(&question.code).filter(|field| field.takes_default());
    let Some(field) = field.filter(|_| drawing.can_change) else {
        return Markup::default();
    };
    let cx = drawing.draft.view.parsed.cx(frame.call.now, false);
    let text = words(texts, field, &cx);
    TakenValue {
        id: "default",
        title: &texts.say("prop-default_value"),
        text: &text,
        lang: frame.owners_lang(),
        none: &texts.say("default-none"),
        notes: &texts.say("default-notes"),
        fault: "",
        code: &question.code,
        take: (&frame.address(&format!("preview?take={}", question.code)), &texts.say("default-take")),
        remove: (&frame.address(&format!("build/fields/{}/no-default", question.code)), &texts.say("default-remove")),
        csrf: &frame.csrf,
    }
    .render()
}

/// The default as people read it; empty without one.
fn words(texts: &Texts, field: &Field, cx: &Cx) -> String {
    let Some(raw) = field.default_value.as_ref().filter(|raw| !raw.is_null()) else {
        return String::new();
    };
    let resolved = field.kind.resolve_default(raw, cx);
    if field.kind.link_rules().is_some() || resolved.is_null() {
        // Which entry it is says the preview.
        return texts.say("default-entry");
    }
    if resolved != *raw && raw.is_string() {
        return texts.say("default-now");
    }
    let text = told(field, resolved, cx);
    if text.is_empty() { shown(raw) } else { text }
}

/// An answer in the shape in which it is written, as people read it; empty for one that does not fit the question.
pub fn told(field: &Field, answer: Json, cx: &Cx) -> String {
    let stored = field.kind.parse(answer, cx, &mut Issues::new());
    if values::is_blank(&stored) { String::new() } else { field.kind.lines(&stored, cx).join(", ") }
}

fn shown(raw: &Json) -> String {
    raw.as_str().map_or_else(|| raw.to_string(), str::to_owned)
}
