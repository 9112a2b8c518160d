//! `product`: an order with a line for each good and variant. Its total is computed here; whether the stock suffices is
//! decided by the writer.

mod control;
mod filter;
mod line;
mod page;
mod sheet;
mod stock;
#[cfg(test)]
mod tests;

use serde::Serialize;
use serde_json::{Map, json};

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Things};
use crate::fields::catalog::{self, Good, MAX_NUMBER};
use crate::fields::definition::items::MAX_CHOICES;
use crate::fields::filter::compared::{Compared, ComparedItem};
use crate::fields::filter::cond::{self, Cond, Key, Op};
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{BuildCx, Capacity, Cx, Facets, Item, Kind, KindRow, Parts, Sample, Sheet, check_name};
use crate::fields::kinds::product::line::{NewLine, ProductLine, merged};
use crate::fields::report::goods::Items;
use crate::fields::values::lines;

pub static KIND: KindRow = KindRow {
    name: "product",
    facets: Facets {
        displayable: true,
        conditions: Some(
            "A list of products: each an `api_code`, or `{\"api_code\": …, \"specs\": [\"large\"]}` with options that a line must have. `like` searches the names.",
        ),
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: r#"{"goods_items": [
                {"api_code": "tea", "name": "Tea", "price": 3.5, "stock": 10, "max_number": 5},
                {"api_code": "gin", "name": "Gin", "price": "20", "hidden": true}
            ], "unit": "cups"}"#,
            write: r#"[{"api_code": "tea", "number": 2, "specification": {"size": "l"}}]"#,
            stored: r#"[{"api_code": "tea", "number": 2}]"#,
            text: "2 × Tea",
        },
        Sample {
            definition: r#"{"goods_items": [{"api_code": "cake", "name": "Cake", "price": 12, "dimensions": [
                {"api_code": "size", "name": "Size", "options": [{"api_code": "s", "name": "small"}, {"api_code": "l", "name": "large"}]},
                {"api_code": "taste", "name": "Taste", "options": [{"api_code": "s", "name": "sweet"}]}
            ], "skus": [{"specification": {"size": "l", "taste": "s"}, "price": 20.25, "stock": 3}]}]}"#,
            write: r#"[
                {"api_code": "cake", "number": 1, "specification": {"taste": "s", "size": "l", "colour": "r"}},
                {"api_code": "cake", "number": 1, "specification": {"size": "s", "taste": "s"}},
                {"api_code": "cake", "number": 2, "specification": {"size": "l", "taste": "s"}}
            ]"#,
            stored: r#"[
                {"api_code": "cake", "number": 3, "specification": {"size": "l", "taste": "s"}},
                {"api_code": "cake", "number": 1, "specification": {"size": "s", "taste": "s"}}
            ]"#,
            text: "3 × Cake (large, sweet), 1 × Cake (small, sweet)",
        },
    ],
};

#[derive(Serialize)]
struct Product {
    goods_items: Vec<Good>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<String>,
}

fn build(reader: &mut Reader, cx: &BuildCx) -> Box<dyn Kind> {
    Box::new(Product { goods_items: catalog::read(reader, cx), unit: reader.opt_text("unit", 30) })
}

impl Product {
    fn named(&self) -> impl Iterator<Item = (&str, &str)> + Clone {
        let goods = self.goods_items.iter();
        goods.map(|good| (good.api_code.as_str(), good.name.as_str()))
    }

    fn find(&self, code: &str) -> Option<&Good> {
        self.goods_items.iter().find(|good| good.api_code == code)
    }
}

impl Kind for Product {
    fn read_schema(&self) -> Json {
        let codes: Vec<&str> = self.named().map(|(code, _)| code).collect();
        let dimensions = self.goods_items.iter().flat_map(|good| &good.dimensions);
        let options: Map<String, Json> =
            dimensions.map(|dimension| (dimension.api_code.clone(), json!({"type": "string"}))).collect();
        json!({"type": "array", "items": {
            "type": "object",
            "properties": {
                "api_code": {"type": "string", "enum": codes},
                "number": {"type": "integer", "minimum": 1, "maximum": MAX_NUMBER},
                "specification": {"type": "object", "properties": options},
            },
            "required": ["api_code", "number"],
        }})
    }

