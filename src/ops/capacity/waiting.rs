//! The waiting list (contract section 5): entries for which too little was left are stored nevertheless, take nothing,
//! and move up when units become free, within the change that frees them.

use std::sync::Arc;

use crate::base::error::{Code, Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::reason::Reason;
use crate::base::text::phrase::{Phrase, phrase};
use crate::fields::system::{self, SystemField};
use crate::fields::values::{self, Checked, stored};
use crate::model::entry::{Entry, NewEntry};
use crate::model::outbox::MessageKind;
use crate::model::results::Results;
use crate::model::settings::Settings;
use crate::ops;
use crate::ops::app::{App, Ticket};
use crate::ops::capacity::{self, Asker, RequestedLists};
use crate::ops::delivery::outbox::Outbox;
use crate::ops::delivery::respondent_letters::{self, Cause, DueLetter};
use crate::ops::entries::respondent_entries::OwnEntry;
use crate::ops::entries::{EntryView, Shape, trash};
use crate::query::form_cache::{Cache, ParsedForm};
use crate::query::linked_entries;
use crate::store::capacity::{self as counts, holds, waiting};
use crate::store::db::tx::Tx;
use crate::store::{entries as rows, forms};

/// Entries that are looked at together.
const PIECE: usize = 100;
/// Ended holds that a submission frees.
const ENDED: usize = 100;
/// Places that one network may have in the list of a form.
const MOST: i64 = 20;

/// How a submission looks for room.
pub struct Search<'s> {
    pub asker: Asker,
    /// Token of the hold that it uses up.
    pub hold_token: Option<&'s str>,
    /// Whether the submission waits if nothing is left.
    pub waits: bool,
    /// The pseudonym of the network that it comes from.
    pub sender: &'s str,
}

/// Takes the units of a new entry, or puts it on the waiting list: then it takes nothing, and nothing is booked so far.
///
/// # Errors
/// 409 if too little is left, also if the network has no place left in the waiting list.
pub fn find_room(tx: &Tx, parsed: &ParsedForm, search: &Search, entry: &mut NewEntry) -> Result<()> {
    let (form_no, has_list) = (parsed.form_no, parsed.settings.capacity.waiting_list);
    if has_list && holds::free_ended(tx, Some(form_no), ENDED)? > 0 {
        // Amounts that have just become free belong to waiting entries.
        tx.fill_room()?;
    }
    if let Some(token) = search.hold_token {
        ops::capacity::holds::use_up(tx, form_no, token)?;
    }
    let faults = capacity::faults(tx, form_no, search.asker, &[], &entry.takes)?;
    if faults.is_empty() {
        return Ok(());
    }
    if !(search.waits && has_list) {
        return Err(Error::NoRoom(faults));
    }
    if waiting::count_from(tx, form_no, search.sender)? >= MOST {
        let message = format!(
            "{MOST} entries from your network are already on the waiting list of this form, which is the maximum: \
             take one of them off the list, or submit something that there is room for"
        );
        return Err(Error::Conflict(Code::WaitingListFull, message));
    }
    entry.takes.clear();
    entry.results.is_waiting = true;
    entry.results.waits_from = Some(search.sender.to_owned());
    entry.results.reservation_status = None;
    Ok(())
}

/// Moves waiting entries up, each for which enough is left, the first one first.
pub(in crate::ops) fn move_up(cache: &Cache, outbox: &Outbox, tx: &Tx, form_no: i64) -> Result<()> {
    if !waiting::is_any(tx, form_no)? || !forms::exists(tx, form_no)? {
        return Ok(());
    }
    let form = forms::by_number(tx, form_no)?;
    let parsed = cache.parsed(tx, &form)?;
    let mut after = 0;
    loop {
        let piece = waiting::next(tx, form_no, after, PIECE)?;
        let Some(last) = piece.last() else {
            return Ok(());
        };
        after = last.serial;
        for entry in piece {
            let sender = entry.results.waits_from.clone();
            if let Some(entry) = settle(tx, &parsed, entry)? {
                let cause = Cause { is_by_program: false, sender: sender.as_deref() };
                let found = linked_entries::of_entries(cache, tx, &parsed, [&entry])?;
                let shape = Arc::new(Shape { parsed: Arc::clone(&parsed), found });
                let due = DueLetter::new(MessageKind::MovedUp, cause);
                respondent_letters::queue(outbox, tx, &form, &EntryView { entry, shape }, due)?;
            }
        }
    }
}

