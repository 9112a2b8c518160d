//! Orders and bookings: how many entries have each item or day, and the quantity.

use std::collections::{BTreeMap, HashMap};

use rust_decimal::Decimal;
use serde_json::json;

use crate::base::json::Json;
use crate::fields::kind::Cx;
use crate::fields::kind::tally::{Answer, Members, Tally};
use crate::fields::report::chart::{Bar, Chart, Label};
use crate::fields::report::{count, described, list, members, text};
use crate::fields::values::formula::{Binary, Number};
use crate::fields::values::lines::{self, Quantity};

/// As long as `2026-11-29`.
const DAY: usize = 10;

/// Tally of ordered or booked items.
pub struct Items<'k> {
    /// The definition's list that contains them.
    list: &'static str,
    /// Codes and labels.
    all: Vec<(&'k str, &'k str)>,
    by_code: HashMap<String, (u64, u64)>,
    /// By the day for which it is booked; goods have none.
    by_day: BTreeMap<String, (u64, u64)>,
    /// The total price; `None` if nothing has a price.
    cost: Option<Number>,
}

impl<'k> Items<'k> {
    /// A tally of booked items.
    pub fn booked(all: Vec<(&'k str, &'k str)>) -> Self {
        Self { list: "reservation_items", all, by_code: HashMap::new(), by_day: BTreeMap::new(), cost: None }
    }

    /// A tally of goods, which have prices.
    pub fn ordered(all: Vec<(&'k str, &'k str)>) -> Self {
        Self { list: "goods_items", cost: Some(Number::Exact(Decimal::ZERO)), ..Self::booked(all) }
    }
}

impl Tally for Items<'_> {
    fn add(&mut self, answer: &Answer) -> bool {
        let (mut seen, mut seen_days): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
        for stored in lines::of(answer.stored) {
            let line = Quantity::of(stored);
            if let Some(day) = stored["scheduled_at"].as_str().and_then(|at| at.get(..DAY)) {
                let (entries, number) = self.by_day.entry(day.to_owned()).or_default();
                *number = number.saturating_add(line.number.unwrap_or_default());
                if !seen_days.contains(&day) {
                    *entries += 1;
                    seen_days.push(day);
                }
            }
            let code = line.api_code.unwrap_or_default();
            let (entries, number) = self.by_code.entry(code.to_owned()).or_default();
            *number = number.saturating_add(line.number.unwrap_or_default());
            if !seen.contains(&code) {
                *entries += 1;
                seen.push(code);
            }
        }
        if let (Some(cost), Some(total)) = (self.cost, answer.kind.total(answer.stored)) {
            let sum = cost.calculate(Binary::Plus, Number::Exact(total));
            self.cost = sum.or(self.cost);
        }
        !seen.is_empty()
    }

    fn result(&self, _: &Cx) -> Members {
        let all = self.all.iter().map(|(code, name)| {
            let (entries, number) = self.by_code.get(*code).copied().unwrap_or_default();
            json!({"api_code": code, "name": name, "count": entries, "number": number})
        });
        let mut out = members([(self.list, all.collect::<Json>())]);
        if let Some(cost) = self.cost {
            out.insert("total_price".to_owned(), cost.to_json());
        }
        out
    }

    fn schema(&self) -> Members {
        let all = list([
            ("api_code", text()),
            ("name", text()),
            ("count", described(count(), "The number of entries that order or book it.")),
            ("number", described(count(), "The number of units ordered or booked.")),
        ]);
        let mut out = members([(self.list, described(all, "The quantities ordered or booked."))]);
        if self.cost.is_some() {
            let cost = described(json!({"type": "number"}), "The total at current prices.");
            out.insert("total_price".to_owned(), cost);
        }
        out
    }

    fn chart(&self, _: &Cx) -> Chart {
        let bars = self.all.iter().map(|(code, name)| {
            let (entries, number) = self.by_code.get(*code).copied().unwrap_or_default();
            Bar { units: Some(number), ..Bar::of_code(name, entries, code) }
        });
        let bars = bars.collect();
        let Some(cost) = self.cost else {
            let days = self.by_day.iter().map(|(day, (entries, number))| Bar {
                units: Some(*number),
                ..Bar::of_value(Label::Date(day.clone()), *entries, json!(day))
            });
            return Chart::Booked { bars, days: days.collect() };
        };
        Chart::Bars { bars, other: Vec::new(), extended: Vec::new(), total_price: Some(cost.to_json()) }
    }
}
