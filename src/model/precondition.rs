//! `ETag` and `If-Match`: the version of a resource, and the one that a writer expects.

use crate::base::error::{Error, Result};

/// A strong entity tag, without its quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Etag(pub String);

/// The condition of `If-Match`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum IfMatch {
    /// No such header: the last write wins.
    #[default]
    Absent,
    /// `*`: the resource must exist.
    Any,
    /// One of these tags, without their quotes. Weak tags never match.
    Tags(Vec<String>),
}

impl IfMatch {
    /// Checks the condition against the current tag.
    ///
    /// # Errors
    /// 412.
    pub fn check(&self, etag: &Etag) -> Result<()> {
        match self {
            Self::Absent | Self::Any => Ok(()),
            Self::Tags(tags) if tags.contains(&etag.0) => Ok(()),
            Self::Tags(_) => Err(Error::VersionConflict),
        }
    }
}
