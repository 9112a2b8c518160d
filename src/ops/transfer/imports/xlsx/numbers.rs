//! Numbers in cells: dates, times and durations are numbers too, and only the format says so.

use jiff::ToSpan as _;
use jiff::civil;

/// The most custom formats of a workbook.
pub const MAX_CODES: usize = 10_000;
const SECONDS_OF_A_DAY: i64 = 86_400;
/// The day after the last one of the calendar, 9999-12-31.
const END: f64 = 2_958_466.0;
/// The days between the epochs 1900 and 1904.
const DAYS_TO_1904: i64 = 1_462;
/// The 29th of February 1900, which spreadsheets count although it never was.
const NO_DAY: i64 = 60;
/// Digits that a float always keeps.
const SAFE_DIGITS: usize = 15;

/// The kind of value that a format turns a number into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Plain,
    /// A day, a time, or both.
    Moment,
    /// Hours, minutes or seconds, as many as there are.
    Duration(Unit),
}

/// The largest unit of a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Hours,
    Minutes,
    Seconds,
}

impl Format {
    /// A format that every program has, by its number (ECMA-376 part 1, 18.8.30). Some are dates only in East Asia.
    pub fn built_in(id: &str) -> Self {
        match id.parse::<u32>() {
            Ok(14..=22 | 27..=36 | 45 | 47 | 50..=58) => Self::Moment,
            Ok(46) => Self::Duration(Unit::Hours),
            _ => Self::Plain,
        }
    }

    /// A format by its code, such as `dd.mm.yyyy`. The first section counts, which is that of positive numbers.
    pub fn of_code(code: &str) -> Self {
        let mut letters = code.chars();
        while let Some(letter) = letters.next() {
            match letter {
                ';' => break,
                '"' => {
                    letters.by_ref().find(|c| *c == '"');
                }
                // The next character is shown, skipped or repeated.
                '\\' | '_' | '*' => {
                    letters.next();
                }
                '[' => {
                    let inner: String = letters.by_ref().take_while(|c| *c != ']').collect();
                    if let Some(unit) = Unit::of(&inner) {
                        return Self::Duration(unit);
                    }
                }
                'd' | 'm' | 'h' | 'y' | 's' | 'D' | 'M' | 'H' | 'Y' | 'S' => return Self::Moment,
                _ => {}
            }
        }
        Self::Plain
    }

    /// A number of this format as text: dates as ISO 8601 writes them, and times rounded to the second as spreadsheets
    /// show them.
    pub fn text(self, value: f64, is_1904: bool) -> String {
        match self {
            Self::Moment if (0.0..END).contains(&value) => moment(value, is_1904).unwrap_or_else(|| plain(value)),
            Self::Duration(unit) if value.abs() < END => unit.text(value),
            _ => plain(value),
        }
    }
}

impl Unit {
    /// The unit in the brackets of a format: `[hh]`.
    fn of(inner: &str) -> Option<Self> {
        let first = inner.chars().next()?.to_ascii_lowercase();
        let unit = match first {
            'h' => Self::Hours,
            'm' => Self::Minutes,
            's' => Self::Seconds,
            _ => return None,
        };
        inner.chars().all(|c| c.eq_ignore_ascii_case(&first)).then_some(unit)
    }

    /// A time of day if it may be one; else as many hours, minutes or seconds as the format shows.
    fn text(self, days: f64) -> String {
        let all = seconds(days);
        let (sign, all) = (if all < 0 { "-" } else { "" }, all.abs());
        let (minutes, second) = (all / 60, all % 60);
        let is_time = sign.is_empty() && all < SECONDS_OF_A_DAY;
        match self {
            Self::Minutes if !is_time => format!("{sign}{minutes}:{second:02}"),
            Self::Seconds if !is_time => format!("{sign}{all}"),
            _ => format!("{sign}{:02}:{:02}:{second:02}", minutes / 60, minutes % 60),
        }
    }
}

/// Rounded, since a float can't keep most of them: 12:30 is often a little less.
fn seconds(days: f64) -> i64 {
    (days * SECONDS_OF_A_DAY as f64).round() as i64
}

/// `None` for a day that no calendar has.
fn moment(value: f64, is_1904: bool) -> Option<String> {
    let all = seconds(value);
    let time = civil::Time::midnight().wrapping_add((all % SECONDS_OF_A_DAY).seconds());
    let time = time.strftime("%H:%M:%S");
    if value < 1.0 {
        return Some(time.to_string());
    }
    let date = date(all / SECONDS_OF_A_DAY, is_1904)?;
    Some(if all % SECONDS_OF_A_DAY == 0 { date } else { format!("{date} {time}") })
}

