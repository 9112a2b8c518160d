//! A question's definition as the controls of its panel, in the reader's words.

use crate::base::error::Result;
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::fields::kind::KindRow;
use crate::fields::panel::{self, Shape, choice_text};
use crate::fields::places;
use crate::web::pages::console::account_messages;
use crate::web::pages::console::build::rich_texts::RichTexts;
use crate::web::pages::ui::build::panel::{Part, PartWords, Parts, Property};
use crate::web::pages::ui::field::Choice;
use crate::web::pages::ui::rich_text::RichText;
use crate::web::pages::ui::settings::control::{Control, Input};

/// Keys that stand below *More*.
const FOLDED: [&str; 8] =
    ["notes", "placeholder", "hidden", "unique", "pattern", "pattern_message", "content_types", "random_order"];

/// Ready lists of choices, by the ends of their texts' ids.
const READY: [&str; 5] = ["yes", "agree", "satisfied", "days", "months"];
/// Stands between a key and a ready list in the value of a button.
const READY_ACT: &str = ".ready.";

/// The choices of a button for a ready list, one a line, and the key that they are for; `None` for other buttons. They
/// follow the choices that were typed, and take the place of those that a new question has.
pub fn ready(texts: &Texts, action: &str, body: &Json) -> Option<(String, String)> {
    let (key, list) = action.split_once(READY_ACT)?;
    let list = READY.iter().find(|known| **known == list)?;
    let choices = body[key].as_array()?;
    let lines = texts.say(&format!("build-ready-{list}-lines"));
    let is_new = |(at, choice): (usize, &Json)| {
        choice["label"] == texts.fill("build-choice", &[("number", (at + 1).into())]).as_str()
    };
    let text = if choices.iter().enumerate().all(is_new) {
        lines
    } else {
        format!("{}\n{lines}", choice_text::write(&body[key]))
    };
    Some((key.to_owned(), text))
}

