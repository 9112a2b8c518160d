//! The entries of a form as a file, for programs and for people.

use std::sync::Arc;

use bytes::Bytes;

use crate::base::error::Result;
use crate::base::issue::Issues;
use crate::base::reason::Reason;
use crate::fields::columns::form::Headers;
use crate::http::stream::ChunkSource;
use crate::model::caller::Caller;
use crate::ops::entries::entry_lists::FilterRequest;
use crate::ops::transfer::exports::{self, Format, Request};
use crate::web::openapi::shape::names;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::route::SHEETS;

/// The value of a query parameter with fixed words; the first word if it is absent or, with a fault, unknown.
pub fn word<T: Copy, const N: usize>(call: &Call, name: &str, words: &[(&'static str, T); N], at: &mut Issues) -> T {
    let given = call.query(name).filter(|word| !word.is_empty());
    let found = given.as_ref().map(|given| words.iter().find(|(word, _)| word == given));
    match found {
        Some(Some((_, value))) => *value,
        None => words[0].1,
        Some(None) => {
            at.push_at(name, Reason::MustBeOneOf(names(words).join(", ")));
            words[0].1
        }
    }
}

/// `GET …/entries/export`
pub fn export(call: &Call, caller: &Caller) -> Result<Reply> {
    let mut at = Issues::new();
    let request = Request {
        format: word(call, "format", &Format::ALL, &mut at),
        headers: word(call, "headers", &Headers::ALL, &mut at),
        fields: call.query("fields").and_then(|list| split(&list)),
        filter: FilterRequest::of_query(call.query("filters"), call.query("keyword"))?,
    };
    let form = call.param("form_token");
    let mut export = exports::begin(call.app, caller, form, request, at)?;
    let name = format!("{}.{}", export.form_name, export.format.name());
    let content_type = match export.format {
        Format::Csv => "text/csv; charset=utf-8",
        Format::Xlsx => SHEETS[1],
        Format::Json => "application/json",
    };
    let app = Arc::clone(&call.site.app);
    let warnings = std::mem::take(&mut export.warnings);
    let chunks = ChunkSource::new(move |_| Ok(export.next(&app)?.map(Bytes::from)));
    Ok(Answer::file(&name, content_type, chunks).warn(warnings).into())
}

/// Splits a comma-separated list of api_codes; `None` if it is empty, which means all.
pub fn split(list: &str) -> Option<Vec<String>> {
    let codes = list.split(',').map(|code| code.trim().to_owned());
    (!list.is_empty()).then(|| codes.collect())
}
