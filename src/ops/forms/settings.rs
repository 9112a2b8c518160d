//! A form's settings (spec 2.10, contract section 5): reads, changes group by group, and the part that respondents see.
//! Only the members that were set are stored; reads add defaults.

use std::sync::Arc;

use serde_json::{Map, json};

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::fields::Fields;
use crate::fields::kind::Cx;
use crate::fields::links::LinkedData;
use crate::model::audit::Action;
use crate::model::caller::Caller;
use crate::model::form::{Form, FormSection};
use crate::model::precondition::IfMatch;
use crate::model::role::Role;
use crate::model::settings::{AfterMode, AfterSubmission, Redirect, Report, Settings};
use crate::ops::accounts::audit::{self, By};
use crate::ops::accounts::locales::known_timezone;
use crate::ops::app::App;
use crate::ops::capacity::waiting;
use crate::ops::delivery::{notice_addresses, notifications, respondent_letters};
use crate::ops::exams::{certificates, rescoring};
use crate::ops::files::images::{self, UsedImages};
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::access_password;
use crate::ops::forms::form_sections::{self, PartView};
use crate::ops::forms::form_view::FormView;
use crate::ops::forms::placeholders::Texts;
use crate::ops::forms::settings_body::{self, Change};
use crate::ops::{self, queries};
use crate::query::form_cache::ParsedForm;
use crate::store::forms::{self, Head};

/// Shows the settings. Only managers see the access password.
///
/// # Errors
/// 404.
pub fn show(app: &App, caller: &Caller, token: &str) -> Result<PartView> {
    let (form, parsed, role) = app.store.read(|tx| {
        let (form, role) = access::form_and_role(tx, caller, token, Right::Read)?;
        let parsed = app.cache.parsed(tx, &form)?;
        Ok((form, parsed, role))
    })?;
    Ok(PartView { body: settings_json(app, &form, &parsed, role)?, etag: form.etag(FormSection::Settings) })
}

/// The settings of a form that was read, as `show` shows them to its caller.
pub(in crate::ops) fn shown(app: &App, view: &FormView) -> Result<Json> {
    settings_json(app, &view.form, &view.parsed, view.role)
}

fn settings_json(app: &App, form: &Form, parsed: &ParsedForm, role: Role) -> Result<Json> {
    let settings = &parsed.settings;
    let mut body = whole(&form.locale, &form.timezone, settings);
    // A field that became another type no longer holds addresses.
    let receipt = &settings.notifications.receipt;
    if respondent_letters::address_field(receipt, &parsed.definition.fields).is_none() {
        body["notifications"]["receipt"]["field"] = Json::Null;
    }
    body["access_control"]["access_password"] = match access_password::open(app, settings)? {
        None => Json::Null,
        Some(password) if role >= Role::Manager => json!(password),
        Some(_) => json!("********"),
    };
    Ok(body)
}

/// The read shape, but for the password.
fn whole(locale: &str, timezone: &str, settings: &Settings) -> Json {
    let mut body = json!({"locale": locale, "timezone": timezone});
    if let (Json::Object(body), Json::Object(groups)) = (&mut body, settings.to_json()) {
        body.extend(groups);
    }
    body
}

/// The JSON Schema of the settings as reads show them: every member that can be set is there.
pub fn schema() -> Json {
    form_sections::shown_schema(settings_body::schema(), &defaults())
}

/// The JSON Schema of the body of `update`.
pub fn update_schema() -> Json {
    settings_body::schema()
}

/// The default settings.
fn defaults() -> Json {
    whole("en", "UTC", &Settings::default())
}

/// Changes the named members; null takes a member back to its default. `at` has the faults found in the body so far.
/// Also returns warnings about settings without effect, and about values that certificates can't show.
///
/// # Errors
/// 403, 404, 412, 422.
pub fn update(
    app: &App,
    caller: &Caller,
    token: &str,
    body: Json,
    if_match: &IfMatch,
    at: Issues,
) -> Result<(PartView, Vec<Issue>)> {
    app.run_until_stored(token, || try_update(app, caller, token, body.clone(), if_match, at.clone()))
}