/// Gives a waiting entry its units, if enough is left.
fn settle(tx: &Tx, parsed: &ParsedForm, entry: Entry) -> Result<Option<Entry>> {
    let form_no = parsed.form_no;
    let values = stored::values(&entry.values).map_err(Error::internal)?;
    let cx = parsed.cx(entry.updated_at, true);
    let before = Results { is_waiting: false, waits_from: None, ..entry.results.clone() };
    let outcome = values::settled(&parsed.definition.fields, &parsed.rules, &values, &cx).outcome;
    let checked = Checked { values, outcome };
    let results = parsed.results_of_change(&checked.values, &checked, &before, &cx);
    let demands = capacity::demands(parsed, &checked.values, &results, &RequestedLists::default());
    // A place whose time has come does not help a waiting entry.
    if capacity::are_over(parsed, &demands, &parsed.cx(tx.now, true)) {
        return Ok(None);
    }
    if !capacity::faults(tx, form_no, Asker::Respondent, &[], &demands)?.is_empty() {
        return Ok(None);
    }
    counts::take(tx, form_no, demands.iter().map(|demand| &demand.taken))?;
    let text = entry.values.clone();
    rows::update(tx, form_no, entry, text, results).map(Some)
}

/// The results that a file of entries has columns for: they include the place in the waiting list while any entry
/// waits.
pub fn results_in_files(tx: &Tx, parsed: &ParsedForm) -> Result<Vec<&'static SystemField>> {
    let results = parsed.result_fields();
    Ok(if waiting::is_any(tx, parsed.form_no)? { system::with_waiting(results) } else { results.to_vec() })
}

/// A warning about waiting entries if the new settings have no waiting list.
pub fn warning(app: &App, parsed: &ParsedForm, settings: &Settings) -> Result<Option<Issue>> {
    if settings.capacity.waiting_list {
        return Ok(None);
    }
    let count = app.store.read(|tx| waiting::count(tx, parsed.form_no))?;
    let reason = match count {
        0 => return Ok(None),
        1 => Phrase::plain(
            "is off, but 1 entry waits: it keeps its place and still moves up when there is room; nobody else can wait",
        ),
        many => phrase!(
            "is off, but {} entries wait: they keep their places and still move up when there is room; nobody else can \
             wait",
            many
        ),
    };
    Ok(Some(Issue::new("capacity.waiting_list".to_owned(), Reason::other(reason))))
}

/// Lets a respondent leave the waiting list: the entry moves to the trash. Its serial number.
///
/// # Errors
/// 404, 422 for an entry that does not wait.
pub fn leave(app: &App, own: OwnEntry) -> Result<Ticket<i64>> {
    let cache = Arc::clone(&app.cache);
    app.prepare(
        move |tx| own.again(&cache, tx),
        |tx, own| {
            let OwnEntry { published, entry, shape } = own;
            let form = &published.form;
            forms::check_version(tx, form.form_no, form.version)?;
            let current = rows::by_serial(tx, form.form_no, entry.serial)?;
            let current = current.ok_or(Error::NotFound(Noun::Entry))?;
            if !current.results.is_waiting {
                let reason = Reason::other("is null: the entry does not wait");
                return Err(Error::invalid("waiting_position", reason));
            }
            trash::move_to_trash(tx, form, &shape.parsed, &current)?;
            Ok(current.serial)
        },
    )
}
