//! `time`: a time of day, without a date and without a timezone.

use maud::Markup;
use serde::Serialize;
use serde_json::{Map, json};

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::{Reader, as_int, out_of};
use crate::base::reason::{Expected, Reason};
use crate::base::text::phrase::Phrase;
use crate::fields::columns::Cell;
use crate::fields::filter::compared::Compared;
use crate::fields::filter::cond::{self, Cond, Key, Op};
use crate::fields::form_part::FormPart;
use crate::fields::grading;
use crate::fields::inputs::{self, LineAttributes};
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{
    AnswerOrder, BuildCx, Control, Cx, Facets, Grading, InputCx, Kind, KindRow, Live, Operand, Sample, Sheet,
};
use crate::fields::report::dates::Hours;
use crate::fields::values::formula::Type;
use crate::fields::values::known_keys;

pub static KIND: KindRow = KindRow {
    name: "time",
    facets: Facets {
        displayable: true,
        in_cells: true,
        conditions: Some("`HH:MM` or `HH:MM:SS`."),
        asked_by: &["=time", "what time", "which time", "arrival time", "几点", "=时间", "到达时间"],
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: "{}",
            write: r#"{"hour": 9, "minute": 5, "second": 7}"#,
            stored: r#"{"hour": 9, "minute": 5}"#,
            text: "09:05",
        },
        Sample {
            definition: r#"{"include_second": true}"#,
            write: r#"{"hour": 23, "minute": 59, "second": 58}"#,
            stored: r#"{"hour": 23, "minute": 59, "second": 58}"#,
            text: "23:59:58",
        },
    ],
};

const HAS_SECONDS: Reason = Reason::Other(Phrase::plain("has seconds; this question takes hours and minutes"));
const NOT_TIME: Reason = Reason::MustBe(Expected::Other("a time as HH:MM or HH:MM:SS"));
/// The parts of a value and their maximums.
const PARTS: [(&str, i64); 3] = [("hour", 23), ("minute", 59), ("second", 59)];

#[derive(Serialize)]
struct TimeKind {
    #[serde(skip_serializing_if = "Option::is_none")]
    include_second: Option<bool>,
}

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    Box::new(TimeKind { include_second: reader.opt_bool("include_second") })
}

/// `HH:MM` or `HH:MM:SS` as hour, minute and second; omitted seconds are zero.
fn point(text: &str) -> Option<[i64; 3]> {
    if !text.is_ascii() || !matches!(text.len(), 5 | 8) {
        return None;
    }
    let mut found = [0; 3];
    for (i, part) in text.split(':').enumerate() {
        let (_, most) = PARTS.get(i)?;
        let is_number = part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
        found[i] = part.parse().ok().filter(|n| is_number && n <= most)?;
    }
    Some(found)
}

impl TimeKind {
    fn with_second(&self) -> bool {
        self.include_second == Some(true)
    }

    /// Whether the kind can store a time without loss.
    fn takes(&self, [_, _, second]: [i64; 3]) -> bool {
        self.with_second() || second == 0
    }

    /// The parts of this field's values.
    fn parts(&self) -> &'static [(&'static str, i64)] {
        if self.with_second() { &PARTS } else { &PARTS[..2] }
    }

    fn value(&self, point: [i64; 3]) -> Json {
        let parts = self.parts().iter().zip(point);
        let value: Map<String, Json> = parts.map(|((name, _), number)| ((*name).to_owned(), json!(number))).collect();
        Json::Object(value)
    }

    /// The text for people and for comparison: without seconds, unless the field has them. A filter may still give
    /// seconds, which no value without seconds equals.
    fn clock_text(&self, [hour, minute, second]: [i64; 3]) -> String {
        if self.with_second() || second > 0 {
            format!("{hour:02}:{minute:02}:{second:02}")
        } else {
            format!("{hour:02}:{minute:02}")
        }
    }

    /// Values posted under the write shape's paths: `field_3.hour`.
    fn form_parts(&self, part: &FormPart) -> Json {
        let given: Map<String, Json> = self
            .parts()
            .iter()
            .filter_map(|(name, _)| {
                let typed = part.member(name)?.first()?.trim();
                let value = typed.parse::<i64>().map_or_else(|_| json!(typed), Json::from);
                Some(((*name).to_owned(), value))
            })
            .collect();
        if given.is_empty() { Json::Null } else { Json::Object(given) }
    }
}

/// The numbers of a stored value; a missing second is zero.
fn numbers(stored: &Json) -> [i64; 3] {
    PARTS.map(|(name, _)| stored[name].as_i64().unwrap_or_default())
}

