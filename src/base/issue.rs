//! Faults of a request's content: an attribute path and a message, collected, never first-only.

use std::fmt::Write;

/// One fault: `error_details` holds a list of these (spec 2.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// A path from the body's root, such as `fields[2].choices[0].label`.
    pub attribute: String,
    /// Lower case, to be read after the attribute: `must be a number`.
    pub message: String,
}

/// Collects faults under a current path.
#[derive(Debug, Default)]
pub struct Issues {
    path: String,
    list: Vec<Issue>,
}

impl Issues {
    /// A collector at the root.
    pub fn new() -> Self {
        Self::default()
    }

    /// A fault of the thing at the current path.
    pub fn push(&mut self, message: impl Into<String>) {
        self.list.push(Issue {
            attribute: self.path.clone(),
            message: message.into(),
        });
    }

    /// A fault of the member `key` of the thing at the current path.
    pub fn push_at(&mut self, key: &str, message: impl Into<String>) {
        self.key(key, |at| at.push(message));
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

    /// How many faults so far; compare before and after to see whether a part was whole.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Takes the faults from the count-th on out again.
    pub fn split_off(&mut self, count: usize) -> Vec<Issue> {
        self.list.split_off(count.min(self.list.len()))
    }

    /// Leaves so many faults. Where there are more, or may be since not all was looked at, the last one says so of
    /// `what`.
    pub fn leave(&mut self, most: usize, is_all: bool, what: &str) {
        if self.count() < most || (self.count() == most && is_all) {
            return;
        }
        self.split_off(most - 1);
        let listed = self.count();
        self.push_at(
            what,
            format!("have more faults: only the first {listed} are listed"),
        );
    }

    /// Puts faults back that were taken out.
    pub fn put_back(&mut self, faults: Vec<Issue>) {
        self.list.extend(faults);
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether a fault was found at the member `key` of the thing at the current path, or inside of it.
    pub fn is_at_fault(&self, key: &str) -> bool {
        let place = if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        };
        self.list.iter().any(|issue| {
            let rest = issue.attribute.strip_prefix(&place);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
    }

    /// The faults, in the order they were found.
    pub fn into_list(self) -> Vec<Issue> {
        self.list
    }
}
