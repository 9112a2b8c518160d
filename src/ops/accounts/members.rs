//! The members of an organisation: its owners invite them by link, set their roles, and disable them (S44, S93).

use std::sync::Arc;

use crate::base::clock::Time;
use crate::base::error::{Error, Noun, Result};
use crate::base::reason::Reason;
use crate::base::secret::{self, Secret};
use crate::base::text::identity;
use crate::model::audit::Action;
use crate::model::caller::Caller;
use crate::model::outbox::MessageKind;
use crate::model::page::{Page, PageRequest};
use crate::model::user::{OrganizationRole, User};
use crate::model::user_agent::UserAgent;
use crate::ops::accounts::audit::{self, By};
use crate::ops::accounts::sign_in::{self, SignedIn};
use crate::ops::accounts::users::{self, NewAccount};
use crate::ops::app::App;
use crate::ops::delivery::mail_templates::account;
use crate::ops::oauth::grants;
use crate::store::accounts::invitations::{self, Invitation};
use crate::store::accounts::{organizations, sessions, users as rows};
use crate::store::db::tx::Tx;

const VALID_SECS: i64 = 7 * 86_400;

/// The members of the caller's organisation, by name.
pub fn list(app: &App, caller: &Caller) -> Result<Vec<User>> {
    app.store.read(|tx| organizations::users(tx, caller.user.organization.id))
}

/// A page of the members, in the order in which they joined.
///
/// # Errors
/// 400 for a cursor of another list.
pub fn page(app: &App, caller: &Caller, page: &PageRequest) -> Result<Page<User>> {
    let after = page.place()?.map_or(0, |(_, id)| id);
    let organization = caller.user.organization.id;
    app.store.read(|tx| {
        let mut rows = organizations::users_after(tx, organization, after, page.size + 1)?;
        let more = rows.len() > page.size;
        rows.truncate(page.size);
        Ok(Page {
            total: organizations::count_users(tx, organization)?,
            next: rows.last().filter(|_| more).map(|last| format!("0.{}", last.id.0)),
            rows,
        })
    })
}

/// The invitations that still work, visible only to owners.
pub fn invitations(app: &App, caller: &Caller) -> Result<Vec<Invitation>> {
    if caller.user.role != OrganizationRole::Owner {
        return Ok(Vec::new());
    }
    app.store.read(|tx| invitations::list(tx, caller.user.organization.id))
}

/// Creates an invitation and returns its secret, which is shown once. With an address it is mailed there, too, if
/// there is a mail server.
///
/// # Errors
/// 403 if the caller is no owner, 422.
pub fn invite(app: &App, caller: &Caller, role: OrganizationRole, to: Option<&str>) -> Result<(Secret, Time)> {
    if to.is_some_and(|to| !users::is_email(to)) {
        return Err(Error::invalid("email", Reason::NotEmail));
    }
    let link = secret::random_text();
    let hash = secret::hash(link.reveal());
    let (caller, email) = (caller.clone(), to.map(str::to_owned));
    let outbox = Arc::clone(&app.delivery.outbox);
    let mailed = to.filter(|_| outbox.sends_mail()).map(|to| {
        let link = format!("{}/invitation/{}", outbox.base_url, link.reveal());
        (to.to_owned(), link)
    });
    let expires_at = app.store.write(move |tx| {
        let owner = owner(tx, &caller)?;
        let expires_at = tx.now.plus_secs(VALID_SECS);
        let id = invitations::insert(tx, &hash, (&owner, email.as_deref()), role, expires_at)?;
        let by = By::caller(&caller);
        audit::note(tx, by, Action::InvitationCreated, &id.to_string())?;
        if let Some((to, link)) = mailed {
            let message = account::invitation(&owner, &outbox.base_url, &link).message();
            outbox.queue(tx, MessageKind::Invitation, &to, &message, tx.now)?;
        }
        Ok(expires_at)
    })?;
    Ok((link, expires_at))
}

/// # Errors
/// 403, 404.
pub fn revoke_invitation(app: &App, caller: &Caller, id: i64) -> Result<()> {
    let caller = caller.clone();
    app.store.write(move |tx| {
        let owner = owner(tx, &caller)?;
        if !invitations::remove(tx, owner.organization.id, id)? {
            return Err(Error::NotFound(Noun::Page));
        }
        let by = By::caller(&caller);
        audit::note(tx, by, Action::InvitationRevoked, &id.to_string())
    })
}

