//! The format of a backup. It is a tar archive, compressed with Zstandard, that any `tar --zstd` unpacks:
//!
//! - `manifest.jsonl`: a line of JSON about the backup, then one for each part with name, size and SHA-256,
//! - the parts, in that order: `keys/…`, `formsvc.db`, `blobs/…` by name.
//!
//! At the end of the file stands the SHA-256 of all before it, in a frame that other programs skip.

use serde::{Deserialize, Serialize};

use crate::base::clock::Time;
use crate::store::files::blobs::{self, Hash};

pub const FORMAT: u32 = 1;
pub const MANIFEST: &str = "manifest.jsonl";
pub const DATABASE: &str = "formsvc.db";

/// A skippable frame of Zstandard with 40 bytes, whose first 8 identify the format.
pub const TRAILER_HEAD: [u8; 16] = *b"\x50\x2a\x4d\x18\x28\0\0\0formsvc1";
pub const TRAILER_BYTES: usize = TRAILER_HEAD.len() + 32;
/// The first bytes of each file of Zstandard.
pub const ZSTD_HEAD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

pub const MOST_KEYS: usize = 100;
pub const LONGEST_KEY: u64 = 65_536;

/// The first line of the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    pub format: u32,
    /// The version of the program that made it.
    pub program: String,
    /// The version of its database.
    pub schema: i64,
    pub created_at: Time,
    /// How many lines follow.
    pub parts: u64,
    /// How many files of entries are not in it, since they were missing or damaged.
    pub lost_files: u64,
}

/// Kind of a part. The order is that in the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Key(String),
    Database,
    /// The hash of the part is its name.
    Blob(Hash),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupPart {
    pub kind: Kind,
    pub size: u64,
    pub sha256: Hash,
}

/// A part as its line in the manifest.
#[derive(Serialize, Deserialize)]
struct ManifestLine {
    name: String,
    size: u64,
    sha256: String,
}

impl BackupPart {
    /// Its name in the archive.
    pub fn name(&self) -> String {
        match &self.kind {
            Kind::Key(name) => format!("keys/{name}"),
            Kind::Database => DATABASE.to_owned(),
            Kind::Blob(hash) => {
                let name = blobs::hex(hash);
                format!("blobs/{}/{name}", &name[..2])
            }
        }
    }

    /// Its line in the manifest.
    pub fn line(&self) -> serde_json::Result<String> {
        serde_json::to_string(&ManifestLine { name: self.name(), size: self.size, sha256: blobs::hex(&self.sha256) })
    }

    /// Reads such a line. `None` if there can't be such a part.
    pub fn read(line: &str) -> Option<Self> {
        let line: ManifestLine = serde_json::from_str(line).ok()?;
        let sha256 = blobs::unhex(&line.sha256)?;
        let kind = match line.name.split_once('/') {
            None if line.name == DATABASE => Kind::Database,
            Some(("keys", name)) if is_key(name) && line.size <= LONGEST_KEY => Kind::Key(name.to_owned()),
            Some(("blobs", _)) => Kind::Blob(sha256),
            _ => return None,
        };
        let part = Self { kind, size: line.size, sha256 };
        (part.name() == line.name).then_some(part)
    }
}

fn is_key(name: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"-_".contains(&b);
    (1..=100).contains(&name.len()) && name.bytes().all(is_plain)
}