fn try_update(
    app: &App,
    caller: &Caller,
    token: &str,
    body: Json,
    if_match: &IfMatch,
    mut at: Issues,
) -> Result<(PartView, Vec<Issue>)> {
    let (form, parsed) = form_sections::managed(app, caller, token, FormSection::Settings, if_match)?;
    // Null resets the language and the time zone to those of the caller.
    let is_cleared = |key: &str| body.get(key).is_some_and(Json::is_null);
    let cleared_locale = is_cleared("locale").then(|| caller.user.locale.clone());
    let cleared_timezone = is_cleared("timezone").then(|| known_timezone(caller));
    let mut found = LinkedData::default();
    found.add_images(images::of_request(app, caller, &body)?);
    let mut reader = Reader::new(body, &mut at);
    let cx = parsed.cx_with(crate::base::clock::now(), false, &found);
    let Change { locale, timezone, mut groups } = settings_body::read(&mut reader, &parsed.definition.fields, &cx);
    if !at.is_empty() {
        let more = faults_of_whole(&parsed.parts.settings, groups.clone(), &at);
        at.append(more);
    }
    at.into_result()?;
    let (locale, timezone) = (locale.or(cleared_locale), timezone.or(cleared_timezone));
    access_password::seal(app, &mut groups)?;
    let sets_exam = groups.get("exam").is_some();
    let texts = Texts::of(&groups);
    let gives_pass_score = groups.pointer("/exam/pass_score").is_some();
    let sets_capacity = groups.get("capacity").is_some();
    let sets_certificate = groups.get("certificate").is_some();
    let sets_notifications = groups.get("notifications").is_some();
    let mut settings = parsed.parts.settings.clone();
    apply(&mut settings, groups);
    let mut at = Issues::new();
    let changed = Settings::of(&settings)?;
    settings_body::check_whole(&changed, &mut at);
    if sets_exam {
        let cx = parsed.cx(Time::default(), false);
        rescoring::check(&parsed.definition.fields, &cx, &changed, gives_pass_score, &mut at);
    }
    at.into_result()?;
    let speaks_other = locale.as_ref().is_some_and(|new| *new != form.locale)
        || timezone.as_ref().is_some_and(|new| *new != form.timezone);
    let recomputes = rescoring::changes_results(&parsed, &changed) || (parsed.derives() && speaks_other);
    let mut warnings = notifications::warnings(app, &changed, &parsed.definition.fields);
    if sets_notifications && app.delivery.outbox.sends_mail() {
        warnings.extend(app.store.read(|tx| notice_addresses::warnings(tx, &form, &changed))?);
    }
    warnings.extend(rescoring::warnings(&parsed, &changed));
    warnings.extend(texts.warnings(&parsed, &changed));
    if sets_capacity {
        warnings.extend(waiting::warning(app, &parsed, &changed)?);
    }
    if sets_certificate {
        let told =
            app.store.read(|tx| queries::certificates::warnings_of_settings(&app.cache, tx, &parsed, &changed))?;
        warnings.extend(told);
    }
    let head = (locale.is_some() || timezone.is_some()).then(|| Head {
        name: form.name.clone(),
        description: form.description.clone(),
        layout: form.layout.clone(),
        locale: locale.unwrap_or_else(|| form.locale.clone()),
        timezone: timezone.unwrap_or_else(|| form.timezone.clone()),
        published: form.published,
    });
    let (form_no, version) = (form.form_no, form.version);
    let by = By::caller(caller);
    let images = UsedImages::of(found.images());
    let outbox = Arc::clone(&app.delivery.outbox);
    let asked = sets_notifications.then(|| (form.clone(), changed.clone()));
    app.store.write(move |tx| {
        forms::check_version(tx, form_no, version)?;
        images.store(tx)?;
        audit::note_form(tx, by, Action::SettingsUpdated, form.token.as_str())?;
        if let Some((form, changed)) = asked {
            notice_addresses::ask_all(&outbox, tx, &form, &changed)?;
        }
        if let Some(head) = head {
            forms::update(tx, form_no, &head, None)?;
        }
        forms::update_part(tx, form_no, FormSection::Settings, &settings)?;
        if recomputes {
            ops::forms::rewrites::recompute(tx, form_no)?;
        }
        Ok(())
    })?;
    if recomputes {
        ops::forms::rewrites::entries_now(app, form_no);
    }
    if sets_certificate {
        warnings.extend(certificates::warnings(app, &form.name, &changed.certificate));
    }
    Ok((show(app, caller, token)?, warnings))
}

