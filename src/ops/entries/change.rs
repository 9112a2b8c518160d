//! Changes of an entry: the named fields are read and checked outside the writer, and merged inside with another
//! request's changes meanwhile.

use std::sync::Arc;

use crate::base::clock::{self, Time};
use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::json::unknown_members::Ignored;
use crate::fields::files;
use crate::fields::values::{Values, stored};
use crate::model::caller::Caller;
use crate::model::capacity::{Demand, TakenAmount};
use crate::model::entry::Entry;
use crate::model::form::Form;
use crate::model::precondition::IfMatch;
use crate::model::results::Results;
use crate::ops::app::{App, Ticket};
use crate::ops::capacity::{self, Asker};
use crate::ops::delivery::outbox::Outbox;
use crate::ops::delivery::respondent_letters::{self, Cause};
use crate::ops::entries::answers::Answers;
use crate::ops::entries::exact_keys::{self, Keys};
use crate::ops::entries::{Asks, EntryView, Shape, add_ignored, field_values, links, live, refusal};
use crate::ops::exams::time;
use crate::ops::forms::access::{self, Right};
use crate::query::form_cache::Cache;
use crate::store::db::tx::Tx;
use crate::store::files::entry_files as rows;
use crate::store::{capacity as counts, entries, forms};

/// Updates the named fields of an entry. A request that changes none of them makes no new version. Keys that no field
/// reads go to `ignored`.
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
    let mut faults = Issues::new();
    let request = ChangeRequest::of_collaborator(field_values(body, &mut faults), if_match);
    let look_up = for_collaborator(app, caller, token, serial, false);
    let found = app.store.read(|tx| look_up(tx, &request))?;
    add_ignored(ignored, &found.shape.parsed, &request.raw, false);
    let mut at = std::mem::take(&mut ignored.faults);
    at.append(faults);
    let answers = request.read(&found.shape, &found.entry, clock::now(), at)?;
    change(app, found, &answers, answers.faults.clone(), request, look_up)
}

/// The same for a page of the console, whose posts bring files with them. `faults` are those of the files.
///
/// # Errors
/// 403, 404, 409 where there is no room, 412, 422.
pub fn update_by_page(
    app: &App,
    caller: &Caller,
    token: &str,
    serial: Option<i64>,
    (raw, faults): (Values, Issues),
    if_match: IfMatch,
) -> Result<Ticket<EntryView>> {
    let request = ChangeRequest::of_collaborator(Json::Object(raw), if_match);
    let look_up = for_collaborator(app, caller, token, serial, true);
    let found = app.store.read(|tx| look_up(tx, &request))?;
    let answers = request.read(&found.shape, &found.entry, clock::now(), faults)?;
    change(app, found, &answers, answers.faults.clone(), request, look_up)
}

/// Updates an entry in a transaction of more than that. An update that is refused changes nothing.
///
/// # Errors
/// 403, 404, 409 where there is no room, 422.
pub(in crate::ops) fn change_within(
    tx: &Tx,
    (cache, outbox): (&Cache, &Outbox),
    by: (&Caller, &str),
    serial: i64,
    raw: Json,
) -> Result<()> {
    let request = ChangeRequest::of_collaborator(raw, IfMatch::Absent);
    let found = for_change(cache, tx, by, Some(serial), &request.if_match, request.raw.as_object())?;
    let ForChange { form, shape, entry } = found;
    let answers = request.read(&shape, &entry, tx.now, Issues::new())?;
    let change = Change::of(&answers, answers.faults.clone(), entry, &request, tx.now).sound(tx, form.form_no)?;
    let before = change.old.clone();
    let view = EntryView { entry: change.store(tx, form.form_no)?, shape };
    respondent_letters::queue_change(outbox, tx, &form, &view, &before, request.by.cause())
}

/// Reads an entry that a collaborator is about to change, with the entries and files that the new values name.
fn for_collaborator(
    app: &App,
    caller: &Caller,
    token: &str,
    serial: Option<i64>,
    by_page: bool,
) -> impl Fn(&Tx, &ChangeRequest) -> Result<ForChange> + Send + 'static {
    let (cache, caller, token) = (Arc::clone(&app.cache), caller.clone(), token.to_owned());
    move |tx, request| {
        let given = request.raw.as_object();
        let mut found = for_change(&cache, tx, (&caller, &token), serial, &request.if_match, given)?;
        Arc::make_mut(&mut found.shape).found.files.by_page = by_page;
        Ok(found)
    }
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
pub(in crate::ops) struct ChangeRequest {
    /// The new values in the write shape, by api_code.
    pub raw: Json,
    /// Whether a respondent makes the request.
    pub respondent: bool,
    /// The precondition on the entry's version.
    pub if_match: IfMatch,
    /// The party that limits apply to.
    pub asker: Asker,
    pub by: ChangedBy,
}

