//! Folders, in which each user sorts forms for themselves (contract section 7).

use crate::base::error::{Error, Noun, Result};
use crate::base::id::FolderToken;
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::Reason;
use crate::model::audit::Action;
use crate::model::caller::Caller;
use crate::model::folder::Folder;
use crate::model::page::{Page, PageRequest};
use crate::ops::accounts::audit::{self, By};
use crate::ops::app::App;
use crate::ops::forms::access::{self, Right};
use crate::store::db::tx::Tx;
use crate::store::forms::folders::{self, ParentFilter};

const MAX_NAME: usize = 100;
const MAX_LEVELS: i64 = 5;
const MOST_SHOWN: usize = 1_000;
pub const LONGEST_TOKEN: usize = 64;

/// Creates a folder. `at` has the faults found in the body so far.
///
/// # Errors
/// 403 if the parent is another user's, 404 if it does not exist, 422.
pub fn create(app: &App, caller: &Caller, body: Json, mut at: Issues) -> Result<Folder> {
    let parent = named(&body, "parent_folder_token");
    let name = read_new(&mut Reader::new(body, &mut at));
    let who = caller.clone();
    app.store.write(move |tx| {
        let parent = match parent {
            Some(token) => Some(own(tx, &who, &token)?),
            None => None,
        };
        if let Some(parent) = &parent
            && folders::level(tx, parent.id)? >= MAX_LEVELS
        {
            let levels = MAX_LEVELS;
            at.push_at("parent_folder_token", Reason::FolderTooDeep { levels });
        }
        at.into_result()?;
        let token = FolderToken::random();
        let parent = parent.map(|parent| parent.id);
        folders::insert(tx, &token, who.user.id, parent, &name)?;
        audit::note(tx, By::caller(&who), Action::FolderCreated, token.as_str())?;
        own(tx, &who, token.as_str())
    })
}

fn read_new(reader: &mut Reader) -> String {
    let name = reader.text("name", MAX_NAME);
    reader.opt_text("parent_folder_token", LONGEST_TOKEN);
    name
}

/// The folder in a body, of any length: it is looked up before faults are reported (S39).
fn named(body: &Json, key: &str) -> Option<String> {
    let token = body[key].as_str().filter(|token| !token.is_empty());
    token.map(str::to_owned)
}

/// The JSON Schema of the body of `create`.
pub fn create_schema() -> Json {
    Reader::describe(|reader| {
        read_new(reader);
    })
}

/// The caller's folders: all, those in one folder, or with `""` those at the top.
///
/// # Errors
/// 400 for a cursor of another list, 403, 404 for the parent.
pub fn list(app: &App, caller: &Caller, parent: Option<&str>, page: &PageRequest) -> Result<Page<Folder>> {
    let after = page.place()?.map_or(0, |(_, id)| id);
    let user = caller.user.id;
    app.store.read(|tx| {
        let parent = match parent {
            None => ParentFilter::Any,
            Some("") => ParentFilter::None,
            Some(token) => ParentFilter::Folder(own(tx, caller, token)?.id),
        };
        let mut rows = folders::list(tx, user, parent, after, page.size + 1)?;
        let more = rows.len() > page.size;
        rows.truncate(page.size);
        Ok(Page {
            total: folders::count(tx, user, parent)?,
            next: rows.last().filter(|_| more).map(|last| format!("0.{}", last.id)),
            rows,
        })
    })
}

/// All folders of the caller, up to the most that a page shows.
pub fn all(app: &App, caller: &Caller) -> Result<Vec<Folder>> {
    app.store.read(|tx| folders::list(tx, caller.user.id, ParentFilter::Any, 0, MOST_SHOWN))
}

/// # Errors
/// 403, 404.
pub fn show(app: &App, caller: &Caller, token: &str) -> Result<Folder> {
    app.store.read(|tx| own(tx, caller, token))
}

