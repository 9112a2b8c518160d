//! Dates by day, month or year, whichever gives few enough; times by hour.

use std::collections::BTreeMap;
use std::ops::Range;

use jiff::civil::Date;
use serde_json::json;

use crate::base::json::Json;
use crate::fields::filter::cond::Op;
use crate::fields::kind::Cx;
use crate::fields::kind::tally::{Answer, Members, Tally};
use crate::fields::report::chart::{Bar, Chart, Label, of_dates};
use crate::fields::report::{count, described, list, members};

/// Maximum bars: more days become months, more months years.
const MOST: usize = 366;

/// The unit that dates are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// `YYYY-MM-DD`
    Day,
    /// `YYYY-MM`
    Month,
    /// `YYYY`
    Year,
}

impl Per {
    const ALL: [(&'static str, Self); 3] = [("day", Self::Day), ("month", Self::Month), ("year", Self::Year)];

    fn name(self) -> &'static str {
        let mut all = Self::ALL.iter();
        all.find(|(_, per)| *per == self).map_or("", |(name, _)| name)
    }

    /// Characters of its texts.
    fn length(self) -> usize {
        match self {
            Self::Day => 10,
            Self::Month => 7,
            Self::Year => 4,
        }
    }

    fn cut(self, date: &str) -> &str {
        date.get(..self.length()).unwrap_or(date)
    }

    fn coarser(self) -> Option<Self> {
        match self {
            Self::Day => Some(Self::Month),
            Self::Month => Some(Self::Year),
            Self::Year => None,
        }
    }
}

/// Number of units from the first date to the last.
fn span(per: Per, counts: &BTreeMap<String, u64>) -> usize {
    let number = |text: &str, range: Range<usize>| text.get(range).and_then(|part| part.parse::<i64>().ok());
    let place = |date: &String| -> Option<i64> {
        let months = number(date, 0..4)? * 12 + number(date, 5..7).unwrap_or(1);
        Some(match per {
            Per::Year => months / 12,
            Per::Month => months,
            Per::Day => {
                let day: Date = date.parse().ok()?;
                i64::from((day - Date::constant(1, 1, 1)).get_days())
            }
        })
    };
    let ends = counts.first_key_value().zip(counts.last_key_value());
    let places = ends.and_then(|((first, _), (last, _))| Some(place(last)? - place(first)? + 1));
    places.map_or(counts.len(), |span| usize::try_from(span).unwrap_or(usize::MAX))
}

/// Tally of dates.
pub struct Dates {
    per: Per,
    counts: BTreeMap<String, u64>,
    ends: Option<(String, String)>,
}

impl Dates {
    /// Starts with days or months.
    pub fn new(per: Per) -> Self {
        Self { per, counts: BTreeMap::new(), ends: None }
    }

    fn count(&mut self, date: &str, by: u64) {
        let cut = self.per.cut(date);
        if let Some(count) = self.counts.get_mut(cut) {
            *count += by;
            return;
        }
        self.counts.insert(cut.to_owned(), by);
        if self.counts.len() > MOST
            && let Some(coarser) = self.per.coarser()
        {
            self.per = coarser;
            for (date, count) in std::mem::take(&mut self.counts) {
                self.count(&date, count);
            }
        }
    }
}

impl Dates {
    /// A bar for each unit with dates; `is_whole` says that the dates have days. Bars are placed by time, so the unit
    /// is larger if few dates are far apart.
    fn bars(&self, is_whole: bool) -> Vec<Bar> {
        let (mut per, mut counts) = (self.per, self.counts.clone());
        while let (true, Some(coarser)) = (span(per, &counts) > MOST, per.coarser()) {
            per = coarser;
            for (date, count) in std::mem::take(&mut counts) {
                *counts.entry(per.cut(&date).to_owned()).or_default() += count;
            }
        }
        let bars = counts.iter();
        bars.map(|(date, count)| Bar::new(Label::Date(date.clone()), *count, Some(of_dates(date, is_whole)))).collect()
    }
}

/// Gives columns over time the unit and the ends of those of more dates, so that both compare.
pub fn align(own: &mut Chart, all: &Chart) {
    match (own, all) {
        (Chart::Columns { bars, ends: Some((earliest, _)) }, Chart::Columns { bars: all, .. }) => {
            let (Some(Label::Date(first)), Some(Label::Date(last))) =
                (all.first().map(|bar| &bar.label), all.last().map(|bar| &bar.label))
            else {
                return;
            };
            let (length, is_whole) = (first.len(), earliest.len() >= Per::Day.length());
            let is_found = bars.iter().any(|bar| bar.found.is_some());
            let mut counts: BTreeMap<&str, u64> = [(first.as_str(), 0), (last.as_str(), 0)].into();
            for bar in bars.iter() {
                if let Label::Date(date) = &bar.label {
                    *counts.entry(date.get(..length).unwrap_or(date)).or_default() += bar.count;
                }
            }
            let aligned = counts.into_iter().map(|(date, count)| {
                let found = (is_found && count > 0).then(|| of_dates(date, is_whole));
                Bar::new(Label::Date(date.to_owned()), count, found)
            });
            *bars = aligned.collect();
        }
        (
            Chart::Columned(parts) | Chart::Parts { parts, .. },
            Chart::Columned(all) | Chart::Parts { parts: all, .. },
        ) => {
            parts.iter_mut().zip(all).for_each(|(own, all)| align(&mut own.chart, &all.chart));
        }
        _ => {}
    }
}

impl Tally for Dates {
    fn add(&mut self, answer: &Answer) -> bool {
        let Some(date) = answer.stored.as_str() else {
            return false;
        };
        self.count(date, answer.times);
        match &mut self.ends {
            None => self.ends = Some((date.to_owned(), date.to_owned())),
            // Dates of one precision sort as text.
            Some((first, _)) if date < first.as_str() => date.clone_into(first),
            Some((_, last)) if date > last.as_str() => date.clone_into(last),
            Some(_) => {}
        }
        true
    }

