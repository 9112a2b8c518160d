//! A form of a file: of a definition as the settings page and the API give it. Its codes stay, so that rules, formulas
//! and settings name the same questions and choices.

use jiff::tz::TimeZone;
use serde_json::json;

use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::Reason;
use crate::fields::definition::Definition;
use crate::fields::kind::Cx;
use crate::fields::links::LinkedData;
use crate::model::caller::Caller;
use crate::model::form::Parts;
use crate::model::precondition::IfMatch;
use crate::ops::accounts::locales;
use crate::ops::app::App;
use crate::ops::files::images::{self, UsedImages};
use crate::ops::forms::form_view::FormView;
use crate::ops::forms::{
    self, NewFormRequest, check_files, cx_of, field_rules, folders, settings, settings_body, themes,
};

/// The keys of stored fields that tell of their past, which a new form has none of.
const PAST: [&str; 2] = ["past", "retired"];
/// Characters of a code.
const LONGEST_CODE: usize = 64;
/// The N of the largest `field_N` that is kept.
const LARGEST_FIELD: u32 = 1_000_000;

/// Makes an unpublished form of a definition: name, fields, settings, theme and rules. Other members of the API's
/// answer for a form are ignored.
///
/// # Errors
/// 404 for an unknown folder, 422 with the faults of all parts.
pub fn make_of_definition(app: &App, caller: &Caller, folder: &str, file: Json) -> Result<FormView> {
    let definition = match file {
        Json::Object(mut members) if members.get("data").is_some_and(Json::is_object) => {
            members.remove("data").unwrap_or_default()
        }
        other => other,
    };
    if !definition["fields"].is_array() {
        let text = "has no list of fields: choose a form's definition, as its settings page saves it";
        return Err(Error::invalid("file", Reason::other(text)));
    }
    app.run_until_stored(caller.user.token.as_str(), || try_make(app, caller, folder, definition.clone()))
}

fn try_make(app: &App, caller: &Caller, folder: &str, mut body: Json) -> Result<FormView> {
    body["published"] = json!(false);
    body["folder_token"] = json!(folder);
    let given = body["settings"].take();
    let (theme, rules) = (body["theme"].take(), body["field_rules"].take());
    let mut found = forms::look_up(app, caller, &body)?;
    found.add_images(images::of_request(app, caller, &theme)?);
    folders::check_named(app, caller, &body)?;
    let mut at = Issues::new();
    let request =
        NewFormRequest::read(&mut Reader::new(body, &mut at), &caller.user.locale, &locales::known_timezone(caller));
    let timezone = TimeZone::get(&request.head.timezone).unwrap_or(TimeZone::UTC);
    let cx = cx_of(&request.head, &timezone, &found);
    let definition = read_fields(request.fields.unwrap_or_default(), &cx, &found, &mut at);
    check_files(app, &definition, &mut at);
    let theme = match theme {
        Json::Object(_) => at.key("theme", |at| themes::read(&mut Reader::new(theme, at), found.images())),
        _ => json!({}),
    };
    let field_rules = match rules {
        Json::Array(_) => field_rules::read(json!({"rules": rules}), &definition.fields, &cx, &mut at),
        _ => json!([]),
    };
    if given.is_object() {
        at.key("settings", |at| {
            settings_body::read(&mut Reader::new(given.clone(), at), &definition.fields, &cx);
        });
    }
    at.into_result()?;
    let parts = Parts { fields: definition.to_stored(), settings: json!({}), theme, field_rules };
    let form = (request.head, request.scene, parts);
    let made = forms::insert(app, caller, form, request.folder, UsedImages::of(found.images()))?;
    let token = made.form.token.as_str();
    if given.is_object() {
        // Only the whole of the settings shows the rest of their faults.
        if let Err(fault) = settings::update(app, caller, token, given, &IfMatch::Absent, Issues::new()) {
            forms::trash(app, caller, token, IfMatch::Absent)?;
            return Err(fault);
        }
    }
    forms::show(app, caller, token)
}

/// Reads fields twice: once to know their codes, then as a change of these.
fn read_fields(mut fields: Json, cx: &Cx, found: &LinkedData, at: &mut Issues) -> Definition {
    for field in fields.as_array_mut().into_iter().flatten().filter_map(Json::as_object_mut) {
        field.retain(|key, _| !PAST.contains(&key.as_str()));
    }
    let known = next_field(&fields).and_then(|next_field| {
        let stored = json!({"fields": fields, "next_field": next_field});
        Definition::from_stored_with(stored, found.images()).ok()
    });
    match known {
        Some(known) => known.replace(fields, cx, at).definition,
        None => Definition::create(fields, cx, at),
    }
}

/// The N of the next `field_N`; `None` if any code is none that a form gives.
fn next_field(fields: &Json) -> Option<u32> {
    let mut next = 1;
    for field in fields.as_array()? {
        let number: u32 = field["api_code"].as_str()?.strip_prefix("field_")?.parse().ok()?;
        if number > LARGEST_FIELD || !have_plain_codes(field) {
            return None;
        }
        next = next.max(number + 1);
    }
    Some(next)
}

/// Whether all codes are letters and digits, at any depth.
fn have_plain_codes(part: &Json) -> bool {
    match part {
        Json::Array(items) => items.iter().all(have_plain_codes),
        Json::Object(members) => members.iter().all(|(key, value)| match value {
            Json::String(code) if key == "api_code" => {
                (1..=LONGEST_CODE).contains(&code.len())
                    && code.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            }
            value => have_plain_codes(value),
        }),
        _ => true,
    }
}
