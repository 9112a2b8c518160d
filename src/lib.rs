//! formsvc: collect forms from one static binary.
//!
//! # Code map
//! Lowest layer first; a layer names only layers above it in this list (a test holds the rule).
//! - [`base`]: errors, paths of faults, ids, clock, secrets. No domain, no IO but the clock.
//! - [`model`]: what the service talks about, as plain data. No SQL, no HTTP.
//! - [`fields`]: the field kinds and what a form's fields mean. Pure: no IO, no clock.
//! - [`store`]: SQLite and the blob folder. All SQL stands here.
//! - [`ops`]: what the service does: decides permission, opens transactions.
//! - [`web`]: HTTP: routes, pages, the accept loop. No rule of the domain.
//! - [`jobs`]: work off the request path.
//! - [`cli`]: the command line, the only reader of environment and flags.
//!
//! # Invariants
//! - A write that was answered is on disk: the answer leaves after the commit (`synchronous=FULL`).
//! - One thread writes. What only the writer can decide (serials, uniqueness, limits) is decided there.
//! - Nothing read outlives its transaction unless it is keyed by a version read in the next one.
//! - Column segments are a cache of entries: whoever changes an entry notes it (`store::segments`), and what
//!   they don't know is asked of the entries.
//! - Bad input is data: all faults of a request are reported at once, each with its path.
//! - SQL never carries client text; HTML is escaped by construction.

pub mod base;
pub mod cli;
pub mod fields;
pub mod jobs;
pub mod model;
pub mod ops;
pub mod store;
pub mod web;
