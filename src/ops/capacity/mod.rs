//! Checks whether enough is left for an entry: quotas of choices, stock of products, places of bookings. The writer
//! decides, in the transaction of the change, by the form's limits at that moment.

pub mod booking_days;
pub mod day_sheet;
pub mod holds;
pub mod occupancy;
pub mod page_holds;
pub mod reservations;
pub mod waiting;

use std::collections::HashMap;

use serde_json::Map;

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text::phrase::phrase;
use crate::fields::kind::{Capacity, Cx, Used};
use crate::fields::values::Values;
use crate::fields::{Field, Fields, number_of};
use crate::model::capacity::{Demand, Resource, TakenAmount};
use crate::model::results::{ReservationStatus, Results};
use crate::query::form_cache::ParsedForm;
use crate::store::capacity::{self as counts, Counts};
use crate::store::db::tx::Tx;

/// The sender of an entry. Quotas of choices bind respondents alone; stock and places bind everybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    Respondent,
    Collaborator,
}

impl Asker {
    pub fn of(is_respondent: bool) -> Self {
        if is_respondent { Self::Respondent } else { Self::Collaborator }
    }

    fn is_bound_by(self, resource: Resource) -> bool {
        self == Self::Respondent || resource != Resource::Choices
    }
}

/// Lists as they were requested, of fields that merge equal lines: faults name the lines of the request.
#[derive(Clone, Debug, Default)]
pub struct RequestedLists(HashMap<u32, Vec<Json>>);

impl RequestedLists {
    /// From write shapes by api_code.
    pub fn of(fields: &Fields, raw: Option<&Map<String, Json>>) -> Self {
        let lists = raw.into_iter().flatten().filter_map(|(api_code, value)| {
            let list = value.as_array().filter(|list| list.len() > 1)?;
            fields.get(api_code)?.kind.capacity()?;
            Some((number_of(api_code)?, list.clone()))
        });
        Self(lists.collect())
    }

    /// The path of a part of a field's value in the request.
    fn path(&self, field: &Field, capacity: &dyn Capacity, stored: &Json, at: &str) -> String {
        let requested = || {
            let raw = self.0.get(&field.number())?;
            let stored = stored.as_array().filter(|lines| lines.len() < raw.len())?;
            let (index, rest) = at.strip_prefix('[')?.split_once(']')?;
            let line = stored.get(index.parse::<usize>().ok()?)?;
            Some(format!("[{}]{rest}", capacity.place(raw, line)?))
        };
        let at = requested().unwrap_or_else(|| at.to_owned());
        format!("field_values.{}{at}", field.api_code)
    }
}

/// Demands of an entry with these values.
pub fn demands(parsed: &ParsedForm, stored: &Values, results: &Results, asked: &RequestedLists) -> Vec<Demand> {
    let mut out = Vec::new();
    for (field, capacity, value) in takers(parsed, stored, results) {
        for take in capacity.takes(value) {
            out.push(Demand {
                attribute: asked.path(field, capacity, value, &take.at),
                limit: capacity.limit(&take.counter).map(|limit| limit.most),
                resource: capacity.resource(),
                taken: TakenAmount { field: field.number(), counter: take.counter, amount: take.amount },
            });
        }
    }
    out
}

/// The amounts that an entry with these values takes.
pub fn taken_amounts(parsed: &ParsedForm, stored: &Values, results: &Results) -> Vec<TakenAmount> {
    let mut out = Vec::new();
    for (field, capacity, value) in takers(parsed, stored, results) {
        out.extend(capacity.takes(value).into_iter().map(|take| TakenAmount {
            field: field.number(),
            counter: take.counter,
            amount: take.amount,
        }));
    }
    out
}

/// The values of an entry that take something.
fn takers<'f>(
    parsed: &'f ParsedForm,
    stored: &'f Values,
    results: &Results,
) -> impl Iterator<Item = (&'f Field, &'f dyn Capacity, &'f Json)> {
    let is_waiting = results.is_waiting;
    let is_cancelled = results.reservation_status == Some(ReservationStatus::Cancelled);
    stored.iter().filter_map(move |(api_code, value)| {
        let field = parsed.definition.fields.get(api_code)?;
        let capacity = field.kind.capacity()?;
        let is_free = is_cancelled && capacity.resource() == Resource::Places;
        (!is_waiting && !is_free).then_some((field, capacity, value))
    })
}

type Key = (u32, String);

fn key(taken: &TakenAmount) -> Key {
    (taken.field, taken.counter.clone())
}

pub(in crate::ops) fn sums<'t>(all: impl IntoIterator<Item = &'t TakenAmount>) -> HashMap<Key, u64> {
    let mut out: HashMap<Key, u64> = HashMap::new();
    for taken in all {
        *out.entry(key(taken)).or_default() += taken.amount;
    }
    out
}

/// Looks up how many of a field's counter are taken.
type Lookup<'t> = Box<dyn FnMut(u32, &str) -> Result<u64> + 't>;

