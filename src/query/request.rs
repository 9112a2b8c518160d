//! Which entries of a form are wanted (spec 2.6, contract section 4): reads a request's conditions against the form.

use std::sync::Arc;

use serde_json::json;

use crate::base::error::{Error, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::json::{self, Json};
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::base::text::phrase::phrase;
use crate::fields::filter::{self, Filter};
use crate::fields::links::LinkedData;
use crate::model::form::Form;
use crate::query::form_cache::{Cache, ParsedForm};
use crate::query::linked_entries;
use crate::store::db::tx::Tx;
use crate::store::entries::{Table, counters};

/// Conditions and keyword, unchecked.
#[derive(Clone, Debug, Default)]
pub struct FilterRequest {
    /// Conditions: a list, or null.
    pub filters: Json,
    /// Text that some value must contain.
    pub keyword: Option<String>,
}

impl FilterRequest {
    /// `filters` and `keyword` of a body.
    pub fn read(reader: &mut Reader) -> Self {
        reader.note("filters", filter::schema);
        reader.note("keyword", || json!({"type": "string", "maxLength": filter::MAX_KEYWORD}));
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
    /// 400 when they are not JSON; 422 when a number has too many digits.
    pub fn of_query(filters: Option<String>, keyword: Option<String>) -> Result<Self> {
        let filters = match filters.filter(|text| !text.is_empty()) {
            None => Json::Null,
            Some(text) => {
                let fault = |fault: serde_json::Error| {
                    Error::BadRequest(phrase!("filters is not valid JSON: {}", fault.to_string()))
                };
                let filters = json::read(text.as_bytes()).map_err(fault)?;
                json::refuse_lost_digits(text.as_bytes(), &filters, "filters")?;
                filters
            }
        };
        Ok(Self { filters, keyword })
    }

    /// Whether all entries are wanted.
    pub fn is_empty(&self) -> bool {
        let has_conditions = match &self.filters {
            Json::Null => false,
            Json::Array(conditions) => !conditions.is_empty(),
            _ => true,
        };
        !has_conditions && self.keyword.as_deref().is_none_or(str::is_empty)
    }
}

/// A filter that was read against a form.
pub struct Query {
    /// The form, as it was read.
    pub parsed: Arc<ParsedForm>,
    /// The condition that entries must meet.
    pub filter: Filter,
    /// The forms that are linked to.
    pub forms: LinkedData,
    /// Parts of conditions that name something unknown to their fields.
    pub warnings: Vec<Issue>,
}

impl Query {
    /// A filter that looks into no other form.
    pub fn of(parsed: &Arc<ParsedForm>, filter: Filter) -> Self {
        Self { parsed: Arc::clone(parsed), filter, forms: LinkedData::default(), warnings: Vec::new() }
    }

    /// Reads a request against a form; faults go to `at`.
    pub fn read(
        cache: &Cache,
        tx: &Tx,
        parsed: &Arc<ParsedForm>,
        request: &FilterRequest,
        at: &mut Issues,
    ) -> Result<Self> {
        let forms = if parsed.links && !request.filters.is_null() {
            linked_entries::forms_of(cache, tx, parsed)?
        } else {
            LinkedData::default()
        };
        let cx = parsed.cx_with(tx.now, false, &forms);
        let fields = &parsed.definition.fields;
        let filter = Filter::read(&request.filters, request.keyword.as_deref(), fields, &cx, at);
        let warnings = filter::unknown_names(&request.filters, "filters", fields, &cx).into_list();
        Ok(Self { parsed: Arc::clone(parsed), filter, forms, warnings })
    }
}

/// The entries among which a query finds some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntrySet {
    /// The form.
    pub form_no: i64,
    /// Live ones, or those in the trash.
    pub table: Table,
}

/// Number of a form's entries that are live, or in the trash.
pub fn count(tx: &Tx, form: &Form, table: Table) -> Result<i64> {
    Ok(match table {
        Table::Live => form.entries_count,
        Table::Trash => counters::of_form(tx, form.form_no)?.trash_count,
    })
}
