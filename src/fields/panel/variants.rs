//! The variants of a product: one for each combination of its options, with a price and a stock of its own.

use serde_json::{Map, json};

use crate::base::json::Json;
use crate::fields::form_part::FormPart;
use crate::fields::panel::posted::{number, numbered};

/// The most that are drawn.
pub const MOST: usize = 1_000;
const SPECIFICATION: &str = "specification";

/// A combination of options.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// The codes of the options, by those of the dimensions.
    pub specification: Map<String, Json>,
    /// The names of the options.
    pub label: String,
    /// Its place among the variants that are set.
    pub place: Option<usize>,
}

/// All combinations of a good's options. None as long as a dimension or an option has no code.
pub fn of(good: &Json) -> Vec<Variant> {
    let mut all = vec![(Map::new(), Vec::new())];
    let dimensions = list(good, "dimensions");
    if dimensions.is_empty() {
        return Vec::new();
    }
    for dimension in dimensions {
        let Some(code) = dimension["api_code"].as_str() else {
            return Vec::new();
        };
        let mut next = Vec::new();
        for (chosen, names) in &all {
            for option in list(dimension, "options").iter().filter(|option| option["api_code"].is_string()) {
                let (mut chosen, mut names): (Map<String, Json>, Vec<&str>) = (chosen.clone(), names.clone());
                chosen.insert(code.to_owned(), option["api_code"].clone());
                names.push(option["name"].as_str().unwrap_or_default());
                next.push((chosen, names));
                if next.len() > MOST {
                    return Vec::new();
                }
            }
        }
        all = next;
    }
    let set = list(good, "skus");
    let variants = all.into_iter().map(|(specification, names)| Variant {
        place: set.iter().position(|sku| sku[SPECIFICATION].as_object() == Some(&specification)),
        label: names.join(" · "),
        specification,
    });
    variants.collect()
}

fn list<'j>(part: &'j Json, key: &str) -> &'j [Json] {
    part[key].as_array().map_or(&[], Vec::as_slice)
}

/// The variants of a good that have a price or a stock of their own. Those of options that it has no more are gone.
pub fn read(part: Option<&FormPart>, good: &Map<String, Json>) -> Json {
    let good = Json::Object(good.clone());
    let old = list(&good, "skus");
    let rows: Vec<Json> = match part {
        Some(part) => numbered(part).filter_map(|(_, row)| read_row(row, old)).collect(),
        None => old.to_vec(),
    };
    let dimensions = list(&good, "dimensions");
    let fits = |sku: &&Json| {
        let chosen = sku[SPECIFICATION].as_object();
        let has = |dimension: &Json| {
            let code = dimension["api_code"].as_str()?;
            let option = chosen?.get(code)?;
            list(dimension, "options").iter().any(|known| known["api_code"] == *option).then_some(())
        };
        chosen.is_some_and(|chosen| chosen.len() == dimensions.len())
            && dimensions.iter().all(|dimension| has(dimension).is_some())
    };
    rows.iter().filter(fits).cloned().collect()
}

fn read_row(row: &FormPart, old: &[Json]) -> Option<Json> {
    let chosen = row.member(SPECIFICATION)?.members();
    let chosen: Map<String, Json> = chosen.map(|(code, option)| (code.to_owned(), option.single())).collect();
    let before = old.iter().find(|sku| sku[SPECIFICATION].as_object() == Some(&chosen));
    let mut sku = before.and_then(Json::as_object).cloned().unwrap_or_default();
    sku.insert(SPECIFICATION.to_owned(), Json::Object(chosen));
    let mut is_set = before.is_some_and(|sku| sku["price"].is_null() && sku["stock"].is_null());
    for key in ["price", "stock"] {
        match row.member(key).and_then(FormPart::first).map(str::trim).filter(|typed| !typed.is_empty()) {
            Some(typed) => {
                is_set = true;
                // A price may be a text of digits.
                if sku.get(key).is_none_or(|old| *old != json!(typed)) {
                    sku.insert(key.to_owned(), number(typed));
                }
            }
            None => {
                sku.shift_remove(key);
            }
        }
    }
    is_set.then_some(Json::Object(sku))
}
