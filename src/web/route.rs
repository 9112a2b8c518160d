//! A row of the route table: method, path, who may come, and the function that answers.

use warp::http::Method;

use crate::base::error::Result;
use crate::model::caller::Caller;
use crate::model::role::Role;
use crate::model::scope::Scope;
use crate::ops::uploads::Taking;
use crate::web::call::Call;
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
    /// Where it is answered.
    pub pace: Pace,
    /// The least role with the form of its path that may come; none where the path names no form, or where
    /// another right than a role opens it.
    pub role: Option<Role>,
    /// Whether keys of the body that are not known are told, or refused where the client asks for that.
    pub tells_keys: bool,
    /// Whether `HEAD` works too: not where the answer's headers hand something out.
    pub takes_head: bool,
}

impl Route {
    /// A row for anybody who has no role, answered where that is best for its method.
    const fn new(method: Method, path: &'static str, body: BodyRule, run: Run) -> Self {
        let is_read = matches!(method, Method::GET);
        Self {
            pace: if is_read { Pace::Quick } else { Pace::Slow },
            takes_head: is_read,
            method,
            path,
            run,
            body,
            role: None,
            tells_keys: false,
        }
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

    /// The row, answered where the request arrived although it is no read: it leaves a ticket of the writer
    /// and waits for nothing itself.
    pub const fn quick(mut self) -> Self {
        self.pace = Pace::Quick;
        self
    }

    /// The row, answered on a thread of its own although it reads: it waits for something.
    pub const fn slow(mut self) -> Self {
        self.pace = Pace::Slow;
        self
    }
}

/// Where a request is answered. The way to another thread and back costs more than most reads do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Where it arrived: it asks the database a little and never waits.
    Quick,
    /// On a thread that may wait: for the writer, for a password's hash.
    Slow,
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
    Spool(fn(&Call) -> Result<Taking>),
    /// A page for anybody: cookies count, tokens don't.
    Page(fn(&Call) -> Result<Reply>),
    /// A page for somebody signed in; others are led to the sign-in page.
    Signed(fn(&Call, &Caller) -> Result<Reply>),
}

