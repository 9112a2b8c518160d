//! The audit log: each operation notes in its own transaction who did what; owners of the organisation read
//! it. It holds names of things, and neither values nor secrets (S93).

use crate::base::error::{Error, Result};
use crate::model::audit::{Action, AuditEvent, Via};
use crate::model::caller::{Caller, Credential};
use crate::model::form::Form;
use crate::model::page::{Page, PageRequest};
use crate::model::user::{OrganizationId, OrganizationRole, User, UserId};
use crate::ops::App;
use crate::store::audit::{self, About, AuditFilter};
use crate::store::organizations;
use crate::store::tx::Tx;

/// Who does something.
#[derive(Clone, Copy, Debug)]
pub struct By {
    organization: OrganizationId,
    user: Option<UserId>,
    via: Via,
}

impl By {
    /// A caller.
    pub fn caller(caller: &Caller) -> Self {
        let via = match caller.credential {
            Credential::PersonalToken(_) => Via::Token,
            Credential::Grant(_) => Via::App,
            Credential::Session => Via::Session,
            Credential::CommandLine => Via::CommandLine,
        };
        Self {
            organization: caller.user.organization.id,
            // The command line acts for somebody who does not know.
            user: (via != Via::CommandLine).then_some(caller.user.id),
            via,
        }
    }

    /// Somebody on a page.
    pub fn person(user: &User) -> Self {
        Self {
            organization: user.organization.id,
            user: Some(user.id),
            via: Via::Session,
        }
    }

    /// Somebody who has not shown who they are, at the door of an organisation.
    pub fn nobody(organization: OrganizationId) -> Self {
        Self {
            organization,
            user: None,
            via: Via::Session,
        }
    }

    /// The service itself, in an organisation.
    pub fn service(organization: OrganizationId) -> Self {
        Self {
            organization,
            user: None,
            via: Via::Service,
        }
    }

    /// Whoever runs the service, in an organisation.
    pub fn machine(organization: OrganizationId) -> Self {
        Self {
            organization,
            user: None,
            via: Via::CommandLine,
        }
    }

    fn note(self, tx: &Tx, action: Action, subject: &str, about: About) -> Result<()> {
        audit::insert(
            tx,
            self.organization,
            self.user,
            self.via,
            action,
            subject,
            about,
        )
    }
}

/// Notes what is done in this transaction.
pub(in crate::ops) fn note(tx: &Tx, by: By, action: Action, subject: &str) -> Result<()> {
    by.note(tx, action, subject, About::Nothing)
}

/// Notes what is done to somebody's token.
pub(in crate::ops) fn note_token(
    tx: &Tx,
    by: By,
    action: Action,
    token: i64,
    holder: UserId,
) -> Result<()> {
    by.note(tx, action, &token.to_string(), About::Holder(holder))
}

/// Notes what is done to a form.
pub(in crate::ops) fn note_form(tx: &Tx, by: By, action: Action, form: &str) -> Result<()> {
    by.note(tx, action, form, About::Form(form))
}

/// Notes what is done to an entry of a form, or to somebody who has to do with it.
pub(in crate::ops) fn note_about(
    tx: &Tx,
    by: By,
    action: Action,
    subject: &str,
    form: &Form,
) -> Result<()> {
    by.note(tx, action, subject, About::Form(form.token.as_str()))
}

/// Notes in every organisation what is done to all of them.
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

/// What is asked of the log.
pub struct ListRequest {
    /// About this form alone.
    pub form_token: Option<String>,
    /// Called so alone.
    pub action: Option<String>,
    /// Which page.
    pub page: PageRequest,
}

/// What was done in the caller's organisation, the latest first.
///
/// # Errors
/// 400 for an unknown action or a cursor of another list, 403 for who does not own the organisation.
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
            next: rows
                .last()
                .filter(|_| more)
                .map(|last| format!("0.{}", last.id)),
            rows,
        })
    })
}

fn action_by_name(name: &str) -> Result<Action> {
    Action::by_name(name).ok_or_else(|| {
        let names = Action::ALL.map(Action::name).join(", ");
        Error::BadRequest(format!("action must be one of {names}"))
    })
}
