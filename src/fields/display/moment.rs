//! Moments for people: day and time on a wall clock as a language writes them, and the zone by name or as its distance
//! from Greenwich. Abbreviations such as CST mean several zones.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use crate::base::text::texts::{self, Texts};
use crate::fields::display::local_date;

/// The zones with the clock of all of China.
const BEIJING: [&str; 5] = ["Asia/Shanghai", "PRC", "Asia/Chongqing", "Asia/Chungking", "Asia/Harbin"];
const UTC: [&str; 6] = ["UTC", "Etc/UTC", "Etc/UCT", "UCT", "Zulu", "Etc/Zulu"];

/// As long as `2026-11-20 16:08`.
const MINUTE: &str = "%Y-%m-%d %H:%M";

/// A moment within translated text: `29 November 2026 at 11:15 (Beijing time)`. The date is in the form's locale, if
/// that has the language of the text.
pub fn show(at: Timestamp, zone: &TimeZone, texts: &Texts, locale: &str) -> String {
    let local = at.to_zoned(zone.clone());
    let date = local_date::show(&local.strftime(MINUTE).to_string(), texts, locale);
    with_zone(&date, &local, texts)
}

/// A moment for a table's cell: `29 Nov 2026, 11:15`, `2026年11月29日 11:15`.
pub fn short(at: Timestamp, zone: &TimeZone, texts: &Texts) -> String {
    let local = at.to_zoned(zone.clone());
    let day = local_date::medium(local.date(), texts);
    texts.fill("moment-day-time", &[("day", day.into()), ("time", clock(&local).into())])
}

/// The hour and minute of a moment: `09:05`.
pub fn clock(local: &Zoned) -> String {
    local.strftime("%H:%M").to_string()
}

/// A moment without surrounding text, always in the form's locale.
pub fn alone(at: Timestamp, zone: &TimeZone, locale: &str) -> String {
    let local = at.to_zoned(zone.clone());
    let date = local_date::alone(&local.strftime(MINUTE).to_string(), locale);
    if texts::is_available(locale) {
        return with_zone(&date, &local, texts::texts(locale));
    }
    format!("{date} ({})", distance(&local))
}

/// A moment on a zone's clock, as inputs of day and time hold it.
pub fn clock_text(at: Timestamp, zone: &TimeZone) -> String {
    let local = at.to_zoned(zone.clone());
    let format = match (local.subsec_nanosecond(), local.second()) {
        (0, 0) => "%Y-%m-%dT%H:%M",
        (0, _) => "%Y-%m-%dT%H:%M:%S",
        _ => "%Y-%m-%dT%H:%M:%S%.3f",
    };
    local.strftime(format).to_string()
}

/// The moment of a day and time that were typed as a zone's clock shows them; the first one where the clock shows it
/// twice. `None` if the text is no day with a time.
pub fn of_clock(typed: &str, zone: &TimeZone) -> Option<Timestamp> {
    let text = typed.trim().replacen(' ', "T", 1);
    // The parser ignores an offset from UTC.
    let (_, time) = text.split_once('T')?;
    let local: DateTime = text.parse().ok().filter(|_| !time.contains(['+', '-']))?;
    zone.to_timestamp(local).ok()
}

/// A time of day, or another text read from a zone's clock at a moment, with the name of the zone.
pub fn with_zone(time: &str, at: &Zoned, texts: &Texts) -> String {
    texts.fill("moment-zone", &[("time", time.into()), ("zone", zone(at, texts).into())])
}

fn zone(at: &Zoned, texts: &Texts) -> String {
    match at.time_zone().iana_name() {
        Some(name) if BEIJING.contains(&name) => texts.say("zone-beijing"),
        _ => distance(at),
    }
}

