//! Reads an object of a bucket, from any position on.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStore as _, ObjectStoreExt as _};

use crate::outbound::bucket::{Bucket, BucketFault};

/// Bytes read first at a position: heads and ends are small.
const FIRST: u64 = 64 << 10;

pub struct Reader {
    bucket: Bucket,
    key: Path,
    size: u64,
    written_at: i64,
    at: u64,
    /// The bytes from `at` on that have come.
    piece: Bytes,
    /// The bytes after the piece, once more than the first bytes were read.
    stream: Option<BoxStream<'static, object_store::Result<Bytes>>>,
    has_moved: bool,
    failure: Arc<Mutex<Option<BucketFault>>>,
}

impl Bucket {
    /// Opens it for reading.
    ///
    /// # Errors
    /// It is not there, or the store fails.
    pub fn reader(&self, name: &str) -> Result<Reader, BucketFault> {
        let found = self.head(name)?;
        Ok(Reader {
            size: found.size,
            written_at: found.last_modified.timestamp_millis(),
            bucket: self.clone(),
            key: self.key(name),
            at: 0,
            piece: Bytes::new(),
            stream: None,
            has_moved: true,
            failure: Arc::default(),
        })
    }
}

impl Reader {
    /// In bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// When it was written, in milliseconds since 1970.
    pub fn written_at(&self) -> i64 {
        self.written_at
    }

    /// The error that ended the reading, for a caller that finds data missing.
    pub fn failure(&self) -> Arc<Mutex<Option<BucketFault>>> {
        Arc::clone(&self.failure)
    }

    fn more(&mut self) -> Result<Bytes, BucketFault> {
        if self.has_moved {
            self.has_moved = false;
            let range = self.at..self.size.min(self.at + FIRST);
            let got = self.bucket.store.get_range(&self.key, range);
            return Ok(self.bucket.runtime.block_on(got)?);
        }
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => {
                let options =
                    GetOptions { range: Some(GetRange::Bounded(self.at..self.size)), ..GetOptions::default() };
                let got = self.bucket.store.get_opts(&self.key, options);
                let got = self.bucket.runtime.block_on(got)?;
                self.stream.insert(got.into_stream())
            }
        };
        match self.bucket.runtime.block_on(stream.next()) {
            Some(piece) => Ok(piece?),
            None => Err(BucketFault::Failed("it ended too early".to_owned())),
        }
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() && self.at < self.size {
            self.piece = self.more().inspect_err(|fault| {
                let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
                *failure = Some(fault.clone());
            })?;
        }
        let read = buffer.len().min(self.piece.len());
        buffer[..read].copy_from_slice(&self.piece.split_to(read));
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for Reader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.size.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        let at = at.ok_or(ErrorKind::InvalidInput)?;
        if at != self.at {
            self.at = at;
            self.piece = Bytes::new();
            self.stream = None;
            self.has_moved = true;
        }
        Ok(at)
    }
}
