//! `/api/v1/folders`, and the folder of a form.

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::{Error, Result};
use crate::model::caller::Caller;
use crate::model::folder::Folder;
use crate::ops::forms::folders;
use crate::web::openapi::doc::AnswerBody::{Data, Page};
use crate::web::openapi::doc::Doc;
use crate::web::openapi::parameters::folder_list;
use crate::web::openapi::shape::{Deleted, DeletedToken, Shape, deleted};
use crate::web::request::call::Call;
use crate::web::request::paging::PagedList;
use crate::web::request::reply::{self, Reply};
use crate::web::request::unknown_keys;

/// One of the caller's folders.
#[derive(Serialize, JsonSchema)]
struct FolderBody {
    /// Its identifier in URLs.
    token: String,
    /// Its name.
    name: String,
    /// The parent folder; null at the top level.
    parent_folder_token: Option<String>,
    /// The number of folders directly in it.
    child_folder_count: i64,
    /// The number of forms directly in it.
    child_form_count: i64,
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
}

/// A form's folder.
#[derive(Serialize, JsonSchema)]
struct PlacementBody<'a> {
    /// The form.
    form_token: &'a str,
    /// The caller's folder; null for none.
    folder_token: Option<String>,
}

/// A folder in answers.
pub static FOLDER: Shape = Shape::of_type::<FolderBody>("Folder");

/// The body to create one.
pub static CREATE: Shape = Shape::new("FolderCreate", folders::create_schema);

/// The body to rename one.
pub static UPDATE: Shape = Shape::new("FolderUpdate", folders::update_schema);

/// A form's folder in answers.
pub static PLACEMENT: Shape = Shape::of_type::<PlacementBody<'static>>("FormPlacement");

/// The body to move a form.
pub static PLACEMENT_WRITE: Shape = Shape::new("FormPlacementWrite", folders::placement_schema);

/// The answer to the deletion of a folder.
pub static DELETED: Shape = Shape::of_type::<Deleted<DeletedToken<'static>>>("DeletedFolder");

impl From<Folder> for FolderBody {
    fn from(folder: Folder) -> Self {
        Self {
            token: folder.token.to_string(),
            name: folder.name,
            parent_folder_token: folder.parent_token.map(|token| token.to_string()),
            child_folder_count: folder.child_folder_count,
            child_form_count: folder.child_form_count,
            created_at: folder.created_at.to_string(),
        }
    }
}

pub const LIST_FOLDERS: Doc = Doc::new("list_folders", 200, Page(&FOLDER))
    .says("List folders", "The caller's folders: all of them, or those in one folder.")
    .query(folder_list);

/// `GET /folders`
pub fn list(call: &Call, caller: &Caller) -> Result<Reply> {
    let parent = call.query("parent_folder_token");
    let list = PagedList::with_filters(call, caller, &[("parent_folder_token", parent.as_deref())]);
    let page = folders::list(call.app, caller, parent.as_deref(), &list.request()?)?;
    let page = page.try_map(|folder| serde_json::to_string(&FolderBody::from(folder))).map_err(Error::internal)?;
    Ok(list.answer(&page).into())
}

pub const CREATE_FOLDER: Doc = Doc::new("create_folder", 201, Data(&FOLDER))
    .says(
        "Create a folder",
        "Creates a folder at the top level or in another folder, at most five levels deep. Folders with the same \
         parent have different names.",
    )
    .takes(&CREATE, r#"{"name": "Workshops"}"#);

/// `POST /folders`
pub fn create(call: &Call, caller: &Caller) -> Result<Reply> {
    let body = call.json()?;
    let keys = unknown_keys::of(call, &body, &[&CREATE]);
    let folder = folders::create(call.app, caller, body, keys.faults)?;
    Ok(reply::created(&FolderBody::from(folder))?.warn(keys.warnings).into())
}

pub const GET_FOLDER: Doc = Doc::new("get_folder", 200, Data(&FOLDER))
    .says("Read a folder", "The folder, with the number of folders and forms directly in it.");

/// `GET /folders/{folder_token}`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let folder = folders::show(call.app, caller, call.param("folder_token"))?;
    Ok(reply::data(&FolderBody::from(folder))?.into())
}

pub const UPDATE_FOLDER: Doc = Doc::new("update_folder", 200, Data(&FOLDER))
    .says("Rename a folder", "Only the name can be changed; other keys are ignored.")
    .takes(&UPDATE, r#"{"name": "Past workshops"}"#);

/// `PATCH /folders/{folder_token}`
pub fn update(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, body) = (call.param("folder_token"), call.json()?);
    // Keys that only reads show can't be changed; they are reported.
    let keys = unknown_keys::of(call, &body, &[&UPDATE]);
    let folder = folders::update(call.app, caller, token, body, keys.faults)?;
    Ok(reply::data(&FolderBody::from(folder))?.warn(keys.warnings).into())
}

pub const DELETE_FOLDER: Doc = Doc::new("delete_folder", 200, Data(&DELETED))
    .says(
        "Delete a folder",
        "The folder's forms and subfolders move up one level. If a folder there has the same name as one that would \
         move, the answer is 422 and nothing moves.",
    )
    .checks_stored();

/// `DELETE /folders/{folder_token}`
pub fn delete(call: &Call, caller: &Caller) -> Result<Reply> {
    let token = call.param("folder_token");
    folders::remove(call.app, caller, token)?;
    Ok(reply::data(&deleted(token))?.into())
}

pub const PUT_FORM_FOLDER: Doc = Doc::new("put_form_folder", 200, Data(&PLACEMENT))
    .says(
        "Put a form into a folder",
        "Moves the form into one of the caller's folders, or with null out of its folder. Nothing changes for other \
         users.",
    )
    .takes(&PLACEMENT_WRITE, r#"{"folder_token": null}"#);

pub const PATCH_FORM_FOLDER: Doc = Doc::new("patch_form_folder", 200, Data(&PLACEMENT))
    .says("Put a form into a folder", "The same as `PUT`.")
    .takes(&PLACEMENT_WRITE, r#"{"folder_token": null}"#);

/// `PUT` and `PATCH /forms/{form_token}/folder`
pub fn put_form(call: &Call, caller: &Caller) -> Result<Reply> {
    let (form_token, body) = (call.param("form_token"), call.json()?);
    let keys = unknown_keys::of(call, &body, &[&PLACEMENT_WRITE]);
    let folder_token = folders::put_form(call.app, caller, form_token, body, keys.faults)?;
    Ok(reply::data(&PlacementBody { form_token, folder_token })?.warn(keys.warnings).into())
}