/// The author of a change, as far as mail about it is counted by that.
#[derive(Clone, Debug, Default)]
pub(in crate::ops) struct ChangedBy {
    /// True for a program without a token.
    pub is_program: bool,
    /// The pseudonym of a stranger's network.
    pub sender: Option<String>,
}

impl ChangedBy {
    fn cause(&self) -> Cause<'_> {
        Cause { is_by_program: self.is_program, sender: self.sender.as_deref() }
    }
}

impl ChangeRequest {
    fn of_collaborator(raw: Json, if_match: IfMatch) -> Self {
        Self { asker: Asker::Collaborator, raw, respondent: false, if_match, by: ChangedBy::default() }
    }

    /// Reads the new values for the entry `old`. Their faults are added to `faults`.
    ///
    /// # Errors
    /// Internal, when the stored text is damaged.
    pub fn read(&self, shape: &Arc<Shape>, old: &Entry, now: Time, faults: Issues) -> Result<Answers> {
        let before = stored::values(&old.values).map_err(Error::internal)?;
        Ok(Answers::of_change(Arc::clone(shape), before, self.raw.clone(), self.respondent, now, faults))
    }
}

/// Updates an entry with these answers; `faults` are all faults so far. Where another request has changed the entry or
/// its form before the writer's turn, `look_up` reads them again there, and the update is merged with a state that no
/// further change can precede.
///
/// # Errors
/// 404, 409 where there is no room, 412, 422.
pub(in crate::ops) fn change(
    app: &App,
    found: ForChange,
    answers: &Answers,
    faults: Issues,
    request: ChangeRequest,
    look_up: impl Fn(&Tx, &ChangeRequest) -> Result<ForChange> + Send + 'static,
) -> Result<Ticket<EntryView>> {
    let ForChange { form, shape, entry } = found;
    let (now, outbox) = (clock::now(), Arc::clone(&app.delivery.outbox));
    let change = match Change::of(answers, faults, entry, &request, now) {
        Checked::Sound(change) => *change,
        faulty => app.store.read(|tx| faulty.sound(tx, form.form_no))?,
    };
    Ok(app.store.submit(move |tx| {
        let form_no = form.form_no;
        let current = entries::by_serial(tx, form_no, change.old.serial)?.ok_or(Error::NotFound(Noun::Entry))?;
        let is_current = current.version == change.old.version;
        let (form, shape, change) = if is_current && forms::is_version(tx, form_no, form.version)? {
            (form, shape, change)
        } else {
            let ForChange { form, shape, entry } = look_up(tx, &request)?;
            let answers = request.read(&shape, &entry, now, Issues::new())?;
            let checked = Change::of(&answers, answers.faults.clone(), entry, &request, now);
            (form, shape, checked.sound(tx, form_no)?)
        };
        let before = change.old.clone();
        let view = EntryView { entry: change.store(tx, form_no)?, shape };
        respondent_letters::queue_change(&outbox, tx, &form, &view, &before, request.by.cause())?;
        Ok(view)
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
    takes_before: Vec<TakenAmount>,
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
    fn of(answers: &Answers, at: Issues, old: Entry, request: &ChangeRequest, now: Time) -> Checked {
        let (shape, before, draft, cx) = (&answers.shape, &answers.before, &answers.draft, answers.cx());
        let (parsed, after) = (&shape.parsed, draft.values());
        // A duplicate that an upgrade created stays valid until it is changed.
        let had = exact_keys::unique(parsed, before, &cx);
        let mut unique = draft.unique(parsed, &cx);
        unique.retain(|key| !had.contains(key));
        let takes_before = capacity::taken_amounts(parsed, before, &old.results);
        if !at.is_empty() {
            let takes_after = draft.demands(parsed, &old.results);
            let asks = Asks { unique, asker: request.asker, takes_before, takes_after };
            return Checked::Faulty { at, asks: Box::new(asks), serial: old.serial };
        }
        let results = parsed.results_of_change(before, &draft.checked, &old.results, &cx);
        let results = time::of_change(results, request.respondent, now);
        Checked::Sound(Box::new(Self {
            is_any: after != before || results != old.results,
            asker: request.asker,
            takes_before,
            takes_after: draft.demands(parsed, &results),
            keys_before: exact_keys::of(parsed, before, &cx),
            keys_after: exact_keys::of(parsed, after, &cx),
            unique,
            kept: files::ids(after),
            uploads: shape.found.files.new_uploads(after),
            values: stored::text(after),
            results,
            old,
        }))
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
        // There may be room now for the amounts that it asks for.
        counts::note_room(tx, form_no);
        tx.fill_room()?;
        stored()
    }
}
