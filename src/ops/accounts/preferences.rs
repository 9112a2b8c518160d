//! The caller's preferences for pages.

use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::model::caller::Caller;
use crate::model::user::{Density, FirstTab, Preferences};
use crate::ops::app::App;
use crate::store::accounts::users;

/// The numbers of rows by their names.
const ROWS: [(&str, i64); 3] = [("25", 25), ("50", 50), ("100", 100)];

/// Sets them all.
///
/// # Errors
/// 422.
pub fn set(app: &App, caller: &Caller, body: Json) -> Result<()> {
    let mut at = Issues::new();
    let mut reader = Reader::new(body, &mut at);
    let letter_keys = reader.opt_bool("letter_keys").unwrap_or_default();
    let rows = reader.word("rows", &ROWS);
    let density = reader.word("density", &Density::ALL);
    let first_tab = reader.word("first_tab", &FirstTab::ALL);
    at.into_result()?;
    let missing = || Error::internal("a preference without a fault");
    let preferences = Preferences {
        letter_keys,
        rows: rows.ok_or_else(missing)?,
        density: density.ok_or_else(missing)?,
        first_tab: first_tab.ok_or_else(missing)?,
    };
    let user = caller.user.id;
    app.store.write(move |tx| users::set_preferences(tx, user, &preferences))
}
