//! Naive dates and times as text: the values of `date`, and the date keys of other kinds. Text of a lower precision is
//! a prefix of that of a higher one, so texts sort as dates do.

use jiff::civil::DateTime;
use jiff::fmt::temporal::Pieces;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _, Unit, Zoned};
use serde::Serialize;

use crate::base::clock::Time;
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::{Expected, Reason};
use crate::base::text;
use crate::fields::filter::cond::{self, Cond, Key, Op};
use crate::fields::kind::Cx;

const NOT_ISO: Reason = Reason::MustBe(Expected::Other("an ISO 8601 date or date-time"));

/// The precision of a date. The text of each is a prefix of the next one's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// `YYYY-MM`.
    Month,
    /// `YYYY-MM-DD`.
    Day,
    /// `YYYY-MM-DD HH:mm`.
    Minute,
    /// `YYYY-MM-DD HH:mm:ss`.
    Second,
}

impl Precision {
    /// The names in definitions.
    pub const ALL: [(&'static str, Self); 4] =
        [("month", Self::Month), ("day", Self::Day), ("minute", Self::Minute), ("second", Self::Second)];

    /// Length of the text.
    pub const fn length(self) -> usize {
        match self {
            Self::Month => 7,
            Self::Day => 10,
            Self::Minute => 16,
            Self::Second => 19,
        }
    }

    /// The format, as shown to respondents.
    pub const fn shape(self) -> &'static str {
        match self {
            Self::Month => "YYYY-MM",
            Self::Day => "YYYY-MM-DD",
            Self::Minute => "YYYY-MM-DD HH:mm",
            Self::Second => "YYYY-MM-DD HH:mm:ss",
        }
    }

    /// Cuts text of a higher precision to this one.
    pub fn cut(self, text: &str) -> &str {
        text.get(..self.length()).unwrap_or(text)
    }

    fn of_len(len: usize) -> Option<Self> {
        Self::ALL.into_iter().map(|(_, precision)| precision).find(|p| p.length() == len)
    }
}

/// Completes a shorter text to its first moment.
pub const FIRST: &str = "0000-01-01 00:00:00";
const LAST: &str = "0000-12-31 23:59:59";
const SECONDS_OF_A_DAY: i32 = 86_400;
const NANOS_OF_A_MILLI: i32 = 1_000_000;
/// The last year of dates.
const LAST_YEAR: i16 = 9999;

/// The precision of a text, if that is a valid date.
pub fn precision_of(text: &str) -> Option<Precision> {
    let precision = Precision::of_len(text.len()).filter(|_| text.is_ascii())?;
    let whole = format!("{text}{}", &FIRST[text.len()..]);
    let shaped = whole
        .bytes()
        .zip(FIRST.bytes())
        .all(|(byte, shape)| if shape.is_ascii_digit() { byte.is_ascii_digit() } else { byte == shape });
    // The parser reads a leap second as the second before it.
    let is_real = shaped && !whole.ends_with(":60");
    let date: DateTime = whole.parse().ok().filter(|_| is_real)?;
    (date.year() >= 1).then_some(precision)
}

/// The first moment of a date; `None` if the text is none.
pub fn whole(text: &str) -> Option<DateTime> {
    precision_of(text)?;
    format!("{text}{}", FIRST.get(text.len()..)?).parse().ok()
}

/// A date as spreadsheets write it (`2026/1/5`, `2026-01-05 00:00:00`, with a `T` or without leading zeros), in the
/// format of its precision. Fractions of seconds are rounded.
pub fn of_sheet(typed: &str) -> Option<String> {
    let (day, time) = typed.trim().split_once(['T', ' ']).unwrap_or((typed.trim(), ""));
    let padded = |text: &str, between: char| {
        let parts = text.trim().split(['-', '/', ':']);
        let parts: Vec<String> = parts.map(|part| format!("{part:0>2}")).collect();
        parts.join(&between.to_string())
    };
    let day = padded(day, '-');
    if time.is_empty() {
        return precision_of(&day).map(|_| day);
    }
    let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
    let whole = format!("{day} {}", padded(time, ':'));
    let precision = precision_of(&whole)?;
    if fraction.is_empty() {
        return Some(whole);
    }
    let is_digits = precision == Precision::Second && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let exact: DateTime = format!("{whole}.{fraction:.9}").parse().ok().filter(|_| is_digits)?;
    let rounded = exact.round(Unit::Second).ok()?;
    Some(rounded.strftime("%Y-%m-%d %H:%M:%S").to_string())
}

/// A date of any precision as a question of this one takes it from a spreadsheet: midnight is written there as a day
/// without time, seconds that are zero are left out, and a finer date is taken if it adds nothing.
pub fn fitted(precision: Precision, whole: &str) -> Result<String, Reason> {
    if whole.len() <= precision.length() {
        // The day of a month alone is unknown.
        let rest = FIRST.get(whole.len()..precision.length()).filter(|_| whole.len() >= Precision::Day.length());
        return Ok(format!("{whole}{}", rest.unwrap_or_default()));
    }
    let cut = precision.cut(whole);
    if whole.get(cut.len()..) == FIRST.get(cut.len()..whole.len()) {
        return Ok(cut.to_owned());
    }
    Err(Reason::other(match precision {
        Precision::Month => "has a day; this question takes a month and a year",
        Precision::Day => "has a time; this question takes a date",
        Precision::Minute | Precision::Second => "has seconds; this question takes hours and minutes",
    }))
}

/// The current time on the form's wall clock, in full precision.
pub fn local_now(cx: &Cx) -> String {
    local(cx.now.timestamp(), cx.timezone)
}

/// A timestamp on a wall clock, in full precision.
pub fn local(at: Timestamp, timezone: &TimeZone) -> String {
    Zoned::new(at, timezone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// The filter key of a timestamp.
pub fn moment_key(time: Time) -> Key {
    // Exact: the milliseconds of this era are far below 2^53.
    Key::Number(time.millis() as f64)
}

/// A condition on timestamps. A value without an offset is on the form's wall clock; a date or month means all of it.
/// The attribute of a fault is `value`.
pub fn moment_condition(op: Op, value: &Json, cx: &Cx) -> Result<Cond, Issue> {
    by_span(op, value, &|value| {
        let (low, high) = moments(value, cx).ok_or(NOT_ISO)?;
        Ok((moment_key(low), moment_key(high)))
    })
}

/// An ISO 8601 date or date-time, with a space for the `T`. Excludes extensions of the parser such as six-digit years,
/// zone names and leap seconds. Eight digits are also a date.
fn of_iso(value: &Json) -> Option<String> {
    let text = value.as_str()?;
    let is_more = text.starts_with(['+', '-']) || text.contains('[') || text.contains(":60");
    if is_more {
        return None;
    }
    if text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..]));
    }
    Some(text.replacen(['T', 't'], " ", 1))
}

