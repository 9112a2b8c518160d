//! A user's folder of forms.

use crate::base::clock::Time;
use crate::base::id::FolderToken;
use crate::model::user::UserId;

#[derive(Clone, Debug)]
pub struct Folder {
    pub id: i64,
    pub token: FolderToken,
    pub user: UserId,
    /// `None` at the top.
    pub parent: Option<i64>,
    pub parent_token: Option<FolderToken>,
    /// 1 to 100 characters.
    pub name: String,
    /// Folders directly in it.
    pub child_folder_count: i64,
    /// Forms directly in it.
    pub child_form_count: i64,
    pub created_at: Time,
}
