//! The outcome of a submission, on the thank-you page: the score of an exam, the report of an evaluation, the price of
//! an order.

use maud::{Markup, html};

use crate::base::text::texts::Texts;
use crate::fields::display::money;
use crate::fields::kind::Cx;
use crate::fields::values::results::exam;
use crate::ops::entries::receipt::Receipt;

/// The results that the settings show; nothing where there are none.
pub fn draw(receipt: &Receipt, texts: &Texts, cx: &Cx) -> Markup {
    let is_late = receipt.entry.as_ref().is_some_and(|entry| entry.results.is_late);
    html! {
        (score(receipt, texts, cx))
        @if is_late { p.muted { (texts.say("exam-late")) } }
        @if receipt.withholds_right() { p.muted { (texts.say("exam-right-later")) } }
        (report(receipt, texts, cx))
    }
}

fn score(receipt: &Receipt, texts: &Texts, cx: &Cx) -> Markup {
    let Some(score) = receipt.score() else {
        return html! {};
    };
    let shown = |points: f64| exam::points_text(points, cx.locale);
    let args = [("score", shown(score.points).into()), ("most", shown(score.most).into())];
    html! {
        div.outcome.passed[score.is_passed == Some(true)].failed[score.is_passed == Some(false)] {
            p.outcome-main { (texts.fill("exam-score", &args)) }
            @if let Some(is_passed) = score.is_passed {
                p.outcome-state { (texts.say(if is_passed { "exam-passed" } else { "exam-failed" })) }
            }
        }
    }
}

fn report(receipt: &Receipt, texts: &Texts, cx: &Cx) -> Markup {
    let Some(report) = receipt.report() else {
        return html! {};
    };
    let score = exam::points_text(report.score, cx.locale);
    html! {
        div.outcome {
            p.outcome-main { (texts.fill("report-score", &[("score", score.into())])) }
            @if let Some(comment) = &report.comment {
                p.lines lang=[texts.other(cx.locale)] dir="auto" { (comment) }
            }
        }
    }
}

/// The price of an order; nothing where nothing was ordered.
pub fn prices(receipt: &Receipt, texts: &Texts, cx: &Cx) -> Markup {
    // Nothing was ordered: the page did not speak of prices either.
    let Some((total, preferential)) = receipt.prices().filter(|(total, _)| !total.is_zero()) else {
        return html! {};
    };
    let currency = &receipt.published.parsed.settings.pricing.currency;
    let shown = |amount| money::price(amount, currency, cx.locale);
    html! {
        dl.outcome.totals {
            @if preferential < total {
                div { dt { (texts.say("order-subtotal")) } dd { (shown(total)) } }
                div { dt { (texts.say("order-discount")) } dd { "−" (shown(total - preferential)) } }
            }
            div.outcome-main { dt { (texts.say("order-to-pay")) } dd { (shown(preferential)) } }
        }
    }
}
