//! The addresses that a form's notices go to. Who is no member of the organisation is asked once, before answers are sent
//! there (S97), and ends the notices by a link in each.

use serde_json::json;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::reason::Reason;
use crate::base::secret::{Keys, Purpose};
use crate::base::text::identity;
use crate::model::audit::Action;
use crate::model::form::{Form, FormSection};
use crate::model::outbox::MessageKind;
use crate::model::settings::Settings;
use crate::model::user::{OrganizationId, folded_email};
use crate::ops::accounts::audit::{self, By};
use crate::ops::app::App;
use crate::ops::delivery::mail_templates::notice as letters;
use crate::ops::delivery::outbox::{FormMail, Outbox};
use crate::ops::forms::settings;
use crate::store::accounts::users;
use crate::store::db::tx::Tx;
use crate::store::delivery::notice_addresses;
use crate::store::forms;

/// Whether an address accepts notices: its owner is a member, or has agreed.
pub(in crate::ops) fn agrees(tx: &Tx, organization: OrganizationId, to: &str) -> Result<bool> {
    Ok(is_member(tx, organization, to)? || asked(tx, organization, to)? == Some(true))
}

fn is_member(tx: &Tx, organization: OrganizationId, to: &str) -> Result<bool> {
    let found = users::by_email(tx, to)?.map(|found| found.user);
    Ok(found.is_some_and(|user| user.organization.id == organization && user.disabled_at.is_none()))
}

/// Whether an address agreed; none where it was never asked.
fn asked(tx: &Tx, organization: OrganizationId, to: &str) -> Result<Option<bool>> {
    match folded_email(to) {
        Some(folded) => notice_addresses::has_confirmed(tx, organization, &folded),
        None => Ok(Some(false)),
    }
}

/// Asks an address whether it wants the notices of a form, once for all forms of the organisation.
pub(in crate::ops) fn ask(outbox: &Outbox, tx: &Tx, form: &Form, organization: OrganizationId, to: &str) -> Result<()> {
    let Some(folded) = folded_email(to).filter(|_| outbox.sends_mail()) else {
        return Ok(());
    };
    if notice_addresses::has_confirmed(tx, organization, &folded)?.is_some() {
        return Ok(());
    }
    notice_addresses::note_asked(tx, organization, &folded)?;
    let link = address(outbox, Purpose::NoticeConsent, "notices/confirm", form.token.as_str(), to);
    let message = letters::consent(form, &outbox.base_url, link).message();
    let mail =
        FormMail { kind: MessageKind::Notice, form, organization, serial: None, to, is_agreed: false, sender: None };
    outbox.queue_about(tx, &mail, &message)
}

/// Asks those whom a form's notices with answers go to from now on.
pub(in crate::ops) fn ask_all(outbox: &Outbox, tx: &Tx, form: &Form, settings: &Settings) -> Result<()> {
    let group = &settings.notifications.notice;
    if !(group.enabled && group.letter().tells_answers()) {
        return Ok(());
    }
    let organization = users::by_id(tx, form.owner)?.organization.id;
    for to in &group.to {
        if !is_member(tx, organization, to)? {
            ask(outbox, tx, form, organization, to)?;
        }
    }
    Ok(())
}

/// Which addresses get no notices with answers, since they did not agree so far.
pub(in crate::ops) fn warnings(tx: &Tx, form: &Form, settings: &Settings) -> Result<Vec<Issue>> {
    let mut at = Issues::new();
    let group = &settings.notifications.notice;
    if group.enabled && group.letter().tells_answers() {
        let organization = users::by_id(tx, form.owner)?.organization.id;
        for (place, to) in group.to.iter().enumerate() {
            if !agrees(tx, organization, to)? {
                let reason = "gets no answers until its reader confirms it by the link in an email that is sent once";
                at.push_at(&format!("notifications.notice.to[{place}]"), Reason::other(reason));
            }
        }
    }
    Ok(at.into_list())
}

/// The address of the page that ends the notices of a form to one address.
pub(in crate::ops) fn stop_address(outbox: &Outbox, form: &str, to: &str) -> String {
    address(outbox, Purpose::NoticeLink, "notices", form, to)
}

fn address(outbox: &Outbox, purpose: Purpose, page: &str, form: &str, to: &str) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("to", to);
    query.append_pair("s", &sign(&outbox.keys, purpose, form, to));
    format!("{}/f/{form}/{page}?{}", outbox.base_url, query.finish())
}

fn sign(keys: &Keys, purpose: Purpose, form: &str, to: &str) -> String {
    keys.sign(purpose, &[form.as_bytes(), to.as_bytes()])
}

/// Whether the link that ends notices is one of ours.
///
/// # Errors
/// 404.
pub fn check_stop(app: &App, form: &str, to: &str, signature: &str) -> Result<()> {
    check(app, Purpose::NoticeLink, form, to, signature)
}

/// Whether the link to agree to notices is one of ours.
///
/// # Errors
/// 404.
pub fn check_consent(app: &App, form: &str, to: &str, signature: &str) -> Result<()> {
    check(app, Purpose::NoticeConsent, form, to, signature)
}

fn check(app: &App, purpose: Purpose, form: &str, to: &str, signature: &str) -> Result<()> {
    let is_ours = app.keys().verify(purpose, &[form.as_bytes(), to.as_bytes()], signature);
    is_ours.then_some(()).ok_or(Error::NotFound(Noun::Page))
}

/// Notes that an address agrees to notices, by a link that was checked. Doing it twice is no error.
///
/// # Errors
/// 404 where the form is gone.
pub fn confirm(app: &App, form: &str, to: &str) -> Result<()> {
    let (form, to) = (form.to_owned(), to.to_owned());
    app.store.write(move |tx| {
        let form = forms::by_token(tx, &form)?.filter(|form| form.deleted_at.is_none());
        let form = form.ok_or(Error::NotFound(Noun::Page))?;
        let folded = folded_email(&to).ok_or(Error::NotFound(Noun::Page))?;
        let organization = users::by_id(tx, form.owner)?.organization.id;
        notice_addresses::confirm(tx, organization, &folded)
    })
}

/// Ends the notices of a form to one address, by a link that was checked. Doing it twice is no error.
pub fn stop(app: &App, form: &str, to: &str) -> Result<()> {
    let (form, to) = (form.to_owned(), identity::of_email(to));
    app.store.write(move |tx| {
        let Some(form) = forms::by_token(tx, &form)?.filter(|form| form.deleted_at.is_none()) else {
            return Ok(());
        };
        let stored = forms::parts(tx, form.form_no)?.settings;
        let mut group = Settings::of(&stored)?.notifications;
        let before = group.notice.to.len();
        group.notice.to.retain(|known| identity::of_email(known) != to);
        if group.notice.to.len() == before {
            return Ok(());
        }
        group.notice.enabled &= !group.notice.to.is_empty();
        let mut changed = stored;
        settings::apply(
            &mut changed,
            json!({"notifications": {"notice": {
                "to": group.notice.to, "enabled": group.notice.enabled,
            }}}),
        );
        let by = By::service(users::by_id(tx, form.owner)?.organization.id);
        audit::note_form(tx, by, Action::SettingsUpdated, form.token.as_str())?;
        forms::update_part(tx, form.form_no, FormSection::Settings, &changed)
    })
}
