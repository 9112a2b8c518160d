//! What a public query's rows lead to for download: files, certificates, exports. Links of rows are signed for an hour,
//! and the row must still be one that visitors can find.

use std::sync::Arc;

use bytes::Bytes;
use warp::http::{StatusCode, header};

use crate::base::error::{Error, Result};
use crate::base::reason::Reason;
use crate::ops::public_queries::export::{self, Format};
use crate::ops::public_queries::files::{self, RowFile};
use crate::web::call::Call;
use crate::web::content::FileContent;
use crate::web::csp::Csp;
use crate::web::files::shown_type;
use crate::web::openapi::shape::names;
use crate::web::reply::{Answer, Reply};
use crate::web::route::SHEETS;
use crate::web::stream::ChunkSource;
use crate::web::{net, query_values, rates};

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
    let readable = files::open(call.app, &file)?;
    let content = FileContent {
        content_type: shown_type(&readable.content_type),
        name: Some(&readable.name),
        cache: "no-store",
        file: readable.file,
        size: readable.size,
        sha256: readable.sha256,
    };
    Ok(content.answer(call).into())
}

/// `GET /q/{query_token}/entries/{entry_token}/certificate`
pub fn certificate(call: &Call) -> Result<Reply> {
    let expires = call.query("expires").unwrap_or_default();
    let signature = call.query("signature").unwrap_or_default();
    let (query, entry) = (call.param("query_token"), call.param("entry_token"));
    let document = files::certificate(call.app, query, entry, &expires, &signature)?;
    let answer = Answer {
        body: Bytes::from(document.bytes),
        content_type: Some("application/pdf"),
        csp: Csp::Files,
        ..Answer::empty(StatusCode::OK)
    };
    let answer = answer.header(
        header::CONTENT_DISPOSITION,
        &net::attachment(&document.name),
    );
    Ok(answer.header(header::CACHE_CONTROL, "no-store").into())
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
            return Err(Error::invalid("format", Reason::MustBeOneOf(names)));
        }
    };
    rates::count_query_export(call, token)?;
    let mut export = export::begin(call.app, token, query_values::of_address(call), format)?;
    let (end, content_type) = match format {
        Format::Csv => ("csv", "text/csv; charset=utf-8"),
        Format::Xlsx => ("xlsx", SHEETS[1]),
    };
    let name = format!("{}.{end}", export.name);
    let app = Arc::clone(&call.site.app);
    let chunks = ChunkSource::new(move |_| Ok(export.next(&app)?.map(Bytes::from)));
    Ok(Answer::file(&name, content_type, chunks).into())
}
