//! Formulas: a small language like that of spreadsheets, over a form's fields (contract section 5).
//!
//! `parse` compiles the text into a list of steps, `check` checks their types, `eval` runs them. None of them is
//! recursive, so nesting can't overflow the stack; texts and steps are bounded (S48). `-2^2` is 4 and `2^3^2` is 64, as
//! in spreadsheets; texts are compared without case and width, as in filters.

mod check;
mod eval;
mod number;
mod parse;
#[cfg(test)]
mod tests;

use crate::base::json::{Json, digits};
use crate::base::reason::Reason;
use crate::base::text::phrase::Phrase;
use crate::fields::display::dates;
use jiff::civil::DateTime;

pub use check::Reads;
pub use eval::Sources;
pub use number::Number;

/// Maximum length of an expression, in characters.
pub const MAX_LENGTH: usize = 2000;
/// Maximum nesting of brackets and signs.
const MAX_LEVELS: usize = 64;
/// Maximum length of a text result, in characters.
const MAX_TEXT: usize = 10_000;
/// Maximum work of one formula: one for each step, and one more for each hundred bytes of text.
const MAX_STEPS: usize = 10_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Number,
    Text,
    /// A day, possibly with a time.
    Date,
    /// A boolean.
    Truth,
    /// A text literal that names a day: used as a date where one is needed.
    DateText,
}

impl Type {
    const fn name(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Text | Self::DateText => "a text",
            Self::Date => "a date",
            Self::Truth => "a condition",
        }
    }
}

/// A value that a formula reads or computes; blank ones are `None`.
#[derive(Clone, Debug)]
pub enum Value {
    Number(Number),
    Text(String),
    /// A point in time on the form's wall clock.
    Date(Moment),
    /// A boolean.
    Truth(bool),
}

/// A point in time and its precision, as the length of its text: 10 for a day.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    at: DateTime,
    length: usize,
}

impl Moment {
    /// Parses `YYYY-MM-DD` and the other precisions of dates.
    pub fn read(text: &str) -> Option<Self> {
        dates::precision_of(text)?;
        let at = format!("{text}{}", dates::FIRST.get(text.len()..)?);
        let at: DateTime = at.parse().ok()?;
        Some(Self { at, length: text.len() })
    }

    fn text(self) -> String {
        let mut text = self.at.strftime("%Y-%m-%d %H:%M:%S").to_string();
        text.truncate(self.length);
        text
    }
}

impl Value {
    /// A stored value as a value of this type; `None` if it has another.
    pub fn of(wanted: Type, stored: &Json, text: impl FnOnce() -> String) -> Option<Self> {
        match wanted {
            Type::Number => Number::of(stored).map(Self::Number),
            Type::Text | Type::DateText => Some(Self::Text(text())).filter(|value| !value.is_blank()),
            Type::Date => Moment::read(stored.as_str()?).map(Self::Date),
            Type::Truth => stored.as_bool().map(Self::Truth),
        }
    }

    fn is_blank(&self) -> bool {
        matches!(self, Self::Text(text) if text.is_empty())
    }

    /// The value for people: `0.3`, `2026-11-20`.
    pub fn text(&self) -> String {
        match self {
            Self::Number(number) => digits::plain(&number.to_json().to_string()).into_owned(),
            Self::Text(text) => text.clone(),
            Self::Date(moment) => moment.text(),
            Self::Truth(truth) => truth.to_string(),
        }
    }

    fn moment(self) -> Option<Moment> {
        match self {
            Self::Date(moment) => Some(moment),
            Self::Text(text) => Moment::read(&text),
            _ => None,
        }
    }
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
    /// `/`
    Divide,
    /// `%`
    Modulo,
    /// `^`
    Power,
    /// `=`, `==`
    Equal,
    /// `<>`, `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Binary {
    const fn name(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Times => "*",
            Self::Divide => "/",
            Self::Modulo => "%",
            Self::Power => "^",
            Self::Equal => "=",
            Self::Unequal => "<>",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
        }
    }

    /// The precedence: higher binds tighter.
    const fn tightness(self) -> u8 {
        match self {
            Self::Plus | Self::Minus => 2,
            Self::Times | Self::Divide | Self::Modulo => 3,
            Self::Power => 4,
            _ => 1,
        }
    }

    const fn compares(self) -> bool {
        self.tightness() == 1
    }
}

/// Units of date arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Day,
    Month,
    Year,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    If,
    And,
    Or,
    Not,
    Sum,
    Min,
    Max,
    Average,
    Round,
    Abs,
    Concat,
    Len,
    Upper,
    Lower,
    DateAdd,
    DateDiff,
    Today,
    Score,
}

