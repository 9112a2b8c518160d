//! Downloads from a public query's rows: files, certificates, exports. Links of rows are signed for an hour, and the
//! row must still be one that visitors can find.

use std::sync::Arc;

use bytes::Bytes;

use crate::base::error::{Error, Result};
use crate::http::stream::ChunkSource;
use crate::ops::queries::export::{self, Format};
use crate::ops::queries::files::{self, RowFile};
use crate::web::csp::Csp;
use crate::web::files::{certificates, entry_files as web_files};
use crate::web::openapi::shape::names;
use crate::web::query_values;
use crate::web::request::call::Call;
use crate::web::request::rates::{self, Visit};
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::route::SHEETS;

/// `GET /q/{query_token}/entries/{entry_token}/files/{id}/{name}`
pub fn file(call: &Call) -> Result<Reply> {
    let expires = call.query("expires").unwrap_or_default();
    let signature = call.query("signature").unwrap_or_default();
    let file = RowFile {
        query: call.param("query_token"),
        entry: call.param("entry_token"),
        id: call.param("id"),
        name: call.param("name"),
        expires: &expires,
        signature: &signature,
    };
    Ok(web_files::sent(call, files::open(call.app, &file)?).into())
}

/// `GET /q/{query_token}/entries/{entry_token}/certificate`
pub fn certificate(call: &Call) -> Result<Reply> {
    let expires = call.query("expires").unwrap_or_default();
    let signature = call.query("signature").unwrap_or_default();
    let (query, entry) = (call.param("query_token"), call.param("entry_token"));
    let document = files::certificate(call.app, query, entry, &expires, &signature)?;
    let mut answer = certificates::sent(document);
    answer.csp = Csp::Files;
    Ok(answer.into())
}

/// `GET /q/{query_token}/export`
pub fn export(call: &Call) -> Result<Reply> {
    let token = call.param("query_token");
    let given = call.query("format").unwrap_or_default();
    let format = match Format::ALL.iter().find(|(name, _)| *name == given) {
        Some((_, format)) => *format,
        None if given.is_empty() => Format::Csv,
        None => {
            let names = names(&Format::ALL).join(", ");
            return Err(Error::BadRequest(format!("format must be one of {names}").into()));
        }
    };
    let values = query_values::of_address(call);
    let proof = call.query("proof").unwrap_or_default();
    // It finds as much as a search does.
    rates::count_search(call, &values, &proof)?;
    rates::count_visit(call, Visit::Export)?;
    let mut export = export::begin(call.app, token, values, format)?;
    let (end, content_type) = match format {
        Format::Csv => ("csv", "text/csv; charset=utf-8"),
        Format::Xlsx => ("xlsx", SHEETS[1]),
    };
    let name = format!("{}.{end}", export.name);
    let app = Arc::clone(&call.site.app);
    let chunks = ChunkSource::new(move |_| Ok(export.next(&app)?.map(Bytes::from)));
    Ok(Answer::file(&name, content_type, chunks).into())
}
