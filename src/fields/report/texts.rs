//! Texts: the newest ones.

use serde_json::json;

use crate::base::json::Json;
use crate::base::text;
use crate::fields::kind::Cx;
use crate::fields::kind::tally::{Answer, Members, Room, Tally};
use crate::fields::report::chart::Chart;
use crate::fields::report::{described, list, members};

/// Maximum number of texts shown.
const MOST: usize = 10;

/// The newest texts.
pub struct Newest {
    room: usize,
    rows: Vec<(i64, String)>,
}

impl Newest {
    pub fn new(room: Room) -> Self {
        Self { room: room.text, rows: Vec::new() }
    }

    /// Keeps a text if it is one of the newest.
    pub fn add(&mut self, serial: i64, text: &str) {
        if !self.is_full() {
            self.rows.push((serial, self.cut(text)));
        }
    }

    fn cut(&self, text: &str) -> String {
        match text.char_indices().nth(self.room) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_owned(),
        }
    }

    /// Whether older texts would not be kept.
    pub fn is_full(&self) -> bool {
        self.rows.len() >= MOST
    }

    /// The numbers of entries and their texts, newest first.
    pub fn rows(&self) -> &[(i64, String)] {
        &self.rows
    }

    /// Newest first.
    pub fn to_json(&self) -> Json {
        let rows = self.rows.iter();
        rows.map(|(serial, text)| json!({"serial_number": serial, "value": text})).collect()
    }

    /// JSON Schema of [`Self::to_json`].
    pub fn schema(words: &str) -> Json {
        let mut schema =
            list([("serial_number", json!({"type": "integer", "minimum": 1})), ("value", json!({"type": "string"}))]);
        schema["maxItems"] = json!(MOST);
        described(schema, words)
    }
}

/// Tally of answers that are read one by one: shows the newest.
pub struct Texts(Newest);

impl Texts {
    pub fn new(room: Room) -> Self {
        Self(Newest::new(room))
    }
}

impl Tally for Texts {
    fn add(&mut self, answer: &Answer) -> bool {
        let told = answer.kind.text(answer.stored, answer.cx);
        if text::is_blank(&told) {
            return false;
        }
        self.0.add(answer.serial, &told);
        true
    }

    fn is_full(&self) -> bool {
        self.0.is_full()
    }

    fn result(&self, _: &Cx) -> Members {
        members([("newest", self.0.to_json())])
    }

    fn schema(&self) -> Members {
        let words = "The newest answers as text. Long ones are truncated.";
        members([("newest", Newest::schema(words))])
    }

    fn chart(&self, _: &Cx) -> Chart {
        Chart::Texts(self.0.rows().to_vec())
    }
}

/// Tally of files.
#[derive(Default)]
pub struct Files(u64);

impl Tally for Files {
    fn add(&mut self, answer: &Answer) -> bool {
        let files = answer.stored.as_array().map_or(0, Vec::len);
        self.0 += files as u64;
        files > 0
    }

    fn result(&self, _: &Cx) -> Members {
        members([("files", json!(self.0))])
    }

    fn schema(&self) -> Members {
        let files = described(crate::fields::report::count(), "The number of files.");
        members([("files", files)])
    }

    fn chart(&self, _: &Cx) -> Chart {
        Chart::Files(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_kept_and_long_ones_cut() {
        let mut newest = Newest::new(Room { text: 3, ..Room::FIELD });
        for serial in (1..=12).rev() {
            newest.add(serial, "äöüß");
        }
        let told = newest.to_json();
        assert_eq!(told.as_array().map(Vec::len), Some(10));
        assert_eq!(told[0], json!({"serial_number": 12, "value": "äöü…"}));
        assert_eq!(told[9]["serial_number"], 3);
        newest.rows.clear();
        newest.add(1, "äöü");
        assert_eq!(newest.to_json()[0]["value"], "äöü");
    }
}
