//! XLSX as it is read: cell by cell, and only after it is known that it unpacks to no more than it may (S94).
//! Formulas are not evaluated: what they came to stands beside them.

use std::collections::HashSet;
use std::io::{Cursor, Read};

use calamine::{DataRef, ExcelDateTime, Reader as _, SheetType, SheetVisible, Xlsx, XlsxError};
use zip::ZipArchive;

use crate::base::error::{Error, Result};
use crate::base::panics;
use crate::base::reason::{Reason, Things};
use crate::ops::exports::xlsx::column_name;
use crate::ops::imports::table::{Limits, Rows, Take};
use crate::ops::imports::xlsx_guard;

/// Parts of the archive.
const MAX_PARTS: usize = 1_000;
/// Unpacked bytes of all parts.
const MAX_BYTES: u64 = 256 << 20;
/// Times what was sent, from so many bytes on.
const MAX_RATIO: u64 = 100;
const RATIO_FROM: u64 = 16 << 20;
/// Unpacked bytes of the texts that cells share, all of which are kept in memory.
const MAX_SHARED: u64 = 64 << 20;
/// Unpacked bytes of any other part that is kept in memory.
const MAX_SMALL: u64 = 8 << 20;

/// Whether the bytes begin as such a file does.
pub fn is_one(file: &[u8]) -> bool {
    file.starts_with(b"PK")
}

fn fault(reason: Reason) -> Error {
    Error::invalid("file", reason)
}

/// Reads the first sheet that is to be seen, row by row.
///
/// # Errors
/// 422 for what is no such file, or is beyond the limits; what the taker returns.
pub fn read(file: &[u8], limits: &Limits, take: Take) -> Result<()> {
    let has_open_formulas = check(file)?;
    let damaged = |e: XlsxError| {
        tracing::debug!("a workbook can't be read: {e}");
        fault(Reason::other("is not a workbook that can be read"))
    };
    let mut book: Xlsx<_> = guarded(|| Xlsx::new(Cursor::new(file))).map_err(damaged)?;
    let sheets = book.sheets_metadata().iter();
    let mut shown = sheets.filter(|sheet| sheet.visible == SheetVisible::Visible && sheet.typ == SheetType::WorkSheet);
    let name = shown.next().map(|sheet| sheet.name.clone());
    let name = name.ok_or_else(|| fault(Reason::other("has no sheet")))?;
    let mut formulas = HashSet::new();
    if has_open_formulas {
        let mut cells = guarded(|| book.worksheet_cells_reader(&name)).map_err(damaged)?;
        while let Some(cell) = guarded(|| cells.next_formula()).map_err(damaged)? {
            if !cell.get_value().is_empty() {
                formulas.insert(cell.get_position());
            }
        }
    }
    let mut cells = guarded(|| book.worksheet_cells_reader(&name)).map_err(damaged)?;
    let mut rows = Rows::new(limits, take);
    let mut row: Vec<String> = Vec::new();
    let mut number: Option<u32> = None;
    let mut header = 0;
    while let Some(cell) = guarded(|| cells.next_cell()).map_err(damaged)? {
        let (at, column) = cell.get_position();
        let column = usize::try_from(column).unwrap_or(usize::MAX);
        let found = cell.get_value();
        let value = text(found);
        if number != Some(at) {
            if let Some(before) = number {
                if at < before {
                    return Err(fault(Reason::other("has rows that are out of order")));
                }
                hand_on(&mut rows, &mut header, before, std::mem::take(&mut row))?;
            }
            number = Some(at);
        }
        if let DataRef::Error(error) = found {
            let place = match rows.has_header() {
                true => format!("rows[{}]", place_below(header, at)),
                false => "header".to_owned(),
            };
            let column = column_name(column);
            let message = format!("has the error {error} in column {column}: correct it, and save the file again");
            return Err(Error::invalid(place, Reason::other(message)));
        }
        if value.is_empty() {
            if formulas.contains(&(at, cell.get_position().1)) {
                return Err(fault(Reason::other(format!(
                    "has a formula in row {} that no program has computed: open the file in one, and save it there",
                    at.saturating_add(1)
                ))));
            }
            continue;
        }
        if column >= limits.columns {
            return Err(limits.too_wide());
        }
        if row.len() <= column {
            row.resize(column + 1, String::new());
        }
        row[column] = value;
    }
    if let Some(last) = number {
        hand_on(&mut rows, &mut header, last, row)?;
    }
    Ok(())
}

/// A cell may be said to stand where no sheet has one: the reader's sums overflow there, and it panics.
fn guarded<T>(read: impl FnOnce() -> Result<T, XlsxError>) -> Result<T, XlsxError> {
    let overflown = XlsxError::Unexpected("a place that no sheet has");
    panics::catch(read).unwrap_or(Err(overflown))
}

