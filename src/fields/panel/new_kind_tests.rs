//! A kind that is made of one file and one row has its panel at once: the controls follow from how it reads a
//! definition, and no script of the builder knows a kind or its keys.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde::Serialize;
use serde_json::json;

use super::*;
use crate::base::reader::Reader;
use crate::fields::form_part::FormPart;
use crate::fields::kind::{BuildCx, Control as PageControl, Cx, Facets, Kind, Sample};
use crate::fields::kinds::KINDS;

/// A kind of a file like this one. Its keys have words already.
pub static ROW: KindRow = KindRow {
    name: "slider",
    facets: Facets::NONE,
    build,
    samples: &[Sample { definition: "{}", write: "1", stored: "1", text: "1" }],
};

#[derive(Serialize)]
struct Slider {
    rating_max: Option<i64>,
}

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    let rating_max = reader.opt_int("rating_max", 2..=100);
    reader.opt_word("icon", &[("star", 0), ("heart", 1)]);
    reader.opt_bool("multiple");
    reader.opt_text("unit", 40);
    reader.opt_texts("allowed_domains", 40, |_| Ok(()));
    reader.opt_objects("options", |option| (option.text("label", 40), option.opt_number("score")));
    Box::new(Slider { rating_max })
}

impl Kind for Slider {
    fn text(&self, stored: &Json, _: &Cx) -> String {
        stored.to_string()
    }
}

impl PageControl for Slider {}

#[test]
fn controls_of_a_new_kind_follow_from_its_row() {
    let controls = controls(&ROW);
    let shape = |key: &str| controls.iter().find(|control| control.key == key).map(|control| &control.shape);
    assert_eq!(shape("rating_max"), Some(&Shape::Number { is_whole: true }));
    assert_eq!(shape("icon"), Some(&Shape::Word(vec!["star".to_owned(), "heart".to_owned()])));
    assert_eq!(shape("multiple"), Some(&Shape::Switch));
    assert_eq!(shape("unit"), Some(&Shape::Line { most: 40 }));
    assert_eq!(shape("allowed_domains"), Some(&Shape::Lines));
    assert!(matches!(shape("options"), Some(Shape::Rows(inner)) if inner.len() == 2), "{:?}", shape("options"));
    // The same row reads the post of the panel.
    let pairs = [
        ("label", "How warm?"),
        ("rating_max", "7"),
        ("icon", "heart"),
        ("multiple", "true"),
        ("allowed_domains", "cold\r\nhot"),
        ("options[0].label", "Body"),
        ("options[0].score", "37"),
    ];
    let read = read(&ROW, &json!({"type": "slider", "label": ""}), &FormPart::tree(pairs));
    assert_eq!(
        read,
        json!({"type": "slider", "label": "How warm?", "rating_max": 7, "icon": "heart", "multiple": true,
            "allowed_domains": ["cold", "hot"], "options": [{"label": "Body", "score": 37}]})
    );
}

/// Words of scripts that are keys or kinds too, and what they stand for there.
const EXPLAINED: &[(&str, &str, &str)] = &[
    ("", "checkbox", "the type of an input"),
    ("", "radio", "the type of an input"),
    ("outline.js", "number", "a class of the list"),
    ("focus.js", "dropdown", "a class of the form's page"),
    ("palette.js", "kind", "a class of the palette"),
    ("rich.js", "image", "a button of the editor of texts"),
    ("panel.js", "choices", "the name of a module"),
    ("choices.js", "score", "a column of the text of all choices"),
    ("choices.js", "quota", "a column of the text of all choices"),
    ("formula.js", "formula", "the editor of formulas, a widget with its own route"),
];
/// The keys that the editor of formulas sends to its route.
const OF_FORMULAS: [&str; 2] = ["expression", "result_type"];

/// All keys that kinds have of their own, also within parts.
fn own_keys(controls: &[Control], out: &mut BTreeSet<String>) {
    for control in controls {
        if !["label", "notes", "required", "unique", "hidden", "placeholder", "name"].contains(&control.key.as_str()) {
            out.insert(control.key.clone());
        }
        if let Shape::Rows(inner) | Shape::Group(inner) = &control.shape {
            own_keys(inner, out);
        }
    }
}

/// The scripts of the builder's page, with those that they import.
fn scripts(root: &Path) -> Vec<(String, String)> {
    let page = fs::read_to_string(root.join("src/web/pages/console/build/mod.rs")).expect("the page");
    let named = |text: &str, start: &str| -> Vec<String> {
        let rest = text.split(start).skip(1);
        rest.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
    };
    let mut waiting = named(&page, ".script(\"");
    let mut found: Vec<(String, String)> = Vec::new();
    while let Some(name) = waiting.pop() {
        if found.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let text = fs::read_to_string(root.join("assets/js").join(&name)).expect("a module");
        waiting.extend(named(&text, "from \"./"));
        found.push((name, text));
    }
    found
}

/// The texts in quotes of a module, line by line, without what is filled in.
fn quoted(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let mut quote = None;
        let mut is_escaped = false;
        let mut inner = String::new();
        for c in line.chars() {
            match quote {
                Some(end) if c == end && !is_escaped => {
                    quote = None;
                    out.push(without_filled_in(&std::mem::take(&mut inner)));
                }
                Some(_) => {
                    is_escaped = c == '\\' && !is_escaped;
                    inner.push(if c == '\\' { ' ' } else { c });
                }
                None if ['"', '\'', '`'].contains(&c) => quote = Some(c),
                None => {}
            }
        }
    }
    out
}

/// A template without the values in it.
fn without_filled_in(text: &str) -> String {
    let mut parts = text.split("${");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.filter_map(|part| Some(part.split_once('}')?.1)).fold(first, |all, part| all + " " + part)
}

#[test]
fn scripts_of_the_builder_know_no_kind_and_no_key_of_one() {
    let mut names: BTreeSet<String> = KINDS.iter().map(|row| row.name.to_owned()).collect();
    names.remove("name");
    for row in KINDS {
        own_keys(&controls(row), &mut names);
    }
    assert!(names.contains("goods_items") && names.contains("quota_setting") && names.len() > 60, "{names:?}");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scripts = scripts(root);
    assert!(scripts.len() > 10, "{:?}", scripts.iter().map(|(name, _)| name).collect::<Vec<_>>());
    for (script, text) in &scripts {
        let texts = quoted(text);
        let words = texts.iter().flat_map(|text| text.split(|c: char| !c.is_ascii_lowercase() && c != '_'));
        for word in words.filter(|word| names.contains(*word)) {
            let is_explained = EXPLAINED.iter().any(|(of, known, _)| *known == word && (of.is_empty() || of == script));
            let is_formula = script == "formula.js" && OF_FORMULAS.contains(&word);
            assert!(is_explained || is_formula, "{script} names {word}: the panel takes it from its kind");
        }
    }
}

/// What draws the controls matches their shapes, all of them: the compiler sees to that. It asks for no kind by its name.
#[test]
fn pages_of_the_panel_name_no_kind() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for page in ["console/build/properties", "console/build/part_lists", "console/build/plans", "ui/build/parts"] {
        let text = fs::read_to_string(root.join(format!("src/web/pages/{page}.rs"))).expect("a page");
        let drawing = text.split("#[cfg(test)]").next().unwrap_or_default();
        // A number is a place in a text, too.
        for row in KINDS.iter().filter(|row| row.name != "number") {
            assert!(!drawing.contains(&format!("\"{}\"", row.name)), "{page} names {}", row.name);
        }
    }
}
