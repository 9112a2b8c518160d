//! The only module that reads the clock, and the `Time` type: milliseconds since 1970 in UTC.

use std::fmt;
use std::time::SystemTime;

use jiff::Timestamp;
use serde::de::{self, Deserialize, Deserializer};
use serde::{Serialize, Serializer};

/// A point in time, in whole milliseconds since 1970-01-01T00:00Z. Shown as RFC 3339 in UTC with
/// milliseconds (`2026-11-20T21:08:04.123Z`, contract section 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(i64);

impl Time {
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Whole seconds since 1970.
    pub const fn secs(self) -> i64 {
        self.0.div_euclid(1000)
    }

    pub const fn plus_secs(self, secs: i64) -> Self {
        Self(self.0 + secs * 1000)
    }

    pub const fn minus_secs(self, secs: i64) -> Self {
        Self(self.0 - secs * 1000)
    }

    /// Seconds from `earlier` to this time; negative if `earlier` is later.
    pub const fn secs_since(self, earlier: Self) -> i64 {
        (self.0 - earlier.0).div_euclid(1000)
    }

    pub fn timestamp(self) -> Timestamp {
        Timestamp::from_millisecond(self.0).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    /// For libraries that take the standard library's type.
    pub fn system(self) -> SystemTime {
        self.timestamp().into()
    }

    /// Parses RFC 3339. `None` if the text is not a date-time with an offset.
    pub fn parse(text: &str) -> Option<Self> {
        timestamp(text).map(|at| Self(at.as_millisecond()))
    }
}

/// The point in time that an ISO 8601 date-time with an offset names. `None` for what the parser below takes beyond
/// that: years with a sign, time zones in brackets, which may contradict the offset, and offsets of a day or more.
pub fn timestamp(text: &str) -> Option<Timestamp> {
    let is_plain = text.starts_with(|first: char| first.is_ascii_digit()) && !text.contains('[');
    let time = text.find(['T', 't', ' ']).map_or("", |at| &text[at..]);
    let offset = time.rfind(['+', '-']).and_then(|at| time.get(at + 1..at + 3));
    let is_within_day = offset.is_none_or(|hours| hours.parse::<u8>().is_ok_and(|hours| hours < 24));
    text.parse().ok().filter(|_| is_plain && is_within_day)
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.timestamp())
    }
}

impl From<Time> for serde_json::Value {
    fn from(time: Time) -> Self {
        Self::String(time.to_string())
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom("no date-time"))
    }
}

/// The current time. Callers read it once per transaction or request and pass it on.
pub fn now() -> Time {
    Time(Timestamp::now().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_utc_with_milliseconds() {
        let time = Time::from_millis(1_795_208_884_123);
        assert_eq!(time.to_string(), "2026-11-20T21:08:04.123Z");
        assert_eq!(Time::parse("2026-11-20T22:08:04.123+01:00"), Some(time));
        assert_eq!(Time::from_millis(0).to_string(), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn reads_offsets_within_a_day_and_no_zones_beside_them() {
        let noon = Time::parse("2026-12-01T12:00:00Z").expect("a time");
        for same in [
            "2026-12-01 12:00:00Z",
            "2026-12-01t12:00:00z",
            "2026-12-01T12:00-00:00",
            "2026-12-01T23:59:00+11:59",
            "2026-12-02T11:59:00+23:59",
            "2026-11-30T12:01:00-23:59",
            "20261201T120000Z",
            "2026-12-01T13+01",
        ] {
            assert_eq!(Time::parse(same), Some(noon), "{same}");
        }
        for bad in [
            "2026-12-02T12:00:00+24:00",
            "2026-12-02T13:00:00+25:00",
            "2026-11-30T12:00:00-24:00",
            "2026-12-01T13:00:00+01:00[Asia/Tokyo]",
            "2026-12-01T12:00:00Z[UTC]",
            "2026-12-01T12:00:00[UTC]",
            "+002026-12-01T12:00:00Z",
            "-000044-03-15T12:00:00Z",
            "2026-12-01T12:00:00",
            "2026-12-01",
            "",
            "+",
            "é",
        ] {
            assert_eq!(Time::parse(bad), None, "{bad}");
        }
    }
}