/// A parsed ISO 8601 date-time.
enum ParsedDate {
    /// With an offset.
    At(Timestamp),
    /// On a wall clock, without an offset.
    Local(DateTime),
}

/// Parses a date-time with or without an offset. A time after the last timestamp, such as the last second of the year
/// 9999, which people write for "no end", becomes that timestamp.
fn parsed(text: &str) -> Option<ParsedDate> {
    let pieces = Pieces::parse(text).ok()?;
    let Some(offset) = pieces.to_numeric_offset() else {
        return text.parse().ok().map(ParsedDate::Local);
    };
    // The parser accepts offsets of a day and more.
    if offset.seconds().abs() >= SECONDS_OF_A_DAY {
        return None;
    }
    let is_last = pieces.date().year() == LAST_YEAR;
    let at = text.parse().ok().or(is_last.then_some(Timestamp::MAX));
    at.map(ParsedDate::At)
}

/// The first and last millisecond that a filter's value covers. A value between two milliseconds equals nothing, so its
/// first is after its last.
fn moments(value: &Json, cx: &Cx) -> Option<(Time, Time)> {
    let text = of_iso(value)?;
    let on_clock = |naive: DateTime| {
        let there = cx.timezone.to_timestamp(naive);
        // In some zones the first and last days of the calendar exceed the range of timestamps.
        there.unwrap_or(if naive.year() > 0 { Timestamp::MAX } else { Timestamp::MIN })
    };
    let local = |naive| Time::from_millis(on_clock(naive).as_millisecond());
    let naive = || {
        let whole = format!("{text}{}", FIRST.get(text.len()..).unwrap_or_default());
        whole.parse::<DateTime>().ok()
    };
    let step = match precision_of(&text) {
        Some(Precision::Month) => 1.month(),
        Some(Precision::Day) => 1.day(),
        Some(Precision::Minute | Precision::Second) => {
            let at = local(naive()?);
            return Some((at, at));
        }
        None => {
            let at = match parsed(&text)? {
                ParsedDate::At(at) => at,
                ParsedDate::Local(naive) => on_clock(naive),
            };
            let last = at.as_millisecond();
            let first = last + i64::from(at.subsec_nanosecond() % NANOS_OF_A_MILLI != 0);
            return Some((Time::from_millis(first), Time::from_millis(last)));
        }
    };
    let first = naive()?;
    let low = local(first);
    // The last day of the calendar has no end.
    let next = first.checked_add(step).map_or(Timestamp::MAX.as_millisecond(), |next| local(next).millis());
    Some((low, Time::from_millis(next - 1)))
}

