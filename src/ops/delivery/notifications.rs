//! The mail that a new entry brings about: a receipt for its respondent, and notices for those who run the form. Which
//! of it is queued is decided here, in the transaction that stores the entry.

use crate::base::error::Result;
use crate::base::issue::{Issue, Issues};
use crate::base::reason::Reason;
use crate::fields::values::{self, stored};
use crate::fields::{Field, Fields};
use crate::model::caller::Caller;
use crate::model::form::Form;
use crate::model::outbox::{Delayed, Delivery, Message, MessageKind};
use crate::model::page::{Page, PageRequest};
use crate::model::settings::{ReceiptMail, Settings};
use crate::ops::app::App;
use crate::ops::delivery::mail_templates::entry::{self as letters, NewEntryCx};
use crate::ops::delivery::notice_addresses;
use crate::ops::delivery::outbox::{FormMail, Outbox};
use crate::ops::entries::{EntryView, edit_right};
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::removed_values;
use crate::query::linked_entries;
use crate::store::accounts::users;
use crate::store::db::tx::Tx;
use crate::store::delivery::outbox as rows;
use crate::store::forms;

/// The field that holds the respondent's address.
pub(in crate::ops) fn address_field<'f>(receipt: &ReceiptMail, fields: &'f Fields) -> Option<&'f Field> {
    match &receipt.field {
        Some(code) => fields.get(code).filter(|field| is_mailable(field)),
        // Nobody is asked for what a hidden one holds.
        None => fields.iter().find(|field| !field.hidden && is_mailable(field)),
    }
}

fn is_mailable(field: &Field) -> bool {
    field.row.facets.mailable
}

/// What settings ask for that has no effect.
pub(in crate::ops) fn warnings(app: &App, settings: &Settings, fields: &Fields) -> Vec<Issue> {
    let mut at = Issues::new();
    let group = &settings.notifications;
    let enabled = [
        ("notifications.receipt.enabled", group.receipt.enabled),
        ("notifications.notice.enabled", group.notice.enabled),
    ];
    if !app.delivery.outbox.sends_mail() {
        for (attribute, _) in enabled.into_iter().filter(|(_, enabled)| *enabled) {
            let reason = "has no effect until the service has a mail server (--smtp-url)";
            at.push_at(attribute, Reason::other(reason));
        }
    }
    if group.receipt.enabled && address_field(&group.receipt, fields).is_none() {
        let reason = "has no effect: the form has no email field";
        at.push_at("notifications.receipt.enabled", Reason::other(reason));
    }
    at.into_list()
}

/// What brought an entry about.
#[derive(Clone, Copy)]
pub(in crate::ops) struct Cause<'a> {
    /// Whether a program without a token sent it.
    pub is_by_program: bool,
    /// The pseudonym of the network; none where that is not counted.
    pub sender: Option<&'a str>,
}

/// Queues the mail about an entry that a respondent submitted.
pub(in crate::ops) fn of_new_entry(
    outbox: &Outbox,
    tx: &Tx,
    form: &Form,
    view: &EntryView,
    cause: Cause,
) -> Result<()> {
    // Who waits gets the receipt with the place.
    if !view.entry.results.is_waiting {
        receipt_of(outbox, tx, form, view, cause)?;
    }
    let (entry, parsed) = (&view.entry, &view.shape.parsed);
    let group = &parsed.settings.notifications.notice;
    if !outbox.sends_mail() || !group.enabled {
        return Ok(());
    }
    let new = NewEntryCx {
        form,
        parsed,
        entry,
        cx: parsed.cx_with(tx.now, false, &view.shape.found),
        base_url: &outbox.base_url,
    };
    let organization = users::by_id(tx, form.owner)?.organization.id;
    let answers = group.include_values.then(|| letters::answers(&new));
    for to in &group.to {
        let is_agreed = notice_addresses::agrees(tx, organization, to)?;
        if !is_agreed && answers.is_some() {
            // What strangers write goes to nobody who did not ask for it.
            notice_addresses::ask(outbox, tx, form, organization, to)?;
            continue;
        }
        let message = notice(outbox, &new, answers.as_ref(), to);
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

/// Queues the receipt of an entry for its respondent.
pub(in crate::ops) fn receipt_of(outbox: &Outbox, tx: &Tx, form: &Form, view: &EntryView, cause: Cause) -> Result<()> {
    let (entry, parsed) = (&view.entry, &view.shape.parsed);
    let group = &parsed.settings.notifications.receipt;
    if !outbox.sends_mail() || !group.enabled || cause.is_by_program && !group.for_programs {
        return Ok(());
    }
    let new = NewEntryCx {
        form,
        parsed,
        entry,
        cx: parsed.cx_with(tx.now, true, &view.shape.found),
        base_url: &outbox.base_url,
    };
    let Some(to) = respondent(&new, group) else {
        return Ok(());
    };
    let message = receipt(outbox, &new);
    let mail = FormMail {
        kind: MessageKind::Receipt,
        form,
        organization: users::by_id(tx, form.owner)?.organization.id,
        serial: Some(entry.serial),
        to: &to,
        is_agreed: false,
        sender: cause.sender,
    };
    outbox.queue_about(tx, &mail, &message)
}

/// Mail about an entry as it would be written today; `None` if the entry is gone. Its own text went when something was
/// removed from the form (S101).
///
/// # Errors
/// 503.
pub(in crate::ops) fn again(
    app: &App,
    kind: MessageKind,
    (form_no, serial): (i64, i64),
    to: &str,
) -> Result<Option<Message>> {
    app.store.read(|tx| {
        let Some(entry) = removed_values::stored(tx, form_no, serial)? else {
            return Ok(None);
        };
        let form = forms::by_number(tx, form_no)?;
        let parsed = app.cache.parsed(tx, &form)?;
        let found = linked_entries::of_entries(&app.cache, tx, &parsed, [&entry])?;
        let new = NewEntryCx {
            form: &form,
            parsed: &parsed,
            entry: &entry,
            cx: parsed.cx_with(tx.now, kind == MessageKind::Receipt, &found),
            base_url: &app.delivery.outbox.base_url,
        };
        Ok(match kind {
            MessageKind::Receipt => Some(receipt(&app.delivery.outbox, &new)),
            MessageKind::Notice => {
                let organization = users::by_id(tx, form.owner)?.organization.id;
                let include = parsed.settings.notifications.notice.include_values
                    && notice_addresses::agrees(tx, organization, to)?;
                let answers = include.then(|| letters::answers(&new));
                Some(notice(&app.delivery.outbox, &new, answers.as_ref(), to))
            }
            _ => None,
        })
    })
}

fn receipt(outbox: &Outbox, new: &NewEntryCx) -> Message {
    let settings = &new.parsed.settings;
    let edit = settings
        .submission_options
        .allow_edit_after_submission
        .then(|| edit_right::address(&outbox.base_url, &outbox.keys, &new.form.token, &new.entry.token));
    letters::receipt(new, &settings.notifications.receipt, edit).message()
}

fn notice(outbox: &Outbox, new: &NewEntryCx, answers: Option<&letters::Answers>, to: &str) -> Message {
    let stop = notice_addresses::stop_address(outbox, new.form.token.as_str(), to);
    letters::notice(new, answers, stop).message()
}

/// The address that the respondent gave.
fn respondent(new: &NewEntryCx, receipt: &ReceiptMail) -> Option<String> {
    let field = address_field(receipt, &new.parsed.definition.fields)?;
    let stored = stored::values(&new.entry.values).unwrap_or_default();
    let value = values::today(field, stored.get(&field.api_code), &new.cx)?;
    value.as_str().map(str::to_owned)
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
