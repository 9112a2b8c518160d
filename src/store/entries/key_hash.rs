//! Hashes of unique values, as stored in `entry_keys`: 16 bytes under the instance key. So the table holds no second
//! copy of addresses and numbers in clear, its rows are short, and its pages fill evenly.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::base::secret::{Keys, Purpose};

/// The hash of one key.
pub type Hash = [u8; 16];

/// Hashes exact keys.
pub struct KeyHasher(Hmac<Sha256>);

impl KeyHasher {
    /// Under the instance key's own key for this.
    pub fn new(keys: &Keys) -> Self {
        let key = keys.derive(Purpose::ExactKey);
        Self(Hmac::new_from_slice(key.as_slice()).expect("HMAC takes keys of any length"))
    }

    /// The hash of a key of one field: the same text has another one in every other field.
    pub fn hash(&self, form_no: i64, field: u32, key: &str) -> Hash {
        let mut mac = self.0.clone();
        mac.update(&form_no.to_le_bytes());
        mac.update(&field.to_le_bytes());
        mac.update(key.as_bytes());
        let whole = mac.finalize().into_bytes();
        let (half, _) = whole.split_at(Hash::default().len());
        half.try_into().expect("half of 32 bytes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_of_one_field_and_one_instance() {
        let hasher = KeyHasher::new(&Keys::new([7; 32]));
        let other = KeyHasher::new(&Keys::new([8; 32]));
        let hash = hasher.hash(1, 2, "ada");
        assert_eq!(hasher.hash(1, 2, "ada"), hash);
        for different in
            [hasher.hash(1, 3, "ada"), hasher.hash(2, 2, "ada"), hasher.hash(1, 2, "adb"), other.hash(1, 2, "ada")]
        {
            assert_ne!(different, hash);
        }
    }
}
