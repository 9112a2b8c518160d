//! The request and the outcome of an import.

use crate::base::error::Error;
use crate::base::issue::Issue;
use crate::fields::columns::mapping::Mapping;
use crate::ops::transfer::imports::places::Places;

/// A file to be imported.
pub struct Request<'r> {
    /// The form's token.
    pub form: &'r str,
    pub file: &'r [u8],
    /// Whether the file is only validated.
    pub dry_run: bool,
    /// Whether a file with columns or sheets that are ignored is refused.
    pub is_strict: bool,
    /// Where columns go that do not go by their names.
    pub columns: Mapping,
    /// The job that imports it, which notes the entries.
    pub job: Option<i64>,
}

/// The result of an import.
pub struct Done {
    /// The number of entries added.
    pub created: usize,
    /// The number of rows in the file.
    pub rows: usize,
    /// The columns and sheets that were ignored.
    pub warnings: Vec<Issue>,
    pub(super) places: Places,
}

/// Why a file was refused.
pub struct Refused {
    pub faults: Vec<Issue>,
    pub(super) places: Places,
}

impl Done {
    /// The warnings for people, who find lines and columns as a spreadsheet shows them.
    pub fn lines(&self) -> Vec<String> {
        self.warnings.iter().map(|warning| self.places.text(warning)).collect()
    }
}

impl Refused {
    /// The faults for people, as [`Done::lines`] writes them.
    pub fn lines(&self) -> Vec<String> {
        self.faults.iter().map(|fault| self.places.text(fault)).collect()
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        Self::Invalid(refused.faults)
    }
}
