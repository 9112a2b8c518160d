//! A question's definition as the controls of its panel, in the reader's words.

use maud::{Markup, Render};

use crate::base::error::Result;
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::{Expected, Reason};
use crate::base::text::texts::Texts;
use crate::fields::kind::KindRow;
use crate::fields::kinds::by_name;
use crate::fields::panel::outline::{self, Wrong};
use crate::fields::panel::{self, Shape};
use crate::fields::places;
use crate::web::pages::console::account_messages;
use crate::web::pages::console::build::linked::{self, Others};
use crate::web::pages::console::build::rich_texts::RichTexts;
use crate::web::pages::console::build::{part_lists, plans};
use crate::web::pages::ui::build::parts::{Group, PartWords, Pictures};
use crate::web::pages::ui::field::Choice;
use crate::web::pages::ui::rich_text::RichText;
use crate::web::pages::ui::settings::control::{Control, Input};

/// Keys that are folded below *More*.
const FOLDED: [&str; 8] =
    ["notes", "placeholder", "hidden", "unique", "pattern", "pattern_message", "content_types", "random_order"];

/// The label of a key for a kind.
pub fn label(texts: &Texts, row: &KindRow, key: &str) -> String {
    words_of(texts, row, key).unwrap_or_else(|| texts.say(&format!("prop-{key}")))
}

/// The same; `None` for a key without a label.
fn words_of(texts: &Texts, row: &KindRow, key: &str) -> Option<String> {
    texts.find(&format!("prop-{}-{key}", row.name)).or_else(|| texts.find(&format!("prop-{key}")))
}

/// The help text of a key, in a sentence; empty where the label says it all.
pub fn help(texts: &Texts, row: &KindRow, key: &str) -> String {
    let own = texts.find(&format!("prop-{}-{key}-help", row.name));
    own.or_else(|| texts.find(&format!("prop-{key}-help"))).unwrap_or_default()
}

/// The part that a path of a fault leads to, such as `dimensions[2].label`, in words; empty for the question as a whole.
pub fn place(texts: &Texts, row: &'static KindRow, path: &str) -> String {
    let first = path.split_once('[').map(|(key, _)| key);
    let shape = panel::controls(row).into_iter().find(|control| Some(control.key.as_str()) == first);
    // Of lists that are typed as one text the message names the line.
    if shape.is_none_or(|control| matches!(control.shape, Shape::Tree | Shape::Lines)) {
        return String::new();
    }
    let steps = path.split('.').filter(|step| !panel::is_line(step));
    let told = steps.filter_map(|step| {
        let (key, at) = step.split_once('[').unwrap_or((step, ""));
        let words = words_of(texts, row, key)?;
        let at = at.trim_end_matches(']').parse::<usize>().map(|at| format!(" {}", at + 1));
        Some(format!("{words}{}", at.unwrap_or_default()))
    });
    told.collect::<Vec<_>>().join(", ")
}

/// A value as a control shows it.
pub fn text_of(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        Json::Array(lines) => lines.iter().filter_map(Json::as_str).collect::<Vec<_>>().join("\n"),
        other => other.to_string(),
    }
}

/// The message for a fault of a property. Faults of lists that are typed as one text name its line.
pub fn message(texts: &Texts, body: &Json, issue: &Issue) -> String {
    let key = issue.attribute.split(['.', '[']).next().unwrap_or_default();
    let words = match &issue.reason {
        Reason::MustBe(Expected::Date(shape)) => texts.fill("fault-date", &[("a", (*shape).into())]),
        Reason::MustBe(Expected::Time) => texts.say("fault-time"),
        Reason::MustBe(Expected::Number) => texts.say("fault-number"),
        Reason::MustBe(Expected::WholeNumber) => texts.say("fault-whole"),
        Reason::LessThan(other) => {
            let row = body["type"].as_str().and_then(by_name);
            let other = row.and_then(|row| words_of(texts, row, other)).unwrap_or_else(|| (*other).to_owned());
            texts.fill("build-fault-less", &[("other", other.into())])
        }
        _ => account_messages::message(texts, issue),
    };
    if let Some(line) = line_of(body, &issue.attribute) {
        return texts.fill("build-outline-line", &[("line", line.into()), ("fault", words.into())]);
    }
    match &body[key] {
        Json::String(text) if issue.attribute == key => match outline::fault_of(text) {
            Some(fault) => {
                let id = match fault.wrong {
                    Wrong::Jump => "build-outline-jump",
                    Wrong::Deep => "build-outline-deep",
                };
                texts.fill(id, &[("line", fault.line.into()), ("levels", outline::MOST_LEVELS.into())])
            }
            None => words,
        },
        Json::Array(items) if items.iter().any(|item| item["children"].is_array()) => {
            match outline::line_of(&body[key], &issue.attribute) {
                Some(line) => texts.fill("build-outline-line", &[("line", line.into()), ("fault", words.into())]),
                None => words,
            }
        }
        _ => words,
    }
}

