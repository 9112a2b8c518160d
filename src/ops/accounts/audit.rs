//! The audit log: each operation records actor and action in its own transaction. Owners of the organisation can read
//! it. It has ids and names, but neither values nor secrets (S93).

use crate::base::error::{Error, Result};
use crate::model::audit::{Action, AuditEvent, Via};
use crate::model::caller::{Caller, Credential};
use crate::model::form::Form;
use crate::model::page::{Page, PageRequest};
use crate::model::user::{OrganizationId, OrganizationRole, User, UserId};
use crate::ops::app::App;
use crate::store::accounts::audit::{self, About, AuditFilter};
use crate::store::accounts::organizations;
use crate::store::db::tx::Tx;

/// The actor of an event.
#[derive(Clone, Copy, Debug)]
pub struct By {
    organization: OrganizationId,
    user: Option<UserId>,
    via: Via,
}

impl By {
    pub fn caller(caller: &Caller) -> Self {
        let via = match caller.credential {
            Credential::PersonalToken(_) => Via::Token,
            Credential::Grant(_) => Via::App,
            Credential::Session => Via::Session,
            Credential::CommandLine => Via::CommandLine,
        };
        Self {
            organization: caller.user.organization.id,
            // The command line acts on behalf of a user, who did not act.
            user: (via != Via::CommandLine).then_some(caller.user.id),
            via,
        }
    }

    /// A user in a browser.
    pub fn person(user: &User) -> Self {
        Self { organization: user.organization.id, user: Some(user.id), via: Via::Session }
    }

    /// An unauthenticated visitor of an organisation's account.
    pub fn nobody(organization: OrganizationId) -> Self {
        Self { organization, user: None, via: Via::Session }
    }

    /// The service itself, in an organisation.
    pub fn service(organization: OrganizationId) -> Self {
        Self { organization, user: None, via: Via::Service }
    }

    /// The operator at the command line, in an organisation.
    pub fn operator(organization: OrganizationId) -> Self {
        Self { organization, user: None, via: Via::CommandLine }
    }

    /// The acting user; `None` for the command line, the service and visitors.
    pub fn user(self) -> Option<UserId> {
        self.user
    }

    /// Whether the action is done in a signed-in browser.
    pub fn is_in_browser(self) -> bool {
        self.via == Via::Session
    }

    fn note(self, tx: &Tx, action: Action, subject: &str, about: About) -> Result<()> {
        audit::insert(tx, self.organization, self.user, self.via, action, subject, about)
    }
}

/// Records an event in this transaction.
pub(in crate::ops) fn note(tx: &Tx, by: By, action: Action, subject: &str) -> Result<()> {
    by.note(tx, action, subject, About::Nothing)
}

/// Records an event about a user's token.
pub(in crate::ops) fn note_token(tx: &Tx, by: By, action: Action, token: i64, holder: UserId) -> Result<()> {
    by.note(tx, action, &token.to_string(), About::Holder(holder))
}

/// Records an event about a form.
pub(in crate::ops) fn note_form(tx: &Tx, by: By, action: Action, form: &str) -> Result<()> {
    by.note(tx, action, form, About::Form(form))
}

/// Records an event about an entry or a collaborator of a form.
pub(in crate::ops) fn note_about(tx: &Tx, by: By, action: Action, subject: &str, form: &Form) -> Result<()> {
    by.note(tx, action, subject, About::Form(form.token.as_str()))
}

/// Records an event in every organisation.
pub(in crate::ops) fn note_everywhere(
    tx: &Tx,
    by: fn(OrganizationId) -> By,
    action: Action,
    subject: &str,
) -> Result<()> {
    for (organization, _) in organizations::all(tx)? {
        note(tx, by(organization.id), action, subject)?;
    }
    Ok(())
}

pub struct ListRequest {
    pub form_token: Option<String>,
    pub action: Option<String>,
    pub page: PageRequest,
}

/// The events of the caller's organisation, latest first.
///
/// # Errors
/// 400 for an unknown action or a cursor of another list, 403 if the caller is no owner.
pub fn list(app: &App, caller: &Caller, request: ListRequest) -> Result<Page<AuditEvent>> {
    if caller.user.role != OrganizationRole::Owner {
        return Err(Error::Forbidden);
    }
    let named = request.action.filter(|action| !action.is_empty());
    let action = named.as_deref().map(action_by_name).transpose()?;
    let filter = AuditFilter {
        organization: caller.user.organization.id,
        form_token: request.form_token.filter(|token| !token.is_empty()),
        action,
    };
    let before = request.page.place()?.map_or(i64::MAX, |(_, id)| id);
    let size = request.page.size;
    app.store.read(|tx| {
        let mut rows = audit::list(tx, &filter, before, size + 1)?;
        let more = rows.len() > size;
        rows.truncate(size);
        Ok(Page {
            total: audit::count(tx, &filter)?,
            next: rows.last().filter(|_| more).map(|last| format!("0.{}", last.id)),
            rows,
        })
    })
}

fn action_by_name(name: &str) -> Result<Action> {
    Action::by_name(name).ok_or_else(|| {
        let names = Action::ALL.map(Action::name).join(", ");
        Error::BadRequest(format!("action must be one of {names}").into())
    })
}
