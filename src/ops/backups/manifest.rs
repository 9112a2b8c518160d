//! The manifest of a backup as it is read: checked line by line, and kept until its parts come. It may come from anybody and
//! have millions of lines: so it is kept compressed, and in an unnamed file where that is long.

use std::io::{self, BufRead, BufReader, Read, Seek as _, Write as _};
use std::path::Path;

use tempfile::{SpooledTempFile, spooled_tempfile_in};

use crate::ops::backups::format::{BackupPart, FORMAT, Head, Kind, MANIFEST, MOST_KEYS};
use crate::ops::backups::reader::{Bad, broken_manifest};

const LONGEST_LINE: u64 = 1024;
/// Compressed lines that are kept in memory: those of some hundred thousand files.
const MOST_IN_MEMORY: usize = 8 << 20;
const LEVEL: i32 = 1;

pub struct Manifest {
    pub head: Head,
    /// The bytes of all parts, unpacked.
    pub bytes: u64,
    kept: BufReader<zstd::Decoder<'static, BufReader<SpooledTempFile>>>,
    left: u64,
    line: String,
}

fn wrong<E>(what: &str) -> Bad<E> {
    Bad::Damaged(format!("{MANIFEST}: {what}"))
}

impl Manifest {
    /// Reads and checks all of it. Long ones are kept in this folder.
    pub fn read<E>(from: impl Read, folder: &Path) -> Result<Self, Bad<E>> {
        let mut from = BufReader::new(from);
        let mut line = String::new();
        read_line(&mut from, &mut line)?;
        let head = head_of(&line)?;
        let file = spooled_tempfile_in(MOST_IN_MEMORY, folder);
        let mut kept = zstd::Encoder::new(file, LEVEL).map_err(Bad::Spool)?;
        let mut seen = ManifestTotals::default();
        for _ in 0..head.parts {
            read_line(&mut from, &mut line)?;
            let part = BackupPart::read(&line).ok_or_else(|| wrong("there is no such part"))?;
            seen.add(part)?;
            line.push('\n');
            kept.write_all(line.as_bytes()).map_err(Bad::Spool)?;
        }
        if !from.fill_buf().map_err(broken_manifest)?.is_empty() {
            return Err(wrong("it has more lines than it says"));
        }
        seen.check()?;
        let mut file = kept.finish().map_err(Bad::Spool)?;
        file.rewind().map_err(Bad::Spool)?;
        let kept = BufReader::new(zstd::Decoder::new(file).map_err(Bad::Spool)?);
        Ok(Self { left: head.parts, head, bytes: seen.bytes, kept, line })
    }

    /// The next part, in the order of the file.
    pub fn next_part<E>(&mut self) -> Result<Option<BackupPart>, Bad<E>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        self.line.clear();
        self.kept.read_line(&mut self.line).map_err(Bad::Spool)?;
        let lost = || Bad::Spool(io::ErrorKind::InvalidData.into());
        BackupPart::read(&self.line).map(Some).ok_or_else(lost)
    }
}

/// Totals of the parts, checked at the end.
#[derive(Default)]
struct ManifestTotals {
    last: Option<Kind>,
    keys: usize,
    has_instance_key: bool,
    has_database: bool,
    bytes: u64,
}

impl ManifestTotals {
    fn add<E>(&mut self, part: BackupPart) -> Result<(), Bad<E>> {
        // The order leaves no name twice.
        if self.last.as_ref().is_some_and(|last| *last >= part.kind) {
            return Err(wrong("its parts are in another order"));
        }
        match &part.kind {
            Kind::Key(name) => {
                self.keys += 1;
                self.has_instance_key |= name == "instance";
            }
            Kind::Database => self.has_database = true,
            Kind::Blob(_) => {}
        }
        self.bytes = self.bytes.saturating_add(part.size);
        self.last = Some(part.kind);
        Ok(())
    }

    fn check<E>(&self) -> Result<(), Bad<E>> {
        if self.keys > MOST_KEYS {
            return Err(wrong("it has too many keys"));
        }
        if !self.has_instance_key {
            return Err(wrong("it has no keys/instance"));
        }
        if !self.has_database {
            return Err(wrong("it has no database"));
        }
        Ok(())
    }
}

/// Reads a line without its end.
fn read_line<E>(from: &mut impl BufRead, line: &mut String) -> Result<(), Bad<E>> {
    line.clear();
    from.take(LONGEST_LINE).read_line(line).map_err(broken_manifest)?;
    if line.pop() != Some('\n') {
        return Err(Bad::Damaged(format!("{MANIFEST} ends too early, or has a long line")));
    }
    Ok(())
}

fn head_of<E>(line: &str) -> Result<Head, Bad<E>> {
    #[derive(serde::Deserialize)]
    struct Version {
        format: u32,
    }
    let foreign = |e: serde_json::Error| Bad::Foreign(format!("{MANIFEST}: {e}"));
    // Another format may have other keys.
    let Version { format } = serde_json::from_str(line).map_err(foreign)?;
    if format > FORMAT {
        let newer = format!("its format is {format}, this program knows {FORMAT}");
        return Err(Bad::Newer(newer));
    }
    serde_json::from_str(line).map_err(foreign)
}
