//! Recipes for the entries of an example's form: the part `entries` of its file.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::base::json::Json;

/// A number of entries, their times, their people and their answers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    pub count: usize,
    /// The language of their names and addresses.
    pub people: Language,
    /// The people who come.
    #[serde(default)]
    pub who: Who,
    pub rhythm: Rhythm,
    pub mood: Mood,
    /// The time that most take to fill it in.
    pub minutes: f64,
    /// `x_field_1`: the addresses that they came by.
    #[serde(default)]
    pub came_by: Vec<Choice>,
    /// In the order in which they are made: the mood of an answer is also that of those after it.
    pub answers: Vec<(String, Value)>,
    /// Files that come with some entries.
    pub files: Option<Files>,
    /// The field that some sign.
    pub signed: Option<(String, f64)>,
}

#[derive(Deserialize, Clone, Copy, Default)]
#[serde(rename_all = "snake_case")]
pub enum Who {
    /// Some hundred people, who come again and again.
    #[default]
    Regulars,
    /// Each is somebody else, in turn.
    InTurn,
    /// Each is somebody else, from among so many.
    Among(usize),
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    English,
    Chinese,
}

/// The times of entries.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rhythm {
    /// The first and the last day, counted back from today.
    pub days: (i64, i64),
    /// So many times as many come on the last day as on the first.
    pub growth: f64,
    /// Weights of the days of the week, from Monday.
    pub week: [f64; 7],
    /// Weights of the parts of the day: night, morning, noon, afternoon, evening, late.
    pub parts: [f64; 6],
    /// Days on which many come at once: how long ago, how many times as many, and for about how many days.
    #[serde(default)]
    pub rushes: Vec<(i64, f64, f64)>,
}

/// The mood of people, from 0 to 1.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mood {
    pub mean: f64,
    pub spread: f64,
    /// The difference between the last day and the first.
    #[serde(default)]
    pub rise: f64,
}

/// A value, how many take it, and how it changes their mood.
#[derive(Deserialize)]
pub struct Choice(pub Json, pub f64, #[serde(default)] pub f64);

/// Files that come with a share of the entries.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Files {
    pub field: String,
    pub share: f64,
    pub most: usize,
    pub names: Vec<String>,
}

/// Ways to make a value.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// One of these.
    Pick(Vec<Choice>),
    /// The values that their share of people take; the first if nobody takes any.
    Several(Vec<(Json, f64)>),
    /// The better the mood, the later one of these.
    Scale(Vec<Json>),
    /// The better the mood, the higher a number between these.
    Score(i64, i64),
    /// A list of one value.
    List(Box<Value>),
    Object(BTreeMap<String, Value>),
    /// An object with the same kind of value under each key, with its change of the mood.
    Rows(BTreeMap<String, f64>, Box<Value>),
    /// Between one and as many of them.
    Table(usize, Box<Value>),
    /// Ranks of these, in the order that most give them.
    Ranking(Vec<String>),
    /// A whole number between these; small ones are more frequent.
    Amount(i64, i64),
    /// A day between so many days before and after the entry.
    Day(i64, i64),
    /// A time of the entry's last hours.
    Moment(i64),
    /// Somebody's age as a day of birth, between these.
    Born(i64, i64),
    /// For a share of people; the others say nothing.
    Maybe(f64, Box<Value>),
    /// Sentences by mood.
    Remark(Remark),
    /// The right answer, as far as somebody knows it, or one of the others. The number is how hard it is.
    Answer(f64, Json, Vec<Json>),
    FullName,
    Mail,
    Telephone,
    Home,
    /// The person's own entry of the form that this one is linked with.
    Link,
    /// The first for those who have such an entry, the second for the others.
    IfLinked(Json, Json),
    Order(Vec<Good>),
    Reservation(Reservation),
}

/// Sentences that people write of their own accord.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remark {
    pub share: f64,
    #[serde(default)]
    pub good: Vec<String>,
    #[serde(default)]
    pub fair: Vec<String>,
    #[serde(default)]
    pub poor: Vec<String>,
    /// Said in any mood.
    #[serde(default)]
    pub any: Vec<String>,
}

/// Something that a share of people order, in variants.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Good {
    pub code: String,
    pub share: f64,
    pub most: i64,
    /// The stock, which is never ordered beyond.
    pub stock: Option<i64>,
    #[serde(default)]
    pub variants: Vec<Choice>,
}

/// Slots that are booked some days ahead.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reservation {
    pub ahead: i64,
    pub most: i64,
    pub slots: Vec<Slot>,
    /// The most that wait for a slot that is full.
    pub waiting: usize,
}

/// A place in the week.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slot {
    pub item: String,
    pub weight: f64,
    /// 1 to 7.
    pub weekday: i8,
    /// `HH:MM`.
    pub start: String,
    pub end: String,
    pub places: i64,
}
