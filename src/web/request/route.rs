//! A row of the route table: method, path, access, body, handler and description.

use warp::http::Method;

use crate::base::error::Result;
use crate::model::caller::Caller;
use crate::model::role::Role;
use crate::model::scope::Scope;
use crate::ops::files::received_files::Taking;
use crate::web::openapi::doc::Doc;
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;

/// One row. `formsvc routes` prints the table; tests iterate over it.
pub struct Route {
    /// `HEAD` works where `GET` does if `takes_head` is set.
    pub method: Method,
    /// The path below the base address; `{form_token}` is a parameter.
    pub path: &'static str,
    /// The access rule and the handler.
    pub run: Run,
    pub body: BodyRule,
    pub threading: Threading,
    /// The lowest role for the form in the path that has access; `None` if the path has no form, or if access does
    /// not depend on a role.
    pub role: Option<Role>,
    /// Whether unknown keys of the body are reported for the handler, which reads the body by its schema alone.
    pub tells_keys: bool,
    /// Whether unknown query parameters are always refused: one may have been meant to change nothing.
    pub refuses_unknown: bool,
    /// Whether `HEAD` works too; not if a request has side effects, such as showing a secret once.
    pub takes_head: bool,
    /// Its part of the API's description; `None` for pages.
    pub doc: Option<Doc>,
}

impl Route {
    /// `GET` and `HEAD`, run inline.
    pub const fn get(path: &'static str, run: Run) -> Self {
        let mut row = Self::new(Method::GET, path, BodyRule::None, run);
        row.threading = Threading::Inline;
        row.takes_head = true;
        row
    }

    /// `POST` with the default body for its access.
    pub const fn post(path: &'static str, run: Run) -> Self {
        Self::new(Method::POST, path, run.default_body(), run)
    }

    pub const fn put(path: &'static str, run: Run) -> Self {
        Self::new(Method::PUT, path, run.default_body(), run)
    }

    pub const fn patch(path: &'static str, run: Run) -> Self {
        Self::new(Method::PATCH, path, run.default_body(), run)
    }

    /// Without a body.
    pub const fn delete(path: &'static str, run: Run) -> Self {
        Self::new(Method::DELETE, path, BodyRule::None, run)
    }

    const fn new(method: Method, path: &'static str, body: BodyRule, run: Run) -> Self {
        Self {
            method,
            path,
            run,
            body,
            threading: Threading::Blocking,
            role: None,
            tells_keys: false,
            refuses_unknown: false,
            takes_head: false,
            doc: None,
        }
    }

    pub const fn body(mut self, body: BodyRule) -> Self {
        self.body = body;
        self
    }

    pub const fn doc(mut self, doc: Doc) -> Self {
        self.doc = Some(doc);
        self
    }

    pub const fn without_head(mut self) -> Self {
        self.takes_head = false;
        self
    }

    /// Unknown keys of the body are reported for the handler.
    pub const fn tells_keys(mut self) -> Self {
        self.tells_keys = true;
        self
    }

    /// Refuses unknown query parameters.
    pub const fn refuses_unknown(mut self) -> Self {
        self.refuses_unknown = true;
        self
    }

    /// Requires this role for the form in the path. The operation enforces it; tests compare it with this value.
    pub const fn by(mut self, role: Role) -> Self {
        self.role = Some(role);
        self
    }

    /// The role as `formsvc routes` prints it.
    pub fn role_name(&self) -> Option<&'static str> {
        self.role.map(|role| match role {
            Role::Owner => "owner",
            other => other.name(),
        })
    }

    /// Runs inline although the row writes: its handler returns the writer's ticket and waits for nothing.
    pub const fn inline(mut self) -> Self {
        self.threading = Threading::Inline;
        self
    }

    /// Runs on a blocking thread although the row reads: its handler waits for something.
    pub const fn blocking(mut self) -> Self {
        self.threading = Threading::Blocking;
        self
    }
}

