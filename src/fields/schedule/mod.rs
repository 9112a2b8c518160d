//! When something can be booked (contract 3.1, `quota_setting`): on days of the week, or in time slots of them, within
//! a window of dates.

pub mod occupancy;

use std::collections::HashSet;

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use serde::{Serialize, Serializer};
use serde_json::json;

use crate::base::clock;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Things};
use crate::fields::definition::items::{self, code_within};
use crate::fields::display::dates::{Precision, precision_of};
use crate::fields::kind::{BuildCx, Counters, Cx, Limit};

const MAX_QUOTA: i64 = u32::MAX as i64;
const MAX_DAYS: i64 = 3660;
const MAX_CLOSED: usize = 1000;
const MAX_SLOTS: usize = 1000;
const DAY: i16 = 24 * 60;

/// The unit that a booking takes a place of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scheme {
    /// A day.
    Weekly,
    /// A slot of a day.
    TimeRange,
}

/// The `quota_setting` of a reservation item.
#[derive(Debug, Serialize)]
pub struct Schedule {
    /// Days or slots.
    #[serde(rename = "kind")]
    pub scheme: Scheme,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_date: Option<Date>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_date: Option<Date>,
    /// Days without bookings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub closed_dates: Vec<Date>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_days_ahead: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_days_ahead: Option<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    weekly_quotas: Vec<DayQuota>,
    /// The slots of all days.
    #[serde(rename = "daily_time_range_quotas", skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<Slot>,
}

#[derive(Debug, Serialize)]
struct DayQuota {
    weekday: i64,
    quota: Option<i64>,
}

/// A time slot on one day of the week.
#[derive(Debug, Serialize)]
pub struct Slot {
    /// Its code within the item.
    pub code: String,
    /// Monday is 1.
    pub weekday: i64,
    pub start_time: Clock,
    /// On the same day, at midnight at the latest.
    pub end_time: Clock,
    /// Places on each day; `None` for any number.
    pub quota: Option<i64>,
    /// The item's code and its own.
    #[serde(skip)]
    pub path: String,
}

/// A time of day in minutes; `24:00` is the end of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Clock(i16);

impl Clock {
    fn parse(text: &str) -> Option<Self> {
        let (hour, minute) = text.split_once(':')?;
        let two = |part: &str| {
            let is_plain = part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
            part.parse::<i16>().ok().filter(|_| is_plain)
        };
        let (hour, minute) = (two(hour)?, two(minute)?);
        let minutes = hour * 60 + minute;
        (minute < 60 && minutes <= DAY).then_some(Self(minutes))
    }

    /// This time on a day, on the wall clock.
    pub fn on(self, day: Date) -> DateTime {
        let midnight = day.to_datetime(Time::midnight());
        // Only the last day of the calendar has no following day.
        midnight.checked_add(Span::new().minutes(self.0)).unwrap_or(midnight)
    }
}

impl std::fmt::Display for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:02}:{:02}", self.0 / 60, self.0 % 60)
    }
}

impl Serialize for Clock {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl Schedule {
    /// Reads `quota_setting` of the item with this code.
    pub fn read(item: &mut Reader, cx: &BuildCx, item_code: &str) -> Option<Self> {
        let schemes = [("weekly", Scheme::Weekly), ("time_range", Scheme::TimeRange)];
        item.object("quota_setting", |own| {
            let scheme = own.word("kind", &schemes);
            let start_date = read_date(own, "start_date");
            let end_date = read_date(own, "end_date");
            if let (Some(start), Some(end)) = (start_date, end_date)
                && end < start
            {
                own.fault("end_date", Reason::other("must not be before start_date"));
            }
            let min_days_ahead = own.opt_int("min_days_ahead", 0..=MAX_DAYS);
            let max_days_ahead = own.opt_int("max_days_ahead", 0..=MAX_DAYS);
            if let (Some(min), Some(max)) = (min_days_ahead, max_days_ahead)
                && max < min
            {
                own.fault("max_days_ahead", Reason::LessThan("min_days_ahead"));
            }
            let closed_dates = read_dates(own, "closed_dates");
            let weekly_quotas =
                if scheme == Some(Scheme::TimeRange) { Vec::new() } else { read_days(own, scheme.is_some()) };
            let slots = if scheme == Some(Scheme::Weekly) {
                Vec::new()
            } else {
                read_slots(own, cx, item_code, scheme.is_some())
            };
            Some(Self {
                scheme: scheme?,
                start_date,
                end_date,
                closed_dates,
                min_days_ahead,
                max_days_ahead,
                weekly_quotas,
                slots,
            })
        })?
    }

