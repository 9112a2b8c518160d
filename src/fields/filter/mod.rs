//! Filters of entries (spec 2.6, contract section 4): conditions as people write them, `{field, operator, value}`, all
//! of which must hold, and a keyword. [`cond`] defines the meaning of a condition, [`subject`] the cells that it tests;
//! any other way to answer a filter must agree with [`Filter::holds`], which tests entry by entry.

pub mod compared;
pub mod cond;
pub mod condition;
pub mod contradiction;
pub mod subject;

#[cfg(test)]
mod tests;

use serde_json::{Map, json};

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reason::{Expected, Reason, Things};
use crate::base::text;
use crate::base::text::phrase::{Phrase, phrase};
use crate::fields::filter::cond::{Cond, Key, Op, holds_in_cells};
use crate::fields::filter::subject::{Question, Subject};
use crate::fields::kind::Cx;
use crate::fields::links::{Link, associated};
use crate::fields::values::Values;
use crate::fields::{Field, Fields, system};
use crate::model::entry::Entry;

/// The most conditions of a filter (S49).
pub const MAX_CONDITIONS: usize = 100;
/// The most characters of a keyword (S49).
pub const MAX_KEYWORD: usize = 200;
/// The most names that a message about an unknown one lists.
const NAMES_TOLD: usize = 100;

/// Conditions on entries.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// All of them must hold. Clauses about one subject are adjacent.
    pub clauses: Vec<Clause>,
    /// Of each of these lists, one must hold.
    pub any_of: Vec<Vec<Clause>>,
    /// A keyword that some text must contain.
    pub keyword: Option<Keyword>,
}

/// A condition.
#[derive(Clone, Debug)]
pub struct Clause {
    /// The subject that it tests.
    pub subject: Subject,
    /// The condition over all cells.
    pub cond: Cond,
}

/// A search in all that is text.
#[derive(Clone, Debug)]
pub struct Keyword {
    /// The condition, which must hold for one of the subjects.
    pub cond: Cond,
    /// Every question and column that is text.
    pub among: Vec<Question>,
}

impl Filter {
    /// Reads conditions, an unchecked list, and a keyword. Faults go to `at`, under `filters` and `keyword`; after one
    /// the filter means nothing. `cx.found` holds the linked forms.
    pub fn read(conditions: &Json, keyword: Option<&str>, fields: &Fields, cx: &Cx, at: &mut Issues) -> Self {
        let conditions = at.key("filters", |at| Self::of_conditions(conditions, fields, cx, at));
        Self { keyword: at.key("keyword", |at| read_keyword(keyword, fields, at)), ..conditions }
    }

    /// Reads conditions alone, an unchecked list. Faults go to `at`, which is at the list.
    pub fn of_conditions(conditions: &Json, fields: &Fields, cx: &Cx, at: &mut Issues) -> Self {
        let mut clauses = read_all(conditions, fields, cx, at);
        let firsts: Vec<usize> = clauses
            .iter()
            .map(|own| clauses.iter().position(|c| c.subject == own.subject))
            .map(Option::unwrap_or_default)
            .collect();
        let mut order: Vec<usize> = (0..clauses.len()).collect();
        order.sort_by_key(|i| firsts[*i]);
        clauses = order.iter().map(|i| clauses[*i].clone()).collect();
        Self { clauses, ..Self::default() }
    }

    /// All clauses, including those of `any_of`.
    fn all_clauses(&self) -> impl Iterator<Item = &Clause> {
        self.clauses.iter().chain(self.any_of.iter().flatten())
    }

    /// Whether the filter tests results that the service added to an entry's values.
    pub fn reads_results(&self) -> bool {
        self.all_clauses().any(|clause| match &clause.subject {
            Subject::System(field) => field.is_result(),
            Subject::Question(_) | Subject::Linked(_) => false,
        })
    }

    /// Whether the filter tests places in the waiting list.
    pub fn reads_places(&self) -> bool {
        self.all_clauses().any(|clause| matches!(clause.subject, Subject::System(field) if field.is_place()))
    }

    /// Whether every entry is meant.
    pub fn is_empty(&self) -> bool {
        self.clauses.is_empty() && self.any_of.is_empty() && self.keyword.is_none()
    }

    /// Whether the filter matches an entry. It reads only the values that `codes` names; `cx.found` holds the forms
    /// that `links` names.
    pub fn holds(&self, fields: &Fields, entry: &Entry, values: &Values, cx: &Cx) -> bool {
        let mut seen: Option<(&Subject, Vec<Vec<Key>>)> = None;
        for clause in &self.clauses {
            let cells = match seen.take() {
                Some((subject, cells)) if *subject == clause.subject => cells,
                _ => clause.subject.cells(fields, entry, values, cx),
            };
            if !holds_in_cells(&clause.cond, &cells) {
                return false;
            }
            seen = Some((&clause.subject, cells));
        }
        let is_met = |clause: &Clause| {
            let cells = clause.subject.cells(fields, entry, values, cx);
            holds_in_cells(&clause.cond, &cells)
        };
        if !self.any_of.iter().all(|some| some.iter().any(is_met)) {
            return false;
        }
        self.keyword.as_ref().is_none_or(|keyword| {
            let mut among = keyword.among.iter();
            among.any(|question| holds_in_cells(&keyword.cond, &question.cells(fields, values, cx)))
        })
    }

