//! Reports on the entries of a form, question by question (contract section 4): on all of them, or on those that match
//! a filter.

pub mod remembered;

use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::json;

use crate::base::clock::{self, Time};
use crate::base::error::{Error, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::json::schema_builder::reference;
use crate::fields::kind::Cx;
use crate::fields::links::{LinkedData, linked};
use crate::fields::report::Report;
use crate::fields::report::chart::{Bar, Card};
use crate::fields::report::moments::{Moments, OverTime};
use crate::fields::report::split::{self, Group, Split};
use crate::fields::values::stored;
use crate::model::caller::Caller;
use crate::model::serials::Serials;
use crate::ops::app::{App, Ticket};
use crate::ops::entries::reports::remembered::{Key, Mark, Remembered};
use crate::ops::forms::access::{self, Right};
use crate::query::form_cache::{Cache, ParsedForm};
use crate::query::request::{EntrySet, FilterRequest, Query};
use crate::query::{self, as_read, linked_entries};
use crate::store::db::searches::Snapshots;
use crate::store::db::tx::Tx;
use crate::store::entries::Table;
use crate::store::entries::change_mark;
use crate::store::entries::entry_scan::{self, RowHead};

/// The entries read at once, and the bytes of them, except for the entry that exceeds them.
const PIECE: usize = 500;
const PIECE_BYTES: usize = 1 << 20;
/// So many entries that are not asked for are passed over before the next one that is, is looked up.
const PASSED: i64 = 100;

/// Which entries are counted, and the question that splits the report.
#[derive(Clone, Debug, Default)]
pub struct ReportRequest {
    pub filter: FilterRequest,
    /// The code of a question with one choice.
    pub split: Option<String>,
}

/// A report as a page shows it.
pub struct Overview {
    pub total: u64,
    /// When its entries came.
    pub over_time: OverTime,
    pub cards: Vec<Card>,
    /// One for each choice of the question that splits it, and one for no answer; none without such a question.
    pub groups: Vec<Group>,
    pub warnings: Vec<Issue>,
}

impl Overview {
    /// Estimated memory.
    fn bytes(&self) -> usize {
        let groups = self.groups.iter().flat_map(|group| &group.cards);
        let cards: usize = self.cards.iter().chain(groups).map(Card::bytes).sum();
        cards + self.over_time.bars.iter().map(Bar::bytes).sum::<usize>()
    }
}

/// The report of a form, as JSON text. Each piece of it is read in a snapshot of its own: entries that change meanwhile
/// are in it or not.
///
/// # Errors
/// 404, 422 for conditions that can't be, or a question that splits nothing.
pub fn show(app: &App, caller: &Caller, token: &str, request: ReportRequest) -> Result<Ticket<(String, Vec<Issue>)>> {
    let (cache, caller) = (Arc::clone(&app.cache), caller.clone());
    let token = token.to_owned();
    Ok(app.store.search_in_steps(move |snapshots| {
        let asked = snapshots.read(|tx| Asked::read(&cache, tx, &caller, &token, &request))?;
        let parsed = &asked.query.parsed;
        let mut counted = count_all(&cache, snapshots, &asked)?;
        let cx = parsed.cx(clock::now(), false);
        let mut out = counted.report.to_json(&cx);
        if let Some(split) = &mut counted.split {
            out["split"] = split.to_json(&cx);
        }
        Ok((out.to_string(), asked.query.warnings.clone()))
    }))
}

/// The report for a page, if it was counted before and no entry nor the form changed since; it need not be counted to
/// know that the request can be.
///
/// # Errors
/// 404, 422 for conditions that can't be, or a question that splits nothing.
pub fn recall(app: &App, caller: &Caller, token: &str, request: &ReportRequest) -> Result<Option<Arc<Overview>>> {
    app.store.read(|tx| {
        let recalled = Asked::recall(&app.cache, tx, caller, token, request, &app.entries.reports)?;
        if let Recalled::Report(report) = recalled {
            return Ok(Some(report));
        }
        Asked::check(&app.cache, tx, caller, token, request)?;
        Ok(None)
    })
}

/// The report for a page. One that was counted before is remembered until an entry or the form changes.
///
/// # Errors
/// 404, 422 for conditions that can't be, or a question that splits nothing.
pub fn overview(app: &App, caller: &Caller, token: &str, request: ReportRequest) -> Result<Ticket<Arc<Overview>>> {
    let (cache, caller, remembered) = (Arc::clone(&app.cache), caller.clone(), Arc::clone(&app.entries.reports));
    let token = token.to_owned();
    Ok(app.store.search_in_steps(move |snapshots| {
        let known = snapshots.read(|tx| Asked::recall(&cache, tx, &caller, &token, &request, &remembered))?;
        let (key, mark) = match known {
            Recalled::Report(report) => return Ok(report),
            Recalled::Unknown(key, mark) => (key, mark),
        };
        let asked = snapshots.read(|tx| Asked::read(&cache, tx, &caller, &token, &request))?;
        let parsed = &asked.query.parsed;
        let mut counted = count_all(&cache, snapshots, &asked)?;
        let cx = parsed.cx(clock::now(), false);
        let cards = counted.report.cards(&cx);
        let groups = counted.split.as_mut().map(|split| split.groups(&cx, &cards)).unwrap_or_default();
        let report = Arc::new(Overview {
            total: counted.report.total(),
            over_time: counted.moments.result(),
            cards,
            groups,
            warnings: asked.query.warnings.clone(),
        });
        // Values of linked entries change without a change of these.
        if !parsed.links {
            remembered.put(key, mark, &report);
        }
        Ok(report)
    }))
}

/// Whether a report was counted before.
enum Recalled {
    Report(Arc<Overview>),
    Unknown(Key, Mark),
}

/// The entries to count.
struct Asked {
    set: EntrySet,
    query: Query,
    /// The entries that are asked for, unless all are.
    wanted: Option<Serials>,
    split: Option<String>,
}

impl Asked {
    /// Reads the request against the form, if the caller may read that, and finds the entries.
    fn read(cache: &Cache, tx: &Tx, caller: &Caller, token: &str, request: &ReportRequest) -> Result<Self> {
        let (form_no, query) = Self::check(cache, tx, caller, token, request)?;
        let set = EntrySet { form_no, table: Table::Live };
        let wanted = if query.filter.is_empty() { None } else { Some(query::matching(cache, tx, set, &query)?) };
        let split = request.split.clone().filter(|code| !code.is_empty());
        Ok(Self { set, query, wanted, split })
    }

    /// The number of the form, and the request read against it.
    fn check(cache: &Cache, tx: &Tx, caller: &Caller, token: &str, request: &ReportRequest) -> Result<(i64, Query)> {
        let form = access::form_for(tx, caller, token, Right::Read)?;
        let parsed = cache.parsed(tx, &form)?;
        let mut at = Issues::new();
        let query = Query::read(cache, tx, &parsed, &request.filter, &mut at)?;
        let split = request.split.as_ref().filter(|code| !code.is_empty());
        if let Some(Err(fault)) = split.map(|code| Split::by(&parsed.definition.fields, code)) {
            at.push_at("split", fault);
        }
        at.into_result()?;
        Ok((form.form_no, query))
    }

    /// The remembered report, or the key and state to remember it by.
    fn recall(
        cache: &Cache,
        tx: &Tx,
        caller: &Caller,
        token: &str,
        request: &ReportRequest,
        remembered: &Remembered,
    ) -> Result<Recalled> {
        let form = access::form_for(tx, caller, token, Right::Read)?;
        let parsed = cache.parsed(tx, &form)?;
        let FilterRequest { filters, keyword } = &request.filter;
        let key = (form.form_no, json!([filters, keyword, request.split]).to_string());
        let mark = (change_mark::of_form(tx, form.form_no)?, form.version, parsed.entry_mark(tx.now));
        Ok(match remembered.get(&key, &mark) {
            Some(report) => Recalled::Report(report),
            None => Recalled::Unknown(key, mark),
        })
    }
}

/// The tallies of a report.
struct Counted<'p> {
    report: Report<'p>,
    split: Option<Split<'p>>,
    moments: Moments,
}

