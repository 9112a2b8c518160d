//! Conditions as people write them, `{field, operator, value}` (spec 2.6), made into what can be asked
//! of an entry's values. What a condition means is said in `cond`.

use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::fields::cond::{Cond, Key, Op};
use crate::fields::kind::Cx;
use crate::fields::values::Values;
use crate::fields::{Field, Fields};

/// A condition over one field, or one column of it.
#[derive(Clone, Debug)]
pub struct Condition {
    /// Where the field stands in the form.
    pub field: usize,
    /// The column, by its own name.
    pub column: Option<String>,
    /// What must hold.
    pub cond: Cond,
}

impl Condition {
    /// Reads a condition.
    ///
    /// # Errors
    /// A fault at `field`, `operator` or `value`.
    pub fn read(
        fields: &Fields,
        field: &str,
        operator: &str,
        value: &Json,
        cx: &Cx,
    ) -> Result<Self, Issue> {
        let fault = |attribute: &str, message: String| Issue {
            attribute: attribute.to_owned(),
            message,
        };
        let Some((place, column)) = find(fields, field) else {
            return Err(fault("field", "is not a field of this form".to_owned()));
        };
        let asked = match column.or_else(|| fields.at(place)) {
            Some(asked) => &asked.kind,
            None => return Err(fault("field", "is not a field of this form".to_owned())),
        };
        let allowed = asked.operators();
        let Some(op) = Op::by_name(operator).filter(|op| allowed.contains(op)) else {
            if allowed.is_empty() {
                return Err(fault("field", "can't be used in a condition".to_owned()));
            }
            let names: Vec<_> = allowed.iter().map(|op| op.name()).collect();
            let message = format!("must be one of {}", names.join(", "));
            return Err(fault("operator", message));
        };
        Ok(Self {
            field: place,
            column: column.map(|column| column.api_code.clone()),
            cond: asked.condition(op, value, cx)?,
        })
    }

    /// Whether it holds for an entry's values.
    pub fn holds(&self, fields: &Fields, values: &Values, cx: &Cx) -> bool {
        let Some(field) = fields.at(self.field) else {
            return false;
        };
        let stored = values.get(&field.api_code);
        let Some(code) = &self.column else {
            let keys = stored.map_or_else(Vec::new, |stored| field.kind.keys(stored, cx));
            return self.cond.holds(&keys);
        };
        let Some(column) = column(field, code) else {
            return false;
        };
        let cells = stored.map_or_else(Vec::new, |stored| field.kind.cells(stored, code));
        let keys: Vec<Vec<Key>> = cells
            .into_iter()
            .map(|cell| column.kind.keys(cell, cx))
            .collect();
        holds_in_cells(&self.cond, &keys)
    }
}

/// Where the field that a condition names stands; none where there is no such field or column.
pub fn place(fields: &Fields, code: &str) -> Option<usize> {
    find(fields, code).map(|(place, _)| place)
}

/// The field of an api_code, or `field_N.field_M`'s, with the column.
fn find<'f>(fields: &'f Fields, code: &str) -> Option<(usize, Option<&'f Field>)> {
    if let Some(place) = fields.position(code) {
        return Some((place, None));
    }
    let (outer, inner) = code.split_once('.')?;
    let place = fields.position(outer)?;
    let column = column(fields.at(place)?, inner)?;
    Some((place, Some(column)))
}

fn column<'f>(field: &'f Field, code: &str) -> Option<&'f Field> {
    let mut columns = field.kind.sub_fields().iter();
    columns.find(|column| column.api_code == code)
}

/// Of several cells one is enough; the opposite means that none is, and null that all are empty.
fn holds_in_cells(cond: &Cond, cells: &[Vec<Key>]) -> bool {
    match cond {
        Cond::Null => cells.iter().all(Vec::is_empty),
        Cond::Not(inner) => !holds_in_cells(inner, cells),
        Cond::Both(a, b) => holds_in_cells(a, cells) && holds_in_cells(b, cells),
        Cond::Any(several) => several.iter().any(|cond| holds_in_cells(cond, cells)),
        one => cells.iter().any(|keys| one.holds(keys)),
    }
}
