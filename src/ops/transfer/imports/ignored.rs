//! The parts that an import ignores: columns that no question reads, and sheets behind the first one. Each is reported.

use std::collections::BTreeSet;

use crate::base::issue::{Issue, Issues};
use crate::base::reason::Reason;
use crate::fields::columns::header::{Column, Meaning};
use crate::ops::transfer::exports::xlsx::column_name;

/// Warnings, or faults if the file is refused for them. `nameless` are the columns without a name that have cells.
pub fn warnings(
    columns: &[Column],
    nameless: &BTreeSet<usize>,
    other_sheets: &[String],
    is_strict: bool,
) -> Vec<Issue> {
    let count = columns.len().max(nameless.last().map_or(0, |last| last + 1));
    let mut at = Issues::new();
    for i in 0..count {
        let name = columns.get(i).map_or("", |column| column.name.as_str());
        let (why, remedy) = match columns.get(i).map_or(&Meaning::Nameless, |column| &column.meaning) {
            Meaning::Read(..) | Meaning::LeftOut => continue,
            Meaning::Nameless if !nameless.contains(&i) => continue,
            Meaning::Nameless => (format!("column {} has cells but no name", column_name(i)), "name"),
            Meaning::Unknown => (format!("{name:?} names no field of this form"), "rename"),
            Meaning::Set => (format!("{name:?} is set by the service"), ""),
            Meaning::Unwritten => (format!("{name:?} can't be imported"), ""),
        };
        let message = match (is_strict, remedy) {
            (false, _) => format!("{why} and is ignored"),
            (true, "") => format!("{why}: remove the column"),
            (true, remedy) => format!("{why}: {remedy} or remove the column"),
        };
        at.key("header", |at| at.index(i, |at| at.push(Reason::other(message))));
    }
    for name in other_sheets {
        let why = format!("has another sheet, {name:?}");
        let message = match is_strict {
            false => format!("{why}, which is ignored: only the first one is read"),
            true => format!("{why}: remove it, or import it as a file of its own"),
        };
        at.push_at("file", Reason::other(message));
    }
    at.into_list()
}
