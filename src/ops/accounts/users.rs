//! Accounts. Passwords are checked and hashed outside the writer.

use std::str::FromStr as _;

use fluent_langneg::LanguageIdentifier;
use jiff::tz::TimeZone;
use serde_json::json;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::base::secret::Secret;
use crate::base::{id, text};
use crate::model::audit::Action;
use crate::model::caller::Caller;
use crate::model::user::{LONGEST_EMAIL, OrganizationId, OrganizationRole, User};
use crate::ops::accounts::audit::{self, By};
use crate::ops::accounts::tokens::{self, NewToken};
use crate::ops::accounts::{locales, passwords};
use crate::ops::app::App;
use crate::ops::oauth::grants;
use crate::store::accounts::users::{self, NewUser, OwnedForms};
use crate::store::accounts::{organizations, sessions};
use crate::store::db::tx::Tx;

pub(in crate::ops) const LONGEST_NAME: usize = 200;

pub struct NewAccount {
    pub email: String,
    pub name: String,
    /// The organisation to join, which is created if missing; `None` for the first one.
    pub organization: Option<String>,
    /// `None` if nobody can sign in until a password is set.
    pub password: Option<Secret>,
    /// BCP 47.
    pub locale: String,
    /// IANA.
    pub timezone: String,
}

/// Creates an account.
///
/// # Errors
/// 422; 503 if too many passwords are being hashed.
pub fn create(app: &App, account: NewAccount) -> Result<User> {
    let prepared = prepare(app, account)?;
    app.store.write(move |tx| prepared.insert_by_operator(tx))
}

/// Creates an account and its first token, both or none.
///
/// # Errors
/// As `create`.
pub fn create_with_token(app: &App, account: NewAccount, token_name: &'static str) -> Result<(User, NewToken)> {
    let prepared = prepare(app, account)?;
    app.store.write(move |tx| {
        let user = prepared.insert_by_operator(tx)?;
        let token = tokens::insert_first(tx, By::operator(user.organization.id), user.id, token_name)?;
        Ok((user, token))
    })
}

/// A checked account with its password hashed, ready for the writer to insert.
pub(in crate::ops) struct PreparedAccount {
    email: String,
    name: String,
    organization: Option<String>,
    password_hash: Option<String>,
    locale: String,
    timezone: String,
}

/// Does all checks that need no writer.
pub(in crate::ops) fn prepare(app: &App, account: NewAccount) -> Result<PreparedAccount> {
    let mut at = Issues::new();
    let email = account.email.trim().to_owned();
    if !is_email(&email) {
        at.push_at("email", Reason::NotEmail);
    }
    let name = check_name("name", account.name, &mut at);
    let organization = account.organization.map(|name| check_name("organization", name, &mut at));
    check_locale(&account.locale, &mut at);
    check_timezone(&account.timezone, &mut at);
    let password = account.password.map(|password| passwords::check(&password, &email, &mut at));
    at.into_result()?;
    let password_hash = password.map(|password| app.accounts.hashers.hash(&password)).transpose()?;
    Ok(PreparedAccount { email, name, organization, password_hash, locale: account.locale, timezone: account.timezone })
}

impl PreparedAccount {
    fn insert_by_operator(self, tx: &Tx) -> Result<User> {
        let user = self.insert(tx)?;
        audit::note(tx, By::operator(user.organization.id), Action::MemberJoined, &user.token)?;
        Ok(user)
    }

    /// Inserts the account into its organisation, which is created if missing.
    pub(in crate::ops) fn insert(self, tx: &Tx) -> Result<User> {
        let found = organizations::find(tx, self.organization.as_deref())?;
        let (organization, role) = match found {
            Some(found) if organizations::is_empty(tx, found)? => (found, OrganizationRole::Owner),
            Some(found) => (found, OrganizationRole::Member),
            None => {
                // Without a name of its own, the organisation gets its first user's name, which no page of a form
                // shows.
                let (name, is_chosen) = match self.organization.as_deref() {
                    Some(name) => (name, true),
                    None => (self.name.as_str(), false),
                };
                let organization = organizations::insert(tx, &id::random(10), name, is_chosen)?;
                (organization, OrganizationRole::Owner)
            }
        };
        self.insert_into(tx, organization, role)
    }