/// Which thread answers. Switching to a blocking thread and back costs more than most reads do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threading {
    /// The async thread that took the request: the handler reads little and never waits.
    Inline,
    /// A thread of the blocking pool: the handler waits for the writer or hashes a password.
    Blocking,
}

/// The access rule, with the handler. The type of the handler says whether it gets a caller.
#[derive(Clone, Copy)]
pub enum Run {
    /// Anyone. A token that is sent must still be valid.
    Open(fn(&Call) -> Result<Reply>),
    /// Anyone. A token that is sent counts for what its user may do beyond that.
    OpenOrKnown(fn(&Call, Option<&Caller>) -> Result<Reply>),
    /// Anyone, or a token with `form:respond`: published forms.
    Respond(fn(&Call, Option<&Caller>) -> Result<Reply>),
    /// Any valid token, no scope.
    AnyToken(fn(&Call, &Caller) -> Result<Reply>),
    /// A valid token with this scope.
    Scoped(Scope, fn(&Call, &Caller) -> Result<Reply>),
    /// An OAuth client that authenticates in the request itself; errors have the format of RFC 6749.
    Client(fn(&Call) -> Result<Reply>),
    /// Anyone with a signed address uploads a file; the function checks the request before the file is read.
    Upload(fn(&Call) -> Result<Taking>),
    /// A page for anyone. Cookies count, tokens don't.
    Page(fn(&Call) -> Result<Reply>),
    /// A page for signed-in users; others are redirected to the sign-in page.
    Session(fn(&Call, &Caller) -> Result<Reply>),
}

impl Run {
    const fn default_body(&self) -> BodyRule {
        match self {
            Self::Open(_) | Self::OpenOrKnown(_) | Self::Respond(_) | Self::AnyToken(_) | Self::Scoped(..) => {
                BodyRule::Json(BODY_LIMIT)
            }
            Self::Client(_) => BodyRule::Params(BODY_LIMIT),
            Self::Upload(_) => BodyRule::File,
            Self::Page(_) | Self::Session(_) => BodyRule::Form(BODY_LIMIT),
        }
    }

    /// As `formsvc routes` prints it.
    pub fn access(&self) -> &'static str {
        match self {
            Self::Open(_) => "open",
            Self::OpenOrKnown(_) => "open or known",
            Self::Respond(_) => "open or form:respond",
            Self::AnyToken(_) => "known",
            Self::Scoped(scope, _) => scope.name(),
            Self::Client(_) => "client",
            Self::Upload(_) => "signature",
            Self::Page(_) => "page",
            Self::Session(_) => "session",
        }
    }
}

/// The kind of a body and its limit in bytes. A body above `BODY_LIMIT` is read only after the caller is
/// authorised, and only a few at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyRule {
    None,
    Json(usize),
    /// JSON or no body.
    OptionalJson(usize),
    /// `multipart/form-data` or urlencoded.
    Form(usize),
    /// The answers to a form: the same, with files that are streamed to disk. The limit applies to texts.
    Answers(usize),
    /// A form of a signed-in page with an image for this purpose, which is streamed to disk.
    Image(&'static str),
    /// A form of a signed-in page with a spreadsheet.
    SheetForm(usize),
    /// A spreadsheet.
    Sheet(usize),
    /// Parameters as JSON or urlencoded.
    Params(usize),
    /// A file, streamed to disk.
    File,
}

impl BodyRule {
    pub fn limit(self) -> usize {
        match self {
            Self::None | Self::File | Self::Image(_) => 0,
            Self::Json(limit)
            | Self::OptionalJson(limit)
            | Self::Form(limit)
            | Self::Answers(limit)
            | Self::Sheet(limit)
            | Self::SheetForm(limit)
            | Self::Params(limit) => limit,
        }
    }
}

/// The default limit of bodies (contract section 1).
pub const BODY_LIMIT: usize = 1 << 20;

/// The limit of bodies with many entries.
pub const BULK_LIMIT: usize = 16 << 20;

/// The content types of a spreadsheet.
pub const SHEETS: &[&str] =
    &["text/csv", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "application/octet-stream"];
