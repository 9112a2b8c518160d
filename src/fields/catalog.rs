//! Goods: the items of a product field (contract 3.1). A good may come in variants: one option of each of its
//! dimensions.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::{Map, json};

use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Reason, Things};
use crate::fields::definition::items::{self, MAX_CHOICES, code_within, item_code};
use crate::fields::display::money::Price;
use crate::fields::images::Image;
use crate::fields::kind::{BuildCx, Item};

/// Maximum quantity on one line of an order.
pub const MAX_NUMBER: i64 = 1_000_000;
const MAX_NAME: usize = 500;
const MAX_DESCRIPTION: usize = 5000;
/// Filters look at every subset of a line's options: 31 for five.
const MAX_DIMENSIONS: usize = 5;
const MAX_OPTIONS: usize = 100;
/// The most names that a message lists.
const MOST_TOLD: usize = 20;

/// A product that can be ordered.
#[derive(Debug, Serialize)]
pub struct Good {
    /// Its name in values.
    pub api_code: String,
    /// Its name for people.
    pub name: String,
    /// A description in plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Price per piece, for variants without a price of their own.
    pub price: Price,
    /// The former price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_price: Option<Price>,
    /// Stock of all variants together; `None` for unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stock: Option<i64>,
    /// Hidden from respondents.
    #[serde(skip_serializing_if = "is_false")]
    pub hidden: bool,
    pub images: Vec<Image>,
    /// The dimensions in which variants differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dimensions: Vec<Dimension>,
    /// Variants with a price or a stock of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skus: Vec<Sku>,
    /// Minimum quantity on one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_number: Option<i64>,
    /// Maximum quantity on one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_number: Option<i64>,
}

/// A dimension in which variants differ: size, colour.
#[derive(Debug, Serialize)]
pub struct Dimension {
    /// Its key in a specification.
    pub api_code: String,
    /// Its name for people.
    pub name: String,
    pub options: Vec<GoodOption>,
    #[serde(skip)]
    path: String,
}

/// One value of a dimension.
#[derive(Debug, Serialize)]
pub struct GoodOption {
    /// Its name in a specification.
    pub api_code: String,
    /// Its name for people.
    pub name: String,
    #[serde(skip)]
    path: String,
}

/// One variant: an option of each dimension.
#[derive(Debug, Serialize)]
pub struct Sku {
    /// Options by dimension.
    pub specification: Map<String, Json>,
    /// Price per piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Stock of this variant; `None` if only the good's stock counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stock: Option<i64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// Reads `goods_items`.
pub fn read(reader: &mut Reader, cx: &BuildCx) -> Vec<Good> {
    let mut seen = HashSet::new();
    let goods = reader.objects("goods_items", |item| read_good(item, cx, &mut seen));
    let Some(goods) = goods else {
        return Vec::new();
    };
    if goods.is_empty() || goods.len() > MAX_CHOICES {
        reader.fault("goods_items", Reason::not_one_to(MAX_CHOICES, Things::Other("items")));
    }
    // A good without a price has been reported already.
    goods.into_iter().flatten().collect()
}

fn read_good(item: &mut Reader, cx: &BuildCx, seen: &mut HashSet<String>) -> Option<Good> {
    let api_code = item_code(item, cx, seen);
    let name = item.text("name", MAX_NAME);
    let description = item.opt_text("description", MAX_DESCRIPTION);
    if !item.has("price") {
        item.fault("price", Reason::Required);
    }
    let price = Price::read(item, "price");
    let original_price = Price::read(item, "original_price");
    let stock = read_stock(item);
    let hidden = item.bool("hidden", false);
    let images = cx.images.read_list(item, "images", "product_image");
    let dimensions = read_dimensions(item, cx, &api_code);
    let skus = read_skus(item, &dimensions);
    let min_number = item.opt_int("min_number", 1..=MAX_NUMBER);
    let max_number = item.opt_int("max_number", 1..=MAX_NUMBER);
    if let (Some(min), Some(max)) = (min_number, max_number)
        && min > max
    {
        item.fault("max_number", Reason::LessThan("min_number"));
    }
    Some(Good {
        api_code,
        name,
        description,
        price: price?,
        original_price,
        stock,
        hidden,
        images,
        dimensions,
        skus,
        min_number,
        max_number,
    })
}

fn read_stock(item: &mut Reader) -> Option<i64> {
    item.opt_int("stock", 0..=i64::from(u32::MAX))
}

fn read_dimensions(item: &mut Reader, cx: &BuildCx, good: &str) -> Vec<Dimension> {
    let mut seen = HashSet::new();
    item.note("dimensions", || json!({"description": "The ways in which variants differ, such as size and color."}));
    let dimensions = item.opt_objects("dimensions", |item| {
        let api_code = code_within(good, "api_code", item, cx, &mut seen);
        let path = items::path(good, &api_code);
        let name = item.text("name", MAX_NAME);
        let options = read_options(item, cx, &path);
        Dimension { api_code, name, options, path }
    });
    let dimensions = dimensions.unwrap_or_default();
    if dimensions.len() > MAX_DIMENSIONS {
        item.fault("dimensions", Reason::too_many(MAX_DIMENSIONS, Things::Other("dimensions")));
    }
    dimensions
}

fn read_options(item: &mut Reader, cx: &BuildCx, dimension: &str) -> Vec<GoodOption> {
    let mut seen = HashSet::new();
    item.note("options", || json!({"description": "The options of this dimension."}));
    let options = item.objects("options", |item| {
        let api_code = code_within(dimension, "api_code", item, cx, &mut seen);
        GoodOption { path: items::path(dimension, &api_code), name: item.text("name", MAX_NAME), api_code }
    });
    let Some(options) = options else {
        return Vec::new();
    };
    if options.is_empty() || options.len() > MAX_OPTIONS {
        item.fault("options", Reason::not_one_to(MAX_OPTIONS, Things::Other("options")));
    }
    options
}

fn read_skus(item: &mut Reader, dimensions: &[Dimension]) -> Vec<Sku> {
    let mut seen: Vec<Map<String, Json>> = Vec::new();
    item.note("skus", || json!({"x-ui": "variants"}));
    let skus = item.opt_objects("skus", |sku| {
        if dimensions.is_empty() {
            sku.fault("specification", Reason::other("needs dimensions"));
        } else if !sku.has("specification") {
            sku.fault("specification", Reason::Required);
        }
        sku.note("specification", schema_of_specification);
        let specification = match sku.raw("specification") {
            Some(raw) => {
                sku.issues().key("specification", |at| read_specification(&mut Reader::new(raw, at), dimensions))
            }
            None => Map::new(),
        };
        if !specification.is_empty() && seen.contains(&specification) {
            sku.fault("specification", Reason::Repeated);
        }
        seen.push(specification.clone());
        Sku { specification, price: Price::read(sku, "price"), stock: read_stock(sku) }
    });
    let skus = skus.unwrap_or_default();
    if skus.len() > MAX_CHOICES {
        item.fault("skus", Reason::too_many(MAX_CHOICES, Things::Other("items")));
    }
    skus
}

/// JSON Schema of a specification: options by dimension.
pub fn schema_of_specification() -> Json {
    json!({
        "type": "object",
        "description": "The variant: for the `api_code` of each dimension the `api_code` of one of its options, such as \
                        `{\"size\": \"l\"}`. Names are not accepted.",
        "additionalProperties": {"type": "string"},
    })
}

/// Reads an option of every dimension; unknown dimensions are dropped.
pub fn read_specification(own: &mut Reader, dimensions: &[Dimension]) -> Map<String, Json> {
    let mut out = Map::new();
    // A key that no dimension has is probably the name of one.
    let has_others = own.keys().any(|key| dimensions.iter().all(|dimension| dimension.api_code != *key));
    for dimension in dimensions {
        let key = &dimension.api_code;
        if !own.has(key) {
            own.fault(key, if has_others { Reason::NoOption(dimension.codes()) } else { Reason::Blank });
            continue;
        }
        let Some(code) = own.opt_text(key, 64) else {
            continue;
        };
        if dimension.option(&code).is_some() {
            out.insert(key.clone(), Json::from(code));
        } else {
            own.fault(key, Reason::NotOption(dimension.codes()));
        }
    }
    out
}

impl Dimension {
    /// Codes and names of the options.
    pub fn named(&self) -> impl Iterator<Item = (&str, &str)> + Clone {
        let options = self.options.iter();
        options.map(|option| (option.api_code.as_str(), option.name.as_str()))
    }