/// The first and last text that a filter's value covers, among texts of the precision.
fn span(precision: Precision, value: &Json, cx: &Cx) -> Result<(String, String), Reason> {
    let text = of_iso(value).ok_or(NOT_ISO)?;
    if let Some((low, high)) = between_hours(precision, &text, cx) {
        return Ok((precision.cut(&low).to_owned(), precision.cut(&high).to_owned()));
    }
    let naive = if precision_of(&text).is_some() {
        text
    } else {
        let naive = match parsed(&text).ok_or(NOT_ISO)? {
            ParsedDate::At(at) => cx.timezone.to_datetime(at),
            ParsedDate::Local(naive) => naive,
        };
        // With all fractional digits.
        naive.strftime("%Y-%m-%d %H:%M:%S%.f").to_string()
    };
    let whole = |rest: &str| format!("{naive}{}", rest.get(naive.len()..).unwrap_or_default());
    if naive.len() > Precision::Day.length() {
        let point = point(precision, whole(FIRST));
        return Ok((point.clone(), point));
    }
    let cut = |whole: String| precision.cut(&whole).to_owned();
    Ok((cut(whole(FIRST)), cut(whole(LAST))))
}

/// An exact time among dates of a precision: on its day or in its month, but between two minutes or seconds if it is
/// finer than those. Its longer text then sorts between theirs.
fn point(precision: Precision, text: String) -> String {
    let cut = precision.cut(&text);
    let finer = text.get(cut.len()..).unwrap_or_default();
    let is_between = precision >= Precision::Minute && finer.contains(|digit| ('1'..='9').contains(&digit));
    if is_between { text } else { cut.to_owned() }
}

/// A time in a repeated hour, second occurrence, where stored dates always mean the first one: it sorts between the
/// last date of that hour and the first of the next. It equals nothing, so its first text is after its last.
fn between_hours(precision: Precision, text: &str, cx: &Cx) -> Option<(String, String)> {
    if precision < Precision::Minute {
        return None;
    }
    let ParsedDate::At(at) = parsed(text)? else {
        return None;
    };
    let naive = cx.timezone.to_datetime(at);
    if cx.timezone.to_timestamp(naive).ok()? >= at {
        return None;
    }
    let next = at.checked_add(1.nanosecond()).ok()?;
    let turn = cx.timezone.preceding(next).next()?.timestamp();
    let last = cx.timezone.to_datetime(turn.checked_sub(1.second()).ok()?);
    let shown = |at: DateTime| at.strftime("%Y-%m-%d %H:%M:%S").to_string();
    Some((shown(last.checked_add(1.second()).ok()?), shown(last)))
}

/// The typed beginning of a date.
///
/// # Errors
/// The input is no text, or no date can begin with it.
pub fn typed_start(given: &Json) -> Result<String, Reason> {
    const FAULT: Reason = Reason::MustBe(Expected::Other("the beginning of a date such as 2026-11"));
    let typed = given.as_str().ok_or(FAULT)?;
    let typed = text::fold(typed.trim()).to_ascii_uppercase();
    let is_date = |c: char| c.is_ascii_digit() || matches!(c, '-' | ':' | ' ' | 'T');
    if typed.is_empty() || !typed.chars().all(is_date) {
        return Err(FAULT);
    }
    Ok(typed.replace('T', " "))
}

/// A condition on dates of one precision, given how texts become keys. The attribute of a fault is `value`.
pub fn condition(precision: Precision, key: fn(String) -> Key, op: Op, value: &Json, cx: &Cx) -> Result<Cond, Issue> {
    by_span(op, value, &|value| {
        let (low, high) = span(precision, value, cx)?;
        Ok((key(low), key(high)))
    })
}

/// The first and last key that a value covers.
type Span = Result<(Key, Key), Reason>;

/// A condition on dates, given how a value becomes a span.
fn by_span(op: Op, value: &Json, span: &dyn Fn(&Json) -> Span) -> Result<Cond, Issue> {
    let span = |value: &Json| span(value).map_err(|reason| Issue::new("value", reason));
    let range = |low: Option<(Key, bool)>, high: Option<(Key, bool)>| Cond::Range { low, high };
    let within = |(low, high): (Key, Key)| range(Some((low, true)), Some((high, true)));
    Ok(match op {
        Op::Eq => within(span(value)?),
        Op::Ne => within(span(value)?).negated(),
        Op::AnyIn | Op::NoneIn => {
            let spans = cond::list(value)?.iter().map(span).collect::<Result<Vec<_>, _>>()?;
            let any = Cond::Any(spans.into_iter().map(within).collect());
            if op == Op::AnyIn { any } else { any.negated() }
        }
        Op::Gt => range(Some((span(value)?.1, false)), None),
        Op::Gte => range(Some((span(value)?.0, true)), None),
        Op::Lt => range(None, Some((span(value)?.0, false))),
        Op::Lte => range(None, Some((span(value)?.1, true))),
        Op::Between | Op::NotBetween => {
            let [low, high] = cond::pair(value)?;
            let inside = range(Some((span(low)?.0, true)), Some((span(high)?.1, true)));
            if op == Op::Between { inside } else { cond::outside(inside) }
        }
        op => cond::by_text(op, value)?,
    })
}
