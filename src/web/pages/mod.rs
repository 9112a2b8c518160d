//! HTML pages. All markup stands here and in the kinds' inputs.

pub mod error;
pub mod session;

use crate::web::route::Route;

/// The routes of pages.
#[rustfmt::skip] // A table is read by columns.
pub static ROUTES: &[Route] = &[
];
