//! Numbers: minimum, maximum, mean, sum and histogram; ratings and recommendations also by point.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde_json::json;

use crate::base::json::Json;
use crate::fields::filter::cond::Op;
use crate::fields::kind::Cx;
use crate::fields::kind::tally::{Answer, Members, Tally};
use crate::fields::report::chart::{Bar, Chart, Figures, Label};
use crate::fields::report::histogram::{self, Histogram};
use crate::fields::report::{count, described, list, members};
use crate::fields::values::formula::{Binary, Number};

/// Highest score of detractors, of 0 to 10.
pub const DETRACTORS: i64 = 6;
/// Lowest score of promoters.
pub const PROMOTERS: i64 = 9;

/// Tally of numbers.
pub struct Numbers {
    count: i64,
    least: Option<(f64, Json)>,
    greatest: Option<(f64, Json)>,
    /// Of those whose sum is exact in any order.
    plain: Option<Number>,
    /// Of the others, in the order they came; `None` once it is out of range.
    rest: Option<Number>,
    spread: Histogram,
}

impl Default for Numbers {
    fn default() -> Self {
        let zero = Some(Number::whole(0));
        Self { count: 0, least: None, greatest: None, plain: zero, rest: zero, spread: Histogram::default() }
    }
}

impl Numbers {
    /// The summary of the numbers.
    pub fn figures(&self) -> Figures {
        let end = |end: &Option<(f64, Json)>| end.as_ref().map_or(Json::Null, |(_, n)| n.clone());
        let number = |number: Option<Number>| number.map_or(Json::Null, Number::to_json);
        let sum = self.plain.zip(self.rest).and_then(|(plain, rest)| plain.calculate(Binary::Plus, rest));
        let mean = sum.filter(|_| self.count > 0);
        let mean = mean.and_then(|sum| sum.calculate(Binary::Divide, Number::whole(self.count)));
        Figures { least: end(&self.least), greatest: end(&self.greatest), mean: number(mean), sum: number(sum) }
    }
}

impl Tally for Numbers {
    fn add(&mut self, answer: &Answer) -> bool {
        let stored = answer.stored;
        let (Some(float), Some(number)) = (stored.as_f64(), Number::of(stored)) else {
            return false;
        };
        self.count = self.count.saturating_add_unsigned(answer.times);
        if self.least.as_ref().is_none_or(|(least, _)| float < *least) {
            self.least = Some((float, stored.clone()));
        }
        if self.greatest.as_ref().is_none_or(|(most, _)| float > *most) {
            self.greatest = Some((float, stored.clone()));
        }
        let is_plain = number.adds_exactly();
        let times = Number::whole(i64::try_from(answer.times).unwrap_or(i64::MAX));
        let number = if answer.times == 1 { Some(number) } else { number.calculate(Binary::Times, times) };
        let sum = if is_plain { &mut self.plain } else { &mut self.rest };
        *sum = sum.zip(number).and_then(|(sum, number)| sum.calculate(Binary::Plus, number));
        self.spread.add(float, answer.times);
        true
    }

    fn only_counts(&self, stored: &Json) -> bool {
        Number::of(stored).is_none_or(Number::adds_exactly)
    }

    fn result(&self, _: &Cx) -> Members {
        let Figures { least, greatest, mean, sum } = self.figures();
        members([("min", least), ("max", greatest), ("mean", mean), ("sum", sum), ("histogram", self.spread.to_json())])
    }

    fn schema(&self) -> Members {
        let number = || json!({"type": ["number", "null"]});
        members([
            ("min", described(number(), "The smallest.")),
            ("max", described(number(), "The largest.")),
            ("mean", described(number(), "The average.")),
            ("sum", described(number(), "The sum; exact for decimals.")),
            ("histogram", histogram::schema()),
        ])
    }

    fn chart(&self, _: &Cx) -> Chart {
        let steps = self.spread.to_json();
        let bars = steps.as_array().into_iter().flatten().map(|step| {
            let (from, to) = (&step["from"], &step["to"]);
            let count = step["count"].as_u64().unwrap_or_default();
            if from == to {
                return Bar::of_value(Label::Number(from.clone()), count, from.clone());
            }
            let found = vec![(Op::Gte, from.clone()), (Op::Lt, to.clone())];
            Bar::new(Label::Range(from.clone(), to.clone()), count, Some(found))
        });
        Chart::Histogram { bars: bars.collect(), figures: self.figures() }
    }
}

/// Tally of points on a scale.
pub struct Scores {
    numbers: Numbers,
    points: BTreeMap<i64, u64>,
    is_nps: bool,
}

impl Scores {
    /// A tally of a scale.
    pub fn new(range: RangeInclusive<i64>) -> Self {
        Self { numbers: Numbers::default(), points: range.map(|point| (point, 0)).collect(), is_nps: false }
    }

    /// The mean; null without any.
    pub fn mean(&self) -> Json {
        self.numbers.figures().mean
    }

    /// A tally of a net promoter score.
    pub fn nps(range: RangeInclusive<i64>) -> Self {
        Self { is_nps: true, ..Self::new(range) }
    }

    /// The percentage of promoters less that of detractors, from -100 to 100.
    fn nps_score(&self) -> Json {
        let of = |range: RangeInclusive<i64>| -> i64 {
            let counts = self.points.range(range).map(|(_, count)| *count);
            i64::try_from(counts.sum::<u64>()).unwrap_or(i64::MAX)
        };
        let all = of(i64::MIN..=i64::MAX);
        if all == 0 {
            return Json::Null;
        }
        let balance = of(PROMOTERS..=i64::MAX) - of(i64::MIN..=DETRACTORS);
        let hundred = Number::whole(balance.saturating_mul(100));
        let score = hundred.calculate(Binary::Divide, Number::whole(all));
        score.map_or(Json::Null, Number::to_json)
    }
}

impl Tally for Scores {
    fn add(&mut self, answer: &Answer) -> bool {
        let Some(point) = answer.stored.as_i64().filter(|_| self.numbers.add(answer)) else {
            return false;
        };
        *self.points.entry(point).or_default() += answer.times;
        true
    }

    fn only_counts(&self, _: &Json) -> bool {
        true
    }

    fn result(&self, cx: &Cx) -> Members {
        let mut out = self.numbers.result(cx);
        let points = self.points.iter();
        let points = points.map(|(point, count)| json!({"value": point, "count": count}));
        out.insert("distribution".to_owned(), points.collect());
        if self.is_nps {
            out.insert("nps_score".to_owned(), self.nps_score());
        }
        out
    }

    fn schema(&self) -> Members {
        let mut out = self.numbers.schema();
        let points = list([("value", json!({"type": "integer"})), ("count", count())]);
        out.insert("distribution".to_owned(), described(points, "How often each score was given."));
        if self.is_nps {
            let score = json!({"type": ["number", "null"], "minimum": -100, "maximum": 100});
            let words = "The percentage of scores 9 and 10 minus the percentage of 0 to 6.";
            out.insert("nps_score".to_owned(), described(score, words));
        }
        out
    }

    fn chart(&self, _: &Cx) -> Chart {
        let bars = self.points.iter();
        let bars = bars.map(|(point, count)| Bar::of_value(Label::Number(json!(point)), *count, json!(point)));
        let (bars, figures) = (bars.collect(), self.numbers.figures());
        if self.is_nps {
            return Chart::Promoters { bars, figures, score: self.nps_score() };
        }
        Chart::Scale { bars, figures }
    }
}
