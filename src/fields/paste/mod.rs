//! Reads a pasted list of questions: a line is a question, lines that are indented or have a bullet are the choices of
//! the one before. Each question gets the kind that its words ask for.

pub mod columns;

use serde_json::{Map, json};

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::text::fold;
use crate::fields::field::MAX_FIELDS;
use crate::fields::kind::{BuildCx, Kind, KindRow};
use crate::fields::kinds::KINDS;

/// Maximum choices that are read for one question.
const MOST_CHOICES: usize = 1_000;
/// Ends of a line that make its question required.
const REQUIRED: [&str; 10] =
    ["*", "＊", "(required)", "[required]", "（required）", "(必填)", "（必填）", "[必填]", "【必填】", "(必须)"];
/// Ends of a line that state the default.
const OPTIONAL: [&str; 6] = ["(optional)", "[optional]", "(选填)", "（选填）", "(可选)", "（可选）"];
/// Choices that let respondents write another one, folded.
const OTHERS: [&str; 5] = ["other", "others", "something else", "其他", "其它"];
/// Signs before a choice.
const BULLETS: [&str; 17] = ["-", "*", "•", "·", "–", "—", "○", "◯", "●", "□", "☐", "◦", "▪", "[ ]", "[]", "( )", "()"];
/// Starts of a line that begins a page, folded. Folding makes a full-width colon an ordinary one.
const PAGES: [&str; 4] = ["page:", "页:", "分页:", "页面:"];

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
    pub proposals: Vec<Proposal>,
    /// Lines beyond the most questions of a form, and beyond the most choices of a question.
    pub left_out: Vec<String>,
}

/// Reads a list of questions.
pub fn read(text: &str) -> Reading {
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()).collect();
    // The header of a spreadsheet is one line: each of its cells is a question.
    let lines: Vec<&str> = match lines.as_slice() {
        [header] if header.trim().contains('\t') => {
            header.split('\t').map(str::trim).filter(|cell| !cell.is_empty()).collect()
        }
        _ => lines,
    };
    // A list that is indented as a whole, or has a bullet before each question, is read without them.
    let margin = lines.iter().map(|line| indent(line)).min().unwrap_or(0);
    let lines: Vec<&str> = lines.iter().map(|line| &line[cut(line, margin)..]).collect();
    let questions_have_bullets = lines.first().is_some_and(|line| without_bullet(line).is_some());
    let mut reading = Reading::default();
    let mut drafts: Vec<Draft> = Vec::new();
    for line in lines {
        let is_indented = indent(line) > 0;
        let line = line.trim();
        let bare = without_bullet(line).unwrap_or(line);
        let has_bullet = bare.len() < line.len();
        let is_choice = is_indented || (has_bullet && !questions_have_bullets);
        let page = page(line);
        if bare.is_empty() && page.is_none() {
            continue;
        }
        let is_full = drafts.len() == MAX_FIELDS;
        match drafts.last_mut() {
            Some(draft) if page.is_none() && is_choice && !draft.is_page => {
                if draft.choices.len() < MOST_CHOICES {
                    draft.choices.push(bare.to_owned());
                } else {
                    reading.left_out.push(bare.to_owned());
                }
            }
            _ if is_full => reading.left_out.push(line.to_owned()),
            _ => drafts.push(match page {
                Some(title) => Draft { line: title, is_page: true, choices: Vec::new() },
                None => Draft { line: without_number(bare).to_owned(), is_page: false, choices: Vec::new() },
            }),
        }
    }
    reading.proposals = drafts.into_iter().map(Draft::proposed).collect();
    reading
}

/// A question while its lines are read.
struct Draft {
    line: String,
    is_page: bool,
    choices: Vec<String>,
}

