//! Updates the entries of a form after an edit of its definition, rules, language or exam: values of removed fields and
//! choices are deleted from everything that stores them, and formulas and scores are computed again. The edit requests
//! this in its own transaction. The work is done in chunks that let other writes through, and resumes after a restart.
//! `updated_at` stays and no events are written, because nobody edited an entry. Rules decide as of the time when the
//! entry was last saved; an entry with another score says when it got that. Prices stay.

use std::time::Duration;

use serde_json::json;

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::secret::Purpose;
use crate::fields::values::{rewrite, stored};
use crate::fields::{Fields, files};
use crate::model::capacity::TakenAmount;
use crate::model::entry::Entry;
use crate::ops::app::App;
use crate::ops::checkup::sweeps;
use crate::ops::entries::{after_submission, segments};
use crate::ops::forms::removed_values;
use crate::ops::{self, capacity};
use crate::query::form_cache::ParsedForm;
use crate::query::linked_entries;
use crate::store::db::backoff::Backoff;
use crate::store::db::tx::Tx;
use crate::store::delivery::events;
use crate::store::entries::idempotency::{self, AnswerRow};
use crate::store::entries::{Table, listing};
use crate::store::files::{entry_files as rows, uploads};
use crate::store::forms;
use crate::store::forms::rewrites::{self, Rewrite, RewrittenValues, Stage};
use crate::store::{Maintenance, transfer};

/// Limits of one chunk: entries, and bytes of their values.
const PIECE: usize = 256;
const PIECE_BYTES: usize = 1 << 20;
/// Stored answers and events, and expected uploads, per transaction.
const ANSWERS: usize = 100;
const UPLOADS: usize = 1_000;
/// A database file up to this size is vacuumed at once, in a fraction of a second; a larger one only when no writes
/// arrive.
const SMALL_FILE: usize = 16 << 20;
const QUIET: Duration = Duration::from_millis(500);
/// Maximum attempts of a step that other work may block, and the pause between them.
const TRIES: usize = 20;
const BETWEEN_TRIES: Duration = Duration::from_millis(100);
/// The pause when another thread is rewriting the same form.
const ASIDE: Duration = Duration::from_millis(50);

