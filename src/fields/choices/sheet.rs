//! Choices in a spreadsheet: labels in the field's own column, and one column for each choice that takes text.

use serde_json::{Map, json};

use crate::base::json::Json;
use crate::base::text;
use crate::fields::choices::Choice;
use crate::fields::choices::stored_selection::code_of;
use crate::fields::columns::{self, Cell, Column};

/// Codes and labels.
fn named(choices: &[Choice]) -> impl Iterator<Item = (&str, &str)> + Clone {
    choices.iter().map(|choice| (choice.api_code.as_str(), choice.label.as_str()))
}

/// The choices that take text.
fn with_text(choices: &[Choice]) -> impl Iterator<Item = (&Choice, &'static str)> {
    choices.iter().filter_map(|choice| Some((choice, choice.text_key()?)))
}

pub fn columns(choices: &[Choice]) -> Vec<Column> {
    let texts = with_text(choices).map(|(choice, _)| Column::part(&choice.api_code, &choice.label));
    std::iter::once(Column::whole()).chain(texts).collect()
}

/// The text of a cell for a choice.
pub fn word<'c>(choices: &'c [Choice], code: &'c str) -> &'c str {
    columns::word(named(choices), code)
}

/// The codes of choices in a comma-separated cell. A comma separates two choices if all parts are then known, as in an
/// export; otherwise it may belong to a label. Unknown choices stay as they are.
pub fn codes(choices: &[Choice], cell: &str) -> Vec<String> {
    let items = columns::items(cell);
    let known: Option<Vec<_>> = items.iter().map(|item| columns::meant(named(choices), item)).collect();
    match known.or_else(|| Some(vec![columns::meant(named(choices), cell)?])) {
        Some(codes) => codes.into_iter().map(str::to_owned).collect(),
        None => items
            .into_iter()
            .map(|item| columns::meant(named(choices), &item).map_or(item.clone(), str::to_owned))
            .collect(),
    }
}

/// The cells of one selection or several.
pub fn cells(choices: &[Choice], stored: &Json) -> Vec<Cell> {
    let (selections, own) = match stored {
        Json::Array(several) => {
            let words = several.iter().map(|selection| word(choices, code_of(selection)));
            (several.as_slice(), columns::list(words))
        }
        one => (std::slice::from_ref(one), Cell::text(word(choices, code_of(one)))),
    };
    let texts = with_text(choices).map(|(choice, key)| {
        let mut selections = selections.iter();
        let selection = selections.find(|selection| code_of(selection) == choice.api_code);
        let typed = selection.and_then(|selection| selection[key].as_str());
        Cell::text(typed.unwrap_or_default())
    });
    std::iter::once(own).chain(texts).collect()
}

/// One selection in the write shape.
pub fn one(choices: &[Choice], cells: &[&str]) -> Json {
    let own = cells.first().copied().unwrap_or_default();
    let mut texts = with_text(choices).zip(cells.iter().skip(1));
    let code = if text::is_blank(own) {
        // A typed text means that the "other" choice was chosen.
        let typed = texts.find(|(_, cell)| !text::is_blank(cell));
        typed.map(|((choice, _), _)| choice.api_code.as_str())
    } else {
        Some(columns::meant(named(choices), own).unwrap_or(own))
    };
    code.map_or(Json::Null, |code| selection(choices, code, cells))
}

/// Several selections in the write shape.
pub fn many(choices: &[Choice], cells: &[&str]) -> Json {
    let own = cells.first().copied().unwrap_or_default();
    let mut chosen = if text::is_blank(own) { Vec::new() } else { codes(choices, own) };
    let texts = with_text(choices).zip(cells.iter().skip(1));
    for ((choice, _), _) in texts.filter(|(_, cell)| !text::is_blank(cell)) {
        if !chosen.contains(&choice.api_code) {
            chosen.push(choice.api_code.clone());
        }
    }
    let selections = chosen.iter().map(|code| selection(choices, code, cells));
    selections.collect()
}

fn selection(choices: &[Choice], code: &str, cells: &[&str]) -> Json {
    let mut out = Map::new();
    out.insert("value".to_owned(), json!(code));
    let mut texts = with_text(choices).zip(cells.iter().skip(1));
    if let Some(((_, key), cell)) = texts.find(|((choice, _), _)| choice.api_code == code) {
        out.insert(key.to_owned(), json!(cell));
    }
    Json::Object(out)
}
