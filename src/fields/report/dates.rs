//! Dates by day, month or year, whichever gives few enough; times by hour.

use std::collections::BTreeMap;

use serde_json::json;

use crate::base::json::Json;
use crate::fields::kind::Cx;
use crate::fields::kind::tally::{Answer, Members, Tally};
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

    fn cut(self, date: &str) -> &str {
        let length = match self {
            Self::Day => 10,
            Self::Month => 7,
            Self::Year => 4,
        };
        date.get(..length).unwrap_or(date)
    }

    fn coarser(self) -> Option<Self> {
        match self {
            Self::Day => Some(Self::Month),
            Self::Month => Some(Self::Year),
            Self::Year => None,
        }
    }
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

impl Tally for Dates {
    fn add(&mut self, answer: &Answer) -> bool {
        let Some(date) = answer.stored.as_str() else {
            return false;
        };
        self.count(date, 1);
        match &mut self.ends {
            None => self.ends = Some((date.to_owned(), date.to_owned())),
            // Dates of one precision sort as text.
            Some((first, _)) if date < first.as_str() => date.clone_into(first),
            Some((_, last)) if date > last.as_str() => date.clone_into(last),
            Some(_) => {}
        }
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
}

/// Tally of times of day.
#[derive(Default)]
pub struct Hours([u64; 24]);

impl Tally for Hours {
    fn add(&mut self, answer: &Answer) -> bool {
        let hour = answer.stored["hour"].as_u64();
        let hour = hour.and_then(|hour| self.0.get_mut(usize::try_from(hour).ok()?));
        hour.map(|count| *count += 1).is_some()
    }

    fn result(&self, _: &Cx) -> Members {
        let hours = self.0.iter().enumerate();
        let hours = hours.map(|(hour, count)| json!({"hour": hour, "count": count}));
        members([("hours", hours.collect())])
    }

    fn schema(&self) -> Members {
        let hour = json!({"type": "integer", "minimum": 0, "maximum": 23});
        let hours = list([("hour", hour), ("count", count())]);
        members([("hours", described(hours, "The number of values in each hour of the day."))])
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
}
