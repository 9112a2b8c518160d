//! Entries out of a file that somebody sends: checked row by row outside the writer, put aside in pieces, and
//! there for all to see at once, or not at all (contract section 4). Nothing here keeps a whole file's
//! entries in memory.

mod csv;
mod table;
mod xlsx;

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use serde_json::{Map, json};

use crate::base::clock;
use crate::base::error::{Error, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::fields::files::FoundFiles;
use crate::fields::links::{Found, NOTHING};
use crate::fields::sheet::form::heads;
use crate::fields::sheet::header::Reading;
use crate::fields::stored;
use crate::fields::values;
use crate::model::audit::Action;
use crate::model::caller::Caller;
use crate::model::entry::NewEntry;
use crate::model::form::Form;
use crate::ops::access::{self, Right};
use crate::ops::audit::{self, By};
use crate::ops::cache::ParsedForm;
use crate::ops::{App, Ticket, exact_keys, links};
use crate::store::imports::{self, Row};
use crate::store::{entries, entry_keys, forms};

/// Bytes of a file.
pub const MAX_BYTES: u64 = 16 << 20;
/// Rows of a file.
pub const MAX_ROWS: usize = 200_000;
/// Columns of a file, or as many as the form has.
const MAX_COLUMNS: usize = 500;
/// Faults that are told.
const MAX_FAULTS: usize = 1_000;
/// Rows that are checked, and put aside, together.
const PIECE_ROWS: usize = 250;
const PIECE_BYTES: usize = 256 << 10;

/// How an import is getting on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// So many rows are checked.
    Checked(usize),
    /// Of so many rows, so many are in.
    Stored(usize, usize),
}

/// What became of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// Entries that were added.
    pub created: usize,
    /// Rows that the file has.
    pub rows: usize,
}

/// The JSON Schema of the answer.
pub fn answer_schema() -> Json {
    json!({
        "type": "object",
        "properties": {
            "created": {"type": "integer", "minimum": 0, "description": "How many entries were added; 0 when they were only checked."},
            "rows": {"type": "integer", "minimum": 0, "description": "How many rows the file has, its header aside."},
            "dry_run": {"type": "boolean", "description": "Whether they were only checked."},
        },
        "required": ["created", "rows", "dry_run"],
    })
}

/// Adds the entries of a file on the owner's behalf, or only checks them.
///
/// # Errors
/// 400 for text that is not UTF-8, 403, 404, 422 with the faults of all rows, `Stale` when the form changed
/// meanwhile.
pub fn run(
    app: &App,
    caller: &Caller,
    token: &str,
    file: &[u8],
    dry_run: bool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Done> {
    let (form, parsed, forms_found) = app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, Right::Enter)?;
        let parsed = app.cache.parsed(tx, &form)?;
        let found = links::forms_of(&app.cache, tx, &parsed)?;
        Ok((form, parsed, found))
    })?;
    let mut import = Import {
        app,
        form,
        creator: caller.user.name.clone(),
        forms_found,
        has_unique: parsed.definition.fields.iter().any(|field| field.unique),
        parsed,
        dry_run,
        reading: None,
        at: Issues::new(),
        rows: 0,
        waiting: Vec::new(),
        seen: HashSet::new(),
        hashers: [RandomState::new(), RandomState::new()],
        piece: Vec::new(),
        piece_bytes: 0,
        staged: None,
        is_full: false,
        progress,
    };
    let outcome = import.go_through(file);
    match &outcome {
        Err(_) => import.give_up(),
        Ok(done) if done.created > 0 => {
            let (by, token) = (By::caller(caller), token.to_owned());
            app.store
                .write(move |tx| audit::note_form(tx, by, Action::EntriesImported, &token))?;
        }
        Ok(_) => {}
    }
    outcome
}

