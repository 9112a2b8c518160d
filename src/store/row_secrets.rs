//! What rows hold under the instance key, made ready once.

use std::sync::Arc;

use crate::base::secret::Keys;
use crate::store::entry_tokens::EntryTokens;
use crate::store::key_hash::KeyHasher;

/// Makes what rows hold under the instance key. Cheap to clone.
#[derive(Clone)]
pub struct RowSecrets {
    /// The tokens of entries.
    pub tokens: EntryTokens,
    /// The exact keys of unique fields.
    pub keys: Arc<KeyHasher>,
}

impl RowSecrets {
    /// Under this instance key.
    pub fn new(keys: &Keys) -> Self {
        Self {
            tokens: EntryTokens::new(keys),
            keys: Arc::new(KeyHasher::new(keys)),
        }
    }
}
