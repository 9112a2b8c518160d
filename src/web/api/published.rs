//! `/api/v1/f/{form}`: a form as respondents see and fill it.

use serde::Serialize;
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::json::Json;
use crate::model::caller::{Caller, Sender};
use crate::ops::entries::Stored;
use crate::ops::published::{self, Published, Submission, Visitor};
use crate::ops::{field_rules, settings, themes};
use crate::web::api::entries;
use crate::web::call::Call;
use crate::web::reply::{self, Reply};

/// A published form (contract section 5).
#[derive(Serialize)]
struct PublishedBody {
    token: String,
    name: String,
    description: Option<String>,
    scene: String,
    layout: String,
    locale: String,
    timezone: String,
    fields: Vec<Json>,
    field_rules: Json,
    submission_options: Json,
    after_submission: Json,
    status: &'static str,
    opens_at: Option<String>,
    closes_at: Option<String>,
    show_countdown: bool,
    theme: Json,
}

impl PublishedBody {
    fn of(published: &Published) -> Self {
        let form = &published.form;
        let parts = &published.parsed.parts;
        let fields = &published.parsed.definition.fields;
        Self {
            token: form.token.to_string(),
            name: form.name.clone(),
            description: form.description.clone(),
            scene: form.scene.clone(),
            layout: form.layout.clone(),
            locale: form.locale.clone(),
            timezone: form.timezone.clone(),
            fields: if published.shows_fields() {
                fields.for_respondent()
            } else {
                Vec::new()
            },
            field_rules: field_rules::for_respondent(parts, fields),
            submission_options: settings::submission_options(&parts.settings),
            after_submission: settings::after_mode(&parts.settings),
            status: published.status.name(),
            opens_at: published.availability.opens_at.map(|at| at.to_string()),
            closes_at: published.availability.closes_at.map(|at| at.to_string()),
            show_countdown: published.availability.show_countdown,
            theme: themes::shown(&parts.theme),
        }
    }
}

/// `GET /f/{form}`
pub fn show(call: &Call, _: Option<&Caller>) -> Result<Reply> {
    let visitor = Visitor {
        password: call.form_password(),
        network: &call.network(),
    };
    let published = published::show(call.app, call.param("form"), visitor)?;
    Ok(reply::data(&PublishedBody::of(&published))?.into())
}

/// `POST /f/{form}/entries`
pub fn submit(call: &Call, caller: Option<&Caller>) -> Result<Reply> {
    let sender = caller.map_or_else(|| call.sender(), |caller| Sender::User(caller.user.id));
    let once = entries::once(call, &sender)?;
    let mut submission = Submission::read(call.json()?)?;
    if submission.password.is_none() {
        submission.password = call.form_password().map(str::to_owned);
    }
    let (form, network) = (call.param("form"), call.network());
    let accepted = published::submit(call.app, caller, form, submission, &network, once)?;
    let (form, found, now) = (accepted.published, accepted.found, call.now);
    Ok(reply::later(accepted.ticket, move |stored| {
        let body = match stored {
            Stored::Now(entry) => published::answer(&form, &entry, &found, now)?,
            Stored::Before(body) => body,
        };
        Ok(reply::data_text(StatusCode::CREATED, &body))
    }))
}
