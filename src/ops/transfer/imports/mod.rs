//! Imports entries from a file. Rows are checked outside the writer, staged in chunks, and added all at once or not at
//! all (contract section 4). The entries of a file are never in memory as a whole.

mod csv;
mod guesses;
mod ignored;
mod outcome;
pub mod outline;
mod places;
#[cfg(test)]
mod properties;
pub mod row_faults;
mod sample;
mod staging;
mod table;
mod walk;
mod xlsx;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use serde_json::Map;

use crate::base::error::{Error, Result};
use crate::base::issue::{self, Issue, Issues};
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::{clock, text};
use crate::fields::columns::header::{Meaning, Names, Reading};
use crate::fields::links::{LinkedData, NOTHING};
use crate::fields::system::SystemField;
use crate::model::audit::Action;
use crate::model::caller::Caller;
use crate::model::entry::NewEntry;
use crate::ops::accounts::audit::{self, By};
use crate::ops::app::App;
use crate::ops::capacity::{Asker, Room, waiting};
use crate::ops::entries::draft::Draft;
use crate::ops::entries::{exact_keys, links};
use crate::ops::files::entry_files;
use crate::ops::forms::access::{self, Right};
use crate::ops::transfer::imports::places::Places;
use crate::ops::transfer::imports::staging::{RowBatch, Staging};
use crate::ops::transfer::imports::table::TableRow;
use crate::query::form_cache::ParsedForm;
use crate::query::linked_entries;
use crate::store;
use crate::store::entries::entry_keys;
use crate::store::transfer::StagedRow;

pub use crate::fields::columns::mapping::Mapping;
pub use outcome::{Done, Refused, Request};
pub use sample::columns;
pub use staging::{forget, sweep};

/// Maximum size of a file.
pub const MAX_BYTES: u64 = 16 << 20;
/// Maximum rows of a file.
pub const MAX_ROWS: usize = 200_000;
/// Maximum columns of a file, unless the form has more.
const MAX_COLUMNS: usize = 500;
/// Rows that are checked and staged together.
const PIECE_ROWS: usize = 100;
const PIECE_BYTES: usize = 256 << 10;

/// Progress of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The number of checked rows.
    Checked(usize),
    /// The number of rows, and how many of them were added.
    Stored(usize, usize),
}

/// The source of the rows.
enum File<'f> {
    Workbook(&'f [u8]),
    Csv(Cow<'f, str>),
}

impl<'f> File<'f> {
    fn of(bytes: &'f [u8]) -> Result<Self> {
        if xlsx::is_one(bytes) {
            return Ok(Self::Workbook(bytes));
        }
        csv::decode(bytes).map(Self::Csv)
    }
}

/// Adds the entries of a file on the owner's behalf, or only validates them. `at` holds faults of the rest of the
/// request, which are reported after permission is checked.
///
/// If the file has faults, it is refused with them.
///
/// # Errors
/// 400 for text that is neither UTF-8 nor UTF-16, 403, 404, 422 for the rest of the request, `Stale` if the form has
/// changed.
pub fn run(
    app: &App,
    caller: &Caller,
    request: &Request,
    at: Issues,
    progress: &mut dyn FnMut(Progress),
) -> Result<Result<Done, Refused>> {
    app.run_until_stored(request.form, || try_run(app, caller, request, at.clone(), progress))
}

fn try_run(
    app: &App,
    caller: &Caller,
    request: &Request,
    at: Issues,
    progress: &mut dyn FnMut(Progress),
) -> Result<Result<Done, Refused>> {
    let token = request.form;
    let file = File::of(request.file)?;
    let (form, parsed, results, forms_found, counts) = app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, Right::Enter)?;
        let parsed = app.cache.parsed(tx, &form)?;
        let results = waiting::results_in_files(tx, &parsed)?;
        let found = linked_entries::forms_of(&app.cache, tx, &parsed)?;
        let counts = store::capacity::taken_counts(tx, form.form_no)?;
        Ok((form, parsed, results, found, counts))
    })?;
    at.into_result()?;
    let codes = &parsed.settings.verification_code;
    let staging = Staging::new(app, &form, codes, &caller.user.name, request.job);
    let mut import = Import {
        app,
        form_no: form.form_no,
        forms_found,
        has_unique: parsed.definition.fields.iter().any(|field| field.unique),
        parsed,
        columns: &request.columns,
        results,
        creator: caller.user.name.clone(),
        dry_run: request.dry_run,
        is_strict: request.is_strict,
        reading: None,
        width: None,
        nameless: BTreeSet::new(),
        other_sheets: Vec::new(),
        places: Places::default(),
        at: Issues::new(),
        rows: 0,
        waiting: Vec::new(),
        seen: HashSet::new(),
        room: Room::new(Asker::Collaborator, move |field, counter| Ok(counts.of(field, counter))),
        hashers: [RandomState::new(), RandomState::new()],
        piece: Vec::new(),
        piece_bytes: 0,
        staging,
        is_full: false,
        progress,
    };
    let outcome = import.go_through(&file);
    match outcome {
        Err(fault) => {
            import.staging.give_up();
            match fault {
                Error::Invalid(faults) => Ok(Err(Refused { faults, places: import.places })),
                other => Err(other),
            }
        }
        Ok((created, warnings)) => {
            if created > 0 {
                let (by, token) = (By::caller(caller), token.to_owned());
                app.store.write(move |tx| audit::note_form(tx, by, Action::EntriesImported, &token))?;
            }
            Ok(Ok(Done { created, rows: import.rows, warnings, places: import.places }))
        }
    }
}

