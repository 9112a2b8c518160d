//! The checks of `formsvc doctor`: verify the stored data and repair the repairable parts. Nothing is changed unless
//! requested, and answers are never changed.

pub(in crate::ops) mod capacity;
pub mod environment_check;
pub(in crate::ops) mod files;
pub(in crate::ops) mod leftover_values;
pub mod sweeps;
pub mod unique_index;

use std::ops::ControlFlow;

use serde_json::Map;

use crate::base::clock;
use crate::base::error::{DataDirFault, Error, Result};
use crate::base::json::Json;
use crate::fields::filter::cond::Key;
use crate::fields::values::stored;
use crate::model::bits::Bits;
use crate::ops::app::App;
use crate::ops::entries::segments as segment_jobs;
use crate::query::form_cache::ParsedForm;
use crate::query::linked_entries;
use crate::query::segments::Segment;
use crate::store::accounts::users;
use crate::store::checkup;
use crate::store::entries::Table;
use crate::store::entries::entry_scan::{self, EntryRow};
use crate::store::entries::segments::{self, Due};

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckState {
    Ok,
    /// Needs attention.
    Warn,
    Fail,
}

/// A check and its result.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The name of the check.
    pub check: &'static str,
    pub state: CheckState,
    /// The result as a sentence for an owner.
    pub text: String,
    /// The values compared, to find the cause.
    pub detail: Option<String>,
    /// Further facts for programs, under stable keys.
    pub facts: Map<String, Json>,
}

const FAULTS_TOLD: usize = 10;
const LINKS: &str = "links";
const INSTANCE_KEY: &str = "instance key";
const DATABASE: &str = "database";

impl Finding {
    pub(in crate::ops) fn new(check: &'static str, state: CheckState, text: impl Into<String>) -> Self {
        Self { check, state, text: text.into(), detail: None, facts: Map::new() }
    }

