//! Reads a backup. It may come from anybody: a part is taken only under a name, at a place and with a size and hash that
//! the manifest announces, and all of that is bounded before anything is unpacked.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::ops::backups::format::{BackupPart, Head, MANIFEST, TRAILER_BYTES, TRAILER_HEAD, ZSTD_HEAD};
use crate::ops::backups::manifest::Manifest;

/// Bounds the memory that a file can ask for: 8 MB. Ours ask for 2.
const WINDOW_LOG: u32 = 23;
/// Most bytes after the last part: tar fills its last record.
const MOST_PADDING: u64 = 64 << 10;

/// Why a backup is refused.
#[derive(Debug)]
pub enum Bad<E> {
    Foreign(String),
    Newer(String),
    /// The damaged part, and the damage.
    Damaged(String),
    /// The manifest can't be kept meanwhile.
    Spool(io::Error),
    /// The sink gave up.
    Sink(E),
}

/// Takes the parts.
pub trait Sink {
    type Fault;

    /// Announces the backup and the bytes of its parts, before the first part.
    fn begin(&mut self, head: &Head, bytes: u64) -> Result<(), Bad<Self::Fault>>;

    /// One part after the other. Whether its content is what the manifest announces shows at its end.
    fn part(&mut self, part: &BackupPart, content: &mut dyn Read) -> Result<(), Self::Fault>;

    /// That the part which came last is what the manifest announces.
    fn whole(&mut self, part: &BackupPart) -> Result<(), Self::Fault>;
}

/// Reads and checks a whole backup, every byte of it. A long manifest is kept in the folder `spool` meanwhile.
pub fn read<R: Read + Seek, S: Sink>(mut file: R, spool: &Path, sink: &mut S) -> Result<Head, Bad<S::Fault>> {
    let length = look_at_ends(&mut file)?;
    let mut raw = Hashing { inner: file.take(length), sha: Sha256::new() };
    let head = read_archive(&mut raw, spool, sink)?;
    let broken = |e: io::Error| Bad::Damaged(format!("the file can't be read: {e}"));
    let mut rest = [0; 1];
    if raw.read(&mut rest).map_err(broken)? > 0 {
        return Err(Bad::Damaged("something stands behind its end".to_owned()));
    }
    let Hashing { inner, mut sha } = raw;
    let mut trailer = [0; TRAILER_BYTES];
    inner.into_inner().read_exact(&mut trailer).map_err(broken)?;
    let (start, hash) = trailer.split_at(TRAILER_HEAD.len());
    sha.update(start);
    if sha.finalize().as_slice() != hash {
        return Err(Bad::Damaged("the hash at its end is not its own".to_owned()));
    }
    Ok(head)
}

/// The length of what stands before the trailer.
fn look_at_ends<E>(file: &mut (impl Read + Seek)) -> Result<u64, Bad<E>> {
    let unreadable = |e: io::Error| Bad::Damaged(format!("the file can't be read: {e}"));
    let mut start = Vec::new();
    file.by_ref().take(ZSTD_HEAD.len() as u64).read_to_end(&mut start).map_err(unreadable)?;
    let is_cut = start.len() < ZSTD_HEAD.len() && ZSTD_HEAD.starts_with(&start);
    if start != ZSTD_HEAD && !is_cut {
        return Err(Bad::Foreign("it does not begin as one, or its beginning is damaged".to_owned()));
    }
    let cut = || Bad::Damaged("it is cut off, or its last bytes are damaged".to_owned());
    let length = file.seek(SeekFrom::End(0)).map_err(unreadable)?;
    let length = length.checked_sub(TRAILER_BYTES as u64).ok_or_else(cut)?;
    file.seek(SeekFrom::Start(length)).map_err(unreadable)?;
    let mut end = [0; TRAILER_HEAD.len()];
    file.read_exact(&mut end).map_err(unreadable)?;
    if end != TRAILER_HEAD {
        return Err(cut());
    }
    file.rewind().map_err(unreadable)?;
    Ok(length)
}

