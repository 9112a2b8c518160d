//! Delivery: events, webhooks and the outbox.

pub mod event_deliveries;
pub mod events;
pub mod notice_addresses;
pub mod outbox;
pub mod reminders;
pub mod webhooks;
