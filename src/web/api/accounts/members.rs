//! `/api/v1/members`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::{Error, Result};
use crate::model::caller::Caller;
use crate::model::user::{OrganizationRole, User};
use crate::ops::accounts::members;
use crate::web::openapi::doc::AnswerBody::Page;
use crate::web::openapi::doc::Doc;
use crate::web::openapi::shape::Shape;
use crate::web::request::call::Call;
use crate::web::request::paging::{self, PagedList};
use crate::web::request::reply::Reply;

/// A member of the caller's organization.
#[derive(Serialize, JsonSchema)]
struct MemberBody {
    /// Their `user_id` as a collaborator.
    id: String,
    name: String,
    email: String,
    /// Their role in the organization.
    #[schemars(extend("enum" = OrganizationRole::ALL.map(OrganizationRole::name)))]
    role: &'static str,
}

/// A member in answers.
pub static MEMBER: Shape = Shape::of_type::<MemberBody>("Member");

impl From<User> for MemberBody {
    fn from(user: User) -> Self {
        Self { id: user.token, name: user.name, email: user.email, role: user.role.name() }
    }
}

pub const LIST_MEMBERS: Doc = Doc::new("list_members", 200, Page(&MEMBER))
    .says(
        "List members",
        "The members of the caller's organization, in the order in which they joined. A form can be shared with each \
         of them.",
    )
    .query(paging::parameters);

/// `GET /members`
pub fn list(call: &Call, caller: &Caller) -> Result<Reply> {
    let list = PagedList::with_filters(call, caller, &[]);
    let page = members::page(call.app, caller, &list.request()?)?;
    let page = page.try_map(|user| serde_json::to_string(&MemberBody::from(user))).map_err(Error::internal)?;
    Ok(list.answer(&page).into())
}
