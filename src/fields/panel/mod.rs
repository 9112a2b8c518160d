//! The properties of a question as controls: they follow from how its kind reads a definition, so that a new kind needs
//! words alone. Pure: JSON in, JSON out.

pub mod choice_text;
mod lists;
#[cfg(test)]
pub mod new_kind_tests;
pub mod outline;
mod plan;
mod posted;
#[cfg(test)]
mod tests;
pub mod variants;

use crate::base::json::Json;
use crate::fields::kind::KindRow;
use crate::fields::schemas;

pub use lists::{PicturePlace, act, at_path, at_path_mut, first_slot, fresh, is_list, list_at, picture_places};
pub use posted::read;

/// A property of a question, or of a part of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// The key in the definition, which is also the control's name.
    pub key: String,
    pub shape: Shape,
}

/// Type of the control for a property.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    Switch,
    Number {
        is_whole: bool,
    },
    /// At most this many characters.
    Line {
        most: usize,
    },
    Area {
        most: usize,
    },
    /// A text with emphasis, links and lists, as HTML.
    Rich,
    /// One of these words.
    Word(Vec<String>),
    /// A country, by its code.
    Country,
    /// Some of these words.
    Words(Vec<String>),
    /// One text per line.
    Lines,
    /// A day, `2026-05-31`.
    Day,
    /// A list of parts, each with these properties and an `api_code`.
    Rows(Vec<Control>),
    /// An object of these properties.
    Group(Vec<Control>),
    /// Questions of these kinds within the question.
    Columns(Vec<String>),
    /// Choices below choices, as one text.
    Tree,
    /// The days of the week that have places.
    Week,
    /// Times of the days of the week that have places.
    Slots,
    /// Prices and stocks of combinations of options.
    Variants,
    /// A picture, or several: they come from a page of their own.
    Pictures {
        is_list: bool,
    },
    /// Another form that its reader manages.
    Form,
    /// The questions of the other form by which its entries are found.
    Found,
    /// The questions of the other form that are shown.
    Shown,
    /// Kept as it is: it can't be changed here.
    Untouched,
}

/// The key of a schema that names a widget.
const MARK: &str = "x-ui";
/// A text of more characters is typed into several lines.
const LONGEST_LINE: usize = 200;
/// The keys that are no controls: the kind, the code, and values that are taken from the form's own page.
const APART: [&str; 4] = ["type", "api_code", "default_value", "notes"];
/// The keys of all kinds that come after a kind's own.
const COMMON: [&str; 5] = ["label", "required", "unique", "placeholder", "hidden"];
/// The name, below that of a list, of the codes of the parts after those that a page draws.
pub const REST: &str = "rest";
/// The keys of a part's name: its line.
const LINES: [&str; 2] = ["label", "name"];

/// Whether a key of a part is its name.
pub fn is_line(key: &str) -> bool {
    LINES.contains(&key)
}

/// The name of a part of a definition, for people.
pub fn line_of(part: &Json) -> &str {
    LINES.iter().find_map(|key| part[key].as_str()).unwrap_or_default()
}

/// The properties of a kind: the label, the notes, the kind's own keys in the order in which it reads them, and those
/// of all kinds.
pub fn controls(row: &'static KindRow) -> Vec<Control> {
    let schema = schemas::definition(row);
    let properties = schema["properties"].as_object();
    let known = |key: &str| properties.is_some_and(|properties| properties.contains_key(key));
    let own = properties.into_iter().flatten();
    let own = own.filter(|(key, _)| !APART.contains(&key.as_str()) && !COMMON.contains(&key.as_str()));
    let own = own.filter(|(_, schema)| is_open(schema));
    let own = own.map(|(key, schema)| Control { key: key.clone(), shape: shape_of(schema) });
    let line = |key: &str, most| Control { key: key.to_owned(), shape: Shape::Line { most } };
    let mut all = vec![Control { key: "label".to_owned(), shape: Shape::Area { most: 500 } }];
    all.push(Control { key: "notes".to_owned(), shape: Shape::Rich });
    all.extend(own);
    for key in ["required", "unique", "hidden"] {
        if known(key) {
            all.push(Control { key: key.to_owned(), shape: Shape::Switch });
        }
    }
    if known("placeholder") {
        all.push(line("placeholder", 500));
    }
    all
}

