//! Long work on many entries of a form.

use crate::base::clock::Time;
use crate::base::named::named;
use crate::model::scope::Scope;
use crate::model::user::UserId;

named! {
    pub enum JobKind {
        /// Moves entries to the trash.
        Trash = "bulk_trash",
        /// Sets values of entries.
        Update = "bulk_update",
        /// Brings entries back from the trash.
        Restore = "restore",
        /// Checks a file, or adds its rows as entries.
        Import = "import",
    }
}

impl JobKind {
    /// The scope that a token needs to begin, stop and undo it.
    pub const fn scope(self) -> Scope {
        match self {
            Self::Trash => Scope::EntryDelete,
            Self::Update | Self::Restore | Self::Import => Scope::EntryWrite,
        }
    }
}

named! {
    pub enum JobState {
        /// None of its entries are done yet.
        Waiting = "waiting",
        Running = "running",
        /// All of its entries were gone through.
        Done = "done",
        /// A user stopped it; finished entries stay changed.
        Stopped = "stopped",
        /// It can't continue; finished entries stay changed.
        Failed = "failed",
    }
}

impl JobState {
    /// Whether the job has ended.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Stopped | Self::Failed)
    }
}

#[derive(Clone, Debug)]
pub struct EntryJob {
    pub id: i64,
    /// The public id.
    pub token: String,
    pub form_no: i64,
    /// The user who started it.
    pub user: UserId,
    pub kind: JobKind,
    pub state: JobState,
    /// How many of its entries were gone through.
    pub done: i64,
    /// How many entries it has.
    pub total: i64,
    /// How many were changed.
    pub changed: i64,
    /// How many were refused.
    pub refused: i64,
    /// JSON text: the `field_values` that an update sets, or the file of an import. Empty for other kinds.
    pub payload: String,
    /// Why it failed.
    pub problem: Option<String>,
    /// The public id of the job that undoes it.
    pub undone_by: Option<String>,
    pub created_at: Time,
    pub finished_at: Option<Time>,
}

/// An entry that a job could not change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedEntry {
    pub serial: i64,
    /// JSON text: `[{attribute, message}]`.
    pub details: String,
}

/// Result of one piece of a job.
#[derive(Debug, Default)]
pub struct PieceResult {
    pub changed: Vec<i64>,
    pub refused: Vec<RefusedEntry>,
}
