//! The keys that came with the running batch: they get their rows with its commit, many entries in one.

use crate::store::recent_keys::known::OfEntry;

/// What has no row yet.
#[derive(Default)]
pub struct Came {
    entries: Vec<OfEntry>,
    /// How many there were before the running job.
    before: usize,
    /// What there was, if the running job has taken some of it away.
    kept: Option<Vec<OfEntry>>,
}

impl Came {
    /// To be called before each job.
    pub fn begin_job(&mut self) {
        self.before = self.entries.len();
        self.kept = None;
    }

    /// To be called after a job whose changes are not kept; what it added.
    pub fn undo_job(&mut self) -> Vec<OfEntry> {
        if let Some(kept) = self.kept.take() {
            self.entries = kept;
        }
        self.entries.split_off(self.before)
    }

    pub fn add(&mut self, entry: OfEntry) {
        self.entries.push(entry);
    }

    /// Takes those away that are as `is_one` says.
    pub fn take(&mut self, is_one: impl Fn(&OfEntry) -> bool) -> Vec<OfEntry> {
        if !self.entries.iter().any(&is_one) {
            return Vec::new();
        }
        self.kept.get_or_insert_with(|| self.entries.clone());
        self.entries.extract_if(.., |entry| is_one(entry)).collect()
    }

    /// All, in the order in which they came.
    pub fn entries(&self) -> &[OfEntry] {
        &self.entries
    }

    /// Forgets all: they have their rows, or the batch was not kept.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.begin_job();
    }
}