/// The words of a panel: they live as long as it is drawn.
pub struct PanelWords {
    texts: &'static Texts,
    /// Where pictures of rich texts are posted.
    images: String,
    controls: Vec<(panel::Control, Words)>,
    /// Codes and names, where a control has them.
    countries: Vec<(&'static str, String)>,
    add: String,
    buttons: [String; 10],
}

struct Words {
    label: String,
    notes: String,
    fault: String,
    value: String,
    /// A rich text as a tree of JSON; empty for others.
    tree: String,
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

/// What a key does, in a sentence; empty where its words tell.
fn help(texts: &Texts, row: &KindRow, key: &str) -> String {
    let own = texts.find(&format!("prop-{}-{key}-help", row.name));
    own.or_else(|| texts.find(&format!("prop-{key}-help"))).unwrap_or_default()
}

/// The key of what people call a part.
fn line_of(controls: &[panel::Control]) -> &str {
    controls.iter().map(|control| control.key.as_str()).find(|key| panel::is_line(key)).unwrap_or("label")
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
    pub fn of(row: &'static KindRow, body: &Json, faults: &[Issue], rich: &RichTexts) -> Result<Self> {
        let texts = rich.texts;
        let fault = |path: &str| {
            let found = faults.iter().find(|fault| fault.attribute == path);
            found.map_or_else(String::new, |fault| account_messages::message(texts, fault))
        };
        let controls = panel::controls(row).into_iter().map(|control| -> Result<(panel::Control, Words)> {
            let value = &body[&control.key];
            let inner = match &control.shape {
                Shape::Word(words) | Shape::Words(words) => {
                    words.iter().map(|word| texts.say(&format!("prop-{}-{word}", control.key))).collect()
                }
                Shape::Rows(inner) => inner.iter().map(|inner| label(texts, row, &inner.key)).collect(),
                _ => Vec::new(),
            };
            let parts = match (&control.shape, value) {
                (Shape::Rows(inner), Json::Array(items)) => {
                    let parts = items.iter().enumerate().map(|(at, item)| {
                        let prefix = format!("{}[{at}]", control.key);
                        let own =
                            inner.iter().filter(|inner| !panel::is_line(&inner.key) && inner.shape != Shape::Untouched);
                        let line = line_of(inner);
                        PartTexts {
                            code: text_of(&item["api_code"]),
                            label: text_of(&item[line]),
                            fault: fault(&format!("{prefix}.{line}")) + &fault(&prefix),
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
                notes: help(texts, row, &control.key),
                fault: fault(&control.key),
                tree: if control.shape == Shape::Rich { rich.tree(&text_of(value))? } else { String::new() },
                value: text_of(value),
                inner,
                parts,
            };
            Ok((control, words))
        });
        let controls: Vec<(panel::Control, Words)> = controls.collect::<Result<_>>()?;
        let has_countries = controls.iter().any(|(control, _)| control.shape == Shape::Country);
        let countries = if has_countries { places::countries_in(texts) } else { Vec::new() };
        let buttons = ["up", "down", "remove", "more", "sort", "reverse", "text", "text-notes", "apply", "ready"];
        Ok(Self {
            texts,
            images: rich.images(),
            controls,
            countries,
            add: texts.say("build-part-add"),
            buttons: buttons.map(|word| texts.say(&format!("build-part-{word}"))),
        })
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
                Shape::Rows(inner) => {
                    let kept = inner.iter().zip(&words.inner).filter(|(inner, _)| inner.shape == Shape::Untouched);
                    let kept = kept.filter(|(inner, _)| is_set(&body[&control.key], &inner.key));
                    told.extend(
                        kept.map(|(_, label)| self.texts.fill("build-untouched", &[("label", label.as_str().into())])),
                    );
                    Property::Rows(self.parts(control, words, inner, body))
                }
                shape => Property::Control(Control {
                    name: &control.key,
                    label: &words.label,
                    notes: &words.notes,
                    fault: &words.fault,
                    news: "",
                    input: if *shape == Shape::Country { self.country(&words.value) } else { self.input(shape, words) },
                }),
            };
            // What is set or wrong is not hidden.
            let is_set = !words.value.is_empty() && words.value != "false";
            let is_folded = FOLDED.contains(&control.key.as_str()) && words.fault.is_empty() && !is_set;
            if is_folded { more.push(property) } else { first.push(property) }
        }
        (first, more, told)
    }

    fn input<'w>(&'w self, shape: &'w Shape, words: &'w Words) -> Input<'w> {
        if *shape == Shape::Rich {
            let (value, tree) = (&words.value, &words.tree);
            return Input::Rich(RichText { value, tree, images: &self.images, texts: self.texts });
        }
        input(shape, &words.value, &words.inner)
    }

    fn country<'w>(&'w self, value: &str) -> Input<'w> {
        let none = std::iter::once(Choice::new("", "–", value.is_empty()));
        let all = self.countries.iter().map(|(code, name)| Choice::new(code, name, *code == value));
        Input::Select { choices: none.chain(all).collect() }
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
            .filter(|(inner, _)| !panel::is_line(&inner.key) && inner.shape != Shape::Untouched)
            .collect();
        // Choices are labels above all; other parts with properties need them.
        let has_text = inner.iter().any(|inner| inner.key == "quota");
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
                is_special: !has_text || part.controls.iter().any(|(_, _, fault)| !fault.is_empty()),
            }
        });
        let [up, down, remove, more, sort, reverse, text, text_notes, apply, ready] = &self.buttons;
        Parts {
            name: &control.key,
            line: line_of(inner),
            label: &words.label,
            fault: words.fault.clone(),
            rows: rows.collect(),
            words: PartWords { add: &self.add, up, down, remove, more, sort, reverse, text, text_notes, apply, ready },
            text: has_text.then(|| choice_text::write(&body[&control.key])),
            ready: READY
                .iter()
                .filter(|_| has_text)
                .map(|list| {
                    (format!("{}{READY_ACT}{list}", control.key), self.texts.say(&format!("build-ready-{list}")))
                })
                .collect(),
        }
    }
}