    fn parse(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Json {
        let Json::Array(items) = raw else {
            at.push(Reason::MustBe(Expected::Other("a list of goods")));
            return Json::Null;
        };
        if items.len() > MAX_CHOICES {
            at.push(Reason::too_many(MAX_CHOICES, Things::Other("lines")));
            return Json::Null;
        }
        let mut found = Vec::new();
        for (i, item) in items.into_iter().enumerate() {
            found.extend(at.index(i, |at| self.parse_line(i, item, cx, at)));
        }
        let lines = merged(found.into_iter());
        for line in &lines {
            let Some(good) = self.find(&line.api_code) else {
                continue;
            };
            let mut fault = |reason: Reason| {
                at.index(line.index, |at| at.push_at("number", reason));
            };
            if let Some(min) = good.min_number.filter(|min| line.number < *min) {
                fault(Reason::at_least(min));
            }
            let max = good.max_number.unwrap_or(MAX_NUMBER);
            if line.number > max {
                fault(Reason::at_most(max));
            }
        }
        lines.iter().map(NewLine::to_stored).collect()
    }

    fn empty(&self) -> Json {
        json!([])
    }

    fn prune(&self, stored: Json, _: &Cx) -> Json {
        let kept = ProductLine::all(&stored).enumerate();
        let kept = kept.filter_map(|(i, line)| self.prune_line(i, &line));
        merged(kept).iter().map(NewLine::to_stored).collect()
    }

    fn text(&self, stored: &Json, cx: &Cx) -> String {
        self.lines(stored, cx).join(", ")
    }

    fn lines(&self, stored: &Json, _: &Cx) -> Vec<String> {
        ProductLine::all(stored).map(|line| self.line_text(&line)).collect()
    }

    fn keys(&self, stored: &Json, _: &Cx) -> Vec<Key> {
        let mut out = Vec::new();
        for line in ProductLine::all(stored) {
            let code = line.api_code.unwrap_or_default();
            out.extend(self.find(code).map(|good| Key::label(&good.name)));
            let options = line.option_codes();
            for set in 0..1_u32 << options.len().min(8) {
                let chosen = options.iter().enumerate();
                let chosen: Vec<&str> = chosen.filter(|(i, _)| set & (1 << i) != 0).map(|(_, code)| *code).collect();
                out.push(filter::key_of(code, &chosen));
            }
        }
        out
    }

    fn operators(&self) -> &'static [Op] {
        &[Op::AnyIn, Op::NoneIn, Op::Like, Op::Null, Op::NotNull]
    }

    /// Each good, and of those with variants each option too.
    fn compared(&self) -> Compared {
        let of_good = |good: &Good| {
            let options = good.dimensions.iter().flat_map(|dimension| &dimension.options);
            let options = options.map(|option| {
                let value = json!({"api_code": good.api_code, "specs": [option.api_code]});
                ComparedItem::new(value, &format!("{} ({})", good.name, option.name))
            });
            let itself = ComparedItem::new(good.api_code.clone(), &good.name);
            std::iter::once(itself).chain(options).collect::<Vec<_>>()
        };
        Compared::Items(self.goods_items.iter().flat_map(of_good).collect())
    }

    fn condition(&self, op: Op, value: &Json, _: &Cx) -> Result<Cond, Issue> {
        cond::by_key(op, value, &filter::key)
    }

    fn for_respondent(&self) -> Json {
        let mut own = serde_json::to_value(self).unwrap_or_default();
        if let Some(goods) = own["goods_items"].as_array_mut() {
            goods.retain(|good| good["hidden"] != json!(true));
            for good in goods {
                let skus = good.get_mut("skus").and_then(Json::as_array_mut);
                for sku in skus.into_iter().flatten() {
                    without_stock(sku);
                }
                without_stock(good);
            }
        }
        own
    }

    fn tally(&self, _: Room) -> Box<dyn Tally + '_> {
        Box::new(Items::ordered(self.named().collect()))
    }

    fn capacity(&self) -> Option<&dyn Capacity> {
        Some(self)
    }

    fn parts(&self) -> Option<&dyn Parts> {
        Some(self)
    }

    fn has_lines(&self) -> bool {
        true
    }

    fn sheet(&self) -> Option<&dyn Sheet> {
        Some(self)
    }
}

impl Parts for Product {
    fn items(&self) -> Vec<Item<'_>> {
        catalog::parts(&self.goods_items)
    }

    fn uses<'v>(&self, stored: &'v Json) -> Vec<&'v str> {
        lines::codes(stored)
    }

    fn points_to(&self, stored: &Json, code: &str) -> bool {
        let steps: Vec<&str> = code.split('.').collect();
        ProductLine::all(stored).any(|line| match steps[..] {
            [good] => line.api_code == Some(good),
            [good, dimension] => {
                line.api_code == Some(good) && line.specification.is_some_and(|own| own.contains_key(dimension))
            }
            [good, dimension, option] => line.api_code == Some(good) && line.option(dimension) == Some(option),
            _ => false,
        })
    }

    /// A product, or one with some of its options.
    fn check_names(&self, value: &Json, items: &[Item], at: &mut Issues) {
        let goods = || items.iter().filter(|item| !item.code.contains('.'));
        let Some(code) = value["api_code"].as_str() else {
            if let Some(code) = value.as_str() {
                check_name(code, goods(), at);
            }
            return;
        };
        let Some(good) = self.find(code) else {
            at.key("api_code", |at| check_name(code, goods(), at));
            return;
        };
        let options: Vec<Item> = good
            .dimensions
            .iter()
            .flat_map(|dimension| dimension.named())
            .map(|(code, label)| Item { list: "options", code, label })
            .collect();
        for (i, spec) in value["specs"].as_array().into_iter().flatten().enumerate() {
            if let Some(code) = spec.as_str() {
                at.key("specs", |at| at.index(i, |at| check_name(code, options.iter(), at)));
            }
        }
    }
}

fn without_stock(json: &mut Json) {
    if let Some(object) = json.as_object_mut() {
        object.shift_remove("stock");
    }
}
