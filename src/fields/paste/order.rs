//! How a list is ordered: whether a title stands above it, and which of its lines are questions and which are choices.

use crate::fields::paste::asked_by;
use crate::fields::paste::marks::{Mark, heading, mark_of, page, without_marks, without_marks_before};

/// The longest title, in characters.
const LONGEST_TITLE: usize = 120;

/// A line with words.
#[derive(Clone, Copy, Debug)]
pub struct Line<'t> {
    pub text: &'t str,
    /// Whether an empty line stands before it.
    pub is_apart: bool,
}

impl Line<'_> {
    fn is_indented(&self) -> bool {
        self.text.starts_with(char::is_whitespace)
    }
}

/// The lines of a text.
pub fn lines(text: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut is_apart = false;
    for text in text.lines().map(str::trim_end) {
        if text.trim().is_empty() {
            is_apart = true;
        } else {
            lines.push(Line { text, is_apart });
            is_apart = false;
        }
    }
    lines
}

pub struct Order {
    /// Empty without one.
    pub title: String,
    /// The place of the first line behind the title.
    pub begins: usize,
    /// The mark of the questions; without it those are numbered, or have none.
    lead: Option<Mark>,
    /// Whether numbers stand before choices.
    numbers_choices: bool,
    /// Whether Chinese numerals stand before the titles of pages.
    has_ordinal_pages: bool,
    /// The place of the first numbered question below a title.
    first_number: Option<usize>,
    /// The mark of each line that is not indented.
    marks: Vec<Option<Mark>>,
    /// Which lines are choices though they have none.
    bare_choices: Vec<bool>,
}

impl Order {
    pub fn of(lines: &[Line]) -> Self {
        let found: Vec<Option<(Mark, u32)>> = lines
            .iter()
            .map(|line| Some(line).filter(|line| !line.is_indented()).and_then(|line| mark_of(line.text)))
            .map(|found| found.map(|(mark, number, _)| (mark, number)))
            .collect();
        let has = |mark: Mark, number: u32| found.contains(&Some((mark, number)));
        let mark_at = |at: usize| found.get(at).copied().flatten().map(|(mark, _)| mark);
        // Numbers that begin anew below each question are those of its choices.
        let begins_anew =
            |at: &usize| found[*at] == Some((Mark::Number, 1)) && *at > 0 && mark_at(at - 1) != Some(Mark::Number);
        let numbers_choices = mark_at(0) != Some(Mark::Number)
            && !has(Mark::Ordinal, 1)
            && (0..lines.len()).filter(begins_anew).count() > 1;
        let is_numbered =
            !numbers_choices && [Mark::Number, Mark::Ordinal].iter().any(|mark| has(*mark, 1) && has(*mark, 2));
        let title = title_of(lines, &found, is_numbered);
        let begins = usize::from(title.is_some());
        let has_ordinal_pages = has(Mark::Ordinal, 1) && has(Mark::Number, 1);
        let first = (begins..lines.len()).find(|at| page(lines[*at].text.trim()).is_none());
        let lead = first.and_then(mark_at).filter(|lead| !(has_ordinal_pages && *lead == Mark::Ordinal));
        let is_first = |at: &usize| matches!(found[*at], Some((Mark::Number | Mark::Ordinal, 1)));
        let first_number = (begins..lines.len()).find(is_first).filter(|_| is_numbered && begins > 0);
        let marks = found.iter().map(|found| found.map(|(mark, _)| mark)).collect();
        let mut order = Self {
            title: title.unwrap_or_default(),
            begins,
            lead,
            numbers_choices,
            has_ordinal_pages,
            first_number,
            marks,
            bare_choices: vec![false; lines.len()],
        };
        order.find_bare_choices(lines);
        order
    }

    /// Two lines or more without a mark, right below a question that has one, are its choices.
    fn find_bare_choices(&mut self, lines: &[Line]) {
        let is_bare = |at: usize| {
            let text = lines[at].text;
            let is_asking = text.trim_end_matches(['*', ' ']).ends_with(['?', '？', ':', '：']);
            let is_plain = self.marks[at].is_none() && !lines[at].is_indented() && !lines[at].is_apart;
            is_plain && !is_asking && self.page(text).is_none()
        };
        let mut found = Vec::new();
        for at in self.begins..lines.len() {
            if self.marks[at].is_none_or(|mark| mark == Mark::Bullet) || self.is_choice(at) {
                continue;
            }
            let count = (at + 1..lines.len()).take_while(|next| is_bare(*next)).count();
            if count > 1 {
                found.extend(at + 1..=at + count);
            }
        }
        for at in found {
            self.bare_choices[at] = true;
        }
    }

    /// Whether a line that is not indented is a choice of the question above.
    pub fn is_choice(&self, at: usize) -> bool {
        let Some(mark) = self.marks[at] else { return self.bare_choices[at] };
        match (self.lead, mark) {
            (Some(lead), _) => mark != lead,
            (None, Mark::Number) => self.numbers_choices,
            (None, Mark::Ordinal) => false,
            (None, _) => true,
        }
    }

    /// Whether a line stands between the title and the first of the numbered questions.
    pub fn is_intro(&self, at: usize) -> bool {
        self.first_number.is_some_and(|first| at < first) && self.marks[at].is_none()
    }

    /// The title of the page that a line begins.
    pub fn page(&self, line: &str) -> Option<String> {
        let ordinal = mark_of(line).filter(|(mark, ..)| self.has_ordinal_pages && *mark == Mark::Ordinal);
        ordinal.map(|(_, _, title)| title.to_owned()).or_else(|| page(line))
    }
}

/// The first line, if it names what the others ask.
fn title_of(lines: &[Line], found: &[Option<(Mark, u32)>], is_numbered: bool) -> Option<String> {
    let [first, second, ..] = lines else { return None };
    let text = first.text.trim();
    if let Some(heading) = heading(text) {
        return Some(heading.to_owned());
    }
    let (label, is_required, hint) = without_marks(text);
    let is_asking = label != text || is_required || hint.is_some() || text.ends_with(['?', '？']);
    let is_long = text.chars().count() > LONGEST_TITLE;
    if is_asking || is_long || found[0].is_some() || page(text).is_some() || first.is_indented() || second.is_indented()
    {
        return None;
    }
    let is_first = matches!(found[1], Some((Mark::Number | Mark::Ordinal, 1)));
    if is_numbered && (second.is_apart || is_first) {
        return Some(text.to_owned());
    }
    if !second.is_apart || asked_by(text, false).is_some() {
        return None;
    }
    let is_item = |at: usize| lines[at].is_indented() || found[at].is_some();
    let rest = 2..lines.len();
    let names = if found[1].is_some() {
        // They are questions where one of them asks for something.
        let asks = |line: &Line| {
            let (label, is_required, hint) = without_marks(without_marks_before(line.text));
            is_required || hint.is_some() || label.ends_with(['?', '？']) || asked_by(&label, false).is_some()
        };
        rest.clone().all(is_item) && lines[1..].iter().filter(|line| !line.is_indented()).any(asks)
    } else {
        // Where an empty line stands before each question, one says nothing about the first line.
        let are_together = rest.clone().any(|at| !lines[at].is_apart && !is_item(at));
        are_together || rest.filter(|at| is_item(*at) && !is_item(at - 1)).count() > 1
    };
    names.then(|| text.to_owned())
}