/// An import under way.
struct Import<'a> {
    app: &'a App,
    form: Form,
    parsed: Arc<ParsedForm>,
    creator: String,
    /// The forms that are linked to.
    forms_found: Found,
    has_unique: bool,
    dry_run: bool,
    /// What the header row says; none before it.
    reading: Option<Reading>,
    at: Issues,
    /// Rows so far.
    rows: usize,
    /// Rows that are read and not yet checked, each with its place in the file.
    waiting: Vec<(usize, Vec<String>)>,
    /// Hashes of what no other entry may have, be it one of this file.
    seen: HashSet<[u64; 2]>,
    hashers: [RandomState; 2],
    /// Rows that are checked and not yet put aside, each with its place in the file.
    piece: Vec<(usize, Row)>,
    piece_bytes: usize,
    /// The import's number once a piece is put aside.
    staged: Option<Staged>,
    /// Whether no more faults are told.
    is_full: bool,
    progress: &'a mut dyn FnMut(Progress),
}

/// An import that has pieces in the store.
struct Staged {
    number: i64,
    /// How many rows its pieces have.
    rows: usize,
    /// The last piece, as long as it is not known to be in.
    last: Option<Last>,
}

/// A piece on its way into the store.
struct Last {
    ticket: Ticket<Vec<(usize, u32)>>,
    /// The number of its first row.
    first: usize,
    rows: Arc<Vec<Row>>,
    /// Where its rows stand in the file.
    places: Vec<usize>,
}