/// The settings with these questions of an exam, and the faults that the API would report for the questions, at paths
/// such as `exam.questions.field_1.answer`.
///
/// # Errors
/// Internal, when the stored settings are damaged.
pub(in crate::ops) fn with_exam_questions(
    stored: &Json,
    questions: &Json,
    fields: &Fields,
    cx: &Cx,
) -> Result<(Json, Vec<Issue>)> {
    let mut at = Issues::new();
    let change = json!({"exam": {"questions": questions}});
    let Change { groups, .. } = settings_body::read(&mut Reader::new(change, &mut at), fields, cx);
    let mut settings = stored.clone();
    if at.is_empty() {
        apply(&mut settings, groups);
        rescoring::check(fields, cx, &Settings::of(&settings)?, false, &mut at);
    }
    Ok((settings, at.into_list()))
}

/// Faults that only the merged settings show, reported with the others: those of groups without faults of their own.
fn faults_of_whole(stored: &Json, change: Json, at: &Issues) -> Issues {
    let mut whole = stored.clone();
    apply(&mut whole, change);
    let mut found = Issues::new();
    if let Ok(settings) = Settings::of(&whole) {
        settings_body::check_whole(&settings, &mut found);
    }
    found.retain(|issue| issue.attribute.rsplit_once('.').is_none_or(|(group, _)| !at.has_fault_at(group)));
    found
}

/// Lays the set members over the defaults.
pub fn merge(into: &mut Json, set: &Json) {
    match (into, set) {
        (Json::Object(into), Json::Object(set)) => {
            for (key, value) in set {
                match into.get_mut(key) {
                    Some(inner) if inner.is_object() && key != "questions" => merge(inner, value),
                    _ => {
                        into.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        (into, set) => *into = set.clone(),
    }
}

/// Applies a change: objects member by member, null takes away.
pub fn apply(into: &mut Json, change: Json) {
    match change {
        Json::Object(change) => {
            if !into.is_object() {
                *into = Json::Object(Map::new());
            }
            let Json::Object(into) = into else { return };
            for (key, value) in change {
                match value {
                    Json::Null => {
                        into.shift_remove(&key);
                    }
                    Json::Object(_) if key != "questions" => {
                        apply(into.entry(key).or_insert(Json::Null), value);
                    }
                    value => {
                        into.insert(key, value);
                    }
                }
            }
        }
        value => *into = value,
    }
}

/// The settings without references to removed fields.
pub fn without(settings: &Json, removed: &[String]) -> Json {
    let mut settings = settings.clone();
    if let Some(questions) = settings.pointer_mut("/exam/questions").and_then(Json::as_object_mut) {
        questions.retain(|code, _| !removed.contains(code));
    }
    if let Some(fields) = settings.pointer_mut("/after_submission/redirect/fields").and_then(Json::as_array_mut) {
        fields.retain(|code| !removed.iter().any(|gone| code == gone));
    }
    if let Some(receipt) = settings.pointer_mut("/notifications/receipt").and_then(Json::as_object_mut)
        && receipt.get("field").is_some_and(|code| removed.iter().any(|gone| code == gone))
    {
        receipt.shift_remove("field");
    }
    settings
}

/// The JSON Schema of the group `after_submission` as a respondent gets it.
pub fn after_submission_schema() -> Json {
    group_schema("after_submission")
}

/// The JSON Schema of one group of the settings as reads show it.
pub fn group_schema(name: &str) -> Json {
    schema()["properties"][name].take()
}

/// The group `after_submission` as a respondent gets it: without the parts that do not apply to their entry. An unused
/// redirect and feedback on other scores are for the owner alone (S55).
pub fn after_submission(settings: &Settings) -> AfterSubmission {
    let group = &settings.after_submission;
    AfterSubmission {
        redirect: match group.mode {
            AfterMode::Redirect => group.redirect.clone(),
            AfterMode::ShowMessage | AfterMode::Report => Redirect::default(),
        },
        report: Report::default(),
        ..group.clone()
    }
}

/// The part of the group `after_submission` that is public before a submission: the mode, but not the address.
pub fn after_mode(settings: &Settings) -> Json {
    json!({"mode": settings.after_submission.mode})
}