    /// The questions whose values it reads.
    pub fn codes<'f>(&self, fields: &'f Fields) -> Vec<&'f str> {
        let conditions = self.all_clauses().filter_map(|c| c.subject.place());
        let words = self.keyword.iter().flat_map(|keyword| &keyword.among);
        let mut places: Vec<usize> = conditions.chain(words.map(|it| it.place)).collect();
        places.sort_unstable();
        places.dedup();
        let found = places.into_iter().filter_map(|place| fields.at(place));
        found.map(|field| field.api_code.as_str()).collect()
    }

    /// Whether the filter tests entries of other forms.
    pub fn follows_links(&self) -> bool {
        let mut subjects = self.all_clauses().map(|clause| &clause.subject);
        subjects.any(|subject| matches!(subject, Subject::Linked(_)))
    }

    /// The entries of other forms that it looks into for these values.
    pub fn links(&self, fields: &Fields, values: &Values) -> Vec<Link> {
        let clauses = self.all_clauses();
        clauses.flat_map(|clause| clause.subject.links(fields, values)).collect()
    }
}

const FIELD_WORDS: &str = "A field's `api_code`; `field_1.field_2` for a column of a table or matrix; \
    `field_1_associated_field_2` for a field of the linked entry; `serial_number`, which filters like a number; \
    `created_at` or `updated_at`, which filter like dates; or `exam_passed`, true or false, of exams with a pass score.";

/// The JSON Schema of a list of conditions.
pub fn schema() -> Json {
    json!({
        "type": "array",
        "maxItems": MAX_CONDITIONS,
        "items": {
            "type": "object",
            "properties": {
                "field": {"type": "string", "description": FIELD_WORDS},
                "operator": {"type": "string", "enum": Op::ALL.map(Op::name)},
                "value": {"description": "See `/docs/kinds` for the values of each type. `any_in` and `none_in` take a list, `between` and `not_between` a list of two, `null` and `not_null` none."},
            },
            "required": ["field", "operator"],
        },
    })
}

fn read_all(conditions: &Json, fields: &Fields, cx: &Cx, at: &mut Issues) -> Vec<Clause> {
    match conditions {
        Json::Null => Vec::new(),
        Json::Array(items) if items.len() > MAX_CONDITIONS => {
            at.push(Reason::too_many(MAX_CONDITIONS, Things::Other("conditions")));
            Vec::new()
        }
        Json::Array(items) => {
            let read = |(i, item)| at.index(i, |at| read_one(item, fields, cx, at));
            items.iter().enumerate().filter_map(read).collect()
        }
        _ => {
            at.push(Reason::MustBe(Expected::Other("a list of conditions")));
            Vec::new()
        }
    }
}

fn read_one(item: &Json, fields: &Fields, cx: &Cx, at: &mut Issues) -> Option<Clause> {
    let Json::Object(item) = item else {
        at.push(Reason::MustBe(Expected::Other("an object with field, operator and value")));
        return None;
    };
    let subject = match read_subject(item, fields, cx) {
        Ok(subject) => Some(subject),
        Err(fault) => {
            at.push_at("field", fault);
            None
        }
    };
    let kind = subject.as_ref().and_then(|it| it.kind(fields, cx));
    // For an unknown subject, at least the operator's name is checked.
    let allowed = kind.map_or(&Op::ALL[..], |kind| kind.operators());
    let named = item.get("operator").and_then(Json::as_str);
    let op = named.and_then(Op::by_name).filter(|op| allowed.contains(op));
    if op.is_none() {
        at.push_at("operator", Op::must_be_one_of(allowed));
    }
    let Some(value) = cleaned(item.get("value").unwrap_or(&Json::Null)) else {
        at.push_at("value", Reason::Nul);
        return None;
    };
    match kind?.condition(op?, &value, cx) {
        Ok(cond) => Some(Clause { subject: subject?, cond }),
        Err(fault) => {
            at.push_at(&fault.attribute, fault.reason);
            None
        }
    }
}

/// Names in conditions that their fields don't have: such a condition matches no entry, or every entry if it excludes
/// the name. Paths begin at the list, whose place is `list`.
pub fn unknown_names(conditions: &Json, list: &str, fields: &Fields, cx: &Cx) -> Issues {
    let mut at = Issues::new();
    let conditions = conditions.as_array().into_iter().flatten().enumerate();
    at.key(list, |at| {
        for (i, item) in conditions {
            let subject = item["field"].as_str().and_then(|name| Subject::find(fields, name, cx));
            let kind = subject.as_ref().and_then(|subject| subject.kind(fields, cx));
            let op = item["operator"].as_str().and_then(Op::by_name);
            if let (Some(kind), Some(op)) = (kind, op) {
                at.index(i, |at| at.key("value", |at| kind.check_names(op, &item["value"], at)));
            }
        }
    });
    at
}

