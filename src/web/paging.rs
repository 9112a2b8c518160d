//! `page_size` and `cursor`: read, checked and signed. A cursor is bound to its list, caller and
//! filters (contract section 1, S51).

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;

use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::base::secret::{self, Keys, Purpose};
use crate::model::caller::Caller;
use crate::model::page::{Page, PageRequest};
use crate::ops::App;
use crate::web::call::Call;
use crate::web::openapi::doc::Parameter;
use crate::web::reply::{self, Answer};

const MAX_PAGE: usize = 100;
const DEFAULT_PAGE: usize = 10;
/// What of a question says nothing of which rows the list has, nor of their order.
const BESIDE: [&str; 3] = ["cursor", "page_size", "fields"];

/// What a list is bound to: a cursor of one is of no use in another.
pub struct Bound {
    app: Arc<App>,
    parts: Vec<Vec<u8>>,
    size: Option<i64>,
    cursor: Option<String>,
}

/// What every list takes in its query.
pub fn parameters() -> Vec<Parameter> {
    vec![
        Parameter {
            name: "page_size",
            schema: size_schema(),
            text: "Rows per page.",
        },
        Parameter {
            name: "cursor",
            schema: json!({"type": "string"}),
            text: "The previous page's `next_cursor`; absent or empty for the first page.",
        },
    ]
}

/// What `page_size` may be.
pub fn size_schema() -> Json {
    json!({"type": "integer", "minimum": 1, "maximum": MAX_PAGE, "default": DEFAULT_PAGE})
}

impl Bound {
    /// The list of this call: its path, who asks, and what of the query is looked at, as it counts: another
    /// way to ask for the same rows in the same order asks for the same list.
    pub fn over(call: &Call, caller: &Caller, filters: &[(&str, Option<&str>)]) -> Self {
        let mut bound = Self::of_path(call, Some(caller));
        for (key, value) in filters {
            if let Some(value) = value {
                bound.parts.push(key.as_bytes().to_vec());
                bound.parts.push(value.as_bytes().to_vec());
            }
        }
        bound.ask(call);
        bound
    }

    /// The list of this call: its path, its query without paging, and who asks.
    pub fn new(call: &Call, caller: Option<&Caller>) -> Self {
        let mut filters: Vec<(String, String)> = call
            .pairs()
            .filter(|(key, value)| {
                let is_empty = value.is_empty() || value == "[]";
                !BESIDE.contains(&key.as_ref()) && !is_empty
            })
            .map(|(key, value)| (key.into_owned(), value.into_owned()))
            .collect();
        filters.sort();
        let mut bound = Self::of_path(call, caller);
        for (key, value) in filters {
            bound.parts.push(key.into_bytes());
            bound.parts.push(value.into_bytes());
        }
        bound.ask(call);
        bound
    }

    /// Takes from the query which page is asked for.
    fn ask(&mut self, call: &Call) {
        // Text that is no number is out of range like 0.
        self.size = call
            .query("page_size")
            .map(|text| text.parse().unwrap_or_default());
        self.cursor = call.query("cursor");
    }

    /// The list that answers a question, wherever it stands in the call: its path, the question, and who asks.
    pub fn of_question(call: &Call, caller: &Caller, question: &Json) -> Self {
        let mut question = sorted(question);
        if let Json::Object(members) = &mut question {
            members.retain(|_, value| {
                let is_empty = value.as_str() == Some("") || *value == json!([]);
                !value.is_null() && !is_empty
            });
        }
        let mut bound = Self::of_path(call, Some(caller));
        bound.parts.push(question.to_string().into_bytes());
        bound
    }

    /// The page that the query asks for.
    pub fn page_of_query(mut self, call: &Call) -> Self {
        self.ask(call);
        self
    }

    /// The page that a body asks for.
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

    /// What is asked for.
    ///
    /// # Errors
    /// 400 for a size out of range or a cursor that was not made for this list.
    pub fn request(&self) -> Result<PageRequest> {
        let size = match self.size {
            None => DEFAULT_PAGE,
            Some(size) => usize::try_from(size)
                .ok()
                .filter(|size| (1..=MAX_PAGE).contains(size))
                .ok_or_else(|| Error::BadRequest(format!("page_size must be 1 to {MAX_PAGE}")))?,
        };
        let cursor = self.cursor.as_ref().filter(|cursor| !cursor.is_empty());
        let after = match cursor {
            None => None,
            Some(cursor) => Some(self.open(cursor).ok_or_else(|| {
                Error::BadRequest("cursor is not valid for this list".to_owned())
            })?),
        };
        Ok(PageRequest { size, after })
    }

    /// The answer of a page whose rows are JSON text.
    pub fn answer(&self, page: &Page<String>) -> Answer {
        let next = self.next_cursor(page).unwrap_or_default();
        reply::page_text(&page.rows, page.total, &next)
    }

    /// The cursor of the page behind this one; none on the last.
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

/// The same with the members of every object in order: how a body is written makes no other list of it.
fn sorted(value: &Json) -> Json {
    match value {
        Json::Object(members) => {
            let mut members: Vec<(&String, &Json)> = members.iter().collect();
            members.sort_by_key(|(key, _)| *key);
            let sorted = members.into_iter();
            Json::Object(
                sorted
                    .map(|(key, value)| (key.clone(), self::sorted(value)))
                    .collect(),
            )
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
