//! Counts of a report for the answers to one question.

use serde_json::Map;

use crate::base::json::Json;
use crate::fields::kind::{Cx, Kind};
use crate::fields::report::chart::Chart;

/// Own keys of a report, or their schemas.
pub type Members = Map<String, Json>;

/// One answer: a stored value pruned to the current definition, never blank.
pub struct Answer<'v> {
    /// The entry's serial number.
    pub serial: i64,
    /// The value.
    pub stored: &'v Json,
    /// The kind that it is a value of.
    pub kind: &'v dyn Kind,
    /// The form and the moment.
    pub cx: &'v Cx<'v>,
    /// How many entries have it: more than one only where [`Tally::only_counts`] it.
    pub times: u64,
}

/// Counts the answers to one question, newest first.
pub trait Tally {
    /// Counts an answer; false if it is none, such as a broken link.
    fn add(&mut self, answer: &Answer) -> bool;

    /// Whether all entries with this answer are the same to it: it tells neither their order nor their numbers.
    fn only_counts(&self, stored: &Json) -> bool {
        let _ = stored;
        false
    }

    /// Whether older answers would change nothing.
    fn is_full(&self) -> bool {
        false
    }

    /// The counts as members of the report.
    fn result(&self, cx: &Cx) -> Members;

    /// JSON Schemas of that, by key.
    fn schema(&self) -> Members;

    /// The chart that a page draws from the same numbers.
    fn chart(&self, cx: &Cx) -> Chart {
        let _ = cx;
        Chart::Nothing
    }
}

/// Limits of a tally's output: smaller in a cell of a grid, of which there may be many.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Characters of a text.
    pub text: usize,
    /// Choices of one question; of more, only the most chosen are shown.
    pub choices: usize,
}

impl Room {
    /// For a question of the form.
    pub const FIELD: Self = Self { text: 1_000, choices: usize::MAX };
    /// For a cell.
    pub const CELL: Self = Self { text: 200, choices: usize::MAX };
    /// For a cell of a grid that has very many.
    pub const SMALL_CELL: Self = Self { text: 200, choices: 20 };
}

/// Tally that reports nothing but the number of answers.
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
