//! Paging: what a client asks for and what it gets.

use crate::base::error::{Error, Result};

/// What a client asks of a list.
#[derive(Clone, Debug)]
pub struct PageRequest {
    /// 1 to 100.
    pub size: usize,
    /// Where the page before ended, as the list itself wrote it; already verified.
    pub after: Option<String>,
}

impl PageRequest {
    /// The place that the cursor names: the value the list is sorted by, and the row's number.
    ///
    /// # Errors
    /// 400.
    pub fn place(&self) -> Result<Option<(i64, i64)>> {
        let Some(after) = &self.after else {
            return Ok(None);
        };
        after
            .split_once('.')
            .and_then(|(value, number)| Some((value.parse().ok()?, number.parse().ok()?)))
            .map(Some)
            .ok_or_else(|| Error::BadRequest("cursor is not valid for this list".to_owned()))
    }
}

/// One page of a list.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// How many rows the whole list has.
    pub total: i64,
    /// Where this page ended; none on the last.
    pub next: Option<String>,
}

impl<T> Page<T> {
    /// The same page with other rows.
    ///
    /// # Errors
    /// The first that `f` returns.
    pub fn try_map<U, E>(
        self,
        f: impl FnMut(T) -> std::result::Result<U, E>,
    ) -> std::result::Result<Page<U>, E> {
        Ok(Page {
            rows: self
                .rows
                .into_iter()
                .map(f)
                .collect::<std::result::Result<_, _>>()?,
            total: self.total,
            next: self.next,
        })
    }
}
