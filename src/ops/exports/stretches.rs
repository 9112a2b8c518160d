//! Lines of a CSV file, written while their rows are read: a stretch of serials at a time, or two that follow
//! each other at once.

use std::ops::ControlFlow;
use std::sync::Mutex;

use crate::base::error::{Error, Result};
use crate::ops::App;
use crate::ops::exports::{Columns, PIECE_BYTES, Source, csv, patiently};
use crate::store::entries::Shelf;
use crate::store::entry_scan::{self, Row};
use crate::store::tx::Tx;

/// How many lines a stretch has at most.
const MOST: i64 = 1000;

/// Held while a second stretch is made, by one export in the whole process: others need processors and
/// readers too.
static BESIDE: Mutex<()> = Mutex::new(());

/// Some lines.
#[derive(Default)]
pub struct Lines {
    /// The bytes of the file.
    pub out: Vec<u8>,
    /// How many lines.
    pub count: i64,
    /// The serial to go on from; none when all that were asked for are there.
    pub after: Option<i64>,
    /// How many bytes of values they were made of.
    size: usize,
}

/// What one export knows of its stretches.
pub struct Stretches {
    /// For the lines of a second stretch.
    columns: Columns,
    /// How many serials a stretch may have, going by the last one, so that it is not cut off.
    length: i64,
    /// A second stretch that was made.
    ready: Option<Vec<u8>>,
}

impl Stretches {
    /// `columns` are another copy of the export's own.
    pub fn new(columns: Columns) -> Self {
        Self {
            columns,
            length: 0,
            ready: None,
        }
    }

    /// What was made beside the last lines and follows them.
    pub fn take_ready(&mut self) -> Option<Vec<u8>> {
        self.ready.take()
    }

    /// The lines of the entries beyond a serial; none where entries link to others, which are looked up
    /// first. What is to be gone on from lies behind what is ready.
    ///
    /// # Errors
    /// 401, 403 or 404 when the caller may no longer read the form, 503, internal.
    pub fn next(
        &mut self,
        app: &App,
        source: &Source,
        columns: &mut Columns,
        after: i64,
        is_first: bool,
    ) -> Result<Option<Lines>> {
        let read = |columns: &mut Columns, range, is_first| {
            patiently(|| {
                app.store
                    .read(|tx| lines(tx, app, source, &mut *columns, range, is_first))
            })
        };
        let beside = BESIDE.try_lock();
        if beside.is_err() || self.length == 0 {
            let lines = read(columns, (after, i64::MAX), is_first)?;
            return Ok(lines.inspect(|lines| self.note(lines)));
        }
        let border = after + self.length;
        let (own, next) = std::thread::scope(|scope| {
            let next = scope.spawn(|| read(&mut self.columns, (border, i64::MAX), false));
            (read(columns, (after, border), is_first), next.join())
        });
        let Some(mut own) = own? else {
            return Ok(None);
        };
        self.note(&own);
        if own.after.is_some() {
            // It was cut off, so that the second one does not follow it.
            return Ok(Some(own));
        }
        match next.map_err(|_| Error::internal("making lines panicked"))?? {
            Some(next) => {
                own.count += next.count;
                own.after = next.after;
                self.ready = Some(next.out);
            }
            None => own.after = Some(border),
        }
        Ok(Some(own))
    }

    fn note(&mut self, lines: &Lines) {
        let Ok(count) = usize::try_from(lines.count) else {
            return;
        };
        if let Some(each) = lines.size.checked_div(count) {
            let fitting = i64::try_from(PIECE_BYTES * 3 / 4 / each.max(1)).unwrap_or(MOST);
            self.length = fitting.clamp(1, MOST);
        }
    }
}

/// The lines of the entries beyond a serial and up to another.
fn lines(
    tx: &Tx,
    app: &App,
    source: &Source,
    columns: &mut Columns,
    (after, upto): (i64, i64),
    is_first: bool,
) -> Result<Option<Lines>> {
    let form = source.form(tx)?;
    let parsed = app.cache.parsed(tx, &form)?;
    if parsed.links {
        return Ok(None);
    }
    let cx = parsed.cx(tx.now, false);
    columns.follow(&parsed, form.version, source.wanted.as_deref(), &cx);
    let mut lines = Lines {
        // About what the rows of a piece come to.
        out: Vec::with_capacity(PIECE_BYTES / 4 * 5),
        ..Lines::default()
    };
    if is_first {
        csv::open(&columns.names, &mut lines.out);
    }
    let mut entry = None;
    let mut take = |row: Row| {
        let entry = entry.get_or_insert_with(|| row.head());
        row.put_head(entry)?;
        let mut cells = csv::Rows(&mut lines.out);
        columns.fill(&parsed, (&*entry, row.values), &cx, &mut cells)?;
        cells.end_row();
        lines.count += 1;
        lines.size += row.values.len();
        Ok(if lines.count >= MOST || lines.size >= PIECE_BYTES {
            lines.after = Some(row.serial);
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    };
    let _ = entry_scan::scan(tx, Shelf::Live, form.form_no, after, upto, &mut take)?;
    // What ends with the stretch was not cut off.
    lines.after = lines.after.filter(|last| *last < upto);
    Ok(Some(lines))
}
