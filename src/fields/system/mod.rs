//! System fields: properties of every entry, and those that its form adds (contract 3.3). They are kinds like those of
//! questions, so filters, columns and public queries need no special case. They can't be written in a request, and no
//! page asks for them.

mod kinds;
#[cfg(test)]
mod tests;

use std::fmt;

use serde_json::json;

use crate::base::clock::Time;
use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::fields::Fields;
use crate::fields::kind::{Cx, Facets, Kind};
use crate::fields::system::kinds::{
    CERTIFICATE, DATED, FLAG, MOMENT, NUMBER, PASS, REPORT, SERIAL, STATUS, TEXT, WHOLE,
};
use crate::fields::values::results::exam;
use crate::model::entry::Entry;
use crate::model::results::{EvaluationReport, Results, number};
use crate::model::settings::Settings;

pub struct SystemField {
    /// The key in entries.
    pub name: &'static str,
    /// How a public query may use it.
    pub facets: Facets,
    pub kind: &'static dyn Kind,
    source: Source,
    belongs: Belongs,
}

impl fmt::Debug for SystemField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for SystemField {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// A value from an entry's row.
#[derive(Clone, Copy, Debug)]
pub enum Own<'e> {
    Nothing,
    Number(i64),
    Text(&'e str),
    Moment(Time),
}

impl From<Own<'_>> for Json {
    fn from(own: Own) -> Self {
        match own {
            Own::Nothing => Self::Null,
            Own::Number(number) => json!(number),
            Own::Text(text) => json!(text),
            Own::Moment(at) => Self::from(at),
        }
    }
}

impl<'e> Own<'e> {
    fn text(text: Option<&'e String>) -> Self {
        text.map_or(Self::Nothing, |text| Self::Text(text))
    }
}

/// The source of a value.
enum Source {
    /// The entry's row.
    Row(fn(&Entry) -> Own),
    /// The entry's results.
    Result(fn(&Results) -> Json),
    /// Whether its score reaches what the settings ask for today.
    Passed,
    /// The place in the waiting list.
    Waiting,
    /// A link that is made for each reader.
    Link,
}

/// Which forms have the field.
enum Belongs {
    Everywhere,
    /// All forms, but an entry without a value lacks the key.
    WhereGiven,
    /// Forms of these scenes.
    Scene(&'static [&'static str]),
    /// Forms for whose settings this holds.
    Setting(fn(&Settings) -> bool),
    /// Exams that can be passed.
    Passable,
    /// Forms with a question whose definition has this key.
    Question(&'static str),
}

const SHOWN: Facets = Facets { displayable: true, ..Facets::NONE };
const SEARCHED: Facets = Facets { searchable: true, ..SHOWN };
const FUZZY: Facets = Facets { fuzzy: true, ..SEARCHED };
const NEITHER: Facets = Facets { displayable: false, ..SHOWN };