/// Renames a folder.
///
/// # Errors
/// 403, 404, 422.
pub fn update(app: &App, caller: &Caller, token: &str, body: Json, mut at: Issues) -> Result<Folder> {
    let name = read_update(&mut Reader::new(body, &mut at));
    let (who, token) = (caller.clone(), token.to_owned());
    app.store.write(move |tx| {
        let folder = own(tx, &who, &token)?;
        at.into_result()?;
        if let Some(name) = name {
            folders::rename(tx, folder.id, &name)?;
            audit::note(tx, By::caller(&who), Action::FolderUpdated, &token)?;
        }
        own(tx, &who, &token)
    })
}

fn read_update(reader: &mut Reader) -> Option<String> {
    reader.contains_key("name").then(|| reader.text("name", MAX_NAME))
}

/// The JSON Schema of the body of `update`.
pub fn update_schema() -> Json {
    Reader::describe(|reader| {
        read_update(reader);
    })
}

/// Removes a folder. The forms and folders in it move up one level.
///
/// # Errors
/// 403, 404, 422 if a folder in it has the same name as one there: then nothing changes.
pub fn remove(app: &App, caller: &Caller, token: &str) -> Result<()> {
    let (who, token) = (caller.clone(), token.to_owned());
    app.store.write(move |tx| {
        let folder = own(tx, &who, &token)?;
        audit::note(tx, By::caller(&who), Action::FolderDeleted, &token)?;
        folders::remove(tx, &folder)
    })
}

/// Moves a form that the caller owns or that is shared with them into one of their folders, or out of any folder.
/// Returns that folder.
///
/// # Errors
/// 403 for another user's folder, 404, 422.
pub fn put_form(app: &App, caller: &Caller, form: &str, body: Json, mut at: Issues) -> Result<Option<String>> {
    let folder = named(&body, "folder_token");
    read_placement(&mut Reader::new(body, &mut at));
    let (who, form) = (caller.clone(), form.to_owned());
    app.store.write(move |tx| {
        let form = access::form_for(tx, &who, &form, Right::Read)?;
        place(tx, &who, form.form_no, folder.as_deref())?;
        at.into_result()?;
        let by = By::caller(&who);
        audit::note_form(tx, by, Action::FormMoved, form.token.as_str())?;
        Ok(folder)
    })
}

fn read_placement(reader: &mut Reader) {
    if !reader.contains_key("folder_token") {
        reader.fault("folder_token", Reason::Required);
    }
    reader.patch_text("folder_token", LONGEST_TOKEN);
}

/// The JSON Schema of the body of `put_form`.
pub fn placement_schema() -> Json {
    Reader::describe(|reader| {
        read_placement(reader);
    })
}

/// The caller's folder with this token.
///
/// # Errors
/// 403 if it is another user's of the same organization, 404.
pub(in crate::ops) fn own(tx: &Tx, caller: &Caller, token: &str) -> Result<Folder> {
    let user = &caller.user;
    match folders::by_token(tx, token)? {
        Some((folder, _)) if folder.user == user.id => Ok(folder),
        Some((_, organization)) if organization == user.organization.id => Err(Error::Forbidden),
        _ => Err(Error::NotFound(Noun::Folder)),
    }
}

/// Checks that the folder in a body is the caller's, before the body's faults are reported (S39).
///
/// # Errors
/// 403, 404.
pub(in crate::ops) fn check_named(app: &App, caller: &Caller, body: &Json) -> Result<()> {
    match named(body, "folder_token") {
        None => Ok(()),
        Some(token) => app.store.read(|tx| own(tx, caller, &token)).map(drop),
    }
}

/// Moves a form into a folder of the caller, or out of any folder.
///
/// # Errors
/// 403, 404.
pub(in crate::ops) fn place(tx: &Tx, caller: &Caller, form_no: i64, folder: Option<&str>) -> Result<()> {
    let folder = match folder {
        None | Some("") => None,
        Some(token) => Some(own(tx, caller, token)?.id),
    };
    folders::place(tx, caller.user.id, form_no, folder)
}

/// The caller's folder that contains a form.
pub(in crate::ops) fn of_form(tx: &Tx, caller: &Caller, form_no: i64) -> Result<Option<FolderToken>> {
    folders::of_form(tx, caller.user.id, form_no)
}
