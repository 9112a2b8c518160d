//! The answers on the thank-you page, and the link to edit them.

use maud::{Markup, html};

use crate::base::text::texts::Texts;
use crate::fields::display::money;
use crate::fields::kind::Cx;
use crate::fields::values::results::exam;
use crate::ops::entries::receipt::{Answer, Marked, Receipt};
use crate::web::pages::form::faults::name_of;
use crate::web::pages::ui::qr;

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
                h2 { (texts.say("receipt-title")) }
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
                _ if receipt.is_cancelled() && kind.calendar().is_some() && !lines.is_empty() => dd {
                    ul lang=[owners_lang] { @for line in &lines { li.lines dir="auto" { s { (line) } } } }
                    strong.cancelled { (texts.say("system-status-cancelled")) }
                },
                [] => dd.muted { (texts.say("receipt-blank")) },
                [line] => dd.lines lang=[owners_lang] dir="auto" { (line) },
                _ => dd lang=[owners_lang] {
                    ul { @for line in &lines { li.lines dir="auto" { (line) } } }
                },
            }
            @if let Some(marked) = &answer.marked { (mark(receipt, answer, marked, cx, texts)) }
            @if let Some(total) = answer.value.as_ref().and_then(|value| kind.total(value)) {
                @let currency = &receipt.published.parsed.settings.pricing.currency;
                @let price = money::price(total, currency, cx.locale);
                dd { (texts.fill("shop-total", &[("price", price.into())])) }
            }
        }
    }
}

/// Whether an answer is right, with the right one.
fn mark(receipt: &Receipt, answer: &Answer, marked: &Marked, cx: &Cx, texts: &Texts) -> Markup {
    let shows_points = receipt.published.parsed.settings.exam.show_score;
    let (class, verdict) = if marked.points >= marked.most {
        ("right", "exam-is-right")
    } else if marked.points > 0.0 {
        ("partly", "exam-is-partly-right")
    } else {
        ("wrong", "exam-is-wrong")
    };
    let shown = |points: f64| exam::points_text(points, cx.locale);
    let points = || {
        let args = [("points", shown(marked.points).into()), ("most", shown(marked.most).into())];
        texts.fill("exam-points", &args)
    };
    let right = marked.right.as_ref();
    let right = right.map_or_else(Vec::new, |right| answer.field.kind.lines(right, cx));
    html! {
        dd class={ "verdict " (class) } {
            strong { (texts.say(verdict)) }
            @if shows_points { " " span.muted { (points()) } }
        }
        @if class != "right" && !right.is_empty() {
            dd.right-answer {
                span.muted { (texts.say("exam-right")) } " "
                span.lines lang=[texts.other(cx.locale)] dir="auto" { (right.join(", ")) }
            }
        }
    }
}

/// The verification code, with a picture of the page that tells whether it is valid.
pub fn code(code: &str, address: &str, has_certificate: bool, texts: &Texts) -> Markup {
    let purpose = if has_certificate { "done-code-certificate" } else { "done-code-text" };
    let whole = format!("{address}?code={code}");
    html! {
        section.receipt-part.edit-link {
            div.stack {
                h2 { (texts.say("done-code")) }
                p.code-text { bdi { (code) } }
                p.muted.small { (texts.say(purpose)) }
                p.small { a href=(whole) { (texts.say("done-code-verify")) } }
            }
            (qr::picture(&whole, &texts.say("done-code-picture")))
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
