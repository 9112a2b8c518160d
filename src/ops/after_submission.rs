//! What follows a submission: the settings' group as the answer to one carries it, and the address that
//! its owner leads on to.

use serde_json::json;
use url::Url;

use crate::base::clock::Time;
use crate::base::json::Json;
use crate::fields::values::{self, Values};
use crate::model::entry::Entry;
use crate::ops::published::Published;
use crate::ops::settings;

/// The group `after_submission`, with the whole address to lead on to.
pub fn group(published: &Published, entry: &Entry, now: Time) -> Json {
    let mut group = settings::after_submission(&published.parsed.parts.settings);
    if let Some(address) = redirect(published, entry, now) {
        group["redirect"]["url"] = json!(address.as_str());
    }
    group
}

/// Where the owner sends respondents: http or https, with the fields that they chose as parameters
/// (S55). None where the form shows a message.
pub fn redirect(published: &Published, entry: &Entry, now: Time) -> Option<Url> {
    let after = &published.parsed.parts.settings["after_submission"];
    if after["mode"] != "redirect" {
        return None;
    }
    let group = &after["redirect"];
    let mut address = Url::parse(group["url"].as_str()?).ok()?;
    let is_plain = address.username().is_empty() && address.password().is_none();
    if !matches!(address.scheme(), "http" | "https") || !is_plain {
        return None;
    }
    let wanted: Vec<&str> = group["fields"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
        .collect();
    if !wanted.is_empty() {
        let stored: Values = serde_json::from_str(&entry.values).ok()?;
        let cx = published.parsed.cx(now, false);
        let mut pairs = address.query_pairs_mut();
        for code in wanted {
            if code == "serial_number" {
                pairs.append_pair(code, &entry.serial.to_string());
            } else if let Some(field) = published.parsed.definition.fields.get(code)
                && let Some(value) = values::today(field, stored.get(code), &cx)
            {
                pairs.append_pair(code, &field.kind.text(&value, &cx));
            }
        }
    }
    Some(address)
}