    /// Inserts the account into this organisation.
    pub(in crate::ops) fn insert_into(
        self,
        tx: &Tx,
        organization: OrganizationId,
        role: OrganizationRole,
    ) -> Result<User> {
        let user = users::insert(
            tx,
            &NewUser {
                token: id::random(10),
                organization,
                role,
                email: self.email,
                name: self.name,
                locale: self.locale,
                timezone: self.timezone,
                password_hash: self.password_hash,
            },
        )?;
        users::by_id(tx, user)
    }
}

/// Changes the caller's name, locale and time zone, if given.
///
/// # Errors
/// 422.
pub fn update(app: &App, caller: &Caller, body: Json) -> Result<User> {
    let mut at = Issues::new();
    let (name, locale, timezone) = read_update(&mut Reader::new(body, &mut at));
    at.into_result()?;
    let id = caller.user.id;
    app.store.write(move |tx| {
        // Read in the writer, so that concurrent changes of other properties stay.
        let user = users::by_id(tx, id)?;
        let name = name.unwrap_or(user.name);
        let locale = locale.unwrap_or(user.locale);
        let timezone = timezone.unwrap_or(user.timezone);
        users::update(tx, id, &name, &locale, &timezone)?;
        users::by_id(tx, id)
    })
}

fn read_update(reader: &mut Reader) -> (Option<String>, Option<String>, Option<String>) {
    for key in ["name", "locale", "timezone"] {
        reader.note(key, || json!({"minLength": 1}));
        if reader.contains_key(key) && !reader.has(key) {
            reader.fault(key, Reason::Blank);
        }
    }
    let name = reader.opt_text("name", LONGEST_NAME);
    let name = name.map(|name| check_name("name", name, reader.issues()));
    let locale = locales::read_locale(reader);
    let timezone = locales::read_timezone(reader);
    (name, locale, timezone)
}

/// The JSON Schema of the body of `update`.
pub fn update_schema() -> Json {
    Reader::describe(|reader| {
        read_update(reader);
    })
}

/// All accounts, oldest first.
pub fn list(app: &App) -> Result<Vec<User>> {
    app.store.read(users::all)
}

/// The account with this e-mail address.
///
/// # Errors
/// 404.
pub fn by_email(app: &App, email: &str) -> Result<User> {
    app.store.read(|tx| users::by_email(tx, email.trim()))?.map(|found| found.user).ok_or(Error::NotFound(Noun::User))
}

/// Sets a password without asking for the old one, and ends all sessions of the account.
///
/// # Errors
/// 404, 422, 503.
pub fn set_password(app: &App, email: &str, password: &Secret) -> Result<User> {
    let user = by_email(app, email)?;
    let mut at = Issues::new();
    let password = passwords::check(password, &user.email, &mut at);
    at.into_result()?;
    let hash = app.accounts.hashers.hash(&password)?;
    let (id, token) = (user.id, user.token.clone());
    let by = By::operator(user.organization.id);
    app.store.write(move |tx| {
        users::set_password(tx, id, &hash)?;
        audit::note(tx, by, Action::PasswordChanged, &token)?;
        sessions::end_all(tx, id, None)
    })?;
    Ok(user)
}

/// Disables an account at once. Disabling it twice is no error, and changes nothing.
///
/// # Errors
/// 404.
pub fn disable(app: &App, email: &str) -> Result<RemovedUser> {
    let id = by_email(app, email)?.id;
    app.store.write(move |tx| {
        let user = users::by_id(tx, id)?;
        if user.disabled_at.is_some() {
            return removed(tx, user);
        }
        users::disable(tx, id)?;
        sessions::end_all(tx, id, None)?;
        grants::end_all(tx, id)?;
        let user = users::by_id(tx, id)?;
        let by = By::operator(user.organization.id);
        audit::note(tx, by, Action::MemberDisabled, &user.token)?;
        removed(tx, user)
    })
}

/// Enables a disabled account.
///
/// # Errors
/// 404.
pub fn enable(app: &App, email: &str) -> Result<User> {
    let id = by_email(app, email)?.id;
    app.store.write(move |tx| {
        let user = users::by_id(tx, id)?;
        if user.disabled_at.is_none() {
            return Ok(user);
        }
        users::enable(tx, id)?;
        let by = By::operator(user.organization.id);
        audit::note(tx, by, Action::MemberEnabled, &user.token)?;
        users::by_id(tx, id)
    })
}

