//! Dates for people, in the order and the words of a language; and as people write them in digits.

use std::cell::RefCell;
use std::rc::Rc;

use icu_datetime::FixedCalendarDateTimeFormatter as Formatter;
use icu_datetime::fieldsets::{YM, YMD, YMDE};
use icu_datetime::input::{Date, DateTime, Time};
use icu_datetime::options::YearStyle;
use icu_locale_core::Locale;
use jiff::civil;

use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::fields::display::dates::{FIRST, Precision, precision_of};
use crate::fields::display::local_number::{digit, is_mark};

/// A stored date (`2026-11-23`, of any precision) for use within translated text, in the form's locale if that has the
/// same language as the text. Anything else is returned as it is.
pub fn show(text: &str, texts: &Texts, locale: &str) -> String {
    let shown = of_words(texts, locale).and_then(|locale| local_text(text, locale));
    shown.unwrap_or_else(|| text.to_owned())
}

/// A day with its weekday (`Monday, 23 November 2026`), as [`show`] writes dates.
pub fn with_weekday(day: civil::Date, texts: &Texts, locale: &str) -> String {
    let shown = of_words(texts, locale).and_then(|locale| {
        let format = Formatter::try_new(locale.into(), YMDE::long()).ok()?;
        let (year, month, day) = numbers(day)?;
        let date = Date::try_new_gregorian(year, month, day).ok()?;
        Some(format.format(&date).to_string())
    });
    shown.unwrap_or_else(|| day.to_string())
}

/// A day with the short name of its month, in the language of the texts: `23 Nov 2026`, `2026年11月23日`.
pub fn medium(day: civil::Date, texts: &Texts) -> String {
    let shown = of_form(texts.locale()).and_then(|locale| {
        let format = Formatter::try_new(locale.into(), YMD::medium()).ok()?;
        let (year, month, day) = numbers(day)?;
        Some(format.format(&Date::try_new_gregorian(year, month, day).ok()?).to_string())
    });
    shown.unwrap_or_else(|| day.to_string())
}

/// A date without surrounding text, always in the form's locale.
pub fn alone(text: &str, locale: &str) -> String {
    let shown = of_form(locale).and_then(|locale| local_text(text, locale));
    shown.unwrap_or_else(|| text.to_owned())
}

/// Parses a date that is written in digits as the locale writes it (`31.12.1990`, `31.12.1990 9:05`, `1990年12月31日`),
/// into the format of its precision. `None` if it is none, or has another meaning in another country of the language:
/// `3/4/2026` in English.
pub fn read(typed: &str, locale: &str) -> Option<String> {
    let typed = typed.trim();
    let (day, time) = match typed.find(':') {
        Some(colon) => {
            let at = typed[..colon].rfind(char::is_whitespace)?;
            (typed[..at].trim_end().trim_end_matches(','), Some(time_of(&typed[at..])?))
        }
        None => (typed, None),
    };
    let mut found = None;
    for shape in shapes(locale).iter() {
        match (&found, shape.read(day)) {
            (None, read) => found = read,
            (Some(found), Some(other)) if *found != other => return None,
            _ => {}
        }
    }
    let whole = match (found?, time) {
        (day, None) => day,
        (day, Some(time)) => format!("{day} {time}"),
    };
    precision_of(&whole).map(|_| whole)
}

/// A date that was given as text, as ISO 8601 writes it if it can be read; anything else is passed on.
pub fn iso_date(given: &Json, locale: &str) -> Json {
    let read = given.as_str().and_then(|typed| read(typed, locale));
    read.map_or_else(|| given.clone(), Json::from)
}

/// The ways in which a text of a locale may be written.
fn shapes(locale: &str) -> Rc<Vec<Shape>> {
    thread_local! {
        /// The shapes of the locale that this thread asked for last: the rows of a file share their locale, and finding
        /// the shapes takes a hundred times as long as reading a date.
        static LAST: RefCell<Option<(String, Rc<Vec<Shape>>)>> = const { RefCell::new(None) };
    }
    let known = LAST.with_borrow(|last| last.clone());
    if let Some((_, shapes)) = known.filter(|(known, _)| known == locale) {
        return shapes;
    }
    // Countries differ in the order of day and month.
    let writers = if locale == "en" { vec!["en-001", "en-US"] } else { vec![locale] };
    let shapes = Rc::new(writers.into_iter().flat_map(Shape::all).collect::<Vec<_>>());
    LAST.set(Some((locale.to_owned(), Rc::clone(&shapes))));
    shapes
}

/// `9:05` or `09:05:07` with leading zeros.
fn time_of(typed: &str) -> Option<String> {
    let parts: Vec<&str> = typed.trim().split(':').collect();
    let is_part = |part: &&str| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_time = (2..=3).contains(&parts.len()) && parts.iter().all(is_part);
    let parts: Vec<String> = parts.iter().map(|part| format!("{part:0>2}")).collect();
    is_time.then(|| parts.join(":"))
}

