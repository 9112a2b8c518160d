//! The name on a certificate: the first name in its text. It has a line of its own, and a check of the verification
//! code shows it masked.

use crate::fields::Field;
use crate::fields::kinds::PERSON;
use crate::fields::texts::placeholders::{self, Placed};
use crate::query::form_cache::ParsedForm;

/// Position of the name in the text of a certificate.
pub struct NameLine<'p> {
    pub field: &'p Field,
    place: Placed<'p>,
}

/// Characters that end a sentence after the name: on the line below they would stand alone.
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
