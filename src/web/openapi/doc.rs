//! A route's part of the description: name, texts, bodies, error codes and flags. The rest of an operation is derived
//! from these and from the row.

use crate::base::error::Code;
use crate::base::json::Json;
use crate::web::openapi::shape::Shape;

/// A query parameter.
pub struct Parameter {
    pub name: &'static str,
    pub schema: Json,
    pub text: &'static str,
}

/// The body of a successful answer.
#[derive(Clone, Copy)]
pub enum AnswerBody {
    /// `{ data }`.
    Data(&'static Shape),
    /// `{ data: […], pagination }`.
    Page(&'static Shape),
    /// Without an envelope.
    Bare(&'static Shape),
    /// A page.
    Html,
    /// A file with one of these content types; JSON has a shape.
    File(&'static [(&'static str, Option<&'static Shape>)]),
    /// Server-sent events, which `Last-Event-ID` resumes.
    Events,
}

/// The description of one route.
pub struct Doc {
    /// The operation's name in generated clients.
    pub id: &'static str,
    pub summary: &'static str,
    /// In Markdown.
    pub text: &'static str,
    /// The status of success.
    pub status: u16,
    /// Another successful status with the same body.
    pub also: Option<u16>,
    pub answer: AnswerBody,
    /// The request body.
    pub takes: Option<&'static Shape>,
    /// An example of it, as JSON; for a file as CSV.
    pub example: &'static str,
    /// Counters beside the rows of a page, with their descriptions.
    pub counts: &'static [(&'static str, &'static str)],
    /// The content types of a file as the request body.
    pub takes_file: &'static [&'static str],
    /// The query parameters.
    pub query: fn() -> Vec<Parameter>,
    /// The required query parameters.
    pub required: &'static [&'static str],
    /// The answer has an `ETag`.
    pub is_tagged: bool,
    /// Supports `If-Match`.
    pub is_guarded: bool,
    /// Supports `Idempotency-Key`.
    pub is_idempotent: bool,
    /// May require the form's password.
    pub has_password: bool,
    /// Requires the edit token of a respondent's own entry.
    pub needs_edit_token: bool,
    /// Can answer 422 without a body, for the query or for stored data.
    pub can_be_invalid: bool,
    /// The query or form can be switched off.
    pub can_be_shut: bool,
    /// Its address is signed.
    pub is_signed: bool,
    /// Statuses with the error codes that are specific to it.
    pub codes: &'static [(u16, &'static [Code])],
}

impl Doc {
    pub const fn new(id: &'static str, status: u16, answer: AnswerBody) -> Self {
        Self {
            id,
            summary: "",
            text: "",
            status,
            also: None,
            answer,
            takes: None,
            example: "",
            counts: &[],
            takes_file: &[],
            query: Vec::new,
            required: &[],
            is_tagged: false,
            is_guarded: false,
            is_idempotent: false,
            has_password: false,
            needs_edit_token: false,
            can_be_invalid: false,
            can_be_shut: false,
            is_signed: false,
            codes: &[],
        }
    }

    /// Summary, and text in Markdown.
    pub const fn says(mut self, summary: &'static str, text: &'static str) -> Self {
        self.summary = summary;
        self.text = text;
        self
    }

    /// The request body, with an example.
    pub const fn takes(mut self, shape: &'static Shape, example: &'static str) -> Self {
        self.takes = Some(shape);
        self.example = example;
        self
    }

    /// Counters beside the rows of a page, with their descriptions.
    pub const fn counts(mut self, counts: &'static [(&'static str, &'static str)]) -> Self {
        self.counts = counts;
        self
    }

    /// A file with one of these content types as the request body, with an example as CSV.
    pub const fn takes_file(mut self, types: &'static [&'static str], example: &'static str) -> Self {
        self.takes_file = types;
        self.example = example;
        self
    }

    /// Another successful status.
    pub const fn also(mut self, status: u16) -> Self {
        self.also = Some(status);
        self
    }

    pub const fn query(mut self, query: fn() -> Vec<Parameter>) -> Self {
        self.query = query;
        self
    }

    /// The answer has an `ETag`; reads support `If-None-Match`.
    pub const fn tagged(mut self) -> Self {
        self.is_tagged = true;
        self
    }

    /// Supports `If-Match`.
    pub const fn guarded(mut self) -> Self {
        self.is_guarded = true;
        self
    }

    /// Supports `Idempotency-Key`.
    pub const fn idempotent(mut self) -> Self {
        self.is_idempotent = true;
        self
    }

    /// The form may have an access password.
    pub const fn password(mut self) -> Self {
        self.has_password = true;
        self
    }

    /// These query parameters can't be left out.
    pub const fn requires(mut self, names: &'static [&'static str]) -> Self {
        self.required = names;
        self
    }

    /// Requires the edit token of a respondent's own entry.
    pub const fn edit_token(mut self) -> Self {
        self.needs_edit_token = true;
        self
    }

    /// The address is signed: 403 if the signature is wrong or expired.
    pub const fn signed(mut self) -> Self {
        self.is_signed = true;
        self
    }

    /// The query is validated: 422.
    pub const fn checks_query(mut self) -> Self {
        self.can_be_invalid = true;
        self
    }

    /// Stored data is validated again: 422.
    pub const fn checks_stored(mut self) -> Self {
        self.can_be_invalid = true;
        self
    }

    /// The query or form can be switched off: 403.
    pub const fn can_be_shut(mut self) -> Self {
        self.can_be_shut = true;
        self
    }

    /// The error codes that are specific to it, by status.
    pub const fn codes(mut self, codes: &'static [(u16, &'static [Code])]) -> Self {
        self.codes = codes;
        self
    }
}
