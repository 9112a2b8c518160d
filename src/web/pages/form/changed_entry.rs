//! The entry that a respondent edits on a page, and the address of that page.

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::id::{EntryToken, FormToken};
use crate::fields::values::{Values, stored};
use crate::model::entry::Entry;
use crate::model::results::ReservationStatus;
use crate::ops::app::App;
use crate::ops::entries::edit_right;
use crate::ops::entries::respondent_entries::OwnEntry;
use crate::web::pages::form as pages;

/// The entry that is changed on a page.
pub struct ChangedEntry {
    /// As it is stored.
    pub entry: Entry,
    /// Its values.
    pub before: Values,
    /// The changed values as typed, in the write shape.
    pub changed: Values,
    /// The version of the entry that the page shows, to be compared with the stored one; none where that no longer
    /// matters.
    pub tag: Option<String>,
}

impl ChangedEntry {
    /// From the entry as it was read.
    ///
    /// # Errors
    /// Internal, when the stored text is damaged.
    pub fn of(own: &OwnEntry, now: Time) -> Result<Self> {
        Ok(Self {
            before: stored::values(&own.entry.values).map_err(Error::internal)?,
            changed: Values::new(),
            tag: Some(own.shape.etag(&own.entry, now)?.0),
            entry: own.entry.clone(),
        })
    }

    /// Whether its booking is cancelled, and stays so whatever is changed.
    pub fn is_cancelled(&self) -> bool {
        self.entry.results.reservation_status == Some(ReservationStatus::Cancelled)
    }
}

/// The pages of a respondent's own entry.
#[derive(Clone, Copy)]
pub struct Address<'a> {
    pub form: &'a FormToken,
    pub entry: &'a Entry,
    /// Whether they are in another site's frame.
    pub embedded: bool,
}

impl Address<'_> {
    /// The address of a page below the one on which the entry is changed.
    pub fn of_part(&self, app: &App, part: &str) -> String {
        let form = pages::address(&app.config, self.form.as_str());
        let entry = &self.entry.token;
        let right = edit_right::token(app.keys(), entry);
        let embed = if self.embedded { "&embed=1" } else { "" };
        format!("{form}/entries/{entry}{part}?edit_token={right}{embed}")
    }
}

/// The address at which the respondent of an entry changes it.
pub fn address(app: &App, form: &FormToken, entry: &EntryToken, embedded: bool) -> String {
    let form = pages::address(&app.config, form.as_str());
    let right = edit_right::token(app.keys(), entry);
    let embed = if embedded { "&embed=1" } else { "" };
    format!("{form}/entries/{entry}?edit_token={right}{embed}")
}
