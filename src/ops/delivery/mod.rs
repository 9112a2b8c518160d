//! Delivery of news about entries: events, webhooks, streams, mail, and the outbox that queues them.

pub mod deliver_now;
pub mod event_deliveries;
pub mod event_streams;
pub mod events;
pub mod mail_deliveries;
pub(in crate::ops) mod mail_limits;
pub(in crate::ops) mod mail_templates;
pub mod notice_addresses;
pub mod notifications;
pub(in crate::ops) mod open_streams;
pub(in crate::ops) mod outbox;
pub mod reminders;
pub(in crate::ops) mod respondent_letters;
pub mod state;
pub mod stream_wakeups;
pub mod webhook_example;
pub mod webhooks;