impl Counted<'_> {
    fn add(&mut self, serial: i64, created_at: Time, values: &str, cx: &Cx) -> Result<()> {
        self.moments.add(created_at, cx.timezone);
        if let Some(split) = &mut self.split {
            split.add(serial, values, cx).map_err(Error::internal)?;
        }
        self.report.add(serial, values, cx).map_err(Error::internal)
    }
}

/// Counts all that are asked for, some of them in each snapshot.
fn count_all<'p>(cache: &Cache, snapshots: &mut Snapshots, asked: &'p Asked) -> Result<Counted<'p>> {
    let parsed = &asked.query.parsed;
    let fields = &parsed.definition.fields;
    let split = asked.split.as_ref().and_then(|code| Split::by(fields, code).ok());
    let mut counted = Counted { report: Report::new(fields), split, moments: Moments::default() };
    let mut next = first(asked.wanted.as_ref());
    while let Some(before) = next {
        let from = (asked.set, asked.wanted.as_ref(), before);
        next = snapshots.read(|tx| count(cache, tx, parsed, from, &mut counted))?;
    }
    Ok(counted)
}

/// The serial below which to begin; none where there is nothing to count.
fn first(wanted: Option<&Serials>) -> Option<i64> {
    match wanted {
        None => Some(i64::MAX),
        Some(wanted) => wanted.next_below(i64::MAX).map(|serial| serial + 1),
    }
}

