//! Goes through a file without checking its rows.

use std::sync::Arc;

use crate::base::clock;
use crate::base::error::Result;
use crate::fields::columns::header::Names;
use crate::fields::columns::mapping::Mapping;
use crate::fields::kind::Cx;
use crate::fields::links::LinkedData;
use crate::fields::system::SystemField;
use crate::model::caller::Caller;
use crate::ops::app::App;
use crate::ops::capacity::waiting;
use crate::ops::forms::access::{self, Right};
use crate::ops::transfer::imports::table::{Limits, Take};
use crate::ops::transfer::imports::{File, MAX_COLUMNS, MAX_ROWS, csv, xlsx};
use crate::query::form_cache::ParsedForm;
use crate::query::linked_entries;

/// The form's data for reading the columns of files.
pub struct FormColumns {
    pub parsed: Arc<ParsedForm>,
    results: Vec<&'static SystemField>,
    found: LinkedData,
}

impl FormColumns {
    /// The columns of a form that the caller may add entries to.
    ///
    /// # Errors
    /// 403, 404.
    pub fn of(app: &App, caller: &Caller, token: &str) -> Result<Self> {
        app.store.read(|tx| {
            let form = access::form_for(tx, caller, token, Right::Enter)?;
            let parsed = app.cache.parsed(tx, &form)?;
            let results = waiting::results_in_files(tx, &parsed)?;
            let found = linked_entries::forms_of(&app.cache, tx, &parsed)?;
            Ok(Self { parsed, results, found })
        })
    }

    pub fn cx(&self) -> Cx<'_> {
        self.parsed.cx_with(clock::now(), false, &self.found)
    }

    /// The names of its columns under a mapping.
    pub fn names(&self, mapping: &Mapping) -> Names<'_> {
        Names::of(&self.parsed.definition.fields, &self.results, &self.cx()).mapped(mapping)
    }
}

/// Hands on the rows of a file, the header first.
///
/// # Errors
/// 422 for a file that can't be read or is beyond the limits; the errors of the taker.
pub fn rows(file: &File, names: &Names, take: Take) -> Result<()> {
    let limits = Limits { rows: MAX_ROWS, columns: MAX_COLUMNS.max(names.count()) };
    match file {
        File::Workbook(bytes) => xlsx::read(bytes, &limits, take).map(drop),
        File::Csv(text) => csv::read(text, &limits, &|header| names.known(header), take),
    }
}
