//! What conditions on a kind look like, for people who read of them (spec 2.6).

use crate::fields::cond::Op;
use crate::fields::kind::Kind;

/// What the values of conditions on a kind look like; none where there are no conditions on it.
pub fn values_of(name: &str, kind: &dyn Kind) -> Option<&'static str> {
    let own = match name {
        "checkbox" | "image_checkbox" => {
            "A choice's `api_code`. `eq` and `ne` take a list of them, which the chosen ones must equal as a set; \
             `any_in` finds those that merely include one. `like` looks at what the choices are called."
        }
        "dropdown" | "radio" | "image_radio" => {
            "A choice's `api_code`; `like` looks at what the choice is called."
        }
        "cascade" => {
            "An object of `level_1` and the levels below it: a part of the path finds all below it. `like` looks at \
             what the levels are called."
        }
        "address" => {
            "An object of some of `address_line1`, `address_line2`, `city`, `state`, `postal_code` and `country`: \
             those that are given must be equal. `like` looks at the whole address."
        }
        "product" => {
            "A list of products: each an `api_code`, or `{\"api_code\": …, \"specs\": [\"large\"]}` with options \
             that a line must have. `like` looks at what they are called."
        }
        "booking" => {
            "An item's `api_code`, or a date or date-time, which asks for what is reserved then: the value tells \
             which of them is meant."
        }
        "attachment" => "`like` looks at the files' names.",
        "signature" => "None: a signature is there or not.",
        "time" => "`HH:MM` or `HH:MM:SS`.",
        "table" | "matrix" => "By its columns: `field_1.field_2`. Any row's cell will do.",
        "linked_form" => "By what the linked entry has: `field_1_associated_field_2`.",
        "formula" => "As its result: a number, a text or a date.",
        _ => match kind.operators() {
            operators if operators == Op::TEXT => {
                "A text: case and width don't count, and no sign is special."
            }
            operators if operators == Op::NUMBER => "A number.",
            operators if operators == Op::SCORE => "A whole number.",
            operators if operators == Op::DATE => {
                "A date or date-time of ISO 8601. Without an offset it is of the form's timezone; a day or month \
                 alone means the whole of it. `like` looks at its text."
            }
            _ => return None,
        },
    };
    Some(own)
}
