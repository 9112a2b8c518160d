//! Entries of a form, for its collaborators: reads and updates (contract section 4).
//!
//! A write is parsed and checked on the request's thread. One writer job then checks what depends on other entries.

pub mod after_submission;
pub mod bulk;
pub mod edit_right;
pub mod entry_lists;
pub mod entry_shape;
pub(in crate::ops) mod exact_keys;
pub mod idempotency;
pub mod linked_options;
pub mod links;
pub mod receipt;
pub mod reports;
pub mod respondent_entries;
pub mod respondents;
pub mod segments;
pub mod state;
pub mod submission;
pub mod trash;
pub(in crate::ops) mod unique_index_build;

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
use crate::fields::files;
use crate::fields::links::Found;
use crate::fields::values::{self, KnownValues, Values, stored};
use crate::model::caller::Caller;
use crate::model::capacity::{Demand, Taken};
use crate::model::entry::Entry;
use crate::model::form::Form;
use crate::model::precondition::{Etag, IfMatch};
use crate::model::results::Results;
use crate::ops::app::{App, Ticket};
use crate::ops::capacity::{self, Asked as AskedLists, Asker};
use crate::ops::entries::exact_keys::Keys;
use crate::ops::exams::time;
use crate::ops::forms::access::{self, Right};
use crate::query::form_cache::{Cache, ParsedForm};
use crate::query::linked_entries;
use crate::store::db::tx::Tx;
use crate::store::files::entry_files as rows;
use crate::store::{capacity as counts, entries, forms};

