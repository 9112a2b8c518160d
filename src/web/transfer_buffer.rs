//! Sizes of the buffers for uploads and streamed answers. Larger buffers amortise the switch to a blocking
//! thread; many transfers at the same time share a fixed amount of memory.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Memory of all buffers together. Each transfer has two: one being filled, one being written.
const ALL: usize = 16 << 20;

/// Uploads.
pub static UPLOADS: Pool = Pool::new(64 << 10, 1 << 20);
/// Answers that are produced while they are sent.
pub static ANSWERS: Pool = Pool::new(16 << 10, 256 << 10);

/// Transfers that share memory.
pub struct Pool {
    files: AtomicUsize,
    smallest: usize,
    largest: usize,
}

impl Pool {
    const fn new(smallest: usize, largest: usize) -> Self {
        Self {
            files: AtomicUsize::new(0),
            smallest,
            largest,
        }
    }

    /// The share of one more transfer.
    pub fn share(&'static self) -> Share {
        self.files.fetch_add(1, Ordering::Relaxed);
        Share(self)
    }

    fn size(&self) -> usize {
        let files = self.files.load(Ordering::Relaxed).max(1);
        (ALL / 2 / files).clamp(self.smallest, self.largest)
    }
}

/// A file's share, until it is dropped.
pub struct Share(&'static Pool);

impl Share {
    /// How large a piece may be: smaller while there are others.
    pub fn size(&self) -> usize {
        self.0.size()
    }

    /// Whether a piece is to be written: sooner while others come.
    pub fn is_full(&self, piece: &[u8]) -> bool {
        piece.len() >= self.size()
    }

    /// Room for the next piece, where one was written: less of it, when others came meanwhile.
    pub fn next(&self, mut written: Vec<u8>) -> Vec<u8> {
        written.clear();
        if written.capacity() > 2 * self.size() {
            written = Vec::new();
        }
        written
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.0.files.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_files_have_small_pieces() {
        static POOL: Pool = Pool::new(64 << 10, 1 << 20);
        let mut shares: Vec<Share> = (0..8).map(|_| POOL.share()).collect();
        assert_eq!(shares[0].size(), 1 << 20);
        shares.extend((0..8).map(|_| POOL.share()));
        assert_eq!(shares[0].size(), 1 << 19);
        shares.extend((0..1000).map(|_| POOL.share()));
        assert_eq!(shares[0].size(), 64 << 10);
        assert!(shares[0].is_full(&[0; 128 << 10]) && !shares[0].is_full(&[0; 9]));
        assert_eq!(shares[0].next(vec![0; 1 << 20]).capacity(), 0);
        assert!(shares[0].next(vec![0; 64 << 10]).capacity() >= 64 << 10);
        drop(shares);
        assert_eq!(POOL.share().size(), 1 << 20);
    }
}
