//! `formula`: a value that the service computes from other fields.

use maud::{Markup, html};
use serde::Serialize;
use serde_json::json;

use crate::base::issue::{Issue, Issues};
use crate::base::json::{Json, digits};
use crate::base::reader::Reader;
use crate::fields::columns::Cell;
use crate::fields::display::dates::{self, Precision};
use crate::fields::display::{local_date, local_number};
use crate::fields::filter::cond::{self, Cond, Key, Op};
use crate::fields::inputs;
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{BuildCx, Control, Cx, Facets, InputCx, Kind, KindRow, Operand, Sample, Sheet, Writer};
use crate::fields::report::dates::{Dates, Per};
use crate::fields::report::numbers::Numbers;
use crate::fields::report::texts::Texts;
use crate::fields::values::formula::{Computed, Formula, MAX_LENGTH, Type, Value};

pub static KIND: KindRow = KindRow {
    name: "formula",
    facets: Facets {
        conditions: Some("Like its result: a number, a text or a date."),
        asked_by: &["=formula", "=公式", "=计算"],
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: r#"{"expression": "1 / 3", "result_type": "number", "precision": 2}"#,
            write: "0.33",
            stored: "0.33",
            text: "0.33",
        },
        Sample {
            definition: r#"{"expression": "DATE_ADD(\"2026-01-31\", 1, \"month\")", "result_type": "date"}"#,
            write: r#""2026-02-28""#,
            stored: r#""2026-02-28""#,
            text: "2026-02-28",
        },
        Sample {
            definition: r#"{"expression": "CONCAT(\"a\", 1)", "result_type": "text"}"#,
            write: r#""a1""#,
            stored: r#""a1""#,
            text: "a1",
        },
    ],
};

const RESULTS: [(&str, &str); 3] = [("number", "number"), ("date", "date"), ("text", "text")];

#[derive(Serialize)]
struct FormulaKind {
    expression: String,
    result_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    precision: Option<i64>,
    #[serde(skip)]
    computed: Computed,
}

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    let faults = reader.issues().count();
    let expression = reader.text("expression", MAX_LENGTH);
    let mut formula = Formula::read(&expression).unwrap_or_else(|fault| {
        // A missing or too long expression has been reported already.
        if reader.issues().count() == faults {
            reader.fault("expression", fault);
        }
        Formula::default()
    });
    let result_type = reader.word("result_type", &RESULTS).unwrap_or_else(|| {
        // Without a result type the expression's type can't be checked.
        formula = Formula::default();
        "text"
    });
    let precision = reader.opt_int("precision", 0..=6);
    Box::new(FormulaKind {
        expression,
        result_type,
        precision,
        computed: Computed {
            formula,
            result: match result_type {
                "number" => Type::Number,
                "date" => Type::Date,
                _ => Type::Text,
            },
            precision,
        },
    })
}

impl Kind for FormulaKind {
    fn writer(&self) -> Writer {
        Writer::Nobody
    }

    fn read_schema(&self) -> Json {
        match self.computed.result {
            Type::Number => json!({"type": "number"}),
            Type::Date => json!({"type": "string", "format": "date"}),
            _ => json!({"type": "string"}),
        }
    }

    /// Never called, because nothing is written.
    fn parse(&self, raw: Json, _: &Cx, _: &mut Issues) -> Json {
        raw
    }

    /// A value of an earlier definition remains until the entry is rewritten.
    fn prune(&self, stored: Json, _: &Cx) -> Json {
        let text = || inputs::typed(&stored);
        let value = Value::of(self.computed.result, &stored, text);
        match value.filter(|_| self.computed.result == Type::Number || stored.is_string()) {
            Some(value) => self.computed.stored(value),
            None => Json::Null,
        }
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        inputs::typed(stored)
    }

    fn sheet(&self) -> Option<&dyn Sheet> {
        Some(self)
    }

    fn lines(&self, stored: &Json, cx: &Cx) -> Vec<String> {
        let text = self.text(stored, cx);
        vec![match self.computed.result {
            Type::Number => local_number::show(&text, cx.locale),
            Type::Date => local_date::alone(&text, cx.locale),
            _ => text,
        }]
    }

    fn keys(&self, stored: &Json, cx: &Cx) -> Vec<Key> {
        match self.computed.result {
            Type::Number => stored.as_f64().map(Key::Number).into_iter().collect(),
            Type::Date => vec![Key::Code(self.text(stored, cx))],
            _ => vec![Key::text(&self.text(stored, cx))],
        }
    }

    fn operators(&self) -> &'static [Op] {
        match self.computed.result {
            Type::Number => Op::NUMBER,
            Type::Date => Op::DATE,
            _ => Op::TEXT,
        }
    }

    fn condition(&self, op: Op, value: &Json, cx: &Cx) -> Result<Cond, Issue> {
        match self.computed.result {
            Type::Number => cond::by_key(op, value, &|value| digits::double(value).map(Key::Number)),
            Type::Date => dates::condition(Precision::Day, Key::Code, op, value, cx),
            _ => cond::by_text(op, value),
        }
    }

    fn computed(&self) -> Option<&Computed> {
        Some(&self.computed)
    }

    fn tally(&self, room: Room) -> Box<dyn Tally + '_> {
        match self.computed.result {
            Type::Number => Box::new(Numbers::default()),
            Type::Date => Box::new(Dates::new(Per::Day)),
            _ => Box::new(Texts::new(room)),
        }
    }

    fn operand(&self) -> Option<&dyn Operand> {
        Some(self)
    }
}

impl Sheet for FormulaKind {
    fn sheet_cells(&self, stored: &Json, cx: &Cx) -> Vec<Cell> {
        vec![match self.computed.result {
            Type::Date => Cell::date(self.text(stored, cx)),
            _ => Cell::of(stored, || self.text(stored, cx)),
        }]
    }
}

impl Operand for FormulaKind {
    fn operand_type(&self) -> Type {
        self.computed.result
    }
}

impl Control for FormulaKind {
    fn input(&self, cx: &InputCx) -> Markup {
        html! {
            output.output id=(cx.name) aria-describedby=[inputs::described_by(cx)] dir="auto" {
                @if !cx.value.is_null() { (self.lines(cx.value, cx.cx).join(", ")) }
            }
        }
    }
}
