//! Filter conditions: predicates over the keys of one value. This is the only place that defines their meaning; the
//! store reaches keys in several ways, but evaluates them here.

use serde_json::Value;

use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::named::named;
use crate::base::reason::{Expected, Reason, Things};
use crate::base::text;

const MAX_VALUES: usize = 1000;

named! {
    /// The operators of spec 2.6.
    pub enum Op {
        /// Equals one of several.
        AnyIn = "any_in",
        /// Within both bounds, inclusive.
        Between = "between",
        Eq = "eq",
        Gt = "gt",
        Gte = "gte",
        /// Contains.
        Like = "like",
        Lt = "lt",
        Lte = "lte",
        /// Not equal; includes empty values.
        Ne = "ne",
        /// None of several; includes empty values.
        NoneIn = "none_in",
        /// Outside both bounds; excludes empty values.
        NotBetween = "not_between",
        /// Does not contain; includes empty values.
        NotLike = "not_like",
        /// Has a value.
        NotNull = "not_null",
        /// Has no value.
        Null = "null",
    }
}

impl Op {
    /// Operators of text kinds.
    pub const TEXT: &'static [Self] =
        &[Self::Eq, Self::Ne, Self::AnyIn, Self::NoneIn, Self::Like, Self::NotLike, Self::Null, Self::NotNull];

    /// Operators of `number`.
    pub const NUMBER: &'static [Self] = &[
        Self::Eq,
        Self::Ne,
        Self::AnyIn,
        Self::NoneIn,
        Self::Gt,
        Self::Gte,
        Self::Lt,
        Self::Lte,
        Self::Between,
        Self::NotBetween,
        Self::Null,
        Self::NotNull,
    ];

    /// Operators of scores.
    pub const SCORE: &'static [Self] = &[
        Self::Eq,
        Self::Ne,
        Self::AnyIn,
        Self::NoneIn,
        Self::Gt,
        Self::Gte,
        Self::Lt,
        Self::Lte,
        Self::Null,
        Self::NotNull,
    ];

    /// Operators of choices and of times of day.
    pub const CHOICE: &'static [Self] =
        &[Self::Eq, Self::Ne, Self::AnyIn, Self::NoneIn, Self::Like, Self::Null, Self::NotNull];

    /// Operators of `date`.
    pub const DATE: &'static [Self] = &[
        Self::Eq,
        Self::Ne,
        Self::AnyIn,
        Self::NoneIn,
        Self::Gt,
        Self::Gte,
        Self::Lt,
        Self::Lte,
        Self::Between,
        Self::NotBetween,
        Self::Like,
        Self::Null,
        Self::NotNull,
    ];

    /// The fault for any other operator than these.
    pub fn must_be_one_of(allowed: &[Self]) -> Reason {
        Reason::one_of(allowed.iter().map(|op| op.name()))
    }
}

/// A key by which a value can be found. Composite values have several: a set of choices, labels in addition to codes.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub enum Key {
    /// Folded text (NFKC, case folded).
    Text(String),
    Number(f64),
    /// A code, compared exactly: a choice, a country, a naive date.
    Code(String),
    /// Folded text that only `like` considers: the label of a choice.
    Label(String),
}

impl Key {
    /// Folds the text.
    pub fn text(text: &str) -> Self {
        Self::Text(text::fold(text))
    }

    /// Text only for `like`; folds it.
    pub fn label(text: &str) -> Self {
        Self::Label(text::fold(text))
    }

    /// The text by which equal keys of one field are found; `None` for labels, which nothing equals.
    pub fn exact(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Code(code) => Some(code.clone()),
            // 0 and -0 are equal.
            Self::Number(number) => Some((number + 0.0).to_string()),
            Self::Label(_) => None,
        }
    }

    fn folded(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Label(text) => Some(text),
            Self::Code(code) => Some(code),
            Self::Number(_) => None,
        }
    }
}

/// A predicate over the keys of one value; an empty value has no keys.
#[derive(Clone, Debug, PartialEq)]
pub enum Cond {
    /// Has no keys.
    Null,
    /// One of the keys is one of these.
    In(Vec<Key>),
    /// The keys that are not labels are exactly these, as a set.
    Set(Vec<Key>),
    /// A key is between the bounds; the flags tell whether a bound is inclusive.
    Range {
        /// Lower bound and whether it is inclusive.
        low: Option<(Key, bool)>,
        /// Upper bound and whether it is inclusive.
        high: Option<(Key, bool)>,
    },
    /// A text, label, or code without a label contains this folded text.
    Like(String),
    /// The opposite; includes empty values.
    Not(Box<Cond>),
    /// One of them holds.
    Any(Vec<Cond>),
    /// Both hold.
    Both(Box<Cond>, Box<Cond>),
}

