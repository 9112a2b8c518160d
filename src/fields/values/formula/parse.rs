//! Compiles an expression into steps, operands before operators. Open brackets and pending operators are kept on a
//! stack of their own, so nothing here is recursive.

use crate::base::reason::Reason;
use crate::base::text::phrase::{Phrase, phrase};
use crate::fields::values::formula::{
    Binary, FUNCTIONS, Fault, Formula, Function, MAX_LENGTH, MAX_LEVELS, Number, Place, Step, Unit,
};

#[derive(Clone, Debug, PartialEq)]
enum Token<'t> {
    Number(&'t str),
    Text(String),
    Name(&'t str),
    /// A name followed by a bracket.
    Call(&'t str),
    Sign(Binary),
    Open,
    Close,
    Comma,
}

/// An operator, bracket or call that still lacks operands.
enum Waiting {
    Negate,
    Keep,
    Binary(Binary),
    Bracket,
    /// A function, and its number of commas so far.
    Call(Function, usize),
}

/// An expression as steps.
pub fn read(text: &str) -> Result<Formula, Fault> {
    let length = text.chars().count();
    if length > MAX_LENGTH {
        let at = Place { position: MAX_LENGTH, length: length - MAX_LENGTH };
        return Err(Fault { text: Reason::TooLong { most: MAX_LENGTH }.phrase(), at });
    }
    let mut parser = Parser::default();
    let mut rest = text.trim_start();
    let mut position = length - rest.chars().count();
    while !rest.is_empty() {
        let (token, after) = token(rest).map_err(|(text, length)| Fault { text, at: Place { position, length } })?;
        let after = after.trim_start();
        let taken = &rest[..rest.len() - after.len()];
        let shown = taken.trim_end();
        let named = if let Token::Call(name) = token { name } else { shown };
        parser.at = Place { position, length: named.chars().count() };
        parser.take(token, shown)?;
        position += taken.chars().count();
        rest = after;
    }
    parser.end()
}

/// The first token of a text, after blanks, and the rest; otherwise the fault, and its length in characters.
fn token(text: &str) -> Result<(Token<'_>, &str), (Phrase, usize)> {
    for (sign, binary) in SIGNS {
        if let Some(rest) = text.strip_prefix(sign) {
            return Ok((Token::Sign(*binary), rest));
        }
    }
    let first = text.chars().next().unwrap_or_default();
    let rest = &text[first.len_utf8()..];
    match first {
        '(' => Ok((Token::Open, rest)),
        ')' => Ok((Token::Close, rest)),
        ',' => Ok((Token::Comma, rest)),
        '"' => quoted(rest).map_err(|fault| (fault.into(), text.trim_end().chars().count())),
        '0'..='9' | '.' => {
            let end = number_end(text.as_bytes());
            Ok((Token::Number(&text[..end]), &text[end..]))
        }
        'a'..='z' | 'A'..='Z' | '_' => {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
            let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
            Ok(match text[end..].trim_start().strip_prefix('(') {
                Some(rest) => (Token::Call(&text[..end]), rest),
                None => (Token::Name(&text[..end]), &text[end..]),
            })
        }
        _ => Err((phrase!("has {}, which means nothing in a formula", format!("{first:?}")), 1)),
    }
}

/// Longer ones first.
const SIGNS: &[(&str, Binary)] = &[
    ("==", Binary::Equal),
    ("<=", Binary::AtMost),
    (">=", Binary::AtLeast),
    ("<>", Binary::Unequal),
    ("!=", Binary::Unequal),
    ("=", Binary::Equal),
    ("<", Binary::Less),
    (">", Binary::Greater),
    ("+", Binary::Plus),
    ("-", Binary::Minus),
    ("*", Binary::Times),
    ("/", Binary::Divide),
    ("%", Binary::Modulo),
    ("^", Binary::Power),
];

/// A text from after its opening quote; a quote inside is doubled.
fn quoted(mut rest: &str) -> Result<(Token<'_>, &str), &'static str> {
    let mut out = String::new();
    loop {
        let end = rest.find('"').ok_or("has a text without its closing quote")?;
        out.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(after) => {
                out.push('"');
                rest = after;
            }
            None => return Ok((Token::Text(out), rest)),
        }
    }
}

/// The end of a number such as `12.5e-3`.
fn number_end(text: &[u8]) -> usize {
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|b| b.is_ascii_digit()).count()
    };
    let mut end = digits(0);
    if text.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        let power = digits(end + 1 + sign);
        if power > end + 1 + sign {
            end = power;
        }
    }
    end
}

#[derive(Default)]
struct Parser {
    steps: Vec<(Step, Place)>,
    /// Each with its place.
    waiting: Vec<(Waiting, Place)>,
    /// The place of the token that is taken.
    at: Place,
    levels: usize,
    /// Whether a value precedes the next token, so that an operator may follow.
    has_value: bool,
}

