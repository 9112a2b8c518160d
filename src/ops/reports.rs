//! What the entries of a form come to, question by question (contract section 4).

use serde_json::json;

use crate::base::clock;
use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::base::sketch::reference;
use crate::fields::report::Report;
use crate::model::caller::Caller;
use crate::ops::access::{self, Right};
use crate::ops::{App, links};
use crate::store::entries::{self, Shelf, Sort};

/// So many entries are read at once.
const PIECE: usize = 500;

/// The report of a form, as JSON text. Each piece of it is read in a snapshot of its own: what changes
/// meanwhile is in it or not.
///
/// # Errors
/// 404.
pub fn show(app: &App, caller: &Caller, token: &str) -> Result<String> {
    let (form, parsed) = app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, Right::Read)?;
        let parsed = app.cache.parsed(tx, &form)?;
        Ok((form, parsed))
    })?;
    let mut report = Report::new(&parsed.definition.fields);
    let mut place = None;
    loop {
        let more = app.store.read(|tx| {
            let (shelf, sort) = (Shelf::Live, Sort::Serial);
            let piece = entries::list(tx, form.form_no, shelf, sort, true, place, PIECE)?;
            let found = links::of_entries(&app.cache, tx, &parsed, &piece)?;
            let cx = parsed.cx_with(clock::now(), false, &found);
            for entry in &piece {
                let added = report.add(entry.serial, &entry.values, &cx);
                added.map_err(Error::internal)?;
            }
            place = piece.last().map(|entry| (0, entry.serial));
            Ok(piece.len() == PIECE)
        })?;
        if !more {
            break;
        }
    }
    Ok(report.to_json(&parsed.cx(clock::now(), false)).to_string())
}

/// The JSON Schema of a report.
pub fn schema() -> Json {
    json!({
        "type": "object",
        "properties": {
            "total": {"type": "integer", "minimum": 0, "description": "How many entries it is about."},
            "fields": {
                "type": "array",
                "items": reference("ReportField"),
                "description": "Each field that has values, in the order of the form.",
            },
        },
        "required": ["total", "fields"],
        "additionalProperties": false,
    })
}
