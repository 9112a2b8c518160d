//! Every way a request can fail: one variant per decision that a client can make. Only `web/request/error.rs` knows
//! statuses and bodies.

use std::fmt;

use crate::base::issue::{Issue, Issues};
use crate::base::named::named;
use crate::base::reason::{Reason, UploadFault};
use crate::base::text::phrase::Phrase;

/// The noun for a thing that was not found (`Form not found`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noun {
    /// A URL without a route.
    Page,
    Form,
    Entry,
    Folder,
    Webhook,
    /// A delivery to a webhook.
    Delivery,
    User,
    Organization,
    /// A personal access token.
    Token,
    /// A public query.
    Query,
    Collaborator,
    /// An OAuth client.
    App,
    /// A user's grant to an OAuth client.
    Grant,
    /// Resources kept for a respondent who is filling in a form.
    Hold,
    /// A file of an entry.
    File,
    /// An image on a page.
    Image,
    /// A question of a draft.
    Question,
    /// A version of a form.
    Version,
    /// Long work on entries.
    Job,
    /// A saved view of a list.
    View,
}

impl Noun {
    /// The noun at the beginning of a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "Not found",
            Self::Form => "Form",
            Self::Entry => "Entry",
            Self::Folder => "Folder",
            Self::Webhook => "Webhook",
            Self::Delivery => "Delivery",
            Self::User => "User",
            Self::Organization => "Organization",
            Self::Token => "Token",
            Self::Query => "Query",
            Self::Collaborator => "Collaborator",
            Self::App => "App",
            Self::Grant => "Connection",
            Self::Hold => "Hold",
            Self::File => "File",
            Self::Image => "Image",
            Self::Question => "Question",
            Self::Version => "Version",
            Self::Job => "Job",
            Self::View => "View",
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
        /// The form no longer accepts submissions.
        FormClosed = "form_closed",
        /// The form does not accept submissions yet.
        FormNotOpen = "form_not_open",
        /// The form has its maximum number of entries.
        FormFull = "form_full",
        /// A choice or booking slot is full.
        QuotaExceeded = "quota_exceeded",
        /// A product is sold out.
        OutOfStock = "out_of_stock",
        /// A hold would keep more of the rest than allowed.
        HoldLimit = "hold_limit",
        /// The sender has all the places in the waiting list that it may have.
        WaitingListFull = "waiting_list_full",
        /// An edit would delete collected data.
        DataLoss = "data_loss",
        /// The plan lacks the capability.
        PlanRequired = "plan_required",
        /// `If-Match` does not match.
        VersionConflict = "version_conflict",
        /// The `Idempotency-Key` was used with another request.
        IdempotencyConflict = "idempotency_conflict",
        /// The job can't be undone, or not yet.
        CannotUndo = "cannot_undo",
        /// The form accepts one entry per respondent and has this respondent's.
        AlreadySubmitted = "already_submitted",
        UploadNotFound = "upload_not_found",
        /// The content has not been uploaded yet.
        UploadIncomplete = "upload_incomplete",
        UploadUsed = "upload_used",
        /// The content was not uploaded in time.
        UploadExpired = "upload_expired",
        /// The upload was announced for another purpose.
        UploadPurposeMismatch = "upload_purpose_mismatch",
        /// The content is being uploaded.
        UploadInProgress = "upload_in_progress",
    }
}

impl Code {
    /// The code of the first fault that has one.
    pub fn of_faults(faults: &[Issue]) -> Option<Self> {
        faults.iter().find_map(|fault| match fault.reason {
            Reason::Upload(fault) => Some(match fault {
                UploadFault::NotFound => Self::UploadNotFound,
                UploadFault::Incomplete => Self::UploadIncomplete,
                UploadFault::Used => Self::UploadUsed,
                UploadFault::Expired => Self::UploadExpired,
                UploadFault::OtherPurpose => Self::UploadPurposeMismatch,
            }),
            _ => None,
        })
    }
}

impl Code {
    /// The code of faults about limited resources: that of the first fault.
    pub fn of_room(faults: &[Issue]) -> Self {
        let first = faults.first().map(|fault| &fault.reason);
        match first {
            Some(Reason::OutOfStock { .. }) => Self::OutOfStock,
            Some(Reason::HoldTooLarge { .. }) => Self::HoldLimit,
            _ => Self::QuotaExceeded,
        }
    }
}

named! {
    /// Error codes for OAuth clients (RFC 6749 sections 4.1.2.1 and 5.2).
    pub enum OAuthCode {
        /// A parameter is missing, repeated or malformed.
        InvalidRequest = "invalid_request",
        /// The client is not authenticated.
        InvalidClient = "invalid_client",
        /// The code or refresh token is not valid.
        InvalidGrant = "invalid_grant",
        UnsupportedGrantType = "unsupported_grant_type",
        /// Unknown scopes, or more than the client may request.
        InvalidScope = "invalid_scope",
        UnsupportedResponseType = "unsupported_response_type",
        /// The user declined.
        AccessDenied = "access_denied",
        /// A request object was sent.
        RequestNotSupported = "request_not_supported",
        /// The URI of a request object was sent.
        RequestUriNotSupported = "request_uri_not_supported",
        ServerError = "server_error",
        TemporarilyUnavailable = "temporarily_unavailable",
    }
}

