//! `product`: an order with a line for each good and variant. Its total is computed here; whether the stock suffices is
//! decided by the writer.

mod control;
#[cfg(test)]
mod tests;

use maud::Markup;
use rust_decimal::Decimal;
use serde::Serialize;
use serde_json::{Map, json};

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Set, Things};
use crate::base::text::texts::{Texts, texts};
use crate::fields::catalog::{self, Good, MAX_NUMBER, Sku};
use crate::fields::columns::{self, Cell, Column};
use crate::fields::definition::items::MAX_CHOICES;
use crate::fields::display::local_number;
use crate::fields::filter::cond::{self, Cond, Key, Op};
use crate::fields::form_part::FormPart;
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{
    AnswerPart, Ask, BuildCx, Capacity, Control, Counters, Cx, Facets, InputCx, Item, Kind, Limit, Parts, Remaining,
    Row, Sample, Sheet, Take, Taken, check_name, put_remaining,
};
use crate::fields::report::goods::Items;
use crate::fields::values::lines;
use crate::model::capacity::Resource;

pub static KIND: Row = Row {
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

/// Variants of one good in a large order.
const MANY_VARIANTS: usize = 100;

#[derive(Serialize)]
struct Product {
    goods_items: Vec<Good>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<String>,
}

fn build(reader: &mut Reader, cx: &BuildCx) -> Box<dyn Kind> {
    Box::new(Product { goods_items: catalog::read(reader, cx), unit: reader.opt_text("unit", 30) })
}

/// One line of an order, before it is stored.
struct Line {
    /// Its index in the request.
    index: usize,
    api_code: String,
    specification: Option<Map<String, Json>>,
    number: i64,
}

impl Line {
    fn is_of(&self, other: &Self) -> bool {
        self.api_code == other.api_code && self.specification == other.specification
    }

    fn into_stored(self) -> Json {
        let mut out = Map::new();
        out.insert("api_code".to_owned(), json!(self.api_code));
        out.insert("number".to_owned(), json!(self.number));
        if let Some(specification) = self.specification {
            out.insert("specification".to_owned(), Json::Object(specification));
        }
        Json::Object(out)
    }
}

/// Merges lines of the same good and variant, at the position of the first.
fn merged(lines: impl Iterator<Item = Line>) -> Vec<Line> {
    let mut out: Vec<Line> = Vec::new();
    for line in lines {
        match out.iter_mut().find(|known| known.is_of(&line)) {
            Some(known) => {
                known.number = known.number.saturating_add(line.number);
                // A fault of the sum belongs to the line that exceeded the limit.
                known.index = line.index;
            }
            None => out.push(line),
        }
    }
    out
}

impl Product {
    fn named(&self) -> impl Iterator<Item = (&str, &str)> + Clone {
        let goods = self.goods_items.iter();
        goods.map(|good| (good.api_code.as_str(), good.name.as_str()))
    }

    fn has_variants(&self) -> bool {
        let mut goods = self.goods_items.iter();
        goods.any(|good| !good.dimensions.is_empty())
    }

    /// The options of a line in the order of the good's dimensions, separated by commas.
    fn variant(&self, line: &Json) -> Cell {
        let good = line["api_code"].as_str().and_then(|code| self.find(code));
        let dimensions = good.map_or(&[][..], |good| &good.dimensions);
        columns::list(dimensions.iter().map(|dimension| {
            let code = line["specification"][&dimension.api_code].as_str();
            columns::word(dimension.named(), code.unwrap_or_default())
        }))
    }

    /// One line of an order in the write shape, from a spreadsheet row.
    fn line_of_row(&self, row: &[String], cx: &Cx) -> Json {
        let cell = |i: usize| row.get(i).map_or("", |cell| columns::trimmed(cell));
        let code = columns::meant(self.named(), cell(0)).unwrap_or(cell(0));
        let mut line = json!({"api_code": code, "number": columns::number(cell(1), cx.locale)});
        if let Some(good) = self.find(code).filter(|good| !good.dimensions.is_empty()) {
            let options = good.dimensions.iter().zip(columns::items(cell(2)));
            let options = options.map(|(dimension, typed)| {
                let code = columns::meant(dimension.named(), &typed).unwrap_or(&typed);
                (dimension.api_code.clone(), json!(code))
            });
            line["specification"] = Json::Object(options.collect());
        }
        line
    }

    fn find(&self, code: &str) -> Option<&Good> {
        self.goods_items.iter().find(|good| good.api_code == code)
    }

    fn parse_line(&self, index: usize, raw: Json, cx: &Cx, at: &mut Issues) -> Option<Line> {
        let mut line = Reader::new(raw, at);
        if !line.has("number") {
            line.fault("number", Reason::Blank);
        }
        let number = line.opt_int("number", 1..=MAX_NUMBER);
        if !line.has("api_code") {
            line.fault("api_code", Reason::Blank);
        }
        let api_code = line.opt_text("api_code", 64)?;
        let good = self.find(&api_code).filter(|good| !(good.hidden && cx.respondent));
        let Some(good) = good else {
            line.fault("api_code", Reason::NotOneOf(Set::Goods));
            return None;
        };
        let specification =
            if good.dimensions.is_empty() {
                None
            } else {
                let raw = line.raw("specification").unwrap_or_else(|| json!({}));
                Some(line.issues().key("specification", |at| {
                    catalog::read_specification(&mut Reader::new(raw, at), &good.dimensions)
                }))
            };
        Some(Line { index, api_code, specification, number: number? })
    }

    /// A stored line under the current goods; `None` if its good or an option of it no longer exists.
    fn prune_line(&self, index: usize, line: &Json) -> Option<Line> {
        let good = self.find(line["api_code"].as_str()?)?;
        let mut specification = Map::new();
        for dimension in &good.dimensions {
            if let Some(code) = line["specification"][&dimension.api_code].as_str() {
                dimension.option(code)?;
                specification.insert(dimension.api_code.clone(), json!(code));
            }
        }
        Some(Line {
            index,
            api_code: good.api_code.clone(),
            specification: (!specification.is_empty()).then_some(specification),
            number: line["number"].as_i64()?,
        })
    }

    /// The names of a line's options, in the order of the dimensions.
    fn options<'p>(&'p self, line: &'p Json) -> impl Iterator<Item = &'p str> {
        let good = line["api_code"].as_str().and_then(|code| self.find(code));
        let dimensions = good.map_or(&[][..], |good| &good.dimensions);
        dimensions.iter().filter_map(|dimension| {
            let code = line["specification"][&dimension.api_code].as_str()?;
            Some(dimension.option(code).map_or(code, |option| option.name.as_str()))
        })
    }

    fn line_text(&self, line: &Json) -> String {
        let code = line["api_code"].as_str().unwrap_or_default();
        let name = self.find(code).map_or(code, |good| good.name.as_str());
        let number = &line["number"];
        let options: Vec<&str> = self.options(line).collect();
        if options.is_empty() {
            format!("{number} × {name}")
        } else {
            format!("{number} × {name} ({})", options.join(", "))
        }
    }

    /// The price of a line; `None` if it is invalid.
    fn cost(&self, line: &Json) -> Option<Decimal> {
        let good = self.find(line["api_code"].as_str()?)?;
        let number = line["number"].as_i64().filter(|number| *number > 0)?;
        let price = good.price_of(&line["specification"]).amount();
        price.checked_mul(Decimal::from(number))
    }
}

/// The codes of a line's options, sorted.
fn option_codes(line: &Json) -> Vec<&str> {
    let options = line["specification"].as_object();
    let options = options.into_iter().flat_map(Map::values);
    let mut codes: Vec<&str> = options.filter_map(Json::as_str).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// The filter key of a good with some of its options: `cake/l/s`.
fn key_of(good: &str, options: &[&str]) -> Key {
    let steps: Vec<&str> = [good].into_iter().chain(options.iter().copied()).collect();
    Key::Code(steps.join("/"))
}

/// A good in a filter: its code, or `{ api_code, specs }`.
fn key(value: &Json) -> Result<Key, Reason> {
    let fault = || Reason::MustBe(Expected::Other("a product's api_code or an object with api_code and specs"));
    let (good, specs) = match value {
        Json::String(good) => (good.as_str(), None),
        Json::Object(item) => {
            let good = item.get("api_code").and_then(Json::as_str);
            (good.ok_or_else(fault)?, item.get("specs").filter(|specs| !specs.is_null()))
        }
        _ => return Err(fault()),
    };
    if good.is_empty() {
        return Err(Reason::Empty);
    }
    let specs = match specs {
        None => Vec::new(),
        Some(specs) => {
            let specs = specs.as_array().ok_or_else(fault)?.iter();
            specs.map(|spec| spec.as_str().ok_or_else(fault)).collect::<Result<_, _>>()?
        }
    };
    let mut specs: Vec<&str> = specs;
    specs.sort_unstable();
    specs.dedup();
    Ok(cond::way([good].into_iter().chain(specs)))
}

impl Kind for Product {
    fn read_schema(&self) -> Json {
        let codes: Vec<&str> = self.named().map(|(code, _)| code).collect();
        json!({"type": "array", "items": {
            "type": "object",
            "properties": {
                "api_code": {"type": "string", "enum": codes},
                "number": {"type": "integer", "minimum": 1, "maximum": MAX_NUMBER},
                "specification": catalog::schema_of_specification(),
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
        lines.into_iter().map(Line::into_stored).collect()
    }

    fn empty(&self) -> Json {
        json!([])
    }

    fn prune(&self, stored: Json, _: &Cx) -> Json {
        let kept = lines::of(&stored).enumerate();
        let kept = kept.filter_map(|(i, line)| self.prune_line(i, line));
        merged(kept).into_iter().map(Line::into_stored).collect()
    }

    fn text(&self, stored: &Json, cx: &Cx) -> String {
        self.lines(stored, cx).join(", ")
    }

    fn lines(&self, stored: &Json, _: &Cx) -> Vec<String> {
        lines::of(stored).map(|line| self.line_text(line)).collect()
    }

    fn keys(&self, stored: &Json, _: &Cx) -> Vec<Key> {
        let mut out = Vec::new();
        for line in lines::of(stored) {
            let code = line["api_code"].as_str().unwrap_or_default();
            out.extend(self.find(code).map(|good| Key::label(&good.name)));
            let options = option_codes(line);
            for set in 0..1_u32 << options.len().min(8) {
                let chosen = options.iter().enumerate();
                let chosen: Vec<&str> = chosen.filter(|(i, _)| set & (1 << i) != 0).map(|(_, code)| *code).collect();
                out.push(key_of(code, &chosen));
            }
        }
        out
    }

    fn operators(&self) -> &'static [Op] {
        &[Op::AnyIn, Op::NoneIn, Op::Like, Op::Null, Op::NotNull]
    }

    fn condition(&self, op: Op, value: &Json, _: &Cx) -> Result<Cond, Issue> {
        cond::by_key(op, value, &key)
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

impl Capacity for Product {
    fn resource(&self) -> Resource {
        Resource::Stock
    }

    /// Pieces of a good, and of its variant: either may run out.
    fn takes(&self, stored: &Json) -> Vec<Take> {
        let mut out = Vec::new();
        for (i, line) in lines::of(stored).enumerate() {
            let code = line["api_code"].as_str().unwrap_or_default();
            let mut take = |counter: String| {
                out.push(Take {
                    counter,
                    amount: line["number"].as_u64().unwrap_or_default(),
                    at: format!("[{i}].number"),
                });
            };
            take(code.to_owned());
            if let Some(own) = line["specification"].as_object() {
                take(catalog::counter_of(code, own));
            }
        }
        out
    }

    fn limit(&self, counter: &str) -> Option<Limit> {
        let code = counter.split('/').next()?;
        let place = |good: &Good| good.api_code == code;
        let place = self.goods_items.iter().position(place)?;
        let good = &self.goods_items[place];
        let path = format!("goods_items[{place}]");
        if code == counter {
            return Limit::of(good.stock, || format!("{path}.stock"));
        }
        let is_own = |sku: &Sku| catalog::counter_of(code, &sku.specification) == counter;
        let nth = good.skus.iter().position(is_own)?;
        Limit::of(good.skus[nth].stock, || format!("{path}.skus[{nth}].stock"))
    }

    /// What is left of a variant is no more than what is left of its good.
    fn show_remaining(&self, shown: &mut Json, taken: Taken, _: &Cx) {
        let remaining = |counter: &str| Some(self.limit(counter)?.remaining(taken(counter)));
        let shown = shown.get_mut("goods_items").and_then(Json::as_array_mut);
        for good in shown.into_iter().flatten() {
            let code = good["api_code"].as_str().unwrap_or_default().to_owned();
            let of_good = remaining(&code);
            let skus = good.get_mut("skus").and_then(Json::as_array_mut);
            for sku in skus.into_iter().flatten() {
                let own = sku["specification"].as_object();
                let own = own.and_then(|own| remaining(&catalog::counter_of(&code, own)));
                let own = own.map(|own| Remaining { left: own.left.min(of_good.unwrap_or(own).left), ..own });
                put_remaining(sku, own);
            }
            put_remaining(good, of_good);
        }
    }

    /// A fault of a sum belongs to the last of the lines that it is made of.
    fn place(&self, raw: &[Json], line: &Json) -> Option<usize> {
        let is_same = |given: &Json| {
            given["api_code"] == line["api_code"]
                && line["specification"]
                    .as_object()
                    .is_none_or(|own| own.iter().all(|(key, option)| given["specification"][key] == *option))
        };
        raw.iter().rposition(is_same)
    }

    fn shown(&self, _: &Cx) -> Vec<Counters> {
        let is_limited = |good: &Good| good.stock.is_some() || good.skus.iter().any(|sku| sku.stock.is_some());
        let some = self.goods_items.iter().any(is_limited);
        some.then(Counters::all).into_iter().collect()
    }

    fn total(&self, stored: &Json) -> Option<Decimal> {
        lines::of(stored).filter_map(|line| self.cost(line)).try_fold(Decimal::ZERO, Decimal::checked_add)
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
        lines::of(stored).any(|line| match steps[..] {
            [good] => line["api_code"] == good,
            [good, dimension] => line["api_code"] == good && line["specification"].get(dimension).is_some(),
            [good, dimension, option] => line["api_code"] == good && line["specification"][dimension] == option,
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

impl Sheet for Product {
    fn sheet_columns(&self, cx: &Cx) -> Vec<Column> {
        let words = texts(cx.locale);
        let mut columns =
            vec![Column::part("api_code", words.say("sheet-item")), Column::part("number", words.say("sheet-number"))];
        if self.has_variants() {
            columns.push(Column::part("specification", words.say("sheet-specification")));
        }
        columns
    }

    /// Lines are written one per line in each cell.
    fn sheet_cells(&self, stored: &Json, _: &Cx) -> Vec<Cell> {
        let rows = lines::of(stored).map(|line| {
            let code = line["api_code"].as_str().unwrap_or_default();
            vec![
                Cell::text(columns::word(self.named(), code)),
                Cell::of(&line["number"], String::new),
                self.variant(line),
            ]
        });
        columns::stacks(2 + usize::from(self.has_variants()), rows)
    }

    fn sheet_value(&self, cells: &[&str], cx: &Cx, _: &mut Issues) -> Json {
        let rows = columns::filled_rows(cells);
        rows.map(|row| self.line_of_row(&row, cx)).collect()
    }
}

impl Control for Product {
    fn input(&self, cx: &InputCx) -> Markup {
        let costs = lines::of(cx.value).filter_map(|line| self.cost(line));
        let total = costs.fold(Decimal::ZERO, |sum, cost| sum.checked_add(cost).unwrap_or(sum));
        control::draw(&self.goods_items, self.unit.as_deref(), total, cx)
    }

    fn part(&self, path: &str, value: &Json, texts: &Texts) -> Option<AnswerPart> {
        let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
        let lines = value.as_array().map_or(&[][..], Vec::as_slice);
        let code = |line: &Json| line["api_code"].as_str().map(str::to_owned);
        let index: usize = index.parse().ok()?;
        let own = code(lines.get(index)?)?;
        let good = self.goods_items.iter().find(|good| good.api_code == own)?;
        let dimension = rest.strip_prefix(".specification.");
        let dimension = dimension.and_then(|code| good.dimensions.iter().find(|own| own.api_code == code));
        // The first control has the field's own id.
        let is_first_good =
            self.goods_items.iter().find(|good| !good.hidden).is_some_and(|first| first.api_code == own);
        let is_first_line = lines.iter().position(|line| code(line).as_deref() == Some(&own)) == Some(index);
        let leads = good.dimensions.first().map(|dimension| &dimension.api_code);
        let leads = leads == dimension.map(|dimension| &dimension.api_code);
        let (name, control, ask) = match dimension {
            Some(dimension) => (dimension.name.clone(), path.to_owned(), Ask::Choose),
            None => (texts.say("shop-number").to_lowercase(), format!("[{index}].number"), Ask::Enter),
        };
        let is_only = self.goods_items.iter().filter(|good| !good.hidden).count() == 1;
        Some(AnswerPart {
            label: if is_only { name } else { format!("{}, {name}", good.name) },
            control: if is_first_good && is_first_line && leads { String::new() } else { control },
            ask,
        })
    }

    /// Many variants of the good with the most options.
    fn fullest(&self) -> Option<Json> {
        let options = |good: &&Good| good.dimensions.iter().map(|own| own.options.len()).sum::<usize>();
        let goods = self.goods_items.iter().filter(|good| !good.dimensions.is_empty());
        let largest = goods.max_by_key(options)?;
        Some(json!(vec![json!({"api_code": largest.api_code}); MANY_VARIANTS]))
    }

    fn script(&self) -> Option<&'static str> {
        Some("product.js")
    }

    fn is_group(&self) -> bool {
        true
    }

    /// A page posts a line for every good; those without a number are not ordered.
    fn form_value(&self, part: &FormPart, cx: &Cx) -> Json {
        let lines = part.members().filter_map(|(name, line)| {
            if !name.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            let typed = line.member("number")?.first()?.trim();
            let number = local_number::of_form(typed, cx.locale);
            if typed.is_empty() || number.as_f64() == Some(0.0) {
                return None;
            }
            let mut out = Map::new();
            out.insert("api_code".to_owned(), line.single_at("api_code"));
            out.insert("number".to_owned(), number);
            if let Some(options) = line.member("specification") {
                let options: Map<String, Json> =
                    options.members().map(|(key, option)| (key.to_owned(), option.single())).collect();
                out.insert("specification".to_owned(), Json::Object(options));
            }
            Some(Json::Object(out))
        });
        lines.collect()
    }
}

fn without_stock(json: &mut Json) {
    if let Some(object) = json.as_object_mut() {
        object.shift_remove("stock");
    }
}