fn decoder<R: Read>(raw: R) -> io::Result<zstd::Decoder<'static, BufReader<R>>> {
    let mut decoder = zstd::Decoder::new(raw)?;
    decoder.window_log_max(WINDOW_LOG)?;
    Ok(decoder)
}

pub(in crate::ops::backups) fn broken_manifest<E>(e: io::Error) -> Bad<E> {
    Bad::Damaged(format!("{MANIFEST} can't be unpacked: {e}"))
}

fn read_archive<S: Sink>(raw: &mut impl Read, spool: &Path, sink: &mut S) -> Result<Head, Bad<S::Fault>> {
    let mut archive = tar::Archive::new(decoder(raw).map_err(broken_manifest)?);
    let mut entries = archive.entries().map_err(broken_manifest)?.raw(true);
    let mut manifest = Manifest::read(next(&mut entries, MANIFEST, None)?, spool)?;
    sink.begin(&manifest.head, manifest.bytes)?;
    while let Some(part) = manifest.next_part()? {
        let name = part.name();
        let entry = next(&mut entries, &name, Some(part.size))?;
        let mut content = Hashing { inner: entry, sha: Sha256::new() };
        let broken = |e: io::Error| Bad::Damaged(format!("{name} can't be unpacked: {e}"));
        let mut watched = Watched { inner: &mut content, failed: None };
        let taken = sink.part(&part, &mut watched);
        if let Some(e) = watched.failed {
            return Err(broken(e));
        }
        taken.map_err(Bad::Sink)?;
        // The rest of the part, which the sink did not read.
        io::copy(&mut content, &mut io::sink()).map_err(broken)?;
        if content.sha.finalize().as_slice() != part.sha256 {
            return Err(Bad::Damaged(format!("{name} has another content")));
        }
        sink.whole(&part).map_err(Bad::Sink)?;
    }
    let broken = |e: io::Error| Bad::Damaged(format!("what stands behind the last part can't be unpacked: {e}"));
    if entries.next().transpose().map_err(broken)?.is_some() {
        return Err(Bad::Damaged("it has parts that its manifest lacks".to_owned()));
    }
    let mut rest = archive.into_inner().take(MOST_PADDING + 1);
    let mut left = Vec::new();
    rest.read_to_end(&mut left).map_err(broken)?;
    if left.len() as u64 > MOST_PADDING || left.iter().any(|byte| *byte != 0) {
        return Err(Bad::Damaged("something stands behind the last part".to_owned()));
    }
    Ok(manifest.head)
}

/// The next part, which must be a plain file of this name and size.
fn next<'a, R: Read, E>(
    entries: &mut tar::Entries<'a, R>,
    name: &str,
    size: Option<u64>,
) -> Result<tar::Entry<'a, R>, Bad<E>> {
    let entry = entries.next().transpose();
    let entry = entry.map_err(|e| Bad::Damaged(format!("{name} can't be unpacked: {e}")))?;
    let entry = entry.ok_or_else(|| Bad::Damaged(format!("{name} is missing")))?;
    if *entry.path_bytes() != *name.as_bytes() {
        if name == MANIFEST {
            return Err(Bad::Foreign(format!("it has no {MANIFEST}")));
        }
        return Err(Bad::Damaged(format!("{name} is missing, or stands elsewhere")));
    }
    if entry.header().entry_type() != tar::EntryType::Regular {
        return Err(Bad::Damaged(format!("{name} is no file")));
    }
    if size.is_some_and(|size| entry.size() != size) {
        return Err(Bad::Damaged(format!("{name} has another size")));
    }
    Ok(entry)
}

/// Keeps the error of a read, which is not one of the sink.
struct Watched<R> {
    inner: R,
    failed: Option<io::Error>,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer).map_err(|e| {
            let told = io::Error::new(e.kind(), e.to_string());
            self.failed = Some(e);
            told
        })
    }
}

/// Hashes what is read.
struct Hashing<R> {
    inner: R,
    sha: Sha256,
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.sha.update(&buffer[..read]);
        Ok(read)
    }
}
