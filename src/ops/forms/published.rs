//! A published form, and the access to it (contract section 5).

use std::sync::Arc;

use crate::base::clock::{self, Time};
use crate::base::error::{Code, Error, Noun, Result};
use crate::base::json::Json;
use crate::base::secret;
use crate::base::text::clean;
use crate::model::caller::Caller;
use crate::model::form::Form;
use crate::model::role::Role;
use crate::model::scope::Scope;
use crate::model::settings::{Availability, Settings};
use crate::model::user::OrganizationSettings;
use crate::ops::app::App;
use crate::ops::capacity;
use crate::ops::exams::time::ExamTime;
use crate::ops::forms::availability::{self, Status};
use crate::ops::forms::{access, access_password};
use crate::query::form_cache::{Cache, ParsedForm};
use crate::store::accounts::organizations;
use crate::store::capacity::Counts;
use crate::store::db::tx::Tx;
use crate::store::{self, forms};

// Wrong ones a minute, for one address and form, before the next wrong ones have to wait (S25).
const PASSWORD_TRIES: u32 = 10;
// Wrong ones a minute from which on nothing is looked at any more: a right one that always passed would let
// an address guess without end, and fewer would let one person keep everybody else at the address out.
const MOST_PASSWORD_TRIES: u32 = 100;

/// A published form.
pub struct Published {
    /// The row.
    pub form: Form,
    /// Its parts.
    pub parsed: Arc<ParsedForm>,
    /// Whose it is.
    pub organization: Arc<OrganizationSettings>,
    /// Whether they are now.
    pub status: Status,
}

impl Published {
    /// When it takes submissions.
    pub fn availability(&self) -> &Availability {
        &self.parsed.settings.availability
    }

    /// Whether the form has an access password.
    pub fn has_password(&self) -> bool {
        self.parsed.settings.access_control.access_password.is_some()
    }

    /// Whether respondents may read and change their entries.
    pub fn may_edit_later(&self) -> bool {
        let options = &self.parsed.settings.submission_options;
        options.allow_edit_after_submission
    }

    /// The time that it allows from now on; none where it allows any, or takes no submissions.
    pub fn exam_time(&self) -> Option<ExamTime> {
        let time = ExamTime::of_form(&self.form, &self.parsed.settings);
        time.filter(|_| self.status == Status::Open)
    }

    /// Whether its fields are shown.
    pub fn shows_fields(&self) -> bool {
        match self.status {
            Status::Open => true,
            Status::NotOpen => self.availability().show_form_before_open,
            Status::Closed | Status::Full => false,
        }
    }
}

/// A visitor of a published form, with the password given.
#[derive(Clone, Copy)]
pub struct Visitor<'a> {
    /// The access password given, if any.
    pub password: Option<&'a str>,
    /// Whether a page carries the password along since it was opened with it.
    pub is_carried: bool,
    /// The visitor's address; IPv6 as its /64.
    pub address: &'a str,
}

/// The access password in a post of a form's page.
#[derive(Clone, PartialEq, Eq)]
pub struct Password {
    /// As it was typed.
    pub text: String,
    /// Whether the page carries it along since it was opened with it.
    pub is_carried: bool,
}

impl<'a> Visitor<'a> {
    /// The sender of a form's page.
    pub fn of_page(password: Option<&'a Password>, address: &'a str) -> Self {
        Self {
            password: password.map(|password| password.text.as_str()),
            is_carried: password.is_some_and(|password| password.is_carried),
            address,
        }
    }
}

/// Shows a published form.
///
/// # Errors
/// 404 unless it is published, 403 for the password, 429 after too many wrong ones.
pub fn show(app: &App, token: &str, visitor: Visitor) -> Result<Published> {
    let published = app.store.read(|tx| load(app, tx, token))?;
    check_password(app, &published, visitor)?;
    Ok(published)
}

/// A form that is published no longer, for a visitor who was given its questions at that time and may see them again.
///
/// # Errors
/// 404 where anything was changed since then, and those of its password.
pub fn taken_down(app: &App, token: &str, given_at: Time, visitor: Visitor) -> Result<Published> {
    let published = app.store.read(|tx| {
        let form = forms::by_token(tx, token)?.ok_or(Error::NotFound(Noun::Form))?;
        let latest = forms::versions::list(tx, form.form_no, i64::MAX, 1)?;
        if latest.first().is_none_or(|version| version.created_at > given_at) {
            return Err(Error::NotFound(Noun::Form));
        }
        of_form(&app.cache, tx, form, None)
    })?;
    check_password(app, &published, visitor)?;
    Ok(published)
}

/// The organization of a published form. Visitors who have not given its password may know it, but not the form's name:
/// it is for settings that all of the organization's pages share.
///
/// # Errors
/// 404 unless it is published.
pub fn organization(app: &App, token: &str) -> Result<Arc<OrganizationSettings>> {
    app.store.read(|tx| organizations::settings_of_owner(tx, form(tx, token)?.owner))
}

