//! Writes to a bucket: a few megabytes as one request, more in parts, of which two are under way while the next is filled.
//! Nothing can be seen of it before its end.

use std::io::{self, Write};

use object_store::multipart::{MultipartStore as _, PartId};
use object_store::path::Path;
use object_store::{MultipartId, ObjectStoreExt as _, PutPayload};
use tokio::task::JoinSet;

use crate::outbound::bucket::{Bucket, BucketFault};

const PART: usize = 8 << 20;
/// A store takes 10,000 parts.
const MOST_PARTS: u64 = 9_000;
const UNDER_WAY: usize = 2;

/// Keeps the id of an upload in parts, so that it can be aborted by a later process: called with it when it begins, and
/// with `None` at its end.
pub type Note = Box<dyn FnMut(Option<&str>) -> io::Result<()> + Send>;

/// Aborted on drop unless it was finished.
pub struct Upload {
    bucket: Bucket,
    key: Path,
    part_bytes: usize,
    buffer: Vec<u8>,
    written: u64,
    begun: Option<Begun>,
    note: Note,
}

struct Begun {
    id: MultipartId,
    parts: Vec<Option<PartId>>,
    under_way: JoinSet<(usize, object_store::Result<PartId>)>,
}

impl Bucket {
    /// Begins an upload. `expected` is its largest size.
    pub fn upload(&self, name: &str, expected: u64, note: Note) -> Upload {
        let part = usize::try_from(expected / MOST_PARTS).unwrap_or(usize::MAX);
        Upload {
            bucket: self.clone(),
            key: self.key(name),
            part_bytes: part.max(PART),
            buffer: Vec::new(),
            written: 0,
            begun: None,
            note,
        }
    }
}

impl Upload {
    /// Begins again.
    pub fn restart(&mut self) {
        self.abort();
        self.buffer.clear();
        self.written = 0;
    }

    /// Makes the object visible, in place of an earlier one of its name. Returns its size in bytes.
    pub fn finish(mut self) -> Result<u64, BucketFault> {
        if self.begun.is_none() {
            let payload = PutPayload::from(std::mem::take(&mut self.buffer));
            let put = self.bucket.store.put(&self.key, payload);
            self.bucket.runtime.block_on(put)?;
            return Ok(self.written);
        }
        if !self.buffer.is_empty() {
            self.send_part()?;
        }
        self.wait_for(0)?;
        if let Some(begun) = &mut self.begun {
            let parts = std::mem::take(&mut begun.parts);
            let parts = parts.into_iter().flatten().collect();
            let store = &self.bucket.store;
            let done = store.complete_multipart(&self.key, &begun.id, parts);
            self.bucket.runtime.block_on(done)?;
        }
        self.begun = None;
        self.forget();
        Ok(self.written)
    }

    fn send_part(&mut self) -> Result<(), BucketFault> {
        if self.begun.is_none() {
            let id = self.bucket.store.create_multipart(&self.key);
            let id = self.bucket.runtime.block_on(id)?;
            let begun = Begun { id, parts: Vec::new(), under_way: JoinSet::new() };
            let id = &self.begun.insert(begun).id;
            (self.note)(Some(id)).map_err(|e| BucketFault::Failed(e.to_string()))?;
        }
        self.wait_for(UNDER_WAY - 1)?;
        let payload = PutPayload::from(std::mem::take(&mut self.buffer));
        if let Some(begun) = &mut self.begun {
            let nth = begun.parts.len();
            begun.parts.push(None);
            let (store, key) = (self.bucket.store.clone(), self.key.clone());
            let id = begun.id.clone();
            let sent = async move { (nth, store.put_part(&key, &id, nth, payload).await) };
            begun.under_way.spawn_on(sent, self.bucket.runtime.handle());
        }
        Ok(())
    }

    /// Waits until at most `most` parts are in progress.
    fn wait_for(&mut self, most: usize) -> Result<(), BucketFault> {
        let Some(begun) = &mut self.begun else {
            return Ok(());
        };
        while begun.under_way.len() > most {
            let Some(sent) = self.bucket.runtime.block_on(begun.under_way.join_next()) else {
                break;
            };
            let (nth, part) = sent.map_err(|e| BucketFault::Failed(e.to_string()))?;
            begun.parts[nth] = Some(part?);
        }
        Ok(())
    }

    fn abort(&mut self) {
        let Some(mut begun) = self.begun.take() else {
            return;
        };
        begun.under_way.abort_all();
        let store = &self.bucket.store;
        let aborted = store.abort_multipart(&self.key, &begun.id);
        // If it can't be, its note leads a later process to it.
        if self.bucket.runtime.block_on(aborted).is_ok() {
            self.forget();
        }
    }

    fn forget(&mut self) {
        if let Err(e) = (self.note)(None) {
            tracing::debug!("the note of an upload stays: {e}");
        }
    }
}

impl Write for Upload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.is_empty() {
            self.buffer.reserve_exact(self.part_bytes);
        }
        let room = self.part_bytes - self.buffer.len();
        let bytes = &bytes[..room.min(bytes.len())];
        self.buffer.extend_from_slice(bytes);
        self.written += bytes.len() as u64;
        if self.buffer.len() == self.part_bytes {
            self.send_part()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        self.abort();
    }
}
