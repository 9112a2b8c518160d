//! Reports that were counted before, by form and question: those of large forms take seconds.

use std::sync::{Arc, Mutex, PoisonError};

use crate::ops::entries::reports::Overview;
use crate::store::entries::change_mark::ChangeMark;

/// Estimated memory of all of them.
const BYTES: usize = 16 << 20;

/// The key of a report: the form, and the request as text.
pub type Key = (i64, String);

/// The state that a report was counted from: the entries, the form's version, and the day where values depend on it.
pub type Mark = (ChangeMark, i64, u32);

struct Kept {
    key: Key,
    mark: Mark,
    report: Arc<Overview>,
    bytes: usize,
}

/// The last one that was used stands last.
#[derive(Default)]
pub struct Remembered(Mutex<Vec<Kept>>);

impl Remembered {
    /// The report, if it was counted from the same.
    pub fn get(&self, key: &Key, mark: &Mark) -> Option<Arc<Overview>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|kept| kept.key == *key)?;
        let kept = all.remove(at);
        if kept.mark != *mark {
            return None;
        }
        let report = Arc::clone(&kept.report);
        all.push(kept);
        Some(report)
    }

    /// Stores a report; the least recently used ones are dropped.
    pub fn put(&self, key: Key, mark: Mark, report: &Arc<Overview>) {
        let bytes = report.bytes() + key.1.len();
        if bytes > BYTES {
            return;
        }
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|kept| kept.key != key);
        all.push(Kept { key, mark, report: Arc::clone(report), bytes });
        let mut sum: usize = all.iter().map(|kept| kept.bytes).sum();
        while sum > BYTES {
            sum -= all.remove(0).bytes;
        }
    }
}
