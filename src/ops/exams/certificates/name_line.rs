//! The name on a certificate: the first name that its text tells. It stands on a line of its own, and whoever checks the
//! verification code is shown it masked.

use crate::fields::Field;
use crate::fields::kinds::PERSON;
use crate::fields::texts::placeholders::{self, Placed};
use crate::query::form_cache::ParsedForm;

/// Where the name stands in the text of a certificate.
pub struct NameLine<'p> {
    pub field: &'p Field,
    place: Placed<'p>,
}

/// What ends a sentence behind the name: on the line below it would stand alone.
const ENDS: [char; 9] = ['.', ',', ';', ':', '!', '。', '，', '；', '：'];

impl<'p> NameLine<'p> {
    /// `None` where the text tells no name.
    pub fn of(parsed: &'p ParsedForm, body: &'p str) -> Option<Self> {
        let field = |code: &str| {
            let field = parsed.definition.fields.get(code)?;
            (field.row.name == PERSON && !field.hidden).then_some(field)
        };
        let place = placeholders::first(body, |code| field(code).is_some())?;
        Some(Self { field: field(place.code)?, place })
    }

    /// The text before the name and behind it, unless the name is part of a word.
    pub fn around(&self) -> Option<(&'p str, &'p str)> {
        let Placed { before, after, .. } = self.place;
        let joins = |next: Option<char>| {
            next.is_some_and(|next| next.is_ascii_alphanumeric() || matches!(next, '\'' | '’' | '-' | '_'))
        };
        let is_apart = !joins(before.chars().next_back()) && !joins(after.chars().next());
        is_apart.then(|| (before.trim_end(), after.trim_start_matches(ENDS).trim_start()))
    }
}
