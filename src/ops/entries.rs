//! Entries of a form, for its collaborators: read and change (contract section 4).
//!
//! A write prepares outside the writer and decides inside: parsing and checking happen on the
//! request's own thread, then one job asks what only the writer can know.

use std::sync::Arc;

use serde_json::Map;

use crate::base::clock::{self, Time};
use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::schema_builder::reference;
use crate::fields::files;
use crate::fields::links::Found;
use crate::fields::stored;
use crate::fields::values;
use crate::model::caller::Caller;
use crate::model::entry::Entry;
use crate::model::form::Form;
use crate::model::precondition::{Etag, IfMatch};
use crate::ops::access::{self, Right};
use crate::ops::cache::ParsedForm;
use crate::ops::exact_keys::{self, Keys};
use crate::ops::{App, Ticket, entry_shape, links};
use crate::store::entries;
use crate::store::files as rows;
use crate::store::forms;
use crate::store::tx::Tx;

/// What is needed to show entries.
pub struct Shape {
    /// The form they belong to.
    pub parsed: Arc<ParsedForm>,
    /// What they link to.
    pub found: Found,
}

impl Shape {
    /// An entry as collaborators see it.
    ///
    /// # Errors
    /// Internal, when the stored text is damaged.
    pub fn whole(&self, entry: &Entry, wanted: Option<&[String]>, now: Time) -> Result<String> {
        let cx = self.parsed.cx_with(now, false, &self.found);
        entry_shape::whole(&self.parsed, entry, wanted, &cx)
    }

    /// The tag of an entry whose links were looked up.
    ///
    /// # Errors
    /// Internal, when the stored text is damaged.
    pub fn etag(&self, entry: &Entry) -> Result<Etag> {
        links::etag(&self.found, &self.parsed, entry)
    }
}

/// An entry with what is needed to show it.
pub struct EntryView {
    /// The row.
    pub entry: Entry,
    /// How it is shown.
    pub shape: Arc<Shape>,
}

/// What was wrong, and what is taken besides.
pub(in crate::ops) fn refusal(
    tx: &Tx,
    form_no: i64,
    mut at: Issues,
    unique: &Keys,
    own_serial: Option<i64>,
) -> Result<Error> {
    match exact_keys::taken_of(tx, form_no, unique, own_serial) {
        // What is not yet known changes nothing: it is refused as it is.
        Err(Error::Busy(..)) => {}
        taken => at.extend(taken?),
    }
    Ok(Error::Invalid(at.into_list()))
}

/// What is remembered of the answer to a collaborator's submission: the entry's tag, and the entry as JSON text.
pub(in crate::ops) fn remembered(view: &EntryView, now: Time) -> Result<String> {
    let entry = view.shape.whole(&view.entry, None, now)?;
    let tag = view.shape.etag(&view.entry)?;
    Ok(format!("{}\n{entry}", tag.0))
}

/// The tag and the text of what was remembered; older programs did not remember the tag.
pub fn recalled(answer: &str) -> (Option<Etag>, &str) {
    match answer.split_once('\n') {
        Some((tag, entry)) => (Some(Etag(tag.to_owned())), entry),
        None => (None, answer),
    }
}

/// `field_values` of a body; missing, it is a fault.
pub fn field_values(body: Json, at: &mut Issues) -> Json {
    read_field_values(&mut Reader::new(body, at))
}

/// `field_values` of what is read; missing, it is a fault.
pub(in crate::ops) fn read_field_values(reader: &mut Reader) -> Json {
    reader.note("field_values", || reference("FieldValues"));
    reader
        .required("field_values")
        .unwrap_or_else(|| Json::Object(Map::new()))
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
        let found = links::of_entries(&app.cache, tx, &parsed, [&entry])?;
        let shape = Arc::new(Shape { parsed, found });
        Ok(EntryView { entry, shape })
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

/// Changes the named fields of an entry.
///
/// # Errors
/// 403, 404, 412, 422.
pub fn update(
    app: &App,
    caller: &Caller,
    token: &str,
    serial: Option<i64>,
    body: Json,
    if_match: IfMatch,
) -> Result<(Arc<Shape>, Ticket<Entry>)> {
    let (form, shape, old) = app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, Right::Enter)?;
        let parsed = app.cache.parsed(tx, &form)?;
        let old = live(tx, &form, serial)?;
        let given = &body["field_values"];
        let found = links::of_write(&app.cache, tx, &parsed, given.as_object(), Some(&old))?;
        Ok((form, Arc::new(Shape { parsed, found }), old))
    })?;
    if_match.check(&shape.etag(&old)?)?;
    let mut at = Issues::new();
    let raw = field_values(body, &mut at);
    let asked = Asked {
        raw,
        respondent: false,
        if_match,
    };
    let ticket = change(app, form, &shape, old, asked, at)?;
    Ok((shape, ticket))
}