impl Draft {
    fn proposed(self) -> Proposal {
        if self.is_page {
            return Proposal { label: self.line, kind: page_row(), is_required: false, choices: Vec::new() };
        }
        let (label, is_required, hint) = without_marks(&self.line);
        let has_choices = !self.choices.is_empty();
        let kind = hint.or_else(|| asked_by(&label, has_choices)).filter(|row| !has_choices || takes_lines(row));
        let kind = kind.unwrap_or_else(|| plain_row(has_choices));
        // The label of a single tick would repeat its question.
        let choices = match self.choices {
            choices if choices.is_empty() && takes_choices(kind) => vec![label.clone()],
            choices => choices,
        };
        Proposal { label, kind, is_required, choices }
    }
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

/// A line without the marks at its end: the label, whether it is required, and the kind that a mark names.
fn without_marks(line: &str) -> (String, bool, Option<&'static KindRow>) {
    let (mut label, mut is_required, mut hint) = (line.trim(), false, None);
    loop {
        let before = label;
        for (marks, requires) in [(&REQUIRED[..], true), (&OPTIONAL[..], false)] {
            if let Some(shorter) = marks.iter().find_map(|mark| without_end(label, mark)) {
                is_required |= requires;
                label = shorter;
            }
        }
        if hint.is_none()
            && let Some((shorter, inner)) = bracketed(label)
            && let Some(row) = named(inner)
        {
            hint = Some(row);
            label = shorter;
        }
        if label == before {
            return (label.to_owned(), is_required, hint);
        }
    }
}

/// The text before a mark, whatever its case; `None` if nothing would be left.
fn without_end<'t>(text: &'t str, mark: &str) -> Option<&'t str> {
    let at = text.len().checked_sub(mark.len())?;
    let end = text.get(at..)?;
    let rest = text[..at].trim_end();
    (end.eq_ignore_ascii_case(mark) && !rest.is_empty()).then_some(rest)
}

/// A text in brackets at the end, and the text before it.
fn bracketed(label: &str) -> Option<(&str, &str)> {
    let inner = label.strip_suffix([')', '）'])?;
    let open = inner.rfind(['(', '（'])?;
    let rest = inner[..open].trim_end();
    let inner = inner[open..].trim_start_matches(['(', '（']);
    (!rest.is_empty()).then_some((rest, inner))
}

/// The kind that a mark names.
fn named(mark: &str) -> Option<&'static KindRow> {
    let folded = fold(mark.trim());
    let name = folded.replace([' ', '-'], "_");
    KINDS.iter().copied().find(|row| {
        let mut words = row.facets.asked_by.iter().map(|words| words.trim_start_matches('='));
        row.name == name || words.any(|words| words == folded)
    })
}

/// The title of the page that a line begins; empty if it has none.
fn page(line: &str) -> Option<String> {
    let is_rule = line.chars().count() >= 3 && line.chars().all(|c| "-—–_=*".contains(c));
    if is_rule {
        return Some(String::new());
    }
    let (start, title) = line.split_once([':', '：'])?;
    PAGES.contains(&fold(&format!("{start}:")).as_str()).then(|| title.trim().to_owned())
}

/// A line without the bullet or letter before a choice; `None` if it has neither.
fn without_bullet(line: &str) -> Option<&str> {
    let rest = line.trim_start();
    for bullet in BULLETS {
        if let Some(after) = rest.strip_prefix(bullet) {
            // A hyphen that belongs to a word or a number is none.
            let needs_space = bullet.is_ascii() && bullet.len() == 1;
            if !needs_space || after.is_empty() || after.starts_with(char::is_whitespace) {
                return Some(after.trim_start());
            }
        }
    }
    let end = rest.find([')', '）', '.', '、', '．'])?;
    let (mark, after) = rest.split_at(end);
    let sign = after.chars().next()?;
    let after = &after[sign.len_utf8()..];
    let is_letter = mark.chars().count() == 1 && mark.chars().all(|c| c.is_ascii_alphabetic());
    let is_number = !mark.is_empty() && mark.len() <= 3 && mark.chars().all(|c| c.is_ascii_digit());
    let is_spaced = !sign.is_ascii() || after.starts_with(char::is_whitespace);
    let is_mark = (is_letter && is_spaced) || (is_number && matches!(sign, ')' | '）') && is_spaced);
    is_mark.then(|| after.trim_start())
}

/// A question without its number: `1. Name`, `1、姓名`.
fn without_number(line: &str) -> &str {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = line.len() - rest.len();
    if digits == 0 || digits > 3 {
        return line;
    }
    let after = rest.strip_prefix('、').or_else(|| rest.strip_prefix('.').filter(|rest| rest.starts_with(' ')));
    match after.map(str::trim_start) {
        Some(label) if !label.is_empty() => label,
        _ => line,
    }
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
