//! Calendar files of bookings (RFC 5545), for respondents' calendars. They are one event of ten lines: `icalendar`
//! would bring a second library of dates and a parser for it.

use jiff::Timestamp;
use jiff::civil::Date;

use crate::base::clock::Time;
use crate::model::outbox::MailFile;

/// Lines are broken after so many bytes.
const LONGEST_LINE: usize = 75;

/// The time of a booking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    Day(Date),
    Moments(Timestamp, Option<Timestamp>),
}

/// A booking as calendars know it.
pub struct Event<'e> {
    /// The same in every letter about the booking.
    pub uid: String,
    /// Higher after each change.
    pub sequence: i64,
    pub written_at: Time,
    pub span: Span,
    pub summary: String,
    /// The address that sends it.
    pub organizer: &'e str,
    pub is_cancelled: bool,
}

impl Event<'_> {
    /// The file that puts the booking into a calendar, or takes it out.
    pub fn file(&self, name: String) -> MailFile {
        let (method, status) = if self.is_cancelled { ("CANCEL", "CANCELLED") } else { ("PUBLISH", "CONFIRMED") };
        let mut lines = vec![
            "BEGIN:VCALENDAR".to_owned(),
            "VERSION:2.0".to_owned(),
            "PRODID:-//formsvc//formsvc//EN".to_owned(),
            format!("METHOD:{method}"),
            "BEGIN:VEVENT".to_owned(),
            format!("UID:{}", self.uid),
            format!("SEQUENCE:{}", self.sequence),
            format!("DTSTAMP:{}", in_utc(self.written_at.timestamp())),
        ];
        match self.span {
            Span::Day(day) => lines.push(format!("DTSTART;VALUE=DATE:{}", day.strftime("%Y%m%d"))),
            Span::Moments(from, to) => {
                lines.push(format!("DTSTART:{}", in_utc(from)));
                lines.extend(to.map(|to| format!("DTEND:{}", in_utc(to))));
            }
        }
        lines.push(format!("SUMMARY:{}", escaped(&self.summary)));
        lines.push(format!("ORGANIZER:mailto:{}", self.organizer));
        lines.push(format!("STATUS:{status}"));
        lines.extend(["END:VEVENT", "END:VCALENDAR"].map(str::to_owned));
        let text = lines.iter().flat_map(|line| [folded(line), "\r\n".to_owned()]).collect();
        MailFile { name, method: method.to_owned(), text }
    }
}

fn in_utc(at: Timestamp) -> String {
    at.strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// A text as a value: without controls, and without what separates values.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\\' | ';' | ',' => out.extend(['\\', c]),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// A line in pieces, each of which but the first begins with a blank.
fn folded(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut length = 0;
    for c in line.chars() {
        if length + c.len_utf8() > LONGEST_LINE {
            out.push_str("\r\n ");
            length = 1;
        }
        out.push(c);
        length += c.len_utf8();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(summary: &str, span: Span, is_cancelled: bool) -> MailFile {
        let event = Event {
            uid: "abc-field_1-0@example.org".to_owned(),
            sequence: 3,
            written_at: Time::from_millis(1_795_000_000_000),
            span,
            summary: summary.to_owned(),
            organizer: "forms@example.org",
            is_cancelled,
        };
        event.file("booking.ics".to_owned())
    }

    #[test]
    fn a_file_is_one_event() {
        let at = |text: &str| text.parse::<Timestamp>().expect("a moment");
        let span = Span::Moments(at("2026-11-29T03:15:00Z"), Some(at("2026-11-29T04:00:00Z")));
        let file = event("Room A, “Yoga; class”\\\r\nx\u{7}", span, false);
        assert_eq!((&file.name[..], &file.method[..]), ("booking.ics", "PUBLISH"));
        assert_eq!(
            file.text.split("\r\n").collect::<Vec<_>>(),
            [
                "BEGIN:VCALENDAR",
                "VERSION:2.0",
                "PRODID:-//formsvc//formsvc//EN",
                "METHOD:PUBLISH",
                "BEGIN:VEVENT",
                "UID:abc-field_1-0@example.org",
                "SEQUENCE:3",
                "DTSTAMP:20261118T110640Z",
                "DTSTART:20261129T031500Z",
                "DTEND:20261129T040000Z",
                "SUMMARY:Room A\\, “Yoga\\; class”\\\\\\nx",
                "ORGANIZER:mailto:forms@example.org",
                "STATUS:CONFIRMED",
                "END:VEVENT",
                "END:VCALENDAR",
                "",
            ]
        );
        let day = Span::Day(jiff::civil::date(2026, 11, 29));
        let cancelled = event("x", day, true);
        for line in ["METHOD:CANCEL\r\n", "STATUS:CANCELLED\r\n", "DTSTART;VALUE=DATE:20261129\r\n"] {
            assert!(cancelled.text.contains(line), "{line}: {}", cancelled.text);
        }
        assert!(!cancelled.text.contains("DTEND"), "{}", cancelled.text);
    }

    #[test]
    fn long_lines_are_folded_between_letters() {
        let summary = "预约".repeat(60);
        let file = event(&summary, Span::Day(jiff::civil::date(2026, 11, 29)), false);
        assert!(file.text.split("\r\n").all(|line| line.len() <= LONGEST_LINE), "{}", file.text);
        assert!(file.text.replace("\r\n ", "").contains(&summary), "{}", file.text);
    }
}
