//! Collaborators of a form, whom its managers add and remove (contract sections 2 and 3).

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::Reason;
use crate::model::audit::Action;
use crate::model::caller::Caller;
use crate::model::page::{Page, PageRequest};
use crate::model::role::Role;
use crate::model::user::User;
use crate::ops::accounts::audit::{self, By};
use crate::ops::app::App;
use crate::ops::forms::access::{self, Right};
use crate::store::accounts::{collaborators, users};
use crate::store::db::tx::Tx;
use crate::store::forms;

pub struct Collaborator {
    pub user: User,
    pub role: Role,
    /// Whether they are in another organisation than the form's owner: a form may have been transferred to an owner
    /// elsewhere.
    pub is_of_other_organization: bool,
}

impl Collaborator {
    /// The name of their organisation, if it is another than the form's.
    pub fn other_organization(&self) -> Option<&str> {
        self.is_of_other_organization.then_some(self.user.organization.name.as_str())
    }
}

/// The collaborators of a form, without its owner.
///
/// # Errors
/// 400 for a cursor of another list, 403, 404.
pub fn list(app: &App, caller: &Caller, token: &str, page: &PageRequest) -> Result<Page<Collaborator>> {
    let after = page.place()?.map_or(0, |(_, id)| id);
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, Right::Manage)?;
        let mut rows = collaborators::list(tx, form.form_no, after, page.size + 1)?;
        let more = rows.len() > page.size;
        rows.truncate(page.size);
        let own = users::by_id(tx, form.owner)?.organization.id;
        let collaborator = |(user, role): (User, Role)| {
            let is_of_other_organization = user.organization.id != own;
            Collaborator { user, role, is_of_other_organization }
        };
        Ok(Page {
            total: collaborators::count(tx, form.form_no)?,
            next: rows.last().filter(|_| more).map(|(user, _)| format!("0.{}", user.id.0)),
            rows: rows.into_iter().map(collaborator).collect(),
        })
    })
}

/// Shares a form with a user of the same organization, named by public id or email address, or changes their role.
///
/// # Errors
/// 403, 404 for the form or the user, 422.
pub fn put(app: &App, caller: &Caller, token: &str, user: &str, body: Json, mut at: Issues) -> Result<Collaborator> {
    let role = read_role(&mut Reader::new(body, &mut at));
    let (caller, token, user) = (caller.clone(), token.to_owned(), user.to_owned());
    app.store.write(move |tx| {
        let form = access::form_for(tx, &caller, &token, Right::Manage)?;
        let user = colleague(tx, &caller, &user)?;
        if user.id == form.owner {
            at.push_at("user_id", Reason::IsFormOwner);
        }
        at.into_result()?;
        // A missing role was reported above.
        let role = role.unwrap_or(Role::Viewer);
        let own = users::by_id(tx, form.owner)?.organization.id;
        let is_of_other_organization = user.organization.id != own;
        if collaborators::role(tx, form.form_no, user.id)? == Some(role) {
            return Ok(Collaborator { user, role, is_of_other_organization });
        }
        collaborators::set(tx, form.form_no, user.id, role)?;
        let by = By::caller(&caller);
        audit::note_about(tx, by, Action::CollaboratorPut, &user.token, &form)?;
        // Requests prepared with the old role become stale (S41).
        forms::touch(tx, form.form_no)?;
        Ok(Collaborator { user, role, is_of_other_organization })
    })
}

fn read_role(reader: &mut Reader) -> Option<Role> {
    reader.word("role", &Role::SHARED)
}

/// The JSON Schema of the body of `put`.
pub fn put_schema() -> Json {
    Reader::describe(|reader| {
        read_role(reader);
    })
}

/// Removes a collaborator, named by public id or email address; their public id. It takes effect with their next
/// request.
///
/// # Errors
/// 403, 404 for the form or if the user is no collaborator.
pub fn remove(app: &App, caller: &Caller, token: &str, user: &str) -> Result<String> {
    let (caller, token, user) = (caller.clone(), token.to_owned(), user.to_owned());
    app.store.write(move |tx| {
        let form = access::form_for(tx, &caller, &token, Right::Manage)?;
        let user = named(tx, &user)?.ok_or(Error::NotFound(Noun::Collaborator))?;
        if !collaborators::remove(tx, form.form_no, user.id)? {
            return Err(Error::NotFound(Noun::Collaborator));
        }
        let by = By::caller(&caller);
        audit::note_about(tx, by, Action::CollaboratorRemoved, &user.token, &form)?;
        forms::touch(tx, form.form_no)?;
        Ok(user.token)
    })
}

/// The user with this public id or email address.
fn named(tx: &Tx, name: &str) -> Result<Option<User>> {
    if !name.contains('@') {
        return users::by_token(tx, name);
    }
    Ok(users::by_email(tx, name.trim())?.map(|found| found.user))
}

/// The user of the caller's organisation with this public id or email address.
fn colleague(tx: &Tx, caller: &Caller, name: &str) -> Result<User> {
    named(tx, name)?
        .filter(|user| user.organization.id == caller.user.organization.id)
        .ok_or(Error::NotFound(Noun::User))
}
