//! The mail that a new entry brings about: a receipt for its respondent, and notices for those who run the form. Which
//! of it is queued is decided here, in the transaction that stores the entry.

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::reason::Reason;
use crate::base::secret::{Keys, Purpose};
use crate::base::text;
use crate::fields::{Field, Fields, stored, values};
use crate::model::audit::Action;
use crate::model::caller::Caller;
use crate::model::form::{Form, Part};
use crate::model::outbox::{Delivery, MessageKind};
use crate::model::page::{Page, PageRequest};
use crate::model::settings::{ReceiptMail, Settings};
use crate::ops::access::{self, Right};
use crate::ops::audit::{self, By};
use crate::ops::entries::EntryView;
use crate::ops::letters::entry::{self as letters, NewEntryCx};
use crate::ops::outbox::Outbox;
use crate::ops::{App, edit_right, settings};
use crate::store::tx::Tx;
use crate::store::{forms, outbox as rows, users};

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
    if !app.outbox.sends_mail() {
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

/// Queues the mail about an entry that a respondent submitted.
pub(in crate::ops) fn of_new_entry(outbox: &Outbox, tx: &Tx, form: &Form, view: &EntryView) -> Result<()> {
    let parsed = &view.shape.parsed;
    let group = &parsed.settings.notifications;
    if !outbox.sends_mail() || !(group.receipt.enabled || group.notice.enabled) {
        return Ok(());
    }
    let entry = &view.entry;
    let new = NewEntryCx {
        form,
        parsed,
        entry,
        cx: parsed.cx_with(tx.now, false, &view.shape.found),
        base_url: &outbox.base_url,
    };
    let about = Some((form.form_no, entry.serial));
    // Who waits gets the receipt with the place.
    if !entry.results.is_waiting {
        receipt_of(outbox, tx, form, view)?;
    }
    if group.notice.enabled {
        let answers = group.notice.include_values.then(|| letters::answers(&new));
        for to in &group.notice.to {
            let stop = stop_address(outbox, form.token.as_str(), to);
            let message = letters::notice(&new, answers.as_ref(), stop).message();
            outbox.queue(tx, MessageKind::Notice, about, to, &message)?;
        }
    }
    Ok(())
}

/// Queues the receipt of an entry for its respondent.
pub(in crate::ops) fn receipt_of(outbox: &Outbox, tx: &Tx, form: &Form, view: &EntryView) -> Result<()> {
    let (entry, parsed) = (&view.entry, &view.shape.parsed);
    let group = &parsed.settings.notifications.receipt;
    if !outbox.sends_mail() || !group.enabled {
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
    let options = &parsed.settings.submission_options;
    let edit = options
        .allow_edit_after_submission
        .then(|| edit_right::address(&outbox.base_url, &outbox.keys, &form.token, &entry.token));
    let message = letters::receipt(&new, group, edit).message();
    let about = Some((form.form_no, entry.serial));
    outbox.queue(tx, MessageKind::Receipt, about, &to, &message)
}

/// The address that the respondent gave.
fn respondent(new: &NewEntryCx, receipt: &ReceiptMail) -> Option<String> {
    let field = address_field(receipt, &new.parsed.definition.fields)?;
    let stored = stored::values(&new.entry.values).unwrap_or_default();
    let value = values::today(field, stored.get(&field.api_code), &new.cx)?;
    value.as_str().map(str::to_owned)
}

/// The address of the page that ends the notices of a form to one address.
fn stop_address(outbox: &Outbox, form: &str, to: &str) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("to", to);
    query.append_pair("s", &sign_stop(&outbox.keys, form, to));
    format!("{}/f/{form}/notices?{}", outbox.base_url, query.finish())
}

fn sign_stop(keys: &Keys, form: &str, to: &str) -> String {
    keys.sign(Purpose::NoticeLink, &[form.as_bytes(), to.as_bytes()])
}

/// Whether the link that ends notices is one of ours.
///
/// # Errors
/// 404.
pub fn check_stop(app: &App, form: &str, to: &str, signature: &str) -> Result<()> {
    let parts = [form.as_bytes(), to.as_bytes()];
    let is_ours = app.keys().verify(Purpose::NoticeLink, &parts, signature);
    is_ours.then_some(()).ok_or(Error::NotFound(Noun::Page))
}

/// Ends the notices of a form to one address, by a link that was checked. Doing it twice is no error.
pub fn stop(app: &App, form: &str, to: &str) -> Result<()> {
    let (form, to) = (form.to_owned(), text::fold(to));
    app.store.write(move |tx| {
        let Some(form) = forms::by_token(tx, &form)?.filter(|form| form.deleted_at.is_none()) else {
            return Ok(());
        };
        let stored = forms::parts(tx, form.form_no)?.settings;
        let mut group = Settings::of(&stored)?.notifications;
        let before = group.notice.to.len();
        group.notice.to.retain(|known| text::fold(known) != to);
        if group.notice.to.len() == before {
            return Ok(());
        }
        group.notice.enabled &= !group.notice.to.is_empty();
        let mut changed = stored;
        settings::apply(
            &mut changed,
            serde_json::json!({"notifications": {"notice": {
                "to": group.notice.to, "enabled": group.notice.enabled,
            }}}),
        );
        let by = By::service(users::by_id(tx, form.owner)?.organization.id);
        audit::note_form(tx, by, Action::SettingsUpdated, form.token.as_str())?;
        forms::update_part(tx, form.form_no, Part::Settings, &changed)
    })
}

/// The mail about entries of a form, latest first.
///
/// # Errors
/// 400 for a cursor of another list, 403, 404.
pub fn list(app: &App, caller: &Caller, form: &str, page: &PageRequest) -> Result<Page<Delivery>> {
    let before = page.place()?.map_or(i64::MAX, |(_, id)| id);
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, form, Right::Manage)?;
        let mut all = rows::list(tx, form.form_no, before, page.size + 1)?;
        let more = all.len() > page.size;
        all.truncate(page.size);
        Ok(Page {
            total: rows::count(tx, form.form_no)?,
            next: all.last().filter(|_| more).map(|last| format!("0.{}", last.id)),
            rows: all,
        })
    })
}
