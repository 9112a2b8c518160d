//! Entries of a form, and common parts of reading and writing them (contract section 4).
//!
//! A write is parsed and checked on the request's thread. One writer job then does the checks that depend on other
//! entries.

pub mod after_submission;
pub mod answers;
pub mod bulk;
pub mod change;
pub mod channels;
pub(in crate::ops) mod draft;
pub mod edit_right;
pub mod entry_editor;
pub mod entry_lists;
mod entry_pages;
pub mod entry_shape;
pub(in crate::ops) mod exact_keys;
pub mod idempotency;
pub mod jobs;
pub mod linked_options;
pub mod links;
pub mod receipt;
pub mod receipt_link;
pub mod reports;
pub mod respondent_entries;
pub mod respondents;
pub mod segments;
pub mod shown_answers;
pub mod state;
pub mod submission;
pub mod trash;
pub(in crate::ops) mod unique_index_build;
pub mod views;

use std::sync::Arc;

use serde_json::Map;

use crate::base::clock::{self, Time};
use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::json::schema_builder::reference;
use crate::base::json::unknown_members::Ignored;
use crate::base::reader::Reader;
use crate::base::reason::Reason;
use crate::fields::links::LinkedData;
use crate::fields::values::KnownValues;
use crate::model::caller::Caller;
use crate::model::capacity::{Demand, TakenAmount};
use crate::model::entry::Entry;
use crate::model::form::Form;
use crate::model::precondition::Etag;
use crate::ops::app::App;
use crate::ops::capacity::{self, Asker};
use crate::ops::entries::exact_keys::Keys;
use crate::ops::forms::access::{self, Right};
use crate::query::form_cache::ParsedForm;
use crate::query::linked_entries;
use crate::store::db::tx::Tx;
use crate::store::entries;

/// The context for showing entries.
#[derive(Clone)]
pub struct Shape {
    /// The entries' form.
    pub parsed: Arc<ParsedForm>,
    /// The entries that they link to.
    pub found: LinkedData,
}

impl Shape {
    /// The JSON text of an entry as collaborators see it.
    pub fn whole(&self, entry: &Entry, wanted: Option<&[String]>, now: Time) -> Result<String> {
        let cx = self.parsed.cx_with(now, false, &self.found);
        entry_shape::whole(&self.parsed, entry, wanted, &cx)
    }

    /// The ETag of an entry, including the entries that it links to.
    pub fn etag(&self, entry: &Entry, now: Time) -> Result<Etag> {
        linked_entries::etag(&self.found, &self.parsed, entry, now)
    }
}

/// An entry and the context for showing it.
pub struct EntryView {
    pub entry: Entry,
    pub shape: Arc<Shape>,
}

/// Further demands of an invalid entry: unique values that may be taken, and parts that there may be no room for.
pub(in crate::ops) struct Asks {
    pub unique: Keys,
    pub asker: Asker,
    pub takes_before: Vec<TakenAmount>,
    pub takes_after: Vec<Demand>,
}

/// Returns the faults that only the database knows together with the others, so that nobody learns of them at a second
/// try.
pub(in crate::ops) fn refusal(
    tx: &Tx,
    form_no: i64,
    mut at: Issues,
    asks: &Asks,
    own_serial: Option<i64>,
) -> Result<Error> {
    let full = capacity::faults(tx, form_no, asks.asker, &asks.takes_before, &asks.takes_after)?;
    at.extend(full);
    let unique = &asks.unique;
    match exact_keys::taken_of(tx, form_no, unique, own_serial) {
        // If uniqueness can't be checked right now, the known faults are reported alone.
        Err(Error::Busy(..)) => {}
        taken => at.extend(taken?),
    }
    Ok(Error::Invalid(at.into_list()))
}

/// The stored answer to a collaborator's submission: the entry's tag, and the entry as JSON text.
pub(in crate::ops) fn remembered(view: &EntryView, now: Time) -> Result<String> {
    let entry = view.shape.whole(&view.entry, None, now)?;
    let tag = view.shape.etag(&view.entry, now)?;
    Ok(format!("{}\n{entry}", tag.0))
}

/// Splits a stored answer into tag and text; earlier versions stored no tag.
pub fn recalled(answer: &str) -> (Option<Etag>, &str) {
    match answer.split_once('\n') {
        Some((tag, entry)) => (Some(Etag(tag.to_owned())), entry),
        None => (None, answer),
    }
}

/// The `field_values` of a body; a fault if missing.
pub fn field_values(body: Json, at: &mut Issues) -> Json {
    read_field_values(&mut Reader::new(body, at))
}

/// The `field_values` of an object being read; a fault if missing.
pub(in crate::ops) fn read_field_values(reader: &mut Reader) -> Json {
    reader.note("field_values", || reference("FieldValues"));
    let given = reader.raw("field_values");
    if given.is_none() {
        let has_others = reader.keys().next().is_some();
        reader.fault("field_values", if has_others { Reason::NoFieldValues } else { Reason::Required });
    }
    given.unwrap_or_else(|| Json::Object(Map::new()))
}

/// Adds the parts of `field_values` that the form does not read.
pub(in crate::ops) fn add_ignored(ignored: &mut Ignored, parsed: &ParsedForm, field_values: &Json, respondent: bool) {
    let Some(given) = field_values.as_object() else {
        return;
    };
    let mut at = Issues::new();
    let cx = parsed.cx(clock::now(), respondent);
    at.key("field_values", |at| KnownValues::of(&parsed.definition.fields).report(given, &cx, at));
    ignored.add(at);
}

/// The JSON Schema of the bodies of `create` and `update`.
pub fn write_schema() -> Json {
    Reader::describe(|reader| {
        read_field_values(reader);
    })
}

/// Shows an entry.
///
/// # Errors
/// 404.
pub fn show(app: &App, caller: &Caller, token: &str, serial: Option<i64>) -> Result<EntryView> {
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, Right::Read)?;
        let parsed = app.cache.parsed(tx, &form)?;
        let entry = live(tx, &form, serial)?;
        let found = linked_entries::of_entries(&app.cache, tx, &parsed, [&entry])?;
        let shape = Arc::new(Shape { parsed, found });
        Ok(EntryView { entry, shape })
    })
}

/// Shows those of these entries that exist, in this order.
///
/// # Errors
/// 404.
pub fn show_several(app: &App, caller: &Caller, token: &str, serials: &[i64]) -> Result<(Shape, Vec<Entry>)> {
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, Right::Read)?;
        let parsed = app.cache.parsed(tx, &form)?;
        let mut found = Vec::new();
        for serial in serials {
            found.extend(entries::by_serial(tx, form.form_no, *serial)?);
        }
        let linked = linked_entries::of_entries(&app.cache, tx, &parsed, &found)?;
        Ok((Shape { parsed, found: linked }, found))
    })
}

/// A live entry of a form.
///
/// # Errors
/// 404.
pub fn live(tx: &Tx, form: &Form, serial: Option<i64>) -> Result<Entry> {
    serial
        .map(|serial| entries::by_serial(tx, form.form_no, serial))
        .transpose()?
        .flatten()
        .ok_or(Error::NotFound(Noun::Entry))
}
