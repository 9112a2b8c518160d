//! `/api/v1/f/{form_token}/verify`, and the same answer for the page's address: whether a verification code is valid.

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::Result;
use crate::ops::exams::verification;
use crate::web::openapi::doc::AnswerBody::Data;
use crate::web::openapi::doc::Doc;
use crate::web::openapi::parameters::verification_code;
use crate::web::openapi::shape::Shape;
use crate::web::request::call::Call;
use crate::web::request::rates::{self, Visit};
use crate::web::request::reply::{self, Answer, Reply};

/// The answer about a code.
#[derive(Serialize, JsonSchema)]
struct VerificationBody {
    /// Whether an entry of the form has this code.
    valid: bool,
}

pub static VERIFICATION: Shape = Shape::of_type::<VerificationBody>("Verification");

pub const VERIFY_CODE: Doc = Doc::new("verify_code", 200, Data(&VERIFICATION))
    .says(
        "Verify a code",
        "Checks whether an entry of the form has this verification code; entries in the trash don't count. Case, \
         blanks and hyphens are ignored. 404 unless the form is published and `verification_code.enabled` is set. Also \
         available at `/f/{form_token}/verify`, as a page or, with `Accept: application/json`, as this answer. 20 \
         codes a minute per address and form.",
    )
    .query(verification_code);

/// `GET /api/v1/f/{form_token}/verify`
pub fn show(call: &Call) -> Result<Reply> {
    Ok(answer(call)?.into())
}

/// Whether the code in the query is valid.
///
/// # Errors
/// 404 unless the form is published and has codes, 429.
pub fn answer(call: &Call) -> Result<Answer> {
    let published = verification::form(call.app, call.param("form_token"))?;
    rates::count_visit(call, Visit::Verification)?;
    let typed = call.query("code").unwrap_or_default();
    let valid = verification::verify(call.app, &published, &typed)?.is_some();
    reply::data(&VerificationBody { valid })
}
