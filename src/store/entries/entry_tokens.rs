//! The tokens of entries: a row's address and 64 random bits under a keyed permutation. So a token leads to its row
//! without an index over random text, and reveals nothing to others.

use std::sync::Arc;

use aes::Aes128;
use aes::cipher::{Array, BlockCipherDecrypt as _, BlockCipherEncrypt as _, KeyInit as _};
use rand::Rng as _;

use crate::base::id::{self, EntryToken};
use crate::base::secret::{Keys, Purpose};

const LENGTH: usize = 22; // 128 bits in base 62

/// Makes tokens and reads them. Cheap to clone.
#[derive(Clone)]
pub struct EntryTokens(Arc<Aes128>);

impl EntryTokens {
    /// Under the instance key's own key for this.
    pub fn new(keys: &Keys) -> Self {
        let key = keys.derive(Purpose::EntryToken);
        let mut half = Array::from([0; 16]);
        half.copy_from_slice(&key[..16]);
        Self(Arc::new(Aes128::new(&half)))
    }

    /// A new token for the row at this address.
    pub fn make(&self, address: i64) -> EntryToken {
        let random = rand::rng().next_u64();
        let plain = u128::from(address.cast_unsigned()) << 64 | u128::from(random);
        let mut block = Array::from(plain.to_be_bytes());
        self.0.encrypt_block(&mut block);
        EntryToken::new(id::base62(u128::from_be_bytes(block.into()), LENGTH))
    }

    /// The address that a token was made for; of a text that is no token of ours some other number, or
    /// none. So the row's own token has to be compared.
    pub fn address(&self, token: &str) -> Option<i64> {
        let sealed = id::parse_base62(token).filter(|_| token.len() == LENGTH)?;
        let mut block = Array::from(sealed.to_be_bytes());
        self.0.decrypt_block(&mut block);
        let plain = u128::from_be_bytes(block.into());
        u64::try_from(plain >> 64).ok().map(u64::cast_signed)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn tokens_lead_back_and_never_repeat() {
        let tokens = EntryTokens::new(&Keys::new([7; 32]));
        let mut seen = HashSet::new();
        for address in [1, 1 << 32 | 1, 1 << 32 | 2, i64::MAX] {
            for _ in 0..100 {
                let token = tokens.make(address);
                assert_eq!(token.as_str().len(), LENGTH);
                assert!(token.as_str().bytes().all(|b| b.is_ascii_alphanumeric()));
                assert_eq!(tokens.address(token.as_str()), Some(address));
                assert!(seen.insert(token.as_str().to_owned()));
            }
        }
    }

    #[test]
    fn what_was_altered_leads_elsewhere() {
        let tokens = EntryTokens::new(&Keys::new([7; 32]));
        let other = EntryTokens::new(&Keys::new([8; 32]));
        let address = 5 << 32 | 9;
        let token = tokens.make(address);
        let token = token.as_str();
        assert_ne!(other.address(token), Some(address));
        for at in 0..LENGTH {
            let digit = if &token[at..=at] == "1" { "2" } else { "1" };
            let altered = format!("{}{digit}{}", &token[..at], &token[at + 1..]);
            assert_ne!(tokens.address(&altered), Some(address), "{altered}");
        }
        for bad in ["", "0", &token[1..], &format!("0{token}"), "ä", &"z".repeat(22)] {
            assert_eq!(tokens.address(bad), None, "{bad}");
        }
    }
}
