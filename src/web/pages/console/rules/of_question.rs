//! The rules that name a question, for its panel in the builder.

use maud::{Markup, Render, html};

use crate::model::draft::parts::PartName;
use crate::ops::forms::drafts::DraftView;
use crate::ops::forms::drafts::check::Checked;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::rules::sentence::{Questions, RuleWords, names};
use crate::web::pages::ui::section::Disclosure;

/// The places of the rules that name one of these questions.
pub fn places(draft: &DraftView, codes: &[impl AsRef<str>]) -> Vec<usize> {
    let rules = draft.draft.body(PartName::Rules).as_array().into_iter().flatten().enumerate();
    let is_one = |named: &str| codes.iter().any(|code| code.as_ref() == named);
    rules.filter(|(_, rule)| names(rule).any(is_one)).map(|(at, _)| at).collect()
}

/// How many faults the rules that name a question have.
pub fn faults(draft: &DraftView, checked: &Checked, code: &str) -> usize {
    if checked.part_faults.is_empty() {
        return 0;
    }
    places(draft, &[code]).into_iter().map(|at| checked.of_rule(at).count()).sum()
}

/// The rules of a question, folded; nothing where no rule names it.
pub fn draw(frame: &FormFrame, draft: &DraftView, checked: &Checked, code: &str) -> Markup {
    let places = places(draft, &[code]);
    if places.is_empty() {
        return Markup::default();
    }
    let is_wrong = places.iter().any(|at| needs_look(checked, *at));
    let content = list(frame, draft, checked, &places);
    let summary = frame.texts.fill("rules-of-question", &[("count", places.len().into())]);
    Disclosure { summary: &summary, is_open: is_wrong, content }.render()
}

fn needs_look(checked: &Checked, at: usize) -> bool {
    checked.of_rule(at).count() > 0 || checked.renamed.iter().any(|renamed| renamed.rule == at)
}

/// The rules at these places by their sentences, each with the way to it.
pub fn list(frame: &FormFrame, draft: &DraftView, checked: &Checked, places: &[usize]) -> Markup {
    let words =
        RuleWords { texts: frame.texts, questions: Questions::Draft(&draft.draft), fields: &checked.definition.fields };
    let rules = draft.draft.body(PartName::Rules);
    html! {
        ul {
            @for at in places {
                li {
                    a href=(frame.address(&format!("rules#rule-{}", at + 1))) { (words.sentence(&rules[*at])) }
                    @if needs_look(checked, *at) { " " strong { (frame.say("rules-broken")) } }
                }
            }
        }
    }
}
