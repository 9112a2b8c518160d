//! `/certificates/{entry_token}`: certificates, for download.

use bytes::Bytes;
use warp::http::{StatusCode, header};

use crate::base::error::Result;
use crate::http::net;
use crate::model::caller::Caller;
use crate::ops::exams::certificates::{self, Document, sample};
use crate::web::openapi::doc::AnswerBody::{self, File};
use crate::web::openapi::doc::Doc;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};

const PDF: AnswerBody = File(&[("application/pdf", None)]);

pub const GET_CERTIFICATE: Doc = Doc::new("get_certificate", 200, PDF)
    .says(
        "Download a certificate",
        "Use the `url` in the entry's `x_field_certificate`, which works for 24 hours. The PDF is made on request \
         and always the same for the same entry. 404 if the entry is deleted or no longer has a certificate.",
    )
    .signed();

/// `GET /certificates/{entry_token}`
pub fn show(call: &Call) -> Result<Reply> {
    let expires = call.query("expires").unwrap_or_default();
    let signature = call.query("signature").unwrap_or_default();
    let token = call.param("entry_token");
    Ok(sent(certificates::open(call.app, token, &expires, &signature)?).into())
}

/// `GET /forms/{form_token}/settings/certificate`: a sample, with `certificate.title` and `certificate.body` in place of
/// the stored texts.
pub fn sample(call: &Call, caller: &Caller) -> Result<Reply> {
    let [title, body] = ["certificate.title", "certificate.body"].map(|name| call.query(name));
    let token = call.param("form_token");
    Ok(sent(sample::of(call.app, caller, token, title.as_deref(), body.as_deref())?).into())
}

/// A certificate, for download.
pub fn sent(document: Document) -> Answer {
    let answer = Answer {
        body: Bytes::from(document.bytes),
        content_type: Some("application/pdf"),
        ..Answer::empty(StatusCode::OK)
    };
    let answer = answer.header(header::CONTENT_DISPOSITION, &net::attachment(&document.name));
    answer.header(header::CACHE_CONTROL, "no-store")
}