/// Shows some of the entries below a serial, the newest first; says below which to go on, none at the end.
fn piece(
    tx: &Tx,
    set: EntrySet,
    wanted: Option<&Serials>,
    before: i64,
    each: &mut dyn FnMut(&RowHead) -> Result<()>,
) -> Result<Option<i64>> {
    let (mut rows, mut bytes, mut passed, mut last) = (0, 0, 0, before);
    let mut take = |row: RowHead| {
        last = row.serial;
        if wanted.is_none_or(|wanted| wanted.contains(row.serial)) {
            each(&row)?;
            bytes += row.values.len();
            rows += 1;
            passed = 0;
        } else {
            passed += 1;
        }
        let is_full = rows >= PIECE || bytes > PIECE_BYTES || passed >= PASSED;
        Ok(if is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    };
    let flow = entry_scan::scan_back(tx, set.table, set.form_no, before, &mut take)?;
    Ok(match wanted {
        _ if flow.is_continue() => None,
        None => Some(last),
        Some(wanted) => wanted.next_below(last).map(|serial| serial + 1),
    })
}

/// Counts some of the entries below a serial, with their linked entries; returns the serial below which to go on.
fn count(
    cache: &Cache,
    tx: &Tx,
    parsed: &ParsedForm,
    (set, wanted, before): (EntrySet, Option<&Serials>, i64),
    counted: &mut Counted,
) -> Result<Option<i64>> {
    if !parsed.links {
        let cx = parsed.cx(tx.now, false);
        return piece(tx, set, wanted, before, &mut |row| {
            let values = as_read::text(parsed, row.values, &cx)?;
            counted.add(row.serial, row.created_at, &values, &cx)
        });
    }
    let (mut rows, mut links) = (Vec::new(), Vec::new());
    let next = piece(tx, set, wanted, before, &mut |row| {
        let stored = stored::values(row.values).map_err(Error::internal)?;
        links.extend(linked::of_stored(&parsed.definition.fields, &stored));
        rows.push((row.serial, row.created_at, row.values.to_owned()));
        Ok(())
    })?;
    let mut found = LinkedData::default();
    linked_entries::look_up(cache, tx, links, &mut found)?;
    let cx = parsed.cx_with(tx.now, false, &found);
    for (serial, created_at, values) in rows {
        let values = as_read::text(parsed, &values, &cx)?;
        counted.add(serial, created_at, &values, &cx)?;
    }
    Ok(next)
}

/// The JSON Schema of a report.
pub fn schema() -> Json {
    let fields = json!({
        "type": "array",
        "items": reference("ReportField"),
        "description": "Each field with values, in the order of the form.",
    });
    json!({
        "type": "object",
        "properties": {
            "total": {"type": "integer", "minimum": 0, "description": "The number of entries in the report."},
            "fields": fields,
            "split": split::schema(&fields),
        },
        "required": ["total", "fields"],
        "additionalProperties": false,
    })
}
