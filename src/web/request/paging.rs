//! `page_size` and `cursor`: read, checked and signed. A cursor is valid only for its list, caller and filters
//! (contract section 1, S51).

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;

use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::base::secret::{self, Keys, Purpose};
use crate::base::text;
use crate::base::text::phrase::Phrase;
use crate::model::caller::Caller;
use crate::model::page::{Page, PageRequest};
use crate::ops::app::App;
use crate::web::openapi::doc::Parameter;
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Answer};

const MAX_PAGE: usize = 100;
const DEFAULT_PAGE: usize = 10;
/// Query parameters that change neither the rows of a list nor their order.
const NOT_BOUND: [&str; 3] = ["cursor", "page_size", "fields"];

/// A list with the requested page. Its cursors are signed with `parts`, so that they fit no other list.
pub struct PagedList {
    app: Arc<App>,
    parts: Vec<Vec<u8>>,
    size: Option<i64>,
    cursor: Option<String>,
}

/// The query parameters of every list.
pub fn parameters() -> Vec<Parameter> {
    vec![
        Parameter { name: "page_size", schema: size_schema(), text: "Rows per page." },
        Parameter {
            name: "cursor",
            schema: json!({"type": "string"}),
            text: "The `next_cursor` or `previous_cursor` of another page; absent or empty for the first page.",
        },
    ]
}

/// The schema of `page_size`.
pub fn size_schema() -> Json {
    json!({"type": "integer", "minimum": 1, "maximum": MAX_PAGE, "default": DEFAULT_PAGE})
}

impl PagedList {
    /// The list of this call: its path, the caller, and the effective filters, so that equivalent queries are the
    /// same list.
    pub fn with_filters(call: &Call, caller: &Caller, filters: &[(&str, Option<&str>)]) -> Self {
        let mut list = Self::of_path(call, Some(caller));
        for (key, value) in filters {
            if let Some(value) = value {
                list.parts.push(key.as_bytes().to_vec());
                list.parts.push(value.as_bytes().to_vec());
            }
        }
        list.read_page(call);
        list
    }

    /// The list of this call: its path, the caller, and its query without paging.
    pub fn new(call: &Call, caller: Option<&Caller>) -> Self {
        let mut filters: Vec<(String, String)> = call
            .pairs()
            .filter(|(key, value)| {
                let is_empty = value.is_empty() || value == "[]";
                !NOT_BOUND.contains(&key.as_ref()) && !is_empty
            })
            .map(|(key, value)| (key.into_owned(), value.into_owned()))
            .collect();
        filters.sort();
        let mut list = Self::of_path(call, caller);
        for (key, value) in filters {
            list.parts.push(key.into_bytes());
            list.parts.push(value.into_bytes());
        }
        list.read_page(call);
        list
    }

    /// Reads the requested page from the query.
    fn read_page(&mut self, call: &Call) {
        // Text that is not a number is out of range, like 0.
        self.size = call.query("page_size").map(|text| text.parse().unwrap_or_default());
        self.cursor = call.query("cursor");
    }

    /// The results of a visitor's search, sent in the body or in the address: the path of the search, and the entered
    /// values.
    pub fn of_search(call: &Call, path: &str, values: &Json) -> Self {
        let mut values = sorted(values);
        if let Json::Object(members) = &mut values {
            members.retain(|_, value| {
                let is_blank = value.as_str().is_some_and(text::is_blank);
                !value.is_null() && !is_blank
            });
        }
        let mut list = Self::of_path(call, None);
        list.parts[0] = path.as_bytes().to_vec();
        list.parts.push(values.to_string().into_bytes());
        list
    }

    /// The list of an entry query, sent in the address or in the body: its path, the caller, and the query.
    pub fn of_query(call: &Call, caller: &Caller, query: &Json) -> Self {
        let mut query = sorted(query);
        if let Json::Object(members) = &mut query {
            members.retain(|_, value| {
                let is_empty = value.as_str() == Some("") || *value == json!([]);
                !value.is_null() && !is_empty
            });
        }
        let mut list = Self::of_path(call, Some(caller));
        list.parts.push(query.to_string().into_bytes());
        list
    }

    /// Sets the page that the address asks for.
    pub fn page_in_address(mut self, call: &Call) -> Self {
        self.read_page(call);
        self
    }

    /// Sets the page that the body asks for.
    pub fn page(mut self, size: Option<i64>, cursor: Option<String>) -> Self {
        (self.size, self.cursor) = (size, cursor);
        self
    }

    fn of_path(call: &Call, caller: Option<&Caller>) -> Self {
        let user = caller.map_or(0, |caller| caller.user.id.0);
        Self {
            app: Arc::clone(&call.site.app),
            parts: vec![call.path.as_bytes().to_vec(), user.to_le_bytes().to_vec()],
            size: None,
            cursor: None,
        }
    }

