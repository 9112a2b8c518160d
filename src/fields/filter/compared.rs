//! Controls for writing a condition: those of its value, and the meaning of their options.

use serde_json::{Map, json};

use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::fields::filter::cond::Op;
use crate::fields::kind::Kind;

/// Values that a kind's conditions compare with.
#[derive(Clone, Debug, PartialEq)]
pub enum Compared {
    Text,
    Number,
    Date,
    Time,
    /// One of the kind's own items.
    Items(Vec<ComparedItem>),
    /// One of the kind's own items, or a day.
    ItemsOrDay(Vec<ComparedItem>),
    /// The members of an object, each with the id of its words.
    Members(Vec<(&'static str, &'static str)>),
}

/// A value as the API takes it, and its words.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedItem {
    pub value: Json,
    pub label: String,
}

impl ComparedItem {
    pub fn new(value: impl Into<Json>, label: &str) -> Self {
        Self { value: value.into(), label: label.to_owned() }
    }
}

/// The controls of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Controls {
    None,
    /// This many lines of this `type`.
    Lines(&'static str, usize),
    /// One is chosen.
    One(Vec<ComparedItem>),
    /// Several are ticked.
    Several(Vec<ComparedItem>),
    /// This many objects.
    Objects(Vec<(&'static str, &'static str)>, usize),
}

impl Compared {
    /// The default for these operators.
    pub fn of(operators: &[Op]) -> Self {
        if [Op::NUMBER, Op::SCORE].contains(&operators) {
            Self::Number
        } else if operators == Op::DATE {
            Self::Date
        } else {
            Self::Text
        }
    }

    fn items(&self) -> &[ComparedItem] {
        match self {
            Self::Items(items) | Self::ItemsOrDay(items) => items,
            _ => &[],
        }
    }

    /// The members of its objects, each with the id of its words.
    pub fn members(&self) -> &[(&'static str, &'static str)] {
        match self {
            Self::Members(members) => members,
            _ => &[],
        }
    }

    /// Whether the values of an operator are objects of members: a part of a text is none.
    pub fn takes_objects(&self, op: Op) -> bool {
        matches!(self, Self::Members(_)) && ![Op::Like, Op::NotLike, Op::Null, Op::NotNull].contains(&op)
    }

    /// Whether days are compared with too.
    pub fn takes_days(&self) -> bool {
        matches!(self, Self::ItemsOrDay(_))
    }

    /// The value of a posted text.
    pub fn value_of(&self, text: &str) -> Json {
        if let Some(item) = self.items().iter().find(|item| option_text(&item.value) == text) {
            return item.value.clone();
        }
        let number = || serde_json::from_str::<serde_json::Number>(text.trim()).ok();
        match self {
            Self::Number => number().map_or_else(|| json!(text), Json::Number),
            _ => json!(text),
        }
    }

    /// The words of a value.
    pub fn words(&self, value: &Json, texts: &Texts) -> String {
        if let Some(item) = self.items().iter().find(|item| item.value == *value) {
            return item.label.clone();
        }
        match (self, value) {
            (_, Json::String(text)) => text.clone(),
            (Self::Members(members), Json::Object(given)) => {
                let parts = members.iter().filter_map(|(name, words)| {
                    let text = given.get(*name)?.as_str().filter(|text| !text.is_empty())?;
                    Some(format!("{}: {text}", texts.say(words)))
                });
                parts.collect::<Vec<_>>().join(", ")
            }
            (_, other) => other.to_string(),
        }
    }
}

