//! Public queries over the API: those of a form's managers, and visits.

pub(in crate::web::api) mod definitions;
pub(in crate::web::api) mod visits;
