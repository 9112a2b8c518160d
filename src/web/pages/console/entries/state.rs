//! `GET /forms/{form_token}/entries/state`: the new entries since a list was shown, for the script of its page.

use serde_json::json;
use warp::http::StatusCode;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::text::phrase::Phrase;
use crate::model::caller::Caller;
use crate::ops::entries::entry_lists;
use crate::web::pages::console;
use crate::web::pages::console::entries::address::ListAddress;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};

/// `{"data": {"new_entries": …, "words": …, "changed": […]}}`: of the list in the address, above the serial number
/// `after`; and which of the entries `shown` were changed `since`.
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let after =
        call.query("after").and_then(|serial| serial.parse().ok()).filter(|serial| (0..1 << 32).contains(serial));
    let after = after.ok_or_else(|| Error::BadRequest(Phrase::plain("after must be a serial number")))?;
    let filter = ListAddress::of(call, None).filter()?;
    let count = entry_lists::newer(call.app, caller, call.param("form_token"), filter, after)?.wait()?;
    let words = console::texts_of(&caller.user).fill("entries-new", &[("count", count.into())]);
    let shown = call.query("shown").unwrap_or_default();
    let shown: Vec<i64> = shown.split(',').filter_map(|serial| serial.parse().ok()).collect();
    let since = call.query("since").and_then(|millis| millis.parse().ok()).map(Time::from_millis);
    let changed = match since {
        Some(since) => entry_lists::changed_since(call.app, caller, call.param("form_token"), &shown, since)?,
        None => Vec::new(),
    };
    let body = json!({"data": {"new_entries": count, "words": words, "changed": changed}});
    Ok(Answer::json_text(StatusCode::OK, body.to_string()).into())
}