/// A running import.
struct Import<'a> {
    app: &'a App,
    form_no: i64,
    parsed: Arc<ParsedForm>,
    /// Where columns go that do not go by their names.
    columns: &'a Mapping,
    /// The results that an export would have.
    results: Vec<&'static SystemField>,
    /// The linked forms.
    forms_found: LinkedData,
    has_unique: bool,
    creator: String,
    dry_run: bool,
    is_strict: bool,
    /// The columns according to the header row; `None` before it is read.
    reading: Option<Reading>,
    /// Maximum cells of a row; `None` if further cells are ignored as notes beside the table.
    width: Option<usize>,
    /// Columns without a name that have cells.
    nameless: BTreeSet<usize>,
    /// Sheets behind the first one that have cells.
    other_sheets: Vec<String>,
    places: Places,
    at: Issues,
    /// Rows read so far.
    rows: usize,
    /// Rows to be checked, each with its number in the file.
    waiting: Vec<(usize, TableRow)>,
    /// Hashes of unique values in this file.
    seen: HashSet<[u64; 2]>,
    hashers: [RandomState; 2],
    /// The room when the import began, less the amounts of its rows. It is checked again when they are stored.
    room: Room<'static>,
    /// Checked rows to be staged.
    piece: RowBatch,
    piece_bytes: usize,
    staging: Staging<'a>,
    /// Whether the limit of reported faults is reached.
    is_full: bool,
    progress: &'a mut dyn FnMut(Progress),
}

