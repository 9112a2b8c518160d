//! Webhooks: where the events of a form are sent to (spec 2.11, contract section 9).

use crate::base::clock::Time;
use crate::base::id::{self, WebhookToken};
use crate::model::event::EventKind;
use crate::model::outbox::{DeliveryFault, DeliveryStatus};
use crate::model::precondition::Etag;

/// How many a form may have.
pub const MOST_WEBHOOKS: usize = 20;

/// A webhook, without its secret.
#[derive(Clone, Debug)]
pub struct Webhook {
    /// The row id.
    pub id: i64,
    pub token: WebhookToken,
    pub form_no: i64,
    pub version: i64,
    pub content: WebhookContent,
    pub created_at: Time,
    pub updated_at: Time,
}

/// Settings of a webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookContent {
    pub url: String,
    /// At least one, each once.
    pub trigger_events: Vec<EventKind>,
    pub enabled: bool,
}

impl Webhook {
    pub fn etag(&self) -> Etag {
        Etag(format!("{}-{}", self.token, self.version))
    }
}

/// A new public id.
pub fn new_token() -> WebhookToken {
    WebhookToken::new(format!("whk_{}", id::random(16)))
}

/// The sealed secrets of a webhook: 32 bytes each, sealed for `Purpose::WebhookSecret`.
#[derive(Clone, Debug)]
pub struct WebhookSecrets {
    pub current: Vec<u8>,
    /// The one before the last rotation, while it signs too.
    pub old: Option<Vec<u8>>,
}

/// A webhook that deliveries wait for.
#[derive(Clone, Debug)]
pub struct WaitingWebhook {
    /// The row id.
    pub id: i64,
    pub url: String,
    /// When its next delivery is due.
    pub next_attempt_at: Time,
}

/// A delivery that was taken out to be sent.
#[derive(Clone, Debug)]
pub struct ClaimedDelivery {
    pub id: i64,
    /// The public id, `dlv_…`.
    pub token: String,
    /// The public id of the event, `evt_…`.
    pub event_token: String,
    pub kind: EventKind,
    /// Attempts before this one.
    pub attempts: u32,
    pub created_at: Time,
}

/// Outcome of an attempt to deliver an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    Delivered,
    /// A later attempt follows.
    PutOff(DeliveryFault, Time),
    /// No attempt follows.
    Failed(DeliveryFault),
}

/// An attempt that was made.
#[derive(Clone, Copy, Debug)]
pub struct SettledDelivery {
    pub id: i64,
    pub outcome: AttemptOutcome,
    /// The status that the receiver answered with, if it did.
    pub response_status: Option<u16>,
    /// How long the attempt took.
    pub response_ms: Option<u32>,
}

/// A delivery as the webhook's list shows it.
#[derive(Clone, Debug)]
pub struct WebhookDelivery {
    /// Ascending.
    pub id: i64,
    /// The public id, `dlv_…`.
    pub token: String,
    pub event: EventKind,
    pub status: DeliveryStatus,
    pub attempts: u32,
    pub response_status: Option<u16>,
    pub response_ms: Option<u32>,
    pub error: Option<DeliveryFault>,
    pub created_at: Time,
    /// `None` if it is not tried again.
    pub next_attempt_at: Option<Time>,
}
