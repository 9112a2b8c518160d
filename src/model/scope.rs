//! Scopes of tokens (spec section 5, and `entry:delete`).

use crate::base::named::named;

named! {
    pub enum Scope {
        /// Read forms and folders.
        FormRead = "form:read",
        /// Create and update forms and folders.
        FormWrite = "form:write",
        /// Delete forms and folders.
        FormDelete = "form:delete",
        /// Read submissions to a form.
        EntryRead = "entry:read",
        /// Create or modify entries on the owner's behalf.
        EntryWrite = "entry:write",
        /// Delete entries.
        EntryDelete = "entry:delete",
        /// Submit to a published form on a respondent's behalf.
        FormRespond = "form:respond",
        /// List webhooks and other integrations.
        IntegrationRead = "integration:read",
        /// Configure webhooks and other integrations.
        IntegrationWrite = "integration:write",
    }
}

/// A set of scopes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scopes(u16);

impl Scopes {
    pub fn has(self, scope: Scope) -> bool {
        self.0 & (1 << scope as u16) != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all of `others` are in this set.
    pub fn contains(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }

    pub fn intersection(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// Parses names separated by spaces. `None` if one is unknown.
    pub fn parse_strict(text: &str) -> Option<Self> {
        names(text).map(Scope::by_name).collect()
    }

    /// In the order of the spec.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |scope| self.has(*scope))
    }

    /// Parses names separated by spaces. Unknown ones are ignored.
    pub fn parse(text: &str) -> Self {
        names(text).filter_map(Scope::by_name).collect()
    }
}

/// The names in a text, separated by U+0020 only (RFC 6749 section 3.3).
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(' ').filter(|name| !name.is_empty())
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<T: IntoIterator<Item = Scope>>(scopes: T) -> Self {
        Self(scopes.into_iter().fold(0, |set, scope| set | 1 << scope as u16))
    }
}

impl std::fmt::Display for Scopes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.iter().map(Scope::name).collect();
        f.write_str(&names.join(" "))
    }
}
