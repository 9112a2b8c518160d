//! The kinds of system fields. Their values can't be written.

use serde::Serialize;
use serde_json::json;

use crate::base::clock::Time;
use crate::base::issue::Issue;
use crate::base::json::{Json, digits};
use crate::base::reason::{Expected, Reason};
use crate::base::text::texts;
use crate::fields::columns::{Cell, Column};
use crate::fields::display::{dates, local_date, local_number};
use crate::fields::filter::cond::{self, Cond, Key, Op};
use crate::fields::kind::{Control, Cx, Kind, Lookup, Sheet, Writer};

#[derive(Serialize)]
pub struct Number {
    #[serde(skip)]
    is_whole: bool,
    #[serde(skip)]
    operators: &'static [Op],
}

/// A whole number that lists can be filtered by.
pub static SERIAL: Number = Number { is_whole: true, operators: Op::NUMBER };
pub static WHOLE: Number = Number { is_whole: true, operators: &[] };
pub static NUMBER: Number = Number { is_whole: false, operators: &[] };

impl Kind for Number {
    fn writer(&self) -> Writer {
        Writer::Nobody
    }

    fn read_schema(&self) -> Json {
        json!({"type": if self.is_whole { "integer" } else { "number" }})
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        stored.as_number().map(|number| digits::plain(&number.to_string()).into_owned()).unwrap_or_default()
    }

    fn keys(&self, stored: &Json, _: &Cx) -> Vec<Key> {
        stored.as_f64().map(Key::Number).into_iter().collect()
    }

    fn operators(&self) -> &'static [Op] {
        self.operators
    }

    fn lookup(&self) -> Option<&dyn Lookup> {
        Some(self)
    }

    fn condition(&self, op: Op, value: &Json, _: &Cx) -> Result<Cond, Issue> {
        cond::by_key(op, value, &|value| digits::double(value).map(Key::Number))
    }
}

impl Lookup for Number {
    fn find_by(&self, _: &str, given: &Json, fuzzy: bool, cx: &Cx) -> Result<Cond, Reason> {
        <dyn Kind>::by_operator(self, &local_number::plain_number(given, cx.locale), fuzzy, cx)
    }
}

impl Control for Number {}

/// The length of `2026-11-20 16:08`.
const MINUTE: usize = 16;

/// A point in time: read in UTC, shown and searched on the form's wall clock.
#[derive(Serialize)]
pub struct Moment {
    #[serde(skip)]
    operators: &'static [Op],
}

/// A point in time that lists can be filtered by.
pub static MOMENT: Moment = Moment { operators: Op::DATE };
pub static DATED: Moment = Moment { operators: &[] };

impl Kind for Moment {
    fn writer(&self) -> Writer {
        Writer::Nobody
    }

    fn read_schema(&self) -> Json {
        json!({"type": "string", "format": "date-time"})
    }

    fn text(&self, stored: &Json, cx: &Cx) -> String {
        time_of(stored).map(|time| dates::local(time.timestamp(), cx.timezone)).unwrap_or_default()
    }

    /// In the form's language, to the minute.
    fn lines(&self, stored: &Json, cx: &Cx) -> Vec<String> {
        let text = self.text(stored, cx);
        let minute = text.get(..MINUTE).unwrap_or(&text);
        vec![local_date::alone(minute, cx.locale)]
    }

    fn keys(&self, stored: &Json, cx: &Cx) -> Vec<Key> {
        let Some(time) = time_of(stored) else {
            return Vec::new();
        };
        vec![dates::moment_key(time), Key::label(&self.text(stored, cx))]
    }

    fn operators(&self) -> &'static [Op] {
        self.operators
    }

    fn condition(&self, op: Op, value: &Json, cx: &Cx) -> Result<Cond, Issue> {
        dates::moment_condition(op, value, cx)
    }

    fn sheet(&self) -> Option<&dyn Sheet> {
        Some(self)
    }
}

impl Sheet for Moment {
    fn sheet_cells(&self, stored: &Json, cx: &Cx) -> Vec<Cell> {
        vec![Cell::date(self.text(stored, cx))]
    }
}

impl Control for Moment {}

fn time_of(stored: &Json) -> Option<Time> {
    stored.as_str().and_then(Time::parse)
}

#[derive(Serialize)]
pub struct Text;

pub static TEXT: Text = Text;

impl Kind for Text {
    fn writer(&self) -> Writer {
        Writer::Nobody
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        stored.as_str().unwrap_or_default().to_owned()
    }

    fn keys(&self, stored: &Json, _: &Cx) -> Vec<Key> {
        let text = stored.as_str().filter(|text| !text.is_empty());
        text.map(Key::text).into_iter().collect()
    }
}

impl Control for Text {}

/// The status of a booking.
#[derive(Serialize)]
pub struct Status;

