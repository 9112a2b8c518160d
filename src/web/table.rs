//! The route table: the API's rows, then the pages'.

use crate::web::request::route::Route;
use crate::web::{api, pages};

pub fn routes() -> impl Iterator<Item = &'static Route> {
    api::ROUTES.iter().chain(pages::ROUTES)
}
