//! The parts that an import ignores: columns that no question reads, and sheets behind the first one. Each is reported.

use std::collections::BTreeSet;

use crate::base::issue::{Issue, Issues};
use crate::base::reason::Reason;
use crate::base::text::phrase::phrase;
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
        let meaning = columns.get(i).map_or(&Meaning::Nameless, |column| &column.meaning);
        let why = match meaning {
            Meaning::Read(..) | Meaning::LeftOut => continue,
            Meaning::Nameless if !nameless.contains(&i) => continue,
            Meaning::Nameless => phrase!("column {} has cells but no name", column_name(i)),
            Meaning::Unknown => phrase!("{} names no field of this form", format!("{name:?}")),
            Meaning::Set => phrase!("{} is set by the service", format!("{name:?}")),
            Meaning::Unwritten => phrase!("{} can't be imported", format!("{name:?}")),
        };
        let message = match (is_strict, meaning) {
            (false, _) => phrase!("{} and is ignored", why),
            (true, Meaning::Nameless) => phrase!("{}: name or remove the column", why),
            (true, Meaning::Unknown) => phrase!("{}: rename or remove the column", why),
            (true, _) => phrase!("{}: remove the column", why),
        };
        at.key("header", |at| at.index(i, |at| at.push(Reason::other(message))));
    }
    for name in other_sheets {
        let name = format!("{name:?}");
        let message = match is_strict {
            false => phrase!("has another sheet, {}, which is ignored: only the first one is read", name),
            true => phrase!("has another sheet, {}: remove it, or import it as a file of its own", name),
        };
        at.push_at("file", Reason::other(message));
    }
    at.into_list()
}
