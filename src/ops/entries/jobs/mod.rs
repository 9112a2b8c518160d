//! Long work on many entries of a form (contract section 11): they go to the trash, come back from it, or get a value.
//! Which entries a job has is settled when it begins; a runner in the background goes through them in pieces, each in
//! one transaction with the job's progress, so that a job survives any end of the process.

mod begin;
mod pieces;
mod run;

use crate::base::error::{Code, Error, Noun, Result};
use crate::fields::Field;
use crate::model::audit::Action;
use crate::model::caller::Caller;
use crate::model::entry::jobs::{EntryJob, JobKind, JobState, RefusedEntry};
use crate::model::form::Form;
use crate::model::role::Role;
use crate::ops::accounts::audit::{self, By};
use crate::ops::app::{App, Ticket};
use crate::ops::forms::access::{self, Right};
use crate::query::form_cache::ParsedForm;
use crate::store::accounts::users;
use crate::store::db::tx::Tx;
use crate::store::entries::jobs::{self, NewJob};

pub use begin::{BulkRequest, begin_trash, begin_update, read_update, trash_schema, update_schema};
pub use run::run;

/// The problem of a job whose form is gone, or which belongs to somebody who may not change its entries any more.
pub const LOST_ACCESS: &str = "lost_access";

/// How many jobs of a form may wait or run at the same time.
const MOST_OPEN: usize = 10;

/// How many imports that were begun are listed.
const MOST_RECENT: i64 = 5;

/// The fields that a job can set: those whose values are not files.
pub fn settable(parsed: &ParsedForm) -> impl Iterator<Item = &Field> {
    let fields = parsed.definition.fields.with_values();
    fields.filter(|field| field.kind.is_written() && field.kind.files().is_none())
}

/// A job as it is shown.
pub struct JobView {
    pub job: EntryJob,
    /// The first entries that it could not change.
    pub refused: Vec<RefusedEntry>,
    /// The name of the user who began it.
    pub begun_by: String,
    /// Whether the caller may stop or undo it.
    pub may_act: bool,
    /// The first and the last number of the entries that it added; none if they were undone.
    pub imported: Option<(i64, i64)>,
}

impl JobView {
    fn of(tx: &Tx, caller: &Caller, role: Role, job: EntryJob) -> Result<Self> {
        let refused = jobs::refused(tx, job.id)?;
        let begun_by = users::by_id(tx, job.user)?.name;
        let may_act = may_act(caller, role, &job);
        let is_imported = job.kind == JobKind::Import && job.state == JobState::Done && job.undone_by.is_none();
        let imported = if is_imported { jobs::imported(tx, &job)? } else { None };
        Ok(Self { job, refused, begun_by, may_act, imported })
    }

    /// Whether the job can be undone now.
    pub fn is_undoable(&self) -> bool {
        let job = &self.job;
        undoing(job.kind).is_some() && job.state.is_over() && job.changed > 0 && job.undone_by.is_none()
    }
}

/// The kind of the job that undoes one of this kind.
fn undoing(kind: JobKind) -> Option<JobKind> {
    match kind {
        JobKind::Trash => Some(JobKind::Restore),
        JobKind::Import => Some(JobKind::Trash),
        JobKind::Update | JobKind::Restore => None,
    }
}

/// Whether a caller may stop or undo a job: the user who began it, and managers.
fn may_act(caller: &Caller, role: Role, job: &EntryJob) -> bool {
    role >= Role::Manager || role >= Role::Editor && job.user == caller.user.id
}

/// A form's job, with the caller's role for the form.
fn find(tx: &Tx, caller: &Caller, form: &str, job: &str, right: Right) -> Result<(Form, Role, EntryJob)> {
    let (form, role) = access::form_and_role(tx, caller, form, right)?;
    let job = jobs::by_token(tx, form.form_no, job)?.ok_or(Error::NotFound(Noun::Job))?;
    Ok((form, role, job))
}

/// A job that the caller may stop or undo.
fn find_own(tx: &Tx, caller: &Caller, form: &str, job: &str) -> Result<(Form, Role, EntryJob)> {
    let found = find(tx, caller, form, job, Right::Enter)?;
    let (_, role, job) = &found;
    if !may_act(caller, *role, job) {
        return Err(Error::Forbidden);
    }
    let scope = job.kind.scope();
    if caller.scopes.has(scope) { Ok(found) } else { Err(Error::ScopeLacks(scope.name())) }
}

/// Shows a job.
///
/// # Errors
/// 404.
pub fn show(app: &App, caller: &Caller, form: &str, job: &str) -> Result<JobView> {
    app.store.read(|tx| {
        let (_, role, job) = find(tx, caller, form, job, Right::Read)?;
        JobView::of(tx, caller, role, job)
    })
}

