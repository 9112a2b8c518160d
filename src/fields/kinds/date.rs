//! `date`: a naive date or date-time on the form's wall clock, with a precision.

use maud::Markup;
use serde::Serialize;
use serde_json::json;

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::base::text;
use crate::base::text::phrase::phrase;
use crate::base::text::texts::Texts;
use crate::fields::columns::Cell;
use crate::fields::display::dates::{self, FIRST, Precision, local_now, precision_of};
use crate::fields::display::local_date;
use crate::fields::filter::cond::{Cond, Key, Op};
use crate::fields::form_part::FormPart;
use crate::fields::grading;
use crate::fields::inputs::{self, LineAttributes};
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{
    BuildCx, Control, Cx, Facets, Grading, InputCx, Kind, KindRow, Live, Lookup, Operand, Plain, Sample, Sheet,
    begins_with,
};
use crate::fields::report::dates::{Dates, Per};
use crate::fields::values::formula::Type;

pub static KIND: KindRow = KindRow {
    name: "date",
    facets: Facets {
        searchable: true,
        fuzzy: true,
        displayable: true,
        in_cells: true,
        asked_by: &["date", "birthday", "which day", "what day", "日期", "生日", "出生", "哪天", "哪一天"],
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: r#"{"min": "2026-01-01"}"#,
            write: r#""2026-11-20""#,
            stored: r#""2026-11-20""#,
            text: "2026-11-20",
        },
        Sample {
            definition: r#"{"precision": "month"}"#,
            write: r#""2026-11""#,
            stored: r#""2026-11""#,
            text: "2026-11",
        },
        Sample {
            definition: r#"{"precision": "second"}"#,
            write: r#""2026-11-20 23:59:58""#,
            stored: r#""2026-11-20 23:59:58""#,
            text: "2026-11-20 23:59:58",
        },
    ],
};

#[derive(Serialize)]
struct DateKind {
    precision: Precision,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<String>,
}

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    let precision = reader.opt_word("precision", &Precision::ALL).unwrap_or(Precision::Day);
    let mut bound = |key: &str| {
        let text = reader.opt_text(key, 30)?;
        if text != "today" && precision_of(&text).is_none() {
            reader.fault(key, Reason::other(phrase!("must be {} or today", precision.shape())));
        }
        Some(text)
    };
    let (min, max) = (bound("min"), bound("max"));
    if let (Some(min), Some(max)) = (&min, &max)
        && min != "today"
        && max != "today"
        && shared(min, max).0 > shared(min, max).1
    {
        reader.fault("max", Reason::other("must not be before min"));
    }
    Box::new(DateKind { precision, min, max })
}

/// A bound as a date; `today` is replaced.
fn resolved(bound: &str, cx: &Cx) -> String {
    if bound == "today" { Precision::Day.cut(&local_now(cx)).to_owned() } else { bound.to_owned() }
}

/// Cuts two dates to the length of the shorter one for comparison.
fn shared<'d>(a: &'d str, b: &'d str) -> (&'d str, &'d str) {
    let len = a.len().min(b.len());
    (a.get(..len).unwrap_or(a), b.get(..len).unwrap_or(b))
}

impl Kind for DateKind {
    fn parse(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Json {
        let Json::String(text) = raw else {
            at.push(Reason::MustBe(Expected::DateText(self.precision.shape())));
            return Json::Null;
        };
        if text::is_blank(&text) {
            return Json::Null;
        }
        if precision_of(&text) != Some(self.precision) {
            at.push(Reason::MustBe(Expected::Date(self.precision.shape())));
            return Json::Null;
        }
        // Browsers send `0026` for a year that was typed as `26`.
        if text.starts_with('0') {
            at.push(Reason::ShortYear);
            return Json::Null;
        }
        let bound = |bound: &Option<String>| bound.as_ref().map(|bound| resolved(bound, cx));
        if let Some(min) = bound(&self.min).filter(|min| shared(&text, min).0 < shared(&text, min).1) {
            at.push(Reason::NotBefore(min.to_string()));
        }
        if let Some(max) = bound(&self.max).filter(|max| shared(&text, max).0 > shared(&text, max).1) {
            at.push(Reason::NotAfter(max.to_string()));
        }
        Json::String(text)
    }

    /// Converts a date of another precision: it is cut, or completed with its first moment.
    fn prune(&self, stored: Json, _: &Cx) -> Json {
        let Some(text) = stored.as_str() else {
            return Json::Null;
        };
        let whole = format!("{text}{}", FIRST.get(text.len()..).unwrap_or_default());
        json!(self.precision.cut(&whole))
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        stored.as_str().unwrap_or_default().to_owned()
    }

    fn lines(&self, stored: &Json, cx: &Cx) -> Vec<String> {
        vec![local_date::alone(&self.text(stored, cx), cx.locale)]
    }

    fn plain(&self) -> Option<Plain> {
        Some(Plain::Code)
    }

    fn keys(&self, stored: &Json, _: &Cx) -> Vec<Key> {
        stored.as_str().map(|text| Key::Code(text.to_owned())).into_iter().collect()
    }

    fn operators(&self) -> &'static [Op] {
        Op::DATE
    }

