//! Holds: places, pieces and shares that somebody keeps while they fill in a form (contract section 5). They count as
//! taken until they end, or until the submission that uses them up.

use std::sync::Arc;

use serde_json::Map;

use crate::base::clock::Time;
use crate::base::error::{Error, Noun, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::json::unknown_members::Ignored;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::base::{id, secret};
use crate::fields::links::LinkedData;
use crate::fields::values::{Values, is_blank};
use crate::model::audit::Action;
use crate::model::caller::Caller;
use crate::model::capacity::{Demand, TakenAmount};
use crate::model::form::Form;
use crate::model::results::Results;
use crate::ops::accounts::audit::{self, By};
use crate::ops::app::{App, Ticket};
use crate::ops::capacity::{self, RequestedLists};
use crate::ops::entries::answers::Answers;
use crate::ops::entries::{add_ignored, links, read_field_values};
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::published::{self, Published};
use crate::query::form_cache::ParsedForm;
use crate::store::capacity::holds;
use crate::store::db::tx::Tx;
use crate::store::forms;

/// Holds that one address may have in a form.
const MOST: usize = 5;
const HAS_MOST: &str =
    "Your network has 5 holds of this form, as many as it may: submit without a hold, or wait until one ends";
/// So many holds of an address may end unused within a day; the next ones then wait this many times the length of a hold
/// (S100).
const MOST_UNUSED: usize = 2;
const SHUT_OUT_TIMES: i64 = 10;
const LEFT_UNUSED: &str =
    "Holds of this form that your network took ended without a submission: submit without a hold, or wait";
/// Their tokens.
const TOKEN_LENGTH: usize = 22;
pub const MAX_TOKEN: usize = 64;

/// A request for a hold.
pub struct HoldRequest {
    field_values: Json,
    /// The form's access password.
    pub password: Option<String>,
    faults: Vec<Issue>,
}

impl HoldRequest {
    pub fn read(body: Json) -> Self {
        let mut at = Issues::new();
        let request = Self::read_from(&mut Reader::new(body, &mut at));
        let faults = at.into_list();
        Self { faults, ..request }
    }

    fn read_from(reader: &mut Reader) -> Self {
        Self { field_values: read_field_values(reader), password: reader.opt_text("password", 256), faults: Vec::new() }
    }

    /// Adds what the published form does not take of the values.
    pub fn note_ignored(&mut self, published: &Published, ignored: &mut Ignored) {
        add_ignored(ignored, &published.parsed, &self.field_values, true);
        self.faults.extend(std::mem::take(&mut ignored.faults).into_list());
    }

    /// The JSON Schema of the body.
    pub fn schema() -> Json {
        Reader::describe(|reader| {
            Self::read_from(reader);
        })
    }
}

/// A hold, as it is answered.
pub struct Held {
    pub token: String,
    pub expires_at: Time,
}

/// That a form has holds, and takes submissions.
fn check(published: &Published) -> Result<()> {
    published.status.check()?;
    if published.parsed.settings.capacity.hold_minutes == 0 {
        return Err(Error::NotHere("This form has no holds: its setting capacity.hold_minutes is 0"));
    }
    Ok(())
}

/// Keeps what these values would take.
///
/// # Errors
/// 403 for a form without holds or that takes no submissions, 409 where there is no room or it would keep more than half
/// of what is left, 422, 429 when the sender has as many holds as one may have, or let some go unused.
pub fn create(app: &App, published: Published, sender: &str, request: HoldRequest) -> Result<Ticket<Held>> {
    let sender = sender.to_owned();
    app.prepare(requested_demands(app, published, request), move |tx, (published, wanted)| {
        let form = &published.form;
        forms::check_version(tx, form.form_no, form.version)?;
        insert(tx, form.form_no, &sender, published.parsed.settings.capacity.hold_minutes, &wanted)
    })
}

pub(in crate::ops) fn insert(tx: &Tx, form_no: i64, sender: &str, minutes: i64, wanted: &[Demand]) -> Result<Held> {
    let ends = holds::ends_of(tx, form_no, sender)?;
    if ends.len() >= MOST {
        let until = ends.first().copied().unwrap_or(tx.now);
        return Err(Error::TooManyOpen(HAS_MOST, secs_until(tx, until)));
    }
    let unused = holds::unused_ends(tx, form_no, sender, MOST_UNUSED)?;
    let last = unused.first().filter(|_| unused.len() >= MOST_UNUSED);
    let until = last.map(|last| last.plus_secs(minutes * 60 * SHUT_OUT_TIMES));
    if let Some(until) = until.filter(|until| *until > tx.now) {
        return Err(Error::TooManyOpen(LEFT_UNUSED, secs_until(tx, until)));
    }
    capacity::no_room(capacity::faults_of_hold(tx, form_no, &[], wanted)?)?;
    let token = id::random(TOKEN_LENGTH);
    let expires_at = tx.now.plus_secs(minutes * 60);
    let hash = secret::hash(&token);
    holds::insert(tx, form_no, (&hash, sender), &taken_amounts(wanted), expires_at)?;
    Ok(Held { token, expires_at })
}

/// The seconds to wait until then.
fn secs_until(tx: &Tx, then: Time) -> u64 {
    u64::try_from(then.secs_since(tx.now) + 1).unwrap_or(1).max(1)
}

/// Keeps what these values would take in the place of what a hold keeps. It ends when it would have ended.
///
/// # Errors
/// 403, 404, 409 where there is no room: then the hold stays as it is; 422.
pub fn replace(app: &App, published: Published, token: &str, request: HoldRequest) -> Result<Ticket<Held>> {
    let token = token.to_owned();
    app.prepare(requested_demands(app, published, request), move |tx, (published, wanted)| {
        let form = &published.form;
        forms::check_version(tx, form.form_no, form.version)?;
        let hold = find(tx, form, &token)?;
        let before = holds::takes_of(tx, hold)?;
        capacity::no_room(capacity::faults_of_hold(tx, form.form_no, &before, &wanted)?)?;
        holds::refill(tx, form.form_no, hold, &taken_amounts(&wanted))?;
        Ok(Held { token: token.clone(), expires_at: hold.expires_at })
    })
}

/// Frees what a hold keeps. It ended unused.
///
/// # Errors
/// 404.
pub fn free(app: &App, published: &Published, token: &str) -> Ticket<()> {
    let (form, token) = (published.form.clone(), token.to_owned());
    app.store.submit(move |tx| {
        let hold = find(tx, &form, &token)?;
        holds::let_go(tx, form.form_no, hold)
    })
}

/// Ends all holds of a form, on behalf of a manager; how many. It is no fault of those who had them.
///
/// # Errors
/// 403, 404.
pub fn end_all(app: &App, caller: &Caller, token: &str) -> Result<Ticket<usize>> {
    let (by, caller, token) = (By::caller(caller), caller.clone(), token.to_owned());
    app.prepare(
        move |tx| access::form_for(tx, &caller, &token, Right::Manage),
        move |tx, form| {
            forms::check_version(tx, form.form_no, form.version)?;
            audit::note_form(tx, by, Action::HoldsEnded, form.token.as_str())?;
            holds::remove_all(tx, form.form_no)
        },
    )
}

fn find(tx: &Tx, form: &Form, token: &str) -> Result<holds::Hold> {
    let found = holds::find(tx, form.form_no, &secret::hash(token))?;
    found.ok_or(Error::NotFound(Noun::Hold))
}

/// Ends the hold of a submission, so that it finds the room that was kept for it. One that has ended is no fault: the
/// submission then finds room like any other.
pub fn use_up(tx: &Tx, form_no: i64, token: &str) -> Result<()> {
    holds::use_up(tx, form_no, &secret::hash(token))
}

pub(in crate::ops) fn taken_amounts(wanted: &[Demand]) -> Vec<TakenAmount> {
    wanted.iter().map(|demand| demand.taken.clone()).collect()
}

/// Demands of the values of a request. Only fields with a capacity are read: the others are checked on submission.
fn requested_demands(
    app: &App,
    before: Published,
    request: HoldRequest,
) -> impl Fn(&Tx) -> Result<(Published, Vec<Demand>)> + Send + 'static {
    let cache = Arc::clone(&app.cache);
    move |tx| {
        let published = published::again(&cache, tx, &before)?;
        check(&published)?;
        let parsed = &published.parsed;
        let given = request.field_values.as_object();
        let found = links::of_write(&cache, tx, parsed, given, None)?;
        let mut at = Issues::new();
        at.extend(request.faults.iter().cloned());
        let none = Map::new();
        if given.is_none() {
            at.push_at("field_values", Reason::MustBe(Expected::Object));
        }
        let given = given.unwrap_or(&none);
        let stored = at.key("field_values", |at| read(parsed, given, &found, at));
        at.into_result()?;
        let wanted = demands(parsed, given, &stored);
        Ok((published, wanted))
    }
}

