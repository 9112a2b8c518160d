//! Beside each question of a draft's preview: the rules about it, with the result of each of their conditions for the
//! current answers.

use maud::{Markup, html};

use crate::fields::Field;
use crate::fields::values::rules::Trace;
use crate::web::pages::form::form_view::FilledForm;

/// A rule in words.
#[derive(Clone)]
pub struct ToldRule {
    /// Its number among all rules.
    pub number: usize,
    pub sentence: String,
    pub conditions: Vec<String>,
}

impl FilledForm {
    /// The results of the rules' conditions, in a preview that shows them.
    pub fn trace(&self) -> Option<Trace> {
        self.preview.as_ref().filter(|preview| !preview.is_canvas)?;
        let checked = self.answers.checked();
        let parsed = &self.published.parsed;
        let (_, trace) = parsed.rules.trace(&parsed.definition.fields, &mut checked.values.clone(), &self.cx());
        Some(trace)
    }

    /// The rules about a question; nothing where there is none.
    pub fn why(&self, field: &Field, trace: Option<&Trace>) -> Markup {
        let Some((trace, preview)) = trace.zip(self.preview.as_ref()) else {
            return Markup::default();
        };
        let rules = self.published.parsed.rules.about(self.place(field));
        let rules = rules.filter_map(|(at, _)| Some((at, preview.rules.get(at)?)));
        let rules: Vec<_> = rules.collect();
        if rules.is_empty() {
            return Markup::default();
        }
        let texts = preview.texts;
        let is_hidden = self.hides(field);
        let args = [("label", field.label.as_str().into())];
        let title = texts.fill(if is_hidden { "preview-why-hidden" } else { "preview-why-shown" }, &args);
        html! {
            details.limits data-why=(field.api_code) lang=[(texts.locale() != self.texts().locale()).then(|| texts.locale())] {
                summary { (title) }
                @for (at, rule) in rules {
                    @let number = texts.fill("publish-rule", &[("number", rule.number.into())]);
                    p { strong { (number) (texts.colon(&number)) } (rule.sentence) }
                    ul {
                        @for (condition, holds) in rule.conditions.iter().zip(trace.of(at)) {
                            li data-holds=(holds) {
                                (if *holds { "✓" } else { "✗" }) " " (condition) " – "
                                (texts.say(if *holds { "preview-true" } else { "preview-false" }))
                            }
                        }
                    }
                }
            }
        }
    }

    /// The button that has the server evaluate the rules for the current answers.
    pub fn why_button(&self) -> Markup {
        let preview = self.preview.as_ref().filter(|preview| !preview.is_canvas && !preview.rules.is_empty());
        html! {
            @if let Some(preview) = preview {
                p { button.button.quiet name="_action" value="more" { (preview.texts.say("preview-why")) } }
            }
        }
    }
}
