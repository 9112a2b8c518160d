//! `/api/v1/forms` as a list, and `/api/v1/participated_forms`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::model::caller::Caller;
use crate::model::form::{Form, LAYOUTS, SCENES};
use crate::model::role::Role;
use crate::ops::forms::form_lists::{self, ListRequest, ParticipatedForm};
use crate::web::files::entry_export::word;
use crate::web::openapi::doc::AnswerBody::Page;
use crate::web::openapi::doc::Doc;
use crate::web::openapi::parameters::form_list;
use crate::web::openapi::shape::{Shape, names};
use crate::web::request::call::Call;
use crate::web::request::paging::{self, PagedList};
use crate::web::request::reply::Reply;

pub static LIST_ITEM: Shape = Shape::of_type::<ListItem>("FormListItem");

pub static PARTICIPATED: Shape = Shape::of_type::<ParticipatedItem>("ParticipatedForm");

/// A form in a list.
#[derive(Serialize, JsonSchema)]
struct ListItem {
    #[serde(flatten)]
    form: FormItem,
    /// The caller's role.
    #[schemars(extend("enum" = Role::NAMES))]
    role: &'static str,
}

/// A form that the caller has submitted to.
#[derive(Serialize, JsonSchema)]
struct ParticipatedItem {
    #[serde(flatten)]
    form: FormItem,
    /// The caller's role; null if they can only submit.
    role: Option<&'static str>,
    /// When they last submitted.
    #[schemars(extend("format" = "date-time"))]
    last_participated_at: String,
    /// How many times they submitted.
    participations_count: i64,
}

/// What lists show of every form.
#[derive(Serialize, JsonSchema)]
struct FormItem {
    /// Its name.
    name: String,
    /// Shown above the fields; empty if there is none.
    description: String,
    /// Its identifier in URLs.
    token: String,
    /// Its purpose.
    #[schemars(extend("enum" = names(&SCENES)))]
    scene: String,
    /// All questions on one or more pages, or one question at a time.
    #[schemars(extend("enum" = names(&LAYOUTS)))]
    layout: String,
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    #[schemars(extend("format" = "date-time"))]
    updated_at: String,
    #[schemars(extend("format" = "date-time"))]
    last_entry_created_at: Option<String>,
    /// The number of entries, without those in the trash.
    entries_count: i64,
    /// Whether the caller owns it.
    owned: bool,
}

impl FormItem {
    fn of(form: Form, role: Option<Role>) -> Self {
        Self {
            name: form.name,
            description: form.description.unwrap_or_default(),
            token: form.token.to_string(),
            scene: form.scene,
            layout: form.layout,
            created_at: form.created_at.to_string(),
            updated_at: form.updated_at.to_string(),
            last_entry_created_at: form.last_entry_at.map(|at| at.to_string()),
            entries_count: form.entries_count,
            owned: role == Some(Role::Owner),
        }
    }
}

pub const LIST_FORMS: Doc = Doc::new("list_forms", 200, Page(&LIST_ITEM))
    .says(
        "List forms",
        "The caller's forms and those shared with them, without their fields, in the chosen order with the newest \
         first.",
    )
    .query(form_list);

const TRASHED: [(&str, bool); 2] = [("false", false), ("true", true)];

/// `GET /forms`
pub fn list(call: &Call, caller: &Caller) -> Result<Reply> {
    let sort = call.query("sort");
    let name = call.query("name").filter(|name| !name.is_empty());
    let folder = call.query("folder_token");
    let order = sort.as_deref().unwrap_or(form_lists::SORTS[0].0);
    let mut at = Issues::new();
    let is_trashed = word(call, "trashed", &TRASHED, &mut at);
    at.into_result()?;
    let filters = [
        ("sort", Some(order)),
        ("name", name.as_deref()),
        ("folder_token", folder.as_deref()),
        ("trashed", is_trashed.then_some("true")),
    ];
    let list = PagedList::with_filters(call, caller, &filters);
    let sort = form_lists::sort_by_name(sort.as_deref())?;
    let request = ListRequest { sort, is_trashed, page: list.request()?, name, folder };
    let page = form_lists::list(call.app, caller, request)?;
    let page = page
        .try_map(|item| {
            let role = item.role;
            serde_json::to_string(&ListItem { form: FormItem::of(item.form, Some(role)), role: role.name() })
        })
        .map_err(Error::internal)?;
    Ok(list.answer(&page).into())
}

pub const LIST_PARTICIPATED_FORMS: Doc = Doc::new("list_participated_forms", 200, Page(&PARTICIPATED))
    .says("List forms submitted to", "The forms that the caller has submitted to while signed in, newest first.")
    .query(paging::parameters);

/// `GET /participated_forms`
pub fn participated(call: &Call, caller: &Caller) -> Result<Reply> {
    let list = PagedList::with_filters(call, caller, &[]);
    let page = form_lists::participated(call.app, caller, &list.request()?)?;
    let page = page
        .try_map(|item: ParticipatedForm| {
            serde_json::to_string(&ParticipatedItem {
                form: FormItem::of(item.form, item.role),
                role: item.role.map(Role::name),
                last_participated_at: item.last_at.to_string(),
                participations_count: item.count,
            })
        })
        .map_err(Error::internal)?;
    Ok(list.answer(&page).into())
}
