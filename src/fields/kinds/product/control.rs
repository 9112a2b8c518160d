//! The control of `product`: a card for each good. A row of inputs is a line of the value.

use maud::{Markup, html};
use rust_decimal::Decimal;
use serde_json::json;

use crate::base::json::Json;
use crate::fields::catalog::{Dimension, Good, Sku, counter_of};
use crate::fields::display::local_number;
use crate::fields::display::money::{self, MAX_DECIMALS, Price};
use crate::fields::images::pictures;
use crate::fields::inputs;
use crate::fields::kind::InputCx;
use crate::fields::kinds::product::line::ProductLine;
use crate::fields::schedule::occupancy::Left;

/// All visible goods, and the total so far.
pub fn draw(goods: &[Good], unit: Option<&str>, total: Decimal, cx: &InputCx) -> Markup {
    let filled: Vec<(usize, &Json)> = cx.value.as_array().into_iter().flatten().enumerate().collect();
    // Lines without a value are numbered after those with one.
    let mut next = filled.len();
    let mut is_first = true;
    html! {
        div.goods data-goods data-grows data-locale=(cx.cx.locale) data-decimals=(money::decimals(cx.currency)) data-most-decimals=(MAX_DECIMALS)
            data-group=(local_number::group_mark(cx.cx.locale))
            data-less=(cx.texts.say("shop-less")) data-more=(cx.texts.say("shop-more")) {
            @for good in goods.iter().filter(|good| !good.hidden) {
                @let own: Vec<_> = filled.iter().filter(|(_, line)| ProductLine::of(line).api_code == Some(&good.api_code)).collect();
                @let title = format!("{}.{}", cx.name, good.api_code);
                @let left = cx.left(&good.api_code, good.stock);
                @let sold_out = left.is_some_and(Left::is_shut);
                // Of what is sold out the name is enough, unless some of it was ordered before.
                @let is_folded = sold_out && own.is_empty();
                // A fault's link leads to the first good.
                @let own_id = is_folded && std::mem::take(&mut is_first);
                div.good.plain[good.dimensions.is_empty()].sold[sold_out] id=[own_id.then_some(cx.name)] tabindex=[own_id.then_some("-1")]
                    role="group" aria-labelledby=(title) data-code=(good.api_code) data-price=(good.price.amount())
                    data-skus=[own_prices(good)] data-limits=[limited_variants(good, cx)] {
                    @if is_folded {
                        (folded(good, &title, cx))
                    } @else {
                        (pictures(&good.images, &good.name, cx.owners_lang()))
                        (head(good, &title, left, cx))
                    }
                    (inputs::rows(own.iter().map(|(i, value)| {
                        line(good, unit, *i, value, std::mem::take(&mut is_first), cx)
                    })))
                    @if own.is_empty() && !is_folded {
                        @let i = { next += 1; next - 1 };
                        (line(good, unit, i, &Json::Null, std::mem::take(&mut is_first), cx))
                    }
                    @if !good.dimensions.is_empty() && !is_folded {
                        @let i = { next += 1; next - 1 };
                        details.more data-more {
                            summary { (another(good, cx)) }
                            (line(good, unit, i, &Json::Null, false, cx))
                        }
                    }
                }
            }
            p.goods-total role="status" data-total=(words(cx, "{amount}")) {
                @if !total.is_zero() {
                    (words(cx, &money::show(total, cx.currency, cx.cx.locale)))
                }
            }
        }
    }
}

/// Label of the button that adds a line: it names another size if only the size differs.
fn another(good: &Good, cx: &InputCx) -> String {
    match good.dimensions.as_slice() {
        // A sentence is of one language.
        [only] if cx.owners_lang().is_none() => {
            cx.texts.fill("shop-variant-of", &[("name", only.name.to_lowercase().into())])
        }
        _ => cx.texts.say("shop-variant"),
    }
}

fn words(cx: &InputCx, amount: &str) -> String {
    let price = money::with_sign(amount, cx.currency, cx.cx.locale);
    cx.texts.fill("shop-total", &[("price", price.into())])
}

fn price(price: Price, cx: &InputCx) -> String {
    money::price(price.amount(), cx.currency, cx.cx.locale)
}

