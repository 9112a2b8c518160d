//! The answers on the thank-you page, and the link to edit them.

use maud::{Markup, html};

use crate::base::texts::Texts;
use crate::fields::kind::Cx;
use crate::fields::money;
use crate::ops::receipt::{Answer, Receipt};
use crate::web::pages::published::form_view::name_of;
use crate::web::pages::qr;

/// More answers than that are folded.
const MAX_OPEN: usize = 12;

/// The answers, question by question.
pub fn answers(receipt: &Receipt, answers: &[Answer], cx: &Cx, texts: &Texts) -> Markup {
    let given = answers.iter().filter(|answer| answer.value.is_some());
    let count = i64::try_from(given.count()).unwrap_or(i64::MAX);
    let list = html! {
        dl.receipt { @for answer in answers { (one(receipt, answer, cx, texts)) } }
    };
    html! {
        @if !answers.is_empty() {
            section.receipt-part {
                div.receipt-head {
                    h2 { (texts.say("receipt-title")) }
                    button.button.quiet.small.scripted #print type="button" { (texts.say("receipt-print")) }
                }
                @if answers.len() > MAX_OPEN {
                    details.receipt-all {
                        summary { (texts.fill("receipt-show", &[("count", count.into())])) }
                        (list)
                    }
                } @else {
                    (list)
                }
            }
        }
    }
}

fn one(receipt: &Receipt, answer: &Answer, cx: &Cx, texts: &Texts) -> Markup {
    let kind = &answer.field.kind;
    let owners_lang = texts.other(cx.locale);
    let lines = answer.value.as_ref().map(|value| kind.lines(value, cx));
    let lines = lines.unwrap_or_default();
    html! {
        div {
            dt lang=[owners_lang] { bdi { (name_of(texts, answer.field)) } }
            @match lines.as_slice() {
                [] => dd.muted { (texts.say("receipt-blank")) },
                [line] => dd.lines lang=[owners_lang] dir="auto" { (line) },
                _ => dd lang=[owners_lang] {
                    ul { @for line in &lines { li.lines dir="auto" { (line) } } }
                },
            }
            @if let Some(total) = answer.value.as_ref().and_then(|value| kind.total(value)) {
                @let currency = &receipt.published.parsed.settings.pricing.currency;
                @let price = money::price(total, currency, cx.locale);
                dd { (texts.fill("shop-total", &[("price", price.into())])) }
            }
        }
    }
}

/// The link with which answers are edited later, for other devices too.
pub fn link(address: &str, texts: &Texts) -> Markup {
    html! {
        section.receipt-part.edit-link {
            div.stack {
                h2 { label for="edit-link" { (texts.say("receipt-link")) } }
                p.muted.small #edit-link-notes { (texts.say("receipt-link-text")) }
                div.copied-line {
                    input.input #edit-link name="edit-link" value=(address) readonly dir="ltr" aria-describedby="edit-link-notes";
                    button.button.quiet.small.scripted type="button" data-copy="edit-link" data-copied=(texts.say("copy-done")) {
                        (texts.say("receipt-copy"))
                    }
                }
            }
            (qr::picture(address, &texts.say("receipt-code")))
        }
    }
}
