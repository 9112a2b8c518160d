//! Questions from the columns of a spreadsheet: a question gets the kind that reads all cells of its column.

use std::collections::BTreeSet;

use serde_json::Map;

use crate::base::issue::Issues;
use crate::base::text::is_blank;
use crate::fields::field::MAX_FIELDS;
use crate::fields::kind::{Cx, KindRow};
use crate::fields::kinds::KINDS;
use crate::fields::paste::{Proposal, Reading, built, is_plain, plain_row, question, takes_choices};

/// Maximum different texts of a column that are choices.
const MOST_CHOICES: usize = 12;
/// Maximum characters of such a text.
const LONGEST_CHOICE: usize = 60;
/// A text that no kind reads but those for texts.
const WORDS: &str = "neither a word nor a number, but a sentence";

/// A column of a spreadsheet.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub name: String,
    /// Its first cells, blank ones too.
    pub cells: Vec<String>,
}

/// A question for each column.
pub fn of_columns(columns: &[Column]) -> Reading {
    Reading {
        title: String::new(),
        proposals: columns.iter().take(MAX_FIELDS).map(of_column).collect(),
        left_out: columns.iter().skip(MAX_FIELDS).map(|column| column.name.clone()).collect(),
    }
}

fn of_column(column: &Column) -> Proposal {
    let mut proposal = question(&column.name);
    let cells: Vec<&str> = column.cells.iter().map(|cell| cell.trim()).filter(|cell| !is_blank(cell)).collect();
    if cells.is_empty()
        || (!takes_choices(proposal.kind) && !reads(proposal.kind, WORDS) && reads_all(proposal.kind, &cells))
    {
        return proposal;
    }
    let reading = KINDS.iter().copied().find(|row| is_plain(row) && !reads(row, WORDS) && reads_all(row, &cells));
    if let Some(row) = reading {
        return Proposal { kind: row, choices: Vec::new(), ..proposal };
    }
    let different: BTreeSet<&str> = cells.iter().copied().collect();
    let are_short = different.iter().all(|cell| cell.chars().count() <= LONGEST_CHOICE);
    if different.len() <= MOST_CHOICES && different.len() * 2 <= cells.len() && are_short {
        let choices = different.into_iter().map(str::to_owned).collect();
        let kind = if takes_choices(proposal.kind) { proposal.kind } else { plain_row(true) };
        return Proposal { kind, choices, ..proposal };
    }
    if !reads(proposal.kind, WORDS) {
        proposal = Proposal { kind: plain_row(false), choices: Vec::new(), ..proposal };
    }
    proposal
}

fn reads_all(row: &'static KindRow, cells: &[&str]) -> bool {
    cells.iter().all(|cell| reads(row, cell))
}

/// Whether a kind reads a cell.
fn reads(row: &'static KindRow, cell: &str) -> bool {
    let mut at = Issues::new();
    let kind = built(row, &Map::new(), &mut at);
    let cx = Cx::of_none();
    let value = kind.sheet_value(&[cell], &cx, &mut at);
    kind.parse(value, &cx, &mut at);
    at.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_decide_on_kinds() {
        let cases: [(&str, &[&str], &str, usize); 10] = [
            ("Name", &["Ada Lovelace", "Alan Turing"], "name", 0),
            ("Contact", &["ada@example.org", "alan@example.org"], "email", 0),
            ("Page", &["https://example.org"], "url", 0),
            ("How many", &["1", "2", "", "5"], "number", 0),
            ("Joined", &["2026-01-31", "2026-02-01"], "date", 0),
            ("Begins", &["18:00", "09:30"], "time", 0),
            ("Track", &["Letterpress", "Sourdough", "Letterpress", "Sourdough"], "radio", 2),
            ("Date", &["on Monday", "later"], "short_text", 0),
            ("Email", &[], "email", 0),
            ("Remarks", &["None.", "I come by bicycle, where can I leave it?"], "long_text", 0),
        ];
        for (name, cells, kind, choices) in cases {
            let column = Column { name: name.to_owned(), cells: cells.iter().map(|cell| (*cell).to_owned()).collect() };
            let reading = of_columns(&[column]);
            let proposal = &reading.proposals[0];
            assert_eq!((proposal.kind.name, proposal.choices.len()), (kind, choices), "{name}: {cells:?}");
        }
    }
}