/// Demands for limited resources by the answers on a page, as far as these have no faults; `given` has the values in
/// its fields. Nothing is held for a field that has only its default.
pub(in crate::ops) fn wanted_of_page(answers: &Answers, given: &Values) -> Vec<Demand> {
    let parsed = &answers.shape.parsed;
    let is_chosen = |number: u32| {
        let field = parsed.definition.fields.get(&format!("field_{number}"));
        let field = field.filter(|field| !field.hidden);
        field.and_then(|field| given.get(&field.api_code)).is_some_and(|value| !value.is_null())
    };
    let mut wanted = answers.draft.demands(parsed, &Results::default());
    wanted.retain(|demand| demand.limit.is_some() && is_chosen(demand.taken.field));
    wanted
}

/// Whether a hold keeps just that already.
pub(in crate::ops) fn are_same(kept: &[TakenAmount], wanted: &[Demand]) -> bool {
    capacity::sums(kept) == capacity::sums(wanted.iter().map(|demand| &demand.taken))
}

/// Demands of values, by the paths of the request.
fn demands(parsed: &ParsedForm, given: &Values, stored: &Values) -> Vec<Demand> {
    let asked = RequestedLists::of(&parsed.definition.fields, Some(given));
    capacity::demands(parsed, stored, &Results::default(), &asked)
}

/// The values of fields that take something, but for those with faults.
fn read(parsed: &ParsedForm, given: &Values, found: &LinkedData, at: &mut Issues) -> Values {
    let cx = parsed.cx_with(crate::base::clock::now(), true, found);
    let mut out = Values::new();
    for field in parsed.definition.fields.iter() {
        let raw = given.get(&field.api_code).filter(|raw| !raw.is_null());
        let Some(raw) = raw.filter(|_| !field.hidden && field.kind.capacity().is_some()) else {
            continue;
        };
        let faults = at.count();
        let stored = at.key(&field.api_code, |at| field.kind.parse(raw.clone(), &cx.of_field(field), at));
        if !is_blank(&stored) && at.count() == faults {
            out.insert(field.api_code.clone(), stored);
        }
    }
    out
}
