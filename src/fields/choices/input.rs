//! The controls of choices: radio buttons and check boxes, with and without pictures, and drop-down lists. They work
//! without scripts.

use maud::{Markup, html};

use crate::base::json::Json;
use crate::base::secret::hash_parts;
use crate::fields::choices::Choice;
use crate::fields::choices::stored_selection::code_of;
use crate::fields::inputs;
use crate::fields::kind::InputCx;

/// Fewer choices than this don't need two columns.
const MIN_FOR_COLUMNS: usize = 4;
/// The widest labels for two columns without line breaks: on a desktop, and on a phone, in Latin letters.
const SHORT: usize = 20;
const SHORTEST: usize = 9;
/// The `sizes` of a choice's picture.
const PICTURE: &str = "(min-width: 40rem) 15rem, 50vw";

/// Radio buttons or check boxes, with the text inputs of choices that take text.
pub fn inputs(choices: &[Choice], is_random: bool, cx: &InputCx, kind: &str) -> Markup {
    let mut shown: Vec<&Choice> = shown_choices(choices).collect();
    if is_random {
        mix(&mut shown, cx);
    }
    let layout = if shown.iter().any(|choice| choice.image.is_some()) { "pictures" } else { columns(&shown) };
    html! {
        div.choices.(layout) lang=[cx.owners_lang()] {
            @for (i, choice) in shown.into_iter().enumerate() {
                (row(choice, i == 0, cx, kind))
            }
        }
        @if kind == "radio" { (inputs::clear(cx, cx.name, None)) }
    }
}

/// Choices as cards side by side.
pub fn pictures(choices: &[Choice], cx: &InputCx, kind: &str) -> Markup {
    html! {
        div.choices.pictures lang=[cx.owners_lang()] {
            @for (i, choice) in shown_choices(choices).enumerate() {
                (row(choice, i == 0, cx, kind))
            }
        }
        @if kind == "radio" { (inputs::clear(cx, cx.name, None)) }
    }
}

/// Shuffles the choices, in an order that stays the same while this page is filled in; the "other" choice stays last.
fn mix(shown: &mut [&Choice], cx: &InputCx) {
    shown.sort_by_cached_key(|choice| {
        let parts = [cx.seed, cx.name, &choice.api_code];
        (choice.is_other, hash_parts(&parts.map(str::as_bytes)))
    });
}

fn shown_choices(choices: &[Choice]) -> impl Iterator<Item = &Choice> {
    choices.iter().filter(|choice| !choice.hidden)
}

/// The class for the narrowest width at which the choices fit two columns.
fn columns(shown: &[&Choice]) -> &'static str {
    let widest = shown.iter().map(|choice| width(&choice.label)).max();
    match widest {
        Some(widest) if shown.len() >= MIN_FOR_COLUMNS && widest <= SHORTEST => "shortest",
        Some(widest) if shown.len() >= MIN_FOR_COLUMNS && widest <= SHORT => "short",
        _ => "long",
    }
}

/// The approximate width of a text in Latin letters: ideographs and similar characters count twice.
fn width(text: &str) -> usize {
    text.chars().map(|c| if c < '\u{1100}' { 1 } else { 2 }).sum()
}

/// The selection of this choice in the control's value, and its path.
fn selection<'v>(choice: &Choice, value: &'v Json) -> Option<(String, &'v Json)> {
    let is_it = |item: &Json| item.as_str() == Some(&choice.api_code) || code_of(item) == choice.api_code;
    match value {
        Json::Array(items) => {
            items.iter().enumerate().find(|(_, item)| is_it(item)).map(|(i, item)| (format!("[{i}]"), item))
        }
        one => is_it(one).then(|| (String::new(), one)),
    }
}

fn row(choice: &Choice, is_first: bool, cx: &InputCx, kind: &str) -> Markup {
    let selection = selection(choice, cx.value);
    let left = cx.left(&choice.api_code, choice.quota);
    // The first one has the group's own id, so that an error's link leads to it.
    let id = if is_first { cx.name.to_owned() } else { format!("{}.{}", cx.name, choice.api_code) };
    html! {
        div.choice-row {
            label.choice for=(id) {
                @if let Some(image) = &choice.image { (image.draw("", PICTURE)) }
                input type=(kind) id=(id) name=(cx.name) value=(choice.api_code)
                    checked[selection.is_some()] disabled[inputs::is_shut(left, selection.is_some())]
                    required[cx.required && kind == "radio"]
                    aria-invalid=[cx.invalid.then_some("true")]
                    aria-describedby=[inputs::described_by(cx)];
                span.choice-label id=[choice.text_key().map(|_| format!("{id}-label"))] dir="auto" { (choice.label) }
                (inputs::left(left, choice.quota, cx))
            }
            @if let Some(key) = choice.text_key() {
                (text_input(choice, key, selection.as_ref(), cx, Some(&id)))
            }
        }
    }
}

