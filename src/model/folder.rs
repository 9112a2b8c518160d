//! A folder: a user's own order of forms.

use crate::base::clock::Time;
use crate::base::id::FolderToken;
use crate::model::user::UserId;

/// A folder's row, with what lies in it counted.
#[derive(Clone, Debug)]
pub struct Folder {
    /// Inside the database.
    pub id: i64,
    /// Public.
    pub token: FolderToken,
    /// Whose.
    pub user: UserId,
    /// The folder that it lies in; none at the top.
    pub parent: Option<i64>,
    /// The same, by its public name.
    pub parent_token: Option<FolderToken>,
    /// 1 to 100 characters.
    pub name: String,
    /// Folders in it, one level down.
    pub child_folder_count: i64,
    /// Forms in it, one level down.
    pub child_form_count: i64,
    /// When it was made.
    pub created_at: Time,
}
