//! Letters to the respondent of an entry: the receipt, the place in the waiting list, moving up, cancellations and
//! changes, and reminders. Each is queued in the transaction of the change that it is about.

use crate::base::error::{Error, Result};
use crate::fields::values::{self, stored};
use crate::fields::{Field, Fields};
use crate::model::entry::Entry;
use crate::model::form::Form;
use crate::model::notification_settings::ReceiptMail;
use crate::model::outbox::{Message, MessageKind};
use crate::model::results::ReservationStatus;
use crate::ops::delivery::mail_templates::entry::LetterCx;
use crate::ops::delivery::mail_templates::facts::Facts;
use crate::ops::delivery::mail_templates::respondent::{self, Links};
use crate::ops::delivery::outbox::{FormMail, Outbox};
use crate::ops::entries::{EntryView, Shape, edit_right, receipt_link};
use crate::query::form_cache::ParsedForm;
use crate::store::accounts::organizations;
use crate::store::db::tx::Tx;

/// The field that holds the respondent's address.
pub(in crate::ops) fn address_field<'f>(receipt: &ReceiptMail, fields: &'f Fields) -> Option<&'f Field> {
    match &receipt.field {
        Some(code) => fields.get(code).filter(|field| is_mailable(field)),
        // Respondents are not asked for a hidden field.
        None => fields.iter().find(|field| !field.hidden && is_mailable(field)),
    }
}

fn is_mailable(field: &Field) -> bool {
    field.row.facets.mailable
}

/// The cause of a letter.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::ops) struct Cause<'a> {
    /// True for a program without a token.
    pub is_by_program: bool,
    /// The pseudonym of the network; `None` if that is not counted.
    pub sender: Option<&'a str>,
}

/// A letter that is due.
#[derive(Clone, Copy)]
pub(in crate::ops) struct DueLetter<'a> {
    pub kind: MessageKind,
    pub cause: Cause<'a>,
    /// The entry before the change that the letter is about.
    pub before: Option<&'a Entry>,
}

impl<'a> DueLetter<'a> {
    pub fn new(kind: MessageKind, cause: Cause<'a>) -> Self {
        Self { kind, cause, before: None }
    }
}

/// Queues a letter about an entry, if the form sends it.
pub(in crate::ops) fn queue(outbox: &Outbox, tx: &Tx, form: &Form, view: &EntryView, due: DueLetter) -> Result<()> {
    let (entry, parsed) = (&view.entry, &view.shape.parsed);
    let group = &parsed.settings.notifications;
    let is_by_program = due.cause.is_by_program || entry.results.is_by_program;
    if !outbox.sends_mail() || !group.sends(due.kind) || is_by_program && !group.receipt.for_programs {
        return Ok(());
    }
    let cx = letter_cx(outbox, tx, form, &view.shape, entry)?;
    let Some(message) = message(outbox, &cx, due.kind, due.before, None) else {
        return Ok(());
    };
    send(outbox, tx, &cx, due, &message)
}

/// Queues the reminder of these bookings.
pub(in crate::ops) fn queue_reminder(outbox: &Outbox, tx: &Tx, cx: &LetterCx, about: Facts) -> Result<()> {
    let due = DueLetter::new(MessageKind::Reminder, Cause::default());
    match message(outbox, cx, due.kind, None, Some(about)) {
        Some(message) => send(outbox, tx, cx, due, &message),
        None => Ok(()),
    }
}

fn send(outbox: &Outbox, tx: &Tx, cx: &LetterCx, due: DueLetter, message: &Message) -> Result<()> {
    let Some(to) = respondent(cx, &cx.parsed.settings.notifications.receipt) else {
        return Ok(());
    };
    let mail = FormMail {
        kind: due.kind,
        form: cx.form,
        organization: cx.organization.id,
        serial: Some(cx.entry.serial),
        to: &to,
        is_agreed: false,
        sender: due.cause.sender,
    };
    outbox.queue_about(tx, &mail, message)
}