/// The text input of a choice, labelled by the choice with this id, or by a label of its own.
fn text_input(
    choice: &Choice,
    key: &str,
    selection: Option<&(String, &Json)>,
    cx: &InputCx,
    beside: Option<&str>,
) -> Markup {
    let typed = selection.map(|(_, item)| inputs::typed(&item[key]));
    let name = format!("{}.{}.{key}", cx.name, choice.api_code);
    let fault = selection.and_then(|(at, _)| cx.fault_at(&format!("{at}.{key}")));
    html! {
        input.input.choice-text type="text" placeholder=(cx.texts.say("choice-specify"))
            id=(name) name=(name) dir="auto" lang=[cx.own_lang()]
            aria-label=[beside.map(|_| cx.texts.say("choice-specify"))]
            aria-labelledby=[beside.map(|id| format!("{id}-label {name}"))]
            aria-invalid=[fault.map(|_| "true")]
            aria-describedby=[fault.and_then(|_| inputs::described_by(cx))]
            value=(typed.unwrap_or_default());
    }
}

/// A drop-down list, followed by the text input of the "other" choice.
pub fn select(choices: &[Choice], cx: &InputCx) -> Markup {
    let other = shown_choices(choices).find_map(|choice| Some((choice, choice.text_key()?)));
    html! {
        div.dropdown {
            select.input id=(cx.name) name=(cx.name) required[cx.required] lang=[cx.owners_lang()]
                aria-invalid=[cx.invalid.then_some("true")]
                aria-describedby=[inputs::described_by(cx)] {
                (inputs::no_option(cx))
                @for choice in shown_choices(choices) {
                    @let left = cx.left(&choice.api_code, choice.quota);
                    @let is_selected = selection(choice, cx.value).is_some();
                    option value=(choice.api_code) data-other[choice.is_other] dir="auto"
                        selected[is_selected] disabled[inputs::is_shut(left, is_selected)] {
                        (inputs::with_left(&choice.label, left, cx))
                    }
                }
            }
            @if let Some((choice, key)) = other {
                @let id = format!("{}.{}.{key}", cx.name, choice.api_code);
                div.dropdown-other {
                    label for=(id) { (inputs::around(cx, "choice-text", "choice", &choice.label)) }
                    (text_input(choice, key, selection(choice, cx.value).as_ref(), cx, None))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::base::issue::Issues;
    use crate::base::reader::Reader;
    use crate::base::text::texts::texts;
    use crate::fields::choices::read;
    use crate::fields::kind::{BuildCx, Cx};

    #[test]
    fn ideographs_are_two_wide() {
        assert_eq!((width("Tea"), width("茶水"), width("")), (3, 4, 0));
    }

    /// The control of this many choices, preceded by an "other" choice.
    fn drawn(count: usize, label: &str, seed: &str) -> String {
        let own = (0..count).map(|i| json!({"api_code": format!("c{i}"), "label": label}));
        let other = json!({"api_code": "other", "label": "Other", "is_other": true});
        let list: Vec<Json> = [other].into_iter().chain(own).collect();
        let mut at = Issues::new();
        let mut reader = Reader::new(json!({"choices": list}), &mut at);
        let choices = read(&mut reader, &BuildCx::default());
        let cx = InputCx {
            name: "field_1",
            label: "a",
            value: &json!({"value": "other", "other_text": "\"x"}),
            posted: None,
            required: true,
            placeholder: None,
            invalid: false,
            faults: &[],
            described_by: "",
            texts: texts("en"),
            currency: "USD",
            seed,
            cx: &Cx::of_a_test(true),
        };
        inputs(&choices, !seed.is_empty(), &cx, "radio").into_string()
    }

    fn order(page: &str) -> Vec<&str> {
        let values = page.split("value=\"").skip(1);
        values
            .filter_map(|rest| rest.split('"').next())
            .filter(|value| value.starts_with('c') || *value == "other")
            .collect()
    }

    #[test]
    fn choices_are_mixed_once_a_page() {
        assert_eq!(order(&drawn(3, "x", "")), ["other", "c0", "c1", "c2"]);
        let (one, two) = (drawn(30, "x", "one"), drawn(30, "x", "two"));
        assert_eq!(order(&one), order(&drawn(30, "x", "one")));
        assert_ne!(order(&one), order(&two));
        let mut sorted = order(&one);
        assert_eq!(sorted.last(), Some(&"other"));
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 31);
    }

    #[test]
    fn short_choices_stand_in_columns() {
        for (count, label, class) in [
            (3, "Bus", "shortest"),
            (2, "Bus", "long"),
            (3, "By train and bus", "short"),
            (3, "乘坐火车", "shortest"),
            (3, "乘坐长途汽车前往", "short"),
            (9, "By train, then on foot", "long"),
        ] {
            let page = drawn(count, label, "");
            let found = page.contains(&format!("class=\"choices {class}\""));
            assert!(found, "{label}: {page}");
        }
    }

    #[test]
    fn what_was_typed_beside_a_choice_stays() {
        let page = drawn(3, "Bus", "");
        assert!(page.contains(r#"name="field_1.other.other_text""#), "{page}");
        assert!(page.contains(r#"value="&quot;x""#), "{page}");
    }
}
