//! What buttons do with the parts of a question: adding, removing, moving and sorting them.

use serde_json::json;

use crate::base::json::Json;
use crate::base::text;
use crate::fields::panel::line_of;

/// Does what a button is called in a definition: `choices.add`, `choices[2].remove`, `choices[2].up`, `choices[2].down`,
/// `choices.sort`, `choices.reverse`. Whether there was something to do.
pub fn act(definition: &mut Json, action: &str) -> bool {
    let Some((place, verb)) = action.rsplit_once('.') else {
        return false;
    };
    let (key, at) = match place.split_once('[') {
        Some((key, at)) => (key, at.trim_end_matches(']').parse::<usize>().ok()),
        None => (place, None),
    };
    let Some(items) = definition.get_mut(key).and_then(Json::as_array_mut) else {
        return false;
    };
    match (verb, at) {
        ("add", None) => items.push(json!({"label": ""})),
        ("remove", Some(at)) if at < items.len() => drop(items.remove(at)),
        ("up", Some(at)) if at > 0 && at < items.len() => items.swap(at, at - 1),
        ("down", Some(at)) if at + 1 < items.len() => items.swap(at, at + 1),
        ("sort", None) => items.sort_by_cached_key(|item| text::fold(line_of(item))),
        ("reverse", None) => items.reverse(),
        _ => return false,
    }
    true
}
