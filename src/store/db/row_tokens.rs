//! Public ids that encode a row's number with a keyed permutation: nothing is stored and no index over random text is
//! needed. They grant no access: the caller still needs permission for the form.

use std::sync::Arc;

use aes::Aes128;
use aes::cipher::{Array, BlockCipherDecrypt as _, BlockCipherEncrypt as _, KeyInit as _};

use crate::base::id;
use crate::base::secret::{Keys, Purpose};

const LENGTH: usize = 22; // 128 bits in base 62

/// Makes ids and reads them. Cheap to clone.
#[derive(Clone)]
pub struct RowTokens {
    cipher: Arc<Aes128>,
    prefix: &'static str,
}

impl RowTokens {
    /// Under the purpose's own key.
    pub fn new(keys: &Keys, purpose: Purpose, prefix: &'static str) -> Self {
        let key = keys.derive(purpose);
        let mut half = Array::from([0; 16]);
        half.copy_from_slice(&key[..16]);
        Self { cipher: Arc::new(Aes128::new(&half)), prefix }
    }

    /// The public id of the row with this number.
    pub fn make(&self, row: i64) -> String {
        let plain = u128::from(row.cast_unsigned());
        let mut block = Array::from(plain.to_be_bytes());
        self.cipher.encrypt_block(&mut block);
        let sealed = u128::from_be_bytes(block.into());
        format!("{}{}", self.prefix, id::base62(sealed, LENGTH))
    }

    /// Whether a text has the format of these ids.
    pub fn is_token(&self, text: &str) -> bool {
        let digits = text.strip_prefix(self.prefix);
        digits.is_some_and(|it| it.len() == LENGTH && it.chars().all(|c| c.is_ascii_alphanumeric()))
    }

    /// The row's number in an id; `None` for a text that is not one of our ids.
    pub fn row(&self, token: &str) -> Option<i64> {
        let digits = token.strip_prefix(self.prefix)?;
        let sealed = id::parse_base62(digits).filter(|_| digits.len() == LENGTH)?;
        let mut block = Array::from(sealed.to_be_bytes());
        self.cipher.decrypt_block(&mut block);
        let plain = u128::from_be_bytes(block.into());
        u64::try_from(plain).ok().map(u64::cast_signed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_lead_back_and_others_to_nothing() {
        let keys = Keys::new([7; 32]);
        let events = RowTokens::new(&keys, Purpose::EventToken, "evt_");
        let others = RowTokens::new(&keys, Purpose::DeliveryToken, "evt_");
        for row in [1, 1 << 32 | 1, i64::MAX] {
            let token = events.make(row);
            assert_eq!(token.len(), 26);
            assert_eq!(events.row(&token), Some(row));
            assert_eq!(others.row(&token), None);
            assert!(events.is_token(&token) && !events.is_token(&token[4..]));
            assert!(!events.is_token(&token[..25]) && !events.is_token(&token.replacen(&token[9..10], "-", 1)));
            assert_eq!(events.row(&token[4..]), None);
            assert_eq!(events.row(&format!("{token}0")), None);
            for at in 4..token.len() {
                let digit = if &token[at..=at] == "1" { "2" } else { "1" };
                let altered = format!("{}{digit}{}", &token[..at], &token[at + 1..]);
                assert_eq!(events.row(&altered), None, "{altered}");
            }
        }
    }
}