impl Parser {
    fn take(&mut self, token: Token, shown: &str) -> Result<(), Fault> {
        let begins_value =
            matches!(token, Token::Number(_) | Token::Text(_) | Token::Name(_) | Token::Call(_) | Token::Open);
        if begins_value && self.has_value {
            return Err(self.fault(phrase!("needs an operator before {}", format!("{shown:?}"))));
        }
        match token {
            Token::Number(text) => {
                let number = Number::read(text)
                    .ok_or_else(|| self.fault(phrase!("has {}, which is not a number", format!("{text:?}"))))?;
                self.value(Step::Number(number));
            }
            Token::Text(text) => self.value(Step::Text(text)),
            Token::Name(name) => self.value(Step::Field(name.to_owned())),
            Token::Call(name) => {
                let found = FUNCTIONS.iter().find(|(known, ..)| known.eq_ignore_ascii_case(name));
                let Some((_, function, ..)) = found else {
                    return Err(self.fault(phrase!("names {}, which is not a function", format!("{name:?}"))));
                };
                self.wait(Waiting::Call(*function, 0))?;
            }
            Token::Open => self.wait(Waiting::Bracket)?,
            Token::Sign(Binary::Minus) if !self.has_value => self.wait(Waiting::Negate)?,
            Token::Sign(Binary::Plus) if !self.has_value => self.wait(Waiting::Keep)?,
            Token::Sign(_) if !self.has_value => return Err(self.misplaced(shown)),
            Token::Sign(sign) => {
                self.settle(sign.tightness());
                self.waiting.push((Waiting::Binary(sign), self.at));
                self.has_value = false;
            }
            Token::Comma => {
                self.settle(0);
                match self.waiting.last_mut() {
                    _ if !self.has_value => return Err(self.misplaced(shown)),
                    Some((Waiting::Call(_, commas), _)) => *commas += 1,
                    _ => return Err(self.fault("has a comma outside of a function")),
                }
                self.has_value = false;
            }
            Token::Close => self.close(shown)?,
        }
        Ok(())
    }

    fn value(&mut self, step: Step) {
        self.steps.push((step, self.at));
        self.has_value = true;
    }

    /// A fault at the token that is taken.
    fn fault(&self, text: impl Into<Phrase>) -> Fault {
        Fault { text: text.into(), at: self.at }
    }

    fn misplaced(&self, shown: &str) -> Fault {
        self.fault(phrase!("has {} where a value must stand", format!("{shown:?}")))
    }

    /// Opens a nesting; its contents follow.
    fn wait(&mut self, what: Waiting) -> Result<(), Fault> {
        self.levels += 1;
        if self.levels > MAX_LEVELS {
            return Err(self.fault(phrase!("is nested too deeply (at most {} levels)", MAX_LEVELS)));
        }
        self.waiting.push((what, self.at));
        Ok(())
    }

    /// Emits the pending operators that bind at least as tightly as this.
    fn settle(&mut self, tightness: u8) {
        while let Some((last, at)) = self.waiting.last() {
            let at = *at;
            let step = match last {
                Waiting::Negate => Step::Negate,
                Waiting::Keep => Step::Keep,
                Waiting::Binary(sign) if sign.tightness() >= tightness => Step::Binary(*sign),
                _ => return,
            };
            if !matches!(step, Step::Binary(_)) {
                self.levels -= 1;
            }
            self.steps.push((step, at));
            self.waiting.pop();
        }
    }

    fn close(&mut self, shown: &str) -> Result<(), Fault> {
        let is_empty_call = !self.has_value && matches!(self.waiting.last(), Some((Waiting::Call(_, 0), _)));
        if !self.has_value && !is_empty_call {
            return Err(self.misplaced(shown));
        }
        self.settle(0);
        match self.waiting.pop() {
            Some((Waiting::Bracket, _)) => {}
            Some((Waiting::Call(function, commas), at)) => {
                let values = if is_empty_call { 0 } else { commas + 1 };
                let step = self.call(function, values).map_err(|text| Fault { text, at })?;
                self.steps.push((step, at));
            }
            _ => return Err(self.fault("has a closing bracket without its opening one")),
        }
        self.levels -= 1;
        self.has_value = true;
        Ok(())
    }

    /// The step of a call whose arguments are complete.
    fn call(&mut self, function: Function, values: usize) -> Result<Step, Phrase> {
        let (name, least, most) = function.row();
        if values < least || values > most {
            return Err(match (least, most) {
                (least, most) if least == most => {
                    phrase!("gives {} {} values, but it takes {}", name, values, least)
                }
                (least, usize::MAX) => {
                    phrase!("gives {} {} values, but it needs {}", name, values, least)
                }
                (least, most) => {
                    phrase!("gives {} {} values, but it takes {} to {}", name, values, least, most)
                }
            });
        }
        Ok(match function {
            Function::Score => match self.steps.pop() {
                Some((Step::Field(code), _)) => Step::Score(code),
                _ => return Err(Phrase::plain("gives SCORE something that is not a field")),
            },
            Function::DateAdd => Step::DateAdd(self.unit(name)?),
            Function::DateDiff => Step::DateDiff(self.unit(name)?),
            function => Step::Call(function, values),
        })
    }

    /// The unit in the last argument of a call.
    fn unit(&mut self, name: &str) -> Result<Unit, Phrase> {
        let unit = match self.steps.pop() {
            Some((Step::Text(unit), _)) => match unit.to_ascii_lowercase().as_str() {
                "day" => Some(Unit::Day),
                "month" => Some(Unit::Month),
                "year" => Some(Unit::Year),
                _ => None,
            },
            _ => None,
        };
        unit.ok_or_else(|| phrase!("gives {} a unit that is not \"day\", \"month\" or \"year\"", name))
    }

    fn end(mut self) -> Result<Formula, Fault> {
        if !self.has_value {
            return Err(self.fault("ends where a value must follow"));
        }
        self.settle(0);
        if let Some((_, at)) = self.waiting.last() {
            return Err(Fault { text: Phrase::plain("has an opening bracket without its closing one"), at: *at });
        }
        let (steps, places) = self.steps.into_iter().unzip();
        Ok(Formula { steps, places })
    }
}
