//! Replies of handlers, and the envelopes of spec 2.1.

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
use crate::http::blocking::spawn_blocking;
use crate::http::net;
use crate::http::stream::{ChunkSource, Rest};
use crate::model::precondition::Etag;
use crate::ops::app::Ticket;
use crate::web::csp::Csp;
use crate::web::event_stream::EventSource;
use crate::web::request::call::{Body, Call};
use crate::web::request::matched_request::MatchedRequest;

/// Clients and proxies refuse long headers.
const LONGEST_HEADER: usize = 2_000;
/// Bytes of an encoded byte.
const ENCODED: usize = "%20".len();

/// An answer now, or once a write is on disk: no thread waits for it.
pub enum Reply {
    Now(Answer),
    Later(Pin<Box<dyn Future<Output = Result<Answer>> + Send>>),
    /// A reply whose body continues, for the same request, once something is known.
    Begun(Answer, GoesOn),
}

/// Gives the rest of a body for the request that it answers.
type GoesOn = Box<dyn FnOnce(MatchedRequest) -> Rest + Send>;

/// Status, headers and body.
pub struct Answer {
    pub status: StatusCode,
    /// Headers besides those of every answer.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub body: Bytes,
    /// The source of a body that is produced while it is sent.
    pub chunks: Option<ChunkSource>,
    /// The rest of the body, sent once it is known.
    pub rest: Option<Rest>,
    /// The source of a body that does not end by itself.
    pub events: Option<Box<EventSource>>,
    /// `None` without a body.
    pub content_type: Option<&'static str>,
    pub csp: Csp,
    /// Compared with `If-None-Match`.
    pub etag: Option<Etag>,
    /// Warnings about parts that were accepted but may be unintended.
    pub warnings: Vec<Issue>,
    /// Whether the body is an envelope, in which they have a place.
    pub is_envelope: bool,
    /// Whether the body may be compressed; not if it holds a secret beside text of others.
    pub may_compress: bool,
}

impl Reply {
    /// Adds warnings to the answer.
    pub fn warn(self, warnings: Vec<Issue>) -> Self {
        match self {
            reply if warnings.is_empty() => reply,
            Self::Now(answer) => Self::Now(answer.warn(warnings)),
            Self::Later(answer) => Self::Later(Box::pin(async move { Ok(answer.await?.warn(warnings)) })),
            Self::Begun(answer, goes_on) => Self::Begun(answer.warn(warnings), goes_on),
        }
    }
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Self::Now(answer)
    }
}

impl Answer {
    /// Without a body.
    pub fn empty(status: StatusCode) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Bytes::new(),
            chunks: None,
            rest: None,
            events: None,
            content_type: None,
            csp: Csp::Json,
            etag: None,
            warnings: Vec::new(),
            is_envelope: false,
            may_compress: false,
        }
    }

    /// JSON text.
    pub fn json_text(status: StatusCode, body: String) -> Self {
        Self { body: Bytes::from(body), content_type: Some("application/json"), ..Self::empty(status) }
    }

    /// The same as an envelope of spec 2.1.
    fn envelope(status: StatusCode, body: String) -> Self {
        Self { is_envelope: true, ..Self::json_text(status, body) }
    }

    /// A file for download, produced while it is sent.
    pub fn file(name: &str, content_type: &'static str, chunks: ChunkSource) -> Self {
        let answer = Self { chunks: Some(chunks), content_type: Some(content_type), ..Self::empty(StatusCode::OK) };
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

    /// 303 to another address.
    pub fn see_other(location: &str) -> Self {
        let mut answer = Self::empty(StatusCode::SEE_OTHER);
        answer.csp = Csp::Page { nonce: None };
        answer.header(header::LOCATION, location)
    }

    /// Adds a header. A value that is not valid in a header is dropped; such text never gets here unencoded.
    pub fn header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.push((name, value));
        }
        self
    }

    /// Adds warnings.
    pub fn warn(mut self, warnings: impl IntoIterator<Item = Issue>) -> Self {
        self.warnings.extend(warnings);
        self
    }

    /// Writes the warnings into the envelope, or into a header where the body is none.
    pub fn with_warnings_written(mut self) -> Self {
        if self.warnings.is_empty() {
            return self;
        }
        let warnings = std::mem::take(&mut self.warnings);
        if !self.is_envelope {
            let lines: Vec<String> = warnings.iter().map(Issue::to_string).collect();
            // Encoded, a letter takes up to twelve bytes.
            let mut text = net::header_text(&lines.join("; "));
            if text.len() > LONGEST_HEADER {
                text.truncate(LONGEST_HEADER);
                let cut = text.rfind('%').filter(|at| at + ENCODED > LONGEST_HEADER);
                text.truncate(cut.unwrap_or(LONGEST_HEADER));
            }
            return self.header(HeaderName::from_static("x-warnings"), &text);
        }
        let warnings: Vec<Json> =
            warnings.iter().map(|it| json!({"attribute": it.attribute, "message": it.message()})).collect();
        let warnings = format!(",\"warnings\":{}}}", Json::Array(warnings));
        let open = self.body.len().saturating_sub(1);
        self.body = Bytes::from([&self.body[..open], warnings.as_bytes()].concat());
        self
    }

    /// Sets the `ETag`.
    pub fn tagged(mut self, etag: Etag) -> Self {
        self.etag = Some(etag);
        self
    }
}

