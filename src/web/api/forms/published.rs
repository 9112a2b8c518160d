//! `/api/v1/f/{form_token}`: a form as respondents see and submit it.

use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::json;
use warp::http::StatusCode;

use crate::base::clock::Time;
use crate::base::error::Code::{
    AlreadySubmitted, FormClosed, FormFull, FormNotOpen, OutOfStock, PasswordInvalid, PasswordRequired, QuotaExceeded,
    WaitingListFull,
};
use crate::base::error::Result;
use crate::base::json::Json;
use crate::base::json::schema_builder::{not_null, reference};
use crate::model::caller::{Caller, Sender};
use crate::model::form::{LAYOUTS, SCENES};
use crate::ops::app::App;
use crate::ops::entries::respondents::Respondent;
use crate::ops::entries::submission::{self, Stored, Submission, answer};
use crate::ops::exams::time;
use crate::ops::forms::availability::Status;
use crate::ops::forms::published::{self, Published, Visitor};
use crate::ops::forms::{field_rules, settings, themes};
use crate::web::api::{entries, forms};
use crate::web::openapi::codes::UPLOADS;
use crate::web::openapi::doc::AnswerBody::Data;
use crate::web::openapi::doc::Doc;
use crate::web::openapi::shape::{self, Shape, names};
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Reply};
use crate::web::request::unknown_keys;

/// A form as respondents see it.
#[derive(Serialize, JsonSchema)]
struct PublishedBody {
    /// Its identifier in URLs.
    token: String,
    /// Its name.
    name: String,
    /// Shown above the fields.
    description: Option<String>,
    /// Its purpose.
    #[schemars(extend("enum" = names(&SCENES)))]
    scene: String,
    /// All questions on one or more pages, or one question at a time.
    #[schemars(extend("enum" = names(&LAYOUTS)))]
    layout: String,
    /// A language tag.
    locale: String,
    /// The IANA time zone of its dates.
    timezone: String,
    /// The questions in order, without hidden ones, scores and quotas. Empty while the form accepts no submissions. Each
    /// choice, product, variant, weekday and time slot that has a limit says in `remaining` how many are left, and for
    /// managers in `held` how many are held for respondents who are filling in the form.
    #[schemars(schema_with = "forms::field_list")]
    fields: Vec<Json>,
    /// Which fields are shown and required, and when. Empty while there are no fields.
    #[schemars(schema_with = "rule_list")]
    field_rules: Json,
    #[schemars(schema_with = "submission_options")]
    submission_options: Json,
    /// What happens after a submission.
    #[schemars(schema_with = "after_mode")]
    after_submission: Json,
    /// Whether it accepts submissions now.
    #[schemars(extend("enum" = Status::ALL.map(Status::name)))]
    status: &'static str,
    #[schemars(extend("format" = "date-time"))]
    opens_at: Option<String>,
    #[schemars(extend("format" = "date-time"))]
    closes_at: Option<String>,
    show_countdown: bool,
    #[schemars(schema_with = "theme")]
    theme: Json,
    /// The time limit of an exam, if it has one, while the form accepts submissions.
    #[serde(skip_serializing_if = "Option::is_none")]
    exam: Option<ExamBody>,
}

/// The time of an exam.
#[derive(Serialize, JsonSchema)]
struct ExamBody {
    /// The time allowed, in minutes.
    duration_minutes: i64,
    /// The start of the time: when the form was read.
    #[schemars(extend("format" = "date-time"))]
    started_at: String,
    /// Send it with the submission, which is late without it.
    start_token: String,
}

fn rule_list(_: &mut SchemaGenerator) -> Schema {
    shape::schema(field_rules::schema()["properties"]["rules"].take())
}

fn submission_options(_: &mut SchemaGenerator) -> Schema {
    shape::schema(settings::group_schema("submission_options"))
}

fn after_mode(_: &mut SchemaGenerator) -> Schema {
    let mode = settings::after_submission_schema()["properties"]["mode"].take();
    json_schema!({"type": "object", "properties": {"mode": not_null(mode)}, "required": ["mode"]})
}

fn theme(_: &mut SchemaGenerator) -> Schema {
    shape::schema(reference("Theme"))
}

/// A published form in answers.
pub static PUBLISHED: Shape = Shape::of_type::<PublishedBody>("PublishedForm");

/// The body of a submission.
pub static SUBMISSION: Shape = Shape::new("Submission", Submission::schema);

/// The answer to a submission.
pub static ACCEPTED: Shape = Shape::new("AcceptedSubmission", answer::schema);

