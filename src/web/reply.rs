//! What handlers answer with, and the envelopes of spec 2.1.

use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use maud::Markup;
use serde::Serialize;
use serde_json::json;
use warp::http::{HeaderName, HeaderValue, StatusCode, header};

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::model::precondition::Etag;
use crate::ops::Ticket;
use crate::web::csp::Csp;
use crate::web::net;
use crate::web::stream::Pieces;

/// An answer, or one that is to come when a write is on disk: so no thread waits for it.
pub enum Reply {
    /// Here it is.
    Now(Answer),
    /// It comes.
    Later(Pin<Box<dyn Future<Output = Result<Answer>> + Send>>),
}

/// Status, headers and body.
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// Headers beyond those that every answer has.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The body.
    pub body: Bytes,
    /// Where the body is made while it is sent, instead of all at once.
    pub pieces: Option<Pieces>,
    /// Its type; none without a body.
    pub content_type: Option<&'static str>,
    /// Which policy goes with it.
    pub csp: Csp,
    /// The tag of what is shown: `If-None-Match` is answered by it.
    pub etag: Option<Etag>,
    /// Whether the body may be compressed: not where it holds a secret beside text of others.
    pub may_compress: bool,
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Self::Now(answer)
    }
}

impl Answer {
    /// No body.
    pub fn empty(status: StatusCode) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Bytes::new(),
            pieces: None,
            content_type: None,
            csp: Csp::Json,
            etag: None,
            may_compress: false,
        }
    }

    /// JSON text.
    pub fn json_text(status: StatusCode, body: String) -> Self {
        Self {
            body: Bytes::from(body),
            content_type: Some("application/json"),
            ..Self::empty(status)
        }
    }

    /// A file to be saved under a name, made while it is sent.
    pub fn file(name: &str, content_type: &'static str, pieces: Pieces) -> Self {
        let answer = Self {
            pieces: Some(pieces),
            content_type: Some(content_type),
            ..Self::empty(StatusCode::OK)
        };
        answer.header(header::CONTENT_DISPOSITION, &net::attachment(name))
    }

    /// A page.
    pub fn html(status: StatusCode, csp: Csp, markup: Markup) -> Self {
        Self {
            body: Bytes::from(markup.into_string()),
            content_type: Some("text/html; charset=utf-8"),
            csp,
            ..Self::empty(status)
        }
    }

    /// 303: see there with `GET`.
    pub fn see_other(location: &str) -> Self {
        let mut answer = Self::empty(StatusCode::SEE_OTHER);
        answer.csp = Csp::Page { nonce: None };
        answer.header(header::LOCATION, location)
    }

    /// With one more header. A value that no header can hold is left out: such text never gets here
    /// unencoded.
    pub fn header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.push((name, value));
        }
        self
    }

    /// With an `ETag`.
    pub fn tagged(mut self, etag: Etag) -> Self {
        self.etag = Some(etag);
        self
    }
}

/// `{ data }` with 200.
///
/// # Errors
/// Internal, when the data can't be written as JSON.
pub fn data(data: &impl Serialize) -> Result<Answer> {
    envelope(StatusCode::OK, data)
}

/// `{ data }` with 201.
///
/// # Errors
/// Internal, when the data can't be written as JSON.
pub fn created(data: &impl Serialize) -> Result<Answer> {
    envelope(StatusCode::CREATED, data)
}

fn envelope(status: StatusCode, data: &impl Serialize) -> Result<Answer> {
    let data = serde_json::to_string(data).map_err(Error::internal)?;
    Ok(data_text(status, &data))
}

/// `{ data }` around JSON text.
pub fn data_text(status: StatusCode, data: &str) -> Answer {
    Answer::json_text(status, format!("{{\"data\":{data}}}"))
}

/// `{ data, warnings }` around JSON text; without warnings, `{ data }`.
pub fn data_and_warnings(status: StatusCode, data: &str, warnings: &[Issue]) -> Answer {
    if warnings.is_empty() {
        return data_text(status, data);
    }
    let warnings: Vec<Json> = warnings
        .iter()
        .map(|it| json!({"attribute": it.attribute, "message": it.message}))
        .collect();
    let warnings = Json::Array(warnings);
    Answer::json_text(
        status,
        format!("{{\"data\":{data},\"warnings\":{warnings}}}"),
    )
}

/// `{ data, pagination }` around rows that are JSON text.
pub fn page_text(rows: &[String], total: i64, next_cursor: &str) -> Answer {
    let body = format!(
        "{{\"data\":[{}],\"pagination\":{{\"total\":{total},\"next_cursor\":\"{next_cursor}\"}}}}",
        rows.join(",")
    );
    Answer::json_text(StatusCode::OK, body)
}

/// The answer to a write: `f` makes it when the write is on disk.
pub fn later<T: Send + 'static>(
    ticket: Ticket<T>,
    f: impl FnOnce(T) -> Result<Answer> + Send + 'static,
) -> Reply {
    Reply::Later(Box::pin(async move { f(ticket.await?) }))
}
