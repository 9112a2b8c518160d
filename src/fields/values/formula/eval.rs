//! Evaluates a formula's steps one by one. An undefined result is `None`: of a blank operand, a division by zero, a
//! number out of range. SUM, MIN, MAX, AVERAGE and CONCAT skip blanks.

use std::cmp::Ordering;

use jiff::civil::DateTime;
use jiff::{Span, Unit as Largest};
use serde_json::json;

use crate::base::json::Json;
use crate::base::text;
use crate::fields::values::formula::{
    Binary, Computed, Formula, Function, MAX_STEPS, MAX_TEXT, Moment, Number, Step, Type, Unit, Value,
};

/// Provides the values that a formula reads.
pub trait Sources {
    fn field(&self, code: &str) -> Option<Value>;

    fn score(&self, code: &str) -> Option<Number>;

    /// Today, on the form's wall clock.
    fn today(&self) -> Option<Moment>;
}

/// A number of units between dates, if defined.
type Count = Option<i64>;

impl Computed {
    /// The value in its stored form; null if undefined.
    pub fn value(&self, sources: &dyn Sources) -> Json {
        let value = self.formula.value(sources);
        value.map_or(Json::Null, |value| self.stored(value))
    }

    /// Converts a value to its stored form: a number is rounded, a date loses its time.
    pub fn stored(&self, value: Value) -> Json {
        match (value, self.result) {
            (Value::Number(number), Type::Number) => match self.precision {
                Some(precision) => number.round(precision),
                None => Some(number),
            }
            .map_or(Json::Null, Number::to_json),
            (Value::Text(text), Type::Text) if !text::is_blank(&text) => json!(text),
            (value, Type::Date) => {
                value.moment().map_or(Json::Null, |moment| json!(moment.at.strftime("%Y-%m-%d").to_string()))
            }
            _ => Json::Null,
        }
    }
}

impl Formula {
    fn value(&self, sources: &dyn Sources) -> Option<Value> {
        let mut stack: Vec<Option<Value>> = Vec::new();
        let mut left = MAX_STEPS;
        for step in &self.steps {
            let from = stack.len().saturating_sub(operands(step));
            let out = {
                let values: Vec<Option<Value>> = stack.drain(from..).collect();
                let work = 1 + values.iter().flatten().map(length).sum::<usize>() / 100;
                left = left.checked_sub(work)?;
                take(step, values, sources)
            };
            stack.push(out.filter(|value| !is_too_long(value)));
        }
        stack.pop().flatten()
    }
}

fn length(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        _ => 0,
    }
}

fn is_too_long(value: &Value) -> bool {
    length(value) > MAX_TEXT && matches!(value, Value::Text(text) if text::length(text) > MAX_TEXT)
}

fn operands(step: &Step) -> usize {
    match step {
        Step::Number(_) | Step::Text(_) | Step::Field(_) | Step::Score(_) => 0,
        Step::Negate | Step::Keep => 1,
        Step::Binary(_) | Step::DateAdd(_) | Step::DateDiff(_) => 2,
        Step::Call(_, values) => *values,
    }
}

fn take(step: &Step, values: Vec<Option<Value>>, sources: &dyn Sources) -> Option<Value> {
    if let Step::Call(function, _) = step {
        return call(*function, values, sources);
    }
    // All steps but functions need all of their operands.
    let mut values = values.into_iter().collect::<Option<Vec<Value>>>()?.into_iter();
    let mut next = || values.next();
    match step {
        Step::Number(number) => Some(Value::Number(*number)),
        Step::Text(text) => Some(Value::Text(text.clone())),
        Step::Field(code) => sources.field(code),
        Step::Score(code) => sources.score(code).map(Value::Number),
        Step::Negate => Some(Value::Number(number(next()?)?.negated())),
        Step::Keep => next(),
        Step::Binary(sign) => binary(*sign, next()?, next()?),
        Step::DateAdd(unit) => add(next()?.moment()?, number(next()?)?, *unit),
        Step::DateDiff(unit) => {
            let (start, end) = (next()?.moment()?, next()?.moment()?);
            between(start.at, end.at, *unit).map(|count| Value::Number(Number::whole(count)))
        }
        Step::Call(..) => None,
    }
}

fn number(value: Value) -> Option<Number> {
    match value {
        Value::Number(number) => Some(number),
        _ => None,
    }
}

fn truth(value: Value) -> Option<bool> {
    match value {
        Value::Truth(truth) => Some(truth),
        _ => None,
    }
}

fn binary(sign: Binary, a: Value, b: Value) -> Option<Value> {
    if !sign.compares() {
        return number(a)?.calculate(sign, number(b)?).map(Value::Number);
    }
    let order = compare(a, b)?;
    Some(Value::Truth(match sign {
        Binary::Equal => order.is_eq(),
        Binary::Unequal => order.is_ne(),
        Binary::Less => order.is_lt(),
        Binary::AtMost => order.is_le(),
        Binary::Greater => order.is_gt(),
        _ => order.is_ge(),
    }))
}

