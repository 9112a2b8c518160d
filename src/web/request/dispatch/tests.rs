//! Requests whose handler fails in a way that none should: routes of the tests' own, since the program has no such
//! handlers.

use futures_util::stream;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tempfile::TempDir;
use warp::http::StatusCode;

use super::*;
use crate::base::config::Config;
use crate::ops::app::App;
use crate::ops::app::opening::LockedDir;
use crate::web::openapi::description::Description;
use crate::web::request::reply::Answer;
use crate::web::request::route::Run::Open;

const FINE: &str = "/api/v1/fine";
const HERE: &str = "/api/v1/panics-here";
const ELSEWHERE: &str = "/api/v1/panics-elsewhere";
const POSTED: &str = "/api/v1/panics-posted";
const LATER: &str = "/api/v1/panics-later";
const CUT_OFF: &str = "/api/v1/cut-off";

static ROUTES: &[Route] = &[
    Route::get(FINE, Open(fine)),
    Route::get(HERE, Open(panics)),
    Route::get(ELSEWHERE, Open(panics)).blocking(),
    Route::post(POSTED, Open(panics)),
    Route::get(LATER, Open(|_| Ok(Reply::Later(Box::pin(async { Err(Error::internal("a write job panicked")) }))))),
    Route::get(CUT_OFF, Open(|_| Err(Error::Busy("the read took too long: ask for less at once", 5)))),
];

fn fine(_: &Call) -> Result<Reply> {
    Ok(Answer::json_text(StatusCode::OK, "{}".to_owned()).into())
}

fn panics(_: &Call) -> Result<Reply> {
    panic!("as it should")
}

async fn dispatcher() -> (Dispatcher, TempDir) {
    let dir = tempfile::tempdir().expect("a folder");
    let config = Config::sample(dir.path(), "http://localhost");
    let opened = tokio::task::spawn_blocking(|| App::serve(LockedDir::of(&config)?, config)).await;
    let app = Arc::new(opened.expect("no panic").expect("opens"));
    let site = Site::new(app, |_| Description::new(Value::Null, String::new()));
    (Dispatcher::new(site, ROUTES), dir)
}

/// The status, the header `Retry-After` and the body of the answer.
async fn ask(dispatcher: &Dispatcher, method: Method, path: &str) -> (u16, Option<String>, Value) {
    let mut headers = HeaderMap::new();
    let mut body = "";
    if method == Method::POST {
        headers.insert("content-type", "application/json".parse().expect("a header"));
        body = "{}";
    }
    let request = Request {
        method,
        path: path.to_owned(),
        query: String::new(),
        headers,
        peer: Peer(None),
        body: stream::iter([Ok::<_, warp::Error>(body.as_bytes())]),
    };
    let response = dispatcher.answer(request).await;
    let (head, body) = response.into_parts();
    let retry = head.headers.get("retry-after");
    let retry = retry.map(|text| text.to_str().expect("text").to_owned());
    let body = body.collect().await.expect("a body").to_bytes();
    let body = serde_json::from_slice(&body).expect("JSON");
    (head.status.as_u16(), retry, body)
}

#[tokio::test]
async fn a_handler_that_panics_is_one_500_and_the_next_request_is_answered() {
    let (dispatcher, _dir) = dispatcher().await;
    // More often than there are turns and readers: none of them is lost.
    for _ in 0..20 {
        for (method, path) in
            [(Method::GET, HERE), (Method::GET, ELSEWHERE), (Method::POST, POSTED), (Method::GET, LATER)]
        {
            let (status, _, body) = ask(&dispatcher, method, path).await;
            assert_eq!(status, 500, "{path}");
            assert_eq!(body, json!({"error": "Internal error"}), "{path}");
            let (status, ..) = ask(&dispatcher, Method::GET, FINE).await;
            assert_eq!(status, 200, "after {path}");
        }
    }
}

#[tokio::test]
async fn a_read_that_was_cut_off_is_503_and_says_when_to_come_again() {
    let (dispatcher, _dir) = dispatcher().await;
    let (status, retry, body) = ask(&dispatcher, Method::GET, CUT_OFF).await;
    assert_eq!((status, retry.as_deref()), (503, Some("5")));
    let said = "Service unavailable: the read took too long: ask for less at once";
    assert_eq!(body["error"], said);
}