impl PublishedBody {
    fn of(app: &App, published: &Published, shown_fields: Vec<Json>, now: Time) -> Self {
        let form = &published.form;
        let (parts, settings) = (&published.parsed.parts, &published.parsed.settings);
        let availability = published.availability();
        let fields = &published.parsed.definition.fields;
        Self {
            token: form.token.to_string(),
            name: form.name.clone(),
            description: form.description.clone(),
            scene: form.scene.clone(),
            layout: form.layout.clone(),
            locale: form.locale.clone(),
            timezone: form.timezone.clone(),
            fields: shown_fields,
            field_rules: if published.shows_fields() { field_rules::for_respondent(parts, fields) } else { json!([]) },
            submission_options: json!(settings.submission_options),
            after_submission: settings::after_mode(settings),
            status: published.status.name(),
            opens_at: availability.schedule.start_at.map(|at| at.to_string()),
            closes_at: availability.schedule.end_at.map(|at| at.to_string()),
            show_countdown: availability.show_countdown,
            theme: themes::theme_json(&published.parsed),
            exam: published.exam_time().map(|time| ExamBody {
                duration_minutes: time.minutes(),
                started_at: now.to_string(),
                start_token: time::start_token(app.keys(), form.token.as_str(), now),
            }),
        }
    }
}

pub const GET_PUBLISHED_FORM: Doc = Doc::new("get_published_form", 200, Data(&PUBLISHED))
    .says(
        "Read a published form",
        "The form as respondents see it: without hidden fields, scores and quotas. Where there is a limit, \
         `remaining` says how many are left, and for managers `held` how many are held. The fields are included \
         only while the form accepts submissions.",
    )
    .password()
    .codes(&[(403, &[PasswordRequired, PasswordInvalid])]);

/// `GET /f/{form_token}`
pub fn show(call: &Call, caller: Option<&Caller>) -> Result<Reply> {
    let visitor = Visitor { password: call.form_password(), is_carried: false, address: &call.address() };
    let published = published::show(call.app, call.param("form_token"), visitor)?;
    let fields = published::shown_fields(call.app, &published, caller)?;
    let body = PublishedBody::of(call.app, &published, fields, call.now);
    Ok(reply::data(&body)?.into())
}

pub const SUBMIT_ENTRY: Doc = Doc::new("submit_entry", 201, Data(&ACCEPTED))
    .says(
        "Submit an entry",
        "Submits an entry as a respondent. A form can be limited to one response per browser or account; the latter \
         requires a token. All errors in the values are listed at once, each with its path. 409 names the choices, \
         products and bookings for which there is not enough room. With `waiting_list`, up to 20 entries from one \
         network can wait per form.",
    )
    .takes(&SUBMISSION, r#"{"field_values": {"field_1": "Ada Lovelace", "field_2": "AbCd12"}}"#)
    .idempotent()
    .password()
    .codes(&[
        (403, &[PasswordRequired, PasswordInvalid, FormClosed, FormNotOpen, FormFull]),
        (409, &[AlreadySubmitted, QuotaExceeded, OutOfStock, WaitingListFull]),
        UPLOADS,
    ]);

/// `POST /f/{form_token}/entries`
pub fn submit(call: &Call, caller: Option<&Caller>) -> Result<Reply> {
    let sender = caller.map_or_else(|| call.sender(), |caller| Sender::User(caller.user.id));
    let once = entries::once(call, &sender)?;
    let body = call.json()?;
    let mut ignored = unknown_keys::of(call, &body, &[&SUBMISSION]);
    let (mut submission, password) = Submission::read(body);
    let visitor =
        Visitor { password: password.as_deref().or(call.form_password()), is_carried: false, address: &call.address() };
    let published = published::show(call.app, call.param("form_token"), visitor)?;
    let who = Respondent {
        caller: caller.cloned(),
        // The API sets no cookies: `one_per_respondent: "browser"` applies only on the page (S10).
        answered_cookie: None,
        sender: call.origin().sender,
    };
    submission.note_ignored(&published, &mut ignored);
    let ticket = submission::respond(call.app, &published, who, submission, None, once)?;
    let (app, now) = (Arc::clone(&call.site.app), call.now);
    let reply = reply::later(ticket, move |stored| {
        let body = match stored {
            Stored::Now(view) => answer::text(app.keys(), &view, now)?,
            Stored::Before(body) => body,
        };
        Ok(reply::data_text(StatusCode::CREATED, &body))
    });
    Ok(reply.warn(ignored.warnings))
}
