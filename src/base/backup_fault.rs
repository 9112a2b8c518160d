//! Why a backup can't be made, read or restored. The command line maps each to an exit code.

use crate::base::error::DataDirFault;

#[derive(Debug, thiserror::Error)]
pub enum BackupFault {
    /// The file is something else, or its database is that of another program.
    #[error("{0} is not a backup of formsvc ({1}): name a file that `formsvc backup create` made")]
    Foreign(String, String),
    #[error("the backup {0} is damaged ({1}): use another backup")]
    Damaged(String, String),
    #[error("the backup {0} was made by a newer formsvc ({1}): install that version or a newer one")]
    Newer(String, String),
    /// A file, beside backups, from which a data dir is restored.
    #[error(
        "{0} can't be restored ({1}): name a folder with blobs/ and keys/, and the database that `litestream restore` \
         wrote, which is formsvc.db in that folder or what --database names"
    )]
    NoReplica(String, String),
    #[error("another backup is being written to {0}: wait for it, or name another file with --output")]
    InUse(String),
    #[error("{0} can't be written ({1}): free some space there or correct its permissions, or name another place")]
    Unwritable(String, String),
    /// The folder for temporary files, and why it can't be used.
    #[error(
        "{0} can't take a copy of the backup's database to check it ({1}): free some space there, or name another \
         folder in the variable TMPDIR"
    )]
    NoCopy(String, String),
    /// Needed and available space, in MB.
    #[error(
        "there is too little space at {0} ({1} MB are needed, {2} MB can be used): free some, or name another place"
    )]
    NoRoom(String, u64, u64),
    #[error(
        "the backup {0} is encrypted: set FORMSVC_BACKUP_PASSPHRASE or FORMSVC_BACKUP_PASSPHRASE_FILE to the \
         passphrase that it was made with"
    )]
    NoPassphrase(String),
    #[error(
        "the passphrase does not open {0}: use the one that it was made with (if it is that one, the first bytes of \
         the file are damaged)"
    )]
    WrongPassphrase(String),
    /// The name of a file and whether backups are encrypted don't fit.
    #[error("{0}")]
    Name(&'static str),
    /// A place in a store, and its fault.
    #[error("{0} {1}")]
    Store(String, String),
    /// A place in a store, and which setting it lacks.
    #[error("{0} {1}")]
    StoreSettings(String, String),
    #[error(
        "there is no backup {0}: `formsvc backup list` shows the existing ones (the files of a standby need \
         --database too)"
    )]
    NoBackup(String),
    #[error("there is no folder {0}: create it, or name another place")]
    NoFolder(String),
    #[error("the folder {0} can't be used ({1}): correct that, or name another place")]
    NotUsable(String, String),
    /// The target of a sync.
    #[error("{0} lies in the data dir itself: name another place")]
    OwnDataDir(String),
    /// The target of a sync.
    #[error("{0} holds the key of another service: name another place")]
    OtherService(String),
    #[error(transparent)]
    DataDir(#[from] DataDirFault),
    /// Anything else, such as a disk that fails.
    #[error("the backup can't be made ({0}): look at the disk and at the files of the data dir")]
    Failed(String),
    /// A retry may succeed in a moment.
    #[error("{0}: try again in a moment")]
    Busy(&'static str),
}