impl Cond {
    /// Whether the condition holds for a value with these keys.
    pub fn holds(&self, keys: &[Key]) -> bool {
        match self {
            Self::Null => keys.is_empty(),
            Self::In(wanted) => keys.iter().any(|key| wanted.contains(key)),
            Self::Set(wanted) => {
                let mut own = keys.iter().filter(|key| !matches!(key, Key::Label(_)));
                !keys.is_empty() && own.all(|key| wanted.contains(key)) && wanted.iter().all(|key| keys.contains(key))
            }
            Self::Range { low, high } => keys.iter().any(|key| {
                low.as_ref().is_none_or(|bound| above(key, bound))
                    && high.as_ref().is_none_or(|bound| below(key, bound))
            }),
            Self::Like(part) => {
                // People search for the text they see: not for a code that has a label.
                let labelled = keys.iter().any(|key| matches!(key, Key::Label(_)));
                keys.iter()
                    .filter(|key| !(labelled && matches!(key, Key::Code(_))))
                    .filter_map(Key::folded)
                    .any(|text| text.contains(part.as_str()))
            }
            Self::Not(inner) => !inner.holds(keys),
            Self::Any(several) => several.iter().any(|cond| cond.holds(keys)),
            Self::Both(a, b) => a.holds(keys) && b.holds(keys),
        }
    }

    pub fn negated(self) -> Self {
        Self::Not(Box::new(self))
    }
}

/// Whether a condition holds for a value of several cells, given the keys of each: one matching cell is enough, a
/// negation means that none matches, and null that all are empty. For a single cell this equals [`Cond::holds`].
pub fn holds_in_cells(cond: &Cond, cells: &[Vec<Key>]) -> bool {
    match cond {
        Cond::Null => cells.iter().all(Vec::is_empty),
        Cond::Not(inner) => !holds_in_cells(inner, cells),
        Cond::Both(a, b) => holds_in_cells(a, cells) && holds_in_cells(b, cells),
        Cond::Any(several) => several.iter().any(|cond| holds_in_cells(cond, cells)),
        one => cells.iter().any(|keys| one.holds(keys)),
    }
}

fn above(key: &Key, (bound, inside): &(Key, bool)) -> bool {
    match key.partial_cmp(bound) {
        _ if std::mem::discriminant(key) != std::mem::discriminant(bound) => false,
        Some(order) => order.is_gt() || (*inside && order.is_eq()),
        None => false,
    }
}

fn below(key: &Key, (bound, inside): &(Key, bool)) -> bool {
    match key.partial_cmp(bound) {
        _ if std::mem::discriminant(key) != std::mem::discriminant(bound) => false,
        Some(order) => order.is_lt() || (*inside && order.is_eq()),
        None => false,
    }
}

/// The key of a path of codes: `cake/l/s`. Codes contain no separator; a name in a filter that does must match nothing,
/// rather than something further down the path.
pub fn way<'n>(names: impl IntoIterator<Item = &'n str>) -> Key {
    let steps = names.into_iter().map(|name| name.replace('/', " "));
    Key::Code(steps.collect::<Vec<_>>().join("/"))
}

/// The condition of text kinds: `value` is a text, or a list of texts for `any_in` and `none_in`. The attribute of a
/// fault is `value`.
pub fn by_text(op: Op, value: &Json) -> Result<Cond, Issue> {
    by_key(op, value, &|value| match value {
        Value::String(text) if !text.is_empty() => Ok(Key::text(text)),
        Value::String(_) => Err(Reason::Empty),
        _ => Err(Reason::MustBe(Expected::Text)),
    })
}

/// The condition of most kinds, given how one value becomes a key. The attribute of a fault is `value`.
pub fn by_key(op: Op, value: &Json, key: &dyn Fn(&Json) -> Result<Key, Reason>) -> Result<Cond, Issue> {
    let one = || key(value).map_err(fault);
    let range = |low, high| Cond::Range { low, high };
    Ok(match op {
        Op::Null => Cond::Null,
        Op::NotNull => Cond::Null.negated(),
        Op::Eq => Cond::In(vec![one()?]),
        Op::Ne => Cond::In(vec![one()?]).negated(),
        Op::AnyIn => Cond::In(several(value, key)?),
        Op::NoneIn => Cond::In(several(value, key)?).negated(),
        Op::Gt => range(Some((one()?, false)), None),
        Op::Gte => range(Some((one()?, true)), None),
        Op::Lt => range(None, Some((one()?, false))),
        Op::Lte => range(None, Some((one()?, true))),
        Op::Between | Op::NotBetween => {
            let [low, high] = pair(value)?;
            let bound = |value| key(value).map(|key| Some((key, true))).map_err(fault);
            let inside = range(bound(low)?, bound(high)?);
            if op == Op::Between { inside } else { outside(inside) }
        }
        Op::Like => Cond::Like(part(value)?),
        Op::NotLike => Cond::Like(part(value)?).negated(),
    })
}

