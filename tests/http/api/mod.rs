//! Conventions of every route of the API: access, envelopes, errors, paging, versions, odd bodies, limits.

pub mod access;
pub mod bounds;
pub mod conventions;
pub mod credentials;
pub mod errors;
pub mod hostile;
pub mod injection;
pub mod json_corpus;
pub mod odd_values;
pub mod openapi;
pub mod paging;
pub mod routes;
pub mod signatures;
pub mod unknown_keys;
pub mod unknown_parameters;
pub mod unknown_values;
pub mod versions;
