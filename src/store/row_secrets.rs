//! Derivations from the instance key that rows need, computed once.

use std::sync::Arc;

use crate::base::secret::Keys;
use crate::store::entry_tokens::EntryTokens;
use crate::store::key_hash::KeyHasher;

/// Creates values that depend on the instance key. Cheap to clone.
#[derive(Clone)]
pub struct RowSecrets {
    pub tokens: EntryTokens,
    /// Hashes values of unique fields.
    pub keys: Arc<KeyHasher>,
}

impl RowSecrets {
    pub fn new(keys: &Keys) -> Self {
        Self {
            tokens: EntryTokens::new(keys),
            keys: Arc::new(KeyHasher::new(keys)),
        }
    }
}
