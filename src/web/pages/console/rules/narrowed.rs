//! The rules that the page shows: those that name a question, and those with some words in their sentence.

use maud::{Markup, Render};
use url::form_urlencoded::Serializer;

use crate::base::json::Json;
use crate::web::pages::console::rules::drawing::Drawing;
use crate::web::pages::console::rules::sentence::names;
use crate::web::pages::ui::field::Choice;
use crate::web::pages::ui::rules::search::RuleSearch;
use crate::web::request::call::Call;

const FIELD: &str = "field";
const WORDS: &str = "q";
/// The fewest rules among which one searches.
const FEWEST: usize = 2;

/// The search for rules; empty for all rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Narrowed {
    /// The code of a question.
    pub field: String,
    pub words: String,
}

impl Narrowed {
    pub fn of(call: &Call) -> Self {
        let text = |name: &str| call.query(name).unwrap_or_default().trim().to_owned();
        Self { field: text(FIELD), words: text(WORDS) }
    }

    /// As the end of an address; empty for all rules.
    pub fn query(&self) -> String {
        let pairs = [(FIELD, &self.field), (WORDS, &self.words)];
        let given: Vec<_> = pairs.into_iter().filter(|(_, text)| !text.is_empty()).collect();
        if given.is_empty() {
            return String::new();
        }
        format!("?{}", Serializer::new(String::new()).extend_pairs(given).finish())
    }

    /// Whether a rule with this sentence is shown.
    pub fn holds(&self, rule: &Json, sentence: &str) -> bool {
        let sentence = sentence.to_lowercase();
        let is_named = self.field.is_empty() || names(rule).any(|code| code == self.field);
        is_named && self.words.to_lowercase().split_whitespace().all(|word| sentence.contains(word))
    }

    /// The search above the rules; nothing where there are few. `shown` is the number of rules shown.
    pub fn draw(&self, drawing: &Drawing, rules: &[Json], shown: usize) -> Markup {
        if rules.len() < FEWEST && self.query().is_empty() {
            return Markup::default();
        }
        let texts = drawing.frame.texts;
        let all = Choice::new("", texts.say("rules-find-all"), self.field.is_empty());
        let named = drawing.words.fields.iter().filter(|field| {
            let code = field.api_code.as_str();
            code == self.field || rules.iter().any(|rule| names(rule).any(|name| name == code))
        });
        let named = named.map(|field| {
            let code = field.api_code.as_str();
            Choice {
                lang: drawing.frame.owners_lang(),
                ..Choice::new(code, drawing.words.label(code), code == self.field)
            }
        });
        let found = match self.query().is_empty() {
            true => String::new(),
            false => texts.fill("rules-found", &[("count", shown.into()), ("total", rules.len().into())]),
        };
        RuleSearch {
            action: &drawing.frame.address("rules"),
            find: (WORDS, &texts.say("rules-find"), &self.words),
            question: (FIELD, &texts.say("rules-find-question"), std::iter::once(all).chain(named).collect()),
            show: &texts.say("rules-find-show"),
            found: &found,
            all: (!found.is_empty()).then(|| texts.say("rules-find-reset")),
        }
        .render()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_rule_is_found_by_the_questions_that_it_names_and_by_its_words() {
        let rule = json!({
            "condition": {"operand": "and", "items": [{"field": "field_1.field_2", "operator": "null"}]},
            "action": "show", "fields": ["field_4"],
        });
        let sentence = "When Track is empty, then show Remark";
        for (field, words, wanted) in [
            ("", "", true),
            ("field_1", "", true),
            ("field_4", "remark TRACK", true),
            ("field_2", "", false),
            ("field_1", "age", false),
        ] {
            let narrowed = Narrowed { field: field.to_owned(), words: words.to_owned() };
            assert_eq!(narrowed.holds(&rule, sentence), wanted, "{field} {words}");
        }
        assert_eq!(Narrowed::default().query(), "");
        let narrowed = Narrowed { field: "field_1".to_owned(), words: "a&b".to_owned() };
        assert_eq!(narrowed.query(), "?field=field_1&q=a%26b");
    }
}
