//! The entries that a linked field can refer to.

use crate::base::error::Code::{FormClosed, FormFull, FormNotOpen, PasswordInvalid, PasswordRequired};
use crate::base::error::Result;
use crate::model::caller::Caller;
use crate::ops::entries::linked_options::{self, LinkedOption, Request};
use crate::ops::forms::published::Visitor;
use crate::web::openapi::doc::AnswerBody::Page;
use crate::web::openapi::doc::Doc;
use crate::web::openapi::parameters::option_list;
use crate::web::openapi::shape::Shape;
use crate::web::request::call::Call;
use crate::web::request::paging::PagedList;
use crate::web::request::rates::{self, Visit};
use crate::web::request::reply::Reply;

pub static OPTION: Shape = Shape::of_type::<LinkedOption<'static>>("LinkedEntryOption");

fn request(call: &Call, list: &PagedList) -> Result<Request> {
    Ok(Request {
        field: call.query("field").unwrap_or_default(),
        keyword: call.query("keyword").unwrap_or_default(),
        page: list.request()?,
    })
}

pub const LIST_ASSOCIATED_ENTRY_OPTIONS: Doc = Doc::new("list_associated_entry_options", 200, Page(&OPTION))
    .says(
        "Search for entries to link to",
        "The entries that a linked field can refer to, as respondents see them: public fields only, protected ones \
         masked. A keyword of fewer than two characters finds nothing unless the linked form allows browsing. Only \
         while the form accepts submissions.",
    )
    .query(option_list)
    .password()
    .checks_query()
    .codes(&[(403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen, FormFull])]);

/// `GET /f/{form_token}/associated_entry_options`
pub fn for_respondent(call: &Call) -> Result<Reply> {
    rates::count_visit(call, Visit::FormSearch)?;
    let list = PagedList::new(call, None);
    let visitor = Visitor { password: call.form_password(), is_carried: false, address: &call.address() };
    let request = request(call, &list)?;
    let page = linked_options::for_respondent(call.app, call.param("form_token"), visitor, &request)?;
    Ok(list.answer(&page).into())
}

pub const LIST_LINKED_FORM_OPTIONS: Doc = Doc::new("list_linked_form_options", 200, Page(&OPTION))
    .says("Search for entries to link to", "The entries that a linked field can refer to, without masking.")
    .query(option_list)
    .checks_query();

/// `GET /forms/{form_token}/linked_form_options`
pub fn for_collaborator(call: &Call, caller: &Caller) -> Result<Reply> {
    let list = PagedList::new(call, Some(caller));
    let request = request(call, &list)?;
    let page = linked_options::for_collaborator(call.app, caller, call.param("form_token"), &request)?;
    Ok(list.answer(&page).into())
}
