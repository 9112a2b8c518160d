//! The list narrowed to the entries that have the same answer as one of them: `cell=12.field_3` in its address.

use crate::base::error::{Error, Noun, Result};
use crate::fields::system;
use crate::ops::entries;
use crate::ops::entries::shown_answers::{EntryColumn, alike};
use crate::web::pages::console::entries::address::ListAddress;
use crate::web::pages::console::form_frame::FormFrame;

/// The name of the parameter that says which column can't be filtered.
pub const UNFILTERED: &str = "unfiltered";

/// The address of the list with the conditions that the cell meets.
///
/// # Errors
/// 404.
pub fn address(frame: &FormFrame, list: &ListAddress, cell: &str) -> Result<String> {
    let (call, token) = (frame.call, frame.view.form.token.as_str());
    let (serial, name) = cell.split_once('.').ok_or(Error::NotFound(Noun::Page))?;
    let view = entries::show(call.app, frame.caller, token, serial.parse().ok())?;
    let path = format!("/forms/{token}/entries");
    let Some(column) = column(frame, name) else {
        return Err(Error::NotFound(Noun::Page));
    };
    let cx = view.shape.cx(call.now);
    let stored = view.shape.cells(&view.entry, &[column], &cx)?.pop().flatten();
    let conditions = alike::conditions(&column, stored.as_ref(), &cx);
    if conditions.is_empty() {
        return Ok(list.leads(&path, &[(UNFILTERED, name)], &[]));
    }
    Ok(list.leads(&path, &[("filters", &list.with_conditions(conditions))], &[]))
}

/// A column by its name; the number of an entry too.
pub fn column<'f>(frame: &'f FormFrame, name: &str) -> Option<EntryColumn<'f>> {
    let mut all = EntryColumn::all(&frame.view.parsed).into_iter();
    let own = all.find(|column| column.name() == name);
    own.or_else(|| system::by_name(name).filter(|field| field.name == SERIAL).map(EntryColumn::System))
}

/// The column that every list begins with.
pub const SERIAL: &str = "serial_number";
