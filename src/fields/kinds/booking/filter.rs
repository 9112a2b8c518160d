//! Conditions on bookings: by item or by date, depending on operator and value.

use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::{Expected, Reason};
use crate::fields::display::dates::{self, Precision};
use crate::fields::filter::cond::{self, Cond, Key, Op};
use crate::fields::kind::Cx;

/// Whether a filter's value is a day rather than an item, whose code has no hyphen.
pub fn is_date(value: &Json) -> bool {
    let text = value.as_str().unwrap_or_default().as_bytes();
    text.len() > 4 && text[..4].iter().all(u8::is_ascii_digit) && text[4] == b'-'
}

fn by_item(value: &Json) -> Result<Key, Reason> {
    match value.as_str() {
        Some("") => Err(Reason::Empty),
        Some(code) => Ok(Key::Code(code.to_owned())),
        None => Err(Reason::MustBe(Expected::Other("a reservation item's api_code, a date or a date-time"))),
    }
}

/// Equals a day or an item, depending on the value.
fn equal(value: &Json, cx: &Cx) -> Result<Cond, Issue> {
    if is_date(value) {
        dates::condition(Precision::Second, Key::Text, Op::Eq, value, cx)
    } else {
        cond::by_key(Op::Eq, value, &by_item)
    }
}

/// The condition for a filter. The attribute of a fault is `value`.
pub fn condition(op: Op, value: &Json, cx: &Cx) -> Result<Cond, Issue> {
    let any = || -> Result<Cond, Issue> {
        let several = cond::list(value)?.iter();
        let several: Result<Vec<_>, _> = several.map(|value| equal(value, cx)).collect();
        Ok(Cond::Any(several?))
    };
    match op {
        Op::Eq => equal(value, cx),
        Op::Ne => Ok(equal(value, cx)?.negated()),
        Op::AnyIn => any(),
        Op::NoneIn => Ok(any()?.negated()),
        Op::Null | Op::NotNull => cond::by_key(op, value, &by_item),
        op => dates::condition(Precision::Second, Key::Text, op, value, cx),
    }
}
