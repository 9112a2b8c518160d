//! Derivations from the instance key that rows need, computed once.

use std::sync::Arc;

use crate::base::secret::{Keys, Purpose};
use crate::store::db::row_tokens::RowTokens;
use crate::store::entries::entry_tokens::EntryTokens;
use crate::store::entries::key_hash::KeyHasher;

/// Creates values that depend on the instance key. Cheap to clone.
#[derive(Clone)]
pub struct RowSecrets {
    pub tokens: EntryTokens,
    pub events: RowTokens,
    pub deliveries: RowTokens,
    /// Hashes values of unique fields.
    pub keys: Arc<KeyHasher>,
}

impl RowSecrets {
    pub fn new(keys: &Keys) -> Self {
        Self {
            tokens: EntryTokens::new(keys),
            events: RowTokens::new(keys, Purpose::EventToken, "evt_"),
            deliveries: RowTokens::new(keys, Purpose::DeliveryToken, "dlv_"),
            keys: Arc::new(KeyHasher::new(keys)),
        }
    }
}
