//! Properties that hold for every file: the output of an export is read back unchanged, and any other file is read or
//! refused.

use proptest::prelude::*;
use proptest::sample::Index;

use crate::base::cases::cases;
use crate::base::error::{Error, Result};
use crate::fields::columns::Cell;
use crate::fields::columns::fill::Cells as _;
use crate::ops::transfer::exports;
use crate::ops::transfer::imports::table::{Limits, Take};
use crate::ops::transfer::imports::{csv, xlsx};

const COLUMNS: usize = 3;

const LIMITS: Limits = Limits { rows: 20, columns: 10 };

/// The rows, the header first, each with all of its cells.
fn rows(read: impl FnOnce(Take) -> Result<()>) -> Result<Vec<Vec<String>>> {
    let mut out = Vec::new();
    read(&mut |_, row| {
        let mut cells = row.cells;
        cells.resize(cells.len().max(COLUMNS), String::new());
        out.push(cells);
        Ok(())
    })?;
    Ok(out)
}

/// A table with a word in each row: rows without one are passed over.
fn table() -> impl Strategy<Value = Vec<Vec<String>>> {
    let cell = "[a0 \"',;=+\\-@<>&_x\\r\\n\\té＝\u{fffe}\u{7f}𝒳]{0,6}";
    let row = ("[a-z0-9'=\"]{1,5}", cell, cell).prop_map(|(first, second, third)| vec![first, second, third]);
    prop::collection::vec(row, 2..6)
}

/// How many of the names a table has.
fn known(table: &[Vec<String>], names: &[String]) -> usize {
    names.iter().filter(|name| table[0].contains(name)).count()
}

fn as_csv(table: &[Vec<String>]) -> Vec<u8> {
    let mut out = Vec::new();
    exports::csv::open(&table[0], &mut out);
    for row in &table[1..] {
        let mut line = exports::csv::Rows(&mut out);
        for text in row {
            line.cell(&Cell::text(text.as_str()), &mut String::new());
        }
        line.end_row();
    }
    out
}

fn as_xlsx(table: &[Vec<String>]) -> Vec<u8> {
    let mut book = exports::xlsx::Book::new(&table[0]);
    let mut out = Vec::new();
    let cells = |row: &Vec<String>| row.iter().map(|text| Cell::text(text.as_str())).collect();
    let rows: Vec<Vec<Cell>> = table[1..].iter().map(cells).collect();
    book.rows(&rows).expect("rows");
    book.close().expect("closes");
    book.take_written(&mut out);
    out
}

/// Whether a file was read or refused, with a reason.
fn is_told(outcome: &Result<Vec<Vec<String>>>) -> bool {
    matches!(outcome, Ok(_) | Err(Error::Invalid(_)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases().cases / 4, ..cases() })]

    #[test]
    fn what_was_written_is_read(table in table()) {
        let text = String::from_utf8(as_csv(&table)).expect("text");
        let read = rows(|take| csv::read(&text, &LIMITS, &|names| known(&table, names), take)).expect("rows");
        prop_assert_eq!(&read, &table);
        let read = rows(|take| xlsx::read(&as_xlsx(&table), &LIMITS, take).map(|_| ())).expect("rows");
        prop_assert_eq!(&read, &table);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(sep=[;,x]\n)?[a,;\t\"\n\r '=\u{feff}é]{0,60}") {
        let outcome = rows(|take| csv::read(&text, &LIMITS, &|_| 0, take));
        prop_assert!(is_told(&outcome), "{outcome:?}");
    }

    #[test]
    fn a_damaged_workbook_is_read_or_refused(
        table in table(),
        damage in prop::collection::vec((any::<Index>(), any::<u8>()), 0..8),
        end in any::<Index>(),
        is_cut in any::<bool>(),
    ) {
        let mut file = as_xlsx(&table);
        for (place, byte) in damage {
            let length = file.len();
            file[place.index(length)] = byte;
        }
        if is_cut {
            file.truncate(end.index(file.len()));
        }
        let outcome = rows(|take| xlsx::read(&file, &LIMITS, take).map(|_| ()));
        prop_assert!(is_told(&outcome), "{outcome:?}");
    }
}
