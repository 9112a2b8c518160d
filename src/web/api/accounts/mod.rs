//! Accounts over the API: the caller, the organization, members, collaborators, the audit log.

pub(in crate::web::api) mod audit;
pub(in crate::web::api) mod collaborators;
pub(in crate::web::api) mod me;
pub(in crate::web::api) mod members;
pub(in crate::web::api) mod organizations;
