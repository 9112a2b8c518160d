//! `/api/v1/f/{form_token}/entries/{entry_token}`: a respondent's own entry.

use std::sync::Arc;

use crate::base::error::Result;
use crate::ops::entry_shape;
use crate::ops::published::Visitor;
use crate::ops::respondent_entries::{self, Ask, OwnChange, OwnEntry};
use crate::web::call::Call;
use crate::web::openapi::shape::Shape;
use crate::web::reply::{self, Reply};

/// A respondent's own entry in answers.
pub static OWN_ENTRY: Shape = Shape::new("OwnEntry", entry_shape::respondent_schema);

/// The body to change it.
pub static CHANGE: Shape = Shape::new("OwnEntryChange", OwnChange::schema);

fn ask<'a>(call: &'a Call, visitor: Visitor<'a>) -> Ask<'a> {
    Ask {
        form: call.param("form_token"),
        entry: call.param("entry_token"),
        edit_token: call.header("x-edit-token"),
        visitor,
    }
}

/// `GET /f/{form_token}/entries/{entry_token}`
pub fn show(call: &Call) -> Result<Reply> {
    let visitor = Visitor {
        password: call.form_password(),
        is_carried: false,
        address: &call.address(),
    };
    let own = respondent_entries::find(call.app, &ask(call, visitor))?;
    let body = OwnEntry::shown(&own.shape, &own.entry, call.now)?;
    let tag = own.shape.etag(&own.entry, call.now)?;
    Ok(reply::data_text(warp::http::StatusCode::OK, &body)
        .tagged(tag)
        .into())
}

/// `PATCH /f/{form_token}/entries/{entry_token}`
pub fn update(call: &Call) -> Result<Reply> {
    let (if_match, change) = (call.if_match()?, OwnChange::read(call.json()?));
    let given = change.password.clone();
    let visitor = Visitor {
        password: given.as_deref().or(call.form_password()),
        is_carried: false,
        address: &call.address(),
    };
    let own = respondent_entries::find(call.app, &ask(call, visitor))?;
    let (published, entry) = (&own.published, own.entry);
    let (shape, ticket) = respondent_entries::update(call.app, published, entry, change, if_match)?;
    let (shape, now) = (Arc::clone(&shape), call.now);
    Ok(reply::later(ticket, move |entry| {
        let body = OwnEntry::shown(&shape, &entry, now)?;
        let tag = shape.etag(&entry, now)?;
        Ok(reply::data_text(warp::http::StatusCode::OK, &body).tagged(tag))
    }))
}
