//! Lines of a CSV file, written while their rows are read: a stretch of serials at a time, or several that
//! follow each other, made by two threads.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::base::error::{Error, Result};
use crate::ops::App;
use crate::ops::exports::{Columns, PIECE_BYTES, Source, csv, patiently};
use crate::store::entries::Shelf;
use crate::store::entry_scan::{self, Row};
use crate::store::tx::Tx;

/// How many lines a stretch has at most.
const MOST: i64 = 500;
/// Stretches that two threads make together: whichever is done with one takes the next.
pub const TOGETHER: i64 = 8;

/// Held while a second thread makes stretches, by one export in the whole process: others need processors
/// and readers too.
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
    /// For the lines of the second thread.
    columns: Columns,
    /// How many serials a stretch may have, going by the last one, so that it is not cut off.
    length: i64,
    /// How many bytes the last one came to, and an eighth more.
    room: usize,
    /// What is made of the file and not yet given.
    ready: VecDeque<Vec<u8>>,
}

impl Stretches {
    /// `columns` are another copy of the export's own.
    pub fn new(columns: Columns) -> Self {
        Self {
            columns,
            length: 0,
            room: 0,
            ready: VecDeque::new(),
        }
    }

    /// What was made together with the last lines and follows them.
    pub fn take_ready(&mut self) -> Option<Vec<u8>> {
        self.ready.pop_front()
    }

    /// The lines of the entries beyond a serial; none where entries link to others, which are looked up
    /// first. Count and place are those of all that is made, also of what is ready then.
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
        let room = self.room;
        let read = |columns: &mut Columns, range, is_first| {
            patiently(|| {
                app.store
                    .read(|tx| lines(tx, app, source, &mut *columns, range, (is_first, room)))
            })
        };
        let beside = BESIDE.try_lock();
        if beside.is_err() || self.length == 0 {
            let lines = read(columns, (after, i64::MAX), is_first)?;
            return Ok(lines.inspect(|lines| self.note(lines)));
        }
        let (turn, length) = (AtomicI64::new(0), self.length);
        let border = |nth: i64| after + nth * length;
        let make = |columns: &mut Columns| -> Result<Vec<(i64, Lines)>> {
            let mut made = Vec::new();
            loop {
                let nth = turn.fetch_add(1, Ordering::Relaxed);
                if nth >= TOGETHER {
                    return Ok(made);
                }
                // The last one tells whether there is more.
                let is_last = nth == TOGETHER - 1;
                let upto = if is_last { i64::MAX } else { border(nth + 1) };
                let Some(lines) = read(columns, (border(nth), upto), is_first && nth == 0)? else {
                    return Ok(made);
                };
                if lines.after.is_some() {
                    // It was cut off: what lies behind the next border does not follow it.
                    turn.store(TOGETHER, Ordering::Relaxed);
                }
                made.push((nth, lines));
            }
        };
        let (own, others) = std::thread::scope(|scope| {
            let others = scope.spawn(|| make(&mut self.columns));
            (make(columns), others.join())
        });
        let mut made = own?;
        made.extend(others.map_err(|_| Error::internal("making lines panicked"))??);
        made.sort_unstable_by_key(|(nth, _)| *nth);
        let mut all: Option<Lines> = None;
        for (expected, (nth, mut lines)) in (0..).zip(made) {
            if nth != expected {
                break;
            }
            self.note(&lines);
            let is_cut = lines.after.is_some();
            if !is_cut && nth < TOGETHER - 1 {
                lines.after = Some(border(nth + 1));
            }
            match &mut all {
                None => all = Some(lines),
                Some(all) => {
                    all.count += lines.count;
                    all.after = lines.after;
                    self.ready.push_back(lines.out);
                }
            }
            if is_cut {
                break;
            }
        }
        Ok(all)
    }

    fn note(&mut self, lines: &Lines) {
        let Ok(count) = usize::try_from(lines.count) else {
            return;
        };
        if let Some(each) = lines.size.checked_div(count) {
            let fitting = i64::try_from(PIECE_BYTES * 3 / 4 / each.max(1)).unwrap_or(MOST);
            self.length = fitting.clamp(1, MOST);
            self.room = lines.out.len() / 8 * 9;
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
    (is_first, room): (bool, usize),
) -> Result<Option<Lines>> {
    let form = source.form(tx)?;
    let parsed = app.cache.parsed(tx, &form)?;
    if parsed.links {
        return Ok(None);
    }
    let cx = parsed.cx(tx.now, false);
    columns.follow(&parsed, form.version, source.wanted.as_deref(), &cx);
    let mut lines = Lines {
        out: Vec::with_capacity(room),
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
