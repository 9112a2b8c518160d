//! Controls that several kinds draw alike.

use maud::{Markup, PreEscaped, html};

use crate::base::json::Json;
use crate::fields::kind::InputCx;

/// The rows of one control are drawn up to so many bytes.
const MAX_ROWS_BYTES: usize = 4 << 20;

/// What a one-line control may also say of itself.
#[derive(Debug, Default)]
pub struct LineAttributes {
    /// `maxlength`; a hint for the browser, the server decides.
    pub max_length: Option<usize>,
    /// `autocomplete` token.
    pub autocomplete: Option<&'static str>,
    /// `inputmode`.
    pub inputmode: Option<&'static str>,
    /// `step`.
    pub step: Option<&'static str>,
}

/// A one-line `<input>`.
pub fn line(cx: &InputCx, kind: &str, attributes: &LineAttributes) -> Markup {
    html! {
        input.input id=(cx.name) name=(cx.name) type=(kind) value=(typed(cx.value))
            placeholder=[cx.placeholder] required[cx.required] aria-invalid=[cx.invalid.then_some("true")]
            aria-describedby=[described_by(cx)] maxlength=[attributes.max_length]
            autocomplete=[attributes.autocomplete] inputmode=[attributes.inputmode] step=[attributes.step] dir="auto"
            lang=[cx.owners_lang()];
    }
}

/// Rows one below the other, as many as a page has room for: nobody fills in more, but anybody may send them.
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

/// The value of `aria-describedby`, absent when nothing describes the control.
pub fn described_by<'a>(cx: &InputCx<'a>) -> Option<&'a str> {
    (!cx.described_by.is_empty()).then_some(cx.described_by)
}

/// The first option of a list that drops down, the owner's words: no answer.
pub fn no_option(cx: &InputCx) -> Markup {
    html! {
        @match cx.placeholder {
            Some(own) => option value="" { (own) },
            None => option value="" lang=[cx.own_lang()] { (cx.texts.say("choice-none")) },
        }
    }
}

/// What was typed, as text: a value in the write shape whatever its type.
pub fn typed(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A `<textarea>`.
pub fn area(cx: &InputCx, attributes: &LineAttributes) -> Markup {
    html! {
        textarea.input id=(cx.name) name=(cx.name) rows="5"
            placeholder=[cx.placeholder] required[cx.required] aria-invalid=[cx.invalid.then_some("true")]
            aria-describedby=[described_by(cx)] maxlength=[attributes.max_length] dir="auto"
            lang=[cx.owners_lang()] {
            (typed(cx.value))
        }
    }
}
