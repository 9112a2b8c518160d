//! The domain as plain data: no SQL, no HTTP. Only settings implement `Serialize`, so that a new column can't leak into
//! an answer.

pub mod audit;
pub mod bits;
pub mod caller;
pub mod capacity;
pub mod draft;
pub mod entry;
pub mod event;
pub mod folder;
pub mod form;
pub mod notification_settings;
pub mod oauth;
pub mod outbox;
pub mod page;
pub mod precondition;
pub mod public_query;
pub mod results;
pub mod role;
pub mod scope;
pub mod serials;
pub mod settings;
pub mod upload;
pub mod user;
pub mod user_agent;
pub mod webhook;