impl Import<'_> {
    /// The number of entries added, and the ignored parts.
    fn go_through(&mut self, file: &File) -> Result<(usize, Vec<Issue>)> {
        let parsed = Arc::clone(&self.parsed);
        let cx = parsed.cx_with(clock::now(), false, &self.forms_found);
        let names = Names::of(&parsed.definition.fields, &self.results, &cx).mapped(self.columns);
        let limits = table::Limits { rows: MAX_ROWS, columns: MAX_COLUMNS.max(names.count()) };
        let is_workbook = matches!(file, File::Workbook(_));
        let mut take = |place: Option<usize>, row: TableRow| {
            if place.is_none() && !is_workbook {
                self.width = Some(row.cells.len());
            }
            self.take(place, row, &names)
        };
        match file {
            File::Workbook(bytes) => self.other_sheets = xlsx::read(bytes, &limits, &mut take)?,
            File::Csv(text) => csv::read(text, &limits, &|header| names.known(header), &mut take)?,
        }
        if self.reading.is_none() {
            return Err(Error::invalid("header", Reason::other("is missing: the file is empty")));
        }
        self.check_waiting()?;
        let columns = self.reading.as_ref().map_or(&[][..], Reading::columns);
        let ignored = ignored::warnings(columns, &self.nameless, &self.other_sheets, self.is_strict);
        let warnings = if self.is_strict {
            self.at.extend(ignored);
            Vec::new()
        } else {
            ignored
        };
        if self.at.is_empty() && !self.dry_run {
            return Ok((self.finish()?, warnings));
        }
        self.settle_last()?;
        self.end_faults()?;
        Ok((0, warnings))
    }

    /// Takes a row of the file. The header is the first row and has no number.
    fn take(&mut self, place: Option<usize>, row: TableRow, names: &Names) -> Result<()> {
        let fields = &self.parsed.definition.fields;
        let Some(place) = place else {
            let reading = Reading::of_header(names, &row.cells, &mut self.at);
            self.places.header(row.line, &reading, fields);
            self.reading = Some(reading);
            // Rows can't be read under an invalid header.
            return std::mem::take(&mut self.at).into_result();
        };
        if let Some(reading) = &self.reading {
            // A row that only has values in ignored columns, and can't even be read, is no row.
            if row.is_blank() && row.faults.iter().all(|(column, _)| reading.field_of(fields, *column).is_none()) {
                return Ok(());
            }
            for (i, cell) in row.cells.iter().enumerate().take(self.width.unwrap_or(usize::MAX)) {
                let is_nameless = reading.columns().get(i).is_none_or(|column| column.meaning == Meaning::Nameless);
                if is_nameless && !text::is_blank(cell) {
                    self.nameless.insert(i);
                }
            }
        }
        self.places.row(place, row.line);
        self.rows += 1;
        self.waiting.push((place, row));
        if self.waiting.len() >= PIECE_ROWS {
            self.check_waiting()?;
        }
        Ok(())
    }

    /// Checks the waiting rows, and stages the chunk when it is large enough.
    fn check_waiting(&mut self) -> Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        if self.is_full || waiting.is_empty() {
            return Ok(());
        }
        let given: Vec<ImportedCells> = waiting.into_iter().map(|(place, row)| self.read_row(place, row)).collect();
        if self.parsed.links || self.parsed.files || self.has_unique {
            let (app, parsed) = (self.app, Arc::clone(&self.parsed));
            app.store.read(|tx| {
                let wanted = given.iter().map(|given| Some(&given.values));
                let mut found = links::of_new(&app.cache, tx, &parsed, wanted)?;
                // A spreadsheet contains no files, but may refer to files of the form's entries.
                let wanted = given.iter().map(|given| &given.values);
                found.files = entry_files::of_entries(tx, &parsed, wanted)?;
                for given in given {
                    self.check(given, &found, &mut |form_no, field, key| {
                        entry_keys::is_of_entry(tx, form_no, field, key)
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

    fn read_row(&mut self, place: usize, row: TableRow) -> ImportedCells {
        let cx = self.parsed.cx_with(clock::now(), false, &self.forms_found);
        let mut at = Issues::new();
        let fields = &self.parsed.definition.fields;
        let (values, mut faulty) = match &self.reading {
            Some(reading) => reading.row_values(fields, &row.cells, &cx, &mut at),
            None => (Map::new(), Vec::new()),
        };
        for (column, fault) in row.faults {
            let taken = self.reading.as_ref().and_then(|reading| reading.field_of(fields, column));
            if let Some((field, code)) = taken {
                at.push_at(code, fault);
                faulty.push(&field.api_code);
            }
        }
        // Missing quotation marks split a cell in two and shift the cells after it.
        let mut beyond = row.cells.iter().skip(self.width.unwrap_or(row.cells.len()));
        if beyond.any(|cell| !text::is_blank(cell)) {
            at.push(Reason::other(
                "has more cells than the header: a cell with a separator in it needs quotation marks",
            ));
        }
        ImportedCells { place, values, faulty: faulty.into_iter().map(str::to_owned).collect(), faults: at.into_list() }
    }

    /// Checks one row like a submitted entry.
    fn check(
        &mut self,
        given: ImportedCells,
        found: &LinkedData,
        is_taken: &mut dyn FnMut(i64, u32, &str) -> Result<bool>,
    ) -> Result<()> {
        if self.is_full {
            return Ok(());
        }
        let place = given.place;
        let parsed = Arc::clone(&self.parsed);
        let cx = parsed.cx_with(clock::now(), false, found);
        let mut at = Issues::new();
        let mut draft = Draft::of_new(&parsed, Json::Object(given.values), &cx, &mut at);
        let copies = if parsed.files { entry_files::copied(&mut draft.checked.values) } else { Vec::new() };
        let mut faults = given.faults;
        // A value that could not be read is not also reported as missing.
        faults.extend(at.into_list().into_iter().filter(|fault| {
            let field = fault.attribute.strip_prefix("field_values.");
            let field = field.unwrap_or_default();
            let whole = field.split(['.', '[']).next().unwrap_or_default();
            !given.faulty.iter().any(|code| code == whole)
        }));
        let unique = draft.unique(&parsed, &cx);
        for (field, key) in &unique {
            let hash = self.hashers.each_ref().map(|state| state.hash_one((field, key)));
            if !self.seen.insert(hash) || is_taken(self.form_no, *field, key)? {
                faults.push(exact_keys::already_used(*field));
            }
        }
        if !faults.is_empty() {
            self.fault(place, faults);
            return Ok(());
        }
        let entry = draft.entry(&parsed, &cx, Some(self.creator.clone()));
        let faults = self.room.enter(&[], &entry.takes)?;
        if !faults.is_empty() {
            self.fault(place, faults);
            return Ok(());
        }
        if self.dry_run || !self.at.is_empty() {
            return Ok(());
        }
        let row = StagedRow { entry: NewEntry { uploads: Vec::new(), ..entry }, unique, copies };
        self.piece_bytes += row.entry.values.len();
        self.piece.push((place, row));
        Ok(())
    }

    /// Records the faults of a row.
    fn fault(&mut self, place: usize, faults: Vec<Issue>) {
        for fault in faults {
            if self.at.count() >= issue::MOST {
                self.is_full = true;
                return;
            }
            let attribute = fault.attribute.as_str();
            let inner = attribute.strip_prefix("field_values.").unwrap_or(attribute);
            self.at.key("rows", |at| {
                at.index(place, |at| match inner {
                    "" => at.push(fault.reason),
                    inner => at.push_at(inner, fault.reason),
                });
            });
        }
        // Nothing of this file will be stored.
        self.piece.clear();
    }

    /// Stages the checked rows in the background.
    fn put_aside(&mut self) -> Result<()> {
        self.settle_last()?;
        if self.piece.is_empty() || !self.at.is_empty() {
            return Ok(());
        }
        self.piece_bytes = 0;
        self.staging.put(std::mem::take(&mut self.piece))
    }

    /// Waits until the last chunk is staged.
    fn settle_last(&mut self) -> Result<()> {
        let taken = self.staging.settle_last()?;
        self.note_taken(taken);
        Ok(())
    }

    /// Records the faults of rows whose unique values or room were taken meanwhile.
    fn note_taken(&mut self, taken: Vec<(usize, Issue)>) {
        for (place, fault) in taken {
            self.fault(place, vec![fault]);
        }
    }

    /// Turns the staged rows into entries, and returns their number.
    fn finish(&mut self) -> Result<usize> {
        let rows = self.rows;
        if self.staging.is_begun() {
            self.put_aside()?;
            self.settle_last()?;
            if self.at.is_empty() {
                let progress = &mut *self.progress;
                self.staging.move_all(&mut |moved| progress(Progress::Stored(moved, rows)))?;
            }
        } else {
            let piece = std::mem::take(&mut self.piece);
            let taken = self.staging.store_at_once(piece)?;
            self.note_taken(taken);
        }
        self.end_faults()?;
        Ok(rows)
    }

    /// Returns all faults, and a note if some were omitted.
    fn end_faults(&mut self) -> Result<()> {
        let mut at = std::mem::take(&mut self.at);
        if self.is_full {
            at.stop_early();
        }
        if !at.is_empty() {
            self.staging.give_up();
        }
        at.into_result()
    }
}

/// A row in the write shape.
struct ImportedCells {
    place: usize,
    values: Map<String, Json>,
    /// The fields whose cells could not be read, and their faults.
    faulty: Vec<String>,
    faults: Vec<Issue>,
}
