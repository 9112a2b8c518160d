//! Values that are lists of lines, such as orders and bookings. Each line names an item by its `api_code`.

use crate::base::json::Json;

/// Item and quantity of a line of any kind. A member that is missing or of another type is `None`.
#[derive(Default)]
pub struct Quantity<'v> {
    pub api_code: Option<&'v str>,
    pub number: Option<u64>,
}

impl<'v> Quantity<'v> {
    /// Decodes a stored line.
    pub fn of(line: &'v Json) -> Self {
        let mut own = Self::default();
        for (name, value) in line.as_object().into_iter().flatten() {
            match name.as_str() {
                "api_code" => own.api_code = value.as_str(),
                "number" => own.number = value.as_u64(),
                _ => {}
            }
        }
        own
    }
}

/// The lines of a value.
pub fn of(value: &Json) -> impl Iterator<Item = &Json> {
    value.as_array().into_iter().flatten()
}

/// The items that the lines name.
pub fn codes(stored: &Json) -> Vec<&str> {
    of(stored).filter_map(|line| Quantity::of(line).api_code).collect()
}