/// The context for showing entries.
pub struct Shape {
    /// The entries' form.
    pub parsed: Arc<ParsedForm>,
    /// The entries that they link to.
    pub found: Found,
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

/// What an invalid entry asks for besides: unique values that may be taken, and parts that there may be no room for.
pub(in crate::ops) struct Asks {
    pub unique: Keys,
    pub asker: Asker,
    pub takes_before: Vec<Taken>,
    pub takes_after: Vec<Demand>,
}

/// Returns the faults that only the database knows together with the others: nobody is told of them at a second try.
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

/// Adds what the form does not take of `field_values`.
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

/// Updates the named fields of an entry. What changes none of them makes no new version. What nothing takes goes to
/// `ignored`.
///
/// # Errors
/// 403, 404, 409 where there is no room, 412, 422.
pub fn update(
    app: &App,
    caller: &Caller,
    token: &str,
    serial: Option<i64>,
    body: Json,
    if_match: IfMatch,
    ignored: &mut Ignored,
) -> Result<Ticket<EntryView>> {
    let (cache, caller, token) = (Arc::clone(&app.cache), caller.clone(), token.to_owned());
    let look_up = move |tx: &Tx, asked: &Asked| {
        for_change(&cache, tx, (&caller, &token), serial, &asked.if_match, asked.raw.as_object())
    };
    let mut faults = Issues::new();
    let raw = field_values(body, &mut faults);
    let asked = Asked { asker: Asker::Collaborator, raw, respondent: false, if_match };
    let changed = app.store.read(|tx| look_up(tx, &asked))?;
    add_ignored(ignored, &changed.shape.parsed, &asked.raw, false);
    let mut at = std::mem::take(&mut ignored.faults);
    at.append(faults);
    change(app, changed, asked, at, look_up)
}

/// An entry to be changed, and its form.
pub(in crate::ops) struct ForChange {
    pub form: Form,
    pub shape: Arc<Shape>,
    pub entry: Entry,
}

/// Reads an entry that a collaborator is about to change, and its form. `given` are the new values, if any.
///
/// # Errors
/// 403, 404, 412.
pub(in crate::ops) fn for_change(
    cache: &Cache,
    tx: &Tx,
    (caller, token): (&Caller, &str),
    serial: Option<i64>,
    if_match: &IfMatch,
    given: Option<&Values>,
) -> Result<ForChange> {
    let form = access::form_for(tx, caller, token, Right::Enter)?;
    let parsed = cache.parsed(tx, &form)?;
    let entry = live(tx, &form, serial)?;
    let found = links::of_write(cache, tx, &parsed, given, Some(&entry))?;
    let shape = Arc::new(Shape { parsed, found });
    if_match.check(&shape.etag(&entry, tx.now)?)?;
    Ok(ForChange { form, shape, entry })
}

/// A requested update.
pub(in crate::ops) struct Asked {
    /// The new values in the write shape, by api_code.
    pub raw: Json,
    /// Whether a respondent makes the request.
    pub respondent: bool,
    /// The precondition on the entry's version.
    pub if_match: IfMatch,
    /// Who must keep to limits.
    pub asker: Asker,
}

/// Updates an entry; `at` holds the faults found so far. Where another request has changed the entry or its form before
/// the writer's turn, `look_up` reads them again there, and the update is merged with what no further change can
/// precede.
///
/// # Errors
/// 404, 409 where there is no room, 412, 422.
pub(in crate::ops) fn change(
    app: &App,
    changed: ForChange,
    asked: Asked,
    at: Issues,
    look_up: impl Fn(&Tx, &Asked) -> Result<ForChange> + Send + 'static,
) -> Result<Ticket<EntryView>> {
    let ForChange { form, shape, entry } = changed;
    let now = clock::now();
    let checked = Change::of(&shape, entry, &asked, now, at)?;
    let change = match checked {
        Checked::Sound(change) => *change,
        faulty => app.store.read(|tx| faulty.sound(tx, form.form_no))?,
    };
    Ok(app.store.submit(move |tx| {
        let form_no = form.form_no;
        let current = entries::by_serial(tx, form_no, change.old.serial)?.ok_or(Error::NotFound(Noun::Entry))?;
        let is_current = current.version == change.old.version;
        if is_current && forms::is_version(tx, form_no, form.version)? {
            return Ok(EntryView { entry: change.store(tx, form_no)?, shape });
        }
        let ForChange { shape, entry, .. } = look_up(tx, &asked)?;
        let checked = Change::of(&shape, entry, &asked, now, Issues::new())?;
        Ok(EntryView { entry: checked.sound(tx, form_no)?.store(tx, form_no)?, shape })
    }))
}

/// A validated update.
struct Change {
    /// Whether the entry is another one after it.
    is_any: bool,
    keys_before: Keys,
    keys_after: Keys,
    unique: Keys,
    asker: Asker,
    takes_before: Vec<Taken>,
    takes_after: Vec<Demand>,
    values: String,
    results: Results,
    /// The files of the updated entry, and the uploads that become files.
    kept: Vec<String>,
    uploads: Vec<String>,
    old: Entry,
}

/// The result of validating an update.
enum Checked {
    Sound(Box<Change>),
    Faulty { at: Issues, asks: Box<Asks>, serial: i64 },
}

impl Checked {
    /// The update, if it is valid.
    ///
    /// # Errors
    /// 422 with all faults, including those of unique values.
    fn sound(self, tx: &Tx, form_no: i64) -> Result<Change> {
        match self {
            Self::Sound(change) => Ok(*change),
            Self::Faulty { at, asks, serial } => Err(refusal(tx, form_no, at, &asks, Some(serial))?),
        }
    }
}

impl Change {
    fn of(shape: &Shape, old: Entry, asked: &Asked, now: Time, mut at: Issues) -> Result<Checked> {
        let before = stored::values(&old.values).map_err(Error::internal)?;
        let parsed = &shape.parsed;
        let cx = parsed.cx_with(now, asked.respondent, &shape.found);
        let (fields, raw) = (&parsed.definition.fields, asked.raw.clone());
        let lists = AskedLists::of(fields, raw.as_object());
        let after = values::update(fields, &parsed.rules, &before, raw, &cx, &mut at);
        // What an upgrade made the same as another's stays until it is changed.
        let had = exact_keys::unique(parsed, &before, &cx);
        let mut unique = exact_keys::unique(parsed, &after, &cx);
        unique.retain(|key| !had.contains(key));
        if !at.is_empty() {
            let asks = Asks {
                unique,
                asker: asked.asker,
                takes_before: capacity::taken(parsed, &before, &old.results),
                takes_after: capacity::demands(parsed, &after, &old.results, &lists),
            };
            return Ok(Checked::Faulty { at, asks: Box::new(asks), serial: old.serial });
        }
        let results =
            time::of_change(parsed.results_of_change(&before, &after, &old.results, &cx), asked.respondent, now);
        Ok(Checked::Sound(Box::new(Self {
            is_any: after != before || results != old.results,
            asker: asked.asker,
            takes_before: capacity::taken(parsed, &before, &old.results),
            takes_after: capacity::demands(parsed, &after, &results, &lists),
            keys_before: exact_keys::of(parsed, &before, &cx),
            keys_after: exact_keys::of(parsed, &after, &cx),
            unique,
            kept: files::ids(&after),
            uploads: shape.found.files.taken(&after),
            values: stored::text(&after),
            results,
            old,
        })))
    }

    fn store(self, tx: &Tx, form_no: i64) -> Result<Entry> {
        let serial = self.old.serial;
        let stored = || entries::by_serial(tx, form_no, serial)?.ok_or(Error::NotFound(Noun::Entry));
        if !self.is_any {
            // No new version, and no event.
            return stored();
        }
        exact_keys::refuse_taken(tx, form_no, &self.unique, Some(serial))?;
        let (before, after) = (&self.takes_before, &self.takes_after);
        capacity::refuse_full(tx, form_no, self.asker, before, after)?;
        capacity::replace(tx, form_no, before, after.iter().map(|demand| &demand.taken))?;
        rows::replace(tx, form_no, serial, &self.kept, &self.uploads)?;
        exact_keys::replace(tx, form_no, serial, &self.keys_before, &self.keys_after)?;
        let is_waiting = self.results.is_waiting;
        let entry = entries::update(tx, form_no, self.old, self.values, self.results)?;
        if !is_waiting {
            return Ok(entry);
        }
        // For what it asks for now there may be room.
        counts::note_room(tx, form_no);
        tx.fill_room()?;
        stored()
    }
}
