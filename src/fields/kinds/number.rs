//! `number`: a number, stored as a float.

use maud::{Markup, html};
use serde::Serialize;
use serde_json::{Number, json};

use crate::base::issue::{Issue, Issues};
use crate::base::json::{Json, digits};
use crate::base::reader::Reader;
use crate::base::reason::Reason;
use crate::base::text;
use crate::base::text::texts::Texts;
use crate::fields::display::local_number;
use crate::fields::filter::cond::{self, Cond, Key, Op};
use crate::fields::form_part::FormPart;
use crate::fields::inputs::{self, LineAttributes};
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{
    BuildCx, Control, Cx, Facets, Grading, InputCx, Kind, KindRow, Live, Lookup, Operand, Plain, Sample, Sheet,
};
use crate::fields::report::numbers::Numbers;
use crate::fields::values::formula::Type;
use crate::fields::{columns, grading};

pub static KIND: KindRow = KindRow {
    name: "number",
    facets: Facets {
        searchable: true,
        displayable: true,
        unique: true,
        in_cells: true,
        becomes: &["short_text"],
        asked_by: &[
            "=number",
            "how many",
            "how much",
            "how old",
            "number of",
            "quantity",
            "amount",
            "=age",
            "your age",
            "多少",
            "几个",
            "几位",
            "人数",
            "数量",
            "年龄",
            "=数字",
        ],
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: r#"{"min": 0, "max": 10, "precision": 2, "unit": "kg"}"#,
            write: "2.345",
            stored: "2.35",
            text: "2.35",
        },
        Sample { definition: "{}", write: "-3", stored: "-3", text: "-3" },
    ],
};

#[derive(Serialize)]
struct NumberKind {
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    precision: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<String>,
}

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    let min = reader.opt_number("min");
    let max = reader.opt_number("max");
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        reader.fault("max", Reason::LessThan("min"));
    }
    Box::new(NumberKind {
        min: min.and_then(number),
        max: max.and_then(number),
        precision: reader.opt_int("precision", 0..=6),
        unit: reader.opt_text("unit", 30),
    })
}

/// A JSON number, without a fraction if it is whole: `3`, not `3.0`.
fn number(value: f64) -> Option<Number> {
    // Above 2^53 a float no longer represents each whole number.
    if value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0 {
        Some(Number::from(value as i64))
    } else {
        Number::from_f64(value)
    }
}

/// Rounds half away from zero by the number's decimal text: 2.345 ends in a half.
fn round(value: f64, precision: i64) -> f64 {
    let digits = usize::try_from(precision).unwrap_or_default();
    let text = format!("{value}");
    let Some((_, fraction)) = text.split_once('.') else {
        return value;
    };
    if fraction.len() <= digits {
        return value;
    }
    let exact = i32::try_from(digits).map_or(value, |digits| {
        let scale = 10f64.powi(digits);
        // The next decimal digit decides, not the binary value, which is slightly off.
        let up = fraction.as_bytes().get(digits as usize).is_some_and(|digit| *digit >= b'5');
        let kept: String = text.chars().take(text.len() - fraction.len() + digits as usize).collect();
        let kept: f64 = kept.parse().unwrap_or(value);
        if up { (kept * scale).round() / scale + value.signum() / scale } else { kept }
    });
    // Formatted and parsed, to get the float nearest to the decimal text.
    format!("{exact:.digits$}").parse().unwrap_or(exact)
}

impl Kind for NumberKind {
    fn read_schema(&self) -> Json {
        let mut schema = json!({"type": "number"});
        if let Some(min) = &self.min {
            schema["minimum"] = json!(min);
        }
        if let Some(max) = &self.max {
            schema["maximum"] = json!(max);
        }
        schema
    }

    fn parse(&self, raw: Json, _: &Cx, at: &mut Issues) -> Json {
        let value = match digits::double(&raw) {
            Ok(value) => value,
            Err(fault) => {
                at.push(fault);
                return Json::Null;
            }
        };
        let value = self.precision.map_or(value, |precision| round(value, precision));
        let bound = |bound: &Option<Number>| bound.as_ref().and_then(Number::as_f64);
        if let Some(min) = bound(&self.min).filter(|min| value < *min) {
            at.push(Reason::at_least(min));
        }
        if let Some(max) = bound(&self.max).filter(|max| value > *max) {
            at.push(Reason::at_most(max));
        }
        number(value).map_or(Json::Null, Json::Number)
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        digits::plain(&stored.to_string()).into_owned()
    }

    fn lines(&self, stored: &Json, cx: &Cx) -> Vec<String> {
        let number = local_number::show(&self.text(stored, cx), cx.locale);
        let unit = self.unit.as_deref();
        vec![unit.map_or_else(|| number.clone(), |unit| format!("{number} {unit}"))]
    }

    fn plain(&self) -> Option<Plain> {
        Some(Plain::Number)
    }

