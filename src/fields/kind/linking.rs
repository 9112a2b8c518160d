//! Values that link to entries of other forms.

use crate::base::json::Json;
use crate::fields::kind::Kind;
use crate::fields::links::{Link, LinkRules};

/// A kind whose values link to entries of another form.
pub trait Linking {
    /// The definition's rules for links to the other form.
    fn link_rules(&self) -> &LinkRules;

    /// The entries that a value in its write shape names: `parse` asks `cx.found` for them.
    fn wants(&self, raw: &Json) -> Vec<Link>;

    /// The entries that a stored value links to: reading asks `cx.found` for them.
    fn links(&self, stored: &Json) -> Vec<Link>;
}

impl dyn Kind + '_ {
    /// The rules for links, if values link to entries of another form.
    pub fn link_rules(&self) -> Option<&LinkRules> {
        self.linking().map(Linking::link_rules)
    }

    /// The entries of other forms that a value in its write shape names.
    pub fn wants(&self, raw: &Json) -> Vec<Link> {
        let linking = self.linking();
        linking.map_or_else(Vec::new, |linking| linking.wants(raw))
    }

    /// The entries of other forms that a stored value links to.
    pub fn links(&self, stored: &Json) -> Vec<Link> {
        let linking = self.linking();
        linking.map_or_else(Vec::new, |linking| linking.links(stored))
    }
}