/// `{ data }` with 200.
pub fn data(data: &impl Serialize) -> Result<Answer> {
    data_with(StatusCode::OK, data)
}

/// `{ data }` with 201.
pub fn created(data: &impl Serialize) -> Result<Answer> {
    data_with(StatusCode::CREATED, data)
}

/// `{ data }`.
pub fn data_with(status: StatusCode, data: &impl Serialize) -> Result<Answer> {
    let data = serde_json::to_string(data).map_err(Error::internal)?;
    Ok(data_text(status, &data))
}

/// `{ data }` with `data` as JSON text.
pub fn data_text(status: StatusCode, data: &str) -> Answer {
    Answer::envelope(status, format!("{{\"data\":{data}}}"))
}

/// `{ data, warnings }` with `data` as JSON text; without warnings, `{ data }`.
pub fn data_and_warnings(status: StatusCode, data: &str, warnings: &[Issue]) -> Answer {
    data_text(status, data).warn(warnings.iter().cloned())
}

/// `{ data, pagination }` with rows as JSON text, and with these numbers. Lists that are read onwards alone have no
/// previous cursor.
pub fn page_text(
    rows: &[String],
    total: i64,
    next_cursor: &str,
    previous_cursor: Option<&str>,
    counts: &[(&str, i64)],
) -> Answer {
    let previous = previous_cursor.map(|cursor| format!(",\"previous_cursor\":\"{cursor}\"")).unwrap_or_default();
    let counts: String = counts.iter().map(|(name, count)| format!(",\"{name}\":{count}")).collect();
    let body = format!(
        "{{\"data\":[{}],\"pagination\":{{\"total\":{total},\"next_cursor\":\"{next_cursor}\"{previous}}}{counts}}}",
        rows.join(",")
    );
    Answer::envelope(StatusCode::OK, body)
}

/// The answer to a write: `f` makes it once the write is on disk.
pub fn later<T: Send + 'static>(ticket: Ticket<T>, f: impl FnOnce(T) -> Result<Answer> + Send + 'static) -> Reply {
    Reply::Later(Box::pin(async move { f(ticket.await?) }))
}

/// An answer whose body is sent at once and continues with the result of `draw`, once the ticket is there: no thread
/// waits for it. A client that disconnects drops the ticket.
pub fn begun<T: Send + 'static>(
    answer: Answer,
    ticket: Ticket<T>,
    draw: impl FnOnce(&Call, Result<T>) -> Result<Markup> + Send + 'static,
) -> Reply {
    let goes_on = move |request: MatchedRequest| -> Rest {
        Box::pin(async move {
            let found = ticket.await;
            let drawn = spawn_blocking(move || draw(&request.call(&Body::default()), found));
            Ok(Bytes::from(drawn.await?.into_string()))
        })
    };
    Reply::Begun(answer, Box::new(goes_on))
}
