//! Reads a pasted list of questions: a line is a question, lines that are indented or have a bullet are the choices of
//! the one before. Each question gets the kind that its words ask for.

pub mod columns;
mod inline;
mod marks;
mod order;
mod tables;

use serde_json::{Map, json};

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::text::fold;
use crate::fields::field::MAX_FIELDS;
use crate::fields::kind::{BuildCx, Kind, KindRow};
use crate::fields::kinds::KINDS;
use crate::fields::paste::marks::{without_fill, without_marks, without_marks_before};
use crate::fields::paste::order::{Line, Order};

/// Maximum choices that are read for one question.
const MOST_CHOICES: usize = 1_000;
/// Choices that let respondents write another one, folded.
const OTHERS: [&str; 5] = ["other", "others", "something else", "其他", "其它"];

/// A question that a list asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    pub label: String,
    pub kind: &'static KindRow,
    pub is_required: bool,
    pub choices: Vec<String>,
}

/// The outcome of reading a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// What stands above the questions as their title; empty if nothing does.
    pub title: String,
    pub proposals: Vec<Proposal>,
    /// Lines beyond the most questions of a form, and beyond the most choices of a question.
    pub left_out: Vec<String>,
}

/// Reads a list of questions.
pub fn read(text: &str) -> Reading {
    let table = tables::lines(text);
    let text = table.as_deref().unwrap_or(text).replace("**", "");
    let mut lines = order::lines(&text);
    // The header of a spreadsheet is one line: each of its cells is a question.
    if let [header] = lines.as_slice()
        && header.text.trim().contains('\t')
    {
        let cells = header.text.split('\t').map(str::trim).filter(|cell| !cell.is_empty());
        lines = cells.map(|text| Line { text, is_apart: false }).collect();
    }
    // A list that is indented as a whole is read without that.
    let margin = lines.iter().map(|line| indent(line.text)).min().unwrap_or(0);
    for line in &mut lines {
        line.text = &line.text[cut(line.text, margin)..];
    }
    let order = Order::of(&lines);
    let mut reading = Reading { title: order.title.clone(), ..Reading::default() };
    let mut drafts: Vec<Draft> = Vec::new();
    for (at, line) in lines.iter().enumerate().skip(order.begins) {
        let is_indented = indent(line.text) > 0;
        let line = line.text.trim();
        let bare = without_marks_before(line);
        let page = order.page(line);
        if bare.is_empty() && page.is_none() {
            continue;
        }
        let is_choice = page.is_none() && (is_indented || order.is_choice(at));
        let is_full = drafts.len() == MAX_FIELDS;
        match drafts.last_mut() {
            Some(draft) if is_choice && draft.sort == Sort::Question => {
                let choice = without_fill(bare).to_owned();
                if draft.choices.len() < MOST_CHOICES {
                    draft.choices.push(choice);
                } else {
                    reading.left_out.push(choice);
                }
            }
            _ if is_full => reading.left_out.push(line.to_owned()),
            _ => drafts.push(match page {
                Some(line) => Draft { line, sort: Sort::Page, choices: Vec::new() },
                None if order.is_intro(at) => Draft { line: line.to_owned(), sort: Sort::Text, choices: Vec::new() },
                None => Draft { line: bare.to_owned(), sort: Sort::Question, choices: Vec::new() },
            }),
        }
    }
    reading.proposals = drafts.into_iter().map(Draft::proposed).collect();
    reading
}

/// What a line that is no choice begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Question,
    Page,
    /// A text that respondents read.
    Text,
}

/// A question while its lines are read.
struct Draft {
    line: String,
    sort: Sort,
    choices: Vec<String>,
}

impl Draft {
    fn proposed(self) -> Proposal {
        let other = match self.sort {
            Sort::Question => None,
            Sort::Page => Some(page_row()),
            Sort::Text => Some(text_row()),
        };
        if let Some(kind) = other {
            return Proposal { label: self.line, kind, is_required: false, choices: Vec::new() };
        }
        let (mut label, is_required, hint) = without_marks(&self.line);
        let mut choices = self.choices;
        let own = inline::split(&label).filter(|_| choices.is_empty() && hint.is_none_or(takes_choices));
        if let Some((rest, own)) = own {
            (label, choices) = (without_fill(rest).to_owned(), own);
        }
        let has_choices = !choices.is_empty();
        let kind = hint.or_else(|| asked_by(&label, has_choices)).filter(|row| !has_choices || takes_lines(row));
        let kind = kind.unwrap_or_else(|| plain_row(has_choices));
        // The label of a single tick would repeat its question.
        let choices = match choices {
            choices if choices.is_empty() && takes_choices(kind) => vec![label.clone()],
            choices => choices,
        };
        Proposal { label, kind, is_required, choices }
    }
}

