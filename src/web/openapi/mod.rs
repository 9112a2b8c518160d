//! The API's description: an OpenAPI 3.1 document generated from the route table and from the schemas of readers,
//! writers and field kinds.

pub mod codes;
pub mod description;
pub mod doc;
mod nulls;
pub mod operation;
pub mod parameters;
pub mod shape;
pub mod words;

use serde_json::{Map, json};
use warp::http::Method;

use crate::base::json::Json;
use crate::fields::schemas;
use crate::model::scope::Scope;
use crate::web::api::oauth;
use crate::web::openapi::description::Description;
use crate::web::openapi::doc::{AnswerBody, Doc};
use crate::web::openapi::shape::Shape;
use crate::web::request::route::{Route, Run};
use crate::web::request::{paths, unknown_keys};
use crate::web::table;

/// Describes the service at this address.
pub fn describe(base_url: &str) -> Description {
    Description::new(plain(base_url), document(base_url).to_string())
}

/// The rows for programs, each with its description.
pub fn operations() -> impl Iterator<Item = (&'static Route, &'static Doc)> {
    table::routes().filter_map(|route| Some((route, route.doc.as_ref()?)))
}

/// Whether the row is a page that programs have no use for.
pub fn is_page(route: &Route) -> bool {
    let is_page = matches!(route.run, Run::Page(_) | Run::Session(_));
    // Applications need the address of the consent page; its post is internal.
    is_page && (route.method == Method::POST || !paths::is_api(route.path))
}

/// The OpenAPI document for programs.
pub fn document(base_url: &str) -> Json {
    let mut document = plain(base_url);
    nulls::allow(&mut document);
    document
}

/// The document as readers and writers describe themselves, without the nulls that requests allow.
fn plain(base_url: &str) -> Json {
    let mut paths: Map<String, Json> = Map::new();
    let mut shapes: Map<String, Json> = Map::new();
    for (route, doc) in operations() {
        let item = paths.entry(route.path).or_insert_with(|| json!({}));
        item[route.method.as_str().to_ascii_lowercase()] = operation::describe(route, doc);
        let errors = matches!(route.run, Run::Client(_)).then_some(&oauth::ERROR);
        for shape in shapes_of(doc).chain(errors) {
            if !shapes.contains_key(shape.name) {
                shapes.insert(shape.name.to_owned(), (shape.schema)());
            }
        }
    }
    shapes.insert("Error".to_owned(), operation::error_schema());
    shapes.insert("Pagination".to_owned(), pagination());
    shapes.insert("Warnings".to_owned(), unknown_keys::schema());
    shapes.extend(schemas::components());
    let mut shapes = Json::Object(shapes);
    words::explain(&mut shapes);
    json!({
        "openapi": "3.1.1",
        "info": {
            "title": "formsvc",
            "summary": "Create forms, publish them and read the answers.",
            "description": words::INTRODUCTION,
            "version": env!("CARGO_PKG_VERSION"),
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": base_url}],
        "tags": words::tags(),
        "paths": paths,
        "components": {
            "securitySchemes": security_schemes(base_url),
            "parameters": operation::shared_parameters(),
            "headers": operation::shared_headers(),
            "responses": operation::shared_responses(),
            "schemas": shapes,
        },
    })
}

fn security_schemes(base_url: &str) -> Json {
    let base = base_url.trim_end_matches('/');
    let token_url = format!("{base}/api/v1/oauth/token");
    json!({
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "description": words::TOKENS,
            "x-scopes": scopes(),
        },
        "oauth2": {
            "type": "oauth2",
            "description": words::OAUTH,
            "flows": {"authorizationCode": {
                "authorizationUrl": format!("{base}/api/v1/oauth/authorize"),
                "tokenUrl": token_url,
                "refreshUrl": token_url,
                "scopes": scopes(),
            }},
        },
        "client": {"type": "http", "scheme": "basic", "description": words::CLIENTS},
    })
}

fn shapes_of(doc: &Doc) -> impl Iterator<Item = &'static Shape> {
    let answers: Vec<&'static Shape> = match doc.answer {
        AnswerBody::Data(answer) | AnswerBody::Page(answer) | AnswerBody::Bare(answer) => {
            vec![answer]
        }
        AnswerBody::Html | AnswerBody::Events => Vec::new(),
        AnswerBody::File(types) => types.iter().filter_map(|(_, shape)| *shape).collect(),
    };
    answers.into_iter().chain(doc.takes)
}

fn pagination() -> Json {
    json!({
        "type": "object",
        "properties": {
            "total": {"type": "integer", "minimum": 0, "description": "The number of rows on all pages."},
            "next_cursor": {"type": "string", "description": "The cursor of the next page; empty on the last one."},
            "previous_cursor": {
                "type": "string",
                "description": "In lists of entries: the cursor of the previous page; empty on the first one.",
            },
        },
        "required": ["total", "next_cursor"],
    })
}

fn scopes() -> Map<String, Json> {
    let all = Scope::ALL.iter();
    all.map(|scope| (scope.name().to_owned(), json!(words::scope(*scope)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_described() {
        for route in table::routes() {
            assert_eq!(route.doc.is_none(), is_page(route), "{}", route.path);
        }
        let described: Vec<_> = operations().collect();
        for (route, doc) in &described {
            assert!(!doc.summary.is_empty() && !doc.text.is_empty(), "{}", route.path);
            let same = described.iter().filter(|(_, other)| other.id == doc.id);
            assert_eq!(same.count(), 1, "{}", doc.id);
        }
    }
}
