//! Exports a form's entries as CSV, XLSX or JSON. The file is produced in chunks, each from one short read transaction,
//! so that memory use is small and no snapshot is held for long. The caller's permission is checked again for each
//! chunk (S41).

pub(in crate::ops) mod csv;
mod room;
pub(in crate::ops) mod underway;
pub(in crate::ops) mod xlsx;

use std::sync::Arc;

use crate::base::clock;
use crate::base::error::{Error, Noun, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::fields::columns::Cell;
use crate::fields::columns::fill::{Cells, Filler, SheetEntry};
use crate::fields::columns::form::Sheet;
use crate::fields::kind::Cx;
use crate::fields::links::LinkedData;
use crate::fields::{Fields, system};
use crate::model::audit::Action;
use crate::model::caller::Caller;
use crate::model::entry::Entry;
use crate::model::form::Form;
use crate::model::serials::Serials;
use crate::ops::accounts::audit::{self, By};
use crate::ops::accounts::tokens;
use crate::ops::app::App;
use crate::ops::capacity::waiting;
use crate::ops::entries::{entry_lists, entry_shape};
use crate::ops::exams::certificates;
use crate::ops::forms::access::{self, Right};
use crate::ops::transfer::exports::underway::ExportSlot;
use crate::query::form_cache::ParsedForm;
use crate::query::request::{EntrySet, FilterRequest, Query};
use crate::query::{self, as_read, linked_entries};
use crate::store::db::tx::Tx;
use crate::store::entries::{self, Table, entry_scan, listing};

pub use crate::fields::columns::form::Headers;

/// Entries per chunk.
const PIECE_ROWS: usize = 500;
const PIECE_BYTES: usize = 256 << 10;
/// Entries per query by serial number.
const AT_ADDRESSES: usize = 50;
/// Maximum attempts to read a chunk while all readers are in use.
const PATIENCE: usize = 10;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Csv,
    Xlsx,
    /// An array of entries in the list's shape.
    Json,
}

impl Format {
    /// By name; names are also the file extensions.
    pub const ALL: [(&'static str, Self); 3] = [("csv", Self::Csv), ("xlsx", Self::Xlsx), ("json", Self::Json)];

    pub fn name(self) -> &'static str {
        let known = Self::ALL.iter().find(|(_, format)| *format == self);
        known.map_or("", |(name, _)| name)
    }
}

/// A request for an export.
pub struct Request {
    pub format: Format,
    /// How columns are named.
    pub headers: Headers,
    /// The fields to include besides the fixed columns; `None` for all.
    pub fields: Option<Vec<String>>,
    pub filter: FilterRequest,
}

/// The form, and the caller who exports it.
struct Source {
    caller: Caller,
    token: String,
    /// The requested fields; `None` for all.
    wanted: Option<Vec<String>>,
}

impl Source {
    /// The form, if the caller may still read it.
    fn form(&self, tx: &Tx) -> Result<Form> {
        tokens::still(tx, &self.caller)?;
        access::form_for(tx, &self.caller, &self.token, Right::Read)
    }
}

/// A running export.
pub struct Export {
    source: Source,
    pub form_name: String,
    pub format: Format,
    /// The number of entries at the start.
    pub total: i64,
    /// The number of entries written so far.
    pub done: i64,
    /// Warnings about conditions that name values that their fields don't have.
    pub warnings: Vec<Issue>,
    columns: Columns,
    writer: Writer,
    /// The serial numbers of the matching entries; `None` if all match.
    matching: Option<Serials>,
    after: i64,
    is_over: bool,
    _place: ExportSlot,
}

/// The writer of the file's format.
enum Writer {
    Csv,
    Xlsx(Box<xlsx::Book>),
    Json,
}

/// The columns of the file, and how the current form fills them.
struct Columns {
    /// The columns' names in the API.
    codes: Vec<String>,
    names: Vec<String>,
    sheet: Sheet,
    filler: Filler,
    scratch: String,
    /// The form's version that `sheet` belongs to.
    version: i64,
    /// The positions of the file's columns in `sheet`; `None` while the form is unchanged.
    places: Option<Vec<Option<usize>>>,
}

impl Columns {
    fn new(sheet: Sheet, fields: &Fields, headers: Headers, version: i64) -> Self {
        Self {
            filler: Filler::of(&sheet, fields),
            scratch: String::new(),
            codes: sheet.heads().iter().map(|head| head.code.clone()).collect(),
            names: sheet.headers(headers),
            sheet,
            version,
            places: None,
        }
    }

