//! Settings as people edit them: section by section, so that two who work on different sections never meet, and two
//! who work on the same one are told.

use serde_json::{Map, json};

use crate::base::error::{Error, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::secret;
use crate::model::caller::Caller;
use crate::model::form::FormSection;
use crate::model::notification_settings::Notifications;
use crate::model::precondition::IfMatch;
use crate::model::role::Role;
use crate::ops::app::App;
use crate::ops::forms;
use crate::ops::forms::form_view::FormView;
use crate::ops::forms::settings;

/// The members of `PATCH /forms/{form_token}` that pages list among the settings. All else is a setting.
const OF_FORM: [&str; 6] = ["name", "description", "layout", "locale", "timezone", "published"];

/// The number of tries of a save when others change the form at the same time.
const TRIES: usize = 5;

/// The hexadecimal digits of a value's version: enough to tell a value from the one before it.
const DIGITS: usize = 8;

/// A form with its settings, in one read.
pub struct Edited {
    pub view: FormView,
    /// The settings as the API shows them, with the form's own members beside them. `enabled` of a letter is null where
    /// nothing was said of it.
    pub values: Json,
}

/// The outcome of a save.
pub enum Saved {
    /// It is stored, with these warnings.
    Stored(Vec<Issue>),
    /// Somebody else changed the section since it was loaded: the settings as they are now.
    Changed(Box<Edited>),
}

/// # Errors
/// 404.
pub fn load(app: &App, caller: &Caller, token: &str) -> Result<Edited> {
    let view = forms::show(app, caller, token)?;
    let mut values = settings::shown(app, &view)?;
    let form = &view.form;
    values["name"] = json!(form.name);
    values["description"] = json!(form.description);
    values["layout"] = json!(form.layout);
    values["published"] = json!(form.published);
    let stored = serde_json::to_value(&view.parsed.settings.notifications).map_err(Error::internal)?;
    for kind in Notifications::LETTERS {
        values["notifications"][kind.name()]["enabled"] = stored[kind.name()]["enabled"].clone();
    }
    Ok(Edited { view, values })
}

/// The value at a path such as `exam.pass_score`; null if there is none.
pub fn at<'v>(values: &'v Json, path: &str) -> &'v Json {
    path.split('.').fold(values, |value, key| value.get(key).unwrap_or(&Json::Null))
}

/// Puts a value at a path.
pub fn put(values: &mut Json, path: &str, value: Json) {
    let place = path.split('.').fold(values, |inner, key| {
        if !inner.is_object() {
            *inner = Json::Object(Map::new());
        }
        &mut inner[key]
    });
    *place = value;
}

/// The versions of the values at these paths, as `version` makes them.
pub fn version(values: &Json, paths: &[&str]) -> String {
    let versions: Vec<String> = paths.iter().map(|path| version_of(at(values, path))).collect();
    versions.join("-")
}

/// A short hash of a value, to tell it from others.
pub fn version_of(value: &Json) -> String {
    let text = comparable(value).to_string();
    let digits = secret::hash(&text).into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.take(DIGITS).filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}

/// Whether two values say the same: `5` as `5.0`, and nothing as an empty text or list.
pub fn is_same(one: &Json, other: &Json) -> bool {
    comparable(one) == comparable(other)
}

fn comparable(value: &Json) -> Json {
    match value {
        Json::Number(number) => match number.as_f64() {
            Some(float) => json!(float),
            None => value.clone(),
        },
        Json::String(text) if text.is_empty() => Json::Null,
        Json::Array(items) if items.is_empty() => Json::Null,
        Json::Array(items) => items.iter().map(comparable).collect(),
        Json::Object(members) => {
            let members = members.iter().map(|(key, value)| (key.clone(), comparable(value)));
            Json::Object(members.filter(|(_, value)| !value.is_null()).collect())
        }
        other => other.clone(),
    }
}

/// Saves the values at these paths, if they still have the version that was loaded. Only differing values are changed:
/// a save that changes nothing is stored at once.
///
/// # Errors
/// 403, 404, 422.
pub fn save(app: &App, caller: &Caller, token: &str, paths: &[&str], loaded: &str, typed: &Json) -> Result<Saved> {
    for _ in 0..TRIES {
        let now = load(app, caller, token)?;
        if now.view.role < Role::Manager {
            return Err(Error::Forbidden);
        }
        let differs = |path: &&&str| !is_same(at(typed, path), at(&now.values, path));
        let changed: Vec<&str> = paths.iter().filter(differs).copied().collect();
        if changed.is_empty() {
            return Ok(Saved::Stored(Vec::new()));
        }
        if version(&now.values, paths) != loaded {
            return Ok(Saved::Changed(Box::new(now)));
        }
        match store(app, caller, &now, &changed, typed) {
            Err(Error::VersionConflict) => {}
            Err(other) => return Err(other),
            Ok(warnings) => return Ok(Saved::Stored(warnings)),
        }
    }
    Err(Error::VersionConflict)
}

/// Stores members of a form that is still as it was read. Returns warnings.
fn store(app: &App, caller: &Caller, now: &Edited, changed: &[&str], typed: &Json) -> Result<Vec<Issue>> {
    let token = now.view.form.token.as_str();
    let mut body = Json::Object(Map::new());
    for path in changed {
        put(&mut body, path, at(typed, path).clone());
    }
    let is_unchanged = |section| IfMatch::Tags(vec![now.view.form.etag(section).0]);
    if changed.iter().any(|path| OF_FORM.contains(path)) {
        let if_match = is_unchanged(FormSection::Form);
        return forms::update(app, caller, token, body, &if_match, Issues::new()).map(|(_, warnings)| warnings);
    }
    let if_match = is_unchanged(FormSection::Settings);
    settings::update(app, caller, token, body, &if_match, Issues::new()).map(|(_, warnings)| warnings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_by_what_they_say() {
        for (one, other) in [
            (json!(5), json!(5.0)),
            (json!(null), json!("")),
            (json!([]), json!(null)),
            (json!([{"a": 1, "b": null}]), json!([{"a": 1.0}])),
        ] {
            assert!(is_same(&one, &other), "{one} {other}");
            assert_eq!(version_of(&one), version_of(&other));
        }
        for (one, other) in [(json!(5), json!(6)), (json!(null), json!(false)), (json!("5"), json!(5))] {
            assert!(!is_same(&one, &other), "{one} {other}");
            assert_ne!(version_of(&one), version_of(&other));
        }
        let mut values = json!({});
        put(&mut values, "a.b", json!(1));
        put(&mut values, "a.c", json!(2));
        assert_eq!(values, json!({"a": {"b": 1, "c": 2}}));
        assert_eq!((at(&values, "a.c"), at(&values, "x.y")), (&json!(2), &Json::Null));
        assert_eq!(version(&values, &["a.b", "a.c"]).len(), 2 * DIGITS + 1);
    }
}
