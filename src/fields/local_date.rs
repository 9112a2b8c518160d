//! Dates for people, in the order and the words of a language.

use icu_datetime::FixedCalendarDateTimeFormatter as Formatter;
use icu_datetime::fieldsets::{YM, YMD, YMDE};
use icu_datetime::input::{Date, DateTime, Time};
use icu_locale_core::Locale;
use jiff::civil;

use crate::base::texts::Texts;
use crate::fields::dates::{FIRST, Precision, precision_of};

/// A stored date (`2026-11-23`, of any precision) for use within translated text, in the form's locale if that has the
/// same language as the text. Anything else is returned as it is.
pub fn show(text: &str, texts: &Texts, locale: &str) -> String {
    let shown = of_words(texts, locale).and_then(|locale| shown(text, locale));
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

/// A date that stands alone, always in the form's locale.
pub fn alone(text: &str, locale: &str) -> String {
    let shown = of_form(locale).and_then(|locale| shown(text, locale));
    shown.unwrap_or_else(|| text.to_owned())
}

fn shown(text: &str, locale: Locale) -> Option<String> {
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
    use crate::base::texts::texts;

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
}