/// All system fields. Those that entries always have come first, in the order they are shown.
#[rustfmt::skip] // A table is read by columns.
pub static SYSTEM: &[SystemField] = &[
    row ("serial_number",         SEARCHED, &SERIAL,      |entry| Own::Number(entry.serial)),
    row ("created_at",            SHOWN,    &MOMENT,      |entry| Own::Moment(entry.created_at)),
    row ("updated_at",            SHOWN,    &MOMENT,      |entry| Own::Moment(entry.updated_at)),
    row ("info_filling_duration", SHOWN,    &WHOLE,       |entry| entry.duration_secs.map_or(Own::Nothing, Own::Number)),
    row ("creator_name",          NEITHER,  &TEXT,        |entry| Own::text(entry.creator_name.as_ref())),
    row ("x_field_1",             NEITHER,  &TEXT,        |entry| Own::text(entry.x_field_1.as_ref())).where_given(),
    WAITING,
    result("exam_score",         SEARCHED, &NUMBER,      Belongs::Scene(&["exam"]),             |it| json!(it.exam_score.map(number))),
    PASSED,
    result("gen_code",           FUZZY,    &TEXT,        Belongs::Setting(|it| it.verification_code.enabled), |it| json!(it.gen_code)),
    result("total_price",        SHOWN,    &NUMBER,      Belongs::Question("goods_items"),      |it| json!(it.total_price.map(number))),
    result("preferential_price", SHOWN,    &NUMBER,      Belongs::Question("goods_items"),      |it| json!(it.preferential_price.map(number))),
    result("reservation_status_fsf_field", SHOWN, &STATUS, Belongs::Question("reservation_items"), |it| json!(it.reservation_status)),
    link("x_field_certificate",  SHOWN,    &CERTIFICATE, Belongs::Setting(|it| it.certificate.enabled)),
    result("evaluation_report",  SHOWN,    &REPORT,      Belongs::Scene(&["evaluation"]),       |it| json!(it.evaluation_report.as_ref().map(EvaluationReport::to_json))),
    result("is_late",            NEITHER,  &FLAG,        Belongs::Scene(&["exam"]),             |it| json!(it.is_late)),
    result("rescored_at",        NEITHER,  &DATED,       Belongs::Scene(&["exam", "evaluation"]), |it| it.rescored_at.map_or(Json::Null, Json::from)),
];

/// The place in the waiting list. Who waits has one where the form has no such list any more, too.
pub const WAITING: SystemField = SystemField {
    name: "waiting_position",
    facets: NEITHER,
    kind: &SERIAL,
    source: Source::Waiting,
    belongs: Belongs::Setting(|it| it.capacity.waiting_list),
};

/// Whether an exam is passed: told from the score, so that another `pass_score` holds for all entries at once.
const PASSED: SystemField = SystemField {
    name: "exam_passed",
    facets: NEITHER,
    kind: &PASS,
    source: Source::Passed,
    belongs: Belongs::Passable,
};

const fn row(name: &'static str, facets: Facets, kind: &'static dyn Kind, value: fn(&Entry) -> Own) -> SystemField {
    SystemField { name, facets, kind, source: Source::Row(value), belongs: Belongs::Everywhere }
}

const fn result(
    name: &'static str,
    facets: Facets,
    kind: &'static dyn Kind,
    belongs: Belongs,
    value: fn(&Results) -> Json,
) -> SystemField {
    SystemField { name, facets, kind, source: Source::Result(value), belongs }
}

const fn link(name: &'static str, facets: Facets, kind: &'static dyn Kind, belongs: Belongs) -> SystemField {
    SystemField { name, facets, kind, source: Source::Link, belongs }
}

pub fn by_name(name: &str) -> Option<&'static SystemField> {
    SYSTEM.iter().find(|field| field.name == name)
}

/// The first keys of every entry. Lists can be filtered by them in every form.
pub const FIXED: [&str; 3] = ["serial_number", "created_at", "updated_at"];

/// The fields of these keys.
pub fn fixed() -> impl Iterator<Item = &'static SystemField> {
    FIXED.iter().filter_map(|name| by_name(name))
}

/// Whether the name is a key of every entry, not of an answer.
pub fn is_own(name: &str) -> bool {
    let in_row = |field: &SystemField| matches!(field.source, Source::Row(_));
    name == "token" || by_name(name).is_some_and(in_row)
}

/// The other keys from the entry's row, with their values.
pub fn beside(entry: &Entry) -> impl Iterator<Item = (&'static str, Json)> {
    SYSTEM
        .iter()
        .filter(|field| !FIXED.contains(&field.name))
        .filter_map(|field| match &field.source {
            Source::Row(value) => Some((field, Json::from(value(entry)))),
            Source::Result(_) | Source::Passed | Source::Waiting | Source::Link => None,
        })
        .filter(|(field, value)| !(value.is_null() && matches!(field.belongs, Belongs::WhereGiven)))
        .map(|(field, value)| (field.name, value))
}

