//! Which columns of a form have segments: all that a condition can name. A linked field's column holds the link alone:
//! conditions on the linked entry are answered by its own form.

use sha2::{Digest as _, Sha256};

use crate::fields::filter::cond::Key;
use crate::fields::filter::subject::{Question, Subject};
use crate::fields::kind::{Cx, Plain};
use crate::fields::values::Values;
use crate::fields::{Fields, system};
use crate::model::entry::Entry;
use crate::query::segments::FORMAT;

/// The system fields that have columns; a serial number needs none.
const SYSTEM: [&str; 2] = ["created_at", "updated_at"];

/// A column of a form.
#[derive(Clone, Debug)]
pub struct Column {
    /// The name in conditions: `field_3`, `field_3.field_1`, `created_at`.
    pub name: String,
    /// Differs whenever the same entry might have other keys here: after a change of the field, of the form's timezone
    /// or language, or of the program.
    pub mark: i64,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Cells(Subject),
    /// The link of the field at this place.
    Link(usize),
}

pub fn columns(fields: &Fields, cx: &Cx) -> Vec<Column> {
    let mut out = Vec::new();
    for (place, field) in fields.iter().enumerate() {
        let definition = || field.to_stored().to_string();
        let question = |column: Option<String>| What::Cells(Subject::Question(Question { place, column }));
        if field.kind.link_rules().is_some() {
            out.push(column(field.api_code.clone(), &definition(), What::Link(place), cx));
        } else if !field.kind.operators().is_empty() {
            out.push(column(field.api_code.clone(), &definition(), question(None), cx));
        }
        let inner = field.kind.sub_fields().iter();
        for sub in inner.filter(|sub| !sub.kind.operators().is_empty()) {
            let name = format!("{}.{}", field.api_code, sub.api_code);
            let what = question(Some(sub.api_code.clone()));
            out.push(column(name, &definition(), what, cx));
        }
    }
    for field in SYSTEM.iter().filter_map(|name| system::by_name(name)) {
        let what = What::Cells(Subject::System(field));
        out.push(column(field.name.to_owned(), "", what, cx));
    }
    out
}

fn column(name: String, definition: &str, what: What, cx: &Cx) -> Column {
    let mut hash = Sha256::new();
    let timezone = cx.timezone.iana_name().unwrap_or_default();
    let format = FORMAT.to_string();
    for part in [env!("CARGO_PKG_VERSION"), &format, timezone, cx.locale, &name, definition] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let hash: [u8; 32] = hash.finalize().into();
    let mut mark = [0; 8];
    mark.copy_from_slice(&hash[..8]);
    Column { name, mark: i64::from_le_bytes(mark), what }
}

impl Column {
    /// The keys that a segment stores for an entry.
    pub fn cells(&self, fields: &Fields, entry: &Entry, values: &Values, cx: &Cx) -> Vec<Vec<Key>> {
        match &self.what {
            What::Cells(subject) => subject.cells(fields, entry, values, cx),
            What::Link(place) => link(fields, *place, values).into_iter().collect(),
        }
    }

    /// The place of the field that its keys are made from; `None` for a system field.
    pub fn place(&self) -> Option<usize> {
        match &self.what {
            What::Cells(subject) => subject.place(),
            What::Link(place) => Some(*place),
        }
    }

    /// How keys follow from the JSON text of a value, where they do.
    pub(super) fn plain(&self, fields: &Fields) -> Option<Plain> {
        let What::Cells(Subject::Question(Question { place, column: None })) = &self.what else {
            return None;
        };
        let field = fields.at(*place).filter(|field| field.splices())?;
        field.kind.plain()
    }

    /// Whether conditions on this subject are answered by this column.
    pub fn is_of(&self, subject: &Subject) -> bool {
        matches!(&self.what, What::Cells(own) if own == subject)
    }

    /// Whether the column holds the links of the field at a place.
    pub fn is_link_at(&self, place: usize) -> bool {
        matches!(self.what, What::Link(own) if own == place)
    }
}

/// The serial number of the linked entry; where the link leads to another form than the field's today, a code, with
/// which the rows of the block are unknown.
fn link(fields: &Fields, place: usize, values: &Values) -> Option<Vec<Key>> {
    let field = fields.at(place)?;
    let stored = values.get(&field.api_code)?;
    let rules = field.kind.link_rules()?;
    let links = field.kind.links(stored);
    let first = links.first()?;
    let serial = stored["serial_number"].as_i64().filter(|serial| (0..1 << 32).contains(serial));
    Some(vec![match serial {
        // Below 2^32, so exact.
        Some(serial) if first.form == rules.form_token => Key::Number(serial as f64),
        _ => Key::Code(String::new()),
    }])
}
