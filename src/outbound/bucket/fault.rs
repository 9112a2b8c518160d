//! Why a store could not be used.

use std::error::Error as _;
use std::fmt::Write as _;
use std::io;

/// The texts follow the name of the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BucketFault {
    #[error("needs the keys of its store: set FORMSVC_S3_ACCESS_KEY and FORMSVC_S3_SECRET_KEY, or the same with _FILE")]
    NoKeys,
    #[error("needs certificates in PEM: name another file with FORMSVC_S3_CA")]
    Certificates,
    #[error("is not there: look at its name")]
    NotFound,
    #[error("is in a bucket that the store does not have: create it, or name another")]
    NoBucket,
    /// With the store's message.
    #[error(
        "is refused by the store ({0}): check FORMSVC_S3_ACCESS_KEY, FORMSVC_S3_SECRET_KEY and FORMSVC_S3_REGION, and what that key may do"
    )]
    Denied(String),
    #[error("can't be reached ({0}): check FORMSVC_S3_ENDPOINT and the network, or try again later")]
    Unreachable(String),
    #[error("can't be used ({0}): try again later")]
    Failed(String),
}

/// Codes of stores that concern keys.
const DENIED: [&str; 7] = [
    "AccessDenied",
    "SignatureDoesNotMatch",
    "InvalidAccessKeyId",
    "InvalidToken",
    "AuthorizationHeaderMalformed",
    "RequestTimeTooSkewed",
    "Unauthorized",
];

impl From<object_store::Error> for BucketFault {
    fn from(error: object_store::Error) -> Self {
        use object_store::Error;
        let said = chain(&error);
        let code = between(&said, "<Code>", "</Code>");
        let answer = match (code, between(&said, "<Message>", "</Message>")) {
            (Some(code), Some(message)) => Some(format!("{code}: {message}")),
            (Some(code), None) => Some(code.to_owned()),
            _ => None,
        };
        if code == Some("NoSuchBucket") {
            return Self::NoBucket;
        }
        if code.is_some_and(|code| DENIED.contains(&code)) {
            return Self::Denied(short(&answer.unwrap_or_default()));
        }
        match error {
            Error::NotFound { .. } => Self::NotFound,
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
                Self::Denied(answer.map_or_else(|| "403".to_owned(), |said| short(&said)))
            }
            _ => match answer {
                Some(said) => Self::Failed(short(&said)),
                None if said.contains("HTTP error") => Self::Unreachable(short(last(&said))),
                None => Self::Failed(short(last(&said))),
            },
        }
    }
}

impl BucketFault {
    /// The fault that a reader or writer met.
    pub fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref::<Self>().cloned()
    }
}

impl From<BucketFault> for io::Error {
    fn from(fault: BucketFault) -> Self {
        Self::other(fault)
    }
}

/// The causes of an error, from the outermost to the innermost.
fn chain(error: &object_store::Error) -> String {
    let mut said = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let _ = write!(said, "\n{error}");
        source = error.source();
    }
    said
}

/// The innermost cause.
fn last(said: &str) -> &str {
    said.lines().next_back().unwrap_or(said)
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(found, _)| found)
}

/// One line of the store's message, which may be anything.
fn short(said: &str) -> String {
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    said.trim_end_matches(':').chars().take(200).collect()
}