/// The room that is left for one entry after the other.
pub struct Room<'t> {
    taken: Lookup<'t>,
    asker: Asker,
    /// The part of the rest that may be taken.
    share: fn(u64) -> u64,
    /// Amounts that the admitted entries will take.
    let_in: HashMap<Key, u64>,
}

impl<'t> Room<'t> {
    pub fn new(asker: Asker, taken: impl FnMut(u32, &str) -> Result<u64> + 't) -> Self {
        Self { taken: Box::new(taken), asker, share: |left| left, let_in: HashMap::new() }
    }

    /// The faults of the parts of an entry for which too little is left; without any, the entry counts from now on.
    /// `before` are the amounts that it takes already: it may keep as much, even if a limit was lowered since.
    pub fn enter(&mut self, before: &[TakenAmount], wanted: &[Demand]) -> Result<Vec<Issue>> {
        let before = sums(before);
        let mut sum: HashMap<Key, u64> = HashMap::new();
        let mut faults: Vec<Issue> = Vec::new();
        for demand in wanted {
            let key = key(&demand.taken);
            let own = before.get(&key).copied().unwrap_or_default();
            let so_far = sum.entry(key.clone()).or_default();
            *so_far = so_far.saturating_add(demand.taken.amount);
            let bound = demand.limit.filter(|_| self.asker.is_bound_by(demand.resource));
            let Some(limit) = bound.filter(|_| *so_far > own) else {
                continue;
            };
            let all = (self.taken)(key.0, &key.1)?;
            let others = all.saturating_sub(own);
            let others = others.saturating_add(self.let_in.get(&key).copied().unwrap_or_default());
            let left = limit.saturating_sub(others);
            let most = (self.share)(left).max(own.min(left));
            if *so_far <= most {
                continue;
            }
            // Amounts taken by earlier parts of the same entry are not left for this one.
            let earlier = *so_far - demand.taken.amount;
            let is_full = *so_far > left;
            let reason = match is_full {
                true => reason(demand.resource, left.saturating_sub(earlier)),
                false => Reason::HoldTooLarge { most: most.saturating_sub(earlier) },
            };
            match faults.iter_mut().find(|it| it.attribute == demand.attribute) {
                None => faults.push(Issue::new(&demand.attribute, reason)),
                // The fault that nothing is left takes precedence over the limit of holds.
                Some(known) if is_full && matches!(known.reason, Reason::HoldTooLarge { .. }) => known.reason = reason,
                Some(_) => {}
            }
        }
        if faults.is_empty() {
            for (key, amount) in sum {
                *self.let_in.entry(key).or_default() += amount;
            }
        }
        Ok(faults)
    }
}

fn reason(resource: Resource, left: u64) -> Reason {
    match resource {
        Resource::Choices | Resource::Places => Reason::Full { left },
        Resource::Stock => Reason::OutOfStock { left },
    }
}

/// The room in a form, in this transaction.
fn room<'t>(tx: &'t Tx, form_no: i64, asker: Asker) -> Room<'t> {
    Room::new(asker, move |field, counter| counts::taken_of(tx, form_no, field, counter))
}

/// The faults of the parts of an entry that takes `before`, for which too little is left.
pub fn faults(tx: &Tx, form_no: i64, asker: Asker, before: &[TakenAmount], wanted: &[Demand]) -> Result<Vec<Issue>> {
    room(tx, form_no, asker).enter(before, wanted)
}

/// The faults of the parts of a hold for which too little is left, or that would keep more than half of the rest:
/// nobody may keep all of it from others (S100). `before` are the amounts that it keeps already.
pub fn faults_of_hold(tx: &Tx, form_no: i64, before: &[TakenAmount], wanted: &[Demand]) -> Result<Vec<Issue>> {
    let share = |left: u64| (left / 2).max(1).min(left);
    Room { share, ..room(tx, form_no, Asker::Respondent) }.enter(before, wanted)
}

/// Checks that enough is left for an entry that takes `before` and wants `wanted`.
///
/// # Errors
/// 409 with all faults.
pub fn refuse_full(tx: &Tx, form_no: i64, asker: Asker, before: &[TakenAmount], wanted: &[Demand]) -> Result<()> {
    no_room(faults(tx, form_no, asker, before, wanted)?)
}

/// Refuses faults of limited resources.
///
/// # Errors
/// 409.
pub fn no_room(faults: Vec<Issue>) -> Result<()> {
    if faults.is_empty() { Ok(()) } else { Err(Error::NoRoom(faults)) }
}

