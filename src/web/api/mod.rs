//! The JSON API: bodies to operations, results to envelopes. No HTML.

mod health;

use crate::web::route::{Route, open_get};

/// The routes of the API, and those beside it that answer machines.
#[rustfmt::skip] // A table is read by columns.
pub static ROUTES: &[Route] = &[
    // The service itself.
    open_get("/healthz", health::alive),
    open_get("/readyz",  health::ready),
];
