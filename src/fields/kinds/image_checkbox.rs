//! `image_checkbox`: any of several choices, shown as pictures.

use maud::Markup;
use serde::Serialize;
use serde_json::json;

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::fields::choices::many::{self, Limits};
use crate::fields::choices::{self, Beside, Choice};
use crate::fields::cond::{Cond, Key, Op};
use crate::fields::form_part::FormPart;
use crate::fields::formula::{Number, Type, Value};
use crate::fields::kind::{
    AsJson as _, BuildCx, Cx, Facets, InputCx, Item, Kind, Live, Row, Sample, Take,
};

/// The row in the table.
pub static KIND: Row = Row {
    name: "image_checkbox",
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
            definition: r#"{"choices": [{"api_code": "a", "label": "Sea"}, {"api_code": "b", "label": "Hills", "image": null}]}"#,
            write: r#"["b", {"value": "a", "other_text": "ignored"}, "b"]"#,
            stored: r#"[{"value": "b"}, {"value": "a"}]"#,
            text: "Hills, Sea",
        },
        Sample {
            definition: r#"{"choices": [{"api_code": "a", "label": "Sea", "quota": 5, "score": 1.5}, {"label": "Hills"}], "min_selected": 1, "max_selected": 1}"#,
            write: r#"[{"value": "a"}]"#,
            stored: r#"[{"value": "a"}]"#,
            text: "Sea",
        },
    ],
};

#[derive(Serialize)]
struct ImageCheckbox {
    choices: Vec<Choice>,
    #[serde(flatten)]
    limits: Limits,
}

fn build(reader: &mut Reader, cx: &BuildCx) -> Box<dyn Kind> {
    let choices = choices::read_with(reader, cx, Beside::Nothing);
    let limits = Limits::read(reader, &choices);
    Box::new(ImageCheckbox { choices, limits })
}

impl Kind for ImageCheckbox {
    fn read_schema(&self) -> Json {
        many::read_schema(&self.choices)
    }

    fn write_schema(&self) -> Json {
        many::write_schema(&self.choices)
    }

    fn parse(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Json {
        many::parse(&self.choices, &self.limits, raw, cx, at)
    }

    fn empty(&self) -> Json {
        json!([])
    }

    fn prune(&self, stored: Json, _: &Cx) -> Json {
        many::prune(&self.choices, stored)
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        many::text(&self.choices, stored)
    }

    fn keys(&self, stored: &Json, _: &Cx) -> Vec<Key> {
        many::keys(&self.choices, stored)
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
        many::condition(op, value)
    }

    fn items(&self) -> Vec<Item<'_>> {
        choices::items(&self.choices)
    }

    fn uses<'v>(&self, stored: &'v Json) -> Vec<&'v str> {
        many::uses(stored)
    }

    fn takes(&self, stored: &Json, _: &Cx) -> Vec<Take> {
        choices::takes(&self.choices, stored)
    }

    fn for_respondent(&self) -> Json {
        choices::for_respondent(self.as_json())
    }

    fn input(&self, cx: &InputCx) -> Markup {
        choices::pictures(&self.choices, cx, "checkbox")
    }

    fn is_group(&self) -> bool {
        true
    }

    fn form_value(&self, part: &FormPart) -> Json {
        many::form_value(part)
    }
}
