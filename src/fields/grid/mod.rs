//! Grids: shared by likert, matrix_rating, matrix and table. This file has the named rows and columns of a definition
//! and values by statement; [`cells`] has columns that are fields of their own, [`draw`] the markup.

pub mod cells;
mod dimensions;
pub mod draw;

use std::collections::HashSet;

use serde::Serialize;
use serde_json::{Map, json};

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Things};
use crate::fields::definition::items::item_code;
use crate::fields::kind::{BuildCx, Item};
use crate::fields::values::{is_blank, known_keys};

/// Maximum statements of a grid.
pub const MAX_STATEMENTS: usize = 100;
/// Maximum columns of a grid.
pub const MAX_DIMENSIONS: usize = 50;
/// Maximum controls on a page for one grid: each choice of each cell is one.
pub const MAX_CONTROLS: usize = 50_000;
const MAX_LABEL: usize = 500;

/// A row or column that has only a name.
#[derive(Debug, Serialize)]
pub struct Named {
    /// Its code in values.
    pub api_code: String,
    pub label: String,
}

/// The statement that a path inside the value begins with.
pub fn statement_at<'n>(statements: &'n [Named], path: &str) -> Option<&'n Named> {
    let code = path.strip_prefix('.')?.split(['.', '[']).next()?;
    statements.iter().find(|statement| statement.api_code == code)
}

/// Reads `statements` or plain `dimensions`, which are required. `seen` are the codes already used in the field.
pub fn read_named(
    reader: &mut Reader,
    list: &'static str,
    max: usize,
    cx: &BuildCx,
    seen: &mut HashSet<String>,
) -> Vec<Named> {
    if !reader.has(list) {
        reader.fault(list, Reason::Required);
        return Vec::new();
    }
    let Some(named) = reader
        .opt_objects(list, |item| Named { api_code: item_code(item, cx, seen), label: item.text("label", MAX_LABEL) })
    else {
        return Vec::new();
    };
    if named.is_empty() || named.len() > max {
        reader.fault(list, Reason::not_one_to(max, Things::Other(list)));
    }
    named
}

pub fn read_statements(reader: &mut Reader, cx: &BuildCx, seen: &mut HashSet<String>) -> Vec<Named> {
    read_named(reader, "statements", MAX_STATEMENTS, cx, seen)
}

/// Reports a fault in an item of a list after the list was read.
pub fn fault_in(reader: &mut Reader, list: &str, index: usize, key: &str, reason: Reason) {
    reader.issues().key(list, |at| {
        at.index(index, |at| at.push_at(key, reason));
    });
}

/// Refuses a grid too large for a page.
pub fn check_size(reader: &mut Reader, list: &str, rows: usize, controls_of_row: usize) {
    if rows.saturating_mul(controls_of_row) > MAX_CONTROLS {
        reader.fault(list, Reason::other("are too many for so many rows"));
    }
}

/// Named rows or columns as named parts of the definition.
pub fn items<'n>(list: &'static str, named: &'n [Named]) -> impl Iterator<Item = Item<'n>> {
    named.iter().map(move |named| Item { list, code: &named.api_code, label: &named.label })
}

/// The non-null member of a stored object.
pub fn member<'v>(stored: &'v Json, code: &str) -> Option<&'v Json> {
    stored.as_object()?.get(code)
}

/// JSON Schema of an object with a member for each statement.
pub fn schema(statements: &[Named], value: &Json) -> Json {
    let properties: Map<String, Json> =
        statements.iter().map(|statement| (statement.api_code.clone(), value.clone())).collect();
    json!({"type": "object", "properties": properties})
}

pub fn nullable(schema: Json) -> Json {
    json!({"anyOf": [schema, {"type": "null"}]})
}

/// Checks that, unless all rows are empty, some row has a known column; otherwise reports the first row's unknown one.
pub fn check_columns<'k>(
    statements: &[Named],
    raw: &Json,
    columns: impl Iterator<Item = &'k str> + Clone,
    at: &mut Issues,
) -> bool {
    let rows = statements.iter().filter_map(|statement| {
        let row = member(raw, &statement.api_code)?;
        (!row.is_null()).then_some((&statement.api_code, row))
    });
    let first = known_keys::first_of_unknown(rows.clone().map(|(_, row)| row), columns.clone());
    let Some((code, row)) = first.and_then(|first| rows.clone().nth(first)) else {
        return true;
    };
    let row = row.as_object();
    row.is_none_or(|row| at.key(code, |at| known_keys::check(row, columns, at)))
}

/// Reads an object with a member for each statement. Blank statements are omitted; unknown ones are dropped if there is
/// a known one.
pub fn parse_statements(
    statements: &[Named],
    raw: Json,
    at: &mut Issues,
    mut parse: impl FnMut(Json, &mut Issues) -> Json,
) -> Json {
    let Json::Object(mut given) = raw else {
        at.push(Reason::MustBe(Expected::Other("an object of statements")));
        return Json::Null;
    };
    if !known_keys::check(&given, statements.iter().map(|it| it.api_code.as_str()), at) {
        return Json::Null;
    }
    let mut stored = Map::new();
    for statement in statements {
        match given.shift_remove(&statement.api_code) {
            None | Some(Json::Null) => {}
            Some(raw) => {
                let value = at.key(&statement.api_code, |at| parse(raw, at));
                if !is_blank(&value) {
                    stored.insert(statement.api_code.clone(), value);
                }
            }
        }
    }
    Json::Object(stored)
}

/// Prunes each stored statement with `prune`, and drops statements that no longer exist.
pub fn prune_statements(statements: &[Named], stored: Json, mut prune: impl FnMut(Json) -> Json) -> Json {
    let Json::Object(mut stored) = stored else {
        return Json::Null;
    };
    let mut left = Map::new();
    for statement in statements {
        if let Some(value) = stored.shift_remove(&statement.api_code) {
            let value = prune(value);
            if !is_blank(&value) {
                left.insert(statement.api_code.clone(), value);
            }
        }
    }
    Json::Object(left)
}
