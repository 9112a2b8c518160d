//! Faults of a request's content: a path and a reason. All of them are collected; past [`MOST`] they are only counted,
//! so that an answer stays small whatever was sent.

use std::fmt::{self, Write};

use serde_json::json;

use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text::phrase::phrase;
use crate::base::text::shortened;

/// The most faults of an answer.
pub const MOST: usize = 1_000;
/// The longest path and message in bytes: both may hold names from the request.
const LONGEST_PATH: usize = 256;
const LONGEST_MESSAGE: usize = 4 * 1_000;

/// One fault: `error_details` holds a list of these (spec 2.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// A path from the body's root, such as `fields[2].choices[0].label`.
    pub attribute: String,
    pub reason: Reason,
}

impl Issue {
    pub fn new(attribute: impl Into<String>, reason: impl Into<Reason>) -> Self {
        Self { attribute: attribute.into(), reason: reason.into() }
    }

    /// The reason in the words of the API: lower case, to be read after the attribute.
    pub fn message(&self) -> String {
        shortened(&self.reason.to_string(), LONGEST_MESSAGE)
    }

    /// `{attribute, message}`; of a formula also `position` and `length`, in characters.
    pub fn to_json(&self) -> Json {
        let mut out = json!({"attribute": self.attribute, "message": self.message()});
        if let Reason::InFormula { position, length, .. } = self.reason {
            out["position"] = json!(position);
            out["length"] = json!(length);
        }
        out
    }
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.attribute, self.message())
    }
}

/// Collects faults under a current path.
#[derive(Clone, Debug, Default)]
pub struct Issues {
    path: String,
    list: Vec<Issue>,
    /// How many were found past `MOST`.
    more: usize,
    is_partial: bool,
}

impl Issues {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a fault at the current path.
    pub fn push(&mut self, reason: impl Into<Reason>) {
        if self.list.len() < MOST {
            let path = shortened(&self.path, LONGEST_PATH);
            self.list.push(Issue::new(path, reason));
        } else {
            self.more += 1;
        }
    }

    /// Adds a fault at the key `key` below the current path.
    pub fn push_at(&mut self, key: &str, reason: impl Into<Reason>) {
        self.key(key, |at| at.push(reason));
    }

    /// Runs `f` one key deeper.
    pub fn key<T>(&mut self, key: &str, f: impl FnOnce(&mut Self) -> T) -> T {
        let len = self.path.len();
        if len > 0 {
            self.path.push('.');
        }
        self.path.push_str(key);
        let out = f(self);
        self.path.truncate(len);
        out
    }

    /// Runs `f` at an item of the list at the current path.
    pub fn index<T>(&mut self, index: usize, f: impl FnOnce(&mut Self) -> T) -> T {
        let len = self.path.len();
        let _ = write!(self.path, "[{index}]");
        let out = f(self);
        self.path.truncate(len);
        out
    }

    /// The number of faults so far. Compared before and after, it tells whether a part is valid.
    pub fn count(&self) -> usize {
        self.list.len() + self.more
    }

    /// Removes and returns the faults from number `count` on.
    pub fn split_off(&mut self, count: usize) -> Self {
        let taken = self.count().saturating_sub(count);
        let list = self.list.split_off(count.min(self.list.len()));
        let more = taken - list.len();
        self.more -= more;
        Self { list, more, ..Self::default() }
    }

    /// Adds faults whose paths begin at the root.
    pub fn extend(&mut self, faults: impl IntoIterator<Item = Issue>) {
        for fault in faults {
            if self.list.len() < MOST {
                self.list.push(fault);
            } else {
                self.more += 1;
            }
        }
    }

    /// Adds the faults of another collector, as they are.
    pub fn append(&mut self, faults: Self) {
        self.extend(faults.list);
        self.more += faults.more;
    }

    /// Drops the faults for which `keeps` is false.
    pub fn retain(&mut self, keeps: impl Fn(&Issue) -> bool) {
        self.list.retain(keeps);
    }

    /// Marks the list as incomplete: validation stopped because there were faults enough.
    pub fn stop_early(&mut self) {
        self.is_partial = true;
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether there is a fault at `key` below the current path, or inside its value.
    pub fn has_fault_at(&self, key: &str) -> bool {
        let place = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        self.list.iter().any(|issue| {
            let rest = issue.attribute.strip_prefix(&place);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
    }

    /// The faults in the order they were found. If some were left out, the last one says how many.
    pub fn into_list(mut self) -> Vec<Issue> {
        if self.more == 0 && !self.is_partial {
            return self.list;
        }
        let more = self.count() - self.count().min(MOST - 1);
        self.list.truncate(MOST - 1);
        let reason = if self.is_partial {
            Reason::other("more errors are not listed: correct these first")
        } else {
            Reason::other(phrase!("{} more errors are not listed: correct these first", more))
        };
        // The root of the last path is also that of all that follow.
        let last = self.list.last().map_or("", |last| &last.attribute);
        let attribute = last.split(['.', '[']).next().unwrap_or_default();
        let last = Issue::new(attribute, reason);
        self.list.push(last);
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_past_the_first_thousand_are_counted() {
        let mut at = Issues::new();
        at.key("list", |at| {
            for i in 0..MOST {
                at.index(i, |at| at.push(Reason::Wrong));
            }
        });
        assert_eq!(at.clone().into_list().len(), MOST);
        assert_eq!(at.clone().into_list()[MOST - 1].reason, Reason::Wrong);
        at.key("list", |at| at.push(Reason::Blank));
        assert_eq!(at.count(), MOST + 1);
        let list = at.clone().into_list();
        assert_eq!(list.len(), MOST);
        assert_eq!(list[MOST - 1].to_string(), "list 2 more errors are not listed: correct these first");
        at.stop_early();
        let last = at.into_list().pop().expect("a fault");
        assert_eq!(last.message(), "more errors are not listed: correct these first");
    }

    #[test]
    fn faults_that_are_split_off_and_appended_stay_counted() {
        let mut at = Issues::new();
        at.push(Reason::Blank);
        for _ in 0..2 * MOST {
            at.push(Reason::Wrong);
        }
        let taken = at.split_off(1);
        assert_eq!((at.count(), taken.count()), (1, 2 * MOST));
        let both = taken.clone();
        at.append(taken);
        at.append(both);
        assert_eq!(at.count(), 1 + 4 * MOST);
        assert_eq!(at.into_list().len(), MOST);
    }

    #[test]
    fn long_names_of_a_client_are_cut() {
        let mut at = Issues::new();
        at.push_at(&"é".repeat(1 << 19), Reason::other("ü".repeat(1 << 19)));
        let only = at.into_list().remove(0);
        assert_eq!(only.attribute, format!("{}…", "é".repeat(LONGEST_PATH / 2)));
        assert_eq!(only.message().len(), LONGEST_MESSAGE + "…".len());
    }
}
