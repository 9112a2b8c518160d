//! Type check of formulas. All errors are reported at once.

use crate::base::text::phrase::{Phrase, phrase};
use crate::fields::values::formula::{Binary, Fault, Formula, Function, Moment, Place, Step, Type};

/// Fields of a form that formulas may read.
pub trait Reads {
    /// The type of a field's value, or why it can't be read.
    fn field(&self, code: &str) -> Result<Type, Phrase>;

    /// Checks that a field's value has a score; otherwise returns the reason.
    fn score(&self, code: &str) -> Result<(), Phrase>;
}

impl Formula {
    /// Checks names and types, and that the formula gives a `result`.
    pub fn check(&self, reads: &dyn Reads, result: Type) -> Result<(), Vec<Fault>> {
        let mut checker = Checker { stack: Vec::new(), at: Place::default(), faults: Vec::new() };
        for (step, at) in self.steps.iter().zip(&self.places) {
            checker.at = *at;
            checker.take(step, reads);
        }
        checker.at = self.whole();
        if let Some(Some(found)) = checker.stack.pop()
            && !fits(found, result)
        {
            checker.fault(phrase!("gives {}, not {}", Phrase::plain(found.name()), Phrase::plain(result.name())));
        }
        if checker.faults.is_empty() { Ok(()) } else { Err(checker.faults) }
    }
}

const fn fits(found: Type, wanted: Type) -> bool {
    match wanted {
        Type::Number => matches!(found, Type::Number),
        Type::Text | Type::DateText => matches!(found, Type::Text | Type::DateText),
        Type::Date => matches!(found, Type::Date | Type::DateText),
        Type::Truth => matches!(found, Type::Truth),
    }
}

/// The common type of two values.
fn common(a: Type, b: Type) -> Option<Type> {
    if a == b {
        return Some(a);
    }
    match (a, b) {
        (Type::DateText, other) | (other, Type::DateText) if fits(Type::DateText, other) => Some(other),
        _ => None,
    }
}

struct Checker {
    /// `None` after an error; it then matches any type.
    stack: Vec<Option<Type>>,
    /// The place of the step that is checked.
    at: Place,
    faults: Vec<Fault>,
}

impl Checker {
    /// The same text is reported only once.
    fn fault(&mut self, text: Phrase) {
        if self.faults.iter().all(|fault| fault.text != text) {
            self.faults.push(Fault { text, at: self.at });
        }
    }

    fn pop(&mut self) -> Option<Type> {
        self.stack.pop().flatten()
    }

    fn needs(&mut self, found: Option<Type>, wanted: Type, whose: &str) {
        if let Some(found) = found
            && !fits(found, wanted)
        {
            self.fault(phrase!(
                "{} needs {}, not {}",
                whose,
                Phrase::plain(wanted.name()),
                Phrase::plain(found.name())
            ));
        }
    }

    fn take(&mut self, step: &Step, reads: &dyn Reads) {
        let out = match step {
            Step::Number(_) => Some(Type::Number),
            Step::Text(text) if Moment::read(text).is_some() => Some(Type::DateText),
            Step::Text(_) => Some(Type::Text),
            Step::Field(code) => match reads.field(code) {
                Ok(found) => Some(found),
                Err(fault) => {
                    self.fault(fault);
                    None
                }
            },
            Step::Score(code) => {
                if let Err(fault) = reads.score(code) {
                    self.fault(fault);
                }
                Some(Type::Number)
            }
            Step::Negate | Step::Keep => {
                let found = self.pop();
                let sign = if matches!(step, Step::Keep) { "+" } else { "-" };
                self.needs(found, Type::Number, sign);
                Some(Type::Number)
            }
            Step::Binary(sign) => {
                let (b, a) = (self.pop(), self.pop());
                Some(self.binary(*sign, a, b))
            }
            Step::DateAdd(_) => {
                let (count, date) = (self.pop(), self.pop());
                self.needs(date, Type::Date, "DATE_ADD");
                self.needs(count, Type::Number, "DATE_ADD");
                Some(Type::Date)
            }
            Step::DateDiff(_) => {
                for _ in 0..2 {
                    let date = self.pop();
                    self.needs(date, Type::Date, "DATE_DIFF");
                }
                Some(Type::Number)
            }
            Step::Call(function, values) => {
                let values: Vec<Option<Type>> = {
                    let from = self.stack.len().saturating_sub(*values);
                    self.stack.drain(from..).collect()
                };
                self.call(*function, &values)
            }
        };
        self.stack.push(out);
    }

    fn binary(&mut self, sign: Binary, a: Option<Type>, b: Option<Type>) -> Type {
        if !sign.compares() {
            self.needs(a, Type::Number, sign.name());
            self.needs(b, Type::Number, sign.name());
            return Type::Number;
        }
        if let (Some(a), Some(b)) = (a, b) {
            let is_order = !matches!(sign, Binary::Equal | Binary::Unequal);
            if common(a, b).is_none() || (is_order && a == Type::Truth) {
                self.fault(phrase!(
                    "{} can't compare {} with {}",
                    sign.name(),
                    Phrase::plain(a.name()),
                    Phrase::plain(b.name())
                ));
            }
        }
        Type::Truth
    }

    fn call(&mut self, function: Function, values: &[Option<Type>]) -> Option<Type> {
        let (name, ..) = function.row();
        let mut all = |wanted: Type| {
            for found in values {
                self.needs(*found, wanted, name);
            }
            Some(wanted)
        };
        match function {
            Function::And | Function::Or | Function::Not => all(Type::Truth),
            Function::Sum | Function::Min | Function::Max | Function::Average | Function::Round | Function::Abs => {
                all(Type::Number)
            }
            Function::Upper | Function::Lower => all(Type::Text),
            Function::Len => {
                all(Type::Text);
                Some(Type::Number)
            }
            Function::Concat => {
                if values.contains(&Some(Type::Truth)) {
                    self.fault(Phrase::plain("CONCAT needs a text, not a condition"));
                }
                Some(Type::Text)
            }
            Function::If => {
                let (condition, branches) = values.split_first()?;
                self.needs(*condition, Type::Truth, name);
                let mut out = *branches.first()?;
                if let (Some(a), Some(Some(b))) = (out, branches.get(1)) {
                    out = common(a, *b);
                    if out.is_none() {
                        self.fault(phrase!(
                            "IF needs two values of one type, not {} and {}",
                            Phrase::plain(a.name()),
                            Phrase::plain(b.name())
                        ));
                    }
                }
                out
            }
            Function::Today => Some(Type::Date),
            // Compiled to steps of their own.
            Function::DateAdd | Function::DateDiff | Function::Score => None,
        }
    }
}