fn date(days: i64, is_1904: bool) -> Option<String> {
    let days = if is_1904 { days + DAYS_TO_1904 } else { days };
    if days == NO_DAY {
        return Some("1900-02-29".to_owned());
    }
    let since_no_day = if days < NO_DAY { days + 1 } else { days };
    let date = civil::date(1899, 12, 30).checked_add(since_no_day.days());
    date.ok().map(|date| date.to_string())
}

/// A number in plain digits.
pub fn plain(value: f64) -> String {
    // Negative zero is zero.
    if value == 0.0 { "0".to_owned() } else { value.to_string() }
}

/// A number as its cell has it. A whole number with more digits than a float keeps stays as it is written.
pub fn read(written: &str) -> Option<(f64, Option<&str>)> {
    let written = written.trim();
    let value: f64 = written.parse().ok().filter(|value: &f64| value.is_finite())?;
    let digits = written.strip_prefix('-').unwrap_or(written);
    let is_long = digits.len() > SAFE_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    Some((value, is_long.then_some(written)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_say_what_a_number_is() {
        for (code, format) in [
            ("General", Format::Plain),
            ("0.00E+00", Format::Plain),
            ("#,##0.00 \"DM\"", Format::Plain),
            ("#,##0 [$€-407]", Format::Plain),
            ("[Red]-0;[Blue]d", Format::Plain),
            ("0\\d", Format::Plain),
            ("0_d*s", Format::Plain),
            ("dd.mm.yyyy", Format::Moment),
            ("[$-407]d. mmmm yyyy", Format::Moment),
            ("[Blue][>=100]hh:mm", Format::Moment),
            ("[h]:mm:ss", Format::Duration(Unit::Hours)),
            ("[HH]:mm", Format::Duration(Unit::Hours)),
            ("[Red][mm]:ss", Format::Duration(Unit::Minutes)),
            ("[s]", Format::Duration(Unit::Seconds)),
            ("yyyy\"年\"m\"月\"d\"日\"", Format::Moment),
            ("[", Format::Plain),
            ("\"", Format::Plain),
            ("", Format::Plain),
        ] {
            assert_eq!(Format::of_code(code), format, "{code}");
        }
    }

    #[test]
    fn moments_are_rounded_to_the_second() {
        for (value, text) in [
            (46_000.520_833_3, "2025-12-09 12:30:00"),
            (0.520_833_3, "12:30:00"),
            (0.999_999_999, "00:00:00"),
            (46_000.999_999_99, "2025-12-10"),
            (46_000.0, "2025-12-09"),
            (1.0, "1900-01-01"),
            (59.0, "1900-02-28"),
            (60.0, "1900-02-29"),
            (61.0, "1900-03-01"),
            (2_958_465.0, "9999-12-31"),
            (2_958_466.0, "2958466"),
            // A number outside the calendar stays a number, which the question refuses.
            (2_958_465.999_999_9, "2958465.9999999"),
            (-1.5, "-1.5"),
            (0.0, "00:00:00"),
        ] {
            assert_eq!(Format::Moment.text(value, false), text, "{value}");
        }
        assert_eq!(Format::Moment.text(44_538.5, true), "2025-12-09 12:00:00");
        assert_eq!(Format::Moment.text(0.5, true), "12:00:00");
        assert_eq!(Format::Moment.text(2_957_100.0, true), "2957100");
        assert_eq!(Format::Plain.text(72.5, false), "72.5");
        assert_eq!(Format::Plain.text(-0.0, false), "0");
    }

    #[test]
    fn long_durations_are_read_as_they_are_shown() {
        for (unit, days, text) in [
            (Unit::Hours, 1.0625, "25:30:00"),
            (Unit::Hours, 0.395_833_3, "09:30:00"),
            (Unit::Hours, 5.0, "120:00:00"),
            (Unit::Hours, -0.5, "-12:00:00"),
            (Unit::Minutes, 0.0625, "01:30:00"),
            (Unit::Minutes, 1.0625, "1530:00"),
            (Unit::Seconds, 1.0, "86400"),
        ] {
            assert_eq!(Format::Duration(unit).text(days, false), text, "{unit:?} {days}");
        }
    }
}
