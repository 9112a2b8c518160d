//! Languages and time zones of accounts and forms.

use fluent_langneg::LanguageIdentifier;
use jiff::tz::TimeZone;
use serde_json::json;

use crate::base::issue::Issue;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::base::text::texts;
use crate::model::caller::Caller;

/// Reads `locale` into its canonical form.
pub fn read_locale(reader: &mut Reader) -> Option<String> {
    reader.note("locale", || json!({"examples": ["en", "zh-CN"]}));
    let text = reader.opt_text("locale", 35)?;
    match text.parse::<LanguageIdentifier>() {
        Ok(locale) if !text.is_empty() => Some(locale.to_string()),
        _ => {
            reader.fault("locale", Reason::MustBe(Expected::LanguageTag));
            None
        }
    }
}

/// A warning if the page's own texts are not available in a form's locale.
pub fn warnings(locale: &str) -> Option<Issue> {
    (!texts::is_available(locale)).then(|| {
        Issue::new(
            "locale".to_owned(),
            Reason::other("has no translation: the page's own words, such as buttons and errors, will be in English"),
        )
    })
}

/// Reads `timezone` into its canonical form.
pub fn read_timezone(reader: &mut Reader) -> Option<String> {
    reader.note("timezone", || json!({"examples": ["Europe/Berlin"]}));
    let text = reader.opt_text("timezone", 64)?;
    let zone = TimeZone::get(&text).ok();
    match zone.filter(|_| is_zone_name(&text)) {
        Some(zone) => Some(zone.iana_name().unwrap_or("UTC").to_owned()),
        None => {
            reader.fault("timezone", Reason::MustBe(Expected::TimeZone));
            None
        }
    }
}

/// Excludes files in the system's time zone directory that are no time zones.
fn is_zone_name(text: &str) -> bool {
    let not_zones = ["localtime", "posixrules", "factory", "leapseconds"];
    let lower = text.to_ascii_lowercase();
    !not_zones.contains(&lower.as_str()) && !["posix/", "right/"].iter().any(|start| lower.starts_with(start))
}

/// The account's time zone, or UTC if it is not valid (spec 2.7, `date`).
pub fn known_timezone(caller: &Caller) -> String {
    if TimeZone::get(&caller.user.timezone).is_ok() { caller.user.timezone.clone() } else { "UTC".to_owned() }
}
