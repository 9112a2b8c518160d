//! Subjects of conditions, and the keys of their cells in an entry.

use crate::fields::filter::cond::Key;
use crate::fields::kind::{Cx, Kind};
use crate::fields::links::Link;
use crate::fields::links::associated::{self, Associated};
use crate::fields::system::{self, SystemField};
use crate::fields::values::{self, Values};
use crate::fields::{Field, Fields};
use crate::model::entry::Entry;

/// The subject of a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// A question of the form, or a column of one.
    Question(Question),
    /// A property that every entry has.
    System(&'static SystemField),
    /// A field of the form that a question links to.
    Linked(Linked),
}

/// A question of the form, or a column of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The field's position in the form.
    pub place: usize,
    /// The column, by its own name.
    pub column: Option<String>,
}

/// A field of the form that a question links to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linked {
    /// The linking field's position in the form.
    pub place: usize,
    /// The field's name there.
    pub code: String,
}

impl Subject {
    /// The subject of a name. The linked forms must have been looked up (`cx.found`).
    pub fn find(fields: &Fields, name: &str, cx: &Cx) -> Option<Self> {
        if let Some(question) = Question::find(fields, name) {
            return Some(Self::Question(question));
        }
        if let Some(linked) = associated::find(fields, cx.found, name) {
            return Some(Self::Linked(Linked {
                place: fields.position(&linked.field.api_code)?,
                code: linked.sub.code().to_owned(),
            }));
        }
        system::by_name(name).map(Self::System)
    }

    /// The kind of its values.
    pub fn kind<'f>(&self, fields: &'f Fields, cx: &'f Cx) -> Option<&'f dyn Kind> {
        match self {
            Self::Question(question) => question.asked(fields).map(|field| field.kind.as_ref()),
            Self::System(field) => Some(field.kind),
            Self::Linked(linked) => Some(linked.find(fields, cx)?.sub.kind()),
        }
    }

    /// The question whose stored value it looks into; none where it looks at the entry's row.
    pub fn place(&self) -> Option<usize> {
        match self {
            Self::Question(question) => Some(question.place),
            Self::Linked(linked) => Some(linked.place),
            Self::System(_) => None,
        }
    }

    /// The keys of each cell that an entry has of it; blank cells may be left out. Of entries that are
    /// linked to, it sees those that were looked up.
    pub fn cells(&self, fields: &Fields, entry: &Entry, values: &Values, cx: &Cx) -> Vec<Vec<Key>> {
        match self {
            Self::Question(question) => question.cells(fields, values, cx),
            Self::System(field) => vec![field.kind.keys(&field.stored(entry, cx), cx)],
            Self::Linked(linked) => {
                let found = linked.find(fields, cx);
                let keys = found.map(|it| it.keys(values.get(&it.field.api_code), cx));
                keys.into_iter().collect()
            }
        }
    }

    /// The entry of another form that it looks into.
    pub fn links(&self, fields: &Fields, values: &Values) -> Vec<Link> {
        let Self::Linked(linked) = self else {
            return Vec::new();
        };
        let field = fields.at(linked.place);
        let stored = field.and_then(|field| Some((field, values.get(&field.api_code)?)));
        stored.map_or_else(Vec::new, |(field, stored)| field.kind.links(stored))
    }
}

impl Question {
    /// The question of that name: `field_3`, or `field_3.field_1` for a column.
    pub fn find(fields: &Fields, name: &str) -> Option<Self> {
        if let Some(place) = fields.position(name) {
            return Some(Self { place, column: None });
        }
        let (outer, inner) = name.split_once('.')?;
        let place = fields.position(outer)?;
        let column = column(fields.at(place)?, inner)?;
        Some(Self { place, column: Some(column.api_code.clone()) })
    }

    /// The field or the column: what its values are and mean.
    pub fn asked<'f>(&self, fields: &'f Fields) -> Option<&'f Field> {
        let field = fields.at(self.place)?;
        match &self.column {
            None => Some(field),
            Some(code) => column(field, code),
        }
    }

    /// The keys of each cell that these values have of it, as today's definition understands them.
    pub fn cells(&self, fields: &Fields, values: &Values, cx: &Cx) -> Vec<Vec<Key>> {
        let Some(field) = fields.at(self.place) else {
            return Vec::new();
        };
        let stored = values.get(&field.api_code);
        let Some(stored) = stored.and_then(|stored| values::as_today(field, stored, cx)) else {
            return Vec::new();
        };
        let Some(code) = &self.column else {
            return vec![field.kind.keys(&stored, cx)];
        };
        let Some(column) = column(field, code) else {
            return Vec::new();
        };
        let cells = field.kind.cells(&stored, code).into_iter();
        cells.map(|cell| column.kind.keys(cell, cx)).collect()
    }
}

impl Linked {
    fn find<'f>(&self, fields: &'f Fields, cx: &'f Cx) -> Option<Associated<'f>> {
        associated::of_field(fields.at(self.place)?, cx.found, &self.code)
    }
}

fn column<'f>(field: &'f Field, code: &str) -> Option<&'f Field> {
    let mut columns = field.kind.sub_fields().iter();
    columns.find(|column| column.api_code == code)
}