/// A line as a question.
pub fn question(line: &str) -> Proposal {
    Draft { line: line.to_owned(), sort: Sort::Question, choices: Vec::new() }.proposed()
}

/// The kinds that a question can be, best fits first.
pub fn kinds_for(proposal: &Proposal) -> Vec<&'static KindRow> {
    let has_choices = !proposal.choices.is_empty();
    let fits = |row: &&'static KindRow| is_page(row) || is_plain(row) || *row == proposal.kind && !takes_choices(row);
    let mut rows: Vec<&'static KindRow> = KINDS.iter().copied().filter(fits).collect();
    if has_choices {
        let choosing = KINDS.iter().copied().filter(|row| takes_choices(row));
        rows = choosing.chain(rows).collect();
    }
    if let Some(at) = rows.iter().position(|row| *row == proposal.kind) {
        let chosen = rows.remove(at);
        rows.insert(0, chosen);
    }
    rows
}

/// The definition of a question in the API's shape. A kind that needs more than a list tells is without it.
pub fn to_definition(proposal: &Proposal) -> Json {
    let mut own = Map::new();
    if takes_choices(proposal.kind) {
        own.insert("choices".to_owned(), choices(proposal, true));
        if !faults(proposal.kind, &own).is_empty() {
            own.insert("choices".to_owned(), choices(proposal, false));
        }
    }
    match grid_key(proposal.kind) {
        Some(STATEMENTS) if !proposal.choices.is_empty() => {
            own.insert(STATEMENTS.to_owned(), choices(proposal, false));
        }
        Some(key) if !proposal.choices.is_empty() => {
            own.insert(key.to_owned(), proposal.choices.iter().map(|line| column(line)).collect());
        }
        _ => {}
    }
    if let Some(most) = range_end(&proposal.label) {
        let mut with = own.clone();
        with.insert(MOST.to_owned(), json!(most));
        if reads(proposal.kind, &with, MOST) {
            own = with;
        }
    }
    own.insert("type".to_owned(), json!(proposal.kind.name));
    own.insert("label".to_owned(), json!(proposal.label));
    if proposal.is_required {
        own.insert("required".to_owned(), json!(true));
    }
    Json::Object(own)
}

/// The key of the rows of a grid.
const STATEMENTS: &str = "statements";
/// The key of the columns of one.
const COLUMNS: &str = "dimensions";

/// The key that the lines below a question of a grid are for; `None` for other kinds.
fn grid_key(row: &'static KindRow) -> Option<&'static str> {
    let missing = faults(row, &Map::new());
    [STATEMENTS, COLUMNS].into_iter().find(|key| missing.iter().any(|known| known == key))
}

/// Whether lines below a question of this kind say what it consists of.
fn takes_lines(row: &'static KindRow) -> bool {
    takes_choices(row) || grid_key(row).is_some()
}

/// A line as a column of a table: a question of a kind that cells can be of.
fn column(line: &str) -> Json {
    let (label, is_required, hint) = without_marks(line);
    let kind = hint.or_else(|| asked_by(&label, false)).filter(|row| row.facets.in_cells && is_plain(row));
    let mut column = json!({"type": kind.unwrap_or_else(|| plain_row(false)).name, "label": label});
    if is_required {
        column["required"] = json!(true);
    }
    column
}

/// The key of the highest score.
const MOST: &str = "rating_max";

fn choices(proposal: &Proposal, knows_other: bool) -> Json {
    let mut has_other = !knows_other;
    let choices = proposal.choices.iter().map(|label| {
        let mut choice = json!({"label": label});
        if !has_other && is_other(label) {
            has_other = true;
            choice["is_other"] = json!(true);
        }
        choice
    });
    choices.collect()
}

fn is_other(label: &str) -> bool {
    let folded = fold(label);
    let folded = folded.split('(').next().unwrap_or_default();
    OTHERS.contains(&folded.trim_matches([' ', ':', '…', '.', ',', '_']))
}

/// The faults of own keys of a definition.
fn faults(row: &'static KindRow, own: &Map<String, Json>) -> Vec<String> {
    let mut at = Issues::new();
    built(row, own, &mut at);
    at.into_list().into_iter().map(|issue| issue.attribute).collect()
}

fn built(row: &'static KindRow, own: &Map<String, Json>, at: &mut Issues) -> Box<dyn Kind> {
    let cx = BuildCx { kinds: KINDS, ..BuildCx::default() };
    (row.build)(&mut Reader::new(Json::Object(own.clone()), at), &cx)
}

/// Whether a kind has this key, with this value.
fn reads(row: &'static KindRow, own: &Map<String, Json>, key: &str) -> bool {
    let mut at = Issues::new();
    let cx = BuildCx { kinds: KINDS, ..BuildCx::default() };
    let mut reader = Reader::new(Json::Object(own.clone()), &mut at);
    let _ = (row.build)(&mut reader, &cx);
    let is_left = reader.keys().any(|left| left == key);
    !is_left && at.is_empty()
}

/// Whether a question of this kind needs no more than a label.
fn is_plain(row: &'static KindRow) -> bool {
    let mut at = Issues::new();
    let kind = built(row, &Map::new(), &mut at);
    at.is_empty() && kind.has_value()
}

fn is_page(row: &'static KindRow) -> bool {
    built(row, &Map::new(), &mut Issues::new()).page_break().is_some()
}

/// Whether a question of this kind needs a list of choices, and no more.
fn takes_choices(row: &'static KindRow) -> bool {
    let mut own = Map::new();
    let without = faults(row, &own);
    own.insert("choices".to_owned(), json!([{"label": "a"}]));
    without == ["choices"] && faults(row, &own).is_empty()
}

/// The first kind of its sort.
fn plain_row(has_choices: bool) -> &'static KindRow {
    let fits = |row: &&&'static KindRow| if has_choices { takes_choices(row) } else { is_plain(row) };
    KINDS.iter().find(fits).copied().unwrap_or(KINDS[0])
}