/// A number of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DatePart {
    Year,
    Month,
    Day,
}

/// How a locale writes dates in digits.
struct Shape {
    order: Vec<DatePart>,
    /// The text around the numbers.
    between: Vec<String>,
}

impl Shape {
    /// A day that shows which number is which.
    const SAMPLE: (i32, u8, u8) = (2003, 11, 22);

    /// The shapes of a locale's dates and months, if it writes them in digits.
    fn all(locale: &str) -> Vec<Self> {
        let Ok(locale) = locale.parse::<Locale>() else {
            return Vec::new();
        };
        let (year, month, day) = Self::SAMPLE;
        let Ok(date) = Date::try_new_gregorian(year, month, day) else {
            return Vec::new();
        };
        let days = [YMD::short(), YMD::medium(), YMD::long()].into_iter().filter_map(|fields| {
            let format = Formatter::try_new(locale.clone().into(), fields.with_year_style(YearStyle::Full)).ok()?;
            Some(format.format(&date).to_string())
        });
        let months = [YM::short(), YM::medium()].into_iter().filter_map(|fields| {
            let format = Formatter::try_new(locale.clone().into(), fields.with_year_style(YearStyle::Full)).ok()?;
            Some(format.format(&date).to_string())
        });
        days.chain(months).filter_map(|shown| Self::of(&shown)).collect()
    }

    /// The shape of the sample.
    fn of(shown: &str) -> Option<Self> {
        let (numbers, between) = split(shown);
        let (year, month, day) = Self::SAMPLE;
        let part = |(_, value): &(usize, i32)| match *value {
            value if value == year => Some(DatePart::Year),
            value if value == i32::from(month) => Some(DatePart::Month),
            value if value == i32::from(day) => Some(DatePart::Day),
            _ => None,
        };
        let order: Option<Vec<DatePart>> = numbers.iter().map(part).collect();
        let order = order.filter(|order| order.contains(&DatePart::Year) && order.contains(&DatePart::Month))?;
        Some(Self { order, between })
    }

    /// A date of this shape, as ISO 8601 writes it. The year has four digits.
    fn read(&self, typed: &str) -> Option<String> {
        let (numbers, between) = split(typed);
        if between != self.between || numbers.len() != self.order.len() {
            return None;
        }
        let number = |wanted: DatePart| {
            let at = self.order.iter().position(|part| *part == wanted)?;
            let (digits, value) = numbers[at];
            let is_whole = if wanted == DatePart::Year { digits == 4 } else { digits <= 2 };
            is_whole.then_some(value)
        };
        let (year, month) = (number(DatePart::Year)?, number(DatePart::Month)?);
        let date = match self.order.contains(&DatePart::Day) {
            true => format!("{year:04}-{month:02}-{:02}", number(DatePart::Day)?),
            false => format!("{year:04}-{month:02}"),
        };
        precision_of(&date).map(|_| date)
    }
}

/// The numbers of a text, each with its count of digits, and the text around them, without blanks.
fn split(text: &str) -> (Vec<(usize, i32)>, Vec<String>) {
    let mut numbers: Vec<(usize, i32)> = Vec::new();
    let mut between = vec![String::new()];
    let mut is_number = false;
    for c in text.chars().filter(|c| !is_mark(*c)) {
        match digit(c).map(i32::from) {
            Some(digit) => {
                if !is_number {
                    numbers.push((0, 0));
                    between.push(String::new());
                }
                if let Some((digits, value)) = numbers.last_mut() {
                    *digits += 1;
                    *value = value.saturating_mul(10).saturating_add(digit);
                }
                is_number = true;
            }
            None => {
                is_number = false;
                if let Some(text) = between.last_mut().filter(|_| !c.is_whitespace()) {
                    text.push(c);
                }
            }
        }
    }
    (numbers, between)
}

fn local_text(text: &str, locale: Locale) -> Option<String> {
    let precision = precision_of(text)?;
    let whole = format!("{text}{}", FIRST.get(text.len()..)?);
    let moment: civil::DateTime = whole.parse().ok()?;
    let number = |number: i8| u8::try_from(number).ok();
    let (year, month, day) = numbers(moment.date())?;
    let date = Date::try_new_gregorian(year, month, day).ok()?;
    let time = Time::try_new(number(moment.hour())?, number(moment.minute())?, number(moment.second())?, 0).ok()?;
    let moment = DateTime { date, time };
    let prefs = locale.into();
    Some(match precision {
        Precision::Month => {
            let format = Formatter::try_new(prefs, YM::long()).ok()?;
            format.format(&date).to_string()
        }
        Precision::Day => {
            let format = Formatter::try_new(prefs, YMD::long()).ok()?;
            format.format(&date).to_string()
        }
        Precision::Minute => {
            let format = Formatter::try_new(prefs, YMD::long().with_time_hm()).ok()?;
            format.format(&moment).to_string()
        }
        Precision::Second => {
            let format = Formatter::try_new(prefs, YMD::long().with_time_hms()).ok()?;
            format.format(&moment).to_string()
        }
    })
}

