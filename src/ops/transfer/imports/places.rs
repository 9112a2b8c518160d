//! The places of faults in a file, as people find them who have it open in a spreadsheet: `line 3, Email`.

use crate::base::issue::Issue;
use crate::base::text::phrase::Phrase;
use crate::fields::Fields;
use crate::fields::columns::header::{Meaning, Reading};

/// A fault of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowFault {
    /// The row as a spreadsheet counts; none of a fault of the file.
    pub row: Option<usize>,
    /// The column's name in the file, or the label of the question that has no column.
    pub column: Option<String>,
    /// The cell; none where there is no column.
    pub value: Option<String>,
    /// The reason, to be read after the column.
    pub words: Phrase,
    /// The whole fault as a sentence.
    pub line: String,
}

/// The lines and columns of a file.
#[derive(Default)]
pub struct Places {
    /// The line of the header.
    header: usize,
    /// The offsets of line numbers: from a row below the header on, its line is so many behind its place.
    offsets: Vec<(usize, usize)>,
    /// The labels of columns and fields, by their names in the API.
    names: Vec<(String, String)>,
}

impl Places {
    /// Notes the header: columns are called as it does, and fields without a column by their labels.
    pub fn header(&mut self, line: usize, reading: &Reading, fields: &Fields) {
        self.header = line;
        self.row(0, line + 1);
        let columns = reading.columns().iter().filter_map(|column| match &column.meaning {
            Meaning::Read(_, code) => Some((code.clone(), column.name.clone())),
            _ => None,
        });
        self.names = columns.collect();
        self.names.extend(fields.iter().map(|field| (field.api_code.clone(), field.label.clone())));
    }

    /// Notes a row below the header, by its place and its line.
    pub fn row(&mut self, place: usize, line: usize) {
        let offset = line.saturating_sub(place);
        if self.offsets.last().is_none_or(|(_, last)| *last != offset) {
            self.offsets.push((place, offset));
        }
    }

    /// A fault or a warning as a sentence.
    pub fn text(&self, issue: &Issue) -> String {
        self.fault(issue).line
    }

    /// A fault with its row and column, without its cell.
    pub fn fault(&self, issue: &Issue) -> RowFault {
        let message = issue.message();
        let (row, column) = self.place(&issue.attribute);
        let line = match (row, &column) {
            (Some(row), Some(column)) => format!("line {row}, {column}: {message}"),
            (Some(row), None) => format!("line {row}: {message}"),
            (None, _) => format!("{}: {message}", issue.attribute),
        };
        RowFault { row, column, value: None, words: issue.reason.phrase(), line }
    }

    /// The row and the column of a path such as `rows[3].field_2`.
    fn place(&self, path: &str) -> (Option<usize>, Option<String>) {
        let Some((list, rest)) = path.split_once('[') else {
            return (None, None);
        };
        let (index, rest) = rest.split_once(']').unwrap_or((rest, ""));
        match (list, index.parse().ok()) {
            ("header", _) => (Some(self.header), None),
            ("rows", Some(place)) => {
                (Some(self.line(place)), self.name(rest.trim_start_matches('.')).map(str::to_owned))
            }
            _ => (None, None),
        }
    }

    fn line(&self, place: usize) -> usize {
        let before = self.offsets.partition_point(|(from, _)| *from <= place);
        let offset = before.checked_sub(1).and_then(|at| self.offsets.get(at));
        place + offset.map_or(0, |(_, offset)| *offset)
    }

    /// The column at a path such as `field_3.number`, or the nearest one around it.
    fn name(&self, path: &str) -> Option<&str> {
        let mut path: String = without_indexes(path);
        while !path.is_empty() {
            if let Some((_, name)) = self.names.iter().find(|(code, _)| *code == path) {
                return Some(name);
            }
            path.truncate(path.rfind('.').unwrap_or_default());
        }
        None
    }
}

/// `field_3.number` of `field_3[1].number`: the rows of an answer share its columns.
fn without_indexes(path: &str) -> String {
    let mut is_index = false;
    let kept = path.chars().filter(|c| {
        is_index = (is_index || *c == '[') && *c != ']';
        !is_index && *c != ']'
    });
    kept.collect()
}