/// The fields as respondents see them now, with the rest of each thing that has a limit, and for managers with the
/// amounts held; none while the fields are not shown.
pub fn shown_fields(app: &App, published: &Published, caller: Option<&Caller>) -> Result<Vec<Json>> {
    if !published.shows_fields() {
        return Ok(Vec::new());
    }
    let parsed = &published.parsed;
    app.store.read(|tx| {
        let counts = store::capacity::taken_counts(tx, parsed.form_no)?;
        let held = told_held(tx, &published.form, caller)?;
        Ok(capacity::for_respondent(parsed, &counts, held.as_ref(), &parsed.cx(tx.now, true)))
    })
}

/// The counts held back on a form, for a caller who may see them: a manager whose token can read forms.
pub(in crate::ops) fn told_held(tx: &Tx, form: &Form, caller: Option<&Caller>) -> Result<Option<Counts>> {
    let Some(caller) = caller.filter(|caller| caller.scopes.has(Scope::FormRead)) else {
        return Ok(None);
    };
    let role = access::role(tx, caller, form)?;
    let is_told = role.is_some_and(|role| role >= Role::Manager);
    is_told.then(|| store::capacity::held(tx, form.form_no)).transpose()
}

/// A published form whose visitor was let in, if it was changed since that version.
///
/// # Errors
/// 404 when it is no longer published.
pub fn since(app: &App, token: &str, version: i64) -> Result<Option<Published>> {
    let now = app.store.read(|tx| load(app, tx, token))?;
    Ok((now.form.version != version).then_some(now))
}

pub(in crate::ops) fn form(tx: &Tx, token: &str) -> Result<Form> {
    forms::by_token(tx, token)?
        .filter(|form| form.deleted_at.is_none() && form.published)
        .ok_or(Error::NotFound(Noun::Form))
}

/// Checks that a form still admits the same respondents, so that a visitor who had access still has it.
///
/// # Errors
/// `Stale`: they have to come again.
pub(in crate::ops) fn check_same_access(before: &Settings, now: &Settings) -> Result<()> {
    let (options, now_options) = (&before.submission_options, &now.submission_options);
    let is_same = now.access_control == before.access_control
        && now_options.one_per_respondent == options.one_per_respondent
        && now_options.allow_edit_after_submission == options.allow_edit_after_submission;
    if is_same { Ok(()) } else { Err(Error::Stale) }
}

/// A published form as it is now, for a visitor who had access before.
///
/// # Errors
/// 404, `Stale`.
pub(in crate::ops) fn again(cache: &Cache, tx: &Tx, before: &Published) -> Result<Published> {
    let now = load_with(cache, tx, before.form.token.as_str(), Some(before))?;
    check_same_access(&before.parsed.settings, &now.parsed.settings)?;
    Ok(now)
}

pub(in crate::ops) fn load(app: &App, tx: &Tx, token: &str) -> Result<Published> {
    load_with(&app.cache, tx, token, None)
}

fn load_with(cache: &Cache, tx: &Tx, token: &str, before: Option<&Published>) -> Result<Published> {
    of_form(cache, tx, form(tx, token)?, before)
}

fn of_form(cache: &Cache, tx: &Tx, form: Form, before: Option<&Published>) -> Result<Published> {
    let parsed = cache.parsed(tx, &form)?;
    let status = availability::status(&parsed.settings.availability, form.entries_count, tx.now);
    let organization = match before {
        // Nothing that is decided depends on it, so the writer does not look it up again.
        Some(before) => Arc::clone(&before.organization),
        None => organizations::settings_of_owner(tx, form.owner)?,
    };
    Ok(Published { form, parsed, organization, status })
}

/// Checks the form's access password, where it has one.
///
/// # Errors
/// 403, 429 after too many wrong ones.
pub(in crate::ops) fn check_password(app: &App, published: &Published, visitor: Visitor) -> Result<()> {
    let Some(wanted) = access_password::open(app, &published.parsed.settings)? else {
        return Ok(());
    };
    let required = || {
        let message = "This form needs a password".to_owned();
        Error::Refused(Code::PasswordRequired, message)
    };
    let given = visitor.password.filter(|given| !given.is_empty());
    let given = given.ok_or_else(required)?;
    // Kept passwords are clean text, however a keyboard composes its letters.
    let given = clean(given.to_owned()).unwrap_or_default();
    let is_right = secret::same(given.as_bytes(), wanted.as_bytes());
    // One that a page carries along, and that is another by now, is nobody's guess.
    if visitor.is_carried && !is_right {
        return Err(required());
    }
    // Counted whatever `--rate-limits` says (S25).
    let key = (visitor.address, published.form.form_no);
    let now = clock::now();
    let tries = app.forms.password_tries.peek(&key, MOST_PASSWORD_TRIES, now);
    if tries.remaining == 0 {
        return Err(Error::TooMany(tries.reset_secs.max(1)));
    }
    if is_right {
        return Ok(());
    }
    let tries = app.forms.password_tries.hit(&key, PASSWORD_TRIES, now);
    if !tries.is_allowed {
        return Err(Error::TooMany(tries.reset_secs.max(1)));
    }
    Err(Error::Refused(Code::PasswordInvalid, "The password is wrong".to_owned()))
}