/// Queues the letter about a change of an entry: of its booking's state, or of the answers that its respondent sees.
pub(in crate::ops) fn queue_change(
    outbox: &Outbox,
    tx: &Tx,
    form: &Form,
    view: &EntryView,
    before: &Entry,
    cause: Cause,
) -> Result<()> {
    let group = &view.shape.parsed.settings.notifications;
    if !outbox.sends_mail() || !group.writes_later() {
        return Ok(());
    }
    let (was, is) = (before.results.reservation_status, view.entry.results.reservation_status);
    let is_cancelled = is == Some(ReservationStatus::Cancelled);
    let is_booked_again = was == Some(ReservationStatus::Cancelled) && is == Some(ReservationStatus::Reserved);
    let has_moved_up = before.results.is_waiting && !view.entry.results.is_waiting;
    let kind = if is_cancelled && was != is {
        MessageKind::Cancelled
    } else if has_moved_up {
        // Another letter tells the respondent of moving up.
        return Ok(());
    } else if is_booked_again
        || group.sends(MessageKind::Changed) && has_other_answers(&view.shape.parsed, before, &view.entry)?
    {
        MessageKind::Changed
    } else {
        return Ok(());
    };
    queue(outbox, tx, form, view, DueLetter { kind, cause, before: Some(before) })
}

/// True if an answer that respondents see is another one.
fn has_other_answers(parsed: &ParsedForm, before: &Entry, after: &Entry) -> Result<bool> {
    if before.values == after.values {
        return Ok(false);
    }
    let values = |entry: &Entry| stored::values(&entry.values).map_err(Error::internal);
    let (before, after) = (values(before)?, values(after)?);
    let mut seen = parsed.definition.fields.with_values().filter(|field| !field.hidden);
    Ok(seen.any(|field| before.get(&field.api_code) != after.get(&field.api_code)))
}

/// The context of an entry for letters to its respondent.
pub(in crate::ops) fn letter_cx<'a>(
    outbox: &'a Outbox,
    tx: &Tx,
    form: &'a Form,
    shape: &'a Shape,
    entry: &'a Entry,
) -> Result<LetterCx<'a>> {
    Ok(LetterCx {
        form,
        parsed: &shape.parsed,
        entry,
        cx: shape.parsed.cx_with(tx.now, true, &shape.found),
        organization: organizations::settings_of_owner(tx, form.owner)?,
        base_url: &outbox.base_url,
        sender: &outbox.sender,
    })
}

/// A letter as it would be written now; `None` for one about a place in the waiting list that the entry no longer has.
pub(in crate::ops) fn message(
    outbox: &Outbox,
    cx: &LetterCx,
    kind: MessageKind,
    before: Option<&Entry>,
    about: Option<Facts>,
) -> Option<Message> {
    let own = cx.parsed.settings.notifications.letter(kind)?;
    if kind == MessageKind::Waiting && cx.entry.waiting_position.is_none() {
        return None;
    }
    Some(respondent::letter(kind, cx, &own, links(outbox, cx), before, about).message())
}

fn links(outbox: &Outbox, cx: &LetterCx) -> Links {
    let (form, entry, results) = (&cx.form.token, &cx.entry.token, &cx.entry.results);
    let may_edit = cx.parsed.settings.submission_options.allow_edit_after_submission;
    let may_cancel = may_edit && results.reservation_status == Some(ReservationStatus::Reserved);
    let is_cancelled = results.reservation_status == Some(ReservationStatus::Cancelled);
    let has_certificate = cx.parsed.settings.certificate.is_given(results) && !is_cancelled;
    let (base, keys) = (&outbox.base_url, &outbox.keys);
    let page = receipt_link::query(keys, form.as_str(), (cx.entry.serial, entry));
    let page = format!("{base}/f/{form}/done?{page}");
    let place = || format!("{page}&edit_token={}", edit_right::token(keys, entry));
    Links {
        edit: (may_edit && !results.is_waiting).then(|| edit_right::address(base, keys, form, entry)),
        cancel: may_cancel.then(|| edit_right::cancel_address(base, keys, form, entry)),
        place: results.is_waiting.then(place),
        // A link to the document itself would end after a day.
        certificate: has_certificate.then(|| format!("{page}&stay=1")),
    }
}

/// The address that the respondent gave.
fn respondent(cx: &LetterCx, receipt: &ReceiptMail) -> Option<String> {
    let field = address_field(receipt, &cx.parsed.definition.fields)?;
    let stored = stored::values(&cx.entry.values).unwrap_or_default();
    let value = values::today(field, stored.get(&field.api_code), &cx.cx)?;
    value.as_str().map(str::to_owned)
}