impl Import<'_> {
    fn go_through(&mut self, file: &[u8]) -> Result<Done> {
        let cx = self.parsed.cx_with(clock::now(), false, &self.forms_found);
        let own = heads(&self.parsed.definition.fields, &cx).len();
        let limits = table::Limits {
            rows: MAX_ROWS,
            columns: MAX_COLUMNS.max(own),
        };
        let mut take = |place: Option<usize>, row: Vec<String>| self.take(place, row);
        if xlsx::is_one(file) {
            xlsx::read(file, &limits, &mut take)?;
        } else {
            csv::read(file, &limits, &mut take)?;
        }
        if self.reading.is_none() {
            return Err(Error::invalid("header", "is missing: the file is empty"));
        }
        self.check_waiting()?;
        if self.at.is_empty() && !self.dry_run {
            return self.finish();
        }
        self.settle_last()?;
        self.end_faults()?;
        Ok(Done {
            created: 0,
            rows: self.rows,
        })
    }

    /// A row of the file: the first one is the header, which has no place.
    fn take(&mut self, place: Option<usize>, row: Vec<String>) -> Result<()> {
        let Some(place) = place else {
            let cx = self.parsed.cx_with(clock::now(), false, &self.forms_found);
            let fields = &self.parsed.definition.fields;
            self.reading = Some(Reading::of_header(fields, &row, &cx, &mut self.at));
            // Under a header that is wrong nothing is right.
            return std::mem::take(&mut self.at).into_result();
        };
        self.rows += 1;
        self.waiting.push((place, row));
        if self.waiting.len() >= PIECE_ROWS {
            self.check_waiting()?;
        }
        Ok(())
    }

    /// Checks the rows that wait, and puts a piece aside when it is large enough.
    fn check_waiting(&mut self) -> Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        if self.is_full || waiting.is_empty() {
            return Ok(());
        }
        let given: Vec<Given> = waiting
            .into_iter()
            .map(|(place, row)| self.read_row(place, &row))
            .collect();
        if self.parsed.links || self.has_unique {
            let (app, parsed) = (self.app, Arc::clone(&self.parsed));
            app.store.read(|tx| {
                let wanted = given.iter().map(|given| Some(&given.values));
                let mut found = links::of_new(&app.cache, tx, &parsed, wanted)?;
                // A spreadsheet brings no files.
                found.files = FoundFiles::NONE;
                for given in given {
                    self.check(given, &found, &mut |form_no, field, key| {
                        entry_keys::is_taken(tx, form_no, field, key, None)
                    })?;
                }
                Ok(())
            })?;
        } else {
            for given in given {
                self.check(given, &NOTHING, &mut |_, _, _| Ok(false))?;
            }
        }
        (self.progress)(Progress::Checked(self.rows));
        if self.piece.len() >= PIECE_ROWS || self.piece_bytes >= PIECE_BYTES {
            self.put_aside()?;
        }
        Ok(())
    }

    fn read_row(&mut self, place: usize, row: &[String]) -> Given {
        let cx = self.parsed.cx_with(clock::now(), false, &self.forms_found);
        let mut at = Issues::new();
        let fields = &self.parsed.definition.fields;
        let (values, faulty) = match &self.reading {
            Some(reading) => reading.given(fields, row, &cx, &mut at),
            None => (Map::new(), Vec::new()),
        };
        Given {
            place,
            values,
            faulty: faulty.into_iter().map(str::to_owned).collect(),
            faults: at.into_list(),
        }
    }

    /// Checks one row as an entry is checked.
    fn check(
        &mut self,
        given: Given,
        found: &Found,
        is_taken: &mut dyn FnMut(i64, u32, &str) -> Result<bool>,
    ) -> Result<()> {
        if self.is_full {
            return Ok(());
        }
        let place = given.place;
        let parsed = Arc::clone(&self.parsed);
        let cx = parsed.cx_with(clock::now(), false, found);
        let mut at = Issues::new();
        let fields = &parsed.definition.fields;
        let raw = Json::Object(given.values);
        let stored = values::create(fields, &parsed.rules, raw, &cx, &mut at);
        let mut faults = given.faults;
        // What could not be read is not called missing besides.
        faults.extend(at.into_list().into_iter().filter(|fault| {
            let field = fault.attribute.strip_prefix("field_values.");
            let field = field.unwrap_or_default();
            let whole = field.split(['.', '[']).next().unwrap_or_default();
            !given.faulty.iter().any(|code| code == whole)
        }));
        let unique = exact_keys::unique(&parsed, &stored, &cx);
        for (field, key) in &unique {
            let hash = self
                .hashers
                .each_ref()
                .map(|state| state.hash_one((field, key)));
            if !self.seen.insert(hash) || is_taken(self.form.form_no, *field, key)? {
                faults.push(exact_keys::taken(*field));
            }
        }
        if !faults.is_empty() {
            self.fault(place, faults);
            return Ok(());
        }
        if self.dry_run || !self.at.is_empty() {
            return Ok(());
        }
        let row = Row {
            values: stored::text(&stored),
            keys: exact_keys::of(&parsed, &stored, &cx),
            unique,
        };
        self.piece_bytes += row.values.len();
        self.piece.push((place, row));
        Ok(())
    }

    /// Notes the faults of a row.
    fn fault(&mut self, place: usize, faults: Vec<Issue>) {
        for fault in faults {
            if self.at.count() >= MAX_FAULTS {
                self.is_full = true;
                return;
            }
            let attribute = fault.attribute.as_str();
            let inner = attribute.strip_prefix("field_values.").unwrap_or(attribute);
            self.at.key("rows", |at| {
                at.index(place, |at| at.push_at(inner, fault.message));
            });
        }
        // What was to be stored never will be.
        self.piece.clear();
    }

    /// Puts the checked rows aside, while the next ones are checked.
    fn put_aside(&mut self) -> Result<()> {
        self.settle_last()?;
        if self.piece.is_empty() || !self.at.is_empty() {
            return Ok(());
        }
        let number = match &self.staged {
            Some(staged) => staged.number,
            None => {
                let (form_no, version) = (self.form.form_no, self.form.version);
                let creator = self.creator.clone();
                let number = patiently(|| {
                    let creator = creator.clone();
                    self.app
                        .store
                        .write(move |tx| imports::begin(tx, form_no, version, &creator))
                })?;
                self.staged = Some(Staged {
                    number,
                    rows: 0,
                    last: None,
                });
                number
            }
        };
        self.piece_bytes = 0;
        let (places, rows): (Vec<usize>, Vec<Row>) =
            std::mem::take(&mut self.piece).into_iter().unzip();
        let rows = Arc::new(rows);
        if let Some(staged) = &mut self.staged {
            let (own, first) = (Arc::clone(&rows), staged.rows);
            staged.rows += rows.len();
            staged.last = Some(Last {
                ticket: self
                    .app
                    .store
                    .submit(move |tx| unless_taken(imports::stage(tx, number, first, &own)?)),
                first,
                rows,
                places,
            });
        }
        Ok(())
    }

    /// Waits until the last piece is in.
    fn settle_last(&mut self) -> Result<()> {
        let Some(staged) = &mut self.staged else {
            return Ok(());
        };
        let (number, Some(last)) = (staged.number, staged.last.take()) else {
            return Ok(());
        };
        let mut answer = last.ticket.wait();
        if matches!(answer, Err(Error::Busy(..))) {
            // Others filled the queue, or nobody is sure.
            answer = patiently(|| {
                let (rows, first) = (Arc::clone(&last.rows), last.first);
                self.app
                    .store
                    .write(move |tx| unless_taken(imports::stage(tx, number, first, &rows)?))
            });
        }
        self.note_taken(answer.map(drop), &last.places)
    }

    /// Notes the faults of rows whose values were taken meanwhile.
    fn note_taken(&mut self, answer: Result<()>, places: &[usize]) -> Result<()> {
        match answer {
            Err(Error::Invalid(taken)) => {
                for fault in taken {
                    let (place, fault) = of_piece(fault, places);
                    self.fault(place, vec![fault]);
                }
                Ok(())
            }
            other => other,
        }
    }

    /// All rows are right: lets them be entries.
    fn finish(&mut self) -> Result<Done> {
        let rows = self.rows;
        if self.staged.is_none() {
            self.store_at_once()?;
        } else {
            self.put_aside()?;
            self.settle_last()?;
            if self.at.is_empty() {
                self.move_all()?;
            }
        }
        self.end_faults()?;
        Ok(Done {
            created: rows,
            rows,
        })
    }

    /// A file of one piece needs no waiting.
    fn store_at_once(&mut self) -> Result<()> {
        let (places, rows): (Vec<usize>, Vec<Row>) =
            std::mem::take(&mut self.piece).into_iter().unzip();
        let (form_no, version) = (self.form.form_no, self.form.version);
        let creator = self.creator.clone();
        let stored = self.app.store.write(move |tx| {
            forms::still(tx, form_no, version)?;
            let mut taken = Vec::new();
            for (nth, row) in rows.iter().enumerate() {
                for (field, key) in &row.unique {
                    if entry_keys::is_taken(tx, form_no, *field, key, None)? {
                        taken.push((nth, *field));
                    }
                }
            }
            unless_taken(taken)?;
            for row in rows {
                let entry = NewEntry {
                    creator_name: Some(creator.clone()),
                    duration_secs: None,
                    x_field_1: None,
                    respondent: None,
                    values: row.values,
                    uploads: Vec::new(),
                    keys: row.keys,
                };
                entries::insert(tx, form_no, entry)?;
            }
            Ok(())
        });
        self.note_taken(stored, &places)
    }

    /// Settles the import, after which it can't fail, and sees its pieces through.
    fn move_all(&mut self) -> Result<()> {
        let Some(staged) = self.staged.take() else {
            return Ok(());
        };
        let (number, version) = (staged.number, self.form.version);
        let settled = patiently(|| {
            self.app
                .store
                .write(move |tx| imports::settle(tx, number, version))
        });
        if let Err(error) = settled {
            self.staged = Some(staged);
            return Err(error);
        }
        let mut moved = 0;
        loop {
            match patiently(|| {
                self.app
                    .store
                    .write(move |tx| imports::move_piece(tx, number))
            }) {
                Ok(0) => return Ok(()),
                Ok(rows) => {
                    moved += rows;
                    (self.progress)(Progress::Stored(moved, self.rows));
                }
                Err(error) => {
                    // Whoever sweeps goes on with it: it is as good as done.
                    tracing::warn!("an import is left to be finished later: {error:?}");
                    return Ok(());
                }
            }
        }
    }

    /// All faults, with a word on those that are not told.
    fn end_faults(&mut self) -> Result<()> {
        let mut at = std::mem::take(&mut self.at);
        if self.is_full {
            // With this word they are as many as there may be.
            at.split_off(MAX_FAULTS - 1);
            let listed = at.count();
            let message = format!("have more faults: only the first {listed} are listed");
            at.push_at("rows", message);
        }
        if !at.is_empty() {
            self.give_up();
        }
        at.into_result()
    }

    /// Takes away what was put aside. What is left of it when that fails is swept later.
    fn give_up(&mut self) {
        let Some(staged) = self.staged.take() else {
            return;
        };
        if let Some(last) = staged.last {
            // Only when it is answered is it known whether there is something to take away.
            let _ = last.ticket.wait();
        }
        if let Err(error) = drop_all(self.app, staged.number) {
            tracing::warn!("what is left of an import is swept later: {error:?}");
        }
    }
}

