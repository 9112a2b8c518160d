//! Brings a version back as an edit of the form.

use serde_json::json;

use crate::base::error::{Error, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::Reason;
use crate::base::text::phrase::phrase;
use crate::model::caller::Caller;
use crate::model::draft::parts::PartName;
use crate::model::form::FormSection;
use crate::model::precondition::IfMatch;
use crate::ops::app::App;
use crate::ops::forms::drafted_parts::{ChangedPart, DraftedParts};
use crate::ops::forms::drafts::parts;
use crate::ops::forms::form_view::FormView;
use crate::ops::forms::versions::VersionView;
use crate::ops::forms::versions::compare::code;
use crate::ops::forms::versions::returning::{Returning, returning};
use crate::ops::forms::{self, versions};

/// The JSON Schema of the body of `restore`.
pub fn schema() -> Json {
    Reader::describe(|reader| {
        read(reader);
    })
}

/// Whether the loss of collected data is confirmed.
fn read(reader: &mut Reader) -> bool {
    reader.bool("confirm_data_loss", false)
}

/// Times that a version is looked at anew because the form was changed meanwhile.
const TRIES: usize = 5;

/// Restores a version of a form. `at` has the faults found in the body so far. Returns the form, and warnings about
/// everything that differs from the version.
///
/// # Errors
/// 403, 404, 412, 422, also `data_loss`.
pub fn restore(
    app: &App,
    caller: &Caller,
    (token, number): (&str, &str),
    body: Json,
    if_match: &IfMatch,
    mut at: Issues,
) -> Result<(FormView, Vec<Issue>)> {
    let mut shown = versions::show(app, caller, token, number)?;
    let confirmed = read(&mut Reader::new(body, &mut at));
    at.into_result()?;
    let mut tries = 1;
    loop {
        if_match.check(&shown.view.form.etag(FormSection::Form))?;
        match restore_over(app, caller, token, &shown, confirmed) {
            Err(Error::VersionConflict) if tries < TRIES => tries += 1,
            done => return done,
        }
        shown = versions::show(app, caller, token, number)?;
    }
}

/// Restores a version over the form that it was read with, and over no other: its new codes suit that one alone.
fn restore_over(
    app: &App,
    caller: &Caller,
    token: &str,
    shown: &VersionView,
    confirmed: bool,
) -> Result<(FormView, Vec<Issue>)> {
    let now = &shown.view.parsed.definition;
    let back = returning(&shown.definition, &shown.content.field_rules, &now.fields, shown.next_field);
    let mut warnings = lost(shown, &back);
    let body = json!({
        "name": shown.content.name,
        "description": shown.content.description,
        "fields": with_new_codes_open(&back),
        "confirm_data_loss": confirmed,
    });
    let changed = [(PartName::Rules, back.field_rules), (PartName::Theme, shown.theme_to_return())];
    let changed = changed.into_iter().filter_map(|(name, body)| {
        let base = parts::published_body(&shown.view.parsed, name);
        (body != base).then_some(ChangedPart { name, body, base })
    });
    let drafted = DraftedParts { changed: changed.collect(), ..DraftedParts::default() };
    let is_unchanged = IfMatch::Tags(vec![shown.view.form.etag(FormSection::Form).0]);
    let (view, told) = forms::update_drafted(app, caller, token, body, &drafted, &is_unchanged, Issues::new())?;
    warnings.extend(told);
    Ok((view, warnings))
}

/// The fields, where those that return as new ones get their codes from the form: the same.
fn with_new_codes_open(back: &Returning) -> Json {
    let mut fields = back.fields.clone();
    for field in fields.iter_mut().filter(|field| back.new_codes.contains(code(field))) {
        if let Some(field) = field.as_object_mut() {
            field.shift_remove("api_code");
        }
    }
    Json::Array(fields)
}

/// The parts of the version that are not restored as they were.
fn lost(shown: &VersionView, back: &Returning) -> Vec<Issue> {
    let fields = back.fields.iter().enumerate().filter(|(_, field)| back.new_codes.contains(code(field)));
    let mut out: Vec<Issue> = fields
        .map(|(at, field)| {
            let told = phrase!("returns as a new field, {}: its old values do not come back", code(field));
            Issue::new(format!("fields[{at}]"), Reason::other(told))
        })
        .collect();
    if shown.lost_images > 0 {
        let told = phrase!("do not come back: {} of them were deleted since", shown.lost_images);
        out.push(Issue::new("images", Reason::other(told)));
    }
    out
}
