//! The prices of an order: the sum of its goods, and the amount after the discount.

use rust_decimal::Decimal;
use serde_json::json;

use crate::fields::Fields;
use crate::fields::display::money;
use crate::fields::kind::Kind;
use crate::fields::values::results::Counted;
use crate::model::settings::{Discount, Pricing};

/// Amounts in whole minor units of the currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prices {
    /// Before the discount.
    pub total: Decimal,
    /// After it.
    pub preferential: Decimal,
}

impl Prices {
    /// Whether a discount applies.
    pub fn is_reduced(self) -> bool {
        self.preferential < self.total
    }
}

/// Whether a form takes orders.
pub fn has_prices(fields: &Fields) -> bool {
    fields.iter().any(|field| is_priced(&*field.kind))
}

/// Whether answers to questions of this kind have a price.
pub fn is_priced(kind: &dyn Kind) -> bool {
    kind.total(&kind.empty()).is_some()
}

/// The prices of an order with these answers.
pub fn of(answers: &[Counted], pricing: &Pricing) -> Prices {
    let totals = answers.iter().filter_map(|(field, value)| field.kind.total(value));
    let sum = totals.fold(Decimal::ZERO, Decimal::saturating_add);
    reduced(sum, pricing)
}

/// The prices of goods with this sum.
pub fn reduced(sum: Decimal, pricing: &Pricing) -> Prices {
    let total = money::rounded(sum, &pricing.currency);
    let after = applying(total, &pricing.discounts).and_then(|discount| after(total, discount));
    Prices {
        total,
        preferential: after.map_or(total, |after| money::rounded(after, &pricing.currency).max(Decimal::ZERO)),
    }
}

/// The discount with the highest bound that a total reaches; of several with the same the first.
fn applying(total: Decimal, discounts: &[Discount]) -> Option<&Discount> {
    let bound = |discount: &Discount| decimal(discount.min_total);
    let mut found: Option<&Discount> = None;
    for discount in discounts.iter().filter(|it| bound(it) <= total) {
        if found.is_none_or(|found| bound(discount) > bound(found)) {
            found = Some(discount);
        }
    }
    found
}

fn after(total: Decimal, discount: &Discount) -> Option<Decimal> {
    if discount.percent_off.is_some() {
        let left = Decimal::ONE_HUNDRED - decimal(discount.percent_off);
        return total.checked_mul(left)?.checked_div(Decimal::ONE_HUNDRED);
    }
    total.checked_sub(decimal(discount.amount_off))
}

fn decimal(number: Option<f64>) -> Decimal {
    number.and_then(|number| money::decimal(&json!(number))).unwrap_or_default()
}

/// Whether the same is ordered.
pub fn is_same_order(one: &[Counted], other: &[Counted]) -> bool {
    let orders = |answers: &[Counted]| {
        let priced = answers.iter().filter(|(field, _)| is_priced(&*field.kind));
        let ordered = priced.map(|(field, value)| (field.api_code.clone(), value.clone()));
        ordered.collect::<Vec<_>>()
    };
    orders(one) == orders(other)
}

/// The float nearest to a decimal.
pub fn float(of: Decimal) -> f64 {
    of.to_string().parse().unwrap_or_default()
}
