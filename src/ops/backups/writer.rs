//! Writes a backup: see [`format`](super::format).

use std::io::{self, Read, Write};

use sha2::{Digest as _, Sha256};

use crate::base::clock::Time;
use crate::ops::backups::format::{BackupPart, Head, MANIFEST, TRAILER_HEAD};

/// Fast; a higher level saves a tenth for twice the time.
const LEVEL: i32 = 3;

/// Hashes the bytes written.
struct Hashing<W> {
    inner: W,
    sha: Sha256,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sha.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

pub struct Writer<W: Write> {
    tar: tar::Builder<zstd::Encoder<'static, Hashing<W>>>,
    created_at: Time,
}

impl<W: Write> Writer<W> {
    /// Begins with the manifest.
    pub fn new(out: W, head: &Head, parts: &[BackupPart]) -> io::Result<Self> {
        let hashing = Hashing { inner: out, sha: Sha256::new() };
        let mut writer =
            Self { tar: tar::Builder::new(zstd::Encoder::new(hashing, LEVEL)?), created_at: head.created_at };
        // Written twice, so that a million of lines take no memory.
        let mut size = 0;
        write_lines(head, parts, |line| {
            size += line.len() as u64;
            Ok(())
        })?;
        let header = writer.header(MANIFEST, size)?;
        let encoder = writer.tar.get_mut();
        encoder.write_all(header.as_bytes())?;
        write_lines(head, parts, |line| encoder.write_all(line.as_bytes()))?;
        writer.pad(size)?;
        Ok(writer)
    }

    /// Adds a part, of which just as many bytes are read; returns the hash of the written bytes.
    pub fn add(&mut self, part: &BackupPart, from: &mut dyn Read) -> io::Result<[u8; 32]> {
        let header = self.header(&part.name(), part.size)?;
        let encoder = self.tar.get_mut();
        encoder.write_all(header.as_bytes())?;
        let mut sha = Sha256::new();
        let mut left = part.size;
        let mut piece = vec![0; 64 << 10];
        while left > 0 {
            let most = usize::try_from(left).unwrap_or(usize::MAX).min(piece.len());
            let read = from.read(&mut piece[..most])?;
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            sha.update(&piece[..read]);
            encoder.write_all(&piece[..read])?;
            left -= read as u64;
        }
        self.pad(part.size)?;
        Ok(sha.finalize().into())
    }

    /// Ends the archive with the hash of all of it.
    pub fn finish(self) -> io::Result<W> {
        let Hashing { mut inner, mut sha } = self.tar.into_inner()?.finish()?;
        sha.update(TRAILER_HEAD);
        inner.write_all(&TRAILER_HEAD)?;
        inner.write_all(&sha.finalize())?;
        inner.flush()?;
        Ok(inner)
    }

    fn header(&self, name: &str, size: u64) -> io::Result<tar::Header> {
        let mut header = tar::Header::new_ustar();
        header.set_path(name)?;
        header.set_size(size);
        header.set_mode(0o600);
        header.set_mtime(u64::try_from(self.created_at.secs()).unwrap_or_default());
        header.set_entry_type(tar::EntryType::Regular);
        header.set_cksum();
        Ok(header)
    }

    /// Fills the last block.
    fn pad(&mut self, size: u64) -> io::Result<()> {
        let rest = usize::try_from(size % 512).unwrap_or_default();
        let padding = [0; 512];
        let encoder = self.tar.get_mut();
        encoder.write_all(&padding[..(512 - rest) % 512])
    }
}

fn write_lines(head: &Head, parts: &[BackupPart], mut write: impl FnMut(&str) -> io::Result<()>) -> io::Result<()> {
    write(&format!("{}\n", serde_json::to_string(head)?))?;
    for part in parts {
        write(&format!("{}\n", part.line()?))?;
    }
    Ok(())
}