fn hand_on(rows: &mut Rows, header: &mut u32, number: u32, row: Vec<String>) -> Result<()> {
    if !rows.has_header() {
        *header = number;
    }
    rows.row(place_below(*header, number), row)
}

/// Which row below the header this one is.
fn place_below(header: u32, number: u32) -> usize {
    let place = number.saturating_sub(header).saturating_sub(1);
    usize::try_from(place).unwrap_or(usize::MAX)
}

/// What a cell says.
fn text(value: &DataRef) -> String {
    match value {
        DataRef::Empty => String::new(),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
        DataRef::Bool(true) => "TRUE".to_owned(),
        DataRef::Bool(false) => "FALSE".to_owned(),
        DataRef::DateTime(moment) => date(moment),
        DataRef::Error(_) => String::new(),
    }
}

/// A date, a time, or both, as people write them.
fn date(moment: &ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
    let (date, time) = (format!("{year:04}-{month:02}-{day:02}"), format!("{hour:02}:{minute:02}:{second:02}"));
    if moment.as_f64() < 1.0 {
        time
    } else if moment.as_f64().fract() == 0.0 {
        date
    } else {
        format!("{date} {time}")
    }
}

/// Unpacks all parts once, keeping nothing, so that what comes after meets no more than it may. Says whether a
/// sheet has a formula without what it came to.
fn check(file: &[u8]) -> Result<bool> {
    let damaged = |_| fault(Reason::other("is not a workbook that can be read"));
    let mut archive = ZipArchive::new(Cursor::new(file)).map_err(damaged)?;
    if archive.len() > MAX_PARTS {
        return Err(fault(Reason::too_many(MAX_PARTS, Things::Other("parts"))));
    }
    let sent = file.len() as u64;
    let mut left = MAX_BYTES.min(RATIO_FROM.max(sent.saturating_mul(MAX_RATIO)));
    let mut has_open_formulas = false;
    for i in 0..archive.len() {
        let mut part = archive.by_index(i).map_err(damaged)?;
        let name = part.name().map_err(damaged)?.to_ascii_lowercase();
        let is_text = name.ends_with(".xml") || name.ends_with(".rels");
        let mut begin = Vec::new();
        let read = (&mut part).take(4).read_to_end(&mut begin);
        read.map_err(|_| fault(Reason::other("is damaged")))?;
        let (own, has_cells) = if name.ends_with("sharedstrings.xml") {
            (MAX_SHARED, true)
        } else if is_text && !name.contains("worksheets/") {
            (MAX_SMALL, false)
        } else {
            // A sheet may be called as a picture is.
            (MAX_BYTES, is_text || is_markup(&begin))
        };
        let most = own.min(left);
        let mut part = begin.as_slice().chain(part).take(most);
        let outcome = if has_cells { xlsx_guard::walk(&mut part) } else { pass(&mut part, is_text).map(|()| false) };
        if part.limit() == 0 {
            return Err(fault(Reason::other("unpacks to more than it may")));
        }
        has_open_formulas |= outcome.map_err(|text| fault(Reason::other(text)))?;
        left -= most - part.limit();
    }
    Ok(has_open_formulas)
}

/// Reads a part to its end.
fn pass(part: &mut impl Read, is_text: bool) -> std::result::Result<(), &'static str> {
    let mut buffer = vec![0; 64 << 10];
    // Where a declaration begins may be in two pieces.
    let mut tail: Vec<u8> = Vec::new();
    loop {
        let count = part.read(&mut buffer).map_err(|_| "is damaged")?;
        if count == 0 {
            return Ok(());
        }
        if is_text {
            tail.extend_from_slice(&buffer[..count]);
            if declares(&tail) {
                return Err("declares a document type, which no workbook needs");
            }
            let keep = tail.len().saturating_sub(DECLARATION.len());
            tail.drain(..keep);
        }
    }
}

/// Whether a part may be XML, by how it begins: with a tag, blanks, or the mark of an encoding.
fn is_markup(begin: &[u8]) -> bool {
    matches!(begin, [b'<' | b' ' | b'\t' | b'\r' | b'\n' | 0, ..])
        || [&b"\xef\xbb\xbf"[..], b"\xff\xfe", b"\xfe\xff"].iter().any(|mark| begin.starts_with(mark))
}

const DECLARATION: &[u8] = b"<!DOCTYPE";

fn declares(text: &[u8]) -> bool {
    text.windows(DECLARATION.len()).any(|window| window.starts_with(b"<!") && window.eq_ignore_ascii_case(DECLARATION))
}
