//! The size of a form's page: its controls are rendered once when the form is saved.

use maud::html;

use crate::base::json::Json;
use crate::base::text::texts::texts;
use crate::fields::kind::{Cx, InputCx};
use crate::fields::texts::rich_text;
use crate::fields::{Field, Fields, values};

/// Maximum size of a form's page.
pub const MAX_BYTES: usize = 1 << 20;
/// Bytes around a question besides its own text.
const AROUND: usize = 400;

/// The size of a page in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageSize {
    /// Size of the page when it is opened.
    pub opened: usize,
    /// With all rows that a respondent may add.
    pub filled: usize,
}

impl PageSize {
    /// Renders the fields that respondents see. Stops once the page is too large.
    pub fn of(fields: &Fields, cx: &Cx) -> Self {
        let cx = &Cx { respondent: true, ..*cx };
        let mut size = Self::default();
        for field in fields.iter().filter(|field| !field.hidden) {
            let notes = field.notes.as_deref().map(rich_text::drawn);
            let around = html! { (field.label) @if let Some(notes) = notes { (notes) } };
            let around = around.into_string().len() + AROUND;
            let opened = control(field, &values::default_of(field, cx), cx);
            size.opened += around + opened;
            size.filled += around + field.kind.fullest().map_or(opened, |full| control(field, &full, cx));
            if size.opened > MAX_BYTES {
                break;
            }
        }
        size
    }
}

fn control(field: &Field, value: &Json, cx: &Cx) -> usize {
    let drawn = field.kind.input(&InputCx {
        name: &field.api_code,
        label: &field.label,
        value,
        posted: None,
        required: field.required,
        placeholder: field.placeholder.as_deref(),
        invalid: false,
        seed: "",
        faults: &[],
        described_by: "",
        texts: texts(cx.locale),
        currency: "USD",
        cx: &cx.of_field(field),
    });
    drawn.into_string().len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::base::issue::Issues;
    use crate::fields::definition::Definition;

    fn made(fields: Json) -> (Definition, Vec<String>) {
        let mut at = Issues::new();
        let definition = Definition::create(fields, &Cx::of_a_test(false), &mut at);
        let faults = at.into_list().into_iter();
        (definition, faults.map(|fault| fault.message()).collect())
    }

    #[test]
    fn a_form_is_heavy_by_its_page_its_patterns_or_its_formulas() {
        let are_heavy = |fields: Vec<Json>| {
            let (definition, faults) = made(json!(fields));
            assert_eq!(faults, [""; 0]);
            let stored = definition.to_stored();
            let again = Definition::from_stored(stored).expect("reads back");
            assert_eq!(again.is_heavy(), definition.is_heavy());
            again.is_heavy()
        };
        let is_heavy = |field: Json| are_heavy(vec![field]);
        let choice = json!({"label": "x".repeat(100)});
        let dropdown = |count: usize| json!({"type": "dropdown", "label": "d", "choices": vec![choice.clone(); count]});
        assert!(!is_heavy(dropdown(100)) && is_heavy(dropdown(1_000)));
        let text = |max: u32| json!({"type": "name", "label": "n", "pattern": "(a{1000})*", "max_length": max});
        assert!(!is_heavy(text(900)) && is_heavy(text(1_100)));
        // Rows that respondents may add count.
        let table = |rows: u32| json!({"type": "table", "label": "t", "dimensions": [dropdown(20)], "max_rows": rows});
        assert!(!is_heavy(table(5)) && is_heavy(table(100)));
        let formula = json!({"type": "formula", "label": "f", "expression": "1", "result_type": "number"});
        assert!(!are_heavy(vec![formula.clone(); 10]) && are_heavy(vec![formula; 11]));
    }

    #[test]
    fn what_is_drawn_counts_and_not_what_was_sent() {
        let of = |label: &str| {
            let choices = vec![json!({"label": label}); 10];
            let (definition, _) = made(json!([{"type": "radio", "label": "r", "choices": choices}]));
            PageSize::of(&definition.fields, &Cx::of_a_test(false))
        };
        // A quotation mark is six characters in HTML.
        assert!(of(&"\"".repeat(100)).opened >= of(&"x".repeat(100)).opened + 10 * 500);
        assert_eq!(of("x").opened, of("x").filled);
    }
}