    fn condition(&self, op: Op, value: &Json, cx: &Cx) -> Result<Cond, Issue> {
        dates::condition(self.precision, Key::Code, op, value, cx)
    }

    fn lookup(&self) -> Option<&dyn Lookup> {
        Some(self)
    }

    fn resolve_default(&self, raw: &Json, cx: &Cx) -> Json {
        match raw.as_str() {
            Some("today" | "now") => json!(self.precision.cut(&local_now(cx))),
            _ => raw.clone(),
        }
    }

    fn tally(&self, _: Room) -> Box<dyn Tally + '_> {
        Box::new(Dates::new(match self.precision {
            Precision::Month => Per::Month,
            _ => Per::Day,
        }))
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

impl Sheet for DateKind {
    fn sheet_cells(&self, stored: &Json, cx: &Cx) -> Vec<Cell> {
        vec![Cell::date(self.text(stored, cx))]
    }

    fn sheet_value(&self, cells: &[&str], cx: &Cx, at: &mut Issues) -> Json {
        let typed = cells.first().copied().unwrap_or_default();
        let Some(whole) = dates::of_sheet(typed).or_else(|| local_date::read(typed, cx.locale)) else {
            return json!(typed);
        };
        dates::fitted(self.precision, &whole).map_or_else(
            |reason| {
                at.push(reason);
                Json::Null
            },
            Json::String,
        )
    }
}

impl Operand for DateKind {
    fn operand_type(&self) -> Type {
        Type::Date
    }
}

impl Lookup for DateKind {
    fn find_by(&self, _: &str, given: &Json, fuzzy: bool, cx: &Cx) -> Result<Cond, Reason> {
        let given = local_date::iso_date(given, cx.locale);
        if fuzzy {
            return Ok(begins_with(&dates::typed_start(&given)?, Key::Code));
        }
        <dyn Kind>::by_operator(self, &given, false, cx)
    }
}

impl Control for DateKind {
    fn examples(&self, cx: &Cx) -> Vec<Json> {
        let bounds = [&self.min, &self.max].into_iter().flatten().map(|bound| resolved(bound, cx));
        let whole = |text: String| format!("{text}{}", FIRST.get(text.len()..).unwrap_or_default());
        let dates = std::iter::once(local_now(cx)).chain(bounds.map(whole));
        dates.map(|date| json!(self.precision.cut(&date))).collect()
    }

    fn live(&self) -> Option<Live> {
        Some(Live::Date(self.precision.length()))
    }

    fn limits(&self, texts: &Texts, cx: &Cx) -> Option<String> {
        let show = |bound: &Option<String>| {
            let bound = resolved(bound.as_deref()?, cx);
            Some(local_date::show(&bound, texts, cx.locale))
        };
        Some(match (show(&self.min), show(&self.max)) {
            (None, None) => return None,
            (Some(a), Some(b)) => texts.fill("limit-date-from-to", &[("a", a.into()), ("b", b.into())]),
            (Some(a), None) => texts.fill("limit-date-from", &[("a", a.into())]),
            (None, Some(b)) => texts.fill("limit-date-to", &[("b", b.into())]),
        })
    }