/// The kind of texts between questions.
fn text_row() -> &'static KindRow {
    let is_text = |row: &&&'static KindRow| {
        let kind = built(row, &Map::new(), &mut Issues::new());
        !kind.has_value() && kind.page_break().is_none()
    };
    KINDS.iter().find(is_text).copied().unwrap_or(KINDS[0])
}

fn page_row() -> &'static KindRow {
    KINDS.iter().find(|row| is_page(row)).copied().unwrap_or(KINDS[0])
}

/// The kind that a label asks for.
pub fn kind_asked_by(label: &str) -> Option<&'static KindRow> {
    asked_by(label, false)
}

/// The kind that the words of a label ask for: the one with the longest of them.
fn asked_by(label: &str, has_choices: bool) -> Option<&'static KindRow> {
    let folded = fold(label);
    let mut best: Option<(usize, &'static KindRow)> = None;
    // A mark alone asks for a kind that needs more than choices.
    for row in KINDS.iter().copied().filter(|row| takes_choices(row) || !has_choices && is_plain(row)) {
        let words = row.facets.asked_by.iter().filter(|words| has_choices || !words.starts_with('+'));
        let words = words.map(|words| words.trim_start_matches('+'));
        let longest = words.filter(|words| says(&folded, words)).map(str::len).max();
        if let Some(length) = longest
            && best.is_none_or(|(known, _)| length > known)
        {
            best = Some((length, row));
        }
    }
    best.map(|(_, row)| row)
}

/// Whether a folded label contains these words. Latin words must be whole words, Chinese ones may be anywhere; after
/// `=` they are all of it.
fn says(label: &str, words: &str) -> bool {
    if let Some(whole) = words.strip_prefix('=') {
        return label.trim_matches([' ', '?', ':', '.', '!']) == whole;
    }
    let is_latin = |c: char| c.is_ascii_alphanumeric();
    let stands_alone = words.starts_with(is_latin);
    label.match_indices(words).any(|(at, found)| {
        let rest = &label[at + found.len()..];
        let rest = rest.strip_prefix('s').unwrap_or(rest);
        !stands_alone || (!label[..at].ends_with(is_latin) && !rest.starts_with(is_latin))
    })
}

/// The bytes of white space before a line's text.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// `margin`, or less where a line's white space has no character that ends there.
fn cut(line: &str, margin: usize) -> usize {
    (0..=margin).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0)
}

/// The end of a range from 1 that a label names: 10 for `1–10`.
fn range_end(label: &str) -> Option<u32> {
    let folded = fold(label);
    let ranges = ["1–", "1-", "1—", "1~", "1 to ", "1到", "1至"];
    ranges.iter().find_map(|start| {
        let (before, after) = folded.split_once(start)?;
        let digits: String = after.trim_start().chars().take_while(char::is_ascii_digit).collect();
        let is_alone = !before.ends_with(|c: char| c.is_ascii_digit());
        digits.parse().ok().filter(|end| is_alone && (2..=10).contains(end))
    })
}

#[cfg(test)]
mod tests;
