//! Exports as rows of cells.

use std::io::Cursor;

use calamine::{Data, Reader as _, Xlsx};

use crate::Response;

/// Rows of cells, the header first.
pub type Table = Vec<Vec<String>>;

/// The cells of a CSV file.
pub fn csv(answer: &Response) -> Table {
    assert_eq!(answer.status, 200, "{answer}");
    assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8");
    let text = answer.text.strip_prefix('\u{feff}').expect("a mark");
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    let rows = reader.records().map(|row| row.expect("a row"));
    rows.map(|row| row.iter().map(str::to_owned).collect()).collect()
}

/// The cells of a workbook's first sheet, as they would be typed: times as `16:08:00`, dates as `2026-11-20` and, with a
/// time, as `2026-11-20 16:08:00`.
pub fn xlsx(answer: &Response) -> Table {
    typed(answer, |number| number)
}

/// The same, with a mark before numbers.
pub fn xlsx_marked(answer: &Response) -> Table {
    typed(answer, |number| format!("#{number}"))
}

fn typed(answer: &Response, mark: fn(String) -> String) -> Table {
    const SECONDS_OF_A_DAY: f64 = 86_400.0;
    assert_eq!(answer.status, 200, "{answer}");
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(answer.bytes.clone())).expect("a workbook");
    let sheet = book.worksheet_range_at(0).expect("a sheet").expect("cells");
    let cell = |cell: &Data| match cell {
        Data::Empty => String::new(),
        Data::String(text) => text.clone(),
        Data::Float(number) => mark(number.to_string()),
        Data::Int(number) => mark(number.to_string()),
        Data::DateTime(at) => {
            let seconds = (at.as_f64() * SECONDS_OF_A_DAY).round() as i64;
            let begin = jiff::civil::date(1899, 12, 30).at(0, 0, 0, 0);
            let at = begin.checked_add(jiff::SignedDuration::from_secs(seconds)).expect("a date");
            let shape = match (at.date() == begin.date(), at.time() == jiff::civil::Time::midnight()) {
                (true, _) => "%H:%M:%S",
                (false, true) => "%Y-%m-%d",
                (false, false) => "%Y-%m-%d %H:%M:%S",
            };
            at.strftime(shape).to_string()
        }
        other => panic!("{other:?}"),
    };
    sheet.rows().map(|row| row.iter().map(cell).collect()).collect()
}
