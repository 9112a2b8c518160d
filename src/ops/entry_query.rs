//! Which entries of a form are asked for (spec 2.6, contract section 4): reads the question, says which
//! serials match, and walks those entries. Who may ask is decided before.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::json;

use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::base::json::{self, Json};
use crate::base::reader::Reader;
use crate::fields::filter::{self, Filter};
use crate::fields::links::Found;
use crate::fields::stored;
use crate::fields::values::Values;
use crate::model::entry::Entry;
use crate::model::form::Form;
use crate::model::serials::Serials;
use crate::ops::cache::{Cache, ParsedForm};
use crate::ops::{entry_ways, links};
use crate::store::counters;
use crate::store::entries::Shelf;
use crate::store::entry_scan::{self, Row};
use crate::store::tx::Tx;

/// So many rows are held at once, and so many bytes of them, but for the one that goes beyond.
const PIECE: usize = 500;
const PIECE_BYTES: usize = 1 << 20;
/// So many are read at once by their addresses.
const AT_ADDRESSES: usize = 50;
/// Linked entries that are kept at hand for later rows.
const LINKS_KEPT: usize = 10_000;

/// What is asked for, as it came.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Conditions: a list, or null.
    pub filters: Json,
    /// What some text must contain.
    pub keyword: Option<String>,
}

impl Asked {
    /// `filters` and `keyword` of a body.
    pub fn read(reader: &mut Reader) -> Self {
        reader.note("filters", filter::schema);
        reader.note(
            "keyword",
            || json!({"type": "string", "maxLength": filter::MAX_KEYWORD}),
        );
        let filters = reader.raw("filters").unwrap_or_default();
        let keyword = match reader.raw("keyword") {
            None => None,
            Some(Json::String(keyword)) => Some(keyword),
            Some(_) => {
                reader.fault("keyword", "must be a string");
                None
            }
        };
        Self { filters, keyword }
    }

    /// `filters` and `keyword` of an address, where conditions are JSON text.
    ///
    /// # Errors
    /// 400 when they are not JSON.
    pub fn of_query(filters: Option<String>, keyword: Option<String>) -> Result<Self> {
        let filters = match filters.filter(|text| !text.is_empty()) {
            None => Json::Null,
            Some(text) => json::read(text.as_bytes()).map_err(|fault| {
                Error::BadRequest(format!("filters is not valid JSON: {fault}"))
            })?,
        };
        Ok(Self { filters, keyword })
    }
}

/// A question that was read against a form.
pub struct Query {
    /// The form, as it was read.
    pub parsed: Arc<ParsedForm>,
    /// What is asked for.
    pub filter: Filter,
    /// The forms that are linked to.
    forms: Found,
}

impl Query {
    /// A filter that looks into no other form.
    pub(in crate::ops) fn of(parsed: &Arc<ParsedForm>, filter: Filter) -> Self {
        Self {
            parsed: Arc::clone(parsed),
            filter,
            forms: Found::default(),
        }
    }
}

/// Reads what is asked against a form; faults go to `at`.
///
/// # Errors
/// Internal.
pub fn read(
    cache: &Cache,
    tx: &Tx,
    parsed: &Arc<ParsedForm>,
    asked: &Asked,
    at: &mut Issues,
) -> Result<Query> {
    let is_by_field = parsed.links && !asked.filters.is_null();
    let forms = if is_by_field {
        links::forms_of(cache, tx, parsed)?
    } else {
        Found::default()
    };
    let cx = parsed.cx_with(tx.now, false, &forms);
    let fields = &parsed.definition.fields;
    let filter = Filter::read(&asked.filters, asked.keyword.as_deref(), fields, &cx, at);
    Ok(Query {
        parsed: Arc::clone(parsed),
        filter,
        forms,
    })
}

/// Where entries are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Among {
    /// The form.
    pub form_no: i64,
    /// Live ones, or those in the trash.
    pub shelf: Shelf,
}

/// How many entries lie there.
///
/// # Errors
/// Internal.
pub fn count(tx: &Tx, form: &Form, shelf: Shelf) -> Result<i64> {
    Ok(match shelf {
        Shelf::Live => form.entries_count,
        Shelf::Trash => counters::of_form(tx, form.form_no)?.trash_count,
    })
}

/// The serials of all entries that match.
///
/// # Errors
/// Internal; 503 when it takes too long.
pub fn matching(cache: &Cache, tx: &Tx, among: Among, query: &Query) -> Result<Serials> {
    if among.shelf == Shelf::Live {
        return entry_ways::matching(cache, tx, among.form_no, query);
    }
    let mut out = Serials::default();
    scan(cache, tx, among, query, (0, i64::MAX), &mut |serial| {
        out.insert(serial);
    })?;
    Ok(out)
}

/// Looks at each entry with a serial above the one number and up to the other, and names those that match:
/// what any quicker way to answer must agree with.
///
/// # Errors
/// Internal; 503 when it takes too long.
pub fn scan(
    cache: &Cache,
    tx: &Tx,
    among: Among,
    query: &Query,
    (after, upto): (i64, i64),
    each: &mut dyn FnMut(i64),
) -> Result<()> {
    let mut walk = Walk::new(cache, tx, among, query);
    let mut next = Some(after);
    while let Some(after) = next {
        let piece = walk.piece((after, upto), Depth::Number)?;
        piece.entries.iter().for_each(|entry| each(entry.serial));
        next = piece.next;
    }
    Ok(())
}

