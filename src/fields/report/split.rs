//! A report once for each choice of a question, and once for the entries without an answer to it.

use serde_json::json;

use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text::phrase::phrase;
use crate::fields::filter::cond::Op;
use crate::fields::kind::Cx;
use crate::fields::report::chart::{Card, Found};
use crate::fields::report::{Report, count, dates, described, list};
use crate::fields::values::{self, unparsed};
use crate::fields::{Field, Fields};

/// Maximum number of choices.
pub const MOST: usize = 8;

pub struct Split<'f> {
    fields: &'f Fields,
    field: &'f Field,
    place: usize,
    /// Codes and labels.
    choices: Vec<(&'f str, &'f str)>,
    /// One report per choice, and the last for no answer.
    reports: Vec<Report<'f>>,
}

/// One part of the split report, for a page.
#[derive(Clone, Debug)]
pub struct Group {
    /// The choice's label; none for no answer.
    pub label: Option<String>,
    /// The condition that finds its entries, with the code of the question.
    pub found: (String, Found),
    pub total: u64,
    pub cards: Vec<Card>,
}

/// The questions that a report can be split by.
pub fn questions(fields: &Fields) -> impl Iterator<Item = &Field> {
    fields.iter().filter(|field| (1..=MOST).contains(&field.kind.groups().len()))
}

impl<'f> Split<'f> {
    /// Splits by the question with this code.
    ///
    /// # Errors
    /// The reason why the question can't split a report.
    pub fn by(fields: &'f Fields, code: &str) -> Result<Self, Reason> {
        let place = fields.iter().position(|field| field.api_code == code);
        let Some((place, field)) = place.and_then(|place| Some((place, fields.at(place)?))) else {
            return Err(Reason::other("is not a field of this form"));
        };
        let choices = field.kind.groups();
        match choices.len() {
            0 => Err(Reason::other("must be a question with one choice as its answer")),
            1..=MOST => {
                let reports = (0..=choices.len()).map(|_| Report::new(fields)).collect();
                Ok(Self { fields, field, place, choices, reports })
            }
            more => Err(Reason::other(phrase!("has {} choices; a report can be split by {} at most", more, MOST))),
        }
    }

    /// Counts an entry, as [`Report::add`].
    pub fn add(&mut self, serial: i64, stored: &str, cx: &Cx) -> Result<(), serde_json::Error> {
        let mut at = self.choices.len();
        unparsed::each_placed(self.fields, stored, |place, value| {
            if place != self.place {
                return Ok(());
            }
            let value: Json = serde_json::from_str(value)?;
            let value = if self.field.splices() { Some(value) } else { values::today(self.field, Some(&value), cx) };
            let chosen = value.iter().find_map(|value| self.field.kind.uses(value).first().copied());
            let choice = self.choices.iter().position(|(code, _)| Some(*code) == chosen);
            at = choice.unwrap_or(at);
            Ok(())
        })?;
        self.reports[at].add(serial, stored, cx)
    }

    /// `[{choice, label, total, fields}]`.
    pub fn to_json(&mut self, cx: &Cx) -> Json {
        let all = self.reports.iter_mut().enumerate().map(|(at, report)| {
            let (code, label) = self.choices.get(at).copied().unzip();
            let mut out = json!({"choice": code, "label": label});
            let own = report.to_json(cx);
            for key in ["total", "fields"] {
                out[key] = own[key].clone();
            }
            out
        });
        all.collect()
    }

    /// The groups that a page shows; `whole` are the cards of all entries.
    pub fn groups(&mut self, cx: &Cx, whole: &[Card]) -> Vec<Group> {
        let all = self.reports.iter_mut().enumerate().map(|(at, report)| {
            let choice = self.choices.get(at);
            let found = match choice {
                Some((code, _)) => vec![(Op::Eq, json!(code))],
                None => vec![(Op::Null, Json::Null)],
            };
            let mut cards = report.cards(cx);
            cards.iter_mut().zip(whole).for_each(|(own, all)| dates::align(&mut own.chart, &all.chart));
            Group {
                label: choice.map(|(_, label)| (*label).to_owned()),
                found: (self.field.api_code.clone(), found),
                total: report.total(),
                cards,
            }
        });
        all.collect()
    }
}

/// JSON Schema of [`Split::to_json`].
pub fn schema(fields: &Json) -> Json {
    let nullable = |words: &str| described(json!({"type": ["string", "null"]}), words);
    let groups = list([
        ("choice", nullable("The choice's `api_code`; null for no answer.")),
        ("label", nullable("The choice's label; null for no answer.")),
        ("total", described(count(), "The number of entries with this choice.")),
        ("fields", fields.clone()),
    ]);
    described(groups, "With `split`: the same numbers for each choice of that question, and for no answer.")
}
