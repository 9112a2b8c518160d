//! How much of a file that comes is written at once. What it takes to get to another thread is little beside a
//! large piece; many files that come at the same time share little memory.

use std::sync::atomic::{AtomicUsize, Ordering};

/// What the pieces of all files may come to together, of each one that is written and one that comes.
const ALL: usize = 16 << 20;
const SMALLEST: usize = 64 << 10;
const LARGEST: usize = 1 << 20;

static FILES: AtomicUsize = AtomicUsize::new(0);

/// A file's share, until it is dropped.
pub struct Share(());

impl Share {
    /// One more file comes.
    pub fn take() -> Self {
        FILES.fetch_add(1, Ordering::Relaxed);
        Self(())
    }

    /// Whether a piece is to be written: sooner while others come.
    pub fn is_full(&self, piece: &[u8]) -> bool {
        piece.len() >= size(FILES.load(Ordering::Relaxed))
    }

    /// Room for the next piece, where one was written: less of it, when others came meanwhile.
    pub fn next(&self, mut written: Vec<u8>) -> Vec<u8> {
        written.clear();
        if written.capacity() > 2 * size(FILES.load(Ordering::Relaxed)) {
            written = Vec::new();
        }
        written
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        FILES.fetch_sub(1, Ordering::Relaxed);
    }
}

fn size(files: usize) -> usize {
    (ALL / 2 / files.max(1)).clamp(SMALLEST, LARGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_large_is_not_kept_for_small_pieces() {
        let shares: Vec<Share> = (0..100).map(|_| Share::take()).collect();
        assert!(shares[0].is_full(&[0; SMALLEST * 2]) && !shares[0].is_full(&[0; 9]));
        assert_eq!(shares[0].next(vec![0; LARGEST]).capacity(), 0);
        assert!(shares[0].next(vec![0; SMALLEST]).capacity() >= SMALLEST);
    }

    #[test]
    fn many_files_have_small_pieces() {
        assert_eq!(size(0), LARGEST);
        assert_eq!(size(8), LARGEST);
        assert_eq!(size(16), LARGEST / 2);
        assert_eq!(size(50), ALL / 100);
        assert_eq!(size(10_000), SMALLEST);
    }
}
