//! Which entries of a form are asked for (spec 2.6, contract section 4): reads the question against the form.
//! Which serials match is found elsewhere, and who may ask is decided before.

use std::sync::Arc;

use serde_json::json;

use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::base::json::{self, Json};
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::fields::filter::{self, Filter};
use crate::fields::links::Found;
use crate::model::form::Form;
use crate::ops::cache::{Cache, ParsedForm};
use crate::ops::links;
use crate::store::counters;
use crate::store::entries::Shelf;
use crate::store::tx::Tx;

/// What is asked for, as it came.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Conditions: a list, or null.
    pub filters: Json,
    /// What some text must contain.
    pub keyword: Option<String>,
}

impl Asked {
    /// `filters` and `keyword` of a body.
    pub fn read(reader: &mut Reader) -> Self {
        reader.note("filters", filter::schema);
        reader.note(
            "keyword",
            || json!({"type": "string", "maxLength": filter::MAX_KEYWORD}),
        );
        let filters = reader.raw("filters").unwrap_or_default();
        let keyword = match reader.raw("keyword") {
            None => None,
            Some(Json::String(keyword)) => Some(keyword),
            Some(_) => {
                reader.fault("keyword", Reason::MustBe(Expected::Text));
                None
            }
        };
        Self { filters, keyword }
    }

    /// `filters` and `keyword` of an address, where conditions are JSON text.
    ///
    /// # Errors
    /// 400 when they are not JSON.
    pub fn of_query(filters: Option<String>, keyword: Option<String>) -> Result<Self> {
        let filters = match filters.filter(|text| !text.is_empty()) {
            None => Json::Null,
            Some(text) => json::read(text.as_bytes()).map_err(|fault| {
                Error::BadRequest(format!("filters is not valid JSON: {fault}"))
            })?,
        };
        Ok(Self { filters, keyword })
    }
}

/// A question that was read against a form.
pub struct Query {
    /// The form, as it was read.
    pub parsed: Arc<ParsedForm>,
    /// What is asked for.
    pub filter: Filter,
    /// The forms that are linked to.
    pub(in crate::ops) forms: Found,
}

impl Query {
    /// A filter that looks into no other form.
    pub(in crate::ops) fn of(parsed: &Arc<ParsedForm>, filter: Filter) -> Self {
        Self {
            parsed: Arc::clone(parsed),
            filter,
            forms: Found::default(),
        }
    }
}

/// Reads what is asked against a form; faults go to `at`.
pub fn read(
    cache: &Cache,
    tx: &Tx,
    parsed: &Arc<ParsedForm>,
    asked: &Asked,
    at: &mut Issues,
) -> Result<Query> {
    let is_by_field = parsed.links && !asked.filters.is_null();
    let forms = if is_by_field {
        links::forms_of(cache, tx, parsed)?
    } else {
        Found::default()
    };
    let cx = parsed.cx_with(tx.now, false, &forms);
    let fields = &parsed.definition.fields;
    let filter = Filter::read(&asked.filters, asked.keyword.as_deref(), fields, &cx, at);
    Ok(Query {
        parsed: Arc::clone(parsed),
        filter,
        forms,
    })
}

/// Where entries are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Among {
    /// The form.
    pub form_no: i64,
    /// Live ones, or those in the trash.
    pub shelf: Shelf,
}

/// How many entries lie there.
pub fn count(tx: &Tx, form: &Form, shelf: Shelf) -> Result<i64> {
    Ok(match shelf {
        Shelf::Live => form.entries_count,
        Shelf::Trash => counters::of_form(tx, form.form_no)?.trash_count,
    })
}
