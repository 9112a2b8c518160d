//! Begins a job: finds its entries, and does the checks that all of them have in common.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::json;

use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::json::unknown_members::Ignored;
use crate::base::reader::{self, Reader};
use crate::base::reason::{Expected, Reason};
use crate::model::caller::Caller;
use crate::model::entry::jobs::JobKind;
use crate::model::form::Form;
use crate::ops::app::App;
use crate::ops::entries::jobs::{self, JobView};
use crate::ops::entries::{add_ignored, links, read_field_values};
use crate::ops::forms::access::{self, Right};
use crate::query;
use crate::query::form_cache::{Cache, ParsedForm};
use crate::query::request::{EntrySet, FilterRequest, Query};
use crate::store::db::tx::Tx;
use crate::store::entries::Table;

/// Entries that are moved or changed in one transaction.
const TRASH_PIECE: usize = 100;
const UPDATE_PIECE: usize = 25;

/// Which entries a job has.
#[derive(Clone, Debug, Default)]
pub struct BulkRequest {
    pub filter: FilterRequest,
    /// Of those that match, only the entries with these serial numbers; `None`: all.
    pub serials: Option<Vec<i64>>,
    /// How many entries the client expects.
    pub expected_total: i64,
}

impl BulkRequest {
    /// Reads which entries a body means.
    pub fn read(reader: &mut Reader) -> Self {
        let filter = FilterRequest::read(reader);
        reader.note("serial_numbers", || json!({"type": "array", "items": {"type": "integer", "minimum": 1}}));
        let mut serials = None;
        if let Some(raw) = reader.raw("serial_numbers") {
            let list = raw.as_array().and_then(|list| list.iter().map(reader::as_int).collect::<Option<Vec<_>>>());
            if list.is_none() {
                reader.fault("serial_numbers", Reason::MustBe(Expected::Other("a list of serial numbers")));
            }
            serials = list;
        }
        let is_given = reader.has("expected_total");
        let expected_total = reader.opt_int("expected_total", 0..=i64::MAX);
        if !is_given {
            reader.fault("expected_total", Reason::Required);
        }
        Self { filter, serials, expected_total: expected_total.unwrap_or_default() }
    }
}

/// Which entries a body means, and the values that it sets.
pub fn read_update(reader: &mut Reader) -> (BulkRequest, Json) {
    (BulkRequest::read(reader), read_field_values(reader))
}

/// The JSON Schema of the body of `begin_trash`.
pub fn trash_schema() -> Json {
    Reader::describe(|reader| {
        BulkRequest::read(reader);
    })
}

/// The JSON Schema of the body of `begin_update`.
pub fn update_schema() -> Json {
    Reader::describe(|reader| {
        read_update(reader);
    })
}

/// Begins to move entries to the trash. `at` has the faults found so far.
///
/// # Errors
/// 403, 404, 412 when another number of entries matches, 422, 429.
pub fn begin_trash(app: &App, caller: &Caller, token: &str, request: BulkRequest, at: Issues) -> Result<JobView> {
    let (form, serials) = matching(app, caller, token, request, at, |_, _, _, _| Ok(()))?;
    store(app, caller, form, JobKind::Trash, String::new(), pieces(&serials, TRASH_PIECE))
}

/// Begins to set values of entries, each of which is checked as if it was changed alone. Keys that no field reads go to
/// `ignored`.
///
/// # Errors
/// As `begin_trash`.
pub fn begin_update(
    app: &App,
    caller: &Caller,
    token: &str,
    (request, values): (BulkRequest, Json),
    mut at: Issues,
    ignored: &mut Ignored,
) -> Result<JobView> {
    let parsed = app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, Right::Enter)?;
        app.cache.parsed(tx, &form)
    })?;
    add_ignored(ignored, &parsed, &values, false);
    at.append(std::mem::take(&mut ignored.faults));
    let payload = values.to_string();
    let check = move |cache: &Cache, tx: &Tx, parsed: &Arc<ParsedForm>, at: &mut Issues| {
        check_values(cache, tx, parsed, &values, at)
    };
    let (form, serials) = matching(app, caller, token, request, at, check)?;
    store(app, caller, form, JobKind::Update, payload, pieces(&serials, UPDATE_PIECE))
}

/// The form, and the serial numbers of the live entries that a request selects. `check` adds further faults.
fn matching(
    app: &App,
    caller: &Caller,
    token: &str,
    request: BulkRequest,
    mut at: Issues,
    check: impl FnOnce(&Cache, &Tx, &Arc<ParsedForm>, &mut Issues) -> Result<()> + Send + 'static,
) -> Result<(Form, Vec<i64>)> {
    let (cache, caller, token) = (Arc::clone(&app.cache), caller.clone(), token.to_owned());
    let search = app.store.search(move |tx| {
        let form = access::form_for(tx, &caller, &token, Right::Enter)?;
        let parsed = cache.parsed(tx, &form)?;
        let query = Query::read(&cache, tx, &parsed, &request.filter, &mut at)?;
        check(&cache, tx, &parsed, &mut at)?;
        at.into_result()?;
        let set = EntrySet { form_no: form.form_no, table: Table::Live };
        let mut found = query::matching(&cache, tx, set, &query)?.beyond(None, false, usize::MAX);
        if let Some(listed) = &request.serials {
            let listed: HashSet<i64> = listed.iter().copied().collect();
            found.retain(|serial| listed.contains(serial));
        }
        let total = i64::try_from(found.len()).unwrap_or(i64::MAX);
        if total == request.expected_total { Ok((form, found)) } else { Err(Error::TotalChanged(total)) }
    });
    search.wait()
}

/// Notes values that no entry could take.
fn check_values(cache: &Cache, tx: &Tx, parsed: &Arc<ParsedForm>, values: &Json, at: &mut Issues) -> Result<()> {
    let Some(given) = values.as_object() else {
        at.push_at("field_values", Reason::MustBe(Expected::Object));
        return Ok(());
    };
    let fields = &parsed.definition.fields;
    if at.is_empty() && !given.keys().any(|code| fields.get(code).is_some()) {
        at.push_at("field_values", Reason::other("names no field of this form"));
    }
    let found = links::of_new(cache, tx, parsed, [Some(given)])?;
    let cx = parsed.cx_with(tx.now, false, &found);
    at.key("field_values", |at| {
        for (field, value) in given.iter().filter_map(|(code, value)| Some((fields.get(code)?, value))) {
            at.key(&field.api_code, |at| {
                if field.kind.files().is_some() {
                    at.push(Reason::other("can't be set for several entries: a file belongs to one"));
                } else if !field.kind.is_written() {
                    at.push(Reason::other("can't be set"));
                } else if !value.is_null() {
                    field.kind.parse(value.clone(), &cx, at);
                }
            });
        }
    });
    Ok(())
}

fn pieces(serials: &[i64], size: usize) -> Vec<Vec<i64>> {
    serials.chunks(size).map(<[i64]>::to_vec).collect()
}

fn store(
    app: &App,
    caller: &Caller,
    form: Form,
    kind: JobKind,
    payload: String,
    pieces: Vec<Vec<i64>>,
) -> Result<JobView> {
    let caller = caller.clone();
    app.store.write(move |tx| {
        let (form, role) = access::form_and_role(tx, &caller, form.token.as_str(), Right::Enter)?;
        let job = jobs::begin(tx, &caller, &form, kind, payload, pieces)?;
        JobView::of(tx, &caller, role, job)
    })
}