/// The invitation of a link, if it still works. Reading does not use it up.
pub fn invitation(app: &App, link: &str) -> Result<Option<Invitation>> {
    let hash = secret::hash(link);
    app.store.read(|tx| invitations::live(tx, &hash))
}

/// Uses an invitation: creates the account and signs it in. Of two concurrent requests, one finds it used.
///
/// # Errors
/// 404 if the link does not work, 422, 503.
pub fn join(app: &App, link: &str, account: NewAccount, agent: UserAgent) -> Result<SignedIn> {
    // Checked before the password is hashed, which is expensive.
    if invitation(app, link)?.is_none() {
        return Err(Error::NotFound(Noun::Page));
    }
    let prepared = users::prepare(app, account)?;
    let session = secret::random_text();
    let session_hash = secret::hash(session.reveal());
    let hash = secret::hash(link);
    let user = app.store.write(move |tx| {
        let invitation = invitations::live(tx, &hash)?.ok_or(Error::NotFound(Noun::Page))?;
        invitations::remove(tx, invitation.organization, invitation.id)?;
        let user = prepared.insert_into(tx, invitation.organization, invitation.role)?;
        audit::note(tx, By::person(&user), Action::MemberJoined, &user.token)?;
        sessions::insert(tx, &session_hash, user.id, agent)?;
        Ok(user)
    })?;
    Ok(SignedIn { device: sign_in::new_device(app.keys(), &identity::of_email(&user.email)), user, session })
}

/// Sets the role of a member. False if they have it already.
///
/// # Errors
/// 403, 404, 422 for the last owner.
pub fn set_role(app: &App, caller: &Caller, user: &str, role: OrganizationRole) -> Result<bool> {
    let (caller, user) = (caller.clone(), user.to_owned());
    app.store.write(move |tx| {
        let user = member(tx, &caller, &user)?;
        if user.role == role {
            return Ok(false);
        }
        if role != OrganizationRole::Owner {
            check_not_last_owner(tx, &user)?;
        }
        let by = By::caller(&caller);
        audit::note(tx, by, Action::MemberRoleChanged, &user.token)?;
        rows::set_role(tx, user.id, role)?;
        Ok(true)
    })
}

/// Disables or enables the account of a member at once. False if it is so already.
///
/// # Errors
/// 403, 404, 422 for the last owner.
pub fn set_disabled(app: &App, caller: &Caller, user: &str, is_disabled: bool) -> Result<bool> {
    let (caller, user) = (caller.clone(), user.to_owned());
    app.store.write(move |tx| {
        let user = member(tx, &caller, &user)?;
        if user.disabled_at.is_some() == is_disabled {
            return Ok(false);
        }
        let by = By::caller(&caller);
        if !is_disabled {
            audit::note(tx, by, Action::MemberEnabled, &user.token)?;
            rows::enable(tx, user.id)?;
            return Ok(true);
        }
        check_not_last_owner(tx, &user)?;
        audit::note(tx, by, Action::MemberDisabled, &user.token)?;
        rows::disable(tx, user.id)?;
        grants::end_all(tx, user.id)?;
        sessions::end_all(tx, user.id, None)?;
        Ok(true)
    })
}

/// The member, if the caller may disable them.
///
/// # Errors
/// 403, 404, 422 for the last owner.
pub fn to_disable(app: &App, caller: &Caller, user: &str) -> Result<User> {
    app.store.read(|tx| {
        let user = member(tx, caller, user)?;
        check_not_last_owner(tx, &user)?;
        Ok(user)
    })
}

/// The caller's current row, if they own their organisation.
pub(in crate::ops) fn owner(tx: &Tx, caller: &Caller) -> Result<User> {
    let user = rows::by_id(tx, caller.user.id)?;
    if user.role == OrganizationRole::Owner && user.disabled_at.is_none() { Ok(user) } else { Err(Error::Forbidden) }
}

/// A member of the organisation that the caller owns.
fn member(tx: &Tx, caller: &Caller, user: &str) -> Result<User> {
    let owner = owner(tx, caller)?;
    rows::by_token(tx, user)?
        .filter(|user| user.organization.id == owner.organization.id)
        .ok_or(Error::NotFound(Noun::User))
}

fn check_not_last_owner(tx: &Tx, user: &User) -> Result<()> {
    let organization = user.organization.id;
    if user.role == OrganizationRole::Owner && !organizations::has_other_owner(tx, organization, user.id)? {
        return Err(Error::invalid("role", Reason::other("is needed: nobody else is an owner")));
    }
    Ok(())
}
