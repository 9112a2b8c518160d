//! Choices below choices as text, one a line: two spaces or a tab lead one level down.

use std::collections::HashMap;

use serde_json::{Map, json};

use crate::base::json::Json;

/// The key of the choices below a choice.
const CHILDREN: &str = "children";
/// The deepest that any tree may be.
pub const MOST_LEVELS: usize = 5;
const TAB: usize = 2;

/// Fault of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The line is more than one level below the one before.
    Jump,
    /// The line is below the last level.
    Deep,
}

/// A line that can't be read, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub line: usize,
    pub wrong: Wrong,
}

/// The choices as text.
pub fn write(choices: &Json) -> String {
    let mut out = String::new();
    write_below(choices, 0, &mut out);
    out.truncate(out.trim_end_matches('\n').len());
    out
}

fn write_below(choices: &Json, level: usize, out: &mut String) {
    for choice in choices.as_array().into_iter().flatten() {
        out.push_str(&"  ".repeat(level));
        out.push_str(&choice["label"].as_str().unwrap_or_default().replace(['\t', '\n', '\r'], " "));
        out.push('\n');
        write_below(&choice[CHILDREN], level + 1, out);
    }
}

/// The choices that a text stands for. A line keeps its code where a line of the same text stood below the same choice;
/// where as many are new there as are gone, they are renames, in order.
///
/// # Errors
/// The first line that is indented too far.
pub fn read(text: &str, old: &Json) -> Result<Json, Fault> {
    let lines = lines_of(text)?;
    Ok(read_level(&lines, 0, &old.as_array().into_iter().flatten().collect::<Vec<_>>()))
}

/// The first line of a text that can't be read.
pub fn fault_of(text: &str) -> Option<Fault> {
    lines_of(text).err()
}

/// Levels and labels.
fn lines_of(text: &str) -> Result<Vec<(usize, &str)>, Fault> {
    let mut lines: Vec<(usize, &str)> = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let label = line.trim_start_matches([' ', '\t', '\u{3000}']);
        // A wide space is as wide as two.
        let width = |c: char| if c == ' ' { 1 } else { TAB };
        let level = line[..line.len() - label.len()].chars().map(width).sum::<usize>() / TAB;
        let fault = |wrong| Fault { line: at + 1, wrong };
        if lines.last().map_or(level > 0, |(before, _)| level > before + 1) {
            return Err(fault(Wrong::Jump));
        }
        if level >= MOST_LEVELS {
            return Err(fault(Wrong::Deep));
        }
        lines.push((level, label.trim_end()));
    }
    Ok(lines)
}

fn read_level(lines: &[(usize, &str)], level: usize, old: &[&Json]) -> Json {
    // Each choice with the lines below it.
    let mut starts: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].0 == level).collect();
    starts.push(lines.len());
    let blocks: Vec<&[(usize, &str)]> = starts.windows(2).map(|pair| &lines[pair[0]..pair[1]]).collect();
    let mut by_label: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, choice) in old.iter().enumerate().rev() {
        by_label.entry(shown(choice)).or_default().push(at);
    }
    let kept: Vec<Option<usize>> = blocks.iter().map(|block| by_label.get_mut(block[0].1).and_then(Vec::pop)).collect();
    let mut gone: Vec<usize> = by_label.into_values().flatten().collect();
    gone.sort_unstable();
    let renames = kept.iter().filter(|it| it.is_none()).count() == gone.len();
    let mut gone = gone.into_iter();
    let choices = blocks.iter().zip(&kept).map(|(block, kept)| {
        let before = kept.or_else(|| if renames { gone.next() } else { None }).map(|at| old[at]);
        let mut choice = before.and_then(Json::as_object).cloned().unwrap_or_default();
        let below: Vec<&Json> =
            before.map(|before| before[CHILDREN].as_array().into_iter().flatten().collect()).unwrap_or_default();
        put_label(&mut choice, block[0].1);
        if block.len() > 1 {
            choice.insert(CHILDREN.to_owned(), read_level(&block[1..], level + 1, &below));
        } else {
            choice.shift_remove(CHILDREN);
        }
        Json::Object(choice)
    });
    choices.collect()
}

fn shown(choice: &Json) -> String {
    choice["label"].as_str().unwrap_or_default().replace(['\t', '\n', '\r'], " ").trim().to_owned()
}

/// A label with a character that no line can hold stays as long as its line does.
fn put_label(choice: &mut Map<String, Json>, typed: &str) {
    if choice.get("label").is_none() || shown(&Json::Object(choice.clone())) != typed {
        choice.insert("label".to_owned(), json!(typed));
    }
}

/// The line of a place among the choices, `choices[2].children[0].label`, counted from 1.
pub fn line_of(choices: &Json, path: &str) -> Option<usize> {
    let steps = path.split('[').skip(1).map(|step| step.split(']').next()?.parse::<usize>().ok());
    let (mut line, mut list) = (0, choices);
    for step in steps {
        let items = list.as_array()?;
        let step = step?;
        line += items.get(..step)?.iter().map(count).sum::<usize>() + 1;
        list = &items.get(step)?[CHILDREN];
    }
    (line > 0).then_some(line)
}

fn count(choice: &Json) -> usize {
    1 + choice[CHILDREN].as_array().into_iter().flatten().map(count).sum::<usize>()
}
