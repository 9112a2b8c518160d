//! Saved views of a form's entries: a name for search, conditions, order and columns.

use crate::model::user::UserId;

/// How many one person may have of a form.
pub const MOST_VIEWS: usize = 50;
/// The characters of a name.
pub const LONGEST_NAME: usize = 100;
/// The characters of a query.
pub const LONGEST_QUERY: usize = 8_192;

#[derive(Clone, Debug)]
pub struct SavedView {
    /// The row id.
    pub id: i64,
    /// The public id.
    pub token: String,
    /// The user who saved it.
    pub user: UserId,
    pub content: ViewContent,
}

/// Settings of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewContent {
    pub name: String,
    /// The parameters of the list's address.
    pub query: String,
    /// Whether everybody who can see the form sees the view.
    pub is_shared: bool,
}