    fn input(&self, cx: &InputCx) -> Markup {
        let attributes = LineAttributes::default();
        match self.precision {
            Precision::Month => inputs::line(cx, "month", &attributes),
            Precision::Day => inputs::line(cx, "date", &attributes),
            Precision::Minute | Precision::Second => {
                let value = json!(inputs::typed(cx.value).replacen(' ', "T", 1));
                let attributes =
                    LineAttributes { step: (self.precision == Precision::Second).then_some("1"), ..attributes };
                inputs::line(&InputCx { value: &value, ..*cx }, "datetime-local", &attributes)
            }
        }
    }

    /// Browsers post `YYYY-MM-DDTHH:mm`, and omit seconds that are zero. In those without such a control, people type
    /// dates as they are used to.
    fn form_value(&self, part: &FormPart, cx: &Cx) -> Json {
        let Some(typed) = part.first() else {
            return Json::Null;
        };
        let mut text = typed.trim().replacen('T', " ", 1);
        if precision_of(&text).is_none() {
            text = local_date::read(typed, cx.locale).unwrap_or(text);
        }
        match precision_of(&text) {
            Some(Precision::Minute) if self.precision == Precision::Second => json!(text + ":00"),
            Some(Precision::Second) => json!(dates::fitted(self.precision, &text).unwrap_or(text)),
            _ => json!(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::TimeZone;

    use crate::base::clock::Time;

    #[test]
    fn reads_whole_days_months_and_offsets() {
        let timezone = TimeZone::get("Asia/Shanghai").expect("a zone");
        let now = Time::parse("2026-11-20T20:00:00Z").expect("a time");
        let cx = Cx {
            timezone: &timezone,
            locale: "en",
            now,
            respondent: false,
            found: &crate::fields::links::NOTHING,
            files: crate::fields::files::links::FilesCx::default(),
            pass_score: None,
            has_waiting_list: false,
        };
        let kind = |precision| DateKind { precision, min: None, max: None };
        let holds = |kind: &DateKind, op, value: Json, stored: &str| {
            let cond = kind.condition(op, &value, &cx).expect("a condition");
            cond.holds(&kind.keys(&json!(stored), &cx))
        };
        let minute = kind(Precision::Minute);
        assert!(holds(&minute, Op::Eq, json!("2026-11-20"), "2026-11-20 23:59"));
        assert!(!holds(&minute, Op::Gt, json!("2026-11-20"), "2026-11-20 23:59"));
        assert!(holds(&minute, Op::Lte, json!("2026-11-20"), "2026-11-20 23:59"));
        assert!(holds(&minute, Op::Eq, json!("2026-11"), "2026-11-30 00:00"));
        assert!(holds(&minute, Op::Eq, json!("2026-11-20T16:30:00Z"), "2026-11-21 00:30"));
        let day = kind(Precision::Day);
        assert!(holds(&day, Op::Eq, json!("2026-11-20T16:30:00Z"), "2026-11-21"));
        assert!(holds(&day, Op::Eq, json!("2026-02"), "2026-02-28"));
        assert!(holds(&day, Op::Like, json!("2026-1"), "2026-11-20"));
        assert!(!holds(&day, Op::NotBetween, json!(["2026-11-01", "2026-11-30"]), "2026-11-20"));
        let second = kind(Precision::Second);
        assert!(!holds(&second, Op::Eq, json!("2026-11-20 10:30"), "2026-11-20 10:30:45"));
        assert!(day.condition(Op::Eq, &json!("2026-13-01"), &cx).is_err());
        assert_eq!(day.resolve_default(&json!("today"), &cx), json!("2026-11-21"));
    }

    #[test]
    fn an_hour_that_comes_twice_is_the_first_one() {
        let timezone = TimeZone::get("Europe/Berlin").expect("a zone");
        let cx = Cx { timezone: &timezone, ..Cx::of_a_test(false) };
        let kind = DateKind { precision: Precision::Minute, min: None, max: None };
        // The stored time occurs at 00:30 UTC and again an hour later.
        let keys = kind.keys(&json!("2026-10-25 02:30"), &cx);
        let holds = |op, value: Json| {
            let cond = kind.condition(op, &value, &cx).expect("a condition");
            cond.holds(&keys)
        };
        for (op, value, is_so) in [
            (Op::Eq, json!("2026-10-25T00:30:00Z"), true),
            (Op::Eq, json!("2026-10-25T01:30:00Z"), false),
            (Op::Ne, json!("2026-10-25T01:30:00Z"), true),
            (Op::Gt, json!("2026-10-25T00:15:00Z"), true),
            (Op::Gt, json!("2026-10-25T01:15:00Z"), false),
            (Op::Gte, json!("2026-10-25T01:15:00Z"), false),
            (Op::Lt, json!("2026-10-25T01:15:00Z"), true),
            (Op::Lte, json!("2026-10-25T01:15:00Z"), true),
            (Op::Lt, json!("2026-10-25T02:00:00Z"), true),
            (Op::Between, json!(["2026-10-25T00:00:00Z", "2026-10-25T01:15:00Z"]), true),
            (Op::Between, json!(["2026-10-25T01:00:00Z", "2026-10-25T01:45:00Z"]), false),
        ] {
            assert_eq!(holds(op, value.clone()), is_so, "{op:?} {value}");
        }
        let after = kind.keys(&json!("2026-10-25 03:00"), &cx);
        let cond = kind.condition(Op::Gt, &json!("2026-10-25T01:59:00Z"), &cx);
        assert!(cond.expect("a condition").holds(&after));
    }

    #[test]
    fn dates_of_filters_are_those_of_iso_8601() {
        let cx = Cx::of_a_test(false);
        let kind = DateKind { precision: Precision::Minute, min: None, max: None };
        let cond = kind.condition(Op::Eq, &json!("20261025"), &cx).expect("a day");
        assert!(cond.holds(&kind.keys(&json!("2026-10-25 12:00"), &cx)));
        for value in ["+002026-10-25", "2026-10-25[Europe/Berlin]", "2026-10-25T10:30:60Z", "2026102"] {
            let read = kind.condition(Op::Eq, &json!(value), &cx);
            assert!(read.is_err(), "{value}");
        }
    }

    #[test]
    fn reads_what_people_type() {
        let posted = |precision, locale, typed: &'static str| {
            let tree = FormPart::tree([("field_1", typed)]);
            let cx = Cx { locale, ..Cx::of_a_test(true) };
            let kind = DateKind { precision, min: None, max: None };
            kind.form_value(tree.member("field_1").expect("posted"), &cx)
        };
        for (precision, locale, typed, read) in [
            (Precision::Day, "de", "31.12.1990", "1990-12-31"),
            (Precision::Day, "en", "3/4/2026", "3/4/2026"),
            (Precision::Day, "de", "1990-12-31", "1990-12-31"),
            (Precision::Month, "de", "31.12.1990", "1990-12-31"),
            (Precision::Minute, "de", "31.12.1990 9:05", "1990-12-31 09:05"),
            (Precision::Minute, "de", "31.12.1990", "1990-12-31"),
            (Precision::Minute, "en", "1990-12-31T09:05:00", "1990-12-31 09:05"),
            // Seconds are not dropped silently, even if nobody asked for them.
            (Precision::Minute, "en", "1990-12-31T09:05:07", "1990-12-31 09:05:07"),
            (Precision::Second, "en", "1990-12-31T09:05", "1990-12-31 09:05:00"),
        ] {
            assert_eq!(posted(precision, locale, typed), json!(read), "{locale} {typed}");
        }
    }

    #[test]
    fn searches_are_typed_as_the_locale_writes() {
        let kind = DateKind { precision: Precision::Day, min: None, max: None };
        let cx = Cx { locale: "de", ..Cx::of_a_test(true) };
        for fuzzy in [false, true] {
            let cond = kind.find_by("", &json!("31.12.1990"), fuzzy, &cx).expect("a condition");
            assert!(cond.holds(&kind.keys(&json!("1990-12-31"), &cx)), "{fuzzy}");
        }
    }

    #[test]
    fn only_real_dates_in_the_exact_shape() {
        for bad in
            ["2026-02-29", "2026-1-1", "0000-01-01", "2026-11-20T10:00", "2026-11-20 24:00", "２026-01-01", "", "2026"]
        {
            assert!(precision_of(bad).is_none(), "{bad}");
        }
        assert_eq!(precision_of("2024-02-29"), Some(Precision::Day));
    }
}
