//! A form's fields by pages: a page break ends one.

use crate::fields::kind::PageBreak;
use crate::fields::{Field, Fields};

/// The fields of one page, and the words that the breaks around it bring.
#[derive(Default)]
pub struct Part<'f> {
    /// In the form's order, none that is hidden.
    pub fields: Vec<&'f Field>,
    /// The break before it: its words lead back.
    pub before: Option<PageBreak<'f>>,
    /// The break after it: its words lead on.
    pub after: Option<PageBreak<'f>>,
}

/// The pages; at least one, and none without a field.
pub fn split(fields: &Fields) -> Vec<Part<'_>> {
    let mut parts = vec![Part::default()];
    for field in fields.iter().filter(|field| !field.hidden) {
        let Some(last) = parts.last_mut() else { break };
        match field.kind.page_break() {
            Some(_) if last.fields.is_empty() => {}
            Some(page_break) => {
                last.after = Some(page_break);
                parts.push(Part {
                    before: Some(page_break),
                    ..Part::default()
                });
            }
            None => last.fields.push(field),
        }
    }
    if parts.len() > 1 && parts.last().is_some_and(|last| last.fields.is_empty()) {
        parts.pop();
        if let Some(last) = parts.last_mut() {
            last.after = None;
        }
    }
    parts
}

/// The page of a field; the first for one that is on none.
pub fn page_of(parts: &[Part], api_code: &str) -> usize {
    parts
        .iter()
        .position(|part| part.fields.iter().any(|field| field.api_code == api_code))
        .unwrap_or_default()
}
