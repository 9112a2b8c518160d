//! Idempotent requests: the same key and request within 24 hours get the first answer (contract section 1, S52).

use crate::base::error::{Code, Error, Result};
use crate::base::secret::{self, Keys, Purpose};
use crate::base::text::phrase::Phrase;
use crate::model::caller::Sender;
use crate::model::entry::Entry;
use crate::store::db::tx::Tx;
use crate::store::entries::idempotency::{self, RequestKey};

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
            return Err(Error::BadRequest(Phrase::plain("Idempotency-Key must be 1 to 255 visible ASCII characters")));
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
    /// 409 if the key was used for another request, 410 if the entry was deleted for good.
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
        let answer =
            opened(keys, &found.answer).ok_or_else(|| Error::internal("a remembered answer can't be opened"))?;
        if answer.is_empty() {
            return Err(Error::Gone("The entry that this request added was deleted for good".to_owned()));
        }
        Ok(Some(answer))
    }

    /// Stores the answer.
    pub fn remember(&self, tx: &Tx, keys: &Keys, form_no: i64, answer: &str) -> Result<()> {
        let sealed = keys.seal(Purpose::IdempotentAnswer, answer.as_bytes())?;
        idempotency::insert(tx, &self.at(keys, form_no), &self.request, &sealed)
    }
}

/// A stored answer as text; `None` if it was altered, or sealed with another key.
pub fn opened(keys: &Keys, sealed: &[u8]) -> Option<String> {
    keys.open(Purpose::IdempotentAnswer, sealed).and_then(|bytes| String::from_utf8(bytes).ok())
}

/// Empties the stored answer to the request that added an entry, which is deleted for good (S101). The request is still
/// known, so that it adds no second one.
pub fn forget(tx: &Tx, keys: &Keys, form_no: i64, entry: &Entry) -> Result<()> {
    let token = format!("\"token\":\"{}\"", entry.token.as_str());
    for row in idempotency::given_at(tx, form_no, entry.created_at)? {
        if opened(keys, &row.answer).is_some_and(|answer| answer.contains(&token)) {
            idempotency::replace(tx, form_no, &row, &keys.seal(Purpose::IdempotentAnswer, b"")?)?;
        }
    }
    Ok(())
}
