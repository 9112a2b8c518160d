//! A form of a file: of a form's definition, or of the header of a spreadsheet.

use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::json;
use crate::base::reason::Reason;
use crate::base::text::phrase::phrase;
use crate::fields::paste::columns;
use crate::model::caller::Caller;
use crate::ops::forms::beginnings;
use crate::ops::transfer::imports;
use crate::web::files::posted_sheet::INPUT;
use crate::web::pages::console::Posted;
use crate::web::pages::console::new_form::{pasted, to_questions, view};
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;

/// Makes the form of a definition; shows the questions that a spreadsheet will become.
pub fn read(call: &Call, caller: &Caller, posted: &Posted) -> Result<Reply> {
    match begin(call, caller, posted) {
        Ok(reply) => Ok(reply),
        Err(Error::Invalid(faults)) => {
            Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, posted, &faults)?.into())
        }
        Err(other) => Err(other),
    }
}

fn begin(call: &Call, caller: &Caller, posted: &Posted) -> Result<Reply> {
    // A post without parts has no file.
    let document = call.parts.map(|_| call.body.as_ref()).filter(|bytes| !bytes.is_empty());
    let document = document.ok_or_else(|| Error::Invalid(vec![Issue::new(INPUT, Reason::Blank)]))?;
    if document.trim_ascii_start().starts_with(b"{") {
        let definition = json::parse(document).map_err(at_document)?;
        let made = beginnings::make_of_definition(call.app, caller, posted.text("folder"), definition);
        let made = made.map_err(with_places)?;
        return Ok(to_questions(call, made.form.token.as_str()));
    }
    let reading = columns::of_columns(&imports::columns(document).map_err(at_document)?);
    if reading.proposals.is_empty() {
        let text = "has no header: name the questions in its first row";
        return Err(Error::Invalid(vec![Issue::new(INPUT, Reason::other(text))]));
    }
    Ok(pasted::propose(call, caller, posted, reading).into())
}

/// Faults of a definition get their places in it.
fn with_places(error: Error) -> Error {
    let Error::Invalid(faults) = error else {
        return error;
    };
    let told = |fault: Issue| match fault.attribute.as_str() {
        INPUT => fault,
        place => Issue::new(INPUT, Reason::other(phrase!("{} {}.", place, fault.reason.phrase()))),
    };
    Error::Invalid(faults.into_iter().map(told).collect())
}

/// A document that can't be read is a fault of the card.
fn at_document(error: Error) -> Error {
    match error {
        Error::BadRequest(text) => Error::invalid(INPUT, Reason::other(text)),
        other => other,
    }
}
