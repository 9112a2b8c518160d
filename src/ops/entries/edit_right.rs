//! The edit token of a respondent: a signature over the entry's token, so that nothing of it is stored. The answer to
//! the submission carries it once; the entry's token alone gives no right.

use crate::base::id::{EntryToken, FormToken};
use crate::base::secret::{Keys, Purpose};
use crate::model::entry::Entry;
use crate::model::settings::Settings;

/// The right to an entry, where the form gives it to respondents.
pub fn offered_token(keys: &Keys, settings: &Settings, entry: &Entry) -> Option<String> {
    // A waiting respondent may leave the waiting list.
    let is_given = settings.submission_options.allow_edit_after_submission || entry.results.is_waiting;
    is_given.then(|| token(keys, &entry.token))
}

/// The right to an entry.
pub fn token(keys: &Keys, entry: &EntryToken) -> String {
    keys.sign(Purpose::EditToken, &[entry.as_str().as_bytes()])
}

/// The address of the page on which the respondent edits an entry.
pub fn address(base_url: &str, keys: &Keys, form: &FormToken, entry: &EntryToken) -> String {
    let right = token(keys, entry);
    format!("{base_url}/f/{form}/entries/{entry}?edit_token={right}")
}

/// The address of the page on which the respondent cancels the booking of an entry.
pub fn cancel_address(base_url: &str, keys: &Keys, form: &FormToken, entry: &EntryToken) -> String {
    let right = token(keys, entry);
    format!("{base_url}/f/{form}/entries/{entry}/cancel?edit_token={right}")
}

/// Whether that is the right to an entry.
pub fn opens(keys: &Keys, entry: &EntryToken, edit_token: &str) -> bool {
    let parts = [entry.as_str().as_bytes()];
    keys.verify(Purpose::EditToken, &parts, edit_token)
}
