//! The values that a visitor enters on the page of a public query: parameters of its address, by api_code.

use crate::base::json::Json;
use crate::ops::queries::search::SearchValues;
use crate::web::request::call::Call;

/// Parameters that are no fields.
const OTHERS: [&str; 4] = ["cursor", "page_size", "format", "proof"];
/// So many are read (S49).
const MOST: usize = 200;

/// The fields among the parameters of the address; for a repeated one, the last that is not blank.
pub fn of_address(call: &Call) -> SearchValues {
    let mut given = SearchValues::new();
    let pairs = call.pairs().filter(|(key, _)| !OTHERS.contains(&key.as_ref()));
    for (key, value) in pairs.take(MOST) {
        if !value.is_empty() || !given.contains_key(key.as_ref()) {
            given.insert(key.into_owned(), Json::from(value.into_owned()));
        }
    }
    given
}
