//! Divides a form's fields into pages: at its page breaks, or one question a page.

use crate::fields::kind::PageBreak;
use crate::fields::{Field, Fields};

/// How a form is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// By the owner's page breaks.
    Pages,
    /// One question at a time.
    Card,
}

impl Layout {
    /// Of a form's `layout`.
    pub fn of(word: &str) -> Self {
        if word == "card" { Self::Card } else { Self::Pages }
    }
}

/// The fields of one page, and the words that the breaks around it bring.
#[derive(Default)]
pub struct FormPage<'f> {
    /// In the form's order, none that is hidden.
    pub fields: Vec<&'f Field>,
    /// The break before it: its words lead back.
    pub before: Option<PageBreak<'f>>,
    /// The break after it: its words lead on.
    pub after: Option<PageBreak<'f>>,
}

/// The pages; at least one, and none without a field.
pub fn split(fields: &Fields, layout: Layout) -> Vec<FormPage<'_>> {
    let mut parts = vec![FormPage::default()];
    for field in fields.iter().filter(|field| !field.hidden) {
        let Some(last) = parts.last_mut() else { break };
        // A computed value is shown on the page of its operands: it asks nothing.
        let is_computed = field.kind.computed().is_some();
        let is_full = layout == Layout::Card && last.has_question() && !is_computed;
        match field.kind.page_break() {
            Some(_) if last.fields.is_empty() => {}
            Some(page_break) => {
                last.after = Some(page_break);
                parts.push(FormPage { before: Some(page_break), ..FormPage::default() });
            }
            None if is_full => parts.push(FormPage::of(field)),
            None => last.fields.push(field),
        }
    }
    if parts.len() > 1 && parts.last().is_some_and(|last| last.fields.is_empty()) {
        parts.pop();
        if let Some(last) = parts.last_mut() {
            last.after = None;
        }
    }
    // Texts at the end come before the last button, not on a page of their own.
    if parts.len() > 1
        && let Some(end) = parts.pop_if(|last| !last.has_question() && last.before.is_none())
        && let Some(last) = parts.last_mut()
    {
        last.fields.extend(end.fields);
    }
    parts
}

impl<'f> FormPage<'f> {
    fn of(field: &'f Field) -> Self {
        Self { fields: vec![field], ..Self::default() }
    }

    fn has_question(&self) -> bool {
        let mut fields = self.fields.iter();
        fields.any(|field| field.kind.has_value() && field.kind.computed().is_none())
    }
}

/// The page of a field; the first for one that is on none.
pub fn page_of(parts: &[FormPage], api_code: &str) -> usize {
    parts.iter().position(|part| part.fields.iter().any(|field| field.api_code == api_code)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::base::issue::Issues;
    use crate::fields::definition::Definition;
    use crate::fields::kind::Cx;

    fn split_codes(layout: Layout, types: &[&str]) -> Vec<String> {
        let fields: Vec<_> = types
            .iter()
            .map(|kind| json!({"type": kind, "label": "L", "content": "<p>x</p>", "expression": "1 + 1", "result_type": "number"}))
            .collect();
        let mut at = Issues::new();
        let definition = Definition::create(json!(fields), &Cx::of_a_test(false), &mut at);
        let parts = split(&definition.fields, layout);
        let codes = |part: &FormPage| {
            let codes = part.fields.iter().map(|f| f.api_code.trim_start_matches("field_"));
            codes.collect::<Vec<_>>().join("+")
        };
        parts.iter().map(codes).collect()
    }

    #[test]
    fn cards_hold_a_question_and_what_is_said_before_it() {
        let (text, say, stop, sum) = ("short_text", "description", "page_break", "formula");
        for (types, cards, pages) in [
            (vec![text, text], vec!["1", "2"], vec!["1+2"]),
            (vec![say, text, say, say, text], vec!["1+2", "3+4+5"], vec!["1+2+3+4+5"]),
            (vec![text, text, say], vec!["1", "2+3"], vec!["1+2+3"]),
            (vec![say, stop, text, stop, text], vec!["1", "3", "5"], vec!["1", "3", "5"]),
            (vec![stop, text, stop, stop, text, stop], vec!["2", "5"], vec!["2", "5"]),
            (vec![text, text, say, stop], vec!["1", "2+3"], vec!["1+2+3"]),
            (vec![text, stop, say], vec!["1", "3"], vec!["1", "3"]),
            (vec![text, sum, text], vec!["1+2", "3"], vec!["1+2+3"]),
            (vec![sum, text, say, sum, text, sum], vec!["1+2", "3+4+5+6"], vec!["1+2+3+4+5+6"]),
            (vec![text, stop, sum], vec!["1", "3"], vec!["1", "3"]),
            (vec![text, say, sum], vec!["1+2+3"], vec!["1+2+3"]),
            (vec![say], vec!["1"], vec!["1"]),
            (vec![], vec![""], vec![""]),
        ] {
            assert_eq!(split_codes(Layout::Card, &types), cards, "{types:?}");
            assert_eq!(split_codes(Layout::Pages, &types), pages, "{types:?}");
        }
    }
}