    /// The first and last day that can be booked now. Only respondents may not book past days, so for other callers a
    /// limit in days from today does not apply to those.
    pub fn window(&self, is_past: bool, cx: &Cx) -> (Option<Date>, Option<Date>) {
        let today = today(cx);
        let ahead = |days: i64| today.checked_add(Span::new().days(days)).ok();
        let least = if is_past && !cx.respondent {
            None
        } else if cx.respondent || self.min_days_ahead.is_some() {
            ahead(self.min_days_ahead.unwrap_or_default())
        } else {
            None
        };
        let most = self.max_days_ahead.and_then(ahead);
        let last = match (self.end_date, most) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        (self.start_date.max(least), last)
    }

    /// Why nothing can be booked on a day.
    pub fn day_fault(&self, day: Date, cx: &Cx) -> Option<Reason> {
        let (first, last) = self.window(day < today(cx), cx);
        if let Some(first) = first.filter(|first| day < *first) {
            return Some(Reason::NotBefore(first.to_string()));
        }
        if let Some(last) = last.filter(|last| day > *last) {
            return Some(Reason::NotAfter(last.to_string()));
        }
        (!self.is_open_on(day)).then_some(Reason::DayClosed)
    }

    /// Whether the day is one of its days of the week, and not closed.
    pub fn is_open_on(&self, day: Date) -> bool {
        self.weekdays().contains(&weekday(day)) && !self.closed_dates.contains(&day)
    }

    /// The days of the week that can be booked.
    pub fn weekdays(&self) -> Vec<i64> {
        let days = self.weekly_quotas.iter().map(|quota| quota.weekday);
        let mut days: Vec<i64> = days.chain(self.slots.iter().map(|slot| slot.weekday)).collect();
        days.sort_unstable();
        days.dedup();
        days
    }

    /// The slots of a day that start at this time.
    pub fn slots_from(&self, day: Date, at: When, timezone: &TimeZone) -> Vec<&Slot> {
        let of_day = self.slots.iter().filter(|slot| slot.weekday == weekday(day));
        of_day.filter(|slot| at.is(slot.start_time.on(day), timezone)).collect()
    }

    /// Whether a slot has begun on this day. At a change of the clock the earlier of two equal times counts.
    pub fn has_begun(slot: &Slot, day: Date, cx: &Cx) -> bool {
        let start = cx.timezone.to_timestamp(slot.start_time.on(day));
        start.is_ok_and(|start| start < cx.now.timestamp())
    }

    /// The number of places on a day, or in a slot of it, and where it is set.
    pub fn limit(&self, day: Date, slot: Option<&str>) -> Option<Limit> {
        let weekday = weekday(day);
        match slot {
            None => {
                let own = |quota: &DayQuota| quota.weekday == weekday;
                let place = self.weekly_quotas.iter().position(own)?;
                let at = || format!("weekly_quotas[{place}].quota");
                Limit::of(self.weekly_quotas[place].quota, at)
            }
            Some(code) => {
                let own = |slot: &Slot| slot.code == code;
                let place = self.slots.iter().position(own)?;
                let at = || format!("daily_time_range_quotas[{place}].quota");
                Limit::of(self.slots[place].quota, at)
            }
        }
    }

    /// Whether the number of places on a day of the week, or in this slot, is limited.
    pub fn has_limit(&self, weekday: i64, slot: Option<&str>) -> bool {
        match slot {
            None => {
                let own = self.weekly_quotas.iter();
                let mut own = own.filter(|quota| quota.weekday == weekday);
                own.any(|quota| quota.quota.is_some())
            }
            Some(code) => {
                let mut own = self.slots.iter().filter(|slot| slot.code == code);
                own.any(|slot| slot.quota.is_some())
            }
        }
    }

