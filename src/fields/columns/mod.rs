//! Values in spreadsheets: the columns of a value, their cells, and back. Reading the cells of a value gives the same
//! value. Nothing here knows a file format; [`form`] has a whole form's columns, [`fill`] writes rows, [`header`] reads
//! rows of other origin, [`room`] bounds the length of cells.

pub mod fill;
pub mod form;
pub mod header;
#[cfg(test)]
mod label_tests;
pub mod mapping;
pub mod room;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde_json::{Number, json};

use crate::base::json::{Json, digits};
use crate::base::text::{self, identity};
use crate::fields::display::local_number;

/// A column of a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// Suffix to the field's api_code: `.city`; empty if the column is the whole field.
    pub code: String,
    /// The part's label; empty if the column is the whole field.
    pub label: String,
}

impl Column {
    /// The whole field.
    pub fn whole() -> Self {
        Self::default()
    }

    /// A part of the field, by its code.
    pub fn part(code: &str, label: impl Into<String>) -> Self {
        Self { code: format!(".{code}"), label: label.into() }
    }

    /// The same column as part of an outer value.
    pub fn within(self, code: &str, label: &str) -> Self {
        Self { code: format!(".{code}{}", self.code), label: labels(label, &self.label) }
    }
}

/// Joins a label and that of a part.
pub fn labels(outer: &str, inner: &str) -> String {
    if inner.is_empty() { outer.to_owned() } else { format!("{outer} · {inner}") }
}

/// The content of a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cell {
    #[default]
    Blank,
    Number(Number),
    Text(String),
    /// A date, a time of day, or both: `2026-11`, `2026-11-20`, `2026-11-20 16:08`, `16:08`, each also with seconds.
    Date(String),
}

impl Cell {
    /// A text, or a blank cell if that is empty.
    pub fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        if text.is_empty() { Self::Blank } else { Self::Text(text) }
    }

    /// A date or a time, or a blank cell if there is none.
    pub fn date(text: impl Into<String>) -> Self {
        let text = text.into();
        if text.is_empty() { Self::Blank } else { Self::Date(text) }
    }

    /// A stored value: numbers and strings as they are, others as the result of `text`.
    pub fn of(stored: &Json, text: impl FnOnce() -> String) -> Self {
        match stored {
            Json::Null => Self::Blank,
            Json::Number(number) => Self::Number(number.clone()),
            Json::String(own) => Self::text(own.as_str()),
            _ => Self::text(text()),
        }
    }

    pub fn into_text(self) -> String {
        match self {
            Self::Blank => String::new(),
            Self::Number(number) => digits::plain(&number.to_string()).into_owned(),
            Self::Text(text) | Self::Date(text) => text,
        }
    }
}

/// A cell without the blanks around its text, no-break ones included.
pub fn trimmed(cell: &str) -> &str {
    cell.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}

/// A number typed into a cell, in plain digits or as the locale writes it; text that is not a number, or one that no
/// double keeps, is passed on, so that parsing reports it.
pub fn number(cell: &str, locale: &str) -> Json {
    let typed = cell.trim();
    if let Ok(whole) = typed.parse::<i64>() {
        return json!(whole);
    }
    let looks_so = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
    match typed.parse::<f64>() {
        Ok(value) if typed.chars().all(looks_so) && digits::is_kept(typed) => json!(value),
        _ => local_number::of_sheet(typed, locale),
    }
}

/// Several values in one cell, separated by commas: `Tea, "Milk, cold"`. Values with a comma, a quote, a line break or
/// blanks at their ends are quoted as in CSV.
pub fn list<S: AsRef<str>>(items: impl IntoIterator<Item = S>) -> Cell {
    let shown: Vec<String> = items.into_iter().map(|item| beside(item.as_ref())).collect();
    Cell::text(shown.join(", "))
}

fn beside(item: &str) -> String {
    let needs = item.contains([',', '"', '\n']) || item.trim() != item || item.is_empty();
    if needs { quoted(item) } else { item.to_owned() }
}

fn quoted(item: &str) -> String {
    format!("\"{}\"", item.replace('"', "\"\""))
}

/// The values of a comma-separated cell; empty ones are dropped.
pub fn items(cell: &str) -> Vec<String> {
    split(cell, ',')
        .into_iter()
        .filter(|(item, is_quoted)| *is_quoted || !item.trim().is_empty())
        .map(|(item, is_quoted)| if is_quoted { item } else { item.trim().to_owned() })
        .collect()
}

/// The rows of one column in one cell, one per line. A row with a line break or with a quote at its start is quoted as
/// in CSV. A single row stays a number or a date if it is one.
pub fn stack(rows: Vec<Cell>) -> Cell {
    if rows.iter().all(|row| *row == Cell::Blank) {
        return Cell::Blank;
    }
    if let [cell @ (Cell::Number(_) | Cell::Date(_))] = &rows[..] {
        return cell.clone();
    }
    let lines = rows.into_iter().map(|row| {
        let text = row.into_text();
        if text.contains('\n') || text.starts_with('"') { quoted(&text) } else { text }
    });
    Cell::Text(lines.collect::<Vec<_>>().join("\n"))
}

