//! `image_radio`: one of several choices, shown as pictures.

use maud::Markup;
use serde::Serialize;

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::fields::choices::{self, Beside, Choice};
use crate::fields::cond::{self, Cond, Key, Op};
use crate::fields::form_part::FormPart;
use crate::fields::formula::{Number, Type, Value};
use crate::fields::kind::{
    AsJson as _, BuildCx, Cx, Facets, InputCx, Item, Kind, Live, Row, Sample, Take,
};

/// The row in the table.
pub static KIND: Row = Row {
    name: "image_radio",
    facets: Facets {
        searchable: false,
        fuzzy: false,
        displayable: true,
        protectable: false,
        unique: false,
        label_optional: false,
    },
    build,
    samples: &[
        Sample {
            definition: r#"{"choices": [{"api_code": "sea", "label": "Sea", "image": null}, {"api_code": "hills", "label": "Hills"}]}"#,
            write: r#""sea""#,
            stored: r#"{"value": "sea"}"#,
            text: "Sea",
        },
        Sample {
            definition: r#"{"choices": [{"api_code": "sea", "label": "Sea", "quota": 3, "score": 1}]}"#,
            write: r#"{"value": "sea", "other_text": "ignored", "extended_text": "ignored"}"#,
            stored: r#"{"value": "sea"}"#,
            text: "Sea",
        },
    ],
};

#[derive(Serialize)]
struct ImageRadio {
    choices: Vec<Choice>,
}

fn build(reader: &mut Reader, cx: &BuildCx) -> Box<dyn Kind> {
    Box::new(ImageRadio {
        choices: choices::read_with(reader, cx, Beside::Nothing),
    })
}

impl Kind for ImageRadio {
    fn read_schema(&self) -> Json {
        choices::read_schema(&self.choices)
    }

    fn write_schema(&self) -> Json {
        choices::write_schema(&self.choices)
    }

    fn parse(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Json {
        choices::parse(&self.choices, raw, cx, at)
    }

    fn prune(&self, stored: Json, _: &Cx) -> Json {
        choices::prune(&self.choices, stored).unwrap_or_default()
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        choices::text(&self.choices, stored)
    }

    fn keys(&self, stored: &Json, _: &Cx) -> Vec<Key> {
        choices::keys(&self.choices, stored)
    }

    fn live(&self) -> Option<Live> {
        Some(Live::Codes)
    }

    fn operand_type(&self) -> Option<Type> {
        Some(Type::Text)
    }

    fn operand(&self, stored: &Json, _: &Cx) -> Option<Value> {
        choices::operand(&self.choices, stored)
    }

    fn has_scores(&self) -> bool {
        true
    }

    fn score(&self, stored: &Json) -> Option<Number> {
        choices::score(&self.choices, stored)
    }

    fn operators(&self) -> &'static [Op] {
        Op::CHOICE
    }

    fn condition(&self, op: Op, value: &Json, _: &Cx) -> Result<Cond, Issue> {
        cond::by_key(op, value, &choices::key)
    }

    fn items(&self) -> Vec<Item<'_>> {
        choices::items(&self.choices)
    }

    fn uses<'v>(&self, stored: &'v Json) -> Vec<&'v str> {
        vec![choices::code_of(stored)]
    }

    fn takes(&self, stored: &Json, _: &Cx) -> Vec<Take> {
        choices::takes(&self.choices, stored)
    }

    fn for_respondent(&self) -> Json {
        choices::for_respondent(self.as_json())
    }

    fn input(&self, cx: &InputCx) -> Markup {
        choices::pictures(&self.choices, cx, "radio")
    }

    fn is_group(&self) -> bool {
        true
    }

    fn form_value(&self, part: &FormPart) -> Json {
        choices::one_of_form(part)
    }
}