impl Run {
    /// As `formsvc routes` shows it.
    pub fn access(&self) -> &'static str {
        match self {
            Self::Open(_) => "open",
            Self::Respond(_) => "open or form:respond",
            Self::Known(_) => "known",
            Self::Scoped(scope, _) => scope.name(),
            Self::Client(_) => "client",
            Self::Spool(_) => "signature",
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

/// `GET` with a scope.
pub const fn get(
    path: &'static str,
    scope: Scope,
    f: fn(&Call, &Caller) -> Result<Reply>,
) -> Route {
    scoped(Method::GET, path, BodyRule::None, scope, f)
}

/// `POST` of JSON with a scope.
pub const fn post(
    path: &'static str,
    scope: Scope,
    f: fn(&Call, &Caller) -> Result<Reply>,
) -> Route {
    scoped(Method::POST, path, BodyRule::Json(BODY_LIMIT), scope, f)
}

/// `POST` of JSON that may be long, with a scope.
pub const fn post_many(
    path: &'static str,
    scope: Scope,
    f: fn(&Call, &Caller) -> Result<Reply>,
) -> Route {
    scoped(Method::POST, path, BodyRule::Json(MANY_LIMIT), scope, f)
}

/// `POST` of a spreadsheet with a scope.
pub const fn post_sheet(
    path: &'static str,
    scope: Scope,
    f: fn(&Call, &Caller) -> Result<Reply>,
) -> Route {
    scoped(Method::POST, path, BodyRule::Sheet(MANY_LIMIT), scope, f)
}

/// The content types of a spreadsheet.
pub const SHEETS: &[&str] = &[
    "text/csv",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/octet-stream",
];

/// `POST` with a scope, with a body or without one.
pub const fn act(
    path: &'static str,
    scope: Scope,
    f: fn(&Call, &Caller) -> Result<Reply>,
) -> Route {
    scoped(
        Method::POST,
        path,
        BodyRule::OptionalJson(BODY_LIMIT),
        scope,
        f,
    )
}

/// `PUT` of JSON with a scope.
pub const fn put(
    path: &'static str,
    scope: Scope,
    f: fn(&Call, &Caller) -> Result<Reply>,
) -> Route {
    scoped(Method::PUT, path, BodyRule::Json(BODY_LIMIT), scope, f)
}

/// `PATCH` of JSON with a scope.
pub const fn patch(
    path: &'static str,
    scope: Scope,
    f: fn(&Call, &Caller) -> Result<Reply>,
) -> Route {
    scoped(Method::PATCH, path, BodyRule::Json(BODY_LIMIT), scope, f)
}

/// `DELETE` with a scope.
pub const fn delete(
    path: &'static str,
    scope: Scope,
    f: fn(&Call, &Caller) -> Result<Reply>,
) -> Route {
    scoped(Method::DELETE, path, BodyRule::None, scope, f)
}

const fn scoped(
    method: Method,
    path: &'static str,
    body: BodyRule,
    scope: Scope,
    f: fn(&Call, &Caller) -> Result<Reply>,
) -> Route {
    Route::new(method, path, body, Run::Scoped(scope, f))
}

/// `GET` for any valid token.
pub const fn known_get(path: &'static str, f: fn(&Call, &Caller) -> Result<Reply>) -> Route {
    Route::new(Method::GET, path, BodyRule::None, Run::Known(f))
}

/// `POST` of JSON for any valid token.
pub const fn known_post(path: &'static str, f: fn(&Call, &Caller) -> Result<Reply>) -> Route {
    Route::new(
        Method::POST,
        path,
        BodyRule::Json(BODY_LIMIT),
        Run::Known(f),
    )
}

/// `POST` of JSON for anybody.
pub const fn open_post(path: &'static str, f: fn(&Call) -> Result<Reply>) -> Route {
    Route::new(Method::POST, path, BodyRule::Json(BODY_LIMIT), Run::Open(f))
}

/// `PUT` of a file to a signed address.
pub const fn put_file(path: &'static str, f: fn(&Call) -> Result<Taking>) -> Route {
    Route::new(Method::PUT, path, BodyRule::File, Run::Spool(f))
}

/// `GET` for anybody.
pub const fn open_get(path: &'static str, f: fn(&Call) -> Result<Reply>) -> Route {
    Route::new(Method::GET, path, BodyRule::None, Run::Open(f))
}

/// `PATCH` of JSON for anybody.
pub const fn open_patch(path: &'static str, f: fn(&Call) -> Result<Reply>) -> Route {
    Route::new(
        Method::PATCH,
        path,
        BodyRule::Json(BODY_LIMIT),
        Run::Open(f),
    )
}

/// `GET` of a published form.
pub const fn respond_get(
    path: &'static str,
    f: fn(&Call, Option<&Caller>) -> Result<Reply>,
) -> Route {
    Route::new(Method::GET, path, BodyRule::None, Run::Respond(f))
}

/// `POST` to a published form.
pub const fn respond_post(
    path: &'static str,
    f: fn(&Call, Option<&Caller>) -> Result<Reply>,
) -> Route {
    Route::new(
        Method::POST,
        path,
        BodyRule::Json(BODY_LIMIT),
        Run::Respond(f),
    )
}

/// `POST` of an application that says which one it is.
pub const fn client_post(path: &'static str, f: fn(&Call) -> Result<Reply>) -> Route {
    Route::new(
        Method::POST,
        path,
        BodyRule::Params(BODY_LIMIT),
        Run::Client(f),
    )
}

/// A page.
pub const fn page(path: &'static str, f: fn(&Call) -> Result<Reply>) -> Route {
    Route::new(Method::GET, path, BodyRule::None, Run::Page(f))
}

/// A page's form post.
pub const fn page_post(path: &'static str, f: fn(&Call) -> Result<Reply>) -> Route {
    Route::new(Method::POST, path, BodyRule::Form(BODY_LIMIT), Run::Page(f))
}

/// The post of a form's page.
pub const fn page_answers(path: &'static str, f: fn(&Call) -> Result<Reply>) -> Route {
    Route::new(
        Method::POST,
        path,
        BodyRule::Answers(BODY_LIMIT),
        Run::Page(f),
    )
    .quick()
}

/// A page for somebody signed in.
pub const fn signed(path: &'static str, f: fn(&Call, &Caller) -> Result<Reply>) -> Route {
    Route::new(Method::GET, path, BodyRule::None, Run::Signed(f))
}

/// The form post of a page for somebody signed in.
pub const fn signed_post(path: &'static str, f: fn(&Call, &Caller) -> Result<Reply>) -> Route {
    Route::new(
        Method::POST,
        path,
        BodyRule::Form(BODY_LIMIT),
        Run::Signed(f),
    )
}
