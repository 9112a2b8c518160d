//! Paging: what a client asks for and what it gets.

/// What a client asks of a list.
#[derive(Clone, Debug)]
pub struct PageRequest {
    /// 1 to 100.
    pub size: usize,
    /// Where the page before ended, as the list itself wrote it; already verified.
    pub after: Option<String>,
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
    pub fn try_map<U, E>(self, f: impl FnMut(T) -> Result<U, E>) -> Result<Page<U>, E> {
        Ok(Page {
            rows: self.rows.into_iter().map(f).collect::<Result<_, _>>()?,
            total: self.total,
            next: self.next,
        })
    }
}
