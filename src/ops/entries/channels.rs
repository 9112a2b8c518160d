//! By which channels a form's entries came.

use crate::base::error::Result;
use crate::model::caller::Caller;
use crate::ops::app::App;
use crate::ops::forms::access::{self, Right};
use crate::store::entries::channels;

/// The most channels that are told.
const MOST: i64 = 50;

/// Each channel with the number of its entries, those of most entries first. It reads all entries of the form.
///
/// # Errors
/// 404, 503 where that takes too long.
pub fn counted(app: &App, caller: &Caller, form: &str) -> Result<Vec<(String, i64)>> {
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, form, Right::Read)?;
        channels::counted(tx, form.form_no, MOST)
    })
}
