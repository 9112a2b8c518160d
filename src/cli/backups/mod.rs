//! Commands about backups.

pub(in crate::cli) mod backup;
pub(in crate::cli) mod passphrase;
pub(in crate::cli) mod restore;
