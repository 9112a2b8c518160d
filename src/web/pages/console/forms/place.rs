//! Where the forms of a list lie.

use crate::model::folder::Folder;

/// What the address calls the forms in no folder.
pub const OUTSIDE: &str = "none";

/// Where the listed forms lie.
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