    /// The requested page; 400 for a size out of range or a cursor of another list.
    pub fn request(&self) -> Result<PageRequest> {
        let size = match self.size {
            None => DEFAULT_PAGE,
            Some(size) => usize::try_from(size)
                .ok()
                .filter(|size| (1..=MAX_PAGE).contains(size))
                .ok_or_else(|| Error::BadRequest(format!("page_size must be 1 to {MAX_PAGE}").into()))?,
        };
        let cursor = self.cursor.as_ref().filter(|cursor| !cursor.is_empty());
        let after = match cursor {
            None => None,
            Some(cursor) => Some(
                self.open(cursor)
                    .ok_or_else(|| Error::BadRequest(Phrase::plain("cursor is not valid for this list")))?,
            ),
        };
        Ok(PageRequest { size, after })
    }

    /// The answer with a page of rows in JSON.
    pub fn answer(&self, page: &Page<String>) -> Answer {
        self.answer_with(page, &[])
    }

    /// The same, with numbers beside the rows.
    pub fn answer_with(&self, page: &Page<String>, counts: &[(&str, i64)]) -> Answer {
        let next = self.next_cursor(page).unwrap_or_default();
        reply::page_text(&page.rows, page.total, &next, None, counts)
    }

    /// The answer of a list that is read in both directions, with the place of the page before.
    pub fn answer_both_ways(&self, page: &Page<String>, previous: Option<&str>) -> Answer {
        let next = self.next_cursor(page).unwrap_or_default();
        let previous = self.previous_cursor(previous).unwrap_or_default();
        reply::page_text(&page.rows, page.total, &next, Some(&previous), &[])
    }

    /// The cursor of the page before; `None` on the first one.
    pub fn previous_cursor(&self, previous: Option<&str>) -> Option<String> {
        previous.map(|place| self.seal(place))
    }

    /// The cursor of the next page; `None` on the last one.
    pub fn next_cursor<T>(&self, page: &Page<T>) -> Option<String> {
        page.next.as_ref().map(|next| self.seal(next))
    }

    fn seal(&self, place: &str) -> String {
        seal(self.app.keys(), &self.parts, place)
    }

    fn open(&self, cursor: &str) -> Option<String> {
        open(self.app.keys(), &self.parts, cursor)
    }
}

fn seal(keys: &Keys, parts: &[Vec<u8>], place: &str) -> String {
    URL_SAFE_NO_PAD.encode(format!("{}.{place}", sign(keys, parts, place)))
}

fn open(keys: &Keys, parts: &[Vec<u8>], cursor: &str) -> Option<String> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    let (signature, place) = text.split_once('.')?;
    let known = sign(keys, parts, place);
    secret::same(known.as_bytes(), signature.as_bytes()).then(|| place.to_owned())
}

fn sign(keys: &Keys, parts: &[Vec<u8>], place: &str) -> String {
    let mut signed: Vec<&[u8]> = vec![place.as_bytes()];
    signed.extend(parts.iter().map(Vec::as_slice));
    keys.sign(Purpose::Cursor, &signed)
}

/// Sorts the members of every object: their order in a body does not matter.
fn sorted(value: &Json) -> Json {
    match value {
        Json::Object(members) => {
            let mut members: Vec<(&String, &Json)> = members.iter().collect();
            members.sort_by_key(|(key, _)| *key);
            let sorted = members.into_iter();
            Json::Object(sorted.map(|(key, value)| (key.clone(), self::sorted(value))).collect())
        }
        Json::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;

    fn parts() -> impl Strategy<Value = Vec<Vec<u8>>> {
        prop::collection::vec(prop::collection::vec(any::<u8>(), 0..10), 0..5)
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn a_cursor_leads_back_to_its_place_in_its_own_list(
            place in any::<String>(), own in parts(), other in parts(),
        ) {
            let keys = Keys::new([7; 32]);
            let cursor = seal(&keys, &own, &place);
            prop_assert_eq!(open(&keys, &own, &cursor), Some(place));
            prop_assert_eq!(open(&keys, &other, &cursor).is_some(), own == other);
        }

        #[test]
        fn what_we_did_not_write_leads_nowhere(
            cursor in prop_oneof![
                any::<String>(),
                "[A-Za-z0-9_-]{0,80}",
                any::<Vec<u8>>().prop_map(|bytes| URL_SAFE_NO_PAD.encode(bytes)),
            ],
            own in parts(),
        ) {
            prop_assert_eq!(open(&Keys::new([7; 32]), &own, &cursor), None);
        }

        #[test]
        fn a_cursor_that_was_changed_leads_nowhere(
            place in "[0-9.]{1,30}", own in parts(), at in any::<prop::sample::Index>(), with in "[A-Za-z0-9_-]",
        ) {
            let keys = Keys::new([7; 32]);
            let cursor = seal(&keys, &own, &place);
            let at = at.index(cursor.len());
            let changed = [&cursor[..at], &with, &cursor[at + 1..]].concat();
            prop_assert_eq!(open(&keys, &own, &changed).is_some(), changed == cursor);
        }
    }
}