    fn keys(&self, stored: &Json, _: &Cx) -> Vec<Key> {
        stored.as_f64().map(Key::Number).into_iter().collect()
    }

    fn operators(&self) -> &'static [Op] {
        Op::NUMBER
    }

    fn condition(&self, op: Op, value: &Json, _: &Cx) -> Result<Cond, Issue> {
        cond::by_key(op, value, &|value| digits::double(value).map(Key::Number))
    }

    fn lookup(&self) -> Option<&dyn Lookup> {
        Some(self)
    }

    fn unique_key(&self, stored: &Json) -> Option<String> {
        Some(text::fold(&digits::plain(&stored.to_string())))
    }

    fn tally(&self, _: Room) -> Box<dyn Tally + '_> {
        Box::new(Numbers::default())
    }

    fn sheet(&self) -> Option<&dyn Sheet> {
        Some(self)
    }

    fn operand(&self) -> Option<&dyn Operand> {
        Some(self)
    }

    fn grading(&self) -> Option<&dyn Grading> {
        Some(&grading::Number)
    }
}

impl Sheet for NumberKind {
    fn sheet_value(&self, cells: &[&str], cx: &Cx, _: &mut Issues) -> Json {
        columns::number(cells.first().copied().unwrap_or_default(), cx.locale)
    }
}

impl Operand for NumberKind {
    fn operand_type(&self) -> Type {
        Type::Number
    }
}

impl Lookup for NumberKind {
    fn find_by(&self, _: &str, given: &Json, fuzzy: bool, cx: &Cx) -> Result<Cond, Reason> {
        <dyn Kind>::by_operator(self, &local_number::plain_number(given, cx.locale), fuzzy, cx)
    }
}

impl Control for NumberKind {
    fn examples(&self, _: &Cx) -> Vec<Json> {
        let bounds = [&self.min, &self.max].into_iter().flatten().map(|bound| json!(bound));
        std::iter::once(json!(3)).chain(bounds).collect()
    }

    fn live(&self) -> Option<Live> {
        Some(Live::Number(self.precision))
    }

    fn limits(&self, texts: &Texts, cx: &Cx) -> Option<String> {
        let show = |bound: &Option<Number>| {
            let bound = bound.as_ref()?;
            Some(local_number::show(&bound.to_string(), cx.locale))
        };
        let range = match (show(&self.min), show(&self.max)) {
            (None, None) => None,
            (Some(a), Some(b)) => Some(texts.fill("limit-number-from-to", &[("a", a.into()), ("b", b.into())])),
            (Some(a), None) => Some(texts.fill("limit-number-from", &[("a", a.into())])),
            (None, Some(b)) => Some(texts.fill("limit-number-to", &[("b", b.into())])),
        };
        let decimals = self.precision.map(|precision| {
            let id = if range.is_some() { "limit-decimals-too" } else { "limit-decimals" };
            texts.fill(id, &[("a", precision.into())])
        });
        let parts: Vec<String> = [range, decimals].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(&texts.say("list-clauses")))
    }

    fn input(&self, cx: &InputCx) -> Markup {
        // Some phones' numeric keyboards have no minus sign.
        let min = self.min.as_ref().and_then(Number::as_f64);
        let never_negative = min.is_some_and(|min| min >= 0.0);
        let keyboard = if self.precision == Some(0) { "numeric" } else { "decimal" };
        let attributes = LineAttributes { inputmode: never_negative.then_some(keyboard), ..LineAttributes::default() };
        // Not type=number, which loses typed text that is not a number.
        let shown = json!(cx.number_in(cx.name, cx.value));
        let cx = &InputCx { value: &shown, ..*cx };
        html! {
            @if let Some(unit) = &self.unit {
                div.with-unit { (inputs::line(cx, "text", &attributes)) span.unit lang=[cx.owners_lang()] { (unit) } }
            } @else {
                (inputs::line(cx, "text", &attributes))
            }
        }
    }

    fn form_value(&self, part: &FormPart, cx: &Cx) -> Json {
        let Some(typed) = part.first().map(str::trim).filter(|typed| !typed.is_empty()) else {
            return Json::Null;
        };
        let read = local_number::of_form(typed, cx.locale);
        match digits::double(&read).ok().and_then(number) {
            Some(number) => Json::Number(number),
            None => read,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_half_away_from_zero() {
        for (value, precision, rounded) in [
            (2.345, 2, 2.35),
            (1.005, 2, 1.01),
            (-2.345, 2, -2.35),
            (2.5, 0, 3.0),
            (-2.5, 0, -3.0),
            (0.1 + 0.2, 6, 0.3),
            (9.999, 2, 10.0),
            (12345.6, 2, 12345.6),
        ] {
            assert_eq!(round(value, precision), rounded, "{value} to {precision}");
        }
    }
}
