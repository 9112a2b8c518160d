//! `/api/v1/opensearch/queries`: public queries, for the managers of their forms.

use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::reason::Reason;
use crate::model::caller::Caller;
use crate::ops::queries::{self, QueryBody, QueryView, Suggestions};
use crate::web::openapi::codes::{PLAN, UPLOADS};
use crate::web::openapi::doc::AnswerBody::{Data, Page};
use crate::web::openapi::doc::{Doc, Parameter};
use crate::web::openapi::shape::{Deleted, DeletedToken, Shape, deleted};
use crate::web::request::call::Call;
use crate::web::request::paging::{self, PagedList};
use crate::web::request::reply::{self, Reply};

/// A query in answers.
pub static QUERY: Shape = Shape::of_type::<QueryBody>("PublicQuery");

/// The body to create one.
pub static CREATE: Shape = Shape::new("PublicQueryCreate", queries::create_schema);

/// The body to change one.
pub static UPDATE: Shape = Shape::new("PublicQueryUpdate", queries::update_schema);

/// The answer to the deletion of one.
pub static DELETED: Shape = Shape::of_type::<Deleted<DeletedToken<'static>>>("DeletedPublicQuery");

/// The fields that queries of a form may search by and show.
pub static SUGGESTIONS: Shape = Shape::of_type::<Suggestions>("PublicQuerySuggestions");

/// The query parameters of a list.
pub fn list_parameters() -> Vec<Parameter> {
    let mut all =
        vec![Parameter { name: "form_token", schema: json!({"type": "string"}), text: "Only queries of this form." }];
    all.extend(paging::parameters());
    all
}

/// The query parameters of the suggestions.
pub fn suggestion_parameters() -> Vec<Parameter> {
    vec![Parameter { name: "form_token", schema: json!({"type": "string"}), text: "The form." }]
}

fn query_reply(status: StatusCode, view: QueryView) -> Result<Reply> {
    let answer = reply::data_with(status, &view.body)?.warn(view.warnings);
    Ok(answer.tagged(view.etag).into())
}

pub const LIST_PUBLIC_QUERIES: Doc = Doc::new("list_public_queries", 200, Page(&QUERY))
    .says("List public queries", "The queries of all forms that the caller manages, or of one form, newest first.")
    .query(list_parameters);

/// `GET /opensearch/queries`
pub fn list(call: &Call, caller: &Caller) -> Result<Reply> {
    let form = call.query("form_token").filter(|token| !token.is_empty());
    let list = PagedList::with_filters(call, caller, &[("form_token", form.as_deref())]);
    let page = queries::list(call.app, caller, form.as_deref(), &list.request()?)?;
    Ok(list.answer(&page).into())
}

pub const CREATE_PUBLIC_QUERY: Doc = Doc::new("create_public_query", 201, Data(&QUERY))
    .says(
        "Create a public query",
        "Publishes a page at `/q/{token}` where visitors look up entries of a form: they fill in the search fields and \
         see the display fields of the entries that match. The caller must be a manager of the form. In an `and` group \
         visitors fill in every field; in an `or` group one is enough. Unknown keys are refused. `warnings` beside \
         `data` names rules that reveal more than intended: a masked field that can be searched by parts, a search by \
         serial number alone, where visitors can try one number after the other, and an editable field in \
         `scope_conditions`, where an edit can remove an entry from the query.",
    )
    .takes(&CREATE, r##"{"form_token": "AbCdEf1234", "name": "Find your certificate", "search_field_rules": [{"operand": "and", "fields": [{"field": "field_1"}, {"field": "serial_number", "label": "Member number"}]}], "display_field_rules": [{"field": "field_1", "highlight": {"color": "#B91C1C", "position": 1}}, {"field": "field_2", "protected": true}]}"##)
    .tagged()
    .codes(&[PLAN, UPLOADS]);

/// `POST /opensearch/queries`
pub fn create(call: &Call, caller: &Caller) -> Result<Reply> {
    let view = queries::create(call.app, caller, call.json()?)?;
    query_reply(StatusCode::CREATED, view)
}

pub const SUGGEST_QUERY_FIELDS: Doc = Doc::new("suggest_query_fields", 200, Data(&SUGGESTIONS))
    .says("List fields for queries", "The fields that queries of a form can search and display.")
    .query(suggestion_parameters)
    .requires(&["form_token"])
    .checks_query();

/// `GET /opensearch/queries/suggestions`
pub fn suggestions(call: &Call, caller: &Caller) -> Result<Reply> {
    let form = call.query("form_token").filter(|token| !token.is_empty());
    let form = form.ok_or_else(|| Error::invalid("form_token", Reason::Required))?;
    let found = queries::suggestions(call.app, caller, &form)?;
    Ok(reply::data(&found)?.into())
}

pub const GET_PUBLIC_QUERY: Doc = Doc::new("get_public_query", 200, Data(&QUERY))
    .says("Read a public query", "The query with its rules and counters. Only managers of its form see it.")
    .tagged();

/// `GET /opensearch/queries/{query_token}`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let view = queries::show(call.app, caller, call.param("query_token"))?;
    let view = QueryView { warnings: Vec::new(), ..view };
    query_reply(StatusCode::OK, view)
}

pub const UPDATE_PUBLIC_QUERY: Doc = Doc::new("update_public_query", 200, Data(&QUERY))
    .says(
        "Change a public query",
        "Only the given keys change; lists are replaced as a whole. The form can't be changed.",
    )
    .takes(&UPDATE, r#"{"enabled": false, "messages": {"no_result": "Nobody of that name passed."}}"#)
    .tagged()
    .guarded()
    .codes(&[PLAN, UPLOADS]);

/// `PATCH /opensearch/queries/{query_token}`
pub fn update(call: &Call, caller: &Caller) -> Result<Reply> {
    let (body, if_match) = (call.json()?, call.if_match()?);
    let token = call.param("query_token");
    let view = queries::update(call.app, caller, token, body, &if_match)?;
    query_reply(StatusCode::OK, view)
}

pub const DELETE_PUBLIC_QUERY: Doc = Doc::new("delete_public_query", 200, Data(&DELETED))
    .says("Delete a public query", "Its page goes offline at once.")
    .guarded();

/// `DELETE /opensearch/queries/{query_token}`
pub fn delete(call: &Call, caller: &Caller) -> Result<Reply> {
    let token = call.param("query_token");
    queries::delete(call.app, caller, token, call.if_match()?)?;
    Ok(reply::data(&deleted(token))?.into())
}