/// The variants with a price of their own, for the script.
fn own_prices(good: &Good) -> Option<String> {
    let skus = good.skus.iter();
    let prices: Vec<Json> = skus
        .filter_map(|sku| {
            let price = sku.price?.amount().to_string();
            Some(json!({"specification": sku.specification, "price": price}))
        })
        .collect();
    (!prices.is_empty()).then(|| json!(prices).to_string())
}

/// The rest of the variants with a stock of their own.
fn variants<'g>(good: &'g Good, cx: &InputCx) -> Vec<(&'g Sku, Left)> {
    let skus = good.skus.iter();
    skus.filter_map(|sku| {
        let left = cx.left(&counter_of(&good.api_code, &sku.specification), sku.stock)?;
        Some((sku, left))
    })
    .collect()
}

/// The same for the script.
fn limited_variants(good: &Good, cx: &InputCx) -> Option<String> {
    let variants: Vec<Json> = variants(good, cx)
        .into_iter()
        .map(|(sku, left)| {
            json!({
                "specification": sku.specification,
                "shut": left.is_shut(),
                "text": stock_words(left, cx),
            })
        })
        .collect();
    (!variants.is_empty()).then(|| json!(variants).to_string())
}

/// The rest of a good's stock in words: `3 left`, `Sold out`.
fn stock_words(left: Left, cx: &InputCx) -> String {
    if left.is_shut() { cx.texts.say("left-sold-out") } else { inputs::left_words(left, cx) }
}

/// The variants of which something may not be had, by their options.
fn stock_of_variants(good: &Good, cx: &InputCx) -> Markup {
    let variants = variants(good, cx);
    html! {
        @if !variants.is_empty() {
            ul.stock {
                @for (sku, left) in variants {
                    li {
                        span lang=[cx.owners_lang()] dir="auto" { (good.options_of(&sku.specification).join(", ")) }
                        ": " span.left.full[left.is_full()].last[left.is_last(sku.stock)] { (stock_words(left, cx)) }
                    }
                }
            }
        }
    }
}

/// A good of which nothing is left.
fn folded(good: &Good, title: &str, cx: &InputCx) -> Markup {
    html! {
        div.good-text {
            div.good-head {
                span.good-name id=(title) lang=[cx.owners_lang()] { bdi { (good.name) } }
                span.left.full { (cx.texts.say("left-sold-out")) }
            }
        }
    }
}

fn head(good: &Good, title: &str, left: Option<Left>, cx: &InputCx) -> Markup {
    let own = good.skus.iter().filter_map(|sku| sku.price);
    let least = own.map(|price| (price.amount(), price)).min_by_key(|(amount, _)| *amount);
    let least = least.map(|(_, price)| price).filter(|least| least.amount() < good.price.amount());
    let varies = good.skus.iter().any(|sku| sku.price.is_some());
    let shown = price(least.unwrap_or(good.price), cx);
    html! {
        div.good-text {
        div.good-head {
            span.good-name id=(title) lang=[cx.owners_lang()] { bdi { (good.name) } }
            span.good-price {
                @if let Some(was) = good.original_price.filter(|was| was.amount() > good.price.amount()) {
                    s { span.visually-hidden { (cx.texts.say("shop-before")) " " } (price(was, cx)) } " "
                }
                @if varies { (cx.texts.fill("shop-from", &[("price", shown.into())])) } @else { (shown) }
            }
        }
        @if let Some(text) = &good.description { p.good-about lang=[cx.owners_lang()] { bdi { (text) } } }
        // Beside the quantity it would stand alone: there is no room for a label.
        @if let Some(limits) = limits(good, cx).filter(|_| good.dimensions.is_empty()) { p { span.left { (limits) } } }
        @if let Some(left) = left {
            p { span.left.full[left.is_full()].last[left.is_last(good.stock)] { (stock_words(left, cx)) } }
        }
        (stock_of_variants(good, cx))
        }
    }
}

