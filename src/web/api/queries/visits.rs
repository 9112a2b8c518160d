//! `/api/v1/q/{query_token}`: public queries for other front ends (contract section 8).

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::model::page::Page;
use crate::ops::queries::edit::{self, Edit};
use crate::ops::queries::outline::{self, QueryOutline};
use crate::ops::queries::search::{self, SearchValues};
use crate::web::openapi::codes::{NO_ROOM, UPLOADS};
use crate::web::openapi::doc::AnswerBody::{self, Data};
use crate::web::openapi::doc::Doc;
use crate::web::openapi::shape::Shape;
use crate::web::request::call::Call;
use crate::web::request::paging::{self, PagedList};
use crate::web::request::proof;
use crate::web::request::rates::{self, Visit};
use crate::web::request::reply::{self, Reply};

/// A query for its visitors.
#[derive(Serialize, JsonSchema)]
struct OutlineBody {
    #[serde(flatten)]
    outline: QueryOutline,
    /// Present only if the service asks for proof of work. Without a `proof`, a tenth of the searches is allowed. A
    /// proof is the
    /// challenge, a dot and a number such that the SHA-256 of the proof, a line feed and the values (a line
    /// `name=value` for each that is not blank, sorted) begins with `bits` zero bits. A challenge is valid for ten
    /// minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    proof_of_work: Option<ProofOfWork>,
}

/// Work that proves a search not to be one of many.
#[derive(Serialize, JsonSchema)]
struct ProofOfWork {
    challenge: String,
    bits: u32,
}

/// The data that a page needs to draw a query.
pub static OUTLINE: Shape = Shape::of_type::<OutlineBody>("QueryOutline");

/// A search.
pub static SEARCH: Shape = Shape::new("QuerySearch", || {
    Reader::describe(|reader| {
        SearchBody::read(reader);
    })
});

/// An edit of a row.
pub static EDIT: Shape = Shape::new("QueryRowUpdate", edit::schema);

/// A row of results.
pub static ROW: Shape = Shape::new("QueryRow", || {
    json!({
        "type": "object",
        "properties": {
            "entry_token": {"type": "string"},
            "edit_token": {"type": "string", "description": "The right to edit the row's editable fields for an hour; absent if none is."},
        },
        "required": ["entry_token"],
        "additionalProperties": {"description": "The values by their `api_code`, as reads of entries have them; masked ones as text, or masked in their parts."},
    })
});

struct SearchBody {
    values: SearchValues,
    page_size: Option<i64>,
    cursor: Option<String>,
    proof: String,
}

impl SearchBody {
    fn read(reader: &mut Reader) -> Self {
        reader.note("values", || {
            json!({
                "type": "object",
                "description": "What is searched for, by the fields of `search_field_rules`: text; an `api_code` where a whole choice or item is searched; the local number of a phone; `YYYY-MM-DD` or `YYYY-MM-DD HH:mm` for a date.",
                "additionalProperties": true,
            })
        });
        let values = match reader.raw("values") {
            None => SearchValues::new(),
            Some(Json::Object(values)) => values,
            Some(_) => {
                reader.fault("values", Reason::MustBe(Expected::Object));
                SearchValues::new()
            }
        };
        reader.note("page_size", paging::size_schema);
        Self {
            values,
            page_size: reader.opt_int("page_size", i64::MIN..=i64::MAX),
            cursor: reader.opt_text("cursor", 4_000),
            proof: reader.opt_text("proof", 200).unwrap_or_default(),
        }
    }
}

pub const GET_QUERY_OUTLINE: Doc = Doc::new("get_query_outline", 200, Data(&OUTLINE))
    .says(
        "Read a query as a visitor",
        "Everything a front end needs to display the query: texts, search fields with their choices, and columns. \
         403 if the query is disabled or unavailable, 404 if its form was deleted.",
    )
    .can_be_shut();

/// `GET /q/{query_token}`
pub fn show(call: &Call) -> Result<Reply> {
    let token = call.param("query_token");
    let outline = outline::show(call.app, token)?;
    let bits = call.app.config.limits.proof_bits;
    let proof_of_work = proof::challenge(call, token).map(|challenge| ProofOfWork { challenge, bits });
    Ok(reply::data(&OutlineBody { outline, proof_of_work })?.into())
}

pub const SEARCH_QUERY: Doc = Doc::new("search_query", 200, AnswerBody::Page(&ROW))
    .says(
        "Search as a visitor",
        "The entries that match, newest first, with the fields that the query shows. A missing or invalid value is a \
         422 at `values.<field>`. Links to files work for an hour. One address may search 30 times a minute and 300 \
         times an hour in one query; beyond that the answer is 429. If the outline has `proof_of_work`, an address \
         without a `proof` gets a tenth of that, and the 429 says so.",
    )
    .takes(&SEARCH, r#"{"values": {"field_1": "Ada Lovelace", "serial_number": 12}}"#)
    .can_be_shut();

/// `POST /q/{query_token}/search`
pub fn find(call: &Call) -> Result<Reply> {
    let mut at = Issues::new();
    let body = SearchBody::read(&mut Reader::new(call.json()?, &mut at));
    at.into_result()?;
    let token = call.param("query_token");
    rates::count_search(call, &body.values, &body.proof)?;
    let values = Json::Object(body.values.clone());
    let list = PagedList::of_search(call, call.path, &values).page(body.page_size, body.cursor);
    let ticket = search::search(call.app, token, body.values, list.request()?)?;
    let (app, now) = (Arc::clone(&call.site.app), call.now);
    Ok(reply::later(ticket, move |results| {
        app.queries.counts.search(results.open.query.id);
        let rows = results.rows(&app, now)?;
        let shown = Page { rows: results.json(&rows), total: results.page.total, next: results.page.next.clone() };
        Ok(list.answer(&shown))
    }))
}

pub const UPDATE_QUERY_ROW: Doc = Doc::new("update_query_row", 200, Data(&ROW))
    .says(
        "Edit a result as a visitor",
        "Changes fields that the query makes editable; others are ignored. Needs the result's `edit_token`, in the \
         header `X-Edit-Token` or in the body. Values are validated as when the form's entry is updated. A masked \
         value that is sent back changes nothing.",
    )
    .takes(&EDIT, r#"{"edit_token": "1800000000.signature", "field_values": {"field_2": "Hut 8"}}"#)
    .can_be_shut()
    .codes(&[NO_ROOM, UPLOADS]);

/// `PATCH /q/{query_token}/entries/{entry_token}`
pub fn update(call: &Call) -> Result<Reply> {
    let token = call.param("query_token");
    rates::count_visit(call, Visit::Search)?;
    let mut faults = Issues::new();
    let (field_values, in_body) = edit::read_body(&mut Reader::new(call.json()?, &mut faults));
    let edit_token = call.header("x-edit-token").map(str::to_owned).or(in_body);
    let edit = Edit {
        query: token,
        entry: call.param("entry_token"),
        edit_token: edit_token.as_deref().unwrap_or_default(),
        field_values,
        by_page: false,
        sender: call.origin().sender,
        faults,
    };
    let edited = edit::update(call.app, edit, call.now)?;
    let rows = edited.results.json(&[edited.row]);
    Ok(reply::data_text(StatusCode::OK, &rows.concat()).into())
}
