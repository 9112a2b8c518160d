//! The controls of choices: radio buttons and check boxes, with and without pictures, and a list that
//! drops down. They are whole without a script.

use maud::{Markup, html};

use crate::base::json::Json;
use crate::fields::choices::{Choice, code_of};
use crate::fields::inputs;
use crate::fields::kind::InputCx;

/// From how many choices on two columns save a screen.
const MIN_FOR_COLUMNS: usize = 4;
/// The widest label that half a phone's width holds without a break, in Latin letters.
const MAX_COLUMN_WIDTH: usize = 20;

/// Radio buttons or check boxes, each with its text input where it takes one.
pub fn inputs(choices: &[Choice], cx: &InputCx, kind: &str) -> Markup {
    let shown: Vec<&Choice> = shown(choices).collect();
    html! {
        div.choices.two[are_short(&shown)] {
            @for (i, choice) in shown.into_iter().enumerate() {
                (row(choice, i == 0, cx, kind))
            }
        }
    }
}

/// The same as cards side by side.
pub fn pictures(choices: &[Choice], cx: &InputCx, kind: &str) -> Markup {
    html! {
        div.choices.pictures {
            @for (i, choice) in shown(choices).enumerate() {
                (row(choice, i == 0, cx, kind))
            }
        }
    }
}

fn shown(choices: &[Choice]) -> impl Iterator<Item = &Choice> {
    choices.iter().filter(|choice| !choice.hidden)
}

fn are_short(shown: &[&Choice]) -> bool {
    shown.len() >= MIN_FOR_COLUMNS
        && shown
            .iter()
            .all(|choice| width(&choice.label) <= MAX_COLUMN_WIDTH)
}

/// About how wide a text is, in Latin letters: ideographs and their like are two wide.
fn width(text: &str) -> usize {
    text.chars()
        .map(|c| if c < '\u{1100}' { 1 } else { 2 })
        .sum()
}

/// What stands in the control for this choice, and where in the value.
fn selection<'v>(choice: &Choice, value: &'v Json) -> Option<(String, &'v Json)> {
    let is_it =
        |item: &Json| item.as_str() == Some(&choice.api_code) || code_of(item) == choice.api_code;
    match value {
        Json::Array(items) => items
            .iter()
            .enumerate()
            .find(|(_, item)| is_it(item))
            .map(|(i, item)| (format!("[{i}]"), item)),
        one => is_it(one).then(|| (String::new(), one)),
    }
}

fn row(choice: &Choice, is_first: bool, cx: &InputCx, kind: &str) -> Markup {
    let selection = selection(choice, cx.value);
    // The first one has the group's own id, so that an error's link leads to it.
    let id = if is_first {
        cx.name.to_owned()
    } else {
        format!("{}.{}", cx.name, choice.api_code)
    };
    html! {
        div.choice-row {
            label.choice for=(id) {
                input type=(kind) id=(id) name=(cx.name) value=(choice.api_code)
                    checked[selection.is_some()]
                    required[cx.required && kind == "radio"]
                    aria-invalid=[cx.invalid.then_some("true")]
                    aria-describedby=[inputs::described_by(cx)];
                span.choice-label dir="auto" { (choice.label) }
            }
            @if let Some(key) = choice.text_key() {
                (text_input(choice, key, selection.as_ref(), cx, None))
            }
        }
    }
}

/// The text beside a choice. Without an id it takes its name from the choice's label.
fn text_input(
    choice: &Choice,
    key: &str,
    selection: Option<&(String, &Json)>,
    cx: &InputCx,
    id: Option<&str>,
) -> Markup {
    let typed = selection.map(|(_, item)| inputs::typed(&item[key]));
    let fault = selection.and_then(|(at, _)| cx.fault_at(&format!("{at}.{key}")));
    html! {
        input.input.choice-text type="text" placeholder=(cx.texts.say("choice-specify"))
            id=[id] name=(format!("{}.{}.{key}", cx.name, choice.api_code)) dir="auto"
            aria-label=[id.is_none().then(|| what_for(choice, cx))]
            aria-invalid=[fault.map(|_| "true")]
            aria-describedby=[fault.and_then(|_| inputs::described_by(cx))]
            value=(typed.unwrap_or_default());
    }
}

fn what_for(choice: &Choice, cx: &InputCx) -> String {
    cx.texts
        .fill("choice-text", &[("choice", choice.label.as_str().into())])
}

/// A list that drops down, and the other choice's text below it.
pub fn select(choices: &[Choice], cx: &InputCx) -> Markup {
    let other = shown(choices).find_map(|choice| Some((choice, choice.text_key()?)));
    html! {
        div.dropdown {
            select.input id=(cx.name) name=(cx.name) required[cx.required]
                aria-invalid=[cx.invalid.then_some("true")]
                aria-describedby=[inputs::described_by(cx)] {
                (inputs::no_option(cx))
                @for choice in shown(choices) {
                    option value=(choice.api_code) data-other[choice.is_other] dir="auto"
                        selected[selection(choice, cx.value).is_some()] { (choice.label) }
                }
            }
            @if let Some((choice, key)) = other {
                @let id = format!("{}.{}.{key}", cx.name, choice.api_code);
                div.dropdown-other {
                    label for=(id) dir="auto" { (what_for(choice, cx)) }
                    (text_input(choice, key, selection(choice, cx.value).as_ref(), cx, Some(&id)))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ideographs_are_two_wide() {
        assert_eq!((width("Tea"), width("茶水"), width("")), (3, 4, 0));
    }
}
