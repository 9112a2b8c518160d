//! Members of a request for an entry that nothing takes. They are dropped, but not silently: a misspelt key must not
//! lose an answer.

use std::collections::HashMap;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::json::unknown_members::{self, UNKNOWN};
use crate::base::reason::Reason;
use crate::fields::kind::Cx;
use crate::fields::values::Values;
use crate::fields::{Field, Fields, system};

/// The keys that the fields of a form take.
pub struct KnownValues<'f> {
    fields: &'f Fields,
    /// The write and the read shape of a field's values, by its position, made when one has members of its own.
    shapes: HashMap<usize, [Json; 2]>,
}

impl<'f> KnownValues<'f> {
    pub fn of(fields: &'f Fields) -> Self {
        Self { fields, shapes: HashMap::new() }
    }

    /// Reports what is ignored of `field_values`; `at` stands there. To respondents, hidden fields are unknown.
    pub fn report(&mut self, given: &Values, cx: &Cx, at: &mut Issues) {
        for (key, value) in given {
            let place = self.fields.position(key);
            let field = place.and_then(|place| self.fields.at(place)).filter(|field| !(field.hidden && cx.respondent));
            match (place, field) {
                (Some(place), Some(field)) if field.kind.has_value() && field.is_given(cx) => {
                    if has_members(value) {
                        at.key(key, |at| self.report_members(place, field, value, at));
                    }
                }
                // A null from a read may be sent back.
                (_, Some(_)) if value.is_null() => {}
                (_, Some(_)) => at.push_at(key, Reason::other("can't be set")),
                (_, None) if system::by_name(key).is_some() => at.push_at(key, Reason::other("can't be set")),
                (_, None) => at.push_at(key, UNKNOWN),
            }
        }
    }

    fn report_members(&mut self, place: usize, field: &Field, value: &Json, at: &mut Issues) {
        let shapes = self.shapes.entry(place).or_insert_with(|| [field.kind.write_schema(), field.kind.read_schema()]);
        let [write, read] = shapes;
        unknown_members::report(value, &[write, read], &Json::Null, at);
    }
}

/// Whether a value is an object, or a list with one.
fn has_members(value: &Json) -> bool {
    match value {
        Json::Object(_) => true,
        Json::Array(items) => items.iter().any(has_members),
        _ => false,
    }
}
