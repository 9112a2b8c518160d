//! Languages and time zones, as accounts and forms name them.

use fluent_langneg::LanguageIdentifier;
use jiff::tz::TimeZone;
use serde_json::json;

use crate::base::issue::Issue;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::base::texts;
use crate::model::caller::Caller;

/// Reads `locale`, in its canonical spelling.
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

/// What to know of a form's locale: which language the page's own words are in, where that is another.
pub fn warnings(locale: &str) -> Option<Issue> {
    (!texts::is_available(locale)).then(|| Issue::new("locale".to_owned(), Reason::other("has no translation: the page's own words, such as buttons and errors, will be in English"
            .to_owned())))
}

/// Reads `timezone`, in its canonical spelling.
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

/// A machine's list of time zones holds files beside them that are names for something else.
fn is_zone_name(text: &str) -> bool {
    let not_zones = ["localtime", "posixrules", "factory", "leapseconds"];
    let lower = text.to_ascii_lowercase();
    !not_zones.contains(&lower.as_str())
        && !["posix/", "right/"]
            .iter()
            .any(|start| lower.starts_with(start))
}

/// The account's timezone, UTC where it is not valid (spec 2.7, `date`).
pub fn known_timezone(caller: &Caller) -> String {
    if TimeZone::get(&caller.user.timezone).is_ok() {
        caller.user.timezone.clone()
    } else {
        "UTC".to_owned()
    }
}