impl Kind for TimeKind {
    fn read_schema(&self) -> Json {
        let parts = self.parts();
        let properties: Map<String, Json> = parts
            .iter()
            .map(|(name, most)| {
                let schema = json!({"type": "integer", "minimum": 0, "maximum": most});
                ((*name).to_owned(), schema)
            })
            .collect();
        let names: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
        json!({"type": "object", "properties": properties, "required": names})
    }

    fn write_schema(&self) -> Json {
        let mut schema = self.read_schema();
        schema["required"] = json!(["hour", "minute"]);
        schema
    }

    fn parse(&self, raw: Json, _: &Cx, at: &mut Issues) -> Json {
        let Json::Object(given) = raw else {
            at.push(Reason::MustBe(Expected::Time));
            return Json::Null;
        };
        if !known_keys::check(&given, PARTS.iter().map(|(name, _)| *name), at) {
            return Json::Null;
        }
        let part = |name: &str| given.get(name).filter(|value| !value.is_null());
        if self.parts().iter().all(|(name, _)| part(name).is_none()) {
            return Json::Null;
        }
        let mut found = [0; 3];
        for (i, (name, most)) in self.parts().iter().enumerate() {
            match part(name).map(as_int) {
                // A missing second is zero.
                None if *name == "second" => {}
                None => at.push_at(name, Reason::Blank),
                Some(None) => at.push_at(name, Reason::MustBe(Expected::WholeNumber)),
                Some(Some(number)) if (0..=*most).contains(&number) => found[i] = number,
                Some(Some(_)) => at.push_at(name, out_of(&(0..=*most))),
            }
        }
        self.value(found)
    }

    /// Adds or drops seconds if the definition has changed.
    fn prune(&self, stored: Json, _: &Cx) -> Json {
        self.value(numbers(&stored))
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        self.clock_text(numbers(stored))
    }

    fn keys(&self, stored: &Json, cx: &Cx) -> Vec<Key> {
        vec![Key::Code(self.text(stored, cx))]
    }

    fn operators(&self) -> &'static [Op] {
        Op::CHOICE
    }

    fn compared(&self) -> Compared {
        Compared::Time
    }

    fn answer_order(&self) -> Option<AnswerOrder> {
        Some(AnswerOrder::Key)
    }

    fn condition(&self, op: Op, value: &Json, _: &Cx) -> Result<Cond, Issue> {
        cond::by_key(op, value, &|value| {
            let found = value.as_str().and_then(point);
            let key = found.map(|point| Key::Code(self.clock_text(point)));
            key.ok_or(NOT_TIME)
        })
    }

    fn tally(&self, _: Room) -> Box<dyn Tally + '_> {
        Box::new(Hours::new(self.with_second()))
    }

    fn sheet(&self) -> Option<&dyn Sheet> {
        Some(self)
    }

    fn operand(&self) -> Option<&dyn Operand> {
        Some(self)
    }

    fn grading(&self) -> Option<&dyn Grading> {
        Some(&grading::Same)
    }
}

impl Sheet for TimeKind {
    fn sheet_cells(&self, stored: &Json, cx: &Cx) -> Vec<Cell> {
        vec![Cell::date(self.text(stored, cx))]
    }

    fn sheet_value(&self, cells: &[&str], _: &Cx, at: &mut Issues) -> Json {
        let typed = cells.first().map_or("", |cell| cell.trim());
        // Spreadsheets omit a leading zero.
        let padded = format!("0{typed}");
        match point(typed).or_else(|| point(&padded)) {
            Some(point) if self.takes(point) => return self.value(point),
            Some(_) => at.push(HAS_SECONDS),
            None => at.push(NOT_TIME),
        }
        Json::Null
    }
}

impl Operand for TimeKind {
    fn operand_type(&self) -> Type {
        Type::Text
    }
}

impl Control for TimeKind {
    /// Browsers omit seconds that are zero; if the field has seconds, the script asks the server.
    fn examples(&self, _: &Cx) -> Vec<Json> {
        let mut time = json!({"hour": 14, "minute": 30});
        if self.include_second == Some(true) {
            time["second"] = json!(0);
        }
        vec![time]
    }

    fn live(&self) -> Option<Live> {
        (!self.with_second()).then_some(Live::Date("HH:MM".len()))
    }

    fn input(&self, cx: &InputCx) -> Markup {
        let typed = match cx.value {
            Json::Object(_) => json!(self.text(cx.value, cx.cx)),
            typed => json!(inputs::typed(typed)),
        };
        let attributes = LineAttributes { step: self.with_second().then_some("1"), ..LineAttributes::default() };
        inputs::line(&InputCx { value: &typed, ..*cx }, "time", &attributes)
    }

