//! The failure of a command: an exit code and one sentence with the remedy.

use std::fmt::{self, Display};

use crate::base::backup_fault::BackupFault;
use crate::base::error::{DataDirFault, Error};
use crate::base::reason::Reason;

/// Exit codes (contract section 10); 0 is success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Failed = 1,
    /// The command line is invalid.
    Usage = 2,
    /// A variable or the config file has an invalid value.
    Configuration = 3,
    /// The data dir is missing, locked, or another user's.
    DataDir = 4,
    /// The database is newer than this program.
    Newer = 5,
    /// Not found, or already exists.
    NotFoundOrExists = 6,
    CheckFailed = 7,
}

impl Exit {
    /// All codes with their meanings, for the manual pages.
    pub const MEANINGS: [(Self, &str); 7] = [
        (Self::Failed, "The command failed."),
        (Self::Usage, "The command line is invalid."),
        (Self::Configuration, "A variable or the config file has an invalid value."),
        (Self::DataDir, "The data dir is missing, in use by another process, or another user's."),
        (Self::Newer, "The database is newer than the program. Nothing was changed."),
        (Self::NotFoundOrExists, "Not found, or already exists."),
        (Self::CheckFailed, "A check failed."),
    ];
}

#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    /// Printed to stderr unless empty.
    pub sentence: String,
}

impl Failure {
    pub fn new(exit: Exit, sentence: impl Into<String>) -> Self {
        Self { exit, sentence: sentence.into() }
    }

    /// The reader of stdout has closed it; nothing is printed.
    pub fn silent() -> Self {
        Self::new(Exit::Failed, "")
    }

    /// A fault in the command line.
    pub fn usage(sentence: impl Into<String>) -> Self {
        Self::new(Exit::Usage, sentence)
    }

    /// A fault in a variable or the config file.
    pub fn configuration(sentence: impl Into<String>) -> Self {
        Self::new(Exit::Configuration, sentence)
    }

    /// Any other fault: the failed action, and the reason.
    pub fn failed(what: &str, why: impl Display) -> Self {
        Self::new(Exit::Failed, format!("{what}: {why}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl From<DataDirFault> for Failure {
    fn from(fault: DataDirFault) -> Self {
        let exit = match fault {
            DataDirFault::Missing(_)
            | DataDirFault::NotUsable(..)
            | DataDirFault::Dangling(..)
            | DataDirFault::Link(..)
            | DataDirFault::Locked(_)
            | DataDirFault::OldServer(_) => Exit::DataDir,
            DataDirFault::Newer(..) => Exit::Newer,
            DataDirFault::WrongKey(..)
            | DataDirFault::Damaged(..)
            | DataDirFault::NotUpgraded(..)
            | DataDirFault::NoRoomToUpgrade(..)
            | DataDirFault::Failed(..) => Exit::Failed,
        };
        Self::new(exit, fault.to_string())
    }
}

impl From<BackupFault> for Failure {
    fn from(fault: BackupFault) -> Self {
        let exit = match fault {
            BackupFault::DataDir(fault) => return fault.into(),
            BackupFault::Newer(..) => Exit::Newer,
            BackupFault::Foreign(..)
            | BackupFault::Damaged(..)
            | BackupFault::NoReplica(..)
            | BackupFault::WrongPassphrase(_) => Exit::CheckFailed,
            BackupFault::NoPassphrase(_) | BackupFault::StoreSettings(..) => Exit::Configuration,
            BackupFault::Name(_) | BackupFault::OwnDataDir(_) => Exit::Usage,
            BackupFault::NoBackup(_) | BackupFault::NoFolder(_) => Exit::NotFoundOrExists,
            BackupFault::InUse(_)
            | BackupFault::Unwritable(..)
            | BackupFault::NoCopy(..)
            | BackupFault::NotUsable(..)
            | BackupFault::NoRoom(..)
            | BackupFault::Store(..)
            | BackupFault::OtherService(_)
            | BackupFault::Failed(_)
            | BackupFault::Busy(_) => Exit::Failed,
        };
        Self::new(exit, fault.to_string())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Invalid(issues) | Error::InvalidFor(_, _, issues) => {
                let taken = issues.iter().any(|issue| issue.reason == Reason::Taken);
                let said: Vec<String> = issues.iter().map(ToString::to_string).collect();
                let exit = if taken { Exit::NotFoundOrExists } else { Exit::Usage };
                Self::new(exit, said.join("; "))
            }
            Error::NotFound(noun) => {
                Self::new(Exit::NotFoundOrExists, format!("there is no such {}", noun.name().to_lowercase()))
            }
            Error::Busy(why, _) => Self::new(Exit::Failed, format!("{why}: try again in a moment")),
            Error::Internal(source) => Self::new(
                Exit::Failed,
                format!(
                    "the command could not be completed ({source}): look at the disk and at the \
                     files of the data dir"
                ),
            ),
            other => Self::failed("the command could not be completed", format_args!("{other:?}")),
        }
    }
}
