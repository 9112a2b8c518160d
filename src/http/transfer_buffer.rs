//! Sizes of the buffers for uploads and streamed answers. Larger buffers amortise the switch to a blocking
//! thread; many transfers at the same time share a fixed amount of memory.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Memory of all buffers together. Each transfer has two: one being filled, one being written.
const TOTAL: usize = 16 << 20;

/// Uploads.
pub static UPLOADS: Pool = Pool::new(64 << 10, 1 << 20);
/// Answers that are produced while they are sent.
pub static ANSWERS: Pool = Pool::new(16 << 10, 256 << 10);

/// Transfers that share buffer memory.
pub struct Pool {
    transfers: AtomicUsize,
    smallest: usize,
    largest: usize,
}

impl Pool {
    const fn new(smallest: usize, largest: usize) -> Self {
        Self { transfers: AtomicUsize::new(0), smallest, largest }
    }

    /// Registers one more transfer.
    pub fn share(&'static self) -> BufferShare {
        self.transfers.fetch_add(1, Ordering::Relaxed);
        BufferShare(self)
    }

    fn size(&self) -> usize {
        let transfers = self.transfers.load(Ordering::Relaxed).max(1);
        (TOTAL / 2 / transfers).clamp(self.smallest, self.largest)
    }
}

/// A transfer's share of the memory; released on drop.
pub struct BufferShare(&'static Pool);

impl BufferShare {
    /// The buffer size in bytes; smaller with more transfers.
    pub fn size(&self) -> usize {
        self.0.size()
    }

    /// Whether a buffer is to be written.
    pub fn is_full(&self, buffer: &[u8]) -> bool {
        buffer.len() >= self.size()
    }

    /// A written buffer for reuse; a new one if it is too large for the current share.
    pub fn reuse(&self, mut written: Vec<u8>) -> Vec<u8> {
        written.clear();
        if written.capacity() > 2 * self.size() {
            written = Vec::new();
        }
        written
    }
}

impl Drop for BufferShare {
    fn drop(&mut self) {
        self.0.transfers.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_files_have_small_pieces() {
        static POOL: Pool = Pool::new(64 << 10, 1 << 20);
        let mut shares: Vec<BufferShare> = (0..8).map(|_| POOL.share()).collect();
        assert_eq!(shares[0].size(), 1 << 20);
        shares.extend((0..8).map(|_| POOL.share()));
        assert_eq!(shares[0].size(), 1 << 19);
        shares.extend((0..1000).map(|_| POOL.share()));
        assert_eq!(shares[0].size(), 64 << 10);
        assert!(shares[0].is_full(&[0; 128 << 10]) && !shares[0].is_full(&[0; 9]));
        assert_eq!(shares[0].reuse(vec![0; 1 << 20]).capacity(), 0);
        assert!(shares[0].reuse(vec![0; 64 << 10]).capacity() >= 64 << 10);
        drop(shares);
        assert_eq!(POOL.share().size(), 1 << 20);
    }
}