/// Looks at the entries with these serials, and names those that match.
///
/// # Errors
/// Internal; 503 when it takes too long.
pub fn look_at(
    cache: &Cache,
    tx: &Tx,
    among: Among,
    query: &Query,
    serials: &[i64],
    each: &mut dyn FnMut(i64),
) -> Result<()> {
    let mut walk = Walk::new(cache, tx, among, query);
    for some in serials.chunks(AT_ADDRESSES) {
        let entries = entry_scan::by_serials(tx, among.shelf, among.form_no, some)?;
        let rows = entries.into_iter().map(|entry| {
            let values = walk.pick(&entry.values)?;
            Ok((entry, values))
        });
        let rows = rows.collect::<Result<Vec<_>>>()?;
        walk.matching(rows)?
            .iter()
            .for_each(|entry| each(entry.serial));
    }
    Ok(())
}

/// Shows every entry that matches, with its stored values, the oldest first.
///
/// # Errors
/// What `each` returns; internal; 503 when it takes too long.
pub fn walk(
    cache: &Cache,
    tx: &Tx,
    among: Among,
    query: &Query,
    each: &mut dyn FnMut(&Entry, &Values) -> Result<()>,
) -> Result<()> {
    let mut walk = Walk::new(cache, tx, among, query);
    let mut next = Some(0);
    while let Some(after) = next {
        let piece = walk.piece((after, i64::MAX), Depth::Whole)?;
        for entry in &piece.entries {
            let values = stored::values(&entry.values).map_err(Error::internal)?;
            each(entry, &values)?;
        }
        next = piece.next;
    }
    Ok(())
}

/// Some of the entries that match.
pub struct Piece {
    /// By serial; maybe none.
    pub entries: Vec<Entry>,
    /// Where to go on from; none at the end.
    pub next: Option<i64>,
}

/// The entries that match among the next few with a serial above `after`: for walks whose every piece has a
/// transaction of its own.
///
/// # Errors
/// Internal; 503 when it takes too long.
pub fn piece(cache: &Cache, tx: &Tx, among: Among, query: &Query, after: i64) -> Result<Piece> {
    Walk::new(cache, tx, among, query).piece((after, i64::MAX), Depth::Whole)
}

/// How much of an entry is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// Its serial number.
    Number,
    /// All of it.
    Whole,
}

/// A walk over entries, in pieces.
struct Walk<'w> {
    cache: &'w Cache,
    tx: &'w Tx<'w>,
    among: Among,
    query: &'w Query,
    codes: Vec<&'w str>,
    found: Found,
}

impl<'w> Walk<'w> {
    fn new(cache: &'w Cache, tx: &'w Tx<'w>, among: Among, query: &'w Query) -> Self {
        Self {
            cache,
            tx,
            among,
            query,
            codes: query.filter.codes(&query.parsed.definition.fields),
            found: query.forms.forms_alone(),
        }
    }

    fn piece(&mut self, (after, upto): (i64, i64), depth: Depth) -> Result<Piece> {
        let (mut rows, mut bytes) = (Vec::new(), 0);
        let Among { form_no, shelf } = self.among;
        let mut take = |row: Row| {
            bytes += row.values.len();
            rows.push((self.entry(&row, depth)?, self.pick(row.values)?));
            let is_full = rows.len() == PIECE || bytes > PIECE_BYTES;
            Ok(if is_full {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        };
        let flow = entry_scan::scan(self.tx, shelf, form_no, after, upto, &mut take)?;
        let last = rows.last().map(|(entry, _)| entry.serial);
        Ok(Piece {
            entries: self.matching(rows)?,
            next: last.filter(|_| flow.is_break()),
        })
    }

    /// Those of these entries that match.
    fn matching(&mut self, rows: Vec<(Entry, Values)>) -> Result<Vec<Entry>> {
        self.look_up(rows.iter().map(|(_, values)| values))?;
        let cx = self.query.parsed.cx_with(self.tx.now, false, &self.found);
        let fields = &self.query.parsed.definition.fields;
        let mut entries = Vec::new();
        for (entry, values) in rows {
            self.tx.go_on()?;
            if self.query.filter.holds(fields, &entry, &values, &cx) {
                entries.push(entry);
            }
        }
        Ok(entries)
    }

    fn entry(&self, row: &Row, depth: Depth) -> Result<Entry> {
        Ok(match depth {
            Depth::Whole => row.entry()?,
            Depth::Number => row.head(),
        })
    }

    /// Of stored values, what conditions look at.
    fn pick(&self, stored: &str) -> Result<Values> {
        if self.codes.is_empty() {
            return Ok(Values::new());
        }
        stored::pick(stored, &self.codes).map_err(Error::internal)
    }

    /// Looks up the entries of other forms that conditions are about.
    fn look_up<'v>(&mut self, rows: impl Iterator<Item = &'v Values>) -> Result<()> {
        let filter = &self.query.filter;
        if !filter.follows_links() {
            return Ok(());
        }
        if self.found.links_known() > LINKS_KEPT {
            self.found = self.query.forms.forms_alone();
        }
        let fields = &self.query.parsed.definition.fields;
        let links = rows.flat_map(|values| filter.links(fields, values));
        let wanted = links.filter(|link| !self.found.knows(link)).collect();
        links::look_up(self.cache, self.tx, wanted, &mut self.found)
    }
}
