//! The route table: that of the API, then that of the pages.

use crate::web::route::Route;
use crate::web::{api, pages};

/// All rows, in the order of the tables.
pub fn routes() -> impl Iterator<Item = &'static Route> {
    api::ROUTES.iter().chain(pages::ROUTES)
}
