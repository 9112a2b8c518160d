//! What conditions on a kind look like, for people who read of them (spec 2.6).

use crate::fields::cond::Op;
use crate::fields::kind::Kind;

/// What the values of conditions on a kind look like; none where there are no conditions on it.
pub fn values_of(name: &str, kind: &dyn Kind) -> Option<&'static str> {
    let own = match name {
        "checkbox" | "image_checkbox" => {
            "A choice's `api_code`. `eq` and `ne` take a list, which must equal the selected choices as a set; `any_in` finds entries that include at least one. `like` searches the labels."
        }
        "dropdown" | "radio" | "image_radio" => "A choice's `api_code`; `like` searches the label.",
        "cascade" => {
            "An object of `level_1` and the levels below it; a partial path finds everything below it. `like` searches the labels of all levels."
        }
        "address" => {
            "An object of any of `address_line1`, `address_line2`, `city`, `state`, `postal_code` and `country`; the given parts must be equal. `like` searches the whole address."
        }
        "product" => {
            "A list of products: each an `api_code`, or `{\"api_code\": …, \"specs\": [\"large\"]}` with options that a line must have. `like` searches the names."
        }
        "booking" => {
            "An item's `api_code`, or a date or date-time of the booking; which one is meant follows from the value."
        }
        "attachment" => "`like` searches the file names.",
        "signature" => "No value: whether there is a signature.",
        "time" => "`HH:MM` or `HH:MM:SS`.",
        "table" | "matrix" => "Filter its columns: `field_1.field_2`. One matching row is enough.",
        "linked_form" => "Filter the linked entry's fields: `field_1_associated_field_2`.",
        "formula" => "Like its result: a number, a text or a date.",
        _ => match kind.operators() {
            operators if operators == Op::TEXT => {
                "A text; ignores case and character width, without wildcards."
            }
            operators if operators == Op::NUMBER => "A number.",
            operators if operators == Op::SCORE => "A whole number.",
            operators if operators == Op::DATE => {
                "A date or date-time in ISO 8601. Without an offset it is in the form's time zone; a day or month means the whole day or month. `like` searches its text."
            }
            _ => return None,
        },
    };
    Some(own)
}