    /// Adapts to a change of the form: the file keeps its columns, and those of removed fields stay empty.
    fn follow(&mut self, parsed: &ParsedForm, version: i64, wanted: Option<&[String]>, cx: &Cx) {
        if self.version == version {
            return;
        }
        self.version = version;
        let fields = &parsed.definition.fields;
        // The list may have been switched off, and some still wait.
        let results = if self.codes.iter().any(|code| code == system::WAITING.name) {
            system::with_waiting(parsed.result_fields())
        } else {
            parsed.result_fields().to_vec()
        };
        self.sheet = Sheet::of_form(fields, &results, wanted, cx);
        self.filler = Filler::of(&self.sheet, fields);
        let now = self.sheet.heads();
        let place = |code: &String| now.iter().position(|head| head.code == *code);
        self.places = Some(self.codes.iter().map(place).collect());
    }

    /// Writes the cells of an entry.
    fn fill(&mut self, parsed: &ParsedForm, entry: &Entry, cx: &Cx, out: &mut impl Cells) -> Result<()> {
        let stored = as_read::text(parsed, &entry.values, cx)?;
        let certificate = match self.sheet.has_certificate() {
            true => certificates::link_value(parsed, entry, cx),
            false => Json::Null,
        };
        let row = SheetEntry { entry, stored: &stored, certificate: &certificate };
        let fields = &parsed.definition.fields;
        let Some(places) = &self.places else {
            let filled = self.filler.row(&self.sheet, fields, row, cx, out);
            return filled.map_err(Error::internal);
        };
        let mut cells: Vec<Cell> = Vec::with_capacity(places.len());
        self.filler.row(&self.sheet, fields, row, cx, &mut cells).map_err(Error::internal)?;
        for place in places {
            match place.and_then(|place| cells.get(place)) {
                Some(cell) => out.cell(cell, &mut self.scratch),
                None => out.blank(),
            }
        }
        Ok(())
    }
}

/// A chunk of entries.
struct EntryBatch {
    form: Form,
    parsed: Arc<ParsedForm>,
    found: LinkedData,
    entries: Vec<Entry>,
    /// The serial number to continue from; `None` at the end.
    after: Option<i64>,
}

/// Starts an export; everything that can be refused is refused here. `at` holds the faults found so far.
///
/// # Errors
/// 404, 422 for an unknown field or data that exceeds a spreadsheet's limits, 429 if too many exports are running.
pub fn begin(app: &App, caller: &Caller, token: &str, request: Request, mut at: Issues) -> Result<Export> {
    let Request { format, headers, fields, filter } = request;
    let now = clock::now();
    // Permission is checked before anything else.
    app.store.read(|tx| access::form_for(tx, caller, token, Right::Read).map(drop))?;
    let place = app.transfer.exports.place(caller)?;
    let is_filtered = !filter.is_empty();
    let (cache, caller_of_search) = (Arc::clone(&app.cache), caller.clone());
    let (token_of_search, wanted) = (token.to_owned(), fields.clone());
    let prepare = move |tx: &Tx| {
        let form = access::form_for(tx, &caller_of_search, &token_of_search, Right::Read)?;
        let parsed = cache.parsed(tx, &form)?;
        entry_lists::check_fields(&parsed, wanted.as_deref(), &mut at);
        let query = Query::read(&cache, tx, &parsed, &filter, &mut at)?;
        at.into_result()?;
        let found = linked_entries::forms_of(&cache, tx, &parsed)?;
        let set = EntrySet { form_no: form.form_no, table: Table::Live };
        let matching = if query.filter.is_empty() { None } else { Some(query::matching(&cache, tx, set, &query)?) };
        let results = waiting::results_in_files(tx, &parsed)?;
        Ok((form, parsed, results, found, matching, query.warnings))
    };
    let (form, parsed, results, found, matching, warnings) =
        if is_filtered { app.store.search(prepare).wait()? } else { app.store.read(prepare)? };
    let cx = parsed.cx_with(now, false, &found);
    let (all, wanted) = (&parsed.definition.fields, fields.as_deref());
    let sheet = Sheet::of_form(all, &results, wanted, &cx);
    let columns = Columns::new(sheet, &parsed.definition.fields, headers, form.version);
    let export = Export {
        writer: match format {
            Format::Csv => Writer::Csv,
            Format::Xlsx => Writer::Xlsx(Box::new(xlsx::Book::new(&columns.names))),
            Format::Json => Writer::Json,
        },
        columns,
        source: Source { caller: caller.clone(), token: token.to_owned(), wanted: fields },
        form_name: form.name.clone(),
        format,
        total: matching.as_ref().map_or(form.entries_count, Serials::len),
        done: 0,
        warnings,
        matching,
        after: 0,
        is_over: false,
        _place: place,
    };
    if format == Format::Xlsx {
        export.check_room(app)?;
    }
    let by = By::caller(caller);
    // No export starts without an entry in the audit log, even if the disk is full.
    app.store.write(move |tx| audit::note_form(tx, by, Action::EntriesExported, form.token.as_str()))?;
    Ok(export)
}

impl Export {
    /// Returns the next bytes of the file; `None` at the end.
    ///
    /// # Errors
    /// 401, 403 or 404 if the caller may no longer read the form, 503.
    pub fn next(&mut self, app: &App) -> Result<Option<Vec<u8>>> {
        let is_first = self.done == 0 && self.after == 0;
        if self.is_over {
            return Ok(None);
        }
        let piece = self.read(app)?;
        let cx = piece.parsed.cx_with(clock::now(), false, &piece.found);
        self.columns.follow(&piece.parsed, piece.form.version, self.source.wanted.as_deref(), &cx);
        let mut out = Vec::new();
        if is_first {
            self.open(&mut out);
        }
        let rows = piece.entries.iter();
        match &mut self.writer {
            Writer::Csv => {
                let mut lines = csv::Rows(&mut out);
                for entry in rows {
                    self.columns.fill(&piece.parsed, entry, &cx, &mut lines)?;
                    lines.end_row();
                }
            }
            Writer::Xlsx(book) => {
                let mut filled: Vec<Vec<Cell>> = Vec::with_capacity(piece.entries.len());
                for entry in rows {
                    let mut cells = Vec::new();
                    self.columns.fill(&piece.parsed, entry, &cx, &mut cells)?;
                    filled.push(cells);
                }
                book.rows(&filled).map_err(Error::internal)?;
            }
            Writer::Json => {
                for (i, entry) in rows.enumerate() {
                    if i > 0 || self.done > 0 {
                        out.extend_from_slice(b",\n");
                    }
                    let wanted = self.source.wanted.as_deref();
                    let text = entry_shape::whole(&piece.parsed, entry, wanted, &cx)?;
                    out.extend_from_slice(text.as_bytes());
                }
            }
        }
        self.done += i64::try_from(piece.entries.len()).unwrap_or_default();
        match piece.after {
            Some(after) => self.after = after,
            None => {
                self.is_over = true;
                self.close(&mut out)?;
            }
        }
        if let Writer::Xlsx(book) = &mut self.writer {
            book.take_written(&mut out);
        }
        Ok(Some(out))
    }

