//! Accounts over the API: the caller, members, collaborators, the audit log.

pub(in crate::web::api) mod audit;
pub(in crate::web::api) mod collaborators;
pub(in crate::web::api) mod me;
pub(in crate::web::api) mod members;
