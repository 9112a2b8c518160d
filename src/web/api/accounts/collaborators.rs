//! `/api/v1/forms/{form_token}/collaborators`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::{Error, Result};
use crate::model::caller::Caller;
use crate::model::role::Role;
use crate::ops::accounts::collaborators::{self, Collaborator};
use crate::web::openapi::doc::AnswerBody::{Data, Page};
use crate::web::openapi::doc::Doc;
use crate::web::openapi::shape::{Deleted, Shape};
use crate::web::request::call::Call;
use crate::web::request::paging::{self, PagedList};
use crate::web::request::reply::{self, Reply};
use crate::web::request::unknown_keys;

/// A person a form is shared with.
#[derive(Serialize, JsonSchema)]
struct CollaboratorBody {
    /// The user's `id`, as in `GET /me`.
    user_id: String,
    name: String,
    email: String,
    /// Their role for the form.
    #[schemars(extend("enum" = Role::NAMES))]
    role: &'static str,
    /// The name of their organization, if it is another than that of the form's owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    other_organization: Option<String>,
}

/// A collaborator in answers.
pub static COLLABORATOR: Shape = Shape::of_type::<CollaboratorBody>("Collaborator");

/// The body to share a form.
pub static PUT: Shape = Shape::new("CollaboratorPut", collaborators::put_schema);

#[derive(Serialize, JsonSchema)]
struct DeletedUser {
    user_id: String,
}

/// The answer to the removal of a collaborator.
pub static DELETED: Shape = Shape::of_type::<Deleted<DeletedUser>>("DeletedCollaborator");

impl From<Collaborator> for CollaboratorBody {
    fn from(collaborator: Collaborator) -> Self {
        Self {
            other_organization: collaborator.other_organization().map(str::to_owned),
            user_id: collaborator.user.token,
            name: collaborator.user.name,
            email: collaborator.user.email,
            role: collaborator.role.name(),
        }
    }
}

pub const LIST_COLLABORATORS: Doc = Doc::new("list_collaborators", 200, Page(&COLLABORATOR))
    .says(
        "List collaborators",
        "The people the form is shared with and their roles, without its owner. Only managers see them.",
    )
    .query(paging::parameters);

/// `GET /forms/{form_token}/collaborators`
pub fn list(call: &Call, caller: &Caller) -> Result<Reply> {
    let list = PagedList::with_filters(call, caller, &[]);
    let token = call.param("form_token");
    let page = collaborators::list(call.app, caller, token, &list.request()?)?;
    let page = page.try_map(|one| serde_json::to_string(&CollaboratorBody::from(one))).map_err(Error::internal)?;
    Ok(list.answer(&page).into())
}

pub const PUT_COLLABORATOR: Doc = Doc::new("put_collaborator", 200, Data(&COLLABORATOR))
    .says(
        "Share a form",
        "Shares the form with someone in the same organization, named by `id` or email address, or changes their \
         role. A `viewer` reads, an `editor` also edits entries, a `manager` also edits the form.",
    )
    .takes(&PUT, r#"{"role": "editor"}"#);

/// `PUT /forms/{form_token}/collaborators/{user_id}`
pub fn put(call: &Call, caller: &Caller) -> Result<Reply> {
    let (form, user, body) = (call.param("form_token"), call.param("user_id"), call.json()?);
    let keys = unknown_keys::of(call, &body, &[&PUT, &COLLABORATOR]);
    let one = collaborators::put(call.app, caller, form, user, body, keys.faults)?;
    Ok(reply::data(&CollaboratorBody::from(one))?.warn(keys.warnings).into())
}

pub const DELETE_COLLABORATOR: Doc = Doc::new("delete_collaborator", 200, Data(&DELETED))
    .says("Stop sharing a form", "Takes effect with their next request, and ends requests in progress.");

/// `DELETE /forms/{form_token}/collaborators/{user_id}`
pub fn delete(call: &Call, caller: &Caller) -> Result<Reply> {
    let (form, user) = (call.param("form_token"), call.param("user_id"));
    let user = collaborators::remove(call.app, caller, form, user)?;
    Ok(reply::data(&Deleted::new(DeletedUser { user_id: user }))?.into())
}
