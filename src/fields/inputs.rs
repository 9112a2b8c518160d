//! Controls that several kinds share.

use maud::{Markup, PreEscaped, html};

use crate::fields::kind::InputCx;
pub use crate::fields::kind::typed;
use crate::fields::schedule::occupancy::Left;

/// Maximum size of the rows of one control, in bytes.
const MAX_ROWS_BYTES: usize = 4 << 20;

/// Whether an item can't be chosen because none is left. An item that is chosen already stays visible.
pub fn is_shut(left: Option<Left>, is_chosen: bool) -> bool {
    left.is_some_and(Left::is_shut) && !is_chosen
}

/// The number left of something limited, in words: `3 left`.
pub fn left_words(left: Left, cx: &InputCx) -> String {
    if !left.is_full() {
        let count = i64::try_from(left.count).unwrap_or(i64::MAX);
        return cx.texts.fill("left-places", &[("count", count.into())]);
    }
    cx.texts.say(if left.may_wait { "left-wait" } else { "left-none" })
}

/// The same beside a label; nothing where there is no limit. The last of `all` look different.
pub fn left(left: Option<Left>, all: Option<i64>, cx: &InputCx) -> Markup {
    html! {
        @if let Some(left) = left {
            span.left.full[left.is_full()].last[left.is_last(all)] lang=[cx.own_lang()] { (left_words(left, cx)) }
        }
    }
}

/// A label with what is left, for an option of a drop-down list, which holds text alone.
pub fn with_left(label: &str, left: Option<Left>, cx: &InputCx) -> String {
    match left {
        Some(left) => format!("{label} ({})", left_words(left, cx)),
        None => label.to_owned(),
    }
}

/// Optional attributes of a one-line control.
#[derive(Clone, Copy, Debug, Default)]
pub struct LineAttributes {
    /// Maximum characters. The control accepts more, so that pasted text is not cut; the script counts.
    pub limit: Option<usize>,
    pub autocomplete: Option<&'static str>,
    pub inputmode: Option<&'static str>,
    pub step: Option<&'static str>,
}

impl LineAttributes {
    /// None of them.
    pub const NONE: Self = Self { limit: None, autocomplete: None, inputmode: None, step: None };
}

/// A one-line `<input>`.
pub fn line(cx: &InputCx, kind: &str, attributes: &LineAttributes) -> Markup {
    html! {
        input.input id=(cx.name) name=(cx.name) type=(kind) value=(typed(cx.value))
            placeholder=[cx.placeholder] required[cx.required] aria-invalid=[cx.invalid.then_some("true")]
            aria-describedby=[described_by(cx)] data-limit=[attributes.limit]
            autocomplete=[attributes.autocomplete] inputmode=[attributes.inputmode] step=[attributes.step] dir="auto"
            lang=[cx.owners_lang()];
        (counter(cx, attributes))
    }
}

/// Shows how much of a limit is used: the script fills it in when it is nearly reached.
fn counter(cx: &InputCx, attributes: &LineAttributes) -> Markup {
    let say = |id: &str, limit: usize| {
        let places = [
            ("used", "{used}".into()),
            ("over", "{over}".into()),
            ("limit", i64::try_from(limit).unwrap_or(i64::MAX).into()),
        ];
        cx.texts.fill(id, &places)
    };
    html! {
        @if let Some(limit) = attributes.limit {
            p.counter data-used=(say("counter-used", limit)) data-over=(say("counter-over", limit)) {}
        }
    }
}

/// Rows up to a maximum size: nobody fills in more, but anyone may post them.
pub fn rows(each: impl Iterator<Item = Markup>) -> Markup {
    let mut out = String::new();
    for row in each {
        out.push_str(&row.0);
        if out.len() > MAX_ROWS_BYTES {
            break;
        }
    }
    PreEscaped(out)
}

/// One of the service's texts with the owner's text in a placeholder, in its own language.
pub fn around(cx: &InputCx, id: &str, place: &str, owners: &str) -> Markup {
    const MARK: &str = "\u{e000}";
    let text = cx.texts.fill(id, &[(place, MARK.into())]);
    let (before, after) = text.split_once(MARK).unwrap_or((&text, ""));
    html! { (before) bdi lang=[cx.owners_lang()] { (owners) } (after) }
}

/// The value of `aria-describedby`, if anything describes the control.
pub fn described_by<'a>(cx: &InputCx<'a>) -> Option<&'a str> {
    (!cx.described_by.is_empty()).then_some(cx.described_by)
}

/// Clears an optional group of radio buttons: one more radio button, visible once another is chosen. The script turns
/// it into a button. `label` is the id of an additional label.
pub fn clear(cx: &InputCx, name: &str, label: Option<&str>) -> Markup {
    let own = format!("{name}-clear");
    html! {
        @if !cx.required {
            label.clear lang=[cx.own_lang()] {
                input type="radio" name=(name) value="" aria-labelledby=[label.map(|label| format!("{own} {label}"))];
                span id=(own) { (cx.texts.say("choice-clear")) }
            }
        }
    }
}

/// The first option of a drop-down list: no answer.
pub fn no_option(cx: &InputCx) -> Markup {
    html! {
        @match cx.placeholder {
            Some(own) => option value="" { (own) },
            None => option value="" lang=[cx.own_lang()] { (cx.texts.say("choice-none")) },
        }
    }
}

/// A `<textarea>`.
pub fn area(cx: &InputCx, attributes: &LineAttributes) -> Markup {
    html! {
        textarea.input id=(cx.name) name=(cx.name) rows="5"
            placeholder=[cx.placeholder] required[cx.required] aria-invalid=[cx.invalid.then_some("true")]
            aria-describedby=[described_by(cx)] data-limit=[attributes.limit] dir="auto"
            lang=[cx.owners_lang()] {
            (typed(cx.value))
        }
        (counter(cx, attributes))
    }
}