/// A row in the write shape.
struct Given {
    place: usize,
    values: Map<String, Json>,
    /// The fields whose cells could not be read, and what is wrong there.
    faulty: Vec<String>,
    faults: Vec<Issue>,
}

/// What is taken, as faults: so that the job that found it keeps nothing.
fn unless_taken(taken: Vec<(usize, u32)>) -> Result<Vec<(usize, u32)>> {
    if taken.is_empty() {
        return Ok(taken);
    }
    let faults = taken.into_iter().map(|(nth, field)| {
        let fault = exact_keys::taken(field);
        Issue {
            attribute: format!("{nth}.{}", fault.attribute),
            message: fault.message,
        }
    });
    Err(Error::Invalid(faults.collect()))
}

/// A fault of [`unless_taken`]: the place of its row, and the fault within it.
fn of_piece(fault: Issue, places: &[usize]) -> (usize, Issue) {
    let (nth, attribute) = fault.attribute.split_once('.').unwrap_or_default();
    let place = nth.parse::<usize>().ok().and_then(|nth| places.get(nth));
    let fault = Issue {
        attribute: attribute.to_owned(),
        message: fault.message,
    };
    (place.copied().unwrap_or_default(), fault)
}

/// Tries again for a while where others fill the queue.
fn patiently<T>(mut f: impl FnMut() -> Result<T>) -> Result<T> {
    const TRIES: usize = 50;
    const PAUSE: std::time::Duration = std::time::Duration::from_millis(20);
    for _ in 1..TRIES {
        match f() {
            Err(Error::Busy(..)) => std::thread::sleep(PAUSE),
            other => return other,
        }
    }
    f()
}

fn drop_all(app: &App, number: i64) -> Result<()> {
    while patiently(|| app.store.write(move |tx| imports::drop_piece(tx, number)))? {}
    Ok(())
}

/// Sees imports through whose process ended after they were settled, and takes others away whose process
/// ended before; says how many there were.
///
/// # Errors
/// Internal, 503.
pub fn sweep(app: &App) -> Result<usize> {
    // A piece every moment, or somebody else's process has ended.
    const SETTLED_SECS: i64 = 5;
    const UNSETTLED_SECS: i64 = 60;
    let now = clock::now();
    let settled = app
        .store
        .read(|tx| imports::silent(tx, true, now.minus_secs(SETTLED_SECS)))?;
    let unsettled = app
        .store
        .read(|tx| imports::silent(tx, false, now.minus_secs(UNSETTLED_SECS)))?;
    for number in &settled {
        let number = *number;
        while app.store.write(move |tx| imports::move_piece(tx, number))? > 0 {}
    }
    for number in &unsettled {
        drop_all(app, *number)?;
    }
    Ok(settled.len() + unsettled.len())
}
