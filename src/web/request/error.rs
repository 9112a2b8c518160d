//! Maps `Error` to status and body in one exhaustive match. Internal errors are logged here, once.

use serde_json::{Map, json};
use warp::http::{StatusCode, header};

use crate::base::error::{Code, Error, Noun, OAuthCode};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::text::{self, phrase::Phrase};
use crate::web::request::reply::Answer;

/// How much of a client's text is repeated.
const LONGEST_GIVEN: usize = 100;

/// The subject of an error, where the words of its page depend on it beside the status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    Form,
    Entry,
    /// A post that does not come from a page of ours as it was shown.
    StalePage,
    /// A signed link.
    Link,
    Other,
}

/// An error's answer before it is rendered as JSON or as a page.
pub struct ErrorReply {
    pub status: StatusCode,
    pub about: About,
    /// For people.
    pub message: Phrase,
    /// For programs.
    pub code: Option<&'static str>,
    /// For OAuth clients.
    oauth: Option<OAuthCode>,
    /// One for each invalid value.
    pub details: Vec<Issue>,
    /// Seconds to wait.
    pub retry_after: Option<u64>,
    headers: Vec<(header::HeaderName, String)>,
}

/// The answer to a client for an error.
pub fn reply(error: Error, pattern: &str, request_id: &str) -> ErrorReply {
    let with = |status: StatusCode, message: Phrase| ErrorReply {
        status,
        about: About::Other,
        message,
        code: None,
        oauth: None,
        details: Vec::new(),
        retry_after: None,
        headers: Vec::new(),
    };
    let plain = |status: StatusCode, message: &str| with(status, message.to_owned().into());
    match error {
        Error::Invalid(details) => ErrorReply {
            code: Code::of_faults(&details).map(Code::name),
            details,
            ..plain(StatusCode::UNPROCESSABLE_ENTITY, "Validation failed")
        },
        Error::InvalidFor(code, message, details) => {
            ErrorReply { details, ..with_code(plain(StatusCode::UNPROCESSABLE_ENTITY, &message), code) }
        }
        Error::BadRequest(message) => with(StatusCode::BAD_REQUEST, message),
        Error::Unauthenticated { sent } => {
            let (message, challenge) = if sent {
                ("Invalid access token", "Bearer error=\"invalid_token\"")
            } else {
                ("Missing access token", "Bearer")
            };
            with_header(plain(StatusCode::UNAUTHORIZED, message), header::WWW_AUTHENTICATE, challenge.to_owned())
        }
        Error::ScopeLacks(scope) => with_header(
            plain(StatusCode::FORBIDDEN, "Insufficient scope"),
            header::WWW_AUTHENTICATE,
            format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\""),
        ),
        Error::PlanLacks(message) => with_code(plain(StatusCode::PAYMENT_REQUIRED, &message), Code::PlanRequired),
        Error::Forbidden => plain(StatusCode::FORBIDDEN, "Forbidden"),
        Error::NotHere(message) => plain(StatusCode::FORBIDDEN, message),
        Error::BadLink => ErrorReply {
            about: About::Link,
            ..plain(StatusCode::FORBIDDEN, "This link has expired or was changed. Open the page it came from again.")
        },
        Error::StalePage => {
            ErrorReply { about: About::StalePage, ..plain(StatusCode::FORBIDDEN, "The page was open for too long") }
        }
        Error::Refused(code, message) => with_code(plain(StatusCode::FORBIDDEN, &message), code),
        Error::NotFound(Noun::Page) => plain(StatusCode::NOT_FOUND, "Not found"),
        Error::NotFound(noun) => ErrorReply {
            about: match noun {
                Noun::Form => About::Form,
                Noun::Entry => About::Entry,
                _ => About::Other,
            },
            ..plain(StatusCode::NOT_FOUND, &format!("{} not found", noun.name()))
        },
        Error::NotANumber(noun, given) => plain(
            StatusCode::NOT_FOUND,
            &format!("{} not found: {:?} is not a serial number", noun.name(), text::shortened(&given, LONGEST_GIVEN)),
        ),
        Error::MethodNotAllowed(allow) => {
            with_header(plain(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed"), header::ALLOW, allow)
        }
        Error::BodyTimeout => plain(StatusCode::REQUEST_TIMEOUT, "The request body did not arrive in time"),
        Error::Conflict(code, message) => with_code(plain(StatusCode::CONFLICT, &message), code),
        Error::NoRoom(details) => {
            let code = Code::of_room(&details);
            let message = match code {
                Code::OutOfStock => "There is not enough in stock",
                Code::HoldLimit => {
                    "A hold can reserve at most half of what is left: hold less, or submit without a hold"
                }
                _ => "There is not enough room left",
            };
            ErrorReply { details, ..with_code(plain(StatusCode::CONFLICT, message), code) }
        }
        Error::Gone(message) => plain(StatusCode::GONE, &message),
        Error::VersionConflict => with_code(
            plain(StatusCode::PRECONDITION_FAILED, "This was changed by somebody else: read it again"),
            Code::VersionConflict,
        ),
        Error::TotalChanged(total) => with_code(
            plain(
                StatusCode::PRECONDITION_FAILED,
                &format!("The number of entries that match has changed to {total}: look at them, then try again"),
            ),
            Code::VersionConflict,
        ),
        Error::TooLarge(limit) => {
            plain(StatusCode::PAYLOAD_TOO_LARGE, &format!("Request body is larger than {limit} bytes"))
        }
        Error::UnsupportedType(message) => plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, &message),
        Error::TooMany(wait) => {
            with_retry_after(plain(StatusCode::TOO_MANY_REQUESTS, "Too many requests: wait, then try again"), wait)
        }
        Error::Unproven(wait) => with_retry_after(
            plain(
                StatusCode::TOO_MANY_REQUESTS,
                "Too many searches without proof of work: send a `proof` for the outline's `proof_of_work`, or wait, \
                 then try again",
            ),
            wait,
        ),
        Error::TooManyOpen(message, wait) => with_retry_after(plain(StatusCode::TOO_MANY_REQUESTS, message), wait),
        Error::Busy(why, wait) => {
            with_retry_after(plain(StatusCode::SERVICE_UNAVAILABLE, &format!("Service unavailable: {why}")), wait)
        }
        Error::OAuth(code, message) => oauth_reply(&message, code),
        Error::Stale => with_retry_after(
            plain(StatusCode::SERVICE_UNAVAILABLE, "Service unavailable: the form is being changed"),
            1,
        ),
        Error::Internal(source) => {
            tracing::error!(pattern, request_id, "internal error: {source}");
            plain(StatusCode::INTERNAL_SERVER_ERROR, "Internal error")
        }
    }
}