/// Whether a key can have more than one value besides none.
fn is_open(schema: &Json) -> bool {
    schema["enum"].as_array().is_none_or(|words| words.iter().filter(|word| !word.is_null()).count() > 1)
}

/// Whether the parts of a list can be hidden.
pub fn can_hide(row: &'static KindRow, list: &str) -> bool {
    let inner = controls(row).into_iter().find(|control| control.key == list).map(|control| control.shape);
    matches!(inner, Some(Shape::Rows(inner)) if inner.iter().any(|control| control.key == "hidden"))
}

/// The properties of a question within a question: each cell may be filled in many times.
pub fn column_controls(row: &'static KindRow) -> Vec<Control> {
    controls(row).into_iter().filter(|control| control.key != "unique").collect()
}

/// The widget that a kind asks for by its mark on a key.
fn marked(schema: &Json) -> Option<Shape> {
    Some(match schema[MARK].as_str()? {
        "rich_text" => Shape::Rich,
        "tree" => Shape::Tree,
        "week" => Shape::Week,
        "slots" => Shape::Slots,
        "variants" => Shape::Variants,
        "picture" => Shape::Pictures { is_list: false },
        "pictures" => Shape::Pictures { is_list: true },
        "form" => Shape::Form,
        "found" => Shape::Found,
        "shown" => Shape::Shown,
        _ => return None,
    })
}

fn shape_of(schema: &Json) -> Shape {
    let is = |name: &str| match &schema["type"] {
        Json::String(one) => one == name,
        Json::Array(several) => several.iter().any(|one| one == name),
        _ => false,
    };
    if let Some(shape) = marked(schema) {
        return shape;
    }
    let most = schema["maxLength"].as_u64().and_then(|most| usize::try_from(most).ok()).unwrap_or(LONGEST_LINE);
    if let Some(words) = schema["enum"].as_array() {
        return Shape::Word(words.iter().filter_map(Json::as_str).map(str::to_owned).collect());
    }
    if schema["format"] == "country" {
        Shape::Country
    } else if schema["format"] == "date" {
        Shape::Day
    } else if is("boolean") {
        Shape::Switch
    } else if is("array") {
        shape_of_list(&schema["items"])
    } else if is("integer") || is("number") {
        Shape::Number { is_whole: is("integer") }
    } else if is("string") && most > LONGEST_LINE {
        Shape::Area { most }
    } else if is("string") {
        Shape::Line { most }
    } else {
        match parts_of(schema) {
            Some((controls, true)) => Shape::Group(controls),
            _ => Shape::Untouched,
        }
    }
}

fn shape_of_list(items: &Json) -> Shape {
    if let Some(words) = items["enum"].as_array() {
        return Shape::Words(words.iter().filter_map(Json::as_str).map(str::to_owned).collect());
    }
    if items["type"] == "string" {
        return Shape::Lines;
    }
    if let Some(kinds) = items["discriminator"]["mapping"].as_object() {
        return Shape::Columns(kinds.keys().cloned().collect());
    }
    match parts_of(items) {
        Some((controls, true)) if controls.iter().any(|control| is_line(&control.key)) => Shape::Rows(controls),
        _ => Shape::Untouched,
    }
}

/// The properties of an object, and whether all that it needs can be typed.
fn parts_of(object: &Json) -> Option<(Vec<Control>, bool)> {
    let own = object["properties"].as_object()?.iter().filter(|(key, _)| *key != "api_code");
    let controls: Vec<Control> =
        own.map(|(key, schema)| Control { key: key.clone(), shape: shape_of_part(key, schema) }).collect();
    let needs = |key: &Json| controls.iter().any(|it| *key == it.key.as_str() && it.shape == Shape::Untouched);
    let is_whole = !object["required"].as_array().into_iter().flatten().any(needs);
    Some((controls, is_whole))
}

fn shape_of_part(key: &str, schema: &Json) -> Shape {
    match shape_of(schema) {
        // The name of a part has a control of one line, however long it may be.
        Shape::Area { most } if is_line(key) => Shape::Line { most },
        other => other,
    }
}
