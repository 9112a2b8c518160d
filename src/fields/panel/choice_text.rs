//! Choices as text, one per line: the label, and after tabs the score and the places, as spreadsheets paste them.

use std::collections::HashMap;

use serde_json::{Map, Number, json};

use crate::base::json::Json;

/// The choices as text.
pub fn write(choices: &Json) -> String {
    let lines = choices.as_array().into_iter().flatten().map(|choice| {
        let label = choice["label"].as_str().unwrap_or_default().replace(['\t', '\n'], " ");
        let number = |key: &str| if choice[key].is_null() { String::new() } else { choice[key].to_string() };
        let line = format!("{label}\t{}\t{}", number("score"), number("quota"));
        line.trim_end_matches('\t').to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The choices of a text. A line with a known label keeps its choice; if as many labels are new as are gone, they are
/// renames, in order. All others are new.
pub fn read(text: &str, old: &Json) -> Json {
    let old: Vec<&Json> = old.as_array().into_iter().flatten().collect();
    let lines: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split('\t').map(str::trim).collect::<Vec<_>>())
        .filter(|parts| !parts[0].is_empty())
        .collect();
    let mut by_label: HashMap<&str, Vec<&Json>> = HashMap::new();
    for choice in old.iter().rev() {
        by_label.entry(choice["label"].as_str().unwrap_or_default()).or_default().push(choice);
    }
    let kept: Vec<Option<&Json>> =
        lines.iter().map(|parts| by_label.get_mut(parts[0]).and_then(|choices| choices.pop())).collect();
    let is_kept = |choice: &&&Json| kept.iter().flatten().any(|it| std::ptr::eq(*it, **choice));
    let gone: Vec<&&Json> = old.iter().filter(|choice| !is_kept(choice)).collect();
    let renames = kept.iter().filter(|it| it.is_none()).count() == gone.len();
    let mut gone = gone.into_iter();
    let choices = lines.iter().zip(&kept).map(|(parts, kept)| {
        let before = kept.or_else(|| if renames { gone.next().copied() } else { None });
        let mut choice = before.and_then(Json::as_object).cloned().unwrap_or_default();
        choice.insert("label".to_owned(), json!(parts[0]));
        put(&mut choice, "score", parts.get(1));
        put(&mut choice, "quota", parts.get(2));
        Json::Object(choice)
    });
    choices.collect()
}

/// A number after a tab. A line without that tab keeps the choice's number.
fn put(choice: &mut Map<String, Json>, key: &str, typed: Option<&&str>) {
    match typed {
        None => {}
        Some(&"") => {
            choice.shift_remove(key);
        }
        Some(typed) => {
            let whole = typed.parse::<i64>().ok().map(|whole| json!(whole));
            let float = || typed.parse::<f64>().ok().and_then(Number::from_f64).map(Json::Number);
            choice.insert(key.to_owned(), whole.or_else(float).unwrap_or_else(|| json!(typed)));
        }
    }
}
