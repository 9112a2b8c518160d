//! An error as a page.

use maud::{DOCTYPE, html};
use warp::http::HeaderMap;

use crate::ops::App;
use crate::web::csp::Csp;
use crate::web::error::Fault;
use crate::web::reply::Answer;

/// The page of a fault, in the reader's language.
pub fn page(_: &App, _: &HeaderMap, fault: &Fault) -> Answer {
    Answer::html(
        fault.status,
        Csp::Page { nonce: None },
        html! {
            (DOCTYPE)
            html lang="en" {
                head { meta charset="utf-8"; title { (fault.message) } }
                body { main { h1 { (fault.message) } } }
            }
        },
    )
}