/// Whether one of these parts has the key.
fn is_set(parts: &Json, key: &str) -> bool {
    let is_empty = |value: &Json| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    parts.as_array().into_iter().flatten().any(|part| !is_empty(&part[key]))
}

fn input<'w>(shape: &'w Shape, value: &'w str, words: &'w [String]) -> Input<'w> {
    match shape {
        Shape::Switch => Input::Tick { is_on: value == "true" },
        Shape::Number { is_whole } => {
            Input::Line { value, mode: if *is_whole { "numeric" } else { "decimal" }, list: "" }
        }
        Shape::Area { .. } | Shape::Lines | Shape::Rich => Input::Lines { value },
        Shape::Words(known) => {
            let is_chosen = |word: &str| value.lines().any(|line| line == word);
            let all = known.iter().zip(words).map(|(word, label)| Choice::new(word, label, is_chosen(word)));
            Input::Ticks { choices: all.collect() }
        }
        Shape::Word(known) => {
            let none = std::iter::once(Choice::new("", "–", value.is_empty()));
            let all = known.iter().zip(words).map(|(word, label)| Choice::new(word, label, word == value));
            Input::Select { choices: none.chain(all).collect() }
        }
        Shape::Line { .. } | Shape::Country | Shape::Rows(_) | Shape::Untouched => {
            Input::Line { value, mode: "", list: "" }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::base::text::texts;
    use crate::fields::kinds::{GROUPS, KINDS};

    use super::*;

    /// The ids of texts that a control needs, each with what may stand in for it.
    fn ids(row: &KindRow, control: &panel::Control) -> Vec<[String; 2]> {
        let key = &control.key;
        let mut ids = vec![[format!("prop-{}-{key}", row.name), format!("prop-{key}")]];
        match &control.shape {
            Shape::Word(words) | Shape::Words(words) => {
                ids.extend(words.iter().map(|word| [format!("prop-{key}-{word}"), String::new()]));
            }
            Shape::Rows(inner) => ids.extend(inner.iter().flat_map(|inner| self::ids(row, inner))),
            _ => {}
        }
        ids
    }

    #[test]
    fn each_kind_key_and_word_has_a_text_in_each_language() {
        for locale in texts::locales() {
            let texts = texts::texts(locale);
            for row in KINDS {
                let kind = [format!("kind-{}", row.name), format!("kind-{}-search", row.name)];
                for id in kind {
                    assert!(texts.find(&id).is_some(), "{locale} {id}");
                }
                let ready = READY.iter().flat_map(|list| ["", "-lines"].map(|end| format!("build-ready-{list}{end}")));
                for id in ready {
                    assert!(texts.find(&id).is_some(), "{locale} {id}");
                }
                for ids in panel::controls(row).iter().flat_map(|control| ids(row, control)) {
                    assert!(ids.iter().any(|id| texts.find(id).is_some()), "{locale} {ids:?}");
                }
            }
        }
    }

    #[test]
    fn search_words_are_the_same_in_each_language() {
        let [english, chinese] = texts::locales().map(texts::texts);
        for row in KINDS {
            let id = format!("kind-{}-search", row.name);
            let words = chinese.say(&id);
            assert!(
                words.chars().any(|c| c >= '\u{4e00}') && words.chars().any(|c| c.is_ascii_alphabetic()),
                "{words}"
            );
            assert_eq!(words, english.say(&id), "{id}");
        }
    }

    #[test]
    fn each_kind_stands_in_one_group() {
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, rows)| rows.iter()).map(|row| row.name).collect();
        for row in KINDS {
            assert_eq!(grouped.iter().filter(|name| **name == row.name).count(), 1, "{}", row.name);
        }
        assert_eq!(grouped.len(), KINDS.len());
    }
}
