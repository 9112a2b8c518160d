//! Messages that leave the service are queued here, in the transaction of the change that they tell of. A background
//! thread delivers them; nobody waits for it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use crate::base::config::Config;
use crate::base::error::{Error, Result};
use crate::base::secret::{Keys, Purpose};
use crate::model::outbox::{Message, MessageKind, NewMessage};
use crate::store::outbox;
use crate::store::tx::Tx;

/// Takes messages.
pub struct Outbox {
    pub(in crate::ops) keys: Arc<Keys>,
    pub(in crate::ops) base_url: String,
    sends_mail: bool,
    bell: Notify,
    /// Forms with events that webhooks have not got yet, and the bell of whoever delivers them.
    told: Mutex<HashSet<i64>>,
    event_bell: Notify,
}

impl Outbox {
    pub(in crate::ops) fn new(keys: Arc<Keys>, config: &Config) -> Self {
        Self {
            keys,
            base_url: config.base_url.clone(),
            sends_mail: config.mail.is_some(),
            bell: Notify::new(),
            told: Mutex::default(),
            event_bell: Notify::new(),
        }
    }

    /// Whether there is a mail server. Without one nothing is queued.
    pub(in crate::ops) fn sends_mail(&self) -> bool {
        self.sends_mail
    }

    /// Queues a message; `entry` is the form's number and the serial of the entry that it tells of.
    pub(in crate::ops) fn queue(
        &self,
        tx: &Tx,
        kind: MessageKind,
        entry: Option<(i64, i64)>,
        target: &str,
        message: &Message,
    ) -> Result<()> {
        let plain = serde_json::to_vec(message).map_err(Error::internal)?;
        let body = self.keys.seal(Purpose::Outbox, &plain)?;
        let message = NewMessage { kind, entry, target, body: &body };
        outbox::insert(tx, &message)?;
        // Whoever is woken asks the writer, and is answered after the commit.
        self.bell.notify_one();
        Ok(())
    }

    /// A sealed message; `None` if it was altered, or sealed with another key.
    pub(in crate::ops) fn open(&self, body: &[u8]) -> Option<Message> {
        let plain = self.keys.open(Purpose::Outbox, body)?;
        serde_json::from_slice(&plain).ok()
    }

    /// Waits until a message is queued.
    pub(in crate::ops) async fn queued(&self) {
        self.bell.notified().await;
    }

    /// Tells that there are events of these forms to be delivered. Called once they are on disk.
    pub(in crate::ops) fn tell(&self, forms: impl IntoIterator<Item = i64>) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.extend(forms);
        drop(told);
        self.event_bell.notify_one();
    }

    /// Waits until there are events to be delivered: their forms.
    pub(in crate::ops) async fn told(&self) -> HashSet<i64> {
        loop {
            let forms = self.take_told();
            if !forms.is_empty() {
                return forms;
            }
            self.event_bell.notified().await;
        }
    }

    fn take_told(&self) -> HashSet<i64> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *told)
    }
}