/// A disabled or deleted user, and the effect on their organisation.
pub struct RemovedUser {
    pub user: User,
    /// Whether the organisation has no owner left.
    pub is_ownerless: bool,
}

fn removed(tx: &Tx, user: User) -> Result<RemovedUser> {
    let was_owner = user.role == OrganizationRole::Owner;
    let organization = user.organization.id;
    Ok(RemovedUser { is_ownerless: was_owner && !organizations::has_other_owner(tx, organization, user.id)?, user })
}

/// The number of forms an account owns.
///
/// # Errors
/// 404.
pub fn forms_of(app: &App, email: &str) -> Result<i64> {
    let id = by_email(app, email)?.id;
    app.store.read(|tx| users::count_forms(tx, id))
}

/// Deletes an account with its sessions, tokens, folders and roles. Its forms are moved to the trash or given to a
/// colleague.
///
/// # Errors
/// 404; 422 if the new owner is not a colleague.
pub fn delete(app: &App, email: &str, forms_to: Option<&str>) -> Result<RemovedUser> {
    let user = by_email(app, email)?;
    let heir = forms_to.map(|email| by_email(app, email)).transpose()?;
    if let Some(heir) = &heir
        && (heir.id == user.id || heir.organization.id != user.organization.id)
    {
        return Err(Error::invalid(
            "forms_to",
            Reason::MustBe(Expected::Other("somebody else of the same organization")),
        ));
    }
    let forms = heir.map_or(OwnedForms::MoveToTrash, |heir| OwnedForms::GiveTo(heir.id));
    app.store.write(move |tx| {
        grants::end_all(tx, user.id)?;
        users::delete(tx, user.id, forms)?;
        let by = By::operator(user.organization.id);
        audit::note(tx, by, Action::MemberDeleted, &user.token)?;
        removed(tx, user)
    })
}

/// # Errors
/// 404.
pub fn set_role(app: &App, email: &str, role: OrganizationRole) -> Result<User> {
    let id = by_email(app, email)?.id;
    app.store.write(move |tx| {
        let user = users::by_id(tx, id)?;
        if user.role == role {
            return Ok(user);
        }
        users::set_role(tx, id, role)?;
        let by = By::operator(user.organization.id);
        audit::note(tx, by, Action::MemberRoleChanged, &user.token)?;
        users::by_id(tx, id)
    })
}

/// Whether the text is one address: a local part and a domain, without whitespace.
pub fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let is_clean = |c: char| !c.is_whitespace() && !c.is_control() && !"@<>(),;:\\\"[]".contains(c);
    text::length(text) <= LONGEST_EMAIL
        && !local.is_empty()
        && local.chars().all(is_clean)
        && domain.chars().all(is_clean)
        && domain.split('.').all(|label| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-'))
}

/// Cleans a name; its faults are reported at `attribute`.
pub(in crate::ops) fn check_name(attribute: &str, name: String, at: &mut Issues) -> String {
    let Some(name) = text::clean(name) else {
        at.push_at(attribute, Reason::Nul);
        return String::new();
    };
    let name = name.trim().replace(['\n', '\t'], " ");
    if name.is_empty() {
        at.push_at(attribute, Reason::Blank);
    } else if text::length(&name) > LONGEST_NAME {
        at.push_at(attribute, Reason::TooLong { most: LONGEST_NAME });
    }
    name
}

/// Checks that a locale is a language tag.
pub(in crate::ops) fn check_locale(locale: &str, at: &mut Issues) {
    if locale.len() > 35 || LanguageIdentifier::from_str(locale).is_err() {
        at.push_at("locale", Reason::MustBe(Expected::LanguageTag));
    }
}

/// Checks that a time zone is in the IANA database.
pub(in crate::ops) fn check_timezone(timezone: &str, at: &mut Issues) {
    if TimeZone::get(timezone).is_err() {
        at.push_at("timezone", Reason::MustBe(Expected::TimeZone));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for good in ["a@b", "ann.lee+x@example.org", "李@例子.中国", "o'neil@x-y.example"] {
            assert!(is_email(good), "{good}");
        }
        for bad in ["", "@", "a@", "@b", "a b@c", "a@b@c", "a@.b", "a@b.", "a@-b", "<a@b>", "a\n@b"] {
            assert!(!is_email(bad), "{bad}");
        }
    }
}
