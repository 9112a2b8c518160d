//! The destination of backups: a folder, or a place in a bucket of an S3-compatible store. The same syntax names one
//! backup.

use std::fmt;
use std::path::{Path, PathBuf};

const SCHEME: &str = "s3://";
const FORM: &str = "must be a folder or s3://bucket/prefix, whose names have only letters, digits and -._+=@";
const LONGEST_KEY: usize = 700; // S3 takes 1,024 bytes; a name of ours comes behind it.

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BackupTarget {
    Path(PathBuf),
    Bucket(BucketPath),
}

/// A place in a bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketPath {
    pub bucket: String,
    /// Without a slash at its ends; may be empty.
    pub prefix: String,
}

impl BackupTarget {
    /// `s3://bucket/prefix`, or a path.
    ///
    /// # Errors
    /// The format that a target must have; the sentence follows its name.
    pub fn of(path: &Path) -> Result<Self, String> {
        match path.to_str().and_then(|text| text.strip_prefix(SCHEME)) {
            // Another way to write a bucket, or another kind of store.
            None if path.to_str().is_some_and(is_address) => Err(FORM.to_owned()),
            None => Ok(Self::Path(path.to_owned())),
            Some(rest) => BucketPath::of(rest).map(Self::Bucket),
        }
    }
}

fn is_address(text: &str) -> bool {
    text.contains("://") || text.to_ascii_lowercase().starts_with("s3:")
}

impl BucketPath {
    fn of(text: &str) -> Result<Self, String> {
        let form = || FORM.to_owned();
        let (bucket, prefix) = text.split_once('/').unwrap_or((text, ""));
        let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-._".contains(&b);
        if !(3..=63).contains(&bucket.len()) || !bucket.bytes().all(is_plain) {
            return Err(form());
        }
        let prefix = prefix.trim_end_matches('/');
        let is_name = |part: &str| {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._+=@".contains(c);
            !matches!(part, "" | "." | "..") && part.chars().all(is_plain)
        };
        let is_path = prefix.is_empty() || prefix.split('/').all(is_name);
        if !is_path || prefix.len() > LONGEST_KEY {
            return Err(form());
        }
        Ok(Self { bucket: bucket.to_owned(), prefix: prefix.to_owned() })
    }

    /// The key of the object with this name there.
    pub fn key(&self, name: &str) -> String {
        match self.prefix.as_str() {
            "" => name.to_owned(),
            prefix => format!("{prefix}/{name}"),
        }
    }

    /// The place of this name in it.
    pub fn join(&self, name: &str) -> Self {
        Self { bucket: self.bucket.clone(), prefix: self.key(name) }
    }

    /// The place that it lies in, and its name there. `None` for a whole bucket.
    pub fn split(&self) -> Option<(Self, String)> {
        let (prefix, name) = self.prefix.rsplit_once('/').unwrap_or(("", self.prefix.as_str()));
        let at = Self { bucket: self.bucket.clone(), prefix: prefix.to_owned() };
        (!name.is_empty()).then(|| (at, name.to_owned()))
    }
}

impl fmt::Display for BackupTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => path.display().fmt(f),
            Self::Bucket(place) => place.fmt(f),
        }
    }
}

impl fmt::Display for BucketPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slash = if self.prefix.is_empty() { "" } else { "/" };
        write!(f, "{SCHEME}{}{slash}{}", self.bucket, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        for (text, bucket, prefix) in [
            ("s3://forms-backup", "forms-backup", ""),
            ("s3://forms-backup/", "forms-backup", ""),
            ("s3://b.example.org/of/forms/", "b.example.org", "of/forms"),
        ] {
            let place = BucketPath { bucket: bucket.to_owned(), prefix: prefix.to_owned() };
            let read = BackupTarget::of(Path::new(text));
            assert_eq!(read, Ok(BackupTarget::Bucket(place)));
            let shown = read.map(|it| it.to_string());
            assert_eq!(shown.as_deref(), Ok(text.trim_end_matches('/')));
        }
        for text in [
            "s3:forms",
            "S3://forms/a",
            "https://s3.example.org/forms",
            "s3://",
            "s3:///a",
            "s3://ab",
            "s3://Forms/a",
            "s3://me:pw@forms/a",
            "s3://forms?x=1",
            "s3://forms/a//b",
            "s3://forms/../b",
            "s3://forms/a?b",
        ] {
            assert!(BackupTarget::of(Path::new(text)).is_err(), "{text}");
        }
        let path = Path::new("/mnt/s3:/x");
        assert_eq!(BackupTarget::of(path), Ok(BackupTarget::Path(path.into())));
    }

    #[test]
    fn names_in_a_place() {
        let place = BucketPath::of("forms/of/mine").expect("a place");
        assert_eq!(place.key("x.age"), "of/mine/x.age");
        let (at, name) = place.join("x.age").split().expect("a name");
        assert_eq!((at, name.as_str()), (place, "x.age"));
        let whole = BucketPath::of("forms").expect("a bucket");
        assert_eq!((whole.key("x").as_str(), whole.split()), ("x", None));
    }
}
