//! What the entries of a form come to, question by question (contract section 4): all of them, or those
//! that are asked for.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::json;

use crate::base::clock;
use crate::base::error::{Error, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::json::schema_builder::reference;
use crate::fields::links::{LinkedData, linked};
use crate::fields::report::Report;
use crate::fields::values::stored;
use crate::model::caller::Caller;
use crate::model::form::Form;
use crate::model::serials::Serials;
use crate::ops::app::{App, Ticket};
use crate::ops::forms::access::{self, Right};
use crate::query::form_cache::{Cache, ParsedForm};
use crate::query::request::{EntrySet, FilterRequest, Query};
use crate::query::{self, as_read, linked_entries};
use crate::store::db::tx::Tx;
use crate::store::entries::Table;
use crate::store::entries::entry_scan::{self, EntryRow};

/// So many entries are read at once, and so many bytes of them, but for the one that goes beyond.
const PIECE: usize = 500;
const PIECE_BYTES: usize = 1 << 20;
/// So many entries that are not asked for are passed over before the next one that is, is looked up.
const PASSED: i64 = 100;

/// The report of a form, as JSON text. Each piece of it is read in a snapshot of its own: what changes
/// meanwhile is in it or not.
///
/// # Errors
/// 404, 422 for conditions that can't be.
pub fn show(app: &App, caller: &Caller, token: &str, filter: FilterRequest) -> Result<Ticket<(String, Vec<Issue>)>> {
    let (cache, caller) = (Arc::clone(&app.cache), caller.clone());
    let token = token.to_owned();
    Ok(app.store.search_in_steps(move |snapshots| {
        let (set, query, wanted) = snapshots.read(|tx| {
            let (form, query) = read_query(&cache, tx, &caller, &token, &filter)?;
            let set = EntrySet { form_no: form.form_no, table: Table::Live };
            let wanted = if query.filter.is_empty() { None } else { Some(query::matching(&cache, tx, set, &query)?) };
            Ok((set, query, wanted))
        })?;
        let parsed = &query.parsed;
        let mut report = Report::new(&parsed.definition.fields);
        let mut next = first(wanted.as_ref());
        while let Some(before) = next {
            let from = (set, wanted.as_ref(), before);
            next = snapshots.read(|tx| count(&cache, tx, parsed, from, &mut report))?;
        }
        let text = report.to_json(&parsed.cx(clock::now(), false)).to_string();
        Ok((text, query.warnings.clone()))
    }))
}

/// The form, if the caller may read it, and the question.
fn read_query(cache: &Cache, tx: &Tx, caller: &Caller, token: &str, filter: &FilterRequest) -> Result<(Form, Query)> {
    let form = access::form_for(tx, caller, token, Right::Read)?;
    let parsed = cache.parsed(tx, &form)?;
    let mut at = Issues::new();
    let query = Query::read(cache, tx, &parsed, filter, &mut at)?;
    at.into_result()?;
    Ok((form, query))
}

/// The serial below which to begin; none where there is nothing to count.
fn first(wanted: Option<&Serials>) -> Option<i64> {
    match wanted {
        None => Some(i64::MAX),
        Some(wanted) => wanted.next_below(i64::MAX).map(|serial| serial + 1),
    }
}

/// Shows some of the entries below a serial, the newest first; says below which to go on, none at the end.
fn piece(
    tx: &Tx,
    set: EntrySet,
    wanted: Option<&Serials>,
    before: i64,
    each: &mut dyn FnMut(&EntryRow) -> Result<()>,
) -> Result<Option<i64>> {
    let (mut rows, mut bytes, mut passed, mut last) = (0, 0, 0, before);
    let mut take = |row: EntryRow| {
        last = row.serial;
        if wanted.is_none_or(|wanted| wanted.contains(row.serial)) {
            each(&row)?;
            bytes += row.values.len();
            rows += 1;
            passed = 0;
        } else {
            passed += 1;
        }
        let is_full = rows >= PIECE || bytes > PIECE_BYTES || passed >= PASSED;
        Ok(if is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    };
    let flow = entry_scan::scan_back(tx, set.table, set.form_no, before, &mut take)?;
    Ok(match wanted {
        _ if flow.is_continue() => None,
        None => Some(last),
        Some(wanted) => wanted.next_below(last).map(|serial| serial + 1),
    })
}

/// Counts some of the entries below a serial, with what they link to; says below which to go on.
fn count(
    cache: &Cache,
    tx: &Tx,
    parsed: &ParsedForm,
    (set, wanted, before): (EntrySet, Option<&Serials>, i64),
    report: &mut Report,
) -> Result<Option<i64>> {
    if !parsed.links {
        let cx = parsed.cx(tx.now, false);
        return piece(tx, set, wanted, before, &mut |row| {
            let values = as_read::text(parsed, row.values, &cx)?;
            let counted = report.add(row.serial, &values, &cx);
            counted.map_err(Error::internal)
        });
    }
    let (mut rows, mut links) = (Vec::new(), Vec::new());
    let next = piece(tx, set, wanted, before, &mut |row| {
        let stored = stored::values(row.values).map_err(Error::internal)?;
        links.extend(linked::of_stored(&parsed.definition.fields, &stored));
        rows.push((row.serial, row.values.to_owned()));
        Ok(())
    })?;
    let mut found = LinkedData::default();
    linked_entries::look_up(cache, tx, links, &mut found)?;
    let cx = parsed.cx_with(tx.now, false, &found);
    for (serial, values) in rows {
        let values = as_read::text(parsed, &values, &cx)?;
        report.add(serial, &values, &cx).map_err(Error::internal)?;
    }
    Ok(next)
}

/// The JSON Schema of a report.
pub fn schema() -> Json {
    json!({
        "type": "object",
        "properties": {
            "total": {"type": "integer", "minimum": 0, "description": "The number of entries in the report."},
            "fields": {
                "type": "array",
                "items": reference("ReportField"),
                "description": "Each field with values, in the order of the form.",
            },
        },
        "required": ["total", "fields"],
        "additionalProperties": false,
    })
}
