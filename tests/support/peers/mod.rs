//! Whom the service speaks to: a mail server, receivers of webhooks, an authority for certificates, a backup store.

pub mod acme;
pub mod mail;
pub mod receiver;
pub mod s3;
pub mod wire_receiver;
