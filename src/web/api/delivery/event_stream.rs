//! `/api/v1/forms/{form_token}/events`.

use std::sync::Arc;

use warp::http::{HeaderName, StatusCode};

use crate::base::error::{Error, Result};
use crate::base::secret::Secret;
use crate::model::caller::Caller;
use crate::ops::delivery::event_streams;
use crate::web::event_stream::EventSource;
use crate::web::openapi::doc::AnswerBody::Events;
use crate::web::openapi::doc::Doc;
use crate::web::request::auth::{self, Bearer};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};

pub const STREAM_EVENTS: Doc = Doc::new("stream_events", 200, Events).says(
    "Stream events",
    "The events of the form's entries, as [server-sent \
     events](https://html.spec.whatwg.org/multipage/server-sent-events.html) that arrive within moments: `id` \
     identifies the event, `event` is its kind (`entry_created`, `entry_updated`, `entry_deleted` or \
     `entry_restored`), and `data` is the same JSON that webhooks get, on one line. After a lost connection, send the \
     last `id` as `Last-Event-ID`: the stream continues with the next event, without gaps or repeats. Events are \
     stored for 7 days; if those after that `id` are gone, the answer is 410. A comment line is sent every 15 seconds. \
     The stream ends within 30 seconds when the caller loses the right to read the entries, and at once when the \
     service stops. Clients that read too slowly are disconnected. A token may have 5 streams open at a time (429), \
     all clients together 1,000 (503).",
);

/// `GET /forms/{form_token}/events`
pub fn open(call: &Call, caller: &Caller) -> Result<Reply> {
    let Bearer::Token(token) = auth::bearer(call.headers)? else {
        return Err(Error::Unauthenticated { sent: false });
    };
    // The standard's clients send an empty one when they have none.
    let last = call.headers.get("last-event-id");
    let last = last.filter(|last| !last.is_empty());
    let last = last.map(|last| last.to_str().unwrap_or_default());
    let stream = event_streams::open(call.app, caller, call.param("form_token"), last)?;
    let source = EventSource {
        app: Arc::clone(&call.site.app),
        stream,
        token: Arc::new(Secret::new(token.to_owned())),
        admission: Arc::clone(&call.site.admission),
        address: (!call.is_local()).then(|| call.address()),
        stopping: call.site.stopping.clone(),
    };
    let answer = Answer {
        events: Some(Box::new(source)),
        content_type: Some("text/event-stream"),
        ..Answer::empty(StatusCode::OK)
    };
    // Proxies such as nginx would hold events back.
    let unbuffered = HeaderName::from_static("x-accel-buffering");
    Ok(answer.header(unbuffered, "no").into())
}
