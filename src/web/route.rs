//! A row of the route table: method, path, who may come, and the function that answers.

use warp::http::Method;

use crate::base::error::Result;
use crate::model::caller::Caller;
use crate::model::role::Role;
use crate::model::scope::Scope;
use crate::ops::uploads::Taking;
use crate::web::call::Call;
use crate::web::openapi::doc::Doc;
use crate::web::reply::Reply;

/// One row. Tables of rows are what `formsvc routes` prints and tests walk.
pub struct Route {
    /// The method. `HEAD` works where `GET` does, unless `takes_head` says otherwise.
    pub method: Method,
    /// The path below the base address; `{form_token}` is a parameter.
    pub path: &'static str,
    /// Who may come, and what answers.
    pub run: Run,
    /// What the body may be.
    pub body: BodyRule,
    /// Which thread answers.
    pub threading: Threading,
    /// The least role with the form of its path that may come; none where the path names no form, or where
    /// another right than a role opens it.
    pub role: Option<Role>,
    /// Whether keys of the body that are not known are told, or refused where the client asks for that.
    pub tells_keys: bool,
    /// Whether `HEAD` works too: not where the answer's headers hand something out.
    pub takes_head: bool,
    /// What the API's description says of it; none of pages.
    pub doc: Option<Doc>,
}

impl Route {
    /// `GET`, and `HEAD` with it: answered where the request arrived.
    pub const fn get(path: &'static str, run: Run) -> Self {
        let mut row = Self::new(Method::GET, path, BodyRule::None, run);
        row.threading = Threading::Inline;
        row.takes_head = true;
        row
    }

    /// `POST`, of the body that is usual for whoever comes.
    pub const fn post(path: &'static str, run: Run) -> Self {
        Self::new(Method::POST, path, run.usual_body(), run)
    }

    /// `PUT`, likewise.
    pub const fn put(path: &'static str, run: Run) -> Self {
        Self::new(Method::PUT, path, run.usual_body(), run)
    }

    /// `PATCH`, likewise.
    pub const fn patch(path: &'static str, run: Run) -> Self {
        Self::new(Method::PATCH, path, run.usual_body(), run)
    }

    /// `DELETE`, without a body.
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
            takes_head: false,
            doc: None,
        }
    }

    /// The row, with another body than the usual one.
    pub const fn body(mut self, body: BodyRule) -> Self {
        self.body = body;
        self
    }

    /// The row, with what the API's description says of it.
    pub const fn doc(mut self, doc: Doc) -> Self {
        self.doc = Some(doc);
        self
    }

    /// The row, without `HEAD`.
    pub const fn without_head(mut self) -> Self {
        self.takes_head = false;
        self
    }

    /// The row, whose handler looks for unknown keys of the body.
    pub const fn tells_keys(mut self) -> Self {
        self.tells_keys = true;
        self
    }

    /// The row, for those who have this role with the form of its path. The operation decides by it; what
    /// stands here is what tests hold it to.
    pub const fn by(mut self, role: Role) -> Self {
        self.role = Some(role);
        self
    }

    /// As `formsvc routes` shows the role.
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

/// Who may come: the type of the function says whether it gets a caller.
#[derive(Clone, Copy)]
pub enum Run {
    /// Anybody. A token that is sent must still be valid.
    Open(fn(&Call) -> Result<Reply>),
    /// Anybody, or a token with `form:respond`: published forms.
    Respond(fn(&Call, Option<&Caller>) -> Result<Reply>),
    /// Any valid token, no scope.
    Known(fn(&Call, &Caller) -> Result<Reply>),
    /// A valid token with this scope.
    Scoped(Scope, fn(&Call, &Caller) -> Result<Reply>),
    /// An application that says in the request itself which one it is. It is answered as RFC 6749 has it.
    Client(fn(&Call) -> Result<Reply>),
    /// Whoever has a signed address sends a file, which the function begins to take.
    Upload(fn(&Call) -> Result<Taking>),
    /// A page for anybody: cookies count, tokens don't.
    Page(fn(&Call) -> Result<Reply>),
    /// A page for somebody signed in; others are led to the sign-in page.
    Signed(fn(&Call, &Caller) -> Result<Reply>),
}

impl Run {
    const fn usual_body(&self) -> BodyRule {
        match self {
            Self::Open(_) | Self::Respond(_) | Self::Known(_) | Self::Scoped(..) => {
                BodyRule::Json(BODY_LIMIT)
            }
            Self::Client(_) => BodyRule::Params(BODY_LIMIT),
            Self::Upload(_) => BodyRule::File,
            Self::Page(_) | Self::Signed(_) => BodyRule::Form(BODY_LIMIT),
        }
    }

    /// As `formsvc routes` shows it.
    pub fn access(&self) -> &'static str {
        match self {
            Self::Open(_) => "open",
            Self::Respond(_) => "open or form:respond",
            Self::Known(_) => "known",
            Self::Scoped(scope, _) => scope.name(),
            Self::Client(_) => "client",
            Self::Upload(_) => "signature",
            Self::Page(_) => "page",
            Self::Signed(_) => "session",
        }
    }
}

/// What a body may be, and its limit in bytes. One that may be larger than others is read only when the
/// caller may send it, and few at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyRule {
    /// None is read.
    None,
    /// JSON.
    Json(usize),
    /// JSON, or none at all.
    OptionalJson(usize),
    /// `multipart/form-data` or urlencoded.
    Form(usize),
    /// The same, with files that go to the disk as they come: the answers to a form. The limit is that of texts.
    Answers(usize),
    /// A spreadsheet.
    Sheet(usize),
    /// Parameters, as JSON or urlencoded.
    Params(usize),
    /// The bytes of a file, which go to the disk as they come.
    File,
}

impl BodyRule {
    /// The most bytes.
    pub fn limit(self) -> usize {
        match self {
            Self::None | Self::File => 0,
            Self::Json(limit)
            | Self::OptionalJson(limit)
            | Self::Form(limit)
            | Self::Answers(limit)
            | Self::Sheet(limit)
            | Self::Params(limit) => limit,
        }
    }
}

/// The limit of bodies (contract section 1).
pub const BODY_LIMIT: usize = 1 << 20;

/// The limit of a body that holds many entries.
pub const MANY_LIMIT: usize = 16 << 20;

/// The content types of a spreadsheet.
pub const SHEETS: &[&str] = &[
    "text/csv",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/octet-stream",
];
