//! How a protected column of a public query shows values.

use crate::base::json::Json;
use crate::fields::kind::{Cx, Kind};

/// A kind whose values can be shown in part.
pub trait Masking: Kind {
    /// The text, masked.
    fn mask(&self, text: &str) -> String;

    /// The read shape, masked.
    fn masked(&self, stored: &Json, cx: &Cx) -> Json {
        Json::String(self.mask(&self.text(stored, cx)))
    }
}

impl dyn Kind + '_ {
    /// The text, masked where the kind can do that.
    pub fn mask(&self, text: &str) -> String {
        let masking = self.masking();
        masking.map_or_else(|| text.to_owned(), |masking| masking.mask(text))
    }

    /// The read shape, masked where the kind can do that; else its text.
    pub fn masked(&self, stored: &Json, cx: &Cx) -> Json {
        match self.masking() {
            Some(masking) => masking.masked(stored, cx),
            None => Json::String(self.text(stored, cx)),
        }
    }
}
