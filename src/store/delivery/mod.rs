//! Delivery: events, webhooks and the outbox.

pub mod deliveries;
pub mod events;
pub mod notice_addresses;
pub mod outbox;
pub mod webhooks;