pub static STATUS: Status = Status;
const STATUSES: [(&str, &str); 3] = [
    ("reserved", "system-status-reserved"),
    ("cancelled", "system-status-cancelled"),
    ("completed", "system-status-completed"),
];

impl Kind for Status {
    fn writer(&self) -> Writer {
        Writer::Nobody
    }

    fn read_schema(&self) -> Json {
        json!({"enum": STATUSES.map(|(word, _)| word)})
    }

    fn text(&self, stored: &Json, cx: &Cx) -> String {
        let word = stored.as_str().unwrap_or_default();
        STATUSES
            .iter()
            .find(|(known, _)| *known == word)
            .map_or_else(|| word.to_owned(), |(_, id)| texts::texts(cx.locale).say(id))
    }

    fn keys(&self, stored: &Json, cx: &Cx) -> Vec<Key> {
        stored
            .as_str()
            .map_or_else(Vec::new, |word| vec![Key::Code(word.to_owned()), Key::label(&self.text(stored, cx))])
    }

    fn condition(&self, op: Op, value: &Json, _: &Cx) -> Result<Cond, Issue> {
        cond::by_key(op, value, &|value| match value.as_str() {
            Some("") => Err(Reason::Empty),
            Some(word) => Ok(Key::Code(word.to_owned())),
            None => Err(Reason::MustBe(Expected::Text)),
        })
    }
}

impl Control for Status {}

/// Yes or no.
#[derive(Serialize)]
pub struct Flag {
    #[serde(skip)]
    operators: &'static [Op],
}

pub static FLAG: Flag = Flag { operators: &[] };
/// Yes or no, which lists can be filtered by.
pub static PASS: Flag = Flag { operators: &[Op::Eq, Op::Ne, Op::Null, Op::NotNull] };

impl Kind for Flag {
    fn writer(&self) -> Writer {
        Writer::Nobody
    }

    fn read_schema(&self) -> Json {
        json!({"type": "boolean"})
    }

    fn text(&self, stored: &Json, cx: &Cx) -> String {
        let words = texts::texts(cx.locale);
        match stored.as_bool() {
            Some(true) => words.say("system-yes"),
            Some(false) => words.say("system-no"),
            None => String::new(),
        }
    }

    fn keys(&self, stored: &Json, _: &Cx) -> Vec<Key> {
        let code = stored.as_bool().map(|is| Key::Code(is.to_string()));
        code.into_iter().collect()
    }

    fn operators(&self) -> &'static [Op] {
        self.operators
    }

    fn condition(&self, op: Op, value: &Json, _: &Cx) -> Result<Cond, Issue> {
        cond::by_key(op, value, &|value| {
            let code = value.as_bool().map(|is| Key::Code(is.to_string()));
            code.ok_or(Reason::MustBe(Expected::Other("true or false")))
        })
    }
}

impl Control for Flag {}

/// The address of the certificate.
#[derive(Serialize)]
pub struct Certificate;

pub static CERTIFICATE: Certificate = Certificate;

impl Kind for Certificate {
    fn writer(&self) -> Writer {
        Writer::Nobody
    }

    fn read_schema(&self) -> Json {
        json!({
            "type": "object",
            "required": ["url"],
            "properties": {"url": {"type": "string", "format": "uri"}},
            "additionalProperties": false,
        })
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        stored["url"].as_str().unwrap_or_default().to_owned()
    }
}

impl Control for Certificate {}

/// The result of an evaluation.
#[derive(Serialize)]
pub struct Report;

pub static REPORT: Report = Report;

impl Kind for Report {
    fn writer(&self) -> Writer {
        Writer::Nobody
    }

    fn read_schema(&self) -> Json {
        json!({
            "type": "object",
            "required": ["score", "comment"],
            "properties": {
                "score": {"type": "number"},
                "comment": {"type": ["string", "null"]},
            },
            "additionalProperties": false,
        })
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        let score = stored["score"].as_number().map(ToString::to_string);
        let comment = stored["comment"].as_str().filter(|text| !text.is_empty());
        let parts: Vec<&str> = score.as_deref().into_iter().chain(comment).collect();
        parts.join(": ")
    }

    fn sheet(&self) -> Option<&dyn Sheet> {
        Some(self)
    }
}

impl Sheet for Report {
    fn sheet_columns(&self, cx: &Cx) -> Vec<Column> {
        let words = texts::texts(cx.locale);
        let part = |code: &str| Column::part(code, words.say(&format!("system-report-{code}")));
        vec![part("score"), part("comment")]
    }

    fn sheet_cells(&self, stored: &Json, _: &Cx) -> Vec<Cell> {
        let cell = |part: &str| Cell::of(&stored[part], || stored[part].as_str().unwrap_or_default().to_owned());
        vec![cell("score"), cell("comment")]
    }
}

impl Control for Report {}
