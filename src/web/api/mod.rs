//! The JSON API: bodies to operations, results to envelopes. No HTML.

pub mod accounts;
pub mod capacity;
pub mod delivery;
mod entries;
pub mod files;
mod forms;
mod health;
pub mod oauth;
mod openapi;
pub mod queries;
pub mod routes;
mod transfer;

pub use routes::ROUTES;
