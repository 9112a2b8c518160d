//! A field of a form, and all fields of one.

use std::collections::HashMap;

use serde_json::{Map, json};

use crate::base::json::Json;
use crate::base::text;
use crate::fields::kind::{Cx, Kind, KindRow};
use crate::fields::values::formula::Formula;

/// Most fields a form may have.
pub const MAX_FIELDS: usize = 500;

/// One field of a form: the properties of all fields, and its kind.
pub struct Field {
    /// `field_N`.
    pub api_code: String,
    /// The question. Empty only if the kind allows that.
    pub label: String,
    /// Help under the label: sanitised rich text.
    pub notes: Option<String>,
    /// Whether a respondent must answer.
    pub required: bool,
    /// Hidden from respondents, writable by collaborators.
    pub hidden: bool,
    /// Shown in an empty control.
    pub placeholder: Option<String>,
    /// In the write shape; `today` and `now` for dates.
    pub default_value: Option<Json>,
    /// No two live entries have the same value.
    pub unique: bool,
    /// The kind's row in the table.
    pub row: &'static KindRow,
    /// The kind with its own settings.
    pub kind: Box<dyn Kind>,
    /// Earlier forms of stored values: other types and precisions.
    pub past: Vec<String>,
    /// Codes of removed items, which are never reused.
    pub retired: Vec<String>,
}

impl Field {
    /// N of `field_N`: the number under which the store keeps the field's keys.
    pub fn number(&self) -> u32 {
        number_of(&self.api_code).unwrap_or_default()
    }

    /// Whether an answer can be there before anybody answers.
    pub fn takes_default(&self) -> bool {
        self.kind.has_value() && self.kind.is_written() && !self.kind.has_files()
    }

    /// Whether the caller may write values.
    pub fn is_given(&self, cx: &Cx) -> bool {
        self.kind.is_written() || (cx.found.files.by_page && self.kind.comes_by_page())
    }

    /// The owner's description of the expected format, for people who have not answered yet; `None` if label or notes
    /// contain it already.
    pub fn format_hint(&self) -> Option<String> {
        let wanted = self.kind.format_hint()?;
        let is_in = |said: &str| text::fold(said).contains(&text::fold(wanted.trim_end_matches('.')));
        let is_said = is_in(&self.label) || self.notes.as_deref().is_some_and(is_in);
        (!is_said).then(|| text::capitalized(wanted))
    }

    /// Whether stored JSON text of this field is its read shape.
    pub fn splices(&self) -> bool {
        self.past.is_empty() && self.retired.is_empty() && self.kind.reads_as_stored()
    }

    /// The definition in the API (contract 3.1).
    pub fn to_json(&self) -> Json {
        let own = self.kind.as_json();
        let mut out = self.header();
        if self.unique {
            out.insert("unique".to_owned(), json!(true));
        }
        extend(&mut out, own);
        Json::Object(out)
    }

    /// The stored form: the API's shape with internal data.
    pub fn to_stored(&self) -> Json {
        let mut out = self.to_json();
        if let Json::Object(map) = &mut out {
            extend(map, self.kind.to_stored());
            put_unless_empty(map, "past", &self.past);
            put_unless_empty(map, "retired", &self.retired);
        }
        out
    }

    /// The definition for respondents: no scores, answers or quotas.
    pub fn for_respondent(&self) -> Json {
        let mut out = self.header();
        out.shift_remove("hidden");
        extend(&mut out, self.kind.for_respondent());
        Json::Object(out)
    }

    fn header(&self) -> Map<String, Json> {
        let mut out = Map::new();
        out.insert("api_code".to_owned(), json!(self.api_code));
        out.insert("type".to_owned(), json!(self.row.name));
        out.insert("label".to_owned(), json!(self.label));
        if let Some(notes) = &self.notes {
            out.insert("notes".to_owned(), json!(notes));
        }
        if self.kind.has_value() {
            out.insert("required".to_owned(), json!(self.required));
        }
        out.insert("hidden".to_owned(), json!(self.hidden));
        if let Some(placeholder) = &self.placeholder {
            out.insert("placeholder".to_owned(), json!(placeholder));
        }
        if let Some(value) = &self.default_value {
            out.insert("default_value".to_owned(), value.clone());
        }
        out
    }
}

fn extend(out: &mut Map<String, Json>, own: Json) {
    if let Json::Object(own) = own {
        out.extend(own);
    }
}

fn put_unless_empty(map: &mut Map<String, Json>, key: &str, list: &[String]) {
    if !list.is_empty() {
        map.insert(key.to_owned(), json!(list));
    }
}

/// N of `field_N`.
pub fn number_of(api_code: &str) -> Option<u32> {
    api_code.strip_prefix("field_")?.parse().ok()
}

/// All fields of a form, in the form's order.
pub struct Fields {
    list: Vec<Field>,
    by_code: HashMap<String, usize>,
    /// Under each field's place, its number.
    numbers: Vec<u32>,
}

impl Fields {
    /// Takes a checked list over.
    pub fn new(list: Vec<Field>) -> Self {
        let by_code = list.iter().enumerate().map(|(i, field)| (field.api_code.clone(), i)).collect();
        let numbers = list.iter().map(Field::number).collect();
        Self { list, by_code, numbers }
    }

    /// In the form's order.
    pub fn iter(&self) -> std::slice::Iter<'_, Field> {
        self.list.iter()
    }

    /// The fields that entries have values of.
    pub fn with_values(&self) -> impl Iterator<Item = &Field> {
        self.list.iter().filter(|field| field.kind.has_value())
    }

    /// Fields whose values link to entries of other forms.
    pub fn linking(&self) -> impl Iterator<Item = &Field> {
        self.list.iter().filter(|field| field.kind.link_rules().is_some())
    }

    /// The field of that name.
    pub fn get(&self, api_code: &str) -> Option<&Field> {
        self.by_code.get(api_code).map(|i| &self.list[*i])
    }

    /// The definitions for respondents: no hidden field, and no formula that reveals one or a score (S43).
    pub fn for_respondent(&self) -> Vec<Json> {
        let tells = |formula: &Formula| {
            let mut read = formula.fields().into_iter();
            formula.reads_scores() || !read.all(|code| self.get(code).is_some_and(|f| !f.hidden))
        };
        let shown = self.list.iter().filter(|field| !field.hidden);
        shown
            .map(|field| {
                let mut out = field.for_respondent();
                let computed = field.kind.computed();
                if computed.is_some_and(|computed| tells(&computed.formula))
                    && let Some(own) = out.as_object_mut()
                {
                    own.shift_remove("expression");
                }
                out
            })
            .collect()
    }

    /// The position of a field, from 0.
    pub fn position(&self, api_code: &str) -> Option<usize> {
        self.by_code.get(api_code).copied()
    }

    /// The position of the field with this number, searched from a likely position on.
    pub fn place_from(&self, likely: usize, number: u32) -> Option<usize> {
        let mut soon = likely..self.numbers.len().min(likely + 4);
        let all = || self.numbers.iter().position(|other| *other == number);
        soon.find(|place| self.numbers[*place] == number).or_else(all)
    }

    /// The field at a place.
    pub fn at(&self, place: usize) -> Option<&Field> {
        self.list.get(place)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether the form has no fields.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}
