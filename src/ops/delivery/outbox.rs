//! Messages that leave the service are queued here, in the transaction of the change that they tell of. A background
//! thread delivers them; nobody waits for it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use crate::base::clock::Time;
use crate::base::config::{Config, MailLimits};
use crate::base::error::{Error, Result};
use crate::base::metrics::Counter;
use crate::base::secret::{Keys, Purpose};
use crate::model::form::Form;
use crate::model::outbox::{AboutForm, MailLane, Message, MessageKind, NewMessage};
use crate::model::user::{OrganizationId, folded_email};
use crate::ops::delivery::mail_limits::{self, Planned};
use crate::store::db::tx::Tx;
use crate::store::delivery::outbox;

/// Takes messages.
pub struct Outbox {
    pub(in crate::ops) keys: Arc<Keys>,
    pub(in crate::ops) base_url: String,
    /// The address that mail comes from; empty where there is no mail server.
    pub(in crate::ops) sender: String,
    /// None where there is no mail server.
    limits: Option<MailLimits>,
    /// Mails about forms that are never sent, since the service started.
    pub(in crate::ops) held_back: Counter,
    account_bell: Notify,
    form_bell: Notify,
    /// Forms with events that webhooks have not got yet, and the bell that wakes the delivery thread.
    told: Mutex<HashSet<i64>>,
    event_bell: Notify,
}

/// A mail about a form: its recipient, and the counters that it adds to.
pub(in crate::ops) struct FormMail<'a> {
    pub kind: MessageKind,
    pub form: &'a Form,
    pub organization: OrganizationId,
    /// The entry that it tells of.
    pub serial: Option<i64>,
    pub to: &'a str,
    /// Whether its reader agreed to any number of them.
    pub is_agreed: bool,
    /// The pseudonym of the network whose submission causes it; none where that is not counted.
    pub sender: Option<&'a str>,
}

impl Outbox {
    pub(in crate::ops) fn new(keys: Arc<Keys>, config: &Config) -> Self {
        Self {
            keys,
            base_url: config.base_url.clone(),
            sender: config.mail.as_ref().map(|mail| mail.from.address.clone()).unwrap_or_default(),
            limits: config.mail.as_ref().map(|mail| mail.limits),
            held_back: Counter::default(),
            account_bell: Notify::new(),
            form_bell: Notify::new(),
            told: Mutex::default(),
            event_bell: Notify::new(),
        }
    }

    /// Whether a mail server is configured. Without one nothing is queued.
    pub(in crate::ops) fn sends_mail(&self) -> bool {
        self.limits.is_some()
    }

    /// Queues mail of the service itself.
    pub(in crate::ops) fn queue(
        &self,
        tx: &Tx,
        kind: MessageKind,
        target: &str,
        message: &Message,
        due: Time,
    ) -> Result<()> {
        let body = self.seal(message)?;
        outbox::insert(tx, &NewMessage { kind, target, sent: Some((&body, due)), about: None })?;
        // The woken thread asks the writer, which answers it after the commit.
        self.account_bell.notify_one();
        Ok(())
    }

    /// Queues mail about a form, for now or for when its limits have room. What they never have room for is noted, and
    /// not sent.
    pub(in crate::ops) fn queue_about(&self, tx: &Tx, mail: &FormMail, message: &Message) -> Result<()> {
        let recipient = folded_email(mail.to).unwrap_or_else(|| mail.to.to_owned());
        let form = mail.form;
        let planned = Planned {
            form_no: form.form_no,
            organization: mail.organization,
            sender: mail.sender,
            recipient: (!mail.is_agreed).then_some(&recipient),
        };
        let hour = planned.hour(tx, &self.limits.unwrap_or_default())?;
        let due = hour.map(|hour| mail_limits::due(hour, tx.now));
        let body = self.seal(message)?;
        outbox::insert(
            tx,
            &NewMessage {
                kind: mail.kind,
                target: mail.to,
                sent: due.map(|due| (&body[..], due)),
                about: Some(AboutForm {
                    form_no: form.form_no,
                    serial: mail.serial,
                    organization: mail.organization,
                    sender: mail.sender,
                    recipient: &recipient,
                    hour,
                }),
            },
        )?;
        let (form, kind) = (form.token.as_str(), mail.kind.name());
        match due {
            Some(due) if due > tx.now => tracing::info!(form, kind, until = %due, "mail waits: its limit is reached"),
            Some(_) => {}
            None => {
                self.held_back.add(1);
                tracing::warn!(form, kind, "mail held back: its limit is reached");
            }
        }
        self.form_bell.notify_one();
        Ok(())
    }

    fn seal(&self, message: &Message) -> Result<Vec<u8>> {
        let plain = serde_json::to_vec(message).map_err(Error::internal)?;
        self.keys.seal(Purpose::Outbox, &plain)
    }

    /// A sealed message; `None` if it was altered, or sealed with another key.
    pub(in crate::ops) fn open(&self, body: &[u8]) -> Option<Message> {
        let plain = self.keys.open(Purpose::Outbox, body)?;
        serde_json::from_slice(&plain).ok()
    }

    /// Waits until mail of a lane is queued.
    pub(in crate::ops) async fn queued(&self, lane: MailLane) {
        let bell = match lane {
            MailLane::Accounts => &self.account_bell,
            MailLane::Forms => &self.form_bell,
        };
        bell.notified().await;
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