/// The subject of a condition, or the fault of its name.
fn read_subject(item: &Map<String, Json>, fields: &Fields, cx: &Cx) -> Result<Subject, Reason> {
    let name = match item.get("field") {
        None | Some(Json::Null) => return Err(Reason::Required),
        Some(Json::String(name)) => name,
        Some(_) => return Err(Reason::MustBe(Expected::Text)),
    };
    let found = Subject::find(fields, name, cx);
    let is_filterable = |subject: &Subject| match subject {
        Subject::System(field) => field.is_filterable(cx),
        other => other.kind(fields, cx).is_some_and(|kind| !kind.operators().is_empty()),
    };
    if let Some(subject) = &found
        && is_filterable(subject)
    {
        return Ok(subject.clone());
    }
    let own = found.as_ref().and_then(|found| match found {
        Subject::Question(question) if question.column.is_none() => question.asked(fields),
        _ => None,
    });
    let inside = own.map_or_else(Vec::new, |field| names_inside(field, cx));
    Err(Reason::other(match own {
        Some(field) if field.kind.sub_fields().is_empty() && inside.is_empty() => {
            phrase!(
                "is of type {}, which can't be filtered ({})",
                Phrase::plain(field.row.name),
                names_text(&names(fields, cx))
            )
        }
        Some(_) => phrase!("can't be filtered itself, only what is inside it ({})", names_text(&inside)),
        None if found.is_some() => {
            phrase!("can't be filtered ({})", names_text(&names(fields, cx)))
        }
        None => phrase!("is not a field of this form ({})", names_text(&names(fields, cx))),
    }))
}

fn names_text(names: &[String]) -> Phrase {
    match names {
        [] => Phrase::plain("there is none that can be"),
        few if few.len() <= NAMES_TOLD => phrase!("use {}", few.join(", ")),
        many => phrase!("use {}, …", many[..NAMES_TOLD].join(", ")),
    }
}

/// All that may be filtered.
fn names(fields: &Fields, cx: &Cx) -> Vec<String> {
    let own = fields.iter().flat_map(|field| {
        let itself = (!field.kind.operators().is_empty()).then(|| field.api_code.clone());
        itself.into_iter().chain(names_inside(field, cx))
    });
    let of_entries = system::SYSTEM.iter().filter(|field| field.is_filterable(cx));
    own.chain(of_entries.map(|field| field.name.to_owned())).collect()
}

/// Names that filters can use of a field's columns, or of the form that it links to.
fn names_inside(field: &Field, cx: &Cx) -> Vec<String> {
    let columns = field.kind.sub_fields().iter();
    let columns = columns
        .filter(|column| !column.kind.operators().is_empty())
        .map(|column| format!("{}.{}", field.api_code, column.api_code));
    let linked = associated::all(field, cx.found).into_iter();
    let linked = linked.filter(|linked| !linked.sub.kind().operators().is_empty());
    columns.chain(linked.map(|linked| linked.name())).collect()
}

/// The value with its texts as they would be stored; `None` if one contains NUL.
fn cleaned(value: &Json) -> Option<Json> {
    Some(match value {
        Json::String(text) => Json::String(text::clean(text.clone())?),
        Json::Array(items) => Json::Array(items.iter().map(cleaned).collect::<Option<_>>()?),
        Json::Object(members) => {
            let members = members.iter();
            let members = members.map(|(key, value)| Some((key.clone(), cleaned(value)?)));
            Json::Object(members.collect::<Option<_>>()?)
        }
        other => other.clone(),
    })
}

fn read_keyword(keyword: Option<&str>, fields: &Fields, at: &mut Issues) -> Option<Keyword> {
    let keyword = keyword.filter(|keyword| !keyword.is_empty())?;
    if text::length(keyword) > MAX_KEYWORD {
        at.push(Reason::TooLong { most: MAX_KEYWORD });
        return None;
    }
    let Some(keyword) = text::clean(keyword.to_owned()) else {
        at.push(Reason::Nul);
        return None;
    };
    let is_text = |field: &Field| field.kind.operators() == Op::TEXT;
    let among = fields.iter().enumerate().flat_map(|(place, field)| {
        let columns = field.kind.sub_fields().iter();
        let columns = columns.filter(|column| is_text(column)).map(|column| Some(column.api_code.clone()));
        let itself = is_text(field).then_some(None);
        let all = itself.into_iter().chain(columns);
        all.map(move |column| Question { place, column })
    });
    Some(Keyword { cond: Cond::Like(text::fold(&keyword)), among: among.collect() })
}