    /// The codes of the options with their names, for a message about an unknown one.
    fn codes(&self) -> String {
        let shown = self.options.iter().take(MOST_TOLD);
        let shown: Vec<String> = shown.map(|option| format!("{} ({})", option.api_code, option.name)).collect();
        let more = if self.options.len() > MOST_TOLD { ", …" } else { "" };
        format!("{}{more}", shown.join(", "))
    }

    /// The option with this code.
    pub fn option(&self, code: &str) -> Option<&GoodOption> {
        self.options.iter().find(|option| option.api_code == code)
    }
}

impl Good {
    /// The variant with these options, if it has a price or a stock of its own.
    pub fn sku(&self, specification: &Map<String, Json>) -> Option<&Sku> {
        self.skus.iter().find(|sku| sku.specification == *specification)
    }

    /// The names of a variant's options, in the order of the dimensions.
    pub fn options_of<'g>(&'g self, specification: &Map<String, Json>) -> Vec<&'g str> {
        let dimensions = self.dimensions.iter();
        let options = dimensions.filter_map(|dimension| {
            let code = specification.get(&dimension.api_code)?.as_str()?;
            Some(dimension.option(code)?.name.as_str())
        });
        options.collect()
    }

    /// The price of one piece.
    pub fn price_of(&self, specification: Option<&Map<String, Json>>) -> Price {
        let sku = specification.and_then(|own| self.sku(own));
        sku.and_then(|sku| sku.price).unwrap_or(self.price)
    }
}

/// The counter of a variant. It stays the same if the owner reorders dimensions.
pub fn counter_of(good: &str, specification: &Map<String, Json>) -> String {
    let option = |option: &Json| option.as_str().unwrap_or_default().to_owned();
    let steps = specification.iter();
    let mut steps: Vec<String> = steps.map(|(dimension, code)| format!("{dimension}={}", option(code))).collect();
    steps.sort_unstable();
    format!("{good}/{}", steps.join("/"))
}

/// The goods, their dimensions and options as named parts of the definition.
pub fn parts(goods: &[Good]) -> Vec<Item<'_>> {
    let item = |code, label| Item { list: "goods_items", code, label };
    let mut out = Vec::new();
    for good in goods {
        out.push(item(good.api_code.as_str(), good.name.as_str()));
        for dimension in &good.dimensions {
            out.push(item(&dimension.path, &dimension.name));
            let options = dimension.options.iter();
            out.extend(options.map(|option| item(&option.path, &option.name)));
        }
    }
    out
}