    fn only_counts(&self, _: &Json) -> bool {
        true
    }

    fn result(&self, _: &Cx) -> Members {
        let (first, last) = match &self.ends {
            Some((first, last)) => (json!(first), json!(last)),
            None => (Json::Null, Json::Null),
        };
        let dates = self.counts.iter();
        let dates = dates.map(|(date, count)| json!({"date": date, "count": count}));
        members([("min", first), ("max", last), ("per", json!(self.per.name())), ("dates", dates.collect())])
    }

    fn schema(&self) -> Members {
        let date = || json!({"type": ["string", "null"]});
        let dates = list([("date", json!({"type": "string"})), ("count", count())]);
        let per = json!({"enum": Per::ALL.map(|(name, _)| name)});
        members([
            ("min", described(date(), "The earliest.")),
            ("max", described(date(), "The latest.")),
            ("per", described(per, "The unit of counting: days, or larger units if there are too many.")),
            (
                "dates",
                described(dates, "The number of values for each unit, in order; units without values are left out."),
            ),
        ])
    }

    fn chart(&self, _: &Cx) -> Chart {
        let is_whole = self.ends.as_ref().is_some_and(|(first, _)| first.len() >= Per::Day.length());
        Chart::Columns { bars: self.bars(is_whole), ends: self.ends.clone() }
    }
}

/// Tally of times of day.
pub struct Hours {
    counts: [u64; 24],
    has_seconds: bool,
}

impl Hours {
    pub fn new(has_seconds: bool) -> Self {
        Self { counts: [0; 24], has_seconds }
    }
}

impl Tally for Hours {
    fn add(&mut self, answer: &Answer) -> bool {
        let hour = answer.stored["hour"].as_u64();
        let hour = hour.and_then(|hour| self.counts.get_mut(usize::try_from(hour).ok()?));
        hour.map(|count| *count += answer.times).is_some()
    }

    fn only_counts(&self, _: &Json) -> bool {
        true
    }

    fn result(&self, _: &Cx) -> Members {
        let hours = self.counts.iter().enumerate();
        let hours = hours.map(|(hour, count)| json!({"hour": hour, "count": count}));
        members([("hours", hours.collect())])
    }

    fn schema(&self) -> Members {
        let hour = json!({"type": "integer", "minimum": 0, "maximum": 23});
        let hours = list([("hour", hour), ("count", count())]);
        members([("hours", described(hours, "The number of values in each hour of the day."))])
    }

    fn chart(&self, _: &Cx) -> Chart {
        let bars = self.counts.iter().enumerate();
        let bars = bars.map(|(hour, count)| {
            // With seconds after the minutes, the text would be found in their place too.
            let found = (!self.has_seconds).then(|| vec![(Op::Like, json!(format!("{hour:02}:")))]);
            Bar::new(Label::Hour(hour), *count, found)
        });
        Chart::Columns { bars: bars.collect(), ends: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_days_become_months_and_months_years() {
        let mut dates = Dates::new(Per::Day);
        for day in 1..=28 {
            for month in 1..=12 {
                dates.count(&format!("2026-{month:02}-{day:02} 10:00"), 1);
            }
        }
        assert_eq!((dates.per, dates.counts.len()), (Per::Day, 336));
        assert_eq!(dates.counts["2026-02-28"], 1);
        for day in 1..=31 {
            dates.count(&format!("2027-01-{day:02}"), 1);
        }
        assert_eq!((dates.per, dates.counts.len()), (Per::Month, 13));
        assert_eq!((dates.counts["2026-02"], dates.counts["2027-01"]), (28, 31));
        for year in 1000..1400 {
            dates.count(&format!("{year}-05-01"), 1);
        }
        assert_eq!((dates.per, dates.counts["2026"]), (Per::Year, 336));
        assert_eq!(dates.counts.len(), 402);
    }

    #[test]
    fn columns_of_a_group_have_the_unit_and_the_ends_of_all() {
        let chart = |all: &[&str]| {
            let mut dates = Dates::new(Per::Day);
            all.iter().for_each(|date| dates.count(date, 1));
            dates.ends = all.first().zip(all.last()).map(|(first, last)| (String::from(*first), String::from(*last)));
            dates.chart(&Cx::of_a_test(false))
        };
        let few = ["2026-02-27", "2026-02-28", "2026-03-01"];
        let told = |all: &[&str]| {
            let mut own = chart(&few);
            align(&mut own, &chart(all));
            let bars = own.bars().iter();
            let bars = bars.map(|bar| (bar.label.clone(), bar.count, bar.found.clone()));
            bars.collect::<Vec<_>>()
        };
        let bar =
            |date: &str, count: u64| (Label::Date(date.to_owned()), count, (count > 0).then(|| of_dates(date, true)));
        // All of them are days.
        let days = [bar("2026-02-27", 1), bar("2026-02-28", 1), bar("2026-03-01", 1), bar("2026-03-04", 0)];
        assert_eq!(told(&[few[0], few[1], few[2], "2026-03-04"]), days);
        // Months, and years.
        let months = [bar("2025-01", 0), bar("2026-02", 2), bar("2026-03", 1)];
        assert_eq!(told(&["2025-01-31", few[0], few[1], few[2]]), months);
        assert_eq!(told(&["1950-01-31", few[0], few[1], few[2]]), [bar("1950", 0), bar("2026", 3)]);
        // Nothing is added where a group has no dates.
        let mut none = chart(&[]);
        align(&mut none, &chart(&few));
        assert!(none.bars().is_empty());
    }
}
