//! `ETag` and `If-Match`: the version of a thing, and what a writer expects it to be.

use crate::base::error::{Error, Result};

/// A strong entity tag, without its quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Etag(pub String);

/// What `If-Match` demands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum IfMatch {
    /// No such header: the last write wins.
    #[default]
    Absent,
    /// `*`: the thing must be there.
    Any,
    /// One of these tags, as they stand between the quotes; weak ones never match.
    Tags(Vec<String>),
}

impl IfMatch {
    /// Whether the write may go on over a thing that has this tag.
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
