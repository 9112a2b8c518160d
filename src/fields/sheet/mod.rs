//! Values as a spreadsheet has them: which columns a value fills, what stands in their cells, and back.
//! Whatever is written into cells is read from them as the same value. Nothing here knows a file format;
//! [`form`] is a whole form's columns, [`fill`] fills their rows, [`header`] reads what somebody else put
//! into them; [`room`] is what they have room for.

pub mod fill;
pub mod form;
pub mod header;
#[cfg(test)]
mod label_tests;
pub mod room;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde_json::{Number, json};

use crate::base::json::Json;
use crate::base::text;

/// A column that a field has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// What comes behind the field's api_code: `.city`; empty where the column is the whole field.
    pub code: String,
    /// What people call the part; empty where the column is the whole field.
    pub label: String,
}

impl Column {
    /// The whole field.
    pub fn whole() -> Self {
        Self::default()
    }

    /// A part of the field, by its own code.
    pub fn part(code: &str, label: impl Into<String>) -> Self {
        Self {
            code: format!(".{code}"),
            label: label.into(),
        }
    }

    /// The same, seen from one level further out.
    pub fn within(self, code: &str, label: &str) -> Self {
        Self {
            code: format!(".{code}{}", self.code),
            label: labels(label, &self.label),
        }
    }
}

/// A label and that of a part.
pub fn labels(outer: &str, inner: &str) -> String {
    if inner.is_empty() {
        outer.to_owned()
    } else {
        format!("{outer} · {inner}")
    }
}

/// What stands in a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cell {
    /// Nothing.
    #[default]
    Blank,
    /// A number.
    Number(Number),
    /// Text.
    Text(String),
}

impl Cell {
    /// Text, or nothing.
    pub fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        if text.is_empty() {
            Self::Blank
        } else {
            Self::Text(text)
        }
    }

    /// A stored value: a number as one, a string as it is, of others what `text` says.
    pub fn of(stored: &Json, text: impl FnOnce() -> String) -> Self {
        match stored {
            Json::Null => Self::Blank,
            Json::Number(number) => Self::Number(number.clone()),
            Json::String(own) => Self::text(own.as_str()),
            _ => Self::text(text()),
        }
    }

    /// As text.
    pub fn into_text(self) -> String {
        match self {
            Self::Blank => String::new(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text,
        }
    }
}

/// A number that was typed into a cell; text that is none stays text, so that parsing says what is wrong.
pub fn number(cell: &str) -> Json {
    let typed = cell.trim();
    if let Ok(whole) = typed.parse::<i64>() {
        return json!(whole);
    }
    let looks_so = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
    match typed.parse::<f64>() {
        Ok(value) if value.is_finite() && typed.chars().all(looks_so) => json!(value),
        _ => json!(cell),
    }
}

/// Several values in one cell, side by side: `Tea, "Milk, cold"`. Those with a comma, a quote, a line
/// break or blanks at their ends stand in quotes, as in a CSV file.
pub fn list<S: AsRef<str>>(items: impl IntoIterator<Item = S>) -> Cell {
    let shown: Vec<String> = items
        .into_iter()
        .map(|item| beside(item.as_ref()))
        .collect();
    Cell::text(shown.join(", "))
}

fn beside(item: &str) -> String {
    let needs = item.contains([',', '"', '\n']) || item.trim() != item || item.is_empty();
    if needs { quoted(item) } else { item.to_owned() }
}

fn quoted(item: &str) -> String {
    format!("\"{}\"", item.replace('"', "\"\""))
}

/// What stands side by side in a cell; what was left empty between two commas is left out.
pub fn items(cell: &str) -> Vec<String> {
    split(cell, ',')
        .into_iter()
        .filter(|(item, is_quoted)| *is_quoted || !item.trim().is_empty())
        .map(|(item, is_quoted)| {
            if is_quoted {
                item
            } else {
                item.trim().to_owned()
            }
        })
        .collect()
}

