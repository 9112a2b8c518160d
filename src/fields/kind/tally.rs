//! What a report counts of the answers to one question.

use serde_json::Map;

use crate::base::json::Json;
use crate::fields::kind::{Cx, Kind};

/// Own keys of a report, or their schemas.
pub type Members = Map<String, Json>;

/// One answer: a stored value as today's definition understands it, never blank.
pub struct Answer<'v> {
    /// Whose it is.
    pub serial: i64,
    /// The value.
    pub stored: &'v Json,
    /// The kind that it is a value of.
    pub kind: &'v dyn Kind,
    /// The form and the moment.
    pub cx: &'v Cx<'v>,
}

/// Counts the answers to one question. The newest come first.
pub trait Tally {
    /// Counts an answer; says whether it is one, which is not so of a link that leads nowhere.
    fn add(&mut self, answer: &Answer) -> bool;

    /// Whether answers that are older than those it has would change nothing.
    fn is_full(&self) -> bool {
        false
    }

    /// What they come to.
    fn result(&self, cx: &Cx) -> Members;

    /// JSON Schemas of that, by key.
    fn schema(&self) -> Members;
}

/// How much a tally may show: less in a cell of a grid, of which there may be many.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Characters of a text.
    pub text: usize,
    /// Choices of one question; where it has more, only those most chosen are shown.
    pub choices: usize,
}

impl Room {
    /// Of a question of the form.
    pub const FIELD: Self = Self {
        text: 1_000,
        choices: usize::MAX,
    };
    /// Of a cell.
    pub const CELL: Self = Self {
        text: 200,
        choices: usize::MAX,
    };
    /// Of a cell of a grid that has very many.
    pub const SMALL_CELL: Self = Self {
        text: 200,
        choices: 20,
    };
}

/// Of whose answers nothing is said but how many there are.
pub struct Answered;

impl Tally for Answered {
    fn add(&mut self, _: &Answer) -> bool {
        true
    }

    fn is_full(&self) -> bool {
        true
    }

    fn result(&self, _: &Cx) -> Members {
        Members::new()
    }

    fn schema(&self) -> Members {
        Members::new()
    }
}