fn line(good: &Good, unit: Option<&str>, i: usize, value: &Json, is_first: bool, cx: &InputCx) -> Markup {
    let name = format!("{}[{i}]", cx.name);
    let path = |key: &str| format!("[{i}].{key}");
    let number = format!("{name}.number");
    // The first control has the field's own id, so that an error's link leads to it.
    let leads = good.dimensions.first().map(|dimension| dimension.api_code.as_str());
    let number_id = if is_first && leads.is_none() { cx.name } else { &number };
    // A line that was ordered before, or typed, stays to be seen and changed.
    let left = cx.left(&good.api_code, good.stock);
    let is_shut = inputs::is_shut(left, !value.is_null());
    let fault = cx.fault_at(&path("number")).or_else(|| cx.fault_at(&path("api_code")));
    html! {
        div.good-line data-line {
            input type="hidden" name={ (name) ".api_code" } value=(good.api_code);
            @for dimension in &good.dimensions {
                @let own_id = is_first && leads == Some(dimension.api_code.as_str());
                (options((good, dimension), &name, &path(&format!("specification.{}", dimension.api_code)), value, own_id, cx))
            }
            div.good-cell {
                label for=(number_id) {
                    (cx.texts.say("shop-number"))
                    @if let Some(limits) = limits(good, cx) { " (" (limits) ")" }
                }
                @if let Some(text) = fault { p.fault id={ (number) "-fault" } { (text) } }
                div.with-unit data-stepper {
                    input.input.short type="text" inputmode="numeric" id=(number_id) name=(number)
                        autocomplete="off" placeholder="0" value=(cx.number_in(&number, &value["number"]))
                        data-least=[good.min_number] data-most=[most(good, left)] disabled[is_shut]
                        aria-invalid=[fault.map(|_| "true")]
                        aria-describedby=[fault.map(|_| format!("{number}-fault"))];
                    @if let Some(unit) = unit { span.unit lang=[cx.owners_lang()] { bdi { (unit) } } }
                }
            }
        }
    }
}

/// The largest quantity that can be had.
fn most(good: &Good, left: Option<Left>) -> Option<i64> {
    let left = left.filter(|left| !left.may_wait && !left.is_full());
    let left = left.and_then(|left| i64::try_from(left.count).ok());
    good.max_number.into_iter().chain(left).min()
}

/// The allowed quantities, for people.
fn limits(good: &Good, cx: &InputCx) -> Option<String> {
    let number = |number: Option<i64>| number.and_then(|number| usize::try_from(number).ok());
    let max = number(good.max_number);
    let min = number(good.min_number).filter(|min| *min > 1 || Some(*min) == max);
    cx.texts.range("limit-pieces", min, max)
}

fn options(
    (good, dimension): (&Good, &Dimension),
    line: &str,
    path: &str,
    value: &Json,
    own_id: bool,
    cx: &InputCx,
) -> Markup {
    let name = format!("{line}.specification.{}", dimension.api_code);
    let id = if own_id { cx.name } else { &name };
    let chosen = ProductLine::of(value).option(&dimension.api_code);
    let fault = cx.fault_at(path);
    // Of a good with one dimension each option is a variant.
    let left_of = |code: &str| {
        let is_only = good.dimensions.len() == 1;
        let variants = variants(good, cx).into_iter();
        let mut own = variants.filter(|(sku, _)| {
            let option = sku.specification.get(&dimension.api_code);
            option.and_then(Json::as_str) == Some(code)
        });
        own.next().filter(|_| is_only).map(|(_, left)| left)
    };
    html! {
        div.good-cell {
            label for=(id) lang=[cx.owners_lang()] { bdi { (dimension.name) } }
            @if let Some(text) = fault { p.fault id={ (name) "-fault" } { (text) } }
            select.input id=(id) name=(name) data-dimension=(dimension.api_code)
                aria-invalid=[fault.map(|_| "true")]
                aria-describedby=[fault.map(|_| format!("{name}-fault"))] {
                option value="" { (cx.texts.say("shop-choose")) }
                @for option in &dimension.options {
                    @let is_chosen = chosen == Some(&option.api_code);
                    @let left = left_of(&option.api_code);
                    option value=(option.api_code) lang=[cx.owners_lang()] selected[is_chosen] disabled[inputs::is_shut(left, is_chosen)] {
                        (option.name) @if let Some(left) = left { " (" (stock_words(left, cx)) ")" }
                    }
                }
            }
        }
    }
}
