//! A question's definition as the controls of its panel, in the reader's words.

use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::fields::kind::KindRow;
use crate::fields::panel::{self, Shape, choice_text};
use crate::web::pages::console::account_messages;
use crate::web::pages::ui::build::panel::{Part, PartWords, Parts, Property};
use crate::web::pages::ui::field::Choice;
use crate::web::pages::ui::settings::control::{Control, Input};

/// Keys that stand below *More*.
const FOLDED: [&str; 8] =
    ["notes", "placeholder", "hidden", "unique", "pattern", "pattern_message", "content_types", "random_order"];

/// The words of a panel: they live as long as it is drawn.
pub struct PanelWords {
    texts: &'static Texts,
    controls: Vec<(panel::Control, Words)>,
    add: String,
    buttons: [String; 9],
}

struct Words {
    label: String,
    notes: String,
    fault: String,
    value: String,
    /// The words of an enum, or of the controls of parts.
    inner: Vec<String>,
    /// By part: its faults, and those of its controls with their values.
    parts: Vec<PartTexts>,
}

struct PartTexts {
    code: String,
    label: String,
    fault: String,
    /// Name, value and fault of each control.
    controls: Vec<(String, String, String)>,
}

/// What a key is called for a kind.
fn label(texts: &Texts, row: &KindRow, key: &str) -> String {
    texts.find(&format!("prop-{}-{key}", row.name)).unwrap_or_else(|| texts.say(&format!("prop-{key}")))
}

fn text_of(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        Json::Array(lines) => lines.iter().filter_map(Json::as_str).collect::<Vec<_>>().join("\n"),
        other => other.to_string(),
    }
}

impl PanelWords {
    /// Of a question's definition with these faults.
    pub fn of(texts: &'static Texts, row: &'static KindRow, body: &Json, faults: &[Issue]) -> Self {
        let fault = |path: &str| {
            let found = faults.iter().find(|fault| fault.attribute == path);
            found.map_or_else(String::new, |fault| account_messages::message(texts, fault))
        };
        let controls = panel::controls(row).into_iter().map(|control| {
            let value = &body[&control.key];
            let inner = match &control.shape {
                Shape::Word(words) => {
                    words.iter().map(|word| texts.say(&format!("prop-{}-{word}", control.key))).collect()
                }
                Shape::Rows(inner) => inner.iter().map(|inner| label(texts, row, &inner.key)).collect(),
                _ => Vec::new(),
            };
            let parts = match (&control.shape, value) {
                (Shape::Rows(inner), Json::Array(items)) => {
                    let parts = items.iter().enumerate().map(|(at, item)| {
                        let prefix = format!("{}[{at}]", control.key);
                        let own = inner.iter().filter(|inner| inner.key != "label" && inner.shape != Shape::Untouched);
                        PartTexts {
                            code: text_of(&item["api_code"]),
                            label: text_of(&item["label"]),
                            fault: fault(&format!("{prefix}.label")) + &fault(&prefix),
                            controls: own
                                .map(|inner| {
                                    let name = format!("{prefix}.{}", inner.key);
                                    let fault = fault(&name);
                                    (name, text_of(&item[&inner.key]), fault)
                                })
                                .collect(),
                        }
                    });
                    parts.collect()
                }
                _ => Vec::new(),
            };
            let words = Words {
                label: label(texts, row, &control.key),
                notes: texts.find(&format!("prop-{}-help", control.key)).unwrap_or_default(),
                fault: fault(&control.key),
                value: text_of(value),
                inner,
                parts,
            };
            (control, words)
        });
        let controls = controls.collect();
        let buttons = ["up", "down", "remove", "more", "sort", "reverse", "text", "text-notes", "apply"];
        Self {
            texts,
            controls,
            add: texts.say("build-part-add"),
            buttons: buttons.map(|word| texts.say(&format!("build-part-{word}"))),
        }
    }

    /// The controls, those below *More*, and what is said of what has none.
    pub fn properties<'w>(&'w self, body: &'w Json) -> (Vec<Property<'w>>, Vec<Property<'w>>, Vec<String>) {
        let (mut first, mut more, mut told) = (Vec::new(), Vec::new(), Vec::new());
        for (control, words) in &self.controls {
            let property = match &control.shape {
                Shape::Untouched => {
                    told.push(self.texts.fill("build-untouched", &[("label", words.label.as_str().into())]));
                    continue;
                }
                Shape::Rows(inner) => Property::Rows(self.parts(control, words, inner, body)),
                shape => Property::Control(Control {
                    name: &control.key,
                    label: &words.label,
                    notes: &words.notes,
                    fault: &words.fault,
                    news: "",
                    input: input(shape, &words.value, &words.inner),
                }),
            };
            // What is set or wrong is not hidden.
            let is_set = !words.value.is_empty() && words.value != "false";
            let is_folded = FOLDED.contains(&control.key.as_str()) && words.fault.is_empty() && !is_set;
            if is_folded { more.push(property) } else { first.push(property) }
        }
        (first, more, told)
    }

    fn parts<'w>(
        &'w self,
        control: &'w panel::Control,
        words: &'w Words,
        inner: &'w [panel::Control],
        body: &'w Json,
    ) -> Parts<'w> {
        let own: Vec<(&panel::Control, &String)> = inner
            .iter()
            .zip(&words.inner)
            .filter(|(inner, _)| inner.key != "label" && inner.shape != Shape::Untouched)
            .collect();
        let rows = words.parts.iter().map(|part| {
            let controls = own.iter().zip(&part.controls).map(|((inner, label), (name, value, fault))| Control {
                name,
                label,
                notes: "",
                fault,
                news: "",
                input: input(&inner.shape, value, &[]),
            });
            Part {
                code: &part.code,
                label: &part.label,
                fault: part.fault.clone(),
                controls: controls.collect(),
                is_special: part.controls.iter().any(|(_, _, fault)| !fault.is_empty()),
            }
        });
        let [up, down, remove, more, sort, reverse, text, text_notes, apply] = &self.buttons;
        let has_text = inner.iter().any(|inner| inner.key == "quota");
        Parts {
            name: &control.key,
            label: &words.label,
            fault: words.fault.clone(),
            rows: rows.collect(),
            words: PartWords { add: &self.add, up, down, remove, more, sort, reverse, text, text_notes, apply },
            text: has_text.then(|| choice_text::write(&body[&control.key])),
        }
    }
}

fn input<'w>(shape: &'w Shape, value: &'w str, words: &'w [String]) -> Input<'w> {
    match shape {
        Shape::Switch => Input::Tick { is_on: value == "true" },
        Shape::Number { is_whole } => {
            Input::Line { value, mode: if *is_whole { "numeric" } else { "decimal" }, list: "" }
        }
        Shape::Area { .. } | Shape::Lines => Input::Lines { value, is_code: false },
        Shape::Word(known) => {
            let none = std::iter::once(Choice::new("", "–", value.is_empty()));
            let all = known.iter().zip(words).map(|(word, label)| Choice::new(word, label, word == value));
            Input::Select { choices: none.chain(all).collect() }
        }
        Shape::Line { .. } | Shape::Rows(_) | Shape::Untouched => Input::Line { value, mode: "", list: "" },
    }
}