/// Processes all pending rewrites; returns how many forms are finished.
pub fn run(app: &App) -> Result<usize> {
    let (mut done, mut failed) = (0, None);
    for Rewrite { form_no, .. } in app.store.read(rewrites::all)? {
        let mut backoff = Backoff::begin(&app.store);
        let finished = entries_of(app, form_no, || backoff.rest(&app.store)).and_then(|()| rest(app, form_no));
        let finished = finished.and_then(|()| file(app, form_no));
        match finished {
            Ok(is_done) => done += usize::from(is_done),
            Err(Error::Busy(why, wait)) => return Err(Error::Busy(why, wait)),
            // Reported at the end, so that one failure does not block the other forms.
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(done), Err)
}

/// Requests that formulas and scores are computed again, in the transaction that changes their inputs.
///
/// # Errors
/// `Busy` while an import, whose entries were made before the change, is not all there.
pub fn recompute(tx: &Tx, form_no: i64) -> Result<()> {
    if transfer::first_hidden(tx, form_no)?.is_some() {
        return Err(Error::Busy("an import is in progress", 1));
    }
    rewrites::start(tx, form_no, false, true)
}

/// The warning for such a change when the rewrite takes longer than the request.
pub fn warning(attribute: &str) -> Issue {
    let reason = "formulas and scores of existing entries are still being recomputed";
    Issue::new(attribute.to_owned(), Reason::other(reason))
}

/// Rewrites the remaining entries of one form before the edit's response is sent; returns whether all entries show the
/// new fields. If this fails, or other edits take longer than a request waits, the background job continues.
pub fn entries_now(app: &App, form_no: i64) -> bool {
    let Some(_turn) = app.forms.rewriting.begin(&form_no.to_string(), app.config.request_timeout) else {
        return false;
    };
    for _ in 0..TRIES {
        match entries_of(app, form_no, || Ok(())) {
            Ok(()) => return true,
            Err(Error::Busy(..)) if !app.store.is_closed() => std::thread::sleep(BETWEEN_TRIES),
            Err(error) => {
                tracing::warn!("entries are rewritten later: {error:?}");
                return false;
            }
        }
    }
    false
}

/// Rewrites all entries of a form; calls `pause` between chunks.
fn entries_of(app: &App, form_no: i64, mut pause: impl FnMut() -> Result<()>) -> Result<()> {
    loop {
        if app.store.is_closed() {
            return Err(Error::Busy("the service is shutting down", 5));
        }
        let Some(piece) = app.store.read(|tx| look(app, tx, form_no))? else {
            return Ok(());
        };
        match app.store.write(move |tx| piece.keep(tx)) {
            Ok(()) => pause()?,
            Err(Error::Stale) => std::thread::sleep(ASIDE),
            Err(error) => return Err(error),
        }
    }
}

/// A chunk of entries as read, and the new values of those that change.
struct RewriteBatch {
    rewrite: Rewrite,
    table: Table,
    version: i64,
    new: Vec<(RewrittenValues, Option<Vec<String>>, Takes)>,
    /// The last serial number in the chunk; `None` at the end of the table.
    upto: Option<i64>,
}

/// The amounts that an entry took before, and takes now.
struct Takes {
    before: Vec<TakenAmount>,
    after: Vec<TakenAmount>,
}

/// Reads the next chunk; `None` if all entries are done.
fn look(app: &App, tx: &Tx, form_no: i64) -> Result<Option<RewriteBatch>> {
    let Some(rewrite) = rewrites::of_form(tx, form_no)? else {
        return Ok(None);
    };
    let Stage::Entries(table) = rewrite.stage else {
        return Ok(None);
    };
    let form = forms::by_number(tx, form_no)?;
    let parsed = app.cache.parsed(tx, &form)?;
    let (seen, upto) = next(tx, form_no, table, rewrite.after)?;
    let found = linked_entries::of_entries(&app.cache, tx, &parsed, &seen)?;
    let fields = &parsed.definition.fields;
    let mut new = Vec::new();
    for entry in seen {
        let before = stored::values(&entry.values).map_err(Error::internal)?;
        let cx = parsed.cx_with(entry.updated_at, false, &found);
        let rules = rewrite.recomputes.then_some(&parsed.rules);
        let rewritten = rewrite::rewrite(fields, rules, &before, &cx);
        let shows_other = rewritten.as_ref().is_some_and(|it| it.shows_other);
        let values = rewritten.map(|it| it.values);
        let results = if rewrite.recomputes {
            let values = values.as_ref().unwrap_or(&before);
            parsed.results_again(values, &entry.results, tx.now, &cx)
        } else {
            entry.results.clone()
        };
        let is_rescored = results != entry.results;
        if values.is_none() && !is_rescored {
            continue;
        }
        let now = values.as_ref().unwrap_or(&before);
        let takes = Takes {
            before: capacity::taken_amounts(&parsed, &before, &entry.results),
            after: capacity::taken_amounts(&parsed, now, &results),
        };
        let kept = files::ids(now);
        let loses_files = files::ids(&before).len() != kept.len();
        let own = RewrittenValues {
            serial: entry.serial,
            new: values.map_or_else(|| entry.values.clone(), |values| stored::text(&values)),
            old: entry.values,
            old_results: entry.results.to_stored(),
            new_results: results.to_stored(),
            is_visible: shows_other || is_rescored,
        };
        new.push((own, loses_files.then_some(kept), takes));
    }
    Ok(Some(RewriteBatch { rewrite, table, version: form.version, new, upto }))
}

/// The next entries of a table, and the last serial number among them; `None` at the end.
fn next(tx: &Tx, form_no: i64, table: Table, after: i64) -> Result<(Vec<Entry>, Option<i64>)> {
    let seen = listing::walk_some(tx, form_no, table, after, PIECE, PIECE_BYTES)?;
    let upto = seen.last().map(|entry| entry.serial);
    Ok((seen, upto))
}

impl RewriteBatch {
    /// Stores the chunk if the rewrite has not advanced and the form has not changed since it was read.
    fn keep(self, tx: &Tx) -> Result<()> {
        let form_no = self.rewrite.form_no;
        rewrites::check_current(tx, &self.rewrite)?;
        if forms::by_number(tx, form_no)?.version != self.version {
            return Err(Error::Stale);
        }
        for (new, kept_files, takes) in &self.new {
            if !rewrites::replace(tx, form_no, self.table, new)? {
                continue;
            }
            if self.table == Table::Live {
                capacity::replace(tx, form_no, &takes.before, &takes.after)?;
            }
            if let Some(kept) = kept_files {
                rows::replace(tx, form_no, new.serial, kept, &[])?;
            }
        }
        match self.upto {
            Some(upto) => rewrites::advance(tx, &self.rewrite, upto),
            None => rewrites::finish_table(tx, &self.rewrite),
        }
    }
}

/// Deletes values of removed fields from everything besides entries, once the entries are done. After a crash it starts
/// over; steps that were completed find nothing to do.
fn rest(app: &App, form_no: i64) -> Result<()> {
    let rewrite = app.store.read(|tx| rewrites::of_form(tx, form_no))?;
    let Some(rewrite) = rewrite.filter(|rewrite| rewrite.stage == Stage::Rest) else {
        return Ok(());
    };
    let (parsed, linking, is_importing) = app.store.read(|tx| {
        let form = forms::by_number(tx, form_no)?;
        let linking = forms::linking_to(tx, &form.token)?.into_iter();
        let linking =
            linking.map(|form_no| app.cache.parsed(tx, &forms::by_number(tx, form_no)?)).collect::<Result<Vec<_>>>()?;
        let is_importing = transfer::is_staging(tx, form_no)?;
        Ok((app.cache.parsed(tx, &form)?, linking, is_importing))
    })?;
    // Staged rows of an import that began before the edit stay until the import is discarded.
    if is_importing {
        return Ok(());
    }
    // Answers and events of forms that link to this one contain values of its entries.
    for parsed in std::iter::once(&parsed).chain(&linking) {
        answers(app, parsed)?;
        stored_events(app, parsed)?;
    }
    expected_files(app, &parsed)?;
    sweeps::entry_keys(app)?;
    segments::drop_other_columns(app, &parsed)?;
    sweeps::files(app)?;
    match app.store.write(move |tx| rewrites::finish_rest(tx, &rewrite)) {
        Err(Error::Stale) => Ok(()),
        ended => ended,
    }
}

/// Vacuums the database file, whose free pages still contain deleted data; returns whether the form is finished.
/// Vacuuming blocks writers, so a large file waits until no writes arrive.
fn file(app: &App, form_no: i64) -> Result<bool> {
    let rewrite = match app.store.read(|tx| rewrites::of_form(tx, form_no))? {
        None => return Ok(true),
        Some(rewrite) if rewrite.stage != Stage::File => return Ok(false),
        Some(rewrite) => rewrite,
    };
    if app.store.read(rewrites::file_size)? > SMALL_FILE && !is_quiet(app) {
        return Ok(false);
    }
    // While other processes read an old snapshot, its pages can't be reclaimed, and each attempt would only grow the
    // log.
    for tidying in [Maintenance::EmptyLog, Maintenance::Vacuum, Maintenance::EmptyLog] {
        if !maintain(app, tidying)? {
            tracing::debug!("others use the database file: it is cleaned later");
            return Ok(false);
        }
    }
    app.store.write(move |tx| rewrites::finish(tx, &rewrite))?;
    Ok(true)
}

/// Whether no write arrives for a moment.
fn is_quiet(app: &App) -> bool {
    let before = app.store.writes();
    std::thread::sleep(QUIET);
    app.store.writes() == before
}

fn maintain(app: &App, tidying: Maintenance) -> Result<bool> {
    for _ in 0..TRIES {
        if app.store.maintain(tidying)? {
            return Ok(true);
        }
        std::thread::sleep(BETWEEN_TRIES);
    }
    Ok(false)
}

/// Deletes expected uploads for removed fields.
fn expected_files(app: &App, parsed: &ParsedForm) -> Result<()> {
    let form_no = parsed.form_no;
    for (field, dimension) in app.store.read(|tx| uploads::fields(tx, form_no))? {
        if has_place(&parsed.definition.fields, &field, dimension.as_deref()) {
            continue;
        }
        loop {
            let (field, dimension) = (field.clone(), dimension.clone());
            let gone =
                app.store.write(move |tx| uploads::forget_of(tx, form_no, (&field, dimension.as_deref()), UPLOADS))?;
            if gone < UPLOADS {
                break;
            }
        }
    }
    Ok(())
}

fn has_place(fields: &Fields, field: &str, dimension: Option<&str>) -> bool {
    fields.get(field).is_some_and(|field| {
        let mut columns = field.kind.sub_fields().iter();
        dimension.is_none_or(|code| columns.any(|column| column.api_code == code))
    })
}

/// Deletes values of removed fields and choices from stored events.
fn stored_events(app: &App, parsed: &ParsedForm) -> Result<()> {
    let mut after = 0;
    loop {
        let (last, changed) = app.store.read(|tx| {
            let piece = events::after(tx, parsed.form_no, after, ANSWERS, PIECE_BYTES)?;
            let mut changed = Vec::new();
            for event in &piece {
                if let Some(body) = ops::delivery::events::without_removed(app, tx, parsed, &event.body)? {
                    changed.push((event.id, body));
                }
            }
            Ok((piece.last().map(|event| event.id), changed))
        })?;
        let Some(last) = last else {
            return Ok(());
        };
        after = last;
        if !changed.is_empty() {
            app.store.write(move |tx| changed.iter().try_for_each(|(id, body)| events::replace_body(tx, *id, body)))?;
        }
    }
}

/// Deletes values of removed fields and choices from stored answers: a repeated request gets the first answer without
/// them.
fn answers(app: &App, parsed: &ParsedForm) -> Result<()> {
    let form_no = parsed.form_no;
    let mut last: Option<AnswerRow> = None;
    loop {
        let piece = app.store.read(|tx| {
            let piece = idempotency::page(tx, form_no, last.as_ref(), ANSWERS)?;
            let mut out = Vec::new();
            for kept in piece {
                let other = match ops::entries::idempotency::opened(app.keys(), &kept.answer) {
                    Some(text) => cleaned(app, tx, parsed, &text)?,
                    None => None,
                };
                out.push((kept, other));
            }
            Ok(out)
        })?;
        let Some((newest, _)) = piece.last() else {
            return Ok(());
        };
        last = Some(newest.clone());
        let keys = app.store.shared_keys();
        app.store.write(move |tx| {
            for (kept, other) in piece {
                if let Some(other) = other {
                    let sealed = keys.seal(Purpose::IdempotentAnswer, other.as_bytes())?;
                    idempotency::replace(tx, form_no, &kept, &sealed)?;
                }
            }
            Ok(())
        })?;
    }
}

/// Returns the new text of a stored answer, or `None` if it stays. An answer is an entry preceded by a line with its
/// tag, or a submission's answer with the entry and the form's closing message.
fn cleaned(app: &App, tx: &Tx, parsed: &ParsedForm, text: &str) -> Result<Option<String>> {
    if text.is_empty() {
        return Ok(None);
    }
    let (tag, body) = match text.split_once('\n') {
        Some((tag, body)) => (Some(tag), body),
        None => (None, text),
    };
    let mut answer: Json = serde_json::from_str(body).map_err(Error::internal)?;
    let is_submission = answer.get("after_submission").is_some();
    let shown = if is_submission { &mut answer["entry"] } else { &mut answer };
    let serial = shown["serial_number"].as_i64().unwrap_or_default();
    if !removed_values::take_out(app, tx, parsed, shown, is_submission)? {
        return Ok(None);
    }
    if is_submission {
        let entry = removed_values::today(tx, parsed.form_no, serial)?;
        let found = linked_entries::of_entries(&app.cache, tx, parsed, [&entry])?;
        let cx = parsed.cx_with(tx.now, true, &found);
        answer["after_submission"] = json!(after_submission::group(parsed, &entry, &cx));
    }
    Ok(Some(match tag {
        Some(tag) => format!("{tag}\n{answer}"),
        None => answer.to_string(),
    }))
}