    pub(in crate::ops) fn detailed(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    pub(in crate::ops) fn with(mut self, key: &str, fact: impl Into<Json>) -> Self {
        self.facts.insert(key.to_owned(), fact.into());
        self
    }
}

/// Whether there are answers to lose. A database that can't be read has none, as far as anybody can tell.
pub fn has_entries(app: &App) -> bool {
    app.store.read(checkup::has_entries).unwrap_or_default()
}

/// The finding for a data dir that can't be opened; `None` if it is missing, foreign, locked or of a newer version,
/// which are no failed checks.
pub fn of_fault(fault: &DataDirFault) -> Option<Finding> {
    let check = match fault {
        DataDirFault::Link(..) => LINKS,
        DataDirFault::WrongKey(..) => INSTANCE_KEY,
        DataDirFault::Damaged(..) | DataDirFault::Failed(..) => DATABASE,
        _ => return None,
    };
    let text = match fault {
        DataDirFault::Damaged(_, what) => damaged(what),
        other => other.to_string(),
    };
    Some(Finding::new(check, CheckState::Fail, text))
}

/// Runs all checks, each after those that it relies on. `sweep` and the later checks run only if the database is
/// intact: data in a damaged file can't be trusted and must not be written.
///
/// # Errors
/// A check could not be carried out.
pub fn examine(app: &App, fix: bool, sweep: impl FnOnce() -> Result<()>) -> Result<Vec<Finding>> {
    let database = database(app)?;
    let is_sound = database.state == CheckState::Ok;
    // Checked when the data dir was opened.
    let links = Finding::new(LINKS, CheckState::Ok, "no folder, key or database file in the data dir is a link");
    let key = "the instance key belongs to this database";
    let mut out = vec![links, Finding::new(INSTANCE_KEY, CheckState::Ok, key), database];
    if is_sound {
        sweep()?;
        out.push(accounts(app)?);
        out.push(counters(app, fix)?);
        out.push(keys(app, fix)?);
        out.push(capacity(app, fix)?);
        out.push(segments(app, fix)?);
        out.push(files(app, fix)?);
        out.push(removed_values(app, fix)?);
    }
    Ok(out)
}

/// `1 form`, `2 forms`.
fn counted(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

fn database(app: &App) -> Result<Finding> {
    let faults = app.store.integrity_faults(FAULTS_TOLD)?;
    Ok(match faults.first() {
        None => Finding::new(DATABASE, CheckState::Ok, "the database is whole"),
        Some(first) => Finding::new(DATABASE, CheckState::Fail, damaged(first)),
    })
}

fn damaged(what: &str) -> String {
    format!("the database is damaged ({what}): restore a backup")
}

/// Looks for accounts that were different before an upgrade and have one address since.
fn accounts(app: &App) -> Result<Finding> {
    const CHECK: &str = "accounts";
    let doubled = app.store.read(users::doubled_emails)?;
    if doubled.is_empty() {
        return Ok(Finding::new(CHECK, CheckState::Ok, "every account has its own email address"));
    }
    let text = format!(
        "these accounts have the address of another, written differently, and are found by exactly this spelling alone \
         ({}): delete one of the two",
        doubled.join(", ")
    );
    Ok(Finding::new(CHECK, CheckState::Warn, text))
}

fn counters(app: &App, fix: bool) -> Result<Finding> {
    let wrong = app.store.miscounted()?;
    let count = wrong.len();
    if count == 0 {
        let text = "the entry count of every form is right";
        return Ok(Finding::new("counters", CheckState::Ok, text));
    }
    if !fix {
        let text = format!("the entry count of {} is wrong: run doctor --fix", counted(count, "form", "forms"));
        return Ok(Finding::new("counters", CheckState::Fail, text));
    }
    for form_no in wrong {
        app.store.write(move |tx| checkup::recount(tx, form_no))?;
    }
    let text = format!("the entries of {} were counted again", counted(count, "form", "forms"));
    Ok(Finding::new("counters", CheckState::Warn, text))
}

/// Searches the entries for values of removed fields and choices.
fn removed_values(app: &App, fix: bool) -> Result<Finding> {
    const CHECK: &str = "removed values";
    let leftover_values::LeftoverFindings { wrong, waiting, in_file } = leftover_values::look(app, fix)?;
    Ok(match (wrong, waiting) {
        (0, 0) => {
            let text = "no entry holds values of removed fields or choices";
            Finding::new(CHECK, CheckState::Ok, text)
        }
        (0, waiting) if fix => {
            let text =
                format!("the entries of {} were adapted to their changed fields", counted(waiting, "form", "forms"));
            Finding::new(CHECK, CheckState::Ok, text)
        }
        (0, _) if in_file > 0 => {
            let text = "unused parts of the database file may still hold values of removed fields or \
                        choices: they go when the service has a quiet moment, or with doctor --fix";
            Finding::new(CHECK, CheckState::Warn, text)
        }
        (0, waiting) => {
            let text = format!(
                "the entries of {} are being adapted to their changed fields",
                counted(waiting, "form", "forms")
            );
            Finding::new(CHECK, CheckState::Ok, text)
        }
        (wrong, _) if fix => {
            let text =
                format!("values of removed fields or choices were deleted from {}", counted(wrong, "entry", "entries"));
            Finding::new(CHECK, CheckState::Warn, text)
        }
        (wrong, _) => Finding::new(
            CHECK,
            CheckState::Fail,
            format!(
                "values of removed fields or choices are left in {}: run doctor --fix",
                counted(wrong, "entry", "entries")
            ),
        ),
    })
}

/// Compares the keys of unique values with the entries.
fn keys(app: &App, fix: bool) -> Result<Finding> {
    let unique_index::Checked { looked_at, wrong, doubled, outdated, unfinished } = unique_index::run(app, fix)?;
    if !doubled.is_empty() {
        let named = doubled.join("; ");
        let text = format!("two entries have the same value of a unique field ({named}): change one of each two");
        return Ok(Finding::new("keys", CheckState::Fail, text));
    }
    Ok(match (wrong, fix) {
        (0, _) if unfinished > 0 => Finding::new(
            "keys",
            CheckState::Warn,
            format!("{} changed during the check: run doctor again", counted(unfinished, "form", "forms")),
        ),
        (0, _) if outdated > 0 => Finding::new(
            "keys",
            CheckState::Ok,
            format!(
                "the index of unique values of {} is rebuilt after the upgrade, by the service or by doctor --fix",
                counted(outdated, "form", "forms")
            ),
        ),
        (0, _) => Finding::new("keys", CheckState::Ok, "the index of unique values matches the entries"),
        (wrong, false) => Finding::new(
            "keys",
            CheckState::Fail,
            "the index of unique values differs from the entries, so that a value could be stored twice: run doctor --fix",
        )
        .detailed(format!("wrong or missing: {wrong} of {}", counted(looked_at, "key", "keys"))),
        (wrong, true) => {
            Finding::new("keys", CheckState::Warn, "the index of unique values was corrected")
                .detailed(format!("{} wrong or missing", counted(wrong, "key was", "keys were")))
        }
    })
}

/// Compares the counted amounts of quotas, stock and places with the entries.
fn capacity(app: &App, fix: bool) -> Result<Finding> {
    const CHECK: &str = "capacity";
    let capacity::CapacityFindings { wrong, unfinished } = capacity::look(app, fix)?;
    let (state, text) = match (wrong, fix) {
        (0, _) if unfinished > 0 => {
            let text = format!(
                "{} could not be checked during an import: run doctor again",
                counted(unfinished, "form", "forms")
            );
            (CheckState::Warn, text)
        }
        (0, _) => {
            let text = "quotas, stock and places match the entries";
            (CheckState::Ok, text.to_owned())
        }
        (wrong, false) => {
            let counts =
                counted(wrong, "count of quotas, stock or places differs", "counts of quotas, stock or places differ");
            let text = format!("{counts} from the entries: run doctor --fix");
            (CheckState::Fail, text)
        }
        (wrong, true) => {
            let counts =
                counted(wrong, "count of quotas, stock or places was", "counts of quotas, stock or places were");
            let text = format!("{counts} corrected");
            (CheckState::Warn, text)
        }
    };
    Ok(Finding::new(CHECK, state, text))
}

/// Compares each stored file with its hash and with the rows that refer to it.
fn files(app: &App, fix: bool) -> Result<Finding> {
    let files::FileFindings { looked_at, lost, first_lost, stray } = files::look(app, fix)?;
    Ok(if let Some(first) = first_lost {
        let text = format!(
            "{lost} of {} missing or altered: restore them from a backup",
            counted(looked_at, "stored file", "stored files")
        );
        Finding::new("files", CheckState::Fail, text).detailed(format!("the first is {first}"))
    } else if stray == 0 {
        let text = "every stored file is whole";
        Finding::new("files", CheckState::Ok, text)
            .detailed(format!("{} compared", counted(looked_at, "file", "files")))
    } else if fix {
        let files = counted(stray, "unused or miscounted file was", "unused or miscounted files were");
        let text = format!("{files} removed or recounted");
        Finding::new("files", CheckState::Warn, text)
    } else {
        let files = counted(stray, "stored file is", "stored files are");
        let text = format!("{files} unused or miscounted: run doctor --fix");
        Finding::new("files", CheckState::Warn, text)
    })
}

/// Compares each segment with its entries.
fn segments(app: &App, fix: bool) -> Result<Finding> {
    let (mut looked_at, mut wrong) = (0, 0);
    for due in app.store.read(segments::begun)? {
        let parsed = app.store.read(|tx| match linked_entries::live(tx, &due.token)? {
            Some(form) => app.cache.parsed(tx, &form).map(Some),
            None => Ok(None),
        })?;
        let Some(parsed) = parsed else { continue };
        let (form_no, made) = (due.form_no, app.store.read(|tx| segments::made(tx, due.form_no))?);
        for block in made {
            looked_at += 1;
            if agrees(app, &due, &parsed, block)? {
                continue;
            }
            wrong += 1;
            if fix {
                app.store.write(move |tx| segments::forget(tx, form_no, block))?;
            }
        }
    }
    if fix {
        segment_jobs::build(app)?;
        segment_jobs::rebuild(app)?;
    }
    Ok(match (wrong, fix) {
        (0, _) => Finding::new("segments", CheckState::Ok, "the index for filters matches the entries")
            .detailed(format!("{} of entries compared", counted(looked_at, "block", "blocks"))),
        (wrong, false) => Finding::new(
            "segments",
            CheckState::Fail,
            "the index for filters differs from the entries, so that filters may find the wrong ones: run doctor --fix",
        )
        .detailed(format!("different: {wrong} of {} of entries", counted(looked_at, "block", "blocks"))),
        (wrong, true) => Finding::new(
            "segments",
            CheckState::Warn,
            "the index for filters was rebuilt where it differed from the entries",
        )
        .detailed(format!("rebuilt: {wrong} of {} of entries", counted(looked_at, "block", "blocks"))),
    })
}

/// Whether the segments of a block match its entries. Entries that changed since are skipped, because queries evaluate
/// them directly.
fn agrees(app: &App, due: &Due, parsed: &ParsedForm, block: i64) -> Result<bool> {
    let form_no = due.form_no;
    // Segments and entries are read from one snapshot.
    app.store.read(|tx| {
        let Some(live) = segments::live(tx, form_no, block)? else {
            return Ok(true);
        };
        let changes = segments::changes(tx, form_no, block)?;
        let changed = Bits::of(changes.iter().map(|change| segments::row_of(change.serial)));
        let mut kept = Vec::new();
        for column in parsed.columns() {
            let slot = segments::slot(tx, form_no, &column.name, column.mark)?;
            let Some(slot) = slot else { continue };
            let read = segments::with(tx, form_no, slot, block, |data| {
                let segment = Segment::read(data)?;
                Some((segment.cells()?, segment.unknown().clone()))
            })?;
            match read {
                None => {}
                Some(None) => return Ok(false),
                Some(Some((cells, unknown))) => kept.push((column, cells.into_iter(), unknown)),
            }
        }
        let mut kept: Vec<_> =
            kept.into_iter().map(|(column, cells, unknown)| (column, cells.peekable(), unknown)).collect();
        let mut rows = Bits::none();
        let cx = parsed.cx(clock::now(), false);
        let mut compare = |entry: EntryRow| {
            let row = segments::row_of(entry.serial);
            rows.add(row);
            let values = stored::values(entry.values).map_err(Error::internal)?;
            let head = entry.head();
            for (column, cells, unknown) in &mut kept {
                while cells.next_if(|(kept, _)| *kept < row).is_some() {}
                let own = cells.next_if(|(kept, _)| *kept == row);
                if changed.has(row) || unknown.has(row) {
                    continue;
                }
                let mut now = column.cells(&parsed.definition.fields, &head, &values, &cx);
                now.retain(|cell: &Vec<Key>| !cell.is_empty());
                if own.map_or_else(Vec::new, |(_, cells)| cells) != now {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        };
        let (first, last) = (segments::last_of(block - 1), segments::last_of(block));
        let flow = entry_scan::scan(tx, Table::Live, form_no, first, last, &mut compare)?;
        if flow.is_break() {
            return Ok(false);
        }
        Ok(rows.without(&changed) == live.without(&changed))
    })
}
