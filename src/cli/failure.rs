//! Why a command ends without its result: an exit code and one sentence that says what to do.

use std::fmt::{self, Display};

use crate::base::error::{DataDirFault, Error};
use crate::base::reason::Reason;

/// What exit codes mean (contract section 10); 0 is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Something went wrong.
    Failed = 1,
    /// The command line can't be understood.
    Usage = 2,
    /// A variable or the config file holds a wrong value.
    Configuration = 3,
    /// The data dir is missing, another's or locked.
    DataDir = 4,
    /// The database is newer than this program.
    Newer = 5,
    /// What was named is not there, or what was to be made is.
    NotFoundOrExists = 6,
    /// A check failed.
    CheckFailed = 7,
}

/// A command's failure.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// What is printed; nothing where nobody is to be told.
    pub sentence: String,
}

impl Failure {
    /// With this code and sentence.
    pub fn new(exit: Exit, sentence: impl Into<String>) -> Self {
        Self {
            exit,
            sentence: sentence.into(),
        }
    }

    /// Nobody reads the result to its end.
    pub fn silent() -> Self {
        Self::new(Exit::Failed, "")
    }

    /// A fault of the command line.
    pub fn usage(sentence: impl Into<String>) -> Self {
        Self::new(Exit::Usage, sentence)
    }

    /// A fault of a variable or the config file.
    pub fn configuration(sentence: impl Into<String>) -> Self {
        Self::new(Exit::Configuration, sentence)
    }

    /// Anything else; `what` could not be done because of `why`.
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
            | DataDirFault::Locked(_) => Exit::DataDir,
            DataDirFault::Newer(..) => Exit::Newer,
            DataDirFault::WrongKey(..) | DataDirFault::Damaged(..) | DataDirFault::Failed(..) => {
                Exit::Failed
            }
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
                let exit = if taken {
                    Exit::NotFoundOrExists
                } else {
                    Exit::Usage
                };
                Self::new(exit, said.join("; "))
            }
            Error::NotFound(noun) => Self::new(
                Exit::NotFoundOrExists,
                format!("there is no such {}", noun.name().to_lowercase()),
            ),
            Error::Busy(why, _) => Self::new(Exit::Failed, format!("{why}: try again in a moment")),
            Error::Internal(source) => Self::new(
                Exit::Failed,
                format!(
                    "the command could not be carried out ({source}): look at the disk and at the \
                     files of the data dir"
                ),
            ),
            other => Self::failed(
                "the command could not be carried out",
                format_args!("{other:?}"),
            ),
        }
    }
}
