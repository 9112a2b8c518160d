//! Choices: how often each was chosen, and the texts typed with them.

use std::collections::HashMap;

use serde_json::json;

use crate::base::json::Json;
use crate::fields::choices::Choice;
use crate::fields::choices::stored_selection::StoredSelection;
use crate::fields::filter::cond::Op;
use crate::fields::kind::Cx;
use crate::fields::kind::tally::{Answer, Members, Room, Tally};
use crate::fields::report::chart::{Bar, Chart, Label};
use crate::fields::report::texts::Newest;
use crate::fields::report::{count, described, list, members, text};

/// Counts selections by choice.
pub struct Counts<'k> {
    choices: &'k [Choice],
    most: usize,
    by_code: HashMap<String, u64>,
}

impl<'k> Counts<'k> {
    pub fn new(choices: &'k [Choice], room: Room) -> Self {
        Self { choices, most: room.choices, by_code: HashMap::new() }
    }

    pub fn add(&mut self, code: &str, times: u64) {
        match self.by_code.get_mut(code) {
            Some(count) => *count += times,
            None => {
                self.by_code.insert(code.to_owned(), times);
            }
        }
    }

    fn of(&self, choice: &Choice) -> u64 {
        self.by_code.get(choice.code()).copied().unwrap_or_default()
    }

    /// `[{api_code, label, count}]`, in the definition's order.
    pub fn to_json(&self) -> Json {
        let mut shown: Vec<(&Choice, u64)> = self.choices.iter().map(|choice| (choice, self.of(choice))).collect();
        if shown.len() > self.most {
            shown.retain(|(_, count)| *count > 0);
            shown.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            shown.truncate(self.most);
        }
        let shown = shown.into_iter();
        shown
            .map(|(choice, count)| json!({"api_code": choice.code(), "label": choice.label(), "count": count}))
            .collect()
    }

    /// Number of selections of each choice, in the definition's order.
    pub fn each(&self) -> impl Iterator<Item = (&'k Choice, u64)> {
        self.choices.iter().map(|choice| (choice, self.of(choice)))
    }

    /// JSON Schema of [`Self::to_json`].
    pub fn schema() -> Json {
        let choices = list([("api_code", text()), ("label", text()), ("count", count())]);
        described(
            choices,
            "How often each choice was selected. For a grid with very many cells, only the most frequent choices.",
        )
    }
}

/// Tally of one selection or several, with the typed texts.
pub struct Choices<'k> {
    counts: Counts<'k>,
    other: Newest,
    extended: Newest,
}

impl<'k> Choices<'k> {
    pub fn new(choices: &'k [Choice], room: Room) -> Self {
        Self { counts: Counts::new(choices, room), other: Newest::new(room), extended: Newest::new(room) }
    }
}

/// The one selection or the several ones of an answer.
fn selections(stored: &Json) -> &[Json] {
    match stored {
        Json::Array(several) => several,
        one => std::slice::from_ref(one),
    }
}

impl Tally for Choices<'_> {
    fn add(&mut self, answer: &Answer) -> bool {
        for selection in selections(answer.stored) {
            let own = StoredSelection::of(selection);
            self.counts.add(own.value, answer.times);
            if let Some(typed) = own.other_text {
                self.other.add(answer.serial, typed);
            }
            if let Some(typed) = own.extended_text {
                self.extended.add(answer.serial, typed);
            }
        }
        true
    }

    fn only_counts(&self, stored: &Json) -> bool {
        let has_text = |own: StoredSelection| own.other_text.is_some() || own.extended_text.is_some();
        !selections(stored).iter().map(StoredSelection::of).any(has_text)
    }

    fn result(&self, _: &Cx) -> Members {
        members([
            ("choices", self.counts.to_json()),
            ("other_texts", self.other.to_json()),
            ("extended_texts", self.extended.to_json()),
        ])
    }

    fn schema(&self) -> Members {
        let other = "The newest texts of the other choice. Long ones are truncated.";
        let extended = "The newest texts added to choices. Long ones are truncated.";
        members([
            ("choices", Counts::schema()),
            ("other_texts", Newest::schema(other)),
            ("extended_texts", Newest::schema(extended)),
        ])
    }

    fn chart(&self, _: &Cx) -> Chart {
        let bars = self.counts.each();
        let bars = bars.map(|(choice, count)| Bar::of_code(choice.label(), count, choice.code()));
        Chart::Bars {
            bars: bars.collect(),
            other: self.other.rows().to_vec(),
            extended: self.extended.rows().to_vec(),
            total_price: None,
        }
    }
}

/// A choice in a tree of choices.
pub struct Level<'k> {
    /// Depth, from 1.
    pub level: usize,
    pub code: &'k str,
    pub label: &'k str,
}

/// Tally of paths through a tree of choices.
pub struct Levels<'k> {
    all: Vec<Level<'k>>,
    by_code: HashMap<String, u64>,
}

impl<'k> Levels<'k> {
    /// `all` is in the order of the tree.
    pub fn new(all: Vec<Level<'k>>) -> Self {
        Self { all, by_code: HashMap::new() }
    }
}

impl Tally for Levels<'_> {
    fn add(&mut self, answer: &Answer) -> bool {
        for code in answer.kind.uses(answer.stored) {
            *self.by_code.entry(code.to_owned()).or_default() += answer.times;
        }
        true
    }

    fn only_counts(&self, _: &Json) -> bool {
        true
    }

    fn result(&self, _: &Cx) -> Members {
        let all = self.all.iter().map(|Level { level, code, label }| {
            let count = self.by_code.get(*code).copied().unwrap_or_default();
            json!({"api_code": code, "label": label, "level": level, "count": count})
        });
        members([("choices", all.collect())])
    }

    fn schema(&self) -> Members {
        let all = list([
            ("api_code", text()),
            ("label", text()),
            ("level", json!({"type": "integer", "minimum": 1})),
            ("count", count()),
        ]);
        let words = "How often each choice or one below it was selected; parents come before their children.";
        members([("choices", described(all, words))])
    }

    fn chart(&self, _: &Cx) -> Chart {
        let mut way: Vec<&str> = Vec::new();
        let bars = self.all.iter().map(|Level { level, code, label }| {
            way.truncate(level - 1);
            way.push(code);
            let levels = (1..).zip(&way).map(|(level, code)| (format!("level_{level}"), json!(code)));
            let found = vec![(Op::Eq, Json::Object(levels.collect()))];
            let count = self.by_code.get(*code).copied().unwrap_or_default();
            Bar { depth: level - 1, ..Bar::new(Label::Text((*label).to_owned()), count, Some(found)) }
        });
        Chart::Bars { bars: bars.collect(), other: Vec::new(), extended: Vec::new(), total_price: None }
    }
}
