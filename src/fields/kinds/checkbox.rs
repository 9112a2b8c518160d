//! `checkbox`: any of several choices.

use maud::Markup;
use serde::Serialize;
use serde_json::json;

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::fields::choices::{self, Choice};
use crate::fields::cond::{self, Cond, Key, Op};
use crate::fields::form_part::FormPart;
use crate::fields::formula::{Number, Type, Value};
use crate::fields::items::MAX_CHOICES;
use crate::fields::kind::{BuildCx, Cx, Facets, InputCx, Item, Kind, Live, Row, Sample};

/// The row in the table.
pub static KIND: Row = Row {
    name: "checkbox",
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
            definition: r#"{"choices": [{"api_code": "a", "label": "Tea"}, {"api_code": "b", "label": "Milk"}]}"#,
            write: r#"["b", {"value": "a"}, "b"]"#,
            stored: r#"[{"value": "b"}, {"value": "a"}]"#,
            text: "Milk, Tea",
        },
        Sample {
            definition: r#"{"choices": [{"api_code": "a", "label": "Tea", "allow_extended_text": true}], "max_selected": 1}"#,
            write: r#"[{"value": "a", "extended_text": "green"}]"#,
            stored: r#"[{"value": "a", "extended_text": "green"}]"#,
            text: "Tea: green",
        },
    ],
};

#[derive(Serialize)]
struct Checkbox {
    choices: Vec<Choice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_selected: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_selected: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    random_order: Option<bool>,
}

fn build(reader: &mut Reader, cx: &BuildCx) -> Box<dyn Kind> {
    let choices = choices::read(reader, cx);
    let all = i64::try_from(choices.len()).unwrap_or(i64::MAX).max(1);
    let min_selected = reader.opt_int("min_selected", 0..=all);
    let max_selected = reader.opt_int("max_selected", 1..=all);
    if let (Some(min), Some(max)) = (min_selected, max_selected)
        && min > max
    {
        reader.fault("max_selected", "must not be less than min_selected");
    }
    Box::new(Checkbox {
        choices,
        min_selected,
        max_selected,
        random_order: reader.opt_bool("random_order"),
    })
}

impl Kind for Checkbox {
    fn read_schema(&self) -> Json {
        json!({"type": "array", "items": choices::read_schema(&self.choices)})
    }

    fn write_schema(&self) -> Json {
        json!({"type": "array", "items": choices::write_schema(&self.choices)})
    }

    fn parse(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Json {
        let Json::Array(items) = raw else {
            at.push("must be a list of choices");
            return Json::Null;
        };
        if items.len() > MAX_CHOICES {
            at.push(format!("may have at most {MAX_CHOICES} choices"));
            return Json::Null;
        }
        let mut stored: Vec<Json> = Vec::new();
        for (i, item) in items.into_iter().enumerate() {
            let selection = at.index(i, |at| choices::parse(&self.choices, item, cx, at));
            let code = choices::code_of(&selection);
            // Of doubles the first one counts.
            if !selection.is_null() && stored.iter().all(|known| choices::code_of(known) != code) {
                stored.push(selection);
            }
        }
        let count = i64::try_from(stored.len()).unwrap_or(i64::MAX);
        if let Some(min) = self.min_selected.filter(|min| count > 0 && count < *min) {
            at.push(format!("must have at least {min} choices"));
        }
        if let Some(max) = self.max_selected.filter(|max| count > *max) {
            at.push(format!("may have at most {max} choices"));
        }
        Json::Array(stored)
    }

    fn empty(&self) -> Json {
        json!([])
    }

    fn prune(&self, stored: Json, _: &Cx) -> Json {
        match stored {
            Json::Array(items) => items
                .into_iter()
                .filter_map(|selection| choices::prune(&self.choices, selection))
                .collect(),
            other => other,
        }
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        let items = stored.as_array().into_iter().flatten();
        let texts: Vec<_> = items
            .map(|item| choices::text(&self.choices, item))
            .collect();
        texts.join(", ")
    }

    fn keys(&self, stored: &Json, _: &Cx) -> Vec<Key> {
        let items = stored.as_array().into_iter().flatten();
        items
            .flat_map(|item| choices::keys(&self.choices, item))
            .collect()
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
        match op {
            // Equal is the whole set, not one of it.
            Op::Eq | Op::Ne => {
                let Cond::In(keys) = cond::by_key(Op::AnyIn, value, &choices::key)? else {
                    return Ok(Cond::Null);
                };
                let set = Cond::Set(keys);
                Ok(if op == Op::Eq { set } else { set.negated() })
            }
            op => cond::by_key(op, value, &choices::key),
        }
    }

    fn items(&self) -> Vec<Item<'_>> {
        choices::items(&self.choices)
    }

    fn uses<'v>(&self, stored: &'v Json) -> Vec<&'v str> {
        let items = stored.as_array().into_iter().flatten();
        items.map(choices::code_of).collect()
    }

    fn for_respondent(&self) -> Json {
        choices::for_respondent(serde_json::to_value(self).unwrap_or_default())
    }

    fn input(&self, cx: &InputCx) -> Markup {
        choices::inputs(&self.choices, cx, "checkbox")
    }

    fn is_group(&self) -> bool {
        true
    }

    fn form_value(&self, part: &FormPart) -> Json {
        let mut items: Vec<Json> = part
            .values()
            .map(|code| choices::form_value(part, code))
            .collect();
        // `field_3[0].value`: the write shape's own path.
        items.extend(part.members().filter_map(|(name, item)| {
            let indexed = name.bytes().all(|b| b.is_ascii_digit());
            let code = item.first().or_else(|| item.member("value")?.first());
            code.filter(|_| indexed)
                .map(|code| choices::form_value(item, code))
        }));
        Json::Array(items)
    }
}