/// `UTC`, `GMT`, `GMT+1`, `GMT-3:30`.
fn distance(at: &Zoned) -> String {
    if at.time_zone().iana_name().is_some_and(|name| UTC.contains(&name)) {
        return "UTC".to_owned();
    }
    let secs = at.offset().seconds();
    let (sign, minutes) = (if secs < 0 { '-' } else { '+' }, secs.abs() / 60);
    match (minutes / 60, minutes % 60) {
        (0, 0) => "GMT".to_owned(),
        (hours, 0) => format!("GMT{sign}{hours}"),
        (hours, minutes) => format!("GMT{sign}{hours}:{minutes:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_their_language_does_and_name_the_zone() {
        for (at, zone, locale, shown) in [
            ("2026-11-29T03:15:59Z", "Asia/Shanghai", "zh-CN", "2026年11月29日 11:15（北京时间）"),
            ("2026-11-29T03:15:00Z", "PRC", "en", "29 November 2026 at 11:15\u{202f}am (Beijing time)"),
            ("2026-11-29T03:15:00Z", "Asia/Shanghai", "de", "29. November 2026 um 11:15 (GMT+8)"),
            ("2026-11-29T10:15:00Z", "Europe/Berlin", "en-GB", "29 November 2026 at 11:15 (GMT+1)"),
            ("2026-07-29T09:15:00Z", "Europe/Berlin", "zh-CN", "2026年7月29日 11:15（GMT+2）"),
            ("2026-11-29T11:15:00Z", "Europe/London", "en", "29 November 2026 at 11:15\u{202f}am (GMT)"),
            ("2026-11-29T11:15:00Z", "Asia/Kolkata", "en", "29 November 2026 at 4:45\u{202f}pm (GMT+5:30)"),
            ("2026-11-29T11:15:00Z", "America/St_Johns", "en", "29 November 2026 at 7:45\u{202f}am (GMT-3:30)"),
            // Its abbreviation is CST too.
            ("2026-11-29T11:15:00Z", "America/Chicago", "en", "29 November 2026 at 5:15\u{202f}am (GMT-6)"),
            ("2026-11-29T11:15:00Z", "UTC", "zh-CN", "2026年11月29日 11:15（UTC）"),
        ] {
            let at: Timestamp = at.parse().expect("a moment");
            let zone = TimeZone::get(zone).expect("a zone");
            assert_eq!(alone(at, &zone, locale), shown, "{zone:?}");
            if texts::is_available(locale) {
                assert_eq!(show(at, &zone, texts::texts(locale), locale), shown, "{zone:?}");
            }
        }
        let at: Timestamp = "2026-11-29T03:15:00Z".parse().expect("a moment");
        let german = show(at, &TimeZone::UTC, texts::texts("de"), "de");
        assert_eq!(german, "29 November 2026 at 3:15\u{202f}am (UTC)", "the sentence around it is English");
    }

    #[test]
    fn a_table_has_short_moments() {
        let at: Timestamp = "2026-11-29T03:05:59Z".parse().expect("a moment");
        let zone = TimeZone::get("Asia/Shanghai").expect("a zone");
        for (locale, shown) in [("en", "29 Nov 2026, 11:05"), ("zh-CN", "2026年11月29日 11:05")] {
            assert_eq!(short(at, &zone, texts::texts(locale)), shown);
        }
    }

    #[test]
    fn what_a_clock_shows_is_read_back() {
        let zone = TimeZone::get("Europe/Berlin").expect("a zone");
        for (at, shown) in [
            ("2026-05-03T16:00:00Z", "2026-05-03T18:00"),
            ("2026-12-03T16:00:07Z", "2026-12-03T17:00:07"),
            ("2026-10-25T00:30:00Z", "2026-10-25T02:30"),
        ] {
            let at: Timestamp = at.parse().expect("a moment");
            assert_eq!(clock_text(at, &zone), shown);
            assert_eq!(of_clock(shown, &zone), Some(at));
        }
        assert_eq!(of_clock(" 2026-05-03 18:00 ", &zone), "2026-05-03T16:00:00Z".parse().ok());
        for typed in
            ["", "2026-05-03", "18:00", "tomorrow", "2026-05-03T18:00Z", "2026-05-03T18:00+01:00", "2026-02-30T10:00"]
        {
            assert_eq!(of_clock(typed, &zone), None, "{typed}");
        }
    }
}
