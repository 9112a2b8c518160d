//! HTML pages. All markup stands here and in the kinds' inputs.

pub mod colour;
pub mod error;
pub mod layout;
pub mod published;
pub mod session;
pub mod theme;

use crate::web::assets;
use crate::web::route::{Route, page, page_post};

/// The routes of pages.
#[rustfmt::skip] // A table is read by columns.
pub static ROUTES: &[Route] = &[
    // Files that pages load.
    page     ("/assets/{hash}/{name}",   assets::show),

    // Published forms.
    page     ("/f/{form}",               published::show),
    page_post("/f/{form}",               published::submit),
    page     ("/f/{form}/done",          published::done),
];
