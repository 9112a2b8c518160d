//! `formsvc routes` and `formsvc openapi`: the route table, and the API's description.

use serde_json::json;

use crate::base::json::Json;
use crate::cli::failure::Failure;
use crate::cli::output::{self, Output};
use crate::web::{openapi, table};

/// Needs no data dir and no settings.
pub fn list(json: bool) -> Result<(), Failure> {
    let rows: Vec<Vec<String>> = table::routes()
        .map(|route| {
            let access = route.run.access().to_owned();
            let role = route.role_name().unwrap_or("-").to_owned();
            vec![route.method.to_string(), route.path.to_owned(), access, role]
        })
        .collect();
    let document: Vec<Json> = rows
        .iter()
        .map(|row| {
            let mut shown = json!({"method": row[0], "path": row[1], "access": row[2]});
            if row[3] != "-" {
                shown["role"] = json!(row[3]);
            }
            shown
        })
        .collect();
    let out = Output { json, quiet: false };
    out.table(&["method", "path", "access", "role"], &rows, &document.into())
}

/// Prints the OpenAPI document; needs no data dir and no settings.
pub fn describe() -> Result<(), Failure> {
    output::print(&format!("{:#}", openapi::document("/")))
}