/// The line of a list of texts that a path leads to; the first is 1.
fn line_of(body: &Json, path: &str) -> Option<usize> {
    let (list, at) = path.strip_suffix(']')?.rsplit_once('[')?;
    let at: usize = at.parse().ok()?;
    panel::at_path(body, list)?.get(at)?.is_string().then_some(at + 1)
}

/// The data that the controls of a question are drawn from.
pub struct Properties<'a> {
    pub texts: &'static Texts,
    pub body: &'a Json,
    pub faults: &'a [Issue],
    /// The forms that its reader may link to.
    pub others: &'a Others,
    /// The address of the page of a question's pictures.
    pub pictures: String,
    /// The words of the buttons of lists.
    pub words: PartWords,
    /// The page that draws long lists whole; empty for that page.
    pub all: String,
    /// Whether rules decide whether the question is shown.
    pub is_ruled: bool,
    rich: RichTexts<'a>,
}

impl<'a> Properties<'a> {
    /// Of a question's definition with these faults.
    pub fn new(body: &'a Json, faults: &'a [Issue], others: &'a Others, pictures: String, rich: RichTexts<'a>) -> Self {
        let texts = rich.texts;
        let say = |word: &str| texts.say(&format!("build-part-{word}"));
        let words = PartWords {
            add: say("add"),
            up: say("up"),
            down: say("down"),
            remove: say("remove"),
            more: say("more"),
            sort: say("sort"),
            reverse: say("reverse"),
            text: say("text"),
            text_notes: say("text-notes"),
            apply: say("apply"),
            ready: say("ready"),
        };
        Self { texts, body, faults, others, pictures, words, all: String::new(), is_ruled: false, rich }
    }

    /// The controls of a question, and those below *More*.
    ///
    /// # Errors
    /// 503.
    pub fn draw(&self, row: &'static KindRow) -> Result<(Vec<Markup>, Vec<Markup>)> {
        self.split(row, &panel::controls(row), "", self.body)
    }

    /// The main controls, and those that are seldom needed. A control with a value or a fault is not hidden.
    ///
    /// # Errors
    /// 503.
    pub fn split(
        &self,
        row: &'static KindRow,
        controls: &[panel::Control],
        prefix: &str,
        owner: &Json,
    ) -> Result<(Vec<Markup>, Vec<Markup>)> {
        let (mut first, mut more) = (Vec::new(), Vec::new());
        for control in controls {
            let path = format!("{prefix}{}", control.key);
            let value = text_of(&owner[&control.key]);
            let is_set = !value.is_empty() && value != "false";
            let is_folded = FOLDED.contains(&control.key.as_str()) && !is_set && self.fault(&path).is_empty();
            let drawn = self.property(row, control, prefix, owner)?;
            if is_folded { more.push(drawn) } else { first.push(drawn) }
        }
        Ok((first, more))
    }

    /// The message for the fault at a path; empty if there is none.
    pub fn fault(&self, path: &str) -> String {
        let found = self.faults.iter().find(|fault| fault.attribute == path);
        found.map_or_else(String::new, |fault| message(self.texts, self.body, fault))
    }

    /// The message for the faults at a path or below it.
    pub fn fault_in(&self, path: &str) -> String {
        let is_in = |attribute: &str| attribute.strip_prefix(path).is_some_and(|rest| !rest.starts_with('_'));
        let found = self.faults.iter().find(|fault| is_in(&fault.attribute));
        found.map_or_else(String::new, |fault| message(self.texts, self.body, fault))
    }