    fn open(&self, out: &mut Vec<u8>) {
        match &self.writer {
            Writer::Csv => csv::open(&self.columns.names, out),
            // It begins with its first rows.
            Writer::Xlsx(_) => {}
            Writer::Json => out.push(b'['),
        }
    }

    fn close(&mut self, out: &mut Vec<u8>) -> Result<()> {
        match &mut self.writer {
            Writer::Csv => Ok(()),
            Writer::Xlsx(book) => book.close().map_err(Error::internal),
            Writer::Json => {
                out.extend_from_slice(b"]\n");
                Ok(())
            }
        }
    }

    /// Reads the next chunk in one short transaction.
    fn read(&self, app: &App) -> Result<EntryBatch> {
        patiently(|| {
            app.store.read(|tx| {
                let form = self.source.form(tx)?;
                let parsed = app.cache.parsed(tx, &form)?;
                let (entries, after) = self.entries(tx, form.form_no, self.after)?;
                let found = linked_entries::of_entries(&app.cache, tx, &parsed, &entries)?;
                Ok(EntryBatch { form, parsed, found, entries, after })
            })
        })
    }

    /// The next entries, and the serial number to continue from.
    fn entries(&self, tx: &Tx, form_no: i64, from: i64) -> Result<(Vec<Entry>, Option<i64>)> {
        let Some(matching) = &self.matching else {
            let mut piece = listing::walk_some(tx, form_no, Table::Live, from, PIECE_ROWS, PIECE_BYTES)?;
            entries::placed(tx, form_no, &mut piece)?;
            let after = piece.last().map(|entry| entry.serial);
            return Ok((piece, after));
        };
        let (mut all, mut bytes, mut after) = (Vec::new(), 0, Some(from));
        while let Some(last) = after
            && all.len() < PIECE_ROWS
            && bytes < PIECE_BYTES
        {
            let serials = matching.beyond(Some(last), false, AT_ADDRESSES);
            after = serials.last().copied();
            // Entries deleted meanwhile are omitted.
            let some = entry_scan::by_serials(tx, Table::Live, form_no, &serials)?;
            bytes += some.iter().map(|entry| entry.values.len()).sum::<usize>();
            all.extend(some);
        }
        Ok((all, after))
    }
}

/// Retries while all readers are in use.
fn patiently<T>(mut once: impl FnMut() -> Result<T>) -> Result<T> {
    for _ in 1..PATIENCE {
        match once() {
            Err(Error::Busy(..)) => {}
            other => return other,
        }
    }
    once()
}

/// The caller of an export from the command line: the form's owner.
///
/// # Errors
/// 404.
pub fn owner_of(app: &App, token: &str) -> Result<Caller> {
    app.store.read(|tx| {
        let form = linked_entries::live(tx, token)?.ok_or(Error::NotFound(Noun::Form))?;
        access::owner(tx, &form)
    })
}
