//! Pages of a list of entries, read both ways: a cursor is the value that the list is sorted by and the serial number of
//! the entry at the page's edge.

use crate::base::error::{Error, Result};
use crate::model::entry::Entry;
use crate::model::page::{self, Page, PageRequest};
use crate::query::answer_order::Rank;

/// The value that a list is sorted by, as its cursors carry it.
pub(super) trait SortValue: Clone + Sized {
    fn to_text(&self) -> String;
    fn of_text(text: &str) -> Option<Self>;
}

impl SortValue for i64 {
    fn to_text(&self) -> String {
        self.to_string()
    }

    fn of_text(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl SortValue for Rank {
    fn to_text(&self) -> String {
        match self {
            Self::Number(number) => format!("n{number:?}"),
            Self::Text(text) => format!("t{text}"),
            Self::Blank => String::new(),
        }
    }

    fn of_text(text: &str) -> Option<Self> {
        let Some((sort, rest)) = text.split_at_checked(1) else {
            return Some(Self::Blank);
        };
        match sort {
            "n" => rest.parse().ok().map(Self::Number),
            "t" => Some(Self::Text(rest.to_owned())),
            _ => None,
        }
    }
}

/// The position of a page in its list.
enum Edge<V> {
    First,
    After((V, i64)),
    Before((V, i64)),
    Last,
}

/// Marks the cursor of a page that ends before a position.
const BEFORE: &str = "before.";
/// The cursor of the last page.
pub const LAST: &str = BEFORE;

impl<V: SortValue> Edge<V> {
    /// # Errors
    /// 400.
    fn of(page: &PageRequest) -> Result<Self> {
        let position = |text: &str| {
            let place =
                text.rsplit_once('.').and_then(|(value, serial)| Some((V::of_text(value)?, serial.parse().ok()?)));
            place.ok_or_else(page::bad_cursor)
        };
        Ok(match page.after.as_deref() {
            None => Self::First,
            Some(LAST) => Self::Last,
            Some(text) => match text.strip_prefix(BEFORE) {
                Some(text) => Self::Before(position(text)?),
                None => Self::After(position(text)?),
            },
        })
    }
}

/// The requested page, and the cursor of the page before. `read` gives at most so many entries from a position on (that
/// one left out), in descending order or not.
pub(super) fn read_page<V: SortValue>(
    request: &PageRequest,
    is_descending: bool,
    total: i64,
    position: impl Fn(&Entry) -> Result<(V, i64)>,
    read: impl Fn(bool, Option<&(V, i64)>, usize) -> Result<Vec<Entry>>,
) -> Result<(Page<Entry>, Option<String>)> {
    let (onwards, size) = (is_descending, request.size);
    let edge = Edge::of(request)?;
    let (is_back, place) = match &edge {
        Edge::First => (false, None),
        Edge::After(place) => (false, Some(place)),
        Edge::Before(place) => (true, Some(place)),
        Edge::Last => (true, None),
    };
    let mut rows = read(onwards != is_back, place, size + 1)?;
    let has_more = rows.len() > size;
    rows.truncate(size);
    if is_back {
        rows.reverse();
    }
    // Where everything on the page was deleted meanwhile, its edge itself may be the neighbour.
    let of_row = |row: Option<&Entry>, towards: bool| match row {
        Some(row) => position(row).map(Some),
        None => Ok(place.map(|place| beside(place, towards))),
    };
    let (first, last) = (of_row(rows.first(), onwards)?, of_row(rows.last(), !onwards)?);
    let exists = |descending, place: Option<&(V, i64)>| Ok::<_, Error>(!read(descending, place, 1)?.is_empty());
    let has_next = if is_back { exists(onwards, last.as_ref())? } else { has_more };
    let has_previous = match edge {
        Edge::First => false,
        Edge::After(_) => exists(!onwards, first.as_ref())?,
        Edge::Before(_) | Edge::Last => has_more,
    };
    let text = |(value, serial): (V, i64)| format!("{}.{serial}", value.to_text());
    let next = last.filter(|_| has_next).map(text);
    let previous = first.filter(|_| has_previous).map(|place| format!("{BEFORE}{}", text(place)));
    Ok((Page { rows, total, next }, previous))
}

/// The position next to one, so that reading from there in the other direction begins with that one.
fn beside<V: Clone>((value, serial): &(V, i64), descending: bool) -> (V, i64) {
    (value.clone(), if descending { serial - 1 } else { serial + 1 })
}