    /// All that is wrong with the lines at a path.
    fn faults_of_lines(&self, path: &str) -> String {
        let is_in =
            |attribute: &str| attribute.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('['));
        let found = self.faults.iter().filter(|fault| is_in(&fault.attribute));
        found.map(|fault| message(self.texts, self.body, fault)).collect::<Vec<_>>().join(" · ")
    }

    /// A property of the question, or of a part of it whose name is the prefix.
    ///
    /// # Errors
    /// 503.
    pub fn property(
        &self,
        row: &'static KindRow,
        control: &panel::Control,
        prefix: &str,
        owner: &Json,
    ) -> Result<Markup> {
        let key = control.key.as_str();
        let name = format!("{prefix}{key}");
        let value = &owner[key];
        let notes = match name.as_str() {
            "required" if self.is_ruled => self.texts.say("prop-required-ruled"),
            _ => help(self.texts, row, key),
        };
        let here = Here { row, name: &name, label: &label(self.texts, row, key), notes: &notes };
        Ok(match &control.shape {
            Shape::Rows(inner) => part_lists::rows(self, &here, inner, value)?,
            Shape::Columns(kinds) => part_lists::columns(self, &here, kinds, value)?,
            Shape::Group(inner) => {
                let inner = inner.iter().map(|inner| self.property(row, inner, &format!("{name}."), value));
                let properties = inner.collect::<Result<_>>()?;
                Group { name: &name, label: here.label, fault: self.fault(&name), properties }.render()
            }
            Shape::Week => plans::week(self, &here, value),
            Shape::Slots => plans::slots(self, &here, value),
            Shape::Variants => plans::variants(self, &here, owner),
            Shape::Pictures { .. } => self.pictures(&here, value),
            Shape::Form => linked::form(self, &here, value),
            // They are part of the rows of shown questions.
            Shape::Found | Shape::Untouched => Markup::default(),
            Shape::Shown => linked::questions(self, &here, owner),
            shape => self.control(&here, shape, key, value)?,
        })
    }

    /// A property with one control.
    fn control(&self, here: &Here, shape: &Shape, key: &str, value: &Json) -> Result<Markup> {
        let (shown, fault) = match shape {
            Shape::Tree if value.is_array() => (outline::write(value), self.fault_in(here.name)),
            Shape::Tree => (text_of(value), self.fault_in(here.name)),
            Shape::Lines => (text_of(value), self.faults_of_lines(here.name)),
            _ => (text_of(value), self.fault(here.name)),
        };
        let words: Vec<String> = match shape {
            Shape::Word(words) | Shape::Words(words) => {
                words.iter().map(|word| self.texts.say(&format!("prop-{key}-{word}"))).collect()
            }
            _ => Vec::new(),
        };
        let countries = if *shape == Shape::Country { places::countries_in(self.texts) } else { Vec::new() };
        let tree = if *shape == Shape::Rich { self.rich.tree(&shown)? } else { String::new() };
        let images = self.rich.images();
        let input = match shape {
            Shape::Country => country(&countries, &shown),
            Shape::Rich => Input::Rich(RichText { value: &shown, tree: &tree, images: &images, texts: self.texts }),
            shape => input(shape, &shown, &words),
        };
        let (label, notes) = (here.label, here.notes);
        Ok(Control { name: here.name, label, notes, fault: &fault, news: "", input }.render())
    }

    fn pictures(&self, here: &Here, value: &Json) -> Markup {
        let picture = |name: String, picture: &Json| {
            let text = |key: &str| picture[key].as_str().map(str::to_owned);
            Some((name, text("id")?, text("image_url")?))
        };
        let pictures: Vec<(String, String, String)> = match value {
            Json::Array(all) => {
                let all = all.iter().enumerate();
                all.filter_map(|(at, one)| picture(format!("{}[{at}]", here.name), one)).collect()
            }
            one => picture(here.name.to_owned(), one).into_iter().collect(),
        };
        Pictures {
            name: here.name,
            label: here.label,
            fault: self.fault_in(here.name),
            pictures,
            change: (&self.pictures, here.label),
        }
        .render()
    }
}

/// A property with its name and its texts.
pub struct Here<'h> {
    pub row: &'static KindRow,
    pub name: &'h str,
    pub label: &'h str,
    pub notes: &'h str,
}

fn country<'w>(countries: &'w [(&'static str, String)], value: &str) -> Input<'w> {
    let none = std::iter::once(Choice::new("", "–", value.is_empty()));
    let all = countries.iter().map(|(code, name)| Choice::new(code, name, *code == value));
    Input::Select { choices: none.chain(all).collect() }
}

fn input<'w>(shape: &'w Shape, value: &'w str, words: &'w [String]) -> Input<'w> {
    match shape {
        Shape::Switch => Input::Tick { is_on: value == "true" },
        Shape::Number { is_whole } => {
            Input::Line { value, mode: if *is_whole { "numeric" } else { "decimal" }, list: "" }
        }
        Shape::Area { .. } | Shape::Lines => Input::Lines { value },
        Shape::Tree => Input::Outline { value },
        Shape::Day => Input::Day { value },
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
        _ => Input::Line { value, mode: "", list: "" },
    }
}

#[cfg(test)]
mod tests {
    use crate::base::text::texts;
    use crate::fields::kinds::{GROUPS, KINDS};
    use crate::web::pages::console::build::part_lists::READY;

    use super::*;

    /// The ids of texts that a control needs, each with its fallback.
    fn ids(row: &KindRow, control: &panel::Control) -> Vec<[String; 2]> {
        let key = &control.key;
        let mut ids = vec![[format!("prop-{}-{key}", row.name), format!("prop-{key}")]];
        match &control.shape {
            Shape::Word(words) | Shape::Words(words) => {
                ids.extend(words.iter().map(|word| [format!("prop-{key}-{word}"), String::new()]));
            }
            Shape::Rows(inner) | Shape::Group(inner) => {
                ids.extend(inner.iter().flat_map(|inner| self::ids(row, inner)))
            }
            _ => {}
        }
        ids
    }

    #[test]
    fn each_kind_key_and_word_has_a_text_in_each_language() {
        for locale in texts::locales() {
            let texts = texts::texts(locale);
            for row in KINDS {
                for id in [format!("kind-{}", row.name), format!("kind-{}-search", row.name)] {
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
