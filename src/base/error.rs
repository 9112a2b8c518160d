//! Every way a request can fail: one variant per decision that a client can make. Statuses and
//! bodies stand in `web/error.rs` alone.

use std::fmt;

use crate::base::issue::{Issue, Issues};
use crate::base::named::named;

/// What a thing that was not found is called in the answer (`Form not found`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noun {
    /// An address that no route answers.
    Page,
    /// A form.
    Form,
    /// An entry.
    Entry,
    /// A folder.
    Folder,
    /// A webhook.
    Webhook,
    /// A user.
    User,
    /// An organisation.
    Organization,
    /// A personal access token.
    Token,
    /// A public query.
    Query,
    /// Somebody with whom a form is shared.
    Collaborator,
    /// An application that may ask people for access.
    App,
    /// What somebody allowed an application.
    Grant,
    /// A file of an entry.
    File,
    /// An image that pages show.
    Image,
}

impl Noun {
    /// As it stands in a sentence that begins with it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "Not found",
            Self::Form => "Form",
            Self::Entry => "Entry",
            Self::Folder => "Folder",
            Self::Webhook => "Webhook",
            Self::User => "User",
            Self::Organization => "Organisation",
            Self::Token => "Token",
            Self::Query => "Query",
            Self::Collaborator => "Collaborator",
            Self::App => "App",
            Self::Grant => "Connection",
            Self::File => "File",
            Self::Image => "Image",
        }
    }
}

named! {
    /// The machine-readable reasons of contract section 1.
    pub enum Code {
        /// The form has a password and none was given.
        PasswordRequired = "password_required",
        /// The password given is wrong.
        PasswordInvalid = "password_invalid",
        /// The form no longer takes submissions.
        FormClosed = "form_closed",
        /// The form does not yet take submissions.
        FormNotOpen = "form_not_open",
        /// The form has as many entries as it takes.
        FormFull = "form_full",
        /// A choice or booking has no place left.
        QuotaExceeded = "quota_exceeded",
        /// A product is sold out.
        OutOfStock = "out_of_stock",
        /// An edit would delete collected data.
        DataLoss = "data_loss",
        /// The plan lacks the capability.
        PlanRequired = "plan_required",
        /// `If-Match` does not match.
        VersionConflict = "version_conflict",
        /// The same `Idempotency-Key` with another request.
        IdempotencyConflict = "idempotency_conflict",
        /// The form takes one entry from each respondent, and has this one's.
        AlreadySubmitted = "already_submitted",
        /// There is no such upload.
        UploadNotFound = "upload_not_found",
        /// The file of the upload did not come yet.
        UploadIncomplete = "upload_incomplete",
        /// The upload was used.
        UploadUsed = "upload_used",
        /// The file of the upload did not come in time.
        UploadExpired = "upload_expired",
        /// The upload was prepared for something else.
        UploadPurposeMismatch = "upload_purpose_mismatch",
        /// The file of the upload is coming.
        UploadInProgress = "upload_in_progress",
    }
}

impl Code {
    /// What is said at the place of an upload that can't be used; such a fault has its code wherever it
    /// stands.
    pub const UPLOAD_FAULTS: [(Self, &str); 5] = [
        (Self::UploadNotFound, "is not an uploaded file"),
        (Self::UploadIncomplete, "was not uploaded yet"),
        (Self::UploadUsed, "was used already"),
        (Self::UploadExpired, "was not uploaded in time"),
        (
            Self::UploadPurposeMismatch,
            "was uploaded for something else",
        ),
    ];

    /// The code of the first fault that has one.
    pub fn of_faults(faults: &[Issue]) -> Option<Self> {
        faults.iter().find_map(|fault| {
            let known = Self::UPLOAD_FAULTS.iter();
            let mut same = known.filter(|(_, message)| *message == fault.message);
            same.next().map(|(code, _)| *code)
        })
    }

    /// What is said at the place of an upload that can't be used for this reason.
    pub fn upload_fault(self) -> &'static str {
        let known = Self::UPLOAD_FAULTS.iter();
        let mut same = known.filter(|(code, _)| *code == self);
        same.next().map_or("can't be used", |(_, message)| *message)
    }
}

named! {
    /// What an OAuth client is told by name (RFC 6749 sections 4.1.2.1 and 5.2).
    pub enum OAuthCode {
        /// A parameter is missing, doubled or malformed.
        InvalidRequest = "invalid_request",
        /// The client did not show who it is.
        InvalidClient = "invalid_client",
        /// The code or refresh token is of no use.
        InvalidGrant = "invalid_grant",
        /// Another way to get a token than there is.
        UnsupportedGrantType = "unsupported_grant_type",
        /// More scopes than may be asked for, or unknown ones.
        InvalidScope = "invalid_scope",
        /// Another answer to an authorisation than there is.
        UnsupportedResponseType = "unsupported_response_type",
        /// The user said no.
        AccessDenied = "access_denied",
        /// A request object was sent.
        RequestNotSupported = "request_not_supported",
        /// The address of a request object was sent.
        RequestUriNotSupported = "request_uri_not_supported",
        /// A fault of ours.
        ServerError = "server_error",
        /// To be tried again later.
        TemporarilyUnavailable = "temporarily_unavailable",
    }
}