fn with_code(mut reply: ErrorReply, code: Code) -> ErrorReply {
    reply.code = Some(code.name());
    reply
}

/// An error for an OAuth client: mostly 400, or 401 if its authentication failed.
fn oauth_reply(message: &str, code: OAuthCode) -> ErrorReply {
    let status = match code {
        OAuthCode::InvalidClient => StatusCode::UNAUTHORIZED,
        OAuthCode::ServerError => StatusCode::INTERNAL_SERVER_ERROR,
        OAuthCode::TemporarilyUnavailable => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::BAD_REQUEST,
    };
    let reply = ErrorReply {
        status,
        about: About::Other,
        message: message.to_owned().into(),
        code: None,
        oauth: Some(code),
        details: Vec::new(),
        retry_after: None,
        headers: Vec::new(),
    };
    if status == StatusCode::UNAUTHORIZED {
        let challenge = "Basic realm=\"formsvc\", charset=\"UTF-8\"".to_owned();
        with_header(reply, header::WWW_AUTHENTICATE, challenge)
    } else {
        reply
    }
}

fn with_header(mut reply: ErrorReply, name: header::HeaderName, value: String) -> ErrorReply {
    reply.headers.push((name, value));
    reply
}

fn with_retry_after(mut reply: ErrorReply, secs: u64) -> ErrorReply {
    reply.retry_after = Some(secs);
    reply
}

impl ErrorReply {
    /// `{ error, code?, error_details? }`.
    pub fn json(&self) -> Answer {
        let mut body = Map::new();
        body.insert("error".to_owned(), json!(self.message.to_string()));
        if let Some(code) = self.code {
            body.insert("code".to_owned(), json!(code));
        }
        if !self.details.is_empty() {
            let details: Vec<Json> = self.details.iter().map(Issue::to_json).collect();
            body.insert("error_details".to_owned(), json!(details));
        }
        let answer = Answer::json_text(self.status, Json::Object(body).to_string());
        self.add_headers(answer)
    }

    /// `{ error, error_description }` (RFC 6749 section 5.2), with the nearest OAuth code.
    pub fn oauth(&self) -> Answer {
        let code = self.oauth.unwrap_or(match self.status.as_u16() {
            401 => OAuthCode::InvalidClient,
            429 | 503 => OAuthCode::TemporarilyUnavailable,
            500 => OAuthCode::ServerError,
            _ => OAuthCode::InvalidRequest,
        });
        // Some characters are not allowed in a description (RFC 6749 appendix A.8).
        let plain = |c: char| match c {
            '"' | '\\' => '\'',
            ' '..='~' => c,
            _ => '?',
        };
        let text: String = self.message.to_string().chars().map(plain).collect();
        let body = json!({"error": code.name(), "error_description": text});
        let answer = Answer::json_text(self.status, body.to_string());
        self.add_headers(answer).header(header::PRAGMA, "no-cache")
    }

    /// Adds the error's headers to an answer.
    pub fn add_headers(&self, mut answer: Answer) -> Answer {
        for (name, value) in &self.headers {
            answer = answer.header(name.clone(), value);
        }
        match self.retry_after {
            Some(secs) => answer.header(header::RETRY_AFTER, &secs.to_string()),
            None => answer,
        }
    }
}