/// A change that is asked for.
pub(in crate::ops) struct Asked {
    /// Write shapes by api_code.
    pub raw: Json,
    /// Whether a respondent asks.
    pub respondent: bool,
    /// What the entry must still be.
    pub if_match: IfMatch,
}

/// Changes an entry that was read as `old`; `at` holds what is wrong already.
///
/// # Errors
/// 404, 412, 422.
pub(in crate::ops) fn change(
    app: &App,
    form: Form,
    shape: &Arc<Shape>,
    old: Entry,
    asked: Asked,
    at: Issues,
) -> Result<Ticket<Entry>> {
    let now = clock::now();
    let checked = Change::of(shape, old, &asked, now, at)?;
    let change = match checked {
        Checked::Sound(change) => *change,
        faulty => app.store.read(|tx| faulty.sound(tx, form.form_no))?,
    };
    let merged = Arc::clone(shape);
    Ok(app.store.submit(move |tx| {
        forms::check_version(tx, form.form_no, form.version)?;
        let current = entries::by_serial(tx, form.form_no, change.old.serial)?
            .ok_or(Error::NotFound(Noun::Entry))?;
        if current.version == change.old.version {
            return change.store(tx, form.form_no);
        }
        // Somebody else changed it meanwhile. Merged with that here, where nobody comes between again.
        if !links::covers(&merged.found, &merged.parsed, &current)? {
            return Err(Error::Stale);
        }
        asked.if_match.check(&merged.etag(&current)?)?;
        let checked = Change::of(&merged, current, &asked, now, Issues::new())?;
        checked.sound(tx, form.form_no)?.store(tx, form.form_no)
    }))
}

/// A change of an entry, checked.
struct Change {
    keys_before: Keys,
    keys_after: Keys,
    unique: Keys,
    values: String,
    /// The files that it has afterwards, and the uploads that some of them come from.
    kept: Vec<String>,
    uploads: Vec<String>,
    old: Entry,
}

/// A change that was looked at.
enum Checked {
    Sound(Box<Change>),
    Faulty {
        at: Issues,
        unique: Keys,
        serial: i64,
    },
}

impl Checked {
    /// The change, where nothing is wrong with it.
    ///
    /// # Errors
    /// 422 with what is wrong, and what is taken besides.
    fn sound(self, tx: &Tx, form_no: i64) -> Result<Change> {
        match self {
            Self::Sound(change) => Ok(*change),
            Self::Faulty { at, unique, serial } => {
                Err(refusal(tx, form_no, at, &unique, Some(serial))?)
            }
        }
    }
}

impl Change {
    fn of(shape: &Shape, old: Entry, asked: &Asked, now: Time, mut at: Issues) -> Result<Checked> {
        let before = stored::values(&old.values).map_err(Error::internal)?;
        let parsed = &shape.parsed;
        let cx = parsed.cx_with(now, asked.respondent, &shape.found);
        let (fields, raw) = (&parsed.definition.fields, asked.raw.clone());
        let after = values::update(fields, &parsed.rules, &before, raw, &cx, &mut at);
        let unique = exact_keys::unique(parsed, &after, &cx);
        if !at.is_empty() {
            let serial = old.serial;
            return Ok(Checked::Faulty { at, unique, serial });
        }
        Ok(Checked::Sound(Box::new(Self {
            keys_before: exact_keys::of(parsed, &before, &cx),
            keys_after: exact_keys::of(parsed, &after, &cx),
            unique,
            kept: files::ids(&after),
            uploads: shape.found.files.taken(&after),
            values: stored::text(&after),
            old,
        })))
    }

    fn store(self, tx: &Tx, form_no: i64) -> Result<Entry> {
        let serial = self.old.serial;
        exact_keys::refuse_taken(tx, form_no, &self.unique, Some(serial))?;
        rows::replace(tx, form_no, serial, &self.kept, &self.uploads)?;
        exact_keys::replace(tx, form_no, serial, &self.keys_before, &self.keys_after)?;
        entries::update(tx, form_no, self.old, self.values)
    }
}
