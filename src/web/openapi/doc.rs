//! What is said of a route beyond its row: a name, a sentence, its bodies and its own errors. The rest of
//! an operation follows from the row and from these marks.

use crate::base::error::Code;
use crate::base::json::Json;
use crate::web::openapi::shape::Shape;

/// A parameter of the query.
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it may be.
    pub schema: Json,
    /// What it does.
    pub text: &'static str,
}

/// What a route answers when all is well.
#[derive(Clone, Copy)]
pub enum Body {
    /// `{ data }`.
    Data(&'static Shape),
    /// `{ data: […], pagination }`.
    Page(&'static Shape),
    /// The shape alone, without an envelope.
    Bare(&'static Shape),
    /// A page for people.
    Html,
    /// A file of one of these content types; of JSON with its shape.
    File(&'static [(&'static str, Option<&'static Shape>)]),
}

/// The description of one route.
pub struct Doc {
    /// The operation's name, for generated clients.
    pub id: &'static str,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// More of that, in Markdown.
    pub text: &'static str,
    /// The status when all is well.
    pub status: u16,
    /// Another status with the same body, when all is well too.
    pub also: Option<u16>,
    /// The body of that answer.
    pub answer: Body,
    /// The body that it takes.
    pub takes: Option<&'static Shape>,
    /// An example of that body, as JSON; of a file as CSV.
    pub example: &'static str,
    /// The content types of a file that it takes as its body.
    pub takes_file: &'static [&'static str],
    /// The parameters of the query.
    pub query: fn() -> Vec<Parameter>,
    /// Whether the answer carries an `ETag`.
    pub is_tagged: bool,
    /// Whether `If-Match` is heeded.
    pub is_guarded: bool,
    /// Whether `Idempotency-Key` is heeded.
    pub is_once: bool,
    /// Whether the form's password may be needed.
    pub has_password: bool,
    /// Whether it is about a respondent's own entry.
    pub is_own: bool,
    /// Whether what the query names, or what is stored, may be faulty.
    pub checks_query: bool,
    /// Whether its address is signed.
    pub is_signed: bool,
    /// Its own errors that a program can tell apart.
    pub codes: &'static [(u16, &'static [Code])],
}

impl Doc {
    /// A route that answers `status` with `answer`.
    pub const fn new(id: &'static str, status: u16, answer: Body) -> Self {
        Self {
            id,
            summary: "",
            text: "",
            status,
            also: None,
            answer,
            takes: None,
            example: "",
            takes_file: &[],
            query: Vec::new,
            is_tagged: false,
            is_guarded: false,
            is_once: false,
            has_password: false,
            is_own: false,
            checks_query: false,
            is_signed: false,
            codes: &[],
        }
    }

    /// What it does: in a few words, and more of it.
    pub const fn says(mut self, summary: &'static str, text: &'static str) -> Self {
        self.summary = summary;
        self.text = text;
        self
    }

    /// It takes this body, for example this one.
    pub const fn takes(mut self, shape: &'static Shape, example: &'static str) -> Self {
        self.takes = Some(shape);
        self.example = example;
        self
    }

    /// It takes a file of one of these content types, for example this one as CSV.
    pub const fn takes_file(
        mut self,
        types: &'static [&'static str],
        example: &'static str,
    ) -> Self {
        self.takes_file = types;
        self.example = example;
        self
    }

    /// It may also answer with this status.
    pub const fn also(mut self, status: u16) -> Self {
        self.also = Some(status);
        self
    }

    /// It takes these parameters.
    pub const fn query(mut self, query: fn() -> Vec<Parameter>) -> Self {
        self.query = query;
        self
    }

    /// Its answer carries an `ETag`; reads heed `If-None-Match`.
    pub const fn tagged(mut self) -> Self {
        self.is_tagged = true;
        self
    }

    /// It heeds `If-Match`.
    pub const fn guarded(mut self) -> Self {
        self.is_guarded = true;
        self
    }

    /// It heeds `Idempotency-Key`.
    pub const fn once(mut self) -> Self {
        self.is_once = true;
        self
    }

    /// The form may have an access password.
    pub const fn password(mut self) -> Self {
        self.has_password = true;
        self
    }

    /// It is about a respondent's own entry: the right to it is needed.
    pub const fn own(mut self) -> Self {
        self.is_own = true;
        self
    }

    /// Its address is signed: 403 for one that is not, or has had its time.
    pub const fn signed(mut self) -> Self {
        self.is_signed = true;
        self
    }

    /// What the query names is checked: 422.
    pub const fn checks_query(mut self) -> Self {
        self.checks_query = true;
        self
    }

    /// What is stored is checked again: 422.
    pub const fn checks_stored(mut self) -> Self {
        self.checks_query = true;
        self
    }

    /// Its own errors that a program can tell apart.
    pub const fn codes(mut self, codes: &'static [(u16, &'static [Code])]) -> Self {
        self.codes = codes;
        self
    }
}
