//! `/api/v1/opensearch/queries`: public queries, for the managers of their forms.

use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::json::schema_builder;
use crate::base::reason::Reason;
use crate::model::caller::Caller;
use crate::ops::queries::{self, QueryView};
use crate::web::openapi::doc::Parameter;
use crate::web::openapi::shape::Shape;
use crate::web::request::call::Call;
use crate::web::request::paging::{self, PagedList};
use crate::web::request::reply::{self, Reply};

/// A query in answers.
pub static QUERY: Shape = Shape::new("PublicQuery", queries::schema);

/// The body to create one.
pub static CREATE: Shape = Shape::new("PublicQueryCreate", queries::create_schema);

/// The body to change one.
pub static UPDATE: Shape = Shape::new("PublicQueryUpdate", queries::update_schema);

/// The answer to the deletion of one.
pub static DELETED: Shape = Shape::new("DeletedPublicQuery", || {
    json!({
        "type": "object",
        "properties": {"deleted": {"const": true}, "token": {"type": "string"}},
        "required": ["deleted", "token"],
    })
});

/// What queries of a form may search by and show.
pub static SUGGESTIONS: Shape = Shape::new("PublicQuerySuggestions", || {
    let list = |more: [(&str, &str); 1], editable: bool| {
        let mut properties = json!({
            "field": {"type": "string", "description": "The name to use in rules."},
            "label": {"type": "string"},
            "type": {"type": "string", "description": "The type of the values."},
        });
        let [(key, text)] = more;
        properties[key] = json!({"type": "boolean", "description": text});
        if editable {
            properties["editable"] = json!({"type": "boolean", "description": "Whether visitors may be let edit it."});
        }
        json!({"type": "array", "items": schema_builder::whole(properties)})
    };
    json!({
        "type": "object",
        "properties": {
            "searchable": list([("fuzzy", "Whether part of the value may be enough.")], false),
            "displayable": list([("protected", "Whether values can be masked.")], true),
        },
        "required": ["searchable", "displayable"],
    })
});

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

fn shown(status: StatusCode, view: &QueryView) -> Reply {
    let answer = reply::data_and_warnings(status, &view.body.to_string(), &view.warnings);
    answer.tagged(view.etag.clone()).into()
}

/// `GET /opensearch/queries`
pub fn list(call: &Call, caller: &Caller) -> Result<Reply> {
    let form = call.query("form_token").filter(|token| !token.is_empty());
    let list = PagedList::with_filters(call, caller, &[("form_token", form.as_deref())]);
    let page = queries::list(call.app, caller, form.as_deref(), &list.request()?)?;
    Ok(list.answer(&page).into())
}

/// `POST /opensearch/queries`
pub fn create(call: &Call, caller: &Caller) -> Result<Reply> {
    let view = queries::create(call.app, caller, call.json()?)?;
    Ok(shown(StatusCode::CREATED, &view))
}

/// `GET /opensearch/queries/suggestions`
pub fn suggestions(call: &Call, caller: &Caller) -> Result<Reply> {
    let form = call.query("form_token").filter(|token| !token.is_empty());
    let form = form.ok_or_else(|| Error::invalid("form_token", Reason::Required))?;
    let found = queries::suggestions(call.app, caller, &form)?;
    Ok(reply::data(&found)?.into())
}

/// `GET /opensearch/queries/{query_token}`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let view = queries::show(call.app, caller, call.param("query_token"))?;
    let view = QueryView { warnings: Vec::new(), ..view };
    Ok(shown(StatusCode::OK, &view))
}

/// `PATCH /opensearch/queries/{query_token}`
pub fn update(call: &Call, caller: &Caller) -> Result<Reply> {
    let (body, if_match) = (call.json()?, call.if_match()?);
    let token = call.param("query_token");
    let view = queries::update(call.app, caller, token, body, &if_match)?;
    Ok(shown(StatusCode::OK, &view))
}

/// `DELETE /opensearch/queries/{query_token}`
pub fn delete(call: &Call, caller: &Caller) -> Result<Reply> {
    let token = call.param("query_token");
    queries::delete(call.app, caller, token, call.if_match()?)?;
    Ok(reply::data(&json!({"deleted": true, "token": token}))?.into())
}