    /// The next day of the week that can be booked now, or on which this slot can.
    pub fn next_day(&self, weekday: i64, slot: Option<&str>, cx: &Cx) -> Option<Date> {
        let slot = slot.and_then(|code| self.slots.iter().find(|slot| slot.code == code));
        let (first, last) = self.window(false, cx);
        let mut day = first.unwrap_or_else(|| today(cx));
        while self::weekday(day) != weekday {
            day = day.tomorrow().ok()?;
        }
        // Up to this many may be closed, and today's slot may have begun.
        for _ in 0..=MAX_CLOSED + 1 {
            if last.is_some_and(|last| day > last) {
                return None;
            }
            if self.is_open_on(day) && !slot.is_some_and(|slot| Self::has_begun(slot, day, cx)) {
                return Some(day);
            }
            day = day.checked_add(Span::new().days(7)).ok()?;
        }
        None
    }
}

/// The counters of an item's days from one to another, and of their slots.
pub fn counters_between(item: &str, from: Date, to: Date) -> Counters {
    Counters { first: format!("{item}/{from}"), last: Counters::under(&format!("{item}/{to}")).last }
}

/// Monday is 1.
pub fn weekday(day: Date) -> i64 {
    i64::from(day.weekday().to_monday_one_offset())
}

/// Today's date in the form's timezone.
pub fn today(cx: &Cx) -> Date {
    cx.timezone.to_datetime(cx.now.timestamp()).date()
}

fn read_date(own: &mut Reader, key: &str) -> Option<Date> {
    own.note(key, || json!({"format": "date"}));
    let text = own.opt_text(key, 30)?;
    let found = date(&text);
    if found.is_none() {
        own.fault(key, Reason::MustBe(Expected::Date("YYYY-MM-DD")));
    }
    found
}

fn read_dates(own: &mut Reader, key: &str) -> Vec<Date> {
    let check = |text: &str| match date(text) {
        Some(_) => Ok(()),
        None => Err(Reason::MustBe(Expected::Date("YYYY-MM-DD"))),
    };
    let texts = own.opt_texts(key, 30, check).unwrap_or_default();
    if texts.len() > MAX_CLOSED {
        own.fault(key, Reason::too_many(MAX_CLOSED, Things::Other("days")));
    }
    let mut days: Vec<Date> = texts.iter().filter_map(|text| date(text)).collect();
    days.sort_unstable();
    days.dedup();
    days
}

/// `YYYY-MM-DD`.
pub fn date(text: &str) -> Option<Date> {
    let is_day = precision_of(text) == Some(Precision::Day);
    text.parse().ok().filter(|_| is_day)
}

fn read_weekday(own: &mut Reader) -> i64 {
    if !own.has("weekday") {
        own.fault("weekday", Reason::Required);
    }
    own.opt_int("weekday", 1..=7).unwrap_or_default()
}

/// Reads a number of places; null for any number.
fn read_quota(own: &mut Reader) -> Option<i64> {
    own.note("quota", || json!({"type": ["integer", "null"]}));
    own.opt_int("quota", 0..=MAX_QUOTA)
}

fn read_days(own: &mut Reader, is_needed: bool) -> Vec<DayQuota> {
    let mut seen = HashSet::new();
    if is_needed && !own.has("weekly_quotas") {
        own.fault("weekly_quotas", Reason::Required);
        return Vec::new();
    }
    own.note("weekly_quotas", || json!({"x-ui": "week"}));
    let days = own.opt_objects("weekly_quotas", |day| {
        let weekday = read_weekday(day);
        if weekday > 0 && !seen.insert(weekday) {
            day.fault("weekday", Reason::Repeated);
        }
        DayQuota { weekday, quota: read_quota(day) }
    });
    if days.as_ref().is_some_and(Vec::is_empty) {
        own.fault("weekly_quotas", Reason::other("must have at least one day"));
    }
    days.unwrap_or_default()
}

fn read_slots(own: &mut Reader, cx: &BuildCx, item_code: &str, is_needed: bool) -> Vec<Slot> {
    const KEY: &str = "daily_time_range_quotas";
    let mut seen = HashSet::new();
    if is_needed && !own.has(KEY) {
        own.fault(KEY, Reason::Required);
        return Vec::new();
    }
    let mut times = HashSet::new();
    own.note(KEY, || json!({"x-ui": "slots"}));
    let slots = own.opt_objects(KEY, |slot| {
        let code = code_within(item_code, "code", slot, cx, &mut seen);
        let weekday = read_weekday(slot);
        let start_time = read_clock(slot, "start_time", false);
        let end_time = read_clock(slot, "end_time", true);
        let quota = read_quota(slot);
        let (start_time, end_time) = (start_time?, end_time?);
        if end_time <= start_time {
            slot.fault("end_time", Reason::MustBe(Expected::Other("after start_time")));
        }
        if !times.insert((weekday, start_time.0, end_time.0)) {
            slot.fault("start_time", Reason::other("is listed twice with this end_time"));
        }
        Some(Slot { path: items::path(item_code, &code), code, weekday, start_time, end_time, quota })
    });
    let Some(slots) = slots else {
        return Vec::new();
    };
    if slots.is_empty() || slots.len() > MAX_SLOTS {
        own.fault(KEY, Reason::not_one_to(MAX_SLOTS, Things::Other("slots")));
    }
    slots.into_iter().flatten().collect()
}

fn read_clock(own: &mut Reader, key: &str, may_be_midnight: bool) -> Option<Clock> {
    if !own.has(key) {
        own.fault(key, Reason::Required);
    }
    own.note(key, || json!({"pattern": r"^\d\d:\d\d$"}));
    let text = own.opt_text(key, 30)?;
    let found = Clock::parse(&text).filter(|clock| may_be_midnight || clock.0 < DAY);
    if found.is_none() {
        own.fault(key, Reason::MustBe(Expected::Other("a time as HH:MM")));
    }
    found
}

/// A point in time as given in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// A date without a time.
    Day(Date),
    /// On the form's wall clock.
    Local(DateTime),
    /// With an offset.
    Moment(Timestamp),
}