    /// Browsers post `HH:MM`, or `HH:MM:SS` if the field has seconds and they are not zero.
    fn form_value(&self, part: &FormPart, _: &Cx) -> Json {
        match part.first().map(str::trim) {
            Some(typed) => {
                let point = point(typed).filter(|point| self.takes(*point));
                point.map_or_else(|| json!(typed), |point| self.value(point))
            }
            None => self.form_parts(part),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTES: TimeKind = TimeKind { include_second: None };
    const SECONDS: TimeKind = TimeKind { include_second: Some(true) };

    #[test]
    fn only_real_times_in_the_exact_shape() {
        for (good, read) in [("00:00", [0, 0, 0]), ("23:59", [23, 59, 0]), ("10:30:45", [10, 30, 45])] {
            assert_eq!(point(good), Some(read), "{good}");
        }
        for bad in [
            "", "9:30", "24:00", "10:60", "10:30:60", "10:30:", "1030", "10-30", "+1:30", "10:30:4", "1０:30",
            "10:3:045", "10:30 ", "10:30Z",
        ] {
            assert_eq!(point(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_coarser_time_is_that_point() {
        let cx = Cx::of_a_test(false);
        let holds = |kind: &TimeKind, op, value: Json, stored: [i64; 3]| {
            let cond = kind.condition(op, &value, &cx).expect("a condition");
            cond.holds(&kind.keys(&kind.value(stored), &cx))
        };
        assert!(!holds(&SECONDS, Op::Eq, json!("10:30"), [10, 30, 45]));
        assert!(holds(&SECONDS, Op::Eq, json!("10:30"), [10, 30, 0]));
        assert!(holds(&SECONDS, Op::Eq, json!("10:30:45"), [10, 30, 45]));
        assert!(holds(&MINUTES, Op::Eq, json!("10:30:00"), [10, 30, 0]));
        assert!(!holds(&MINUTES, Op::Eq, json!("10:30:45"), [10, 30, 45]));
        assert!(holds(&MINUTES, Op::AnyIn, json!(["09:00", "10:30"]), [10, 30, 0]));
        assert!(holds(&MINUTES, Op::NoneIn, json!(["09:00"]), [10, 30, 0]));
        assert!(holds(&SECONDS, Op::Like, json!("30:4"), [10, 30, 45]));
        // A part that is not shown is not found.
        assert!(!holds(&MINUTES, Op::Like, json!("30:0"), [10, 30, 0]));
        for bad in [json!("9:30"), json!(10), json!(""), json!(["10:30"]), json!({"hour": 1, "minute": 2})] {
            assert!(MINUTES.condition(Op::Eq, &bad, &cx).is_err(), "{bad}");
        }
    }

    #[test]
    fn seconds_come_and_go_with_the_definition() {
        let cx = Cx::of_a_test(false);
        assert_eq!(SECONDS.prune(json!({"hour": 1, "minute": 2}), &cx), json!({"hour": 1, "minute": 2, "second": 0}));
        assert_eq!(MINUTES.prune(json!({"hour": 1, "minute": 2, "second": 3}), &cx), json!({"hour": 1, "minute": 2}));
    }

    #[test]
    fn reads_what_browsers_post() {
        let posted = |kind: &TimeKind, pairs: &[(&'static str, &'static str)]| {
            let tree = FormPart::tree(pairs.iter().copied());
            kind.form_value(tree.member("field_1").expect("posted"), &Cx::of_a_test(true))
        };
        assert_eq!(posted(&MINUTES, &[("field_1", "09:05")]), json!({"hour": 9, "minute": 5}));
        assert_eq!(posted(&MINUTES, &[("field_1", "09:05:00")]), json!({"hour": 9, "minute": 5}));
        assert_eq!(posted(&MINUTES, &[("field_1", "09:05:07")]), json!("09:05:07"));
        assert_eq!(posted(&SECONDS, &[("field_1", "09:05")]), json!({"hour": 9, "minute": 5, "second": 0}));
        assert_eq!(posted(&SECONDS, &[("field_1", "")]), json!(null));
        assert_eq!(posted(&SECONDS, &[("field_1", "noon")]), json!("noon"));
        assert_eq!(
            posted(&MINUTES, &[("field_1.hour", "9"), ("field_1.minute", "x"), ("field_1.second", "1")]),
            json!({"hour": 9, "minute": "x"})
        );
    }
}
