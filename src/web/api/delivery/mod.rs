//! Delivery over the API: webhooks, streams of events, notifications.

pub(in crate::web::api) mod event_stream;
pub(in crate::web::api) mod notifications;
pub(in crate::web::api) mod webhooks;