/// The rows of several columns, one cell for each column.
pub fn stacks(columns: usize, rows: impl Iterator<Item = Vec<Cell>>) -> Vec<Cell> {
    let mut stacked: Vec<Vec<Cell>> = vec![Vec::new(); columns];
    for row in rows {
        for (column, cell) in stacked.iter_mut().zip(row) {
            column.push(cell);
        }
    }
    stacked.into_iter().map(stack).collect()
}

/// The lines of a cell; none if it is empty.
pub fn rows(cell: &str) -> Vec<String> {
    if cell.is_empty() {
        return Vec::new();
    }
    split(cell, '\n').into_iter().map(|(row, _)| row).collect()
}

/// The rows of several columns; each has as many cells as there are columns.
pub fn unstack(cells: &[&str]) -> Vec<Vec<String>> {
    let columns: Vec<Vec<String>> = cells.iter().map(|cell| rows(cell)).collect();
    let count = columns.iter().map(Vec::len).max().unwrap_or_default();
    (0..count)
        .map(|row| {
            let cell = |column: &Vec<String>| column.get(row).cloned().unwrap_or_default();
            columns.iter().map(cell).collect()
        })
        .collect()
}

/// The rows of several columns without blank ones.
pub fn filled_rows(cells: &[&str]) -> impl Iterator<Item = Vec<String>> {
    let rows = unstack(cells).into_iter();
    rows.filter(|row| !row.iter().all(|cell| text::is_blank(cell)))
}

/// Splits at separators; each part with whether it was quoted.
fn split(cell: &str, separator: char) -> Vec<(String, bool)> {
    let mut out = Vec::new();
    let mut rest = cell;
    loop {
        let (part, is_quoted, after) = first(rest, separator);
        out.push((part, is_quoted));
        match after {
            Some(after) => rest = after,
            None => return out,
        }
    }
}

/// The first part, whether it was quoted, and the text after its separator.
fn first(text: &str, separator: char) -> (String, bool, Option<&str>) {
    let begin = if separator == '\n' { text } else { text.trim_start() };
    if let Some(inner) = begin.strip_prefix('"')
        && let Some((part, rest)) = unquoted(inner)
    {
        let rest = if separator == '\n' { rest } else { rest.trim_start() };
        if rest.is_empty() {
            return (part, true, None);
        }
        if let Some(after) = rest.strip_prefix(separator) {
            return (part, true, Some(after));
        }
    }
    // Quotes that don't follow the rules above are ordinary characters.
    match text.split_once(separator) {
        Some((part, after)) => (part.to_owned(), false, Some(after)),
        None => (text.to_owned(), false, None),
    }
}

/// The text before the closing quote, and the text after it.
fn unquoted(inner: &str) -> Option<(String, &str)> {
    let mut part = String::new();
    let mut rest = inner;
    loop {
        let (before, after) = rest.split_once('"')?;
        part.push_str(before);
        match after.strip_prefix('"') {
            Some(more) => {
                part.push('"');
                rest = more;
            }
            None => return Some((part, after)),
        }
    }
}

/// The text of a cell for a code: the label if [`meant`] finds the code by it, with surrounding blanks and without;
/// otherwise the code itself.
pub fn word<'a>(named: impl Iterator<Item = (&'a str, &'a str)> + Clone, code: &'a str) -> &'a str {
    let Some((_, label)) = named.clone().find(|(known, _)| *known == code) else {
        return code;
    };
    let is_found = |typed: &str| meant(named.clone(), typed) == Some(code);
    let trimmed = label.trim();
    if !text::is_blank(label) && is_found(label) && (trimmed == label || is_found(trimmed)) { label } else { code }
}

/// Finds a code by the code, by its label, or by a label that is the same to people. `None` if nothing matches or the
/// match is ambiguous.
pub fn meant<'a>(named: impl Iterator<Item = (&'a str, &'a str)> + Clone, typed: &str) -> Option<&'a str> {
    fn only<'a>(mut found: impl Iterator<Item = (&'a str, &'a str)>) -> Option<&'a str> {
        let (code, _) = found.next()?;
        found.next().is_none().then_some(code)
    }
    let coded = named.clone().find(|(code, _)| *code == typed);
    if let Some((code, _)) = coded {
        return Some(code);
    }
    if let Some(code) = only(named.clone().filter(|(_, label)| *label == typed)) {
        return Some(code);
    }
    let same = identity::of_text(typed);
    only(named.filter(|(code, label)| *code == typed.trim() || identity::of_text(label) == same))
}

/// Whether a spreadsheet would run a text as a formula, or interpret its first character (S56).
fn is_risky(text: &str) -> bool {
    text.starts_with(['\t', '\r', '\n', '\''])
        || text
            .trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
            .starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
}

/// Marks a text as text for spreadsheets in an untyped file: prefixed with `'` if it needs that (S56).
pub fn guarded(text: &str) -> Cow<'_, str> {
    // A fast path for most texts.
    let is_plain = text.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric);
    if !is_plain && is_risky(text) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

/// Removes the `'` of [`guarded`].
pub fn unguarded(text: &str) -> &str {
    match text.strip_prefix('\'') {
        Some(rest) if is_risky(rest) => rest,
        _ => text,
    }
}