impl When {
    /// Reads an ISO 8601 date or date-time.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > 64 {
            return None;
        }
        if let Some(day) = date(text) {
            return Some(Self::Day(day));
        }
        if let Some(moment) = clock::timestamp(text) {
            return Some(Self::Moment(moment));
        }
        // The parser also accepts a date alone, and passes over an offset or a zone, whether or not it can be one.
        let is_plain = |c: char| c.is_ascii_digit() || matches!(c, '-' | ':' | '.' | ',' | 'T' | 't' | ' ');
        let (day, time) = text.split_once(['T', 't', ' '])?;
        let is_local = time.contains(':') && !time.contains('-') && !day.starts_with('-') && text.chars().all(is_plain);
        let local: DateTime = text.parse().ok().filter(|_| is_local)?;
        (local.year() >= 1).then_some(Self::Local(local))
    }

    /// The form's wall clock time at this point.
    pub fn local(self, timezone: &TimeZone) -> DateTime {
        match self {
            Self::Day(day) => day.to_datetime(Time::midnight()),
            Self::Local(local) => local,
            Self::Moment(moment) => timezone.to_datetime(moment),
        }
    }

    /// Whether this is the given wall clock time, even one that a clock change skips.
    fn is(self, point: DateTime, timezone: &TimeZone) -> bool {
        match self {
            Self::Day(_) => false,
            Self::Local(local) => local == point,
            Self::Moment(moment) => {
                timezone.to_datetime(moment) == point || timezone.to_timestamp(point).is_ok_and(|at| at == moment)
            }
        }
    }

    /// The slot among these that ends at this time on a day.
    pub fn end_of<'s>(self, slots: &[&'s Slot], day: Date, timezone: &TimeZone) -> Option<&'s Slot> {
        let ends = |slot: &&&Slot| self.is(slot.end_time.on(day), timezone);
        slots.iter().find(ends).copied()
    }
}
