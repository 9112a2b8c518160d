//! The progress bar of a form page.

use fluent_bundle::FluentValue;
use maud::{Markup, html};

use crate::base::json::Json;
use crate::fields::Field;
use crate::web::pages::form::form_view::FilledForm;
use crate::web::pages::form::pagination::{FormPage, Layout};

impl FilledForm {
    /// How far the respondent has come: by pages, or by answers where there is one page.
    pub fn progress(&self, parts: &[FormPage], page: usize, has_bar: bool) -> Markup {
        let texts = self.texts();
        let name = has_bar.then(|| texts.say("form-progress"));
        let is_card = self.layout() == Layout::Card;
        if parts.len() > 1 {
            let reachable = self.reachable(parts);
            let number = number_of(&reachable, page);
            return html! {
                // How many there are may change with every answer: the script fills in the same words.
                div.progress data-label=(self.label("{page}".into(), "{pages}".into())) {
                    @if has_bar { progress aria-label=[name] max=(reachable.len().max(number)) value=(number) {} }
                    span role=[is_card.then_some("status")] { (self.page_label(&reachable, page)) }
                }
            };
        }
        let questions = || {
            parts[0]
                .fields
                .iter()
                .filter(|field| field.kind.has_value() && field.kind.computed().is_none())
                .filter(|field| !self.hides(field))
        };
        let is_answered = |field: &&&Field| {
            let value = self.values.get(&field.api_code).unwrap_or(&Json::Null);
            !matches!(value, Json::Null) && value.as_array().is_none_or(|list| !list.is_empty())
        };
        let (answered, all) = (questions().filter(is_answered).count(), questions().count());
        let label = |answered: FluentValue<'static>, all: FluentValue<'static>| {
            texts.fill("form-answered", &[("answered", answered), ("all", all)])
        };
        let number = |count: usize| FluentValue::from(i64::try_from(count).unwrap_or_default());
        html! {
            @if has_bar && all > 0 {
                div.progress.answered data-answered=(label("{answered}".into(), "{all}".into())) {
                    progress aria-label=[name] max=(all) value=(answered) {}
                    span { (label(number(answered), number(all))) }
                }
            }
        }
    }

    /// The label of a page: its number among those that are not empty.
    pub fn page_label(&self, reachable: &[usize], page: usize) -> String {
        let number = |at: usize| i64::try_from(at).unwrap_or_default();
        let own = number_of(reachable, page);
        self.label(number(own).into(), number(reachable.len().max(own)).into())
    }

    fn label<'l>(&self, page: FluentValue<'l>, pages: FluentValue<'l>) -> String {
        let key = match self.layout() {
            Layout::Pages => "form-page",
            Layout::Card => "form-card",
        };
        self.texts().fill(key, &[("page", page), ("pages", pages)])
    }
}

/// The number of a page among those that are not empty; an empty one has that of the next.
pub fn number_of(reachable: &[usize], page: usize) -> usize {
    reachable.iter().filter(|at| **at < page).count() + 1
}
