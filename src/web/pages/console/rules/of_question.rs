//! The rules that name a question, for its panel in the builder.

use maud::{Markup, Render, html};

use crate::base::json::Json;
use crate::model::draft::parts::PartName;
use crate::ops::forms::drafts::DraftView;
use crate::ops::forms::drafts::check::Checked;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::rules::sentence::{Questions, RuleWords, names};
use crate::web::pages::ui::section::Disclosure;

/// The places of the rules that name a question.
fn places(draft: &DraftView, code: &str) -> Vec<usize> {
    let rules = draft.draft.body(PartName::Rules).as_array().into_iter().flatten().enumerate();
    rules.filter(|(_, rule)| names(rule).any(|named| named == code)).map(|(at, _)| at).collect()
}

/// How many faults the rules that name a question have.
pub fn faults(draft: &DraftView, checked: &Checked, code: &str) -> usize {
    if checked.part_faults.is_empty() {
        return 0;
    }
    places(draft, code).into_iter().map(|at| checked.of_rule(at).count()).sum()
}

/// The rules by their sentences, each with the way to it; nothing where no rule names the question.
pub fn draw(frame: &FormFrame, draft: &DraftView, checked: &Checked, code: &str) -> Markup {
    let places = places(draft, code);
    if places.is_empty() {
        return Markup::default();
    }
    let words =
        RuleWords { texts: frame.texts, questions: Questions::Draft(&draft.draft), fields: &checked.definition.fields };
    let rules = draft.draft.body(PartName::Rules);
    let needs_look =
        |at: usize| checked.of_rule(at).count() > 0 || checked.renamed.iter().any(|renamed| renamed.rule == at);
    let is_wrong = places.iter().any(|at| needs_look(*at));
    let sentence = |at: &usize| {
        let rule: &Json = &rules[*at];
        html! {
            li {
                a href=(frame.address(&format!("rules#rule-{}", at + 1))) { (words.sentence(rule)) }
                @if needs_look(*at) { " " strong { (frame.say("rules-broken")) } }
            }
        }
    };
    let content = html! { ul { @for at in &places { (sentence(at)) } } };
    let summary = frame.texts.fill("rules-of-question", &[("count", places.len().into())]);
    Disclosure { summary: &summary, is_open: is_wrong, content }.render()
}