/// A request's failure.
#[derive(Debug)]
pub enum Error {
    /// 422: the content has these faults.
    Invalid(Vec<Issue>),
    /// 422 with a code: the content has these faults, and a client may branch on why.
    InvalidFor(Code, String, Vec<Issue>),
    /// 400: the request can't be understood.
    BadRequest(String),
    /// 401: no token, or none that is valid.
    Unauthenticated {
        /// Whether a token was sent at all.
        sent: bool,
    },
    /// 403: the token lacks this scope.
    ScopeLacks(&'static str),
    /// 402: the plan lacks a capability.
    PlanLacks(String),
    /// 403: the caller may see the thing but not do this.
    Forbidden,
    /// 403: a page's post that does not come from that page as it was shown in this session.
    StalePage,
    /// 403 with a code: a published form refuses (closed, password).
    Refused(Code, String),
    /// 404.
    NotFound(Noun),
    /// 405, with the methods that would do.
    MethodNotAllowed(String),
    /// 408: the body did not come in time.
    BodyTimeout,
    /// 409.
    Conflict(Code, String),
    /// 410: a one-time thing that was used.
    Gone(String),
    /// 412: `If-Match` does not match.
    VersionConflict,
    /// 413: more bytes than this.
    TooLarge(u64),
    /// 415.
    UnsupportedType(String),
    /// 429, with the seconds to wait.
    TooMany(u64),
    /// 503, with the reason and the seconds to wait.
    Busy(&'static str, u64),
    /// 400, or 401 for a client that did not show who it is: what an OAuth client asks can't be done.
    OAuth(OAuthCode, String),
    /// Not for clients: the form changed between preparing and deciding, so the request is run again.
    Stale,
    /// 500: the cause is logged, the client sees the request id.
    Internal(String),
}

/// What most functions above `base` return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A single fault of the content.
    pub fn invalid(attribute: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid(vec![Issue {
            attribute: attribute.into(),
            message: message.into(),
        }])
    }

    /// What an OAuth client is told.
    pub fn oauth(code: OAuthCode, description: impl Into<String>) -> Self {
        Self::OAuth(code, description.into())
    }

    /// A fault of ours; `source` is for the log.
    pub fn internal(source: impl fmt::Display) -> Self {
        Self::Internal(source.to_string())
    }
}

impl Issues {
    /// `Ok` when nothing was found, else all that was.
    pub fn into_result(self) -> Result<()> {
        if self.is_empty() {
            Ok(())
        } else {
            Err(Error::Invalid(self.into_list()))
        }
    }
}

/// Why a data dir can't be used. The command line turns each into an exit code (contract section 10).
#[derive(Debug, thiserror::Error)]
pub enum DataDirFault {
    /// There is none.
    #[error(
        "there is no data dir at {0}: name the one of `formsvc serve` with --data-dir, or make one with `formsvc serve --data-dir {0}`"
    )]
    Missing(String),
    /// It can't be read or written by this user.
    #[error(
        "the data dir {0} can't be used ({1}): name another with --data-dir, or mend its owner and rights"
    )]
    NotUsable(String, String),
    /// It is a link that leads nowhere.
    #[error(
        "the data dir {0} is a link to {1}, which is not there: make that folder, or remove the link"
    )]
    Dangling(String, String),
    /// Something in it is a link.
    #[error(
        "{1} in the data dir {0} is a link, which is not followed: put what it leads to in its place (the data dir itself may be a link, or lie on another disk)"
    )]
    Link(String, String),
    /// Its instance key is not the one that its database was made with.
    #[error(
        "the instance key keys/instance in the data dir {0} {1}: restore the folder keys/ from the backup that the database belongs to"
    )]
    WrongKey(String, String),
    /// Another `serve` runs on it.
    #[error("the data dir {0} is in use by another formsvc serve: stop that one first")]
    Locked(String),
    /// A newer formsvc wrote it.
    #[error("the database in {0} was written by a newer formsvc ({1}): use that version or newer")]
    Newer(String, String),
    /// The database is damaged.
    #[error("the database in {0} is damaged ({1}): restore a backup, or run `formsvc doctor`")]
    Damaged(String, String),
    /// Anything else.
    #[error("the data dir {0} can't be opened ({1}): look at the disk and at the files in it")]
    Failed(String, String),
}