/// The jobs of a form that wait or run, oldest first.
///
/// # Errors
/// 404.
pub fn open_of(app: &App, caller: &Caller, form: &str) -> Result<Vec<EntryJob>> {
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, form, Right::Read)?;
        jobs::open_of(tx, form.form_no)
    })
}

/// The latest imports of a form that are known still, newest first, with the names of those who began them.
///
/// # Errors
/// 404.
pub fn recent_imports(app: &App, caller: &Caller, form: &str) -> Result<Vec<(EntryJob, String)>> {
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, form, Right::Read)?;
        let recent = jobs::imports_of(tx, form.form_no, MOST_RECENT)?.into_iter();
        let named = recent.map(|job| {
            let name = users::by_id(tx, job.user)?.name;
            Ok((job, name))
        });
        named.collect()
    })
}

/// Stops a job after its current piece; finished work stays. A job that is over stays as it is.
///
/// # Errors
/// 403, 404.
pub fn stop(app: &App, caller: &Caller, form: &str, job: &str) -> Result<Ticket<JobView>> {
    let (caller, form, token) = (caller.clone(), form.to_owned(), job.to_owned());
    Ok(app.store.submit(move |tx| {
        let (form, role, job) = find_own(tx, &caller, &form, &token)?;
        jobs::finish(tx, job.id, JobState::Stopped, None)?;
        let job = jobs::by_token(tx, form.form_no, &token)?.ok_or(Error::NotFound(Noun::Job))?;
        JobView::of(tx, &caller, role, job)
    }))
}

/// Begins the job that undoes another one, or finds it.
///
/// # Errors
/// 403, 404, 409 for a job that is not over or can't be undone.
pub fn undo(app: &App, caller: &Caller, form: &str, job: &str) -> Result<Ticket<JobView>> {
    let (caller, form, token) = (caller.clone(), form.to_owned(), job.to_owned());
    Ok(app.store.submit(move |tx| {
        let (form, role, job) = find_own(tx, &caller, &form, &token)?;
        let Some(kind) = undoing(job.kind) else {
            return Err(cannot_undo("Only an import and a move to the trash can be undone"));
        };
        if !job.state.is_over() {
            return Err(cannot_undo("The job is still running: stop it first, or wait until it is done"));
        }
        if let Some(by) = &job.undone_by {
            let by = jobs::by_token(tx, form.form_no, by)?.ok_or(Error::NotFound(Noun::Job))?;
            return JobView::of(tx, &caller, role, by);
        }
        let pieces = jobs::changed(tx, job.id)?;
        let begun = begin(tx, &caller, &form, kind, String::new(), pieces)?;
        jobs::set_undone(tx, job.id, begun.id)?;
        JobView::of(tx, &caller, role, begun)
    }))
}

fn cannot_undo(why: &str) -> Error {
    Error::Conflict(Code::CannotUndo, why.to_owned())
}

/// Stores a job.
///
/// # Errors
/// 429 when too many of the form are not over.
fn begin(
    tx: &Tx,
    caller: &Caller,
    form: &Form,
    kind: JobKind,
    payload: String,
    pieces: Vec<Vec<i64>>,
) -> Result<EntryJob> {
    let total: usize = pieces.iter().map(Vec::len).sum();
    let total = i64::try_from(total).unwrap_or(i64::MAX);
    store(tx, caller, form, NewJob { form_no: form.form_no, user: caller.user.id, kind, payload, pieces, total })
}

/// Stores a job of so many rows, whose entries are not known yet.
///
/// # Errors
/// As `begin`.
pub(in crate::ops) fn begin_counted(
    tx: &Tx,
    caller: &Caller,
    form: &Form,
    kind: JobKind,
    payload: String,
    total: i64,
) -> Result<EntryJob> {
    let pieces = Vec::new();
    store(tx, caller, form, NewJob { form_no: form.form_no, user: caller.user.id, kind, payload, pieces, total })
}

fn store(tx: &Tx, caller: &Caller, form: &Form, job: NewJob) -> Result<EntryJob> {
    if jobs::open_of(tx, form.form_no)?.len() >= MOST_OPEN {
        return Err(Error::TooManyOpen("Too many jobs of this form are not done: wait for one, or stop one", 5));
    }
    let action = match job.kind {
        JobKind::Trash => Some(Action::EntriesDeleted),
        JobKind::Update => Some(Action::EntriesUpdated),
        JobKind::Restore => Some(Action::EntriesRestored),
        // Noted once it is in.
        JobKind::Import => None,
    };
    if let Some(action) = action {
        audit::note_form(tx, By::caller(caller), action, form.token.as_str())?;
    }
    jobs::insert(tx, &job)
}
