//! Formulas: a small language like that of spreadsheets, over a form's fields (contract section 5).
//!
//! `parse` makes a list of steps of the text, `check` finds out of which types they are, `eval`
//! takes them one by one. None of them calls itself, so that no nesting can use up the stack; texts and
//! steps are bounded (S48). `-2^2` is 4 and `2^3^2` is 64, as in spreadsheets; texts are equal whatever
//! their case and width, as in filters.

mod check;
mod eval;
mod number;
mod parse;
#[cfg(test)]
mod tests;

use crate::base::json::Json;
use crate::fields::dates;
use jiff::civil::DateTime;

pub use check::Reads;
pub use eval::Sources;
pub use number::Number;

/// The longest expression, in characters.
pub const MAX_LENGTH: usize = 2000;
/// How deep brackets and signs may stand in one another.
const MAX_LEVELS: usize = 64;
/// The longest text that comes out, in characters.
const MAX_TEXT: usize = 10_000;
/// How much work one formula may be: a step each, and one more for a hundred bytes of text.
const MAX_STEPS: usize = 10_000;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A number.
    Number,
    /// A text.
    Text,
    /// A day, maybe with a time.
    Date,
    /// Whether something holds.
    Truth,
    /// A text in the formula that names a day: a date where one is needed.
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

/// A value that a formula reads or makes; there is none where a field is blank.
#[derive(Clone, Debug)]
pub enum Value {
    /// A number.
    Number(Number),
    /// A text.
    Text(String),
    /// A moment on the form's wall clock.
    Date(Moment),
    /// Whether something holds.
    Truth(bool),
}

/// A moment and how exact it is, as the length of its text: 10 for a day.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    at: DateTime,
    length: usize,
}

impl Moment {
    /// Reads `YYYY-MM-DD` and its kin of other precisions.
    pub fn read(text: &str) -> Option<Self> {
        dates::precision_of(text)?;
        let at = format!("{text}{}", dates::FIRST.get(text.len()..)?);
        let at: DateTime = at.parse().ok()?;
        Some(Self {
            at,
            length: text.len(),
        })
    }

    fn text(self) -> String {
        let mut text = self.at.strftime("%Y-%m-%d %H:%M:%S").to_string();
        text.truncate(self.length);
        text
    }
}

impl Value {
    /// A stored value as a value of this type; none when it is another.
    pub fn of(wanted: Type, stored: &Json, text: impl FnOnce() -> String) -> Option<Self> {
        match wanted {
            Type::Number => Number::of(stored).map(Self::Number),
            Type::Text | Type::DateText => {
                Some(Self::Text(text())).filter(|value| !value.is_blank())
            }
            Type::Date => Moment::read(stored.as_str()?).map(Self::Date),
            Type::Truth => stored.as_bool().map(Self::Truth),
        }
    }

    fn is_blank(&self) -> bool {
        matches!(self, Self::Text(text) if text.is_empty())
    }

    /// For people: `0.3`, `2026-11-20`.
    fn text(&self) -> String {
        match self {
            Self::Number(number) => number.to_json().to_string(),
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

/// Operators between two values.
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

    /// How tight it binds.
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

/// The units of dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Day,
    Month,
    Year,
}

/// Functions.
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

/// Their names, and how many values they take at least and at most.
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

impl Function {
    /// The row of the table. Every function has one.
    fn row(self) -> (&'static str, usize, usize) {
        let row = FUNCTIONS.iter().find(|(_, function, ..)| *function == self);
        row.map_or(("?", 0, 0), |(name, _, least, most)| (*name, *least, *most))
    }
}

/// A formula with what must come out.
#[derive(Clone, Debug)]
pub struct Computed {
    /// How it is computed.
    pub formula: Formula,
    /// Number, text or date.
    pub result: Type,
    /// The decimals of a number.
    pub precision: Option<i64>,
}

/// One step of a formula: takes its operands off a stack and puts its value there.
#[derive(Clone, Debug)]
enum Step {
    Number(Number),
    Text(String),
    Field(String),
    /// The score of a field's value.
    Score(String),
    Negate,
    /// The sign `+`: a number, as it is.
    Keep,
    Binary(Binary),
    /// A function and how many values it takes here.
    Call(Function, usize),
    DateAdd(Unit),
    DateDiff(Unit),
}

/// A formula that was read.
#[derive(Clone, Debug, Default)]
pub struct Formula {
    steps: Vec<Step>,
}

impl Formula {
    /// Reads an expression.
    ///
    /// # Errors
    /// What is wrong with it, to be read after the attribute.
    pub fn read(text: &str) -> Result<Self, String> {
        parse::steps(text).map(|steps| Self { steps })
    }

    /// Whether there is nothing to compute: no text that can be read makes such a formula.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The fields that it names, each once.
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

    /// Whether it reads the score of an answer.
    pub fn reads_scores(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Score(_)))
    }
}
