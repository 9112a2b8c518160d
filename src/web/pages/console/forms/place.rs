//! The place of the forms in a list.

use crate::model::folder::Folder;

/// The word in the address for the forms in no folder.
pub const OUTSIDE: &str = "none";

/// The place of the listed forms.
#[derive(Clone, Copy)]
pub enum Place<'a> {
    All,
    /// In no folder.
    Outside,
    Folder(&'a Folder),
}

impl<'a> Place<'a> {
    /// As the address names it.
    pub fn key(self) -> &'a str {
        match self {
            Self::All => "",
            Self::Outside => OUTSIDE,
            Self::Folder(folder) => folder.token.as_str(),
        }
    }
}

impl PartialEq for Place<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