/// Names, and the least and greatest number of arguments.
#[rustfmt::skip] // A table is read by columns.
const FUNCTIONS: &[(&str, Function, usize, usize)] = &[
    ("IF",        Function::If,       2, 3),
    ("AND",       Function::And,      1, usize::MAX),
    ("OR",        Function::Or,       1, usize::MAX),
    ("NOT",       Function::Not,      1, 1),
    ("SUM",       Function::Sum,      1, usize::MAX),
    ("MIN",       Function::Min,      1, usize::MAX),
    ("MAX",       Function::Max,      1, usize::MAX),
    ("AVERAGE",   Function::Average,  1, usize::MAX),
    ("ROUND",     Function::Round,    1, 2),
    ("ABS",       Function::Abs,      1, 1),
    ("CONCAT",    Function::Concat,   1, usize::MAX),
    ("LEN",       Function::Len,      1, 1),
    ("UPPER",     Function::Upper,    1, 1),
    ("LOWER",     Function::Lower,    1, 1),
    ("DATE_ADD",  Function::DateAdd,  3, 3),
    ("DATE_DIFF", Function::DateDiff, 3, 3),
    ("TODAY",     Function::Today,    0, 0),
    ("SCORE",     Function::Score,    1, 1),
];

/// The names of all functions.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|(name, ..)| *name)
}

impl Function {
    /// The function's row of the table. Every function has one.
    fn row(self) -> (&'static str, usize, usize) {
        let row = FUNCTIONS.iter().find(|(_, function, ..)| *function == self);
        row.map_or(("?", 0, 0), |(name, _, least, most)| (*name, *least, *most))
    }
}

/// A formula with the type of its result.
#[derive(Clone, Debug)]
pub struct Computed {
    pub formula: Formula,
    /// Number, text or date.
    pub result: Type,
    /// Decimals of a numeric result.
    pub precision: Option<i64>,
}

/// One step of a formula: pops its operands off a stack and pushes its result.
#[derive(Clone, Debug)]
enum Step {
    Number(Number),
    Text(String),
    Field(String),
    /// The score of a field's value.
    Score(String),
    Negate,
    /// Unary `+`: requires a number and keeps it.
    Keep,
    Binary(Binary),
    /// A function and its number of arguments in this call.
    Call(Function, usize),
    DateAdd(Unit),
    DateDiff(Unit),
}

/// A part of an expression, in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub position: usize,
    pub length: usize,
}

/// A fault of an expression, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The words, to follow the attribute's name.
    pub text: Phrase,
    pub at: Place,
}

impl From<Fault> for Reason {
    fn from(fault: Fault) -> Self {
        Self::InFormula { text: fault.text, position: fault.at.position, length: fault.at.length }
    }
}

/// A compiled formula.
#[derive(Clone, Debug, Default)]
pub struct Formula {
    steps: Vec<Step>,
    /// The place of each step in the expression.
    places: Vec<Place>,
}

impl Formula {
    /// Compiles an expression.
    pub fn read(text: &str) -> Result<Self, Fault> {
        parse::read(text)
    }

    /// From the first step to the last.
    fn whole(&self) -> Place {
        let from = self.places.iter().map(|at| at.position).min().unwrap_or_default();
        let end = self.places.iter().map(|at| at.position + at.length).max().unwrap_or_default();
        Place { position: from, length: end - from }
    }

    /// The place where a field is first read.
    pub fn place_of(&self, code: &str) -> Option<Place> {
        let reads = |step: &Step| matches!(step, Step::Field(read) | Step::Score(read) if read == code);
        let found = self.steps.iter().zip(&self.places).filter(|(step, _)| reads(step)).map(|(_, at)| *at);
        found.min_by_key(|at| at.position)
    }

    /// Whether there is nothing to compute. No valid expression gives such a formula.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The fields that it refers to, each once.
    pub fn fields(&self) -> Vec<&str> {
        let mut out = Vec::new();
        for step in &self.steps {
            if let Step::Field(code) | Step::Score(code) = step
                && !out.contains(&code.as_str())
            {
                out.push(code.as_str());
            }
        }
        out
    }

    /// Whether the formula depends on the day on which it is computed.
    pub fn uses_today(&self) -> bool {
        let is_today = |step: &Step| matches!(step, Step::Call(Function::Today, _));
        self.steps.iter().any(is_today)
    }

    /// Whether the formula uses the score of an answer.
    pub fn reads_scores(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Score(_)))
    }
}
