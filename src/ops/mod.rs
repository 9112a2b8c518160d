//! The operations of the service, as synchronous functions. Only this layer decides permissions and opens transactions.
//! It is independent of HTTP.

pub mod accounts;
pub mod app;
pub mod backups;
pub mod capacity;
pub mod checkup;
pub mod delivery;
pub mod entries;
pub mod exams;
pub mod files;
pub mod forms;
pub mod oauth;
pub mod queries;
pub mod server;
pub mod transfer;