#[derive(Debug)]
pub enum Error {
    /// 422: the content is invalid.
    Invalid(Vec<Issue>),
    /// 422 with a code: the content is invalid, and clients may branch on the reason.
    InvalidFor(Code, String, Vec<Issue>),
    /// 400: the request can't be understood.
    BadRequest(Phrase),
    /// 401: no valid token.
    Unauthenticated {
        /// Whether a token was sent.
        sent: bool,
    },
    /// 403: the token lacks this scope.
    ScopeLacks(&'static str),
    /// 402: the plan lacks a capability.
    PlanLacks(String),
    /// 403: the caller may see the resource but not do this.
    Forbidden,
    /// 403: the action is not possible here; the message says why.
    NotHere(&'static str),
    /// 403: a signed link that has expired or was altered.
    BadLink,
    /// 403: a form post without a valid CSRF token of this session.
    StalePage,
    /// 403 with a code: a published form refuses (closed, password).
    Refused(Code, String),
    /// 404.
    NotFound(Noun),
    /// 404: the address has this text where a serial number belongs.
    NotANumber(Noun, String),
    /// 405, with the allowed methods.
    MethodNotAllowed(String),
    /// 408: the body did not arrive in time.
    BodyTimeout,
    /// 409.
    Conflict(Code, String),
    /// 409: the requested items are full or sold out.
    NoRoom(Vec<Issue>),
    /// 410: a one-time resource was used.
    Gone(String),
    /// 412: `If-Match` does not match.
    VersionConflict,
    /// 412: another number of entries matches than the request expects, namely this one.
    TotalChanged(i64),
    /// 413, with the limit in bytes.
    TooLarge(u64),
    /// 415.
    UnsupportedType(String),
    /// 429, with the seconds to wait.
    TooMany(u64),
    /// 429 for a search without proof of work, with the seconds to wait.
    Unproven(u64),
    /// 429: too many are open, or were left unused (see the message); with the seconds to wait.
    TooManyOpen(&'static str, u64),
    /// 503, with the reason and the seconds to wait.
    Busy(&'static str, u64),
    /// An OAuth error: 401 for `invalid_client`, else 400.
    OAuth(OAuthCode, String),
    /// The data that a change was prepared from changed before the write, so that the change is prepared again; 503
    /// where that is impossible, since other writes run now.
    Stale,
    /// 500: the cause is logged, and the client gets the request id.
    Internal(String),
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A single fault of the content.
    pub fn invalid(attribute: impl Into<String>, reason: impl Into<Reason>) -> Self {
        Self::Invalid(vec![Issue::new(attribute, reason)])
    }

    pub fn oauth(code: OAuthCode, description: impl Into<String>) -> Self {
        Self::OAuth(code, description.into())
    }

    /// An internal error; `source` is for the log.
    pub fn internal(source: impl fmt::Display) -> Self {
        Self::Internal(source.to_string())
    }
}

impl Issues {
    /// `Ok` when nothing was found, else all that was.
    pub fn into_result(self) -> Result<()> {
        if self.is_empty() { Ok(()) } else { Err(Error::Invalid(self.into_list())) }
    }
}

/// Why a data directory can't be used. The command line maps each to an exit code (contract section 10).
#[derive(Debug, thiserror::Error)]
pub enum DataDirFault {
    /// It does not exist.
    #[error(
        "there is no data dir at {0}: name the data dir of `formsvc serve` with --data-dir, or create one with \
         `formsvc serve --data-dir {0}`"
    )]
    Missing(String),
    /// It can't be read or written by this user.
    #[error("the data dir {0} can't be used ({1}): name another with --data-dir, or correct its owner and permissions")]
    NotUsable(String, String),
    /// It is a broken symbolic link.
    #[error("the data dir {0} is a link to {1}, which does not exist: create that folder, or remove the link")]
    Dangling(String, String),
    /// It contains a symbolic link.
    #[error(
        "{1} in the data dir {0} is a link, which is not followed: put what it leads to in its place (the data dir \
         itself may be a link, or lie on another disk)"
    )]
    Link(String, String),
    /// Its instance key is not the one that its database was created with.
    #[error(
        "the instance key keys/instance in the data dir {0} {1}: restore the folder keys/ from the backup that the \
         database belongs to"
    )]
    WrongKey(String, String),
    /// Another `serve` runs on it.
    #[error("the data dir {0} is in use by another formsvc serve: stop that one first")]
    Locked(String),
    /// It was written by a newer version.
    #[error("the database in {0} was written by a newer formsvc ({1}): {2}")]
    Newer(String, String, String),
    /// A migration failed.
    #[error(
        "the database in {0} could not be upgraded ({1}) and is unchanged: continue with the formsvc that you had \
         before, and keep {2}, a copy of the database that it can restore"
    )]
    NotUpgraded(String, String, String),
    /// Needed and free space, in MB.
    #[error(
        "the database in {0} is not upgraded: the copy that is made first needs {1} MB, and {2} MB are free; free \
         some space"
    )]
    NoRoomToUpgrade(String, u64, u64),
    /// The server that runs on it would find other tables.
    #[error(
        "a formsvc serve of an earlier version runs on the data dir {0}: restart it, which upgrades the database, and \
         run this command again"
    )]
    OldServer(String),
    #[error("the database in {0} is damaged ({1}): restore a backup, or run `formsvc doctor`")]
    Damaged(String, String),
    /// Anything else.
    #[error("the data dir {0} can't be opened ({1}): look at the disk and at the files in it")]
    Failed(String, String),
}