/// Outside a range; excludes empty values.
pub fn outside(inside: Cond) -> Cond {
    Cond::Both(Box::new(Cond::Null.negated()), Box::new(inside.negated()))
}

/// The value of `any_in` and `none_in`. The attribute of a fault is `value`.
pub fn list(value: &Json) -> Result<&[Json], Issue> {
    match value {
        Value::Array(items) if items.len() > MAX_VALUES => {
            Err(fault(Reason::too_many(MAX_VALUES, Things::Other("values"))))
        }
        Value::Array(items) if !items.is_empty() => Ok(items),
        _ => Err(fault(Reason::MustBe(Expected::Other("a list with at least one value")))),
    }
}

/// The value of `between` and `not_between`. The attribute of a fault is `value`.
pub fn pair(value: &Json) -> Result<[&Json; 2], Issue> {
    match value.as_array().map(Vec::as_slice) {
        Some([low, high]) => Ok([low, high]),
        _ => Err(fault(Reason::MustBe(Expected::Other("a list of two values")))),
    }
}

fn several(value: &Json, key: &dyn Fn(&Json) -> Result<Key, Reason>) -> Result<Vec<Key>, Issue> {
    let keys: Result<Vec<Key>, _> = list(value)?.iter().map(key).collect();
    keys.map_err(fault)
}

fn part(value: &Json) -> Result<String, Issue> {
    match value {
        Value::String(part) if !part.is_empty() => Ok(text::fold(part)),
        Value::String(_) => Err(fault(Reason::Empty)),
        _ => Err(fault(Reason::MustBe(Expected::Text))),
    }
}

fn fault(reason: Reason) -> Issue {
    Issue::new("value", reason)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn holds(op: Op, value: Json, keys: &[Key]) -> bool {
        by_text(op, &value).expect("a condition").holds(keys)
    }

    #[test]
    fn text_ignores_case_and_width_and_empty_counts_as_null() {
        let keys = [Key::text("Ｈello %")];
        assert!(holds(Op::Eq, json!("hello %"), &keys));
        assert!(holds(Op::Like, json!("LO %"), &keys));
        assert!(!holds(Op::Like, json!("h%o"), &keys));
        assert!(holds(Op::Ne, json!("x"), &[]));
        assert!(holds(Op::NoneIn, json!(["x"]), &[]));
        assert!(holds(Op::NotLike, json!("x"), &[]));
        assert!(holds(Op::Null, json!(1), &[]));
        assert!(by_text(Op::Eq, &json!("")).is_err());
        assert!(by_text(Op::AnyIn, &json!("x")).is_err());
        assert!(by_text(Op::AnyIn, &json!([])).is_err());
    }

    #[test]
    fn a_code_beside_a_label_is_not_searched() {
        let keys = [Key::Code("tea".to_owned()), Key::label("Darjeeling")];
        assert!(holds(Op::Like, json!("jeel"), &keys));
        assert!(!holds(Op::Like, json!("tea"), &keys));
        assert!(holds(Op::Like, json!("tea"), &keys[..1]));
    }

    #[test]
    fn ranges_and_sets() {
        let number = |value: &Json| value.as_f64().map(Key::Number).ok_or(Reason::MustBe(Expected::Number));
        let cond = |op, value| by_key(op, &value, &number).expect("a condition");
        assert!(cond(Op::Between, json!([1, 3])).holds(&[Key::Number(3.0)]));
        assert!(!cond(Op::Between, json!([3, 1])).holds(&[Key::Number(2.0)]));
        assert!(!cond(Op::NotBetween, json!([1, 3])).holds(&[]));
        assert!(cond(Op::NotBetween, json!([1, 3])).holds(&[Key::Number(4.0)]));
        assert!(by_key(Op::Between, &json!([1]), &number).is_err());
        let code = |c: &str| Key::Code(c.to_owned());
        let set = Cond::Set(vec![code("a"), code("b")]);
        assert!(set.holds(&[code("b"), Key::label("B"), code("a")]));
        assert!(!set.holds(&[code("a")]));
        assert!(!set.holds(&[code("a"), code("b"), code("c")]));
    }
}
