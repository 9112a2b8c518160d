//! Expectations of an answer. A failed one tells the test's own line, the request and the whole answer.

use std::fmt::Debug;

use serde_json::json;

use crate::Response;

impl Response {
    /// It has this status.
    #[track_caller]
    pub fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}: {self}", self.asked);
        self
    }

    /// The same in one of several cases.
    #[track_caller]
    pub fn is_for(self, status: u16, case: impl Debug) -> Self {
        assert_eq!(self.status, status, "{case:?}: {}: {self}", self.asked);
        self
    }

    /// It is refused with this status, and this code for programs.
    #[track_caller]
    pub fn refuses(self, status: u16, code: &str) -> Self {
        assert_eq!((self.status, &self.json()["code"]), (status, &json!(code)), "{}: {self}", self.asked);
        self
    }

    /// It is refused with these faults and no others.
    #[track_caller]
    pub fn refuses_with(self, faults: &[&str]) {
        assert_eq!(self.status, 422, "{}: {self}", self.asked);
        assert_eq!(self.faults(), faults, "{}: {self}", self.asked);
    }

    /// Where it leads on to, as a post does that was taken.
    #[track_caller]
    pub fn leads(&self) -> String {
        assert_eq!(self.status, 303, "{}: {self}", self.asked);
        self.header("location").to_owned()
    }

    /// It leads on to this address.
    #[track_caller]
    pub fn leads_to(self, address: &str) -> Self {
        assert_eq!((self.status, self.header("location")), (303, address), "{}: {self}", self.asked);
        self
    }

    /// All of these are in its source.
    #[track_caller]
    pub fn has<T: AsRef<str>>(&self, texts: impl IntoIterator<Item = T>) -> &Self {
        for text in texts {
            assert!(self.text.contains(text.as_ref()), "{} lacks {}: {self}", self.asked, text.as_ref());
        }
        self
    }

    /// None of these is in its source.
    #[track_caller]
    pub fn lacks<T: AsRef<str>>(&self, texts: impl IntoIterator<Item = T>) -> &Self {
        for text in texts {
            assert!(!self.text.contains(text.as_ref()), "{} has {}: {self}", self.asked, text.as_ref());
        }
        self
    }
}
