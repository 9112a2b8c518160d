//! `Error` → status and body, by one exhaustive match. Internal failures are logged here, once.

use serde_json::{Map, json};
use warp::http::{StatusCode, header};

use crate::base::error::{Code, Error, Noun};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::web::reply::Answer;

/// The parts of an error's answer, before it is JSON or a page.
pub struct Fault {
    /// The status.
    pub status: StatusCode,
    /// For people.
    pub message: String,
    /// For programs.
    pub code: Option<&'static str>,
    /// Each fault of the content.
    pub details: Vec<Issue>,
    /// Seconds to wait.
    pub retry_after: Option<u64>,
    headers: Vec<(header::HeaderName, String)>,
}

/// What a failure says to a client.
pub fn fault(error: Error, pattern: &str, request_id: &str) -> Fault {
    let plain = |status: StatusCode, message: &str| Fault {
        status,
        message: message.to_owned(),
        code: None,
        details: Vec::new(),
        retry_after: None,
        headers: Vec::new(),
    };
    match error {
        Error::Invalid(details) => Fault {
            details,
            ..plain(StatusCode::UNPROCESSABLE_ENTITY, "Validation failed")
        },
        Error::InvalidFor(code, message, details) => Fault {
            details,
            ..coded(plain(StatusCode::UNPROCESSABLE_ENTITY, &message), code)
        },
        Error::BadRequest(message) => plain(StatusCode::BAD_REQUEST, &message),
        Error::Unauthenticated { sent } => {
            let (message, challenge) = if sent {
                ("Invalid access token", "Bearer error=\"invalid_token\"")
            } else {
                ("Missing access token", "Bearer")
            };
            with(
                plain(StatusCode::UNAUTHORIZED, message),
                header::WWW_AUTHENTICATE,
                challenge.to_owned(),
            )
        }
        Error::ScopeLacks(scope) => with(
            plain(StatusCode::FORBIDDEN, "Insufficient scope"),
            header::WWW_AUTHENTICATE,
            format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\""),
        ),
        Error::PlanLacks(message) => coded(
            plain(StatusCode::PAYMENT_REQUIRED, &message),
            Code::PlanRequired,
        ),
        Error::Forbidden => plain(StatusCode::FORBIDDEN, "Forbidden"),
        Error::Refused(code, message) => coded(plain(StatusCode::FORBIDDEN, &message), code),
        Error::NotFound(Noun::Page) => plain(StatusCode::NOT_FOUND, "Not found"),
        Error::NotFound(noun) => {
            plain(StatusCode::NOT_FOUND, &format!("{} not found", noun.name()))
        }
        Error::MethodNotAllowed(allow) => with(
            plain(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed"),
            header::ALLOW,
            allow,
        ),
        Error::BodyTimeout => plain(
            StatusCode::REQUEST_TIMEOUT,
            "The request body did not arrive in time",
        ),
        Error::Conflict(code, message) => coded(plain(StatusCode::CONFLICT, &message), code),
        Error::Gone(message) => plain(StatusCode::GONE, &message),
        Error::VersionConflict => coded(
            plain(
                StatusCode::PRECONDITION_FAILED,
                "This was changed by somebody else: read it again",
            ),
            Code::VersionConflict,
        ),
        Error::TooLarge(limit) => plain(
            StatusCode::PAYLOAD_TOO_LARGE,
            &format!("Request body is larger than {limit} bytes"),
        ),
        Error::UnsupportedType(message) => plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, &message),
        Error::TooMany(wait) => waiting(
            plain(
                StatusCode::TOO_MANY_REQUESTS,
                "Too many requests: wait, then try again",
            ),
            wait,
        ),
        Error::Busy(why, wait) => waiting(
            plain(
                StatusCode::SERVICE_UNAVAILABLE,
                &format!("Service unavailable: {why}"),
            ),
            wait,
        ),
        Error::Stale => waiting(
            plain(
                StatusCode::SERVICE_UNAVAILABLE,
                "Service unavailable: the form is being changed",
            ),
            1,
        ),
        Error::Internal(source) => {
            tracing::error!(pattern, request_id, "internal error: {source}");
            plain(StatusCode::INTERNAL_SERVER_ERROR, "Internal error")
        }
    }
}

fn coded(mut fault: Fault, code: Code) -> Fault {
    fault.code = Some(code.name());
    fault
}

fn with(mut fault: Fault, name: header::HeaderName, value: String) -> Fault {
    fault.headers.push((name, value));
    fault
}

fn waiting(mut fault: Fault, secs: u64) -> Fault {
    fault.retry_after = Some(secs);
    fault
}

impl Fault {
    /// `{ error, code?, error_details? }`.
    pub fn json(&self) -> Answer {
        let mut body = Map::new();
        body.insert("error".to_owned(), json!(self.message));
        if let Some(code) = self.code {
            body.insert("code".to_owned(), json!(code));
        }
        if !self.details.is_empty() {
            let details: Vec<Json> = self
                .details
                .iter()
                .map(|issue| json!({"attribute": issue.attribute, "message": issue.message}))
                .collect();
            body.insert("error_details".to_owned(), json!(details));
        }
        let answer = Answer::json_text(self.status, Json::Object(body).to_string());
        self.dress(answer)
    }

    /// Puts the fault's headers on an answer of another shape.
    pub fn dress(&self, mut answer: Answer) -> Answer {
        for (name, value) in &self.headers {
            answer = answer.header(name.clone(), value);
        }
        match self.retry_after {
            Some(secs) => answer.header(header::RETRY_AFTER, &secs.to_string()),
            None => answer,
        }
    }
}