/// The text of a value as an option of a control.
pub fn option_text(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A condition as its controls show it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Written {
    pub field: String,
    pub operator: String,
    pub values: Vec<Json>,
}

impl Written {
    pub fn of_json(json: &Json) -> Self {
        let text = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
        let values = match &json["value"] {
            Json::Null => Vec::new(),
            Json::Array(values) => values.clone(),
            value => vec![value.clone()],
        };
        Self { field: text("field"), operator: text("operator"), values }
    }

    pub fn op(&self) -> Option<Op> {
        Op::by_name(&self.operator)
    }

    /// The condition in the API's format. Values that the controls of its operator don't have are left out.
    pub fn to_json(&self, kind: &dyn Kind) -> Json {
        let controls = self.controls(kind);
        let compared = kind.compared();
        let is_day = |value: &Json| value.as_str().is_some_and(|text| text.starts_with(|c: char| c.is_ascii_digit()));
        let fits = |value: &&Json| match (&controls, &compared) {
            (Controls::One(items) | Controls::Several(items), Compared::ItemsOrDay(_)) => {
                items.iter().any(|item| item.value == **value) || is_day(value)
            }
            (Controls::One(items) | Controls::Several(items), _) => items.iter().any(|item| item.value == **value),
            (Controls::Objects(..), _) => value.is_object(),
            (Controls::Lines(..), _) => !value.is_object(),
            (Controls::None, _) => false,
        };
        let values: Vec<&Json> = self.values.iter().filter(fits).collect();
        let takes_list = match self.op() {
            Some(Op::AnyIn | Op::NoneIn | Op::Between | Op::NotBetween) => true,
            Some(Op::Eq | Op::Ne) => values.len() > 1 && matches!(controls, Controls::Several(_)),
            _ => false,
        };
        let mut out = Map::new();
        out.insert("field".to_owned(), json!(self.field));
        out.insert("operator".to_owned(), json!(self.operator));
        let value = if takes_list { Some(json!(values)) } else { values.first().map(|value| (*value).clone()) };
        if controls != Controls::None {
            out.extend(value.map(|value| ("value".to_owned(), value)));
        }
        Json::Object(out)
    }

    /// The controls of its value.
    pub fn controls(&self, kind: &dyn Kind) -> Controls {
        let compared = kind.compared();
        let Some(op) = self.op() else {
            return Controls::None;
        };
        let several = matches!(op, Op::AnyIn | Op::NoneIn);
        let lines = match op {
            Op::Between | Op::NotBetween => 2,
            _ if several => self.values.len() + 1,
            _ => 1,
        };
        match (op, compared) {
            (Op::Null | Op::NotNull, _) => Controls::None,
            (Op::Like | Op::NotLike, _) => Controls::Lines("text", 1),
            (_, Compared::Items(items)) if several || takes_sets(kind) => Controls::Several(items),
            (Op::AnyIn | Op::NoneIn, Compared::ItemsOrDay(items)) => Controls::Several(items),
            (Op::Eq | Op::Ne, Compared::ItemsOrDay(items)) => Controls::One(items),
            (_, Compared::Items(items)) => Controls::One(items),
            (_, Compared::Members(members)) => Controls::Objects(members, lines),
            (_, Compared::Date | Compared::ItemsOrDay(_)) => Controls::Lines("date", lines),
            (_, Compared::Time) => Controls::Lines("time", lines),
            (_, Compared::Text | Compared::Number) => Controls::Lines("text", lines),
        }
    }

    /// Whether its controls show all of it: another one would become another by being sent.
    pub fn is_shown_whole(&self, kind: &dyn Kind, json: &Json) -> bool {
        let has_op = self.op().is_some_and(|op| kind.operators().contains(&op));
        let is_typed = |value: &Json| match self.controls(kind) {
            Controls::Lines("date", _) => value.as_str().is_none_or(|text| text.len() == "2026-01-31".len()),
            Controls::Objects(members, _) => value.as_object().is_none_or(|given| {
                given.iter().all(|(name, part)| members.iter().any(|(known, _)| known == name) && part.is_string())
            }),
            _ => true,
        };
        has_op && self.values.iter().all(is_typed) && self.to_json(kind) == *json
    }
}

/// Whether values are sets: then equality means all of a set.
fn takes_sets(kind: &dyn Kind) -> bool {
    let schema = kind.read_schema();
    schema["type"] == "array" || schema["type"].as_array().is_some_and(|types| types.iter().any(|it| it == "array"))
}
