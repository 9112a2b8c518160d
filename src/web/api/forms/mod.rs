//! `/api/v1/forms`.

pub(in crate::web::api) mod folders;
pub(in crate::web::api) mod form_lists;
pub(in crate::web::api) mod form_sections;
pub(in crate::web::api) mod published;
pub(in crate::web::api) mod versions;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use warp::http::StatusCode;

use crate::base::error::Code::DataLoss;
use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::json::schema_builder::reference;
use crate::fields::Field;
use crate::model::caller::Caller;
use crate::model::form::{Form, FormSection, LAYOUTS, SCENES};
use crate::model::role::Role;
use crate::ops::accounts::locales;
use crate::ops::forms;
use crate::ops::forms::form_view::FormView;
use crate::web::openapi::codes::UPLOADS;
use crate::web::openapi::doc::AnswerBody::Data;
use crate::web::openapi::doc::Doc;
use crate::web::openapi::shape::{Deleted, DeletedToken, Shape, deleted, names};
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Reply};
use crate::web::request::unknown_keys;

/// A form with its fields.
#[derive(Serialize, JsonSchema)]
struct FormBody {
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
    /// The public page for respondents.
    #[schemars(extend("format" = "uri"))]
    url: String,
    /// Whether its public pages are online.
    published: bool,
    /// Whether the caller owns it.
    owned: bool,
    /// The caller's role.
    #[schemars(extend("enum" = Role::NAMES))]
    role: &'static str,
    /// The caller's folder that contains it.
    folder_token: Option<String>,
    /// The number of entries, without those in the trash.
    entries_count: i64,
    /// The questions, in order.
    #[schemars(schema_with = "field_list")]
    fields: Vec<Json>,
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    #[schemars(extend("format" = "date-time"))]
    updated_at: String,
    #[schemars(extend("format" = "date-time"))]
    last_entry_created_at: Option<String>,
}

/// A form in answers.
pub static FORM: Shape = Shape::of_type::<FormBody>("Form");

/// The body to create one.
pub static CREATE: Shape = Shape::new("FormCreate", forms::create_schema);

/// The body to change one.
pub static UPDATE: Shape = Shape::new("FormUpdate", forms::update_schema);

/// The body to copy one.
pub static COPY: Shape = Shape::new("FormCopy", forms::copy_schema);

/// The answer to the deletion of a form.
pub static DELETED: Shape = Shape::of_type::<Deleted<DeletedToken<'static>>>("DeletedForm");

/// The schema of a list of fields.
pub fn field_list(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "items": reference("Field")})
}

impl FormBody {
    fn of(call: &Call, view: &FormView) -> Self {
        let form = &view.form;
        Self {
            token: form.token.to_string(),
            name: form.name.clone(),
            description: form.description.clone(),
            scene: form.scene.clone(),
            layout: form.layout.clone(),
            locale: form.locale.clone(),
            timezone: form.timezone.clone(),
            url: url(call, form),
            published: form.published,
            owned: view.role == Role::Owner,
            role: view.role.name(),
            folder_token: view.folder.as_ref().map(|token| token.to_string()),
            entries_count: form.entries_count,
            fields: view.parsed.definition.fields.iter().map(Field::to_json).collect(),
            created_at: form.created_at.to_string(),
            updated_at: form.updated_at.to_string(),
            last_entry_created_at: form.last_entry_at.map(|at| at.to_string()),
        }
    }
}

/// The form's public address.
fn url(call: &Call, form: &Form) -> String {
    format!("{}/f/{}", call.app.config.base_url, form.token)
}

fn form_reply(call: &Call, view: &FormView, status: StatusCode, warnings: &[Issue]) -> Result<Reply> {
    let body = serde_json::to_string(&FormBody::of(call, view)).map_err(Error::internal)?;
    Ok(reply::data_and_warnings(status, &body, warnings).tagged(view.form.etag(FormSection::Form)).into())
}

