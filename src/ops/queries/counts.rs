//! How often queries are viewed and searched.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::base::error::Result;
use crate::ops::app::App;
use crate::store::queries;

/// Views and searches by query: counted in memory and written once a second, so that looking needs no writer.
#[derive(Default)]
pub struct QueryCounts(Mutex<HashMap<i64, (i64, i64)>>);

impl QueryCounts {
    fn add(&self, query: i64, views: i64, searches: i64) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(query).or_default();
        count.0 += views;
        count.1 += searches;
    }

    /// Counts a view of the page.
    pub fn view(&self, query: i64) {
        self.add(query, 1, 0);
    }

    /// Counts a search.
    pub fn search(&self, query: i64) {
        self.add(query, 0, 1);
    }
}

/// Writes the counts since the last time to the database; returns the number of queries.
///
/// # Errors
/// Internal, 503; unwritten counts are kept for the next time.
pub fn write(app: &App) -> Result<usize> {
    let taken = {
        let mut counts = app.queries.counts.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *counts)
    };
    if taken.is_empty() {
        return Ok(0);
    }
    let counts = taken.clone();
    let written = app.store.write(move |tx| {
        for (query, (views, searches)) in &counts {
            queries::count_up(tx, *query, *views, *searches)?;
        }
        Ok(counts.len())
    });
    if written.is_err() {
        for (query, (views, searches)) in taken {
            app.queries.counts.add(query, views, searches);
        }
    }
    written
}
