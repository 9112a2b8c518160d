//! Pages of public queries.

pub(crate) mod edit;
pub(crate) mod page;
pub(crate) mod query_forms;
