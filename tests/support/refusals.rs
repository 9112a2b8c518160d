//! Tables of refused bodies: one place of a good body gets another value, and these are the faults.
//!
//! A line is `place | value | faults`. A place is a JSON pointer. The value `-` takes the key away; `"x*201"` is so many
//! letters. A fault is `attribute` or `attribute: message`; several are separated by `; `. Lines that begin with `#`
//! are comments, and blank lines are left out.

use serde_json::{Value, json};

use crate::Response;

/// A line of a table.
pub struct Refusal {
    line: &'static str,
    pub place: &'static str,
    /// `None` if the key is taken away.
    pub value: Option<Value>,
    pub faults: Vec<&'static str>,
}

/// The lines of a table.
pub fn refusals(table: &'static str) -> Vec<Refusal> {
    let lines = table.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(Refusal::of).collect()
}

impl Refusal {
    fn of(line: &'static str) -> Self {
        let cells: Vec<&str> = line.split(" | ").map(str::trim).collect();
        let [place, value, faults] = cells[..] else { panic!("three cells: {line}") };
        let value = (value != "-").then(|| serde_json::from_str(value).unwrap_or_else(|e| panic!("{line}: {e}")));
        Self { line, place, value: value.map(stretched), faults: faults.split("; ").collect() }
    }

    /// The body with this fault.
    pub fn spoil(&self, good: &Value) -> Value {
        let mut out = good.clone();
        let (parent, key) = self.place.rsplit_once('/').expect("a place");
        let parent = out.pointer_mut(parent).unwrap_or_else(|| panic!("no such place: {}", self.line));
        match (parent, &self.value) {
            (Value::Object(map), Some(value)) => {
                map.insert(key.to_owned(), value.clone());
            }
            (Value::Object(map), None) => {
                assert!(map.remove(key).is_some(), "{}", self.line);
            }
            (Value::Array(items), Some(value)) => {
                items[key.parse::<usize>().expect("an index")] = value.clone();
            }
            _ => panic!("{}", self.line),
        }
        out
    }

    /// The key of the body that the place is in.
    pub fn top(&self) -> &str {
        self.place[1..].split('/').next().expect("a key")
    }

    /// Asserts that an answer is a 422 with these faults and no others.
    pub fn check(&self, answer: &Response) {
        let at = format!("{}\n{answer}", self.line);
        assert_eq!(answer.status, 422, "{at}");
        let attribute = |fault: &&'static str| fault.split(": ").next().expect("an attribute");
        let expected: Vec<&str> = self.faults.iter().map(attribute).collect();
        assert_eq!(answer.attributes(), expected, "{at}");
        for (fault, expected) in answer.faults().iter().zip(&self.faults) {
            assert!(!expected.contains(": ") || fault == expected, "{at}");
        }
    }
}

/// `x*201` is so many letters.
fn stretched(value: Value) -> Value {
    let count = value.as_str().and_then(|text| text.strip_prefix("x*"));
    let count: Option<usize> = count.and_then(|count| count.parse().ok());
    count.map_or(value, |count| json!("x".repeat(count)))
}
