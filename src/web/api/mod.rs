//! The JSON API: bodies to operations, results to envelopes. No HTML.

pub mod accounts;
pub mod capacity;
pub mod delivery;
mod entries;
mod entry_lists;
pub mod files;
mod forms;
mod health;
mod linked_options;
pub mod oauth;
mod openapi;
mod own_entries;
pub mod queries;
mod reports;
pub mod routes;
mod transfer;
mod trash;

pub use routes::ROUTES;
