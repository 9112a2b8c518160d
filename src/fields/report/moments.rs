//! When entries came: by day, week, month or year, whichever gives columns that can be told apart.

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{ToSpan as _, Zoned};
use serde_json::json;

use crate::base::clock::Time;
use crate::fields::filter::cond::Op;
use crate::fields::report::chart::{Bar, Label, of_dates};

/// Maximum columns, also those without entries: more days become weeks, more weeks months, more months years.
const MOST: i64 = 62;

/// The unit that entries are counted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    #[default]
    Day,
    /// From Monday to Sunday.
    Week,
    Month,
    Year,
}

impl Unit {
    const ALL: [Self; 4] = [Self::Day, Self::Week, Self::Month, Self::Year];

    /// The first day of the unit that a day lies in.
    fn begin(self, day: Date) -> Date {
        match self {
            Self::Day => day,
            Self::Week => {
                let back = i64::from(day.weekday().to_monday_zero_offset());
                day.checked_sub(back.days()).unwrap_or(Date::MIN)
            }
            Self::Month => day.first_of_month(),
            Self::Year => day.first_of_year(),
        }
    }

    /// How many units there are from the first day to the last.
    fn span(self, first: Date, last: Date) -> i64 {
        let months = |day: Date| i64::from(day.year()) * 12 + i64::from(day.month());
        1 + match self {
            Self::Day => i64::from((last - first).get_days()),
            Self::Week => i64::from((self.begin(last) - self.begin(first)).get_days()) / 7,
            Self::Month => months(last) - months(first),
            Self::Year => i64::from(last.year() - first.year()),
        }
    }

    /// The column of the unit that begins on this day.
    fn bar(self, begin: Date, count: u64) -> Bar {
        let day = begin.to_string();
        let cut = |length: usize| day.get(..length).unwrap_or(&day).to_owned();
        let of_text = |text: String| {
            let found = of_dates(&text, true);
            Bar::new(Label::Date(text), count, Some(found))
        };
        match self {
            Self::Day => of_text(day),
            Self::Month => of_text(cut(7)),
            Self::Year => of_text(cut(4)),
            Self::Week => {
                let last = begin.checked_add(6.days()).unwrap_or(Date::MAX).to_string();
                let found = vec![(Op::Between, json!([day, last]))];
                Bar::new(Label::Week(day), count, Some(found))
            }
        }
    }
}

/// Counts moments by the day that they fall on in a time zone.
#[derive(Default)]
pub struct Moments {
    by_day: BTreeMap<Date, u64>,
    ends: Option<(Time, Time)>,
    /// The day that the last one fell on, from its first millisecond to that of the next: neighbours mostly share it.
    known: Option<(i64, i64, Date)>,
}

/// What they come to.
#[derive(Clone, Debug, Default)]
pub struct OverTime {
    /// The earliest and the latest.
    pub ends: Option<(Time, Time)>,
    pub unit: Unit,
    /// One a unit with entries, in their order.
    pub bars: Vec<Bar>,
    /// The day with the most entries, the first of several.
    pub busiest: Option<Bar>,
}

impl Moments {
    pub fn add(&mut self, at: Time, zone: &TimeZone) {
        self.ends = Some(self.ends.map_or((at, at), |(first, last)| (first.min(at), last.max(at))));
        let day = self.day_of(at, zone);
        *self.by_day.entry(day).or_default() += 1;
    }

    fn day_of(&mut self, at: Time, zone: &TimeZone) -> Date {
        let millis = at.millis();
        let is_known = |(from, to, _): &&(i64, i64, Date)| (*from..*to).contains(&millis);
        if let Some((_, _, day)) = self.known.as_ref().filter(is_known) {
            return *day;
        }
        let local = at.timestamp().to_zoned(zone.clone());
        let millis_of = |it: &Zoned| it.timestamp().as_millisecond();
        let start = local.start_of_day();
        let end = start.as_ref().ok().and_then(|start| start.tomorrow().ok()).and_then(|next| next.start_of_day().ok());
        self.known = start.ok().zip(end).map(|(start, end)| (millis_of(&start), millis_of(&end), local.date()));
        local.date()
    }

