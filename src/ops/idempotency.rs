//! Requests that may be sent twice: the same key and request within 24 hours get the first answer
//! (contract section 1, S52).

use crate::base::error::{Code, Error, Result};
use crate::base::secret::{self, Keys, Purpose};
use crate::model::caller::Sender;
use crate::store::idempotency::{self, RequestKey};
use crate::store::tx::Tx;

/// A request that carries an `Idempotency-Key`.
#[derive(Clone, Debug)]
pub struct Once {
    key: String,
    caller: [u8; 32],
    request: [u8; 32],
}

impl Once {
    /// From the header, who sends the request, and what it is: its address and body.
    ///
    /// # Errors
    /// 400 for a key that is not 1 to 255 visible ASCII characters.
    pub fn new(key: &str, sender: &Sender, path: &str, body: &[u8]) -> Result<Self> {
        if !(1..=255).contains(&key.len()) || !key.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(Error::BadRequest(
                "Idempotency-Key must be 1 to 255 visible ASCII characters".to_owned(),
            ));
        }
        let caller = match sender {
            Sender::User(user) => secret::hash_parts(&[b"user", &user.0.to_le_bytes()]),
            Sender::Network(network) => secret::hash_parts(&[b"network", network.as_bytes()]),
        };
        Ok(Self {
            key: key.to_owned(),
            caller,
            request: secret::hash_parts(&[path.as_bytes(), body]),
        })
    }

    fn at(&self, form_no: i64) -> RequestKey {
        RequestKey {
            form_no,
            caller: self.caller,
            key: self.key.clone(),
        }
    }

    /// The answer that this request got before; none when it is the first.
    ///
    /// # Errors
    /// 409 when the key was used for another request.
    pub fn before(&self, tx: &Tx, keys: &Keys, form_no: i64) -> Result<Option<String>> {
        let Some(found) = idempotency::find(tx, &self.at(form_no))? else {
            return Ok(None);
        };
        if found.request != self.request {
            return Err(Error::Conflict(
                Code::IdempotencyConflict,
                "This Idempotency-Key was used for another request".to_owned(),
            ));
        }
        keys.open(Purpose::IdempotentAnswer, &found.answer)
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .map(Some)
            .ok_or_else(|| Error::internal("a remembered answer can't be opened"))
    }

    /// Remembers the answer.
    ///
    /// # Errors
    /// Internal.
    pub fn remember(&self, tx: &Tx, keys: &Keys, form_no: i64, answer: &str) -> Result<()> {
        let sealed = keys.seal(Purpose::IdempotentAnswer, answer.as_bytes())?;
        idempotency::insert(tx, &self.at(form_no), &self.request, &sealed)
    }
}
