//! Values of settings, as they are posted, shown in controls and told in a sentence.

use jiff::tz::TimeZone;
use serde_json::{Map, json};

use crate::base::clock::Time;
use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::fields::Fields;
use crate::fields::display::{local_number, moment};
use crate::web::pages::console::Posted;
use crate::web::pages::console::settings::table::{Control, Shape, option_id};

/// The paths of lines that can't be cleared.
const NEVER_EMPTY: [&str; 3] = ["name", "locale", "timezone"];

/// The context for reading and showing values.
pub struct ValueCx<'a> {
    pub texts: &'static Texts,
    /// The reader's, for numbers.
    pub locale: &'a str,
    /// The form's, for moments.
    pub timezone: &'a TimeZone,
    pub fields: &'a Fields,
}

impl ValueCx<'_> {
    /// The posted value of a control, as the API takes it: an unreadable value stays the typed text. `None` for a
    /// control that was not posted, and stays as it is.
    pub fn read(&self, control: &Control, posted: &Posted) -> Option<Json> {
        let path = control.path;
        let is_posted = posted.0.iter().any(|(name, _)| name == path);
        let typed = || posted.text(path).replace("\r\n", "\n");
        let or_null = |text: String, value: &dyn Fn(&str) -> Json| {
            if text.trim().is_empty() { Json::Null } else { value(&text) }
        };
        match control.shape {
            Shape::Flag => return Some(is_posted.into()),
            Shape::Fields => return Some(posted.all(path).collect()),
            Shape::Rows(columns) => return Some(self.read_rows(path, columns, posted)),
            Shape::Questions => return None,
            _ if !is_posted => return None,
            _ => {}
        }
        Some(match control.shape {
            // These can't be cleared: an empty one is a fault, and not the value before it.
            Shape::Line(_) if NEVER_EMPTY.contains(&path) => typed().trim().into(),
            Shape::Number => or_null(typed(), &|text| local_number::of_form(text.trim(), self.locale)),
            Shape::Moment => or_null(typed(), &|text| self.moment(text.trim())),
            Shape::Word(_) if ["true", "false"].contains(&posted.text(path)) => (posted.text(path) == "true").into(),
            Shape::Addresses => typed().lines().map(str::trim).filter(|line| !line.is_empty()).collect(),
            Shape::Line(_) => or_null(typed(), &|text| text.trim().into()),
            _ => or_null(typed(), &|text| text.into()),
        })
    }

    fn read_rows(&self, path: &str, columns: &[(&str, bool)], posted: &Posted) -> Json {
        let number = |name: &str| name.strip_prefix(path)?.strip_prefix('[')?.split(']').next()?.parse().ok();
        let mut numbers: Vec<usize> = posted.0.iter().filter_map(|(name, _)| number(name)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let row = |number: &usize| {
            let cells = columns.iter().filter_map(|(key, is_number)| {
                let typed = posted.text(&format!("{path}[{number}].{key}")).trim();
                let value = if *is_number { local_number::of_form(typed, self.locale) } else { typed.into() };
                (!typed.is_empty()).then(|| ((*key).to_owned(), value))
            });
            let cells: Map<String, Json> = cells.collect();
            (!cells.is_empty()).then_some(Json::Object(cells))
        };
        numbers.iter().filter_map(row).collect()
    }

    /// A time of the form's clock, as the API takes it.
    fn moment(&self, typed: &str) -> Json {
        let at = moment::of_clock(typed, self.timezone);
        at.map_or_else(|| typed.into(), |at| Time::from_millis(at.as_millisecond()).into())
    }

    /// The text of a control. A value that can't be read is shown as it was typed.
    pub fn in_control(&self, shape: Shape, value: &Json) -> String {
        match (shape, value) {
            (Shape::Moment, Json::String(text)) => Time::parse(text).map_or_else(|| text.clone(), |at| self.clock(at)),
            (Shape::Addresses, Json::Array(items)) => {
                items.iter().filter_map(Json::as_str).collect::<Vec<_>>().join("\n")
            }
            (_, Json::String(text)) => text.clone(),
            (_, Json::Number(number)) => self.number(number),
            (_, Json::Bool(is_on)) => is_on.to_string(),
            _ => String::new(),
        }
    }

    fn number(&self, number: &serde_json::Number) -> String {
        let text = number.to_string();
        local_number::in_control(text.strip_suffix(".0").unwrap_or(&text), self.locale)
    }

    fn clock(&self, at: Time) -> String {
        moment::clock_text(at.timestamp(), self.timezone)
    }

    /// A value in a sentence, or beside its label.
    pub fn told(&self, control: &Control, value: &Json) -> String {
        let option = |key: &str| self.texts.find(&option_id(control.words, key));
        let text = match (control.shape, value) {
            (Shape::Flag, _) => self.texts.say(if *value == json!(true) { "settings-on" } else { "settings-off" }),
            (Shape::Word(_), Json::Null) => option("").unwrap_or_default(),
            (Shape::Word(_), Json::Bool(is_on)) => option(&is_on.to_string()).unwrap_or_default(),
            (Shape::Word(_), Json::String(word)) => option(word).unwrap_or_else(|| word.clone()),
            (Shape::Moment, Json::String(text)) => {
                Time::parse(text).map_or_else(|| text.clone(), |at| self.clock(at).replacen('T', " ", 1))
            }
            (Shape::Mailable, Json::Null) => self.texts.say("settings-receipt-field-first"),
            (Shape::Mailable, Json::String(code)) => self.label(code),
            (Shape::Fields, Json::Array(codes)) => {
                let labels: Vec<String> = codes.iter().filter_map(Json::as_str).map(|code| self.label(code)).collect();
                self.texts.all_of(&labels).unwrap_or_default()
            }
            (Shape::Rows(columns), Json::Array(rows)) => {
                let rows: Vec<String> = rows.iter().map(|row| self.told_row(control, columns, row)).collect();
                rows.join("; ")
            }
            (shape, value) => self.in_control(shape, value).replace('\n', " "),
        };
        if text.trim().is_empty() { self.texts.say("settings-nothing") } else { text }
    }

    fn told_row(&self, control: &Control, columns: &[(&str, bool)], row: &Json) -> String {
        let cells = columns.iter().filter_map(|(key, is_number)| {
            let shape = if *is_number { Shape::Number } else { Shape::Line("") };
            let value = self.in_control(shape, &row[*key]);
            let label = self.texts.say(&option_id(control.words, key));
            (!value.is_empty()).then(|| format!("{label} {value}"))
        });
        cells.collect::<Vec<_>>().join(", ")
    }

    /// The label of a field, or its code where there is none.
    pub fn label(&self, code: &str) -> String {
        let label = self.fields.get(code).map(|field| field.label.clone());
        label.filter(|label| !label.trim().is_empty()).unwrap_or_else(|| code.to_owned())
    }
}
