//! Orders on the form's page: the control, and the value that it posts.

use maud::Markup;
use rust_decimal::Decimal;
use serde_json::{Map, json};

use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::fields::catalog::Good;
use crate::fields::display::local_number;
use crate::fields::form_part::FormPart;
use crate::fields::kind::{AnswerPart, Ask, Control, Cx, InputCx};
use crate::fields::kinds::product::line::ProductLine;
use crate::fields::kinds::product::{Product, control};

/// Variants of one good in a large order.
const MANY_VARIANTS: usize = 100;

impl Control for Product {
    fn examples(&self, _: &Cx) -> Vec<Json> {
        let line = |good: &Good| {
            let options = good
                .dimensions
                .iter()
                .filter_map(|own| Some((own.api_code.clone(), json!(own.options.first()?.api_code))));
            let options: Map<String, Json> = options.collect();
            let mut line = json!({"api_code": good.api_code, "number": good.min_number.unwrap_or(1).max(1)});
            if !options.is_empty() {
                line["specification"] = Json::Object(options);
            }
            json!([line])
        };
        self.goods_items.iter().filter(|good| !good.hidden).map(line).collect()
    }

    fn input(&self, cx: &InputCx) -> Markup {
        let costs = ProductLine::all(cx.value).filter_map(|line| self.cost(&line));
        let total = costs.fold(Decimal::ZERO, |sum, cost| sum.checked_add(cost).unwrap_or(sum));
        control::draw(&self.goods_items, self.unit.as_deref(), total, cx)
    }

    fn part(&self, path: &str, value: &Json, texts: &Texts) -> Option<AnswerPart> {
        let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
        let lines = value.as_array().map_or(&[][..], Vec::as_slice);
        let index: usize = index.parse().ok()?;
        let own = ProductLine::of(lines.get(index)?).api_code?;
        let good = self.goods_items.iter().find(|good| good.api_code == own)?;
        let dimension = rest.strip_prefix(".specification.");
        let dimension = dimension.and_then(|code| good.dimensions.iter().find(|own| own.api_code == code));
        // The first control has the field's own id.
        let is_first_good =
            self.goods_items.iter().find(|good| !good.hidden).is_some_and(|first| first.api_code == own);
        let is_first_line = lines.iter().position(|line| ProductLine::of(line).api_code == Some(own)) == Some(index);
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
