//! State of public queries that is kept in memory.

use std::collections::HashMap;
use std::sync::Mutex;

use crate::ops::queries::counts::QueryCounts;
use crate::store::queries::Marks;

/// The forms whose keys match the needs of their queries, with the versions for which that was checked.
#[derive(Default)]
pub(in crate::ops) struct Tended(pub(in crate::ops::queries) Mutex<HashMap<i64, (i64, Marks)>>);

/// Of public queries, between requests.
#[derive(Default)]
pub struct QueryState {
    /// Views and searches that are not yet written to the database.
    pub counts: QueryCounts,
    /// Forms whose keys match the needs of their public queries.
    pub(in crate::ops) keys: Tended,
}