/// Year, month and day.
fn numbers(day: civil::Date) -> Option<(i32, u8, u8)> {
    let number = |number: i8| u8::try_from(number).ok();
    Some((i32::from(day.year()), number(day.month())?, number(day.day())?))
}

/// The locale for a date within translated text: the form's, if it has that language.
fn of_words(texts: &Texts, locale: &str) -> Option<Locale> {
    let own: Locale = texts.locale().parse().ok()?;
    let forms = locale.parse::<Locale>().ok();
    let shared = forms.filter(|forms| forms.id.language == own.id.language);
    of_form(&shared.unwrap_or(own).to_string())
}

fn of_form(locale: &str) -> Option<Locale> {
    // English without a country puts the day first, as most countries do.
    let locale = if locale == "en" { "en-001" } else { locale };
    locale.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::texts::texts;

    #[test]
    fn dates_are_written_as_their_language_does() {
        for (text, locale, shown) in [
            ("2026-11-23", "en", "23 November 2026"),
            ("2026-11-23", "en-GB", "23 November 2026"),
            ("2026-11-23", "en-US", "November 23, 2026"),
            // There are no German texts: the sentence around it is English.
            ("2026-11-23", "de", "23 November 2026"),
            ("2026-11-23", "zh-CN", "2026年11月23日"),
            ("2026-11", "en", "November 2026"),
            ("2026-11", "zh-CN", "2026年11月"),
            ("2026-11-23 09:05", "en-GB", "23 November 2026 at 09:05"),
            ("2026-11-23 09:05:07", "zh-CN", "2026年11月23日 09:05:07"),
            ("0001-01-01", "en", "1 January 1 AD"),
            ("9999-12-31", "en", "31 December 9999"),
            ("soon", "en", "soon"),
            ("2026-02-30", "en", "2026-02-30"),
        ] {
            assert_eq!(show(text, texts(locale), locale), shown, "{locale}");
        }
        assert_eq!(alone("2026-11-23", "de"), "23. November 2026");
        assert_eq!(alone("2026-11-23", "en"), "23 November 2026");
        assert_eq!(alone("soon", "de"), "soon");
    }

    #[test]
    fn dates_are_read_as_their_locale_writes_them() {
        for (typed, locale, date) in [
            ("31.12.1990", "de", Some("1990-12-31")),
            (" 3.4.2026 ", "de", Some("2026-04-03")),
            ("31. 12. 1990", "de", Some("1990-12-31")),
            ("31.12.1990 9:05", "de-AT", Some("1990-12-31 09:05")),
            ("31.12.1990, 09:05:07", "de", Some("1990-12-31 09:05:07")),
            ("12.1990", "de", None),
            ("12/1990", "de", Some("1990-12")),
            // Two digits of a year may be of two centuries.
            ("31.12.90", "de", None),
            ("31/12/1990", "de", None),
            ("31.12.1990", "en", None),
            ("3/4/2026", "en", None),
            ("3/3/2026", "en", Some("2026-03-03")),
            ("31/12/1990", "en", Some("1990-12-31")),
            ("12/31/1990", "en", Some("1990-12-31")),
            ("3/4/2026", "en-GB", Some("2026-04-03")),
            ("3/4/2026", "en-US", Some("2026-03-04")),
            ("31/12/1990", "en-US", None),
            ("31/12/1990", "fr", Some("1990-12-31")),
            ("31-12-1990", "nl", Some("1990-12-31")),
            ("1990年12月31日", "zh-CN", Some("1990-12-31")),
            ("1990年12月31日 09:05", "ja", Some("1990-12-31 09:05")),
            ("1990년 12월 31일", "ko", Some("1990-12-31")),
            ("1990. 12. 31.", "hu", Some("1990-12-31")),
            ("1990年12月", "zh-CN", Some("1990-12")),
            ("31/12/1990", "pt-BR", Some("1990-12-31")),
            ("٣١/١٢/١٩٩٠", "ar-EG", Some("1990-12-31")),
            ("31.2.1990", "de", None),
            ("31.12.1990 25:00", "de", None),
            ("31.12.1990 noon", "de", None),
            ("9:05", "de", None),
            ("", "de", None),
            ("soon", "de", None),
            ("31.12.1990", "no locale", None),
            ("99999999999999.12.1990", "de", None),
        ] {
            assert_eq!(read(typed, locale).as_deref(), date, "{locale} {typed}");
        }
    }
}
