//! Changing the fields of a form that has entries: the data that would be lost, also in the trash, is counted first,
//! and the change is made only if nothing else came between.

use std::sync::Arc;

use crate::base::clock::{self, Time};
use crate::base::error::{Code, Error, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::fields::Fields;
use crate::fields::definition::{Edit, Removal};
use crate::fields::kind::Cx;
use crate::fields::values::rules::Rules;
use crate::fields::values::{self, Values, results, rewrite, stored};
use crate::model::audit::Action;
use crate::model::caller::Caller;
use crate::model::entry::Entry;
use crate::model::form::FormSection;
use crate::ops::accounts::audit::{self, By};
use crate::ops::app::App;
use crate::ops::entries::unique_index_build;
use crate::ops::exams::rescoring;
use crate::ops::files::images::UsedImages;
use crate::ops::forms::drafted_parts::DraftedParts;
use crate::ops::forms::form_view::FormView;
use crate::ops::forms::versions::record;
use crate::ops::forms::{field_rules, settings};
use crate::ops::queries::fit;
use crate::ops::{self, capacity};
use crate::query::form_cache::ParsedForm;
use crate::query::linked_entries;
use crate::store::db::tx::Tx;
use crate::store::delivery::outbox;
use crate::store::entries::entry_keys::{self, IndexState};
use crate::store::entries::{Table, counters, listing, trash};
use crate::store::forms::{self, Head, drafts, rewrites};
use crate::store::{self, queries, transfer};

const PIECE: usize = 1000;
// A change may have been under way, with its time fixed, when a look began.
const MARGIN_SECS: i64 = 60;

/// Carries an edit out with the other parts of a draft; returns whether all entries show it already.
///
/// # Errors
/// 422 `data_loss` without confirmation, 422 where a field that is to be unique has doubles, `Stale`
/// when the form changed meanwhile.
pub fn apply(
    app: &App,
    caller: &Caller,
    old: &FormView,
    head: Head,
    edit: Edit,
    (confirmed, images): (bool, UsedImages),
    parts: &DraftedParts,
) -> Result<bool> {
    let newly = unique_index_build::newly(&edit);
    let Edit { definition, removals, drafted_next, .. } = edit;
    let cx = old.parsed.cx(clock::now(), false);
    let rules = parts.rules(&old.parsed).clone();
    field_rules::still_fit(&rules, &definition.fields, &cx)?;
    let new_settings = parts.settings(&old.parsed, &definition.fields, &cx)?;
    let form_no = old.form.form_no;
    let (queries, marks) = app.store.read(|tx| {
        let queries = queries::of_form(tx, form_no)?;
        Ok((queries, queries::marks(tx, form_no)?))
    })?;
    let linked = app.store.read(|tx| linked_entries::forms_of(&app.cache, tx, &old.parsed))?;
    let before = ops::queries::queried(&old.parsed, &linked);
    let linking = old.parsed.cx_with(clock::now(), false, &linked);
    fit::still_fit(&queries, before, &definition.fields, &linking)?;
    let restores = restores(app, form_no)?;
    let removes = !removals.is_empty();
    let (before, after) = (&old.parsed.definition.fields, &definition.fields);
    let (scene, settings) = (old.parsed.scene.as_str(), &old.parsed.settings);
    let recomputes = rewrite::changes_formulas(before, after)
        || results::changes(scene, settings, before, after)
        || parts.rescores(&old.parsed)
        || (old.parsed.derives() && (changes_hiding(old, &rules, after, &cx) || speaks_other(old, &head)));
    let mut losses = Losses::of(removals, confirmed);
    losses.look_through(app, old)?;
    losses.refuse()?;
    let unique = unique_index_build::unique_numbers(&definition);
    let built = unique_index_build::build(app, old, &newly)?;
    if let Err(doubles) = unique_index_build::no_doubles(app, form_no, &definition, &newly) {
        unique_index_build::give_up(app, form_no, built.version, newly)?;
        return Err(doubles);
    }
    let (parsed, stored) = (Arc::clone(&old.parsed), definition.to_stored());
    let gone: Vec<String> = parsed
        .definition
        .fields
        .iter()
        .filter(|field| definition.fields.get(&field.api_code).is_none())
        .map(|field| field.api_code.clone())
        .collect();
    let unneeded: Vec<u32> = parsed
        .keyed
        .iter()
        .copied()
        .filter(|number| match entry_keys::searched_field(*number) {
            Some(field) => !keeps_keys(&parsed.definition.fields, &definition.fields, field),
            None => !unique.contains(number),
        })
        .collect();
    let (by, token, parts) = (By::caller(caller), old.form.token.clone(), parts.clone());
    app.store.write(move |tx| {
        forms::check_version(tx, form_no, built.version)?;
        // A draft must not have given the codes that new fields get here.
        if drafts::next_field(tx, form_no)? != drafted_next {
            return Err(Error::Stale);
        }
        // A query that came or changed meanwhile is looked at by another try.
        if queries::marks(tx, form_no)? != marks {
            return Err(Error::Stale);
        }
        audit::note_form(tx, by, Action::FormUpdated, token.as_str())?;
        let before = record::before(tx, form_no)?;
        if transfer::first_hidden(tx, form_no)?.is_some() {
            // Its entries can't be looked at before they are all there.
            return Err(Error::Busy("an import is in progress", 1));
        }
        // Entries that came or changed since the looks: few, and looked at here.
        let cx = parsed.cx(tx.now, false);
        let since = losses.since.min(built.since).minus_secs(MARGIN_SECS);
        let upto = losses.last_serial.min(built.last_serial);
        // One that came back out of the trash is among neither, so all is looked at again.
        if upto < i64::MAX && counters::of_form(tx, form_no)?.restores != restores {
            return Err(Error::Stale);
        }
        for entry in listing::changed_since(tx, form_no, upto, since)? {
            losses.look(Table::Live, &parsed.definition.fields, &entry, &cx)?;
            unique_index_build::refuse_double(tx, form_no, &definition, &newly, &entry, &cx)?;
        }
        if losses.is_open() {
            for entry in trash::since(tx, form_no, losses.since.minus_secs(MARGIN_SECS))? {
                losses.look(Table::Trash, &parsed.definition.fields, &entry, &cx)?;
            }
        }
        losses.refuse()?;
        images.store(tx)?;
        for field in unneeded {
            entry_keys::set_state(tx, form_no, field, IndexState::Dropping)?;
        }
        for field in newly {
            entry_keys::set_state(tx, form_no, field, IndexState::Ready)?;
        }
        parts.store(tx, form_no, by, token.as_str())?;
        forget(tx, &parsed, (&rules, &new_settings), &definition.fields, &gone, &cx)?;
        capacity::forget_removed(tx, form_no, &parsed.definition.fields, &definition.fields)?;
        forms::update(tx, form_no, &head, Some(&stored))?;
        record::keep(tx, form_no, &before, by, parts.version_name.as_deref())?;
        // A limit may have been raised.
        store::capacity::note_room(tx, form_no);
        if removes {
            // Mail that waits holds values; that of forms that link to this one shows them too.
            let linking = forms::linking_to(tx, &token)?;
            linking.iter().chain([&form_no]).try_for_each(|form_no| outbox::forget_texts(tx, *form_no))?;
        }
        if removes || recomputes {
            rewrites::start(tx, form_no, removes, recomputes)?;
        }
        Ok(())
    })?;
    Ok(!recomputes || ops::forms::rewrites::entries_now(app, form_no))
}

/// Whether the keys by which public queries find a field's values stay the same.
fn keeps_keys(before: &Fields, after: &Fields, number: u32) -> bool {
    let code = format!("field_{number}");
    let (old, new) = (before.get(&code), after.get(&code));
    old.zip(new).is_some_and(|(old, new)| old.row.name == new.row.name && old.past == new.past)
}

/// Whether rules may hide other fields than before.
fn changes_hiding(old: &FormView, rules: &Json, after: &Fields, cx: &Cx) -> bool {
    let before = &old.parsed.parts.field_rules;
    let rules = field_rules::without(rules, after);
    let read = || Rules::read(&rules, after, cx).0;
    rules != *before || rewrite::changes_rules(&old.parsed.definition.fields, after, &read())
}

/// Whether texts and times of values may be others.
pub fn speaks_other(old: &FormView, head: &Head) -> bool {
    old.form.locale != head.locale || old.form.timezone != head.timezone
}

/// How often an entry of a form came back out of the trash so far.
fn restores(app: &App, form_no: i64) -> Result<i64> {
    app.store.read(|tx| Ok(counters::of_form(tx, form_no)?.restores))
}

/// Stores the rules and the settings without removed fields, and with right answers of an exam that follow their fields.
fn forget(
    tx: &Tx,
    old: &ParsedForm,
    (rules, settings): (&Json, &Json),
    fields: &Fields,
    gone: &[String],
    cx: &Cx,
) -> Result<()> {
    let (form_no, parts) = (old.form_no, &old.parts);
    let old = &old.definition.fields;
    let rules = field_rules::without(rules, fields);
    if rules != parts.field_rules {
        forms::update_part(tx, form_no, FormSection::Rules, &rules)?;
    }
    let settings = settings::without(settings, gone);
    let settings = rescoring::adopted(&settings, old, fields, cx);
    if settings != parts.settings {
        forms::update_part(tx, form_no, FormSection::Settings, &settings)?;
    }
    Ok(())
}

/// Data that removing these parts of a form would delete, by part.
///
/// # Errors
/// 503.
pub fn losses(app: &App, form: &FormView, removals: &[Removal]) -> Result<Vec<Issue>> {
    let mut losses = Losses::of(removals.to_vec(), false);
    losses.look_through(app, form)?;
    Ok(losses.told().into_list())
}

/// The number of entries that hold data of a removed part.
#[derive(Clone, Copy, Default)]
struct Affected {
    live: u64,
    trashed: u64,
}

impl Affected {
    fn count(&mut self, table: Table) {
        match table {
            Table::Live => self.live += 1,
            Table::Trash => self.trashed += 1,
        }
    }

    fn reason(self) -> Option<Reason> {
        let entries = self.live + self.trashed;
        (entries > 0).then_some(Reason::HoldsData { entries, trashed: self.trashed })
    }
}

/// The removals of an edit, and how many entries hold data of each.
struct Losses {
    removals: Vec<Removal>,
    affected: Vec<Affected>,
    confirmed: bool,
    last_serial: i64,
    since: Time,
}

impl Losses {
    fn of(removals: Vec<Removal>, confirmed: bool) -> Self {
        Self {
            affected: vec![Affected::default(); removals.len()],
            removals,
            confirmed,
            last_serial: 0,
            since: clock::now(),
        }
    }

    fn is_open(&self) -> bool {
        !self.removals.is_empty() && !self.confirmed
    }

    fn look_through(&mut self, app: &App, old: &FormView) -> Result<()> {
        if !self.is_open() {
            self.last_serial = i64::MAX;
            return Ok(());
        }
        let cx = old.parsed.cx(self.since, false);
        let (form_no, fields) = (old.form.form_no, &old.parsed.definition.fields);
        let mut last_serial = 0;
        each_piece(app, form_no, Table::Live, |entry| {
            last_serial = last_serial.max(entry.serial);
            self.look(Table::Live, fields, entry, &cx)
        })?;
        self.last_serial = last_serial;
        // After the live ones, so that one which is moved there meanwhile is seen.
        each_piece(app, form_no, Table::Trash, |entry| self.look(Table::Trash, fields, entry, &cx))
    }

    fn look(&mut self, table: Table, fields: &Fields, entry: &Entry, cx: &Cx) -> Result<()> {
        if !self.is_open() {
            return Ok(());
        }
        let stored = stored::values(&entry.values).map_err(Error::internal)?;
        for (removal, affected) in self.removals.iter().zip(&mut self.affected) {
            if holds(fields, removal, &stored, cx) {
                affected.count(table);
            }
        }
        Ok(())
    }

    fn told(&self) -> Issues {
        let mut losses = Issues::new();
        for (removal, affected) in self.removals.iter().zip(&self.affected) {
            if let Some(reason) = affected.reason() {
                losses.push_at(&removal.attribute, reason);
            }
        }
        losses
    }

    fn refuse(&self) -> Result<()> {
        let losses = self.told();
        if losses.is_empty() || self.confirmed {
            return Ok(());
        }
        Err(Error::InvalidFor(
            Code::DataLoss,
            "This would delete collected data: send confirm_data_loss: true to go on".to_owned(),
            losses.into_list(),
        ))
    }
}

fn holds(fields: &Fields, removal: &Removal, stored: &Values, cx: &Cx) -> bool {
    let Some(field) = fields.get(&removal.api_code) else {
        return false;
    };
    let Some(value) = values::today(field, stored.get(&removal.api_code), cx) else {
        return false;
    };
    match &removal.item {
        None => true,
        Some(item) => field.kind.points_to(&value, item),
    }
}

/// Every entry of a form, each piece in a snapshot of its own, since a long one would hold the log back.
fn each_piece(app: &App, form_no: i64, table: Table, mut f: impl FnMut(&Entry) -> Result<()>) -> Result<()> {
    let mut after = 0;
    loop {
        let piece = app.store.read(|tx| listing::walk(tx, form_no, table, after, PIECE))?;
        for entry in &piece {
            after = entry.serial;
            f(entry)?;
        }
        if piece.len() < PIECE {
            return Ok(());
        }
    }
}