/// The results that entries of such a form have, the place in its waiting list before them.
pub fn results_of(scene: &str, settings: &Settings, fields: &Fields) -> impl Iterator<Item = &'static SystemField> {
    SYSTEM
        .iter()
        .filter(move |field| !matches!(field.source, Source::Row(_)) && field.belongs_to(scene, settings, fields))
}

/// The results of entries among which some wait: with their place also where the form has no waiting list any more.
pub fn with_waiting(results: &[&'static SystemField]) -> Vec<&'static SystemField> {
    let is_waiting = |field: &&SystemField| matches!(field.source, Source::Waiting);
    let others = results.iter().copied().filter(|field| !is_waiting(field));
    SYSTEM.iter().filter(is_waiting).chain(others).collect()
}

impl SystemField {
    const fn where_given(mut self) -> Self {
        self.belongs = Belongs::WhereGiven;
        self
    }

    /// The type of a question with such values.
    pub fn type_name(&self) -> &'static str {
        let schema = self.kind.read_schema();
        match (schema["type"].as_str(), schema["format"].as_str()) {
            (Some("integer" | "number"), _) => "number",
            (_, Some("date-time")) => "date",
            _ => "short_text",
        }
    }

    pub fn label(&self, texts: &Texts) -> String {
        texts.say(&format!("system-{}", self.name.replace('_', "-")))
    }

    /// Whether entries of such a form have it.
    pub fn belongs_to(&self, scene: &str, settings: &Settings, fields: &Fields) -> bool {
        match &self.belongs {
            Belongs::Everywhere | Belongs::WhereGiven => true,
            Belongs::Scene(own) => own.contains(&scene),
            Belongs::Setting(is_set) => is_set(settings),
            Belongs::Passable => scene == exam::SCENE && settings.exam.pass_score.is_some(),
            Belongs::Question(key) => fields.iter().any(|field| field.kind.as_json().get(key).is_some()),
        }
    }

    /// The value from the entry's row; `None` if it is a result.
    pub fn own<'e>(&self, entry: &'e Entry) -> Option<Own<'e>> {
        match &self.source {
            Source::Row(value) => Some(value(entry)),
            Source::Result(_) | Source::Passed | Source::Waiting | Source::Link => None,
        }
    }

    /// Whether lists of this form's entries can be filtered by it.
    pub fn is_filterable(&self, cx: &Cx) -> bool {
        let is_given = match self.source {
            Source::Passed => cx.pass_score.is_some(),
            Source::Waiting => cx.has_waiting_list,
            Source::Row(_) | Source::Result(_) | Source::Link => true,
        };
        is_given && !self.kind.operators().is_empty()
    }

    /// Whether every entry has it.
    pub fn is_of_every_entry(&self) -> bool {
        matches!(self.belongs, Belongs::Everywhere)
    }

    /// Whether its value is one of the entry's results, or is told from them.
    pub fn is_result(&self) -> bool {
        matches!(self.source, Source::Result(_) | Source::Passed | Source::Waiting)
    }

    /// True for an amount in the form's currency.
    pub fn is_price(&self) -> bool {
        matches!(self.belongs, Belongs::Question("goods_items"))
    }

    /// Whether the field is the place in the waiting list.
    pub fn is_place(&self) -> bool {
        matches!(self.source, Source::Waiting)
    }

    /// Whether its value is a link that is made for each reader.
    pub fn is_link(&self) -> bool {
        matches!(self.source, Source::Link)
    }

    /// The stored value; null if the entry has none. `cx` is of the entry's form.
    pub fn stored(&self, entry: &Entry, cx: &Cx) -> Json {
        match &self.source {
            Source::Row(value) => value(entry).into(),
            Source::Result(value) => value(&entry.results),
            Source::Passed => json!(exam::is_passed(entry.results.exam_score, cx.pass_score)),
            Source::Waiting => json!(entry.waiting_position),
            Source::Link => Json::Null,
        }
    }
}
