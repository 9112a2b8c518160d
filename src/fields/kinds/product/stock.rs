//! Units that orders take: pieces of goods and of their variants.

use rust_decimal::Decimal;

use crate::base::json::Json;
use crate::fields::catalog::{self, Good, Sku};
use crate::fields::kind::{Capacity, Counters, Cx, Limit, Ordered, Remaining, Take, UsedOf, put_remaining};
use crate::fields::kinds::product::Product;
use crate::fields::kinds::product::line::ProductLine;
use crate::model::capacity::Resource;

impl Capacity for Product {
    fn resource(&self) -> Resource {
        Resource::Stock
    }

    /// Pieces of a good, and of its variant: either may run out.
    fn takes(&self, stored: &Json) -> Vec<Take> {
        let mut out = Vec::new();
        for (i, line) in ProductLine::all(stored).enumerate() {
            let code = line.api_code.unwrap_or_default();
            let mut take = |counter: String| {
                out.push(Take {
                    counter,
                    amount: line.number.and_then(|number| u64::try_from(number).ok()).unwrap_or_default(),
                    at: format!("[{i}].number"),
                });
            };
            take(code.to_owned());
            if let Some(own) = line.specification {
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

    /// No more is left of a variant than of its good.
    fn show_remaining(&self, shown: &mut Json, taken: UsedOf, _: &Cx) {
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
        let line = ProductLine::of(line);
        let is_same = |given: &Json| {
            let given = ProductLine::of(given);
            let is_given =
                |(key, option): (&String, &Json)| given.specification.and_then(|own| own.get(key)) == Some(option);
            given.api_code == line.api_code && line.specification.is_none_or(|own| own.iter().all(is_given))
        };
        raw.iter().rposition(is_same)
    }

    fn shown_counters(&self, _: &Cx) -> Vec<Counters> {
        let is_limited = |good: &Good| good.stock.is_some() || good.skus.iter().any(|sku| sku.stock.is_some());
        let some = self.goods_items.iter().any(is_limited);
        some.then(Counters::all).into_iter().collect()
    }

    fn total(&self, stored: &Json) -> Option<Decimal> {
        ProductLine::all(stored).filter_map(|line| self.cost(&line)).try_fold(Decimal::ZERO, Decimal::checked_add)
    }

    fn ordered(&self, stored: &Json) -> Vec<Ordered> {
        ProductLine::all(stored).map(|line| Ordered { text: self.line_text(&line), cost: self.cost(&line) }).collect()
    }
}