fn compare(a: Value, b: Value) -> Option<Ordering> {
    Some(match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.compare(b),
        (Value::Truth(a), Value::Truth(b)) => a.cmp(&b),
        (Value::Text(a), Value::Text(b)) => text::fold(&a).cmp(&text::fold(&b)),
        (a, b) => a.moment()?.at.cmp(&b.moment()?.at),
    })
}

fn add(date: Moment, count: Number, unit: Unit) -> Option<Value> {
    let count = count.truncated()?;
    let span = Span::new();
    let span = match unit {
        Unit::Day => span.try_days(count),
        Unit::Month => span.try_months(count),
        Unit::Year => span.try_years(count),
    };
    // If the month is shorter, its last day is used.
    let at = date.at.checked_add(span.ok()?).ok()?;
    let length = date.length.max(10);
    (at.year() >= 1).then_some(Value::Date(Moment { at, length }))
}

/// Whole units from one date to another; times are ignored.
fn between(start: DateTime, end: DateTime, unit: Unit) -> Count {
    let (start, end) = (start.date(), end.date());
    let span = |largest: Largest| start.until((largest, end)).ok();
    Some(match unit {
        Unit::Day => i64::from(span(Largest::Day)?.get_days()),
        Unit::Month => i64::from(span(Largest::Month)?.get_months()),
        Unit::Year => i64::from(span(Largest::Year)?.get_years()),
    })
}

fn call(function: Function, values: Vec<Option<Value>>, sources: &dyn Sources) -> Option<Value> {
    match function {
        Function::If => {
            let mut values = values.into_iter();
            let condition = truth(values.next()??)?;
            if !condition {
                values.next();
            }
            values.next()?
        }
        Function::And => all(values, false),
        Function::Or => all(values, true),
        Function::Not => Some(Value::Truth(!truth(first(values)?)?)),
        Function::Sum | Function::Min | Function::Max | Function::Average => {
            let numbers: Option<Vec<Number>> = values.into_iter().flatten().map(number).collect();
            gather(function, &numbers?).map(Value::Number)
        }
        Function::Round => {
            let mut values = values.into_iter();
            let rounded = number(values.next()??)?;
            let decimals = match values.next() {
                Some(decimals) => number(decimals?)?.truncated()?,
                None => 0,
            };
            rounded.round(decimals).map(Value::Number)
        }
        Function::Abs => Some(Value::Number(number(first(values)?)?.abs())),
        Function::Concat => {
            let mut out = String::new();
            for value in values.iter().flatten() {
                out.push_str(&value.text());
                // Bounds the text to the limit plus one operand.
                if out.len() > 4 * MAX_TEXT {
                    return None;
                }
            }
            Some(Value::Text(out))
        }
        Function::Len => {
            let length = i64::try_from(text::length(&first(values)?.text())).ok()?;
            Some(Value::Number(Number::whole(length)))
        }
        Function::Upper => Some(Value::Text(first(values)?.text().to_uppercase())),
        Function::Lower => Some(Value::Text(first(values)?.text().to_lowercase())),
        Function::Today => sources.today().map(Value::Date),
        // Compiled to steps of their own.
        Function::DateAdd | Function::DateDiff | Function::Score => None,
    }
}

fn first(values: Vec<Option<Value>>) -> Option<Value> {
    values.into_iter().next().flatten()
}

/// AND (`decides` is false) and OR (true): one deciding value is enough; otherwise none may be blank.
fn all(values: Vec<Option<Value>>, decides: bool) -> Option<Value> {
    let mut is_known = true;
    for value in values {
        match value.and_then(truth) {
            Some(truth) if truth == decides => return Some(Value::Truth(decides)),
            Some(_) => {}
            None => is_known = false,
        }
    }
    is_known.then_some(Value::Truth(!decides))
}

/// Applies a function to the non-blank numbers; `None` if there are none.
fn gather(function: Function, numbers: &[Number]) -> Option<Number> {
    let (first, rest) = numbers.split_first()?;
    let extreme = |wanted: Ordering| {
        rest.iter().fold(*first, |best, next| if next.compare(best) == wanted { *next } else { best })
    };
    let sum = || rest.iter().try_fold(*first, |sum, next| sum.calculate(Binary::Plus, *next));
    match function {
        Function::Min => Some(extreme(Ordering::Less)),
        Function::Max => Some(extreme(Ordering::Greater)),
        Function::Average => {
            let count = Number::whole(i64::try_from(numbers.len()).ok()?);
            sum()?.calculate(Binary::Divide, count)
        }
        _ => sum(),
    }
}