/// The rows of one column in one cell, a line each. A row with a line break or with a quote at its
/// beginning stands in quotes, as in a CSV file. One row alone stays a number where it is one.
pub fn stack(rows: Vec<Cell>) -> Cell {
    if rows.iter().all(|row| *row == Cell::Blank) {
        return Cell::Blank;
    }
    if let [Cell::Number(number)] = &rows[..] {
        return Cell::Number(number.clone());
    }
    let lines = rows.into_iter().map(|row| {
        let text = row.into_text();
        if text.contains('\n') || text.starts_with('"') {
            quoted(&text)
        } else {
            text
        }
    });
    Cell::Text(lines.collect::<Vec<_>>().join("\n"))
}

/// The rows of several columns, each column in one cell.
pub fn stacks(columns: usize, rows: impl Iterator<Item = Vec<Cell>>) -> Vec<Cell> {
    let mut stacked: Vec<Vec<Cell>> = vec![Vec::new(); columns];
    for row in rows {
        for (column, cell) in stacked.iter_mut().zip(row) {
            column.push(cell);
        }
    }
    stacked.into_iter().map(stack).collect()
}

/// The rows that stand in a cell, a line each; none in an empty one.
pub fn rows(cell: &str) -> Vec<String> {
    if cell.is_empty() {
        return Vec::new();
    }
    split(cell, '\n').into_iter().map(|(row, _)| row).collect()
}

/// The rows of several columns: each has as many cells as there are columns.
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

/// Parts between separators, each with whether it stood in quotes.
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

/// The first part, whether it stood in quotes, and what comes behind its separator.
fn first(text: &str, separator: char) -> (String, bool, Option<&str>) {
    let begin = if separator == '\n' {
        text
    } else {
        text.trim_start()
    };
    if let Some(inner) = begin.strip_prefix('"')
        && let Some((part, rest)) = unquoted(inner)
    {
        let rest = if separator == '\n' {
            rest
        } else {
            rest.trim_start()
        };
        if rest.is_empty() {
            return (part, true, None);
        }
        if let Some(after) = rest.strip_prefix(separator) {
            return (part, true, Some(after));
        }
    }
    // Quotes that were not put there by the rules above are characters like others.
    match text.split_once(separator) {
        Some((part, after)) => (part.to_owned(), false, Some(after)),
        None => (text.to_owned(), false, None),
    }
}

/// What stands before the closing quote, and what comes behind it.
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

/// What a cell says for the thing of a code: its label where [`meant`] finds the thing by it, with blanks around it
/// and without; else the code.
pub fn word<'a>(named: impl Iterator<Item = (&'a str, &'a str)> + Clone, code: &'a str) -> &'a str {
    let Some((_, label)) = named.clone().find(|(known, _)| *known == code) else {
        return code;
    };
    let is_found = |typed: &str| meant(named.clone(), typed) == Some(code);
    let trimmed = label.trim();
    if !text::is_blank(label) && is_found(label) && (trimmed == label || is_found(trimmed)) {
        label
    } else {
        code
    }
}

/// The code of what somebody means: by its code, by its label, or by a label that differs in case and
/// width alone. None where nothing is called so, or several things are.
pub fn meant<'a>(
    named: impl Iterator<Item = (&'a str, &'a str)> + Clone,
    typed: &str,
) -> Option<&'a str> {
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
    let folded = text::fold(typed.trim());
    only(named.filter(|(code, label)| *code == typed.trim() || text::fold(label.trim()) == folded))
}

/// Whether a spreadsheet would run a text as a formula, or take its beginning for more than text (S56).
fn is_risky(text: &str) -> bool {
    text.starts_with(['\t', '\r', '\n', '\''])
        || text
            .trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
            .starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
}

/// Text that a spreadsheet takes for text in a file without types: behind a `'` where it needs one (S56).
pub fn guarded(text: &str) -> Cow<'_, str> {
    // Most texts begin so, and need no closer look.
    let is_plain = text
        .as_bytes()
        .first()
        .is_some_and(u8::is_ascii_alphanumeric);
    if !is_plain && is_risky(text) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Takes the `'` of [`guarded`] away.
pub fn unguarded(text: &str) -> &str {
    match text.strip_prefix('\'') {
        Some(rest) if is_risky(rest) => rest,
        _ => text,
    }
}
