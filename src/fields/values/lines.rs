//! Values that are lists of lines, such as orders and bookings. Each line names an item by its `api_code`.

use crate::base::json::Json;

/// The lines of a value.
pub fn of(value: &Json) -> impl Iterator<Item = &Json> {
    value.as_array().into_iter().flatten()
}

/// The items that the lines name.
pub fn codes(stored: &Json) -> Vec<&str> {
    of(stored).filter_map(|line| line["api_code"].as_str()).collect()
}
