//! Rankings: how often each choice was ranked, its average rank, and how often it had each of the first ranks.

use std::collections::HashMap;

use serde_json::json;

use crate::base::json::Json;
use crate::fields::choices::Choice;
use crate::fields::kind::Cx;
use crate::fields::kind::tally::{Answer, Members, Tally};
use crate::fields::report::chart::{Chart, Places};
use crate::fields::report::{count, described, list, members, text};
use crate::fields::values::formula::{Binary, Number};

/// Maximum number of ranks shown.
const SHOWN: usize = 10;

/// One choice's ranks.
#[derive(Default)]
struct Ranked {
    count: i64,
    sum: i64,
    first: [u64; SHOWN],
}

impl Ranked {
    /// The mean rank; null without any.
    fn mean(&self) -> Json {
        let mean = Number::whole(self.sum).calculate(Binary::Divide, Number::whole(self.count));
        mean.map_or(Json::Null, Number::to_json)
    }
}

/// Tally of the ranks of choices.
pub struct Ranks<'k> {
    choices: &'k [Choice],
    by_code: HashMap<String, Ranked>,
}

impl<'k> Ranks<'k> {
    pub fn new(choices: &'k [Choice]) -> Self {
        Self { choices, by_code: HashMap::new() }
    }
}

impl Tally for Ranks<'_> {
    fn add(&mut self, answer: &Answer) -> bool {
        for (code, rank) in answer.stored.as_object().into_iter().flatten() {
            let Some(rank) = rank.as_i64() else { continue };
            let ranked = self.by_code.entry(code.clone()).or_default();
            ranked.count += 1;
            ranked.sum += rank;
            let place = usize::try_from(rank - 1).ok();
            if let Some(count) = place.and_then(|place| ranked.first.get_mut(place)) {
                *count += 1;
            }
        }
        true
    }

    fn result(&self, _: &Cx) -> Members {
        let none = Ranked::default();
        let shown = self.choices.len().min(SHOWN);
        let all = self.choices.iter().map(|choice| {
            let ranked = self.by_code.get(choice.code()).unwrap_or(&none);
            let ranks = (1..).zip(&ranked.first[..shown]);
            let ranks: Vec<Json> = ranks.map(|(rank, count)| json!({"rank": rank, "count": count})).collect();
            json!({
                "api_code": choice.code(),
                "label": choice.label(),
                "count": ranked.count,
                "mean": ranked.mean(),
                "ranks": ranks,
            })
        });
        members([("choices", all.collect())])
    }

    fn schema(&self) -> Members {
        let rank = json!({"type": "integer", "minimum": 1});
        let ranks = list([("rank", rank), ("count", count())]);
        let mean = json!({"type": ["number", "null"]});
        let all = list([
            ("api_code", text()),
            ("label", text()),
            ("count", described(count(), "How often the choice was ranked.")),
            ("mean", described(mean, "Its average rank.")),
            ("ranks", described(ranks, "How often it had each of the first ranks.")),
        ]);
        members([("choices", described(all, "Each choice with its ranks."))])
    }

    fn chart(&self, _: &Cx) -> Chart {
        let last = self.choices.len() as f64;
        let none = Ranked::default();
        let rows = self.choices.iter().map(|choice| {
            let ranked = self.by_code.get(choice.code()).unwrap_or(&none);
            let mean = ranked.mean();
            let length = mean.as_f64().map_or(0.0, |mean| (last + 1.0 - mean) / last);
            let count = u64::try_from(ranked.count).unwrap_or_default();
            Places { label: choice.label().to_owned(), count, firsts: ranked.first[0], mean, length }
        });
        let mut rows: Vec<Places> = rows.collect();
        // Those that nobody ranked come last; of equal ones, that which more put first is better.
        let place = |row: &Places| row.mean.as_f64().unwrap_or(f64::INFINITY);
        rows.sort_by(|a, b| place(a).total_cmp(&place(b)).then(b.firsts.cmp(&a.firsts)));
        Chart::Ranks { rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::issue::Issues;
    use crate::fields::definition::Definition;
    use crate::fields::report::Report;
    use crate::fields::values::stored;

    #[test]
    fn the_lowest_mean_place_comes_first() {
        let cx = Cx::of_a_test(false);
        let choices = json!(["Ada", "Bea", "Cyd", "Dot"].map(|name| json!({"api_code": name, "label": name})));
        let mut at = Issues::new();
        let definition = Definition::create(json!([{"type": "ranking", "choices": choices}]), &cx, &mut at);
        let mut report = Report::new(&definition.fields);
        for (n, places) in
            [json!({"Ada": 2, "Bea": 1}), json!({"Ada": 1, "Cyd": 2}), json!({"Bea": 2})].into_iter().enumerate()
        {
            let serial = 9 - i64::try_from(n).expect("small");
            report.add(serial, &stored::of_test(&json!({"field_1": places})), &cx).expect("JSON");
        }
        let cards = report.cards(&cx);
        let Chart::Ranks { rows } = &cards[0].chart else { panic!("{cards:?}") };
        let told: Vec<(&str, u64, u64, Option<f64>)> =
            rows.iter().map(|row| (row.label.as_str(), row.count, row.firsts, row.mean.as_f64())).collect();
        assert_eq!(
            told,
            [("Ada", 2, 1, Some(1.5)), ("Bea", 2, 1, Some(1.5)), ("Cyd", 1, 0, Some(2.0)), ("Dot", 0, 0, None)]
        );
    }
}
