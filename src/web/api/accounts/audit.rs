//! `/api/v1/audit_events`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::base::error::{Error, Result};
use crate::model::audit::{Action, Actor, AuditEvent, Via};
use crate::model::caller::Caller;
use crate::ops::accounts::audit::{self, ListRequest};
use crate::web::openapi::doc::AnswerBody::Page;
use crate::web::openapi::doc::{Doc, Parameter};
use crate::web::openapi::shape::Shape;
use crate::web::request::call::Call;
use crate::web::request::paging::{self, PagedList};
use crate::web::request::reply::Reply;

/// An action in the caller's organization.
#[derive(Serialize, JsonSchema)]
struct EventBody {
    /// Increases with time.
    id: i64,
    /// The action.
    #[schemars(extend("enum" = Action::ALL.map(Action::name).to_vec()))]
    action: &'static str,
    /// Who did it; null for the command line, for the service itself and for failed sign-ins.
    actor: Option<ActorBody>,
    /// How it was done.
    #[schemars(extend("enum" = Via::ALL.map(Via::name)))]
    via: &'static str,
    subject: SubjectBody,
    /// The form concerned.
    form_token: Option<String>,
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
}

/// Somebody, as they are called now.
#[derive(Serialize, JsonSchema)]
pub struct ActorBody {
    id: String,
    name: String,
    /// Empty if the account was deleted.
    email: String,
}

/// What the action affected.
#[derive(Serialize, JsonSchema)]
struct SubjectBody {
    /// Its type.
    kind: &'static str,
    /// Its public identifier.
    id: String,
    /// The owner, if it is a token.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_id: Option<String>,
}

/// An audit event in answers.
pub static EVENT: Shape = Shape::of_type::<EventBody>("AuditEvent");

/// The query parameters of the list.
pub fn parameters() -> Vec<Parameter> {
    let mut all = vec![
        Parameter { name: "form_token", schema: json!({"type": "string"}), text: "Only events about this form." },
        Parameter {
            name: "action",
            schema: json!({"type": "string", "enum": Action::ALL.map(Action::name).to_vec()}),
            text: "The action.",
        },
    ];
    all.extend(paging::parameters());
    all
}

impl From<Actor> for ActorBody {
    fn from(actor: Actor) -> Self {
        Self { id: actor.token, name: actor.name, email: actor.email }
    }
}

impl From<AuditEvent> for EventBody {
    fn from(event: AuditEvent) -> Self {
        Self {
            id: event.id,
            action: event.action.name(),
            actor: event.actor.map(ActorBody::from),
            via: event.via.name(),
            subject: SubjectBody {
                kind: event.action.subject_kind(),
                id: event.subject,
                user_id: event.holder.map(|holder| holder.token),
            },
            form_token: event.form_token,
            created_at: event.created_at.to_string(),
        }
    }
}

pub const LIST_AUDIT_EVENTS: Doc = Doc::new("list_audit_events", 200, Page(&EVENT))
    .says(
        "Read the activity log",
        "Who did what to which form, token or person in the caller's organization, newest first. Events contain \
         names, but neither values nor secrets, and never change. Only owners of the organization can read them.",
    )
    .query(parameters);

/// `GET /audit_events`
pub fn list(call: &Call, caller: &Caller) -> Result<Reply> {
    let list = PagedList::new(call, Some(caller));
    let request =
        ListRequest { form_token: call.query("form_token"), action: call.query("action"), page: list.request()? };
    let page = audit::list(call.app, caller, request)?;
    let page = page.try_map(|event| serde_json::to_string(&EventBody::from(event))).map_err(Error::internal)?;
    Ok(list.answer(&page).into())
}
