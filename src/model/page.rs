//! Pages of lists.

use crate::base::error::{Error, Result};
use crate::base::text::phrase::Phrase;

#[derive(Clone, Debug)]
pub struct PageRequest {
    /// 1 to 100.
    pub size: usize,
    /// The end of the previous page, as the list encoded it; already verified.
    pub after: Option<String>,
}

impl PageRequest {
    /// The position in the cursor: the value of the sort key, and the row's number.
    ///
    /// # Errors
    /// 400.
    pub fn place(&self) -> Result<Option<(i64, i64)>> {
        let position = |text: &str| {
            let (value, number) = text.split_once('.')?;
            Some((value.parse().ok()?, number.parse().ok()?))
        };
        self.after.as_deref().map(|text| position(text).ok_or_else(bad_cursor)).transpose()
    }
}

/// Error for a cursor of another list.
pub fn bad_cursor() -> Error {
    Error::BadRequest(Phrase::plain("cursor is not valid for this list"))
}

#[derive(Clone, Debug)]
pub struct Page<T> {
    pub rows: Vec<T>,
    /// The number of rows in the whole list.
    pub total: i64,
    /// The cursor of the next page; `None` on the last one.
    pub next: Option<String>,
}

impl<T> Page<T> {
    /// Converts the rows; the first error of `f` ends it.
    pub fn try_map<U, E>(self, f: impl FnMut(T) -> std::result::Result<U, E>) -> std::result::Result<Page<U>, E> {
        Ok(Page {
            rows: self.rows.into_iter().map(f).collect::<std::result::Result<_, _>>()?,
            total: self.total,
            next: self.next,
        })
    }
}