/// The faults of rows for which too little is left after the rows before them, each with the row's index.
/// `are_counted`: the amounts taken include those of the rows.
pub fn of_rows<'d>(
    tx: &Tx,
    form_no: i64,
    rows: impl Iterator<Item = &'d [Demand]> + Clone,
    are_counted: bool,
) -> Result<Vec<(usize, Issue)>> {
    let all = rows.clone().flatten().map(|demand| &demand.taken);
    let own = sums(all.filter(|_| are_counted));
    let mut room = Room::new(Asker::Collaborator, |field, counter: &str| {
        let own = own.get(&(field, counter.to_owned()));
        let taken = counts::taken_of(tx, form_no, field, counter)?;
        Ok(taken.saturating_sub(own.copied().unwrap_or_default()))
    });
    let mut out = Vec::new();
    for (nth, row) in rows.enumerate() {
        let faults = room.enter(&[], row)?;
        out.extend(faults.into_iter().map(|fault| (nth, fault)));
    }
    Ok(out)
}

/// Counts the new amounts of an entry in place of its old ones.
pub fn replace<'t>(
    tx: &Tx,
    form_no: i64,
    before: &[TakenAmount],
    after: impl IntoIterator<Item = &'t TakenAmount>,
) -> Result<()> {
    let (before, after) = (sums(before), sums(after));
    let of = |key: &Key, sums: &HashMap<Key, u64>| sums.get(key).copied().unwrap_or_default();
    let changed = |key: &Key, amount: u64| TakenAmount { field: key.0, counter: key.1.clone(), amount };
    for (key, amount) in &after {
        let more = amount.saturating_sub(of(key, &before));
        if more > 0 {
            counts::take(tx, form_no, [&changed(key, more)])?;
        }
    }
    for (key, amount) in &before {
        let less = amount.saturating_sub(of(key, &after));
        if less > 0 {
            counts::give_back(tx, form_no, [&changed(key, less)])?;
        }
    }
    Ok(())
}

/// Removes the counts of fields and columns that an edit removes.
pub fn forget_removed(tx: &Tx, form_no: i64, old: &Fields, new: &Fields) -> Result<()> {
    for field in old.iter().filter(|field| field.kind.capacity().is_some()) {
        let Some(kept) = new.get(&field.api_code) else {
            counts::forget(tx, form_no, field.number(), "")?;
            continue;
        };
        let columns = kept.kind.sub_fields();
        let is_kept = |code: &str| columns.iter().any(|column| column.api_code == code);
        let old = field.kind.sub_fields().iter();
        for gone in old.filter(|column| !is_kept(&column.api_code)) {
            counts::forget(tx, form_no, field.number(), &format!("{}.", gone.api_code))?;
        }
    }
    Ok(())
}

/// Warnings of limits that an edit set below the amounts taken: nobody loses anything, and nobody gets more.
pub fn exceeded(old: &Fields, new: &Fields, counts: &Counts, cx: &Cx) -> Vec<Issue> {
    let limit = |fields: &Fields, field: u32, counter: &str| {
        let field = fields.get(&format!("field_{field}"))?;
        let capacity = field.kind.capacity()?;
        (!capacity.is_over(counter, cx)).then(|| capacity.limit(counter))?
    };
    let mut most: HashMap<String, u64> = HashMap::new();
    for (field, counter, taken) in counts.iter() {
        let Some(now) = limit(new, field, counter).filter(|now| now.most < taken) else {
            continue;
        };
        let was = limit(old, field, counter).map(|was| was.most);
        if let Some(place) = new.position(&format!("field_{field}"))
            && was != Some(now.most)
        {
            let most = most.entry(format!("fields[{place}].{}", now.at)).or_default();
            *most = taken.max(*most);
        }
    }
    let mut out: Vec<Issue> = most
        .into_iter()
        .map(|(attribute, taken)| {
            let text = phrase!("is below the {} that are taken: they stay, and nobody gets more", taken);
            Issue::new(attribute, Reason::other(text))
        })
        .collect();
    out.sort_by(|a, b| a.attribute.cmp(&b.attribute));
    out
}

/// Whether any demand is for a time that is over.
pub fn are_over(parsed: &ParsedForm, demands: &[Demand], cx: &Cx) -> bool {
    demands.iter().any(|Demand { taken, .. }| {
        let field = parsed.definition.fields.get(&format!("field_{}", taken.field));
        let capacity = field.and_then(|field| field.kind.capacity());
        capacity.is_some_and(|capacity| capacity.is_over(&taken.counter, cx))
    })
}

/// The fields of a form as respondents see them, with the units left of each limited item; and with those held, if
/// `held` has them.
pub fn for_respondent(parsed: &ParsedForm, counts: &Counts, held: Option<&Counts>, cx: &Cx) -> Vec<Json> {
    let fields = &parsed.definition.fields;
    let mut shown = fields.for_respondent();
    for own in &mut shown {
        let field = own["api_code"].as_str().and_then(|code| fields.get(code));
        if let Some(field) = field
            && let Some(capacity) = field.kind.capacity()
        {
            let taken = |counter: &str| Used {
                taken: counts.of(field.number(), counter),
                held: held.map(|held| held.of(field.number(), counter)),
            };
            capacity.show_remaining(own, &taken, cx);
        }
    }
    shown
}
