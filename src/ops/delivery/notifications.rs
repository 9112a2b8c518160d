//! The mail that a new entry brings about, queued in the transaction that stores it: a letter to its respondent, and
//! notices for those who run the form. Also the list of a form's mail, and warnings of settings without effect.

use crate::base::error::Result;
use crate::base::issue::{Issue, Issues};
use crate::base::reason::Reason;
use crate::fields::Fields;
use crate::model::caller::Caller;
use crate::model::entry::Entry;
use crate::model::form::Form;
use crate::model::notification_settings::Notifications;
use crate::model::outbox::{Delayed, Delivery, Message, MessageKind};
use crate::model::page::{Page, PageRequest};
use crate::model::settings::Settings;
use crate::ops::app::App;
use crate::ops::delivery::mail_templates::entry::LetterCx;
use crate::ops::delivery::mail_templates::notice;
use crate::ops::delivery::notice_addresses;
use crate::ops::delivery::outbox::{FormMail, Outbox};
use crate::ops::delivery::respondent_letters::{self, Cause, DueLetter};
use crate::ops::entries::{EntryView, Shape};
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::removed_values;
use crate::query::linked_entries;
use crate::store::db::tx::Tx;
use crate::store::delivery::outbox as rows;
use crate::store::forms;

/// True if the service has a mail server.
pub fn is_sent(app: &App) -> bool {
    app.delivery.outbox.sends_mail()
}

/// Warnings about settings that have no effect.
pub(in crate::ops) fn warnings(app: &App, settings: &Settings, fields: &Fields) -> Vec<Issue> {
    let mut at = Issues::new();
    let group = &settings.notifications;
    let mut letters: Vec<MessageKind> = Notifications::LETTERS.into();
    letters.retain(|kind| group.is_switched_on(*kind));
    letters.extend(group.receipt.enabled.then_some(MessageKind::Receipt));
    let attribute = |kind: MessageKind| format!("notifications.{}.enabled", kind.name());
    if !app.delivery.outbox.sends_mail() {
        for kind in letters.iter().copied().chain(group.notice.enabled.then_some(MessageKind::Notice)) {
            let reason = "has no effect until the service has a mail server (--smtp-url)";
            at.push_at(&attribute(kind), Reason::other(reason));
        }
    }
    if respondent_letters::address_field(&group.receipt, fields).is_none() {
        for kind in letters {
            at.push_at(&attribute(kind), Reason::other("has no effect: the form has no email field"));
        }
    }
    at.into_list()
}

/// Queues the mail about an entry that a respondent submitted.
pub(in crate::ops) fn of_new_entry(
    outbox: &Outbox,
    tx: &Tx,
    form: &Form,
    view: &EntryView,
    cause: Cause,
) -> Result<()> {
    let (entry, shape) = (&view.entry, &view.shape);
    let kind = if entry.results.is_waiting { MessageKind::Waiting } else { MessageKind::Receipt };
    respondent_letters::queue(outbox, tx, form, view, DueLetter::new(kind, cause))?;
    let group = &shape.parsed.settings.notifications.notice;
    if !outbox.sends_mail() || !group.enabled {
        return Ok(());
    }
    let cx = notice_cx(outbox, tx, form, shape, entry)?;
    let organization = cx.organization.id;
    for to in &group.to {
        let is_agreed = notice_addresses::agrees(tx, organization, to)?;
        if !is_agreed && group.letter().tells_answers() {
            // Text written by strangers is sent only to addresses that agreed.
            notice_addresses::ask(outbox, tx, form, organization, to)?;
            continue;
        }
        let message = notice_to(outbox, tx, &cx, is_agreed, to)?;
        let mail = FormMail {
            kind: MessageKind::Notice,
            form,
            organization,
            serial: Some(entry.serial),
            to,
            is_agreed,
            sender: cause.sender.filter(|_| !is_agreed),
        };
        outbox.queue_about(tx, &mail, &message)?;
    }
    Ok(())
}

/// Mail about an entry as it would be written today; `None` if the entry is gone, or is no longer what it told of. Its
/// own text went when something was removed from the form (S101).
///
/// # Errors
/// 503.
pub(in crate::ops) fn again(
    app: &App,
    kind: MessageKind,
    (form_no, serial): (i64, i64),
    to: &str,
) -> Result<Option<Message>> {
    let outbox = &app.delivery.outbox;
    app.store.read(|tx| {
        let Some(entry) = removed_values::stored(tx, form_no, serial)? else {
            return Ok(None);
        };
        let form = forms::by_number(tx, form_no)?;
        let parsed = app.cache.parsed(tx, &form)?;
        let found = linked_entries::of_entries(&app.cache, tx, &parsed, [&entry])?;
        let shape = Shape { parsed, found };
        if kind != MessageKind::Notice {
            let cx = respondent_letters::letter_cx(outbox, tx, &form, &shape, &entry)?;
            return Ok(respondent_letters::message(outbox, &cx, kind, None, None));
        }
        let cx = notice_cx(outbox, tx, &form, &shape, &entry)?;
        let is_agreed = notice_addresses::agrees(tx, cx.organization.id, to)?;
        Ok(Some(notice_to(outbox, tx, &cx, is_agreed, to)?))
    })
}

/// An entry as notices tell of it: also the answers that are hidden from respondents.
fn notice_cx<'a>(
    outbox: &'a Outbox,
    tx: &Tx,
    form: &'a Form,
    shape: &'a Shape,
    entry: &'a Entry,
) -> Result<LetterCx<'a>> {
    let cx = shape.parsed.cx_with(tx.now, false, &shape.found);
    Ok(LetterCx { cx, ..respondent_letters::letter_cx(outbox, tx, form, shape, entry)? })
}

fn notice_to(outbox: &Outbox, tx: &Tx, cx: &LetterCx, is_agreed: bool, to: &str) -> Result<Message> {
    let own = cx.parsed.settings.notifications.notice.letter();
    let stop = notice_addresses::stop_address(outbox, cx.form.token.as_str(), to);
    let (form, serial) = (&cx.form.token, cx.entry.serial);
    let entry = access::reads(tx, to, cx.form)?.then(|| format!("{}/forms/{form}/entries/{serial}", outbox.base_url));
    Ok(notice::notice(cx, is_agreed.then_some(&own), entry, stop).message())
}

/// The mail about a form, latest first, and how much of it was not sent at once.
///
/// # Errors
/// 400 for a cursor of another list, 403, 404.
pub fn list(app: &App, caller: &Caller, form: &str, page: &PageRequest) -> Result<(Page<Delivery>, Delayed)> {
    let before = page.place()?.map_or(i64::MAX, |(_, id)| id);
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, form, Right::Manage)?;
        let mut all = rows::list(tx, form.form_no, before, page.size + 1)?;
        let more = all.len() > page.size;
        all.truncate(page.size);
        let page = Page {
            total: rows::count(tx, form.form_no)?,
            next: all.last().filter(|_| more).map(|last| format!("0.{}", last.id)),
            rows: all,
        };
        Ok((page, rows::delayed(tx, form.form_no)?))
    })
}
