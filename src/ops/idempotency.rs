//! Idempotent requests: the same key and request within 24 hours get the first answer (contract section 1, S52).

use crate::base::error::{Code, Error, Result};
use crate::base::secret::{self, Keys, Purpose};
use crate::model::caller::Sender;
use crate::store::idempotency::{self, RequestKey};
use crate::store::tx::Tx;

/// A request that carries an `Idempotency-Key`.
#[derive(Clone, Debug)]
pub struct Once {
    key: String,
    sender: Sender,
    request: [u8; 32],
}

impl Once {
    /// From the header, the sender, and the request's path and body.
    ///
    /// # Errors
    /// 400 for a key that is not 1 to 255 visible ASCII characters.
    pub fn new(key: &str, sender: &Sender, path: &str, body: &[u8]) -> Result<Self> {
        if !(1..=255).contains(&key.len()) || !key.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(Error::BadRequest("Idempotency-Key must be 1 to 255 visible ASCII characters".to_owned()));
        }
        Ok(Self { key: key.to_owned(), sender: sender.clone(), request: secret::hash_parts(&[path.as_bytes(), body]) })
    }

    fn at(&self, keys: &Keys, form_no: i64) -> RequestKey {
        // A keyed hash, since there are few enough networks to try them all.
        let hash = |parts: &[&[u8]]| keys.hash(Purpose::IdempotentSender, parts);
        RequestKey {
            form_no,
            caller: match &self.sender {
                Sender::User(user) => hash(&[b"user", &user.0.to_le_bytes()]),
                Sender::Network(network) => hash(&[b"network", network.as_bytes()]),
            },
            key: self.key.clone(),
        }
    }

    /// The stored answer to this request, if it was answered before.
    ///
    /// # Errors
    /// 409 if the key was used for another request.
    pub fn before(&self, tx: &Tx, keys: &Keys, form_no: i64) -> Result<Option<String>> {
        let Some(found) = idempotency::find(tx, &self.at(keys, form_no))? else {
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

    /// Stores the answer.
    pub fn remember(&self, tx: &Tx, keys: &Keys, form_no: i64, answer: &str) -> Result<()> {
        let sealed = keys.seal(Purpose::IdempotentAnswer, answer.as_bytes())?;
        idempotency::insert(tx, &self.at(keys, form_no), &self.request, &sealed)
    }
}