pub const CREATE_FORM: Doc = Doc::new("create_form", 201, Data(&FORM))
    .says("Create a form", "The fields get their `api_code` in order: `field_1`, `field_2`, …")
    .takes(&CREATE, r#"{"name": "Summer workshop", "fields": [{"type": "name", "label": "Your name", "required": true}, {"type": "radio", "label": "Track", "choices": [{"label": "Letterpress"}, {"label": "Sourdough"}]}]}"#)
    .tagged()
    .codes(&[UPLOADS]);

/// `POST /forms`
pub fn create(call: &Call, caller: &Caller) -> Result<Reply> {
    let body = call.json()?;
    let mut keys = unknown_keys::of(call, &body, &[&CREATE, &FORM]);
    let view = forms::create(call.app, caller, body, keys.faults)?;
    keys.warnings.extend(locales::warnings(&view.form.locale));
    form_reply(call, &view, StatusCode::CREATED, &keys.warnings)
}

pub const GET_FORM: Doc =
    Doc::new("get_form", 200, Data(&FORM)).says("Read a form", "The form with its fields.").tagged();

/// `GET /forms/{form_token}`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let view = forms::show(call.app, caller, call.param("form_token"))?;
    form_reply(call, &view, StatusCode::OK, &[])
}

pub const UPDATE_FORM: Doc = Doc::new("update_form", 200, Data(&FORM))
    .says(
        "Change a form",
        "Only the given keys change. `fields` replaces the whole list: an item with an `api_code` edits that field, \
         one without adds a field, and fields that are left out are removed. Removing something that entries hold \
         data for requires `confirm_data_loss`: it is then deleted from all entries, including those in the trash, \
         in the background. Changed formulas are computed again for all entries before the request is answered, \
         which takes longer with many entries.",
    )
    .takes(&UPDATE, r#"{"name": "Autumn workshop", "published": false}"#)
    .tagged()
    .guarded()
    .codes(&[(422, &[DataLoss]), UPLOADS]);

/// `PATCH /forms/{form_token}`
pub fn update(call: &Call, caller: &Caller) -> Result<Reply> {
    let (body, if_match): (Json, _) = (call.json()?, call.if_match()?);
    let sets_locale = body.get("locale").is_some();
    let mut keys = unknown_keys::of(call, &body, &[&UPDATE, &FORM]);
    let token = call.param("form_token");
    let (view, mut warnings) = forms::update(call.app, caller, token, body, &if_match, keys.faults)?;
    keys.warnings.append(&mut warnings);
    if sets_locale {
        keys.warnings.extend(locales::warnings(&view.form.locale));
    }
    form_reply(call, &view, StatusCode::OK, &keys.warnings)
}

pub const DELETE_FORM: Doc = Doc::new("delete_form", 200, Data(&DELETED))
    .says(
        "Delete a form",
        "Moves the form to the trash for 30 days; its public pages go offline at once. Only the form's owner can do \
         this.",
    )
    .guarded();

/// `DELETE /forms/{form_token}`
pub fn delete(call: &Call, caller: &Caller) -> Result<Reply> {
    let token = call.param("form_token");
    forms::trash(call.app, caller, token, call.if_match()?)?;
    Ok(reply::data(&deleted(token))?.into())
}

pub const RESTORE_FORM: Doc = Doc::new("restore_form", 200, Data(&FORM))
    .says("Restore a form", "Takes the form out of the trash, with its entries.")
    .tagged();

/// `POST /forms/{form_token}/restore`
pub fn restore(call: &Call, caller: &Caller) -> Result<Reply> {
    let view = forms::restore(call.app, caller, call.param("form_token"))?;
    form_reply(call, &view, StatusCode::OK, &[])
}

pub const COPY_FORM: Doc = Doc::new("copy_form", 201, Data(&FORM))
    .says(
        "Copy a form",
        "Copies fields, settings, theme and rules, but no entries. Without a `name` the copy is named after the \
         original.",
    )
    .takes(&COPY, r#"{"name": "Summer workshop, second round"}"#)
    .tagged();

/// `POST /forms/{form_token}/copy`
pub fn copy(call: &Call, caller: &Caller) -> Result<Reply> {
    let body = call.optional_json()?;
    let keys = unknown_keys::of(call, &body, &[&COPY]);
    let token = call.param("form_token");
    let view = forms::copy(call.app, caller, token, body, keys.faults)?;
    form_reply(call, &view, StatusCode::CREATED, &keys.warnings)
}