    pub fn result(&self) -> OverTime {
        let days = self.by_day.first_key_value().zip(self.by_day.last_key_value());
        let Some(((first, _), (last, _))) = days else {
            return OverTime::default();
        };
        let unit = Unit::ALL.into_iter().find(|unit| unit.span(*first, *last) <= MOST).unwrap_or(Unit::Year);
        let mut counts: BTreeMap<Date, u64> = BTreeMap::new();
        for (day, count) in &self.by_day {
            *counts.entry(unit.begin(*day)).or_default() += count;
        }
        // Of equal ones the last of the reverse order is taken: the first day.
        let busiest = self.by_day.iter().rev().max_by_key(|(_, count)| **count);
        OverTime {
            ends: self.ends,
            unit,
            bars: counts.into_iter().map(|(begin, count)| unit.bar(begin, count)).collect(),
            busiest: busiest.map(|(day, count)| Unit::Day.bar(*day, *count)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(moments: &[&str], zone: &str) -> OverTime {
        let zone = TimeZone::get(zone).expect("a zone");
        let mut all = Moments::default();
        for moment in moments {
            all.add(Time::parse(moment).expect("a moment"), &zone);
        }
        all.result()
    }

    fn told(over_time: &OverTime) -> Vec<(Label, u64)> {
        over_time.bars.iter().map(|bar| (bar.label.clone(), bar.count)).collect()
    }

    #[test]
    fn a_moment_falls_on_the_day_of_its_time_zone() {
        let moments = ["2026-05-03T22:30:00Z", "2026-05-03T15:59:59Z", "2026-05-03T16:00:00Z"];
        let there = of(&moments, "Asia/Shanghai");
        let day = |day: &str| Label::Date(day.to_owned());
        assert_eq!((there.unit, told(&there)), (Unit::Day, vec![(day("2026-05-03"), 1), (day("2026-05-04"), 2)]));
        assert_eq!(there.busiest.expect("a day").label, day("2026-05-04"));
        assert_eq!(told(&of(&moments, "UTC")), [(day("2026-05-03"), 3)]);
        assert_eq!(told(&of(&[], "UTC")), []);
    }

    #[test]
    fn the_unit_grows_with_the_range() {
        let from = "2026-01-01T12:00:00Z";
        for (to, unit) in [
            ("2026-03-03T12:00:00Z", Unit::Day),
            ("2026-03-04T12:00:00Z", Unit::Week),
            ("2027-03-07T12:00:00Z", Unit::Week),
            ("2027-03-08T12:00:00Z", Unit::Month),
            ("2031-02-01T12:00:00Z", Unit::Month),
            ("2031-03-01T12:00:00Z", Unit::Year),
        ] {
            let over_time = of(&[to, from, from], "UTC");
            assert_eq!(over_time.unit, unit, "{to}");
            assert_eq!(over_time.bars.iter().map(|bar| bar.count).collect::<Vec<_>>(), [2, 1], "{to}");
            // Which day had most is known in each unit.
            let busiest = over_time.busiest.expect("a day");
            assert_eq!((busiest.label, busiest.count), (Label::Date("2026-01-01".to_owned()), 2), "{to}");
        }
    }

    #[test]
    fn a_week_goes_from_monday_to_sunday() {
        let over_time = of(&["2026-05-10T12:00:00Z", "2026-05-11T12:00:00Z", "2026-09-01T12:00:00Z"], "UTC");
        let week = |day: &str| Label::Week(day.to_owned());
        assert_eq!(told(&over_time), [(week("2026-05-04"), 1), (week("2026-05-11"), 1), (week("2026-08-31"), 1)]);
        assert_eq!(over_time.bars[0].found, Some(vec![(Op::Between, json!(["2026-05-04", "2026-05-10"]))]));
        // Of equal days the first is told.
        assert_eq!(over_time.busiest.expect("a day").label, Label::Date("2026-05-10".to_owned()));
    }
}
