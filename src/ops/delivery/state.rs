//! In-memory state of delivery.

use std::sync::Arc;

use crate::base::config;
use crate::base::rate::RateTable;
use crate::ops::delivery::open_streams::Streams;
use crate::ops::delivery::outbox::Outbox;
use crate::ops::delivery::stream_wakeups::StreamWakeups;
use crate::outbound::client::Client;
use crate::outbound::request_slots::RequestSlots;

/// Of delivery, between requests.
pub struct DeliveryState {
    /// Takes messages that leave the service.
    pub(in crate::ops) outbox: Arc<Outbox>,
    /// Sends events to webhooks; `None` if the certificates that it should trust can't be used.
    pub(in crate::ops) client: Option<Client>,
    /// Slots of its requests in progress.
    pub request_slots: RequestSlots,
    /// Tests of webhooks, by webhook.
    pub(in crate::ops) webhook_tests: RateTable,
    /// Wakes the readers of event streams.
    pub(in crate::ops) stream_wakeups: Arc<StreamWakeups>,
    /// Open event streams.
    pub(in crate::ops) streams: Arc<Streams>,
}

impl DeliveryState {
    pub(in crate::ops) fn new(
        outbox: Arc<Outbox>,
        stream_wakeups: Arc<StreamWakeups>,
        webhooks: &config::Webhooks,
    ) -> Self {
        Self {
            outbox,
            client: Client::new(webhooks.may_be_private, webhooks.ca.as_deref()),
            request_slots: RequestSlots::default(),
            webhook_tests: RateTable::default(),
            stream_wakeups,
            streams: Arc::default(),
        }
    }
}
