//! State of public queries that is kept in memory.

use std::collections::HashMap;
use std::sync::Mutex;

use crate::ops::queries::counts::QueryCounts;
use crate::store::queries::Marks;

/// The forms whose keys are what their queries need, with the versions for which that was seen.
#[derive(Default)]
pub(in crate::ops) struct Tended(pub(in crate::ops::queries) Mutex<HashMap<i64, (i64, Marks)>>);

/// Of public queries, between requests.
#[derive(Default)]
pub struct QueryState {
    /// Views and searches that are not yet written to the database.
    pub counts: QueryCounts,
    /// Forms whose keys for public queries are what those need.
    pub(in crate::ops) keys: Tended,
}
