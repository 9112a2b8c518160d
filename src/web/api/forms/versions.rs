//! `/api/v1/forms/{form_token}/versions`.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use crate::base::error::Code::DataLoss;
use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::base::json::schema_builder::reference;
use crate::base::text::texts;
use crate::fields::Field;
use crate::model::caller::Caller;
use crate::model::form_version::{FormVersion, Origin};
use crate::ops::forms::field_rules;
use crate::ops::forms::versions::restore as restoring;
use crate::ops::forms::versions::{self, VersionView, words};
use crate::web::api::accounts::audit::ActorBody;
use crate::web::api::forms::{FORM, field_list, form_reply};
use crate::web::openapi::codes::UPLOADS;
use crate::web::openapi::doc::AnswerBody::{Data, Page};
use crate::web::openapi::doc::Doc;
use crate::web::openapi::shape::{self, Shape};
use crate::web::request::call::Call;
use crate::web::request::paging::{self, PagedList};
use crate::web::request::reply::{self, Reply};
use crate::web::request::unknown_keys;

/// A version of a form in a list.
#[derive(Serialize, JsonSchema)]
struct VersionItem {
    /// Counts from 1.
    version: i64,
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    /// The way by which it came: the form's pages, or the API.
    #[schemars(extend("enum" = Origin::ALL.map(Origin::name)))]
    by: &'static str,
    /// Who made it; null for the command line, and for what the form said before versions were kept.
    user: Option<ActorBody>,
    /// What it was called when it was published.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// How it differs from the version before, in the caller's language; empty for the first one.
    changes: Vec<String>,
}

/// A version with all that the form said.
#[derive(Serialize, JsonSchema)]
struct VersionBody {
    #[serde(flatten)]
    version: VersionItem,
    form: DefinitionBody,
}

/// What a form said.
#[derive(Serialize, JsonSchema)]
struct DefinitionBody {
    /// Its name.
    name: String,
    /// Shown above the fields.
    description: Option<String>,
    /// The questions, in order.
    #[schemars(schema_with = "field_list")]
    fields: Vec<Json>,
    /// Which fields were shown and required, and when.
    #[schemars(schema_with = "rule_list")]
    field_rules: Json,
    #[schemars(schema_with = "theme")]
    theme: Json,
}

fn rule_list(_: &mut SchemaGenerator) -> Schema {
    shape::schema(field_rules::schema()["properties"]["rules"].take())
}

fn theme(_: &mut SchemaGenerator) -> Schema {
    shape::schema(reference("Theme"))
}

/// A version in lists.
pub static VERSION_ITEM: Shape = Shape::of_type::<VersionItem>("FormVersionItem");

/// A version with the content of the form.
pub static VERSION: Shape = Shape::of_type::<VersionBody>("FormVersion");

/// The body to bring one back.
pub static RESTORE: Shape = Shape::new("FormVersionRestore", restoring::schema);

impl VersionItem {
    fn of(caller: &Caller, version: FormVersion) -> Self {
        let texts = texts::texts(&caller.user.locale);
        Self {
            version: version.number,
            created_at: version.created_at.to_string(),
            by: version.origin.name(),
            user: version.user.map(ActorBody::from),
            name: version.name,
            changes: version.changes.iter().map(|change| words::told(texts, change).line()).collect(),
        }
    }
}

pub const LIST_VERSIONS: Doc = Doc::new("list_form_versions", 200, Page(&VERSION_ITEM))
    .says(
        "List versions",
        "What the form said over time, newest first. A change of name, description, fields, rules or theme makes a \
         version, by whatever way it came; settings do not. The newest 200 are kept.",
    )
    .query(paging::parameters);

/// `GET /forms/{form_token}/versions`
pub fn list(call: &Call, caller: &Caller) -> Result<Reply> {
    let list = PagedList::with_filters(call, caller, &[]);
    let page = versions::list(call.app, caller, call.param("form_token"), &list.request()?)?;
    let page = page.try_map(|one| serde_json::to_string(&VersionItem::of(caller, one))).map_err(Error::internal)?;
    Ok(list.answer(&page).into())
}

pub const GET_VERSION: Doc = Doc::new("get_form_version", 200, Data(&VERSION))
    .says("Read a version", "What the form said from then on. Images that were deleted since are left out.");

/// `GET /forms/{form_token}/versions/{version}`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let shown = versions::show(call.app, caller, call.param("form_token"), call.param("version"))?;
    let form = DefinitionBody {
        name: shown.content.name.clone(),
        description: shown.content.description.clone(),
        fields: shown.definition.fields.iter().map(Field::to_json).collect(),
        field_rules: shown.content.field_rules.clone(),
        theme: shown.theme(),
    };
    let VersionView { version, .. } = shown;
    Ok(reply::data(&VersionBody { version: VersionItem::of(caller, version), form })?.into())
}

pub const RESTORE_VERSION: Doc = Doc::new("restore_form_version", 200, Data(&FORM))
    .says(
        "Bring a version back",
        "Changes name, description, fields, rules and theme to what they were, as an edit of the form and as its next \
         version. A field or a choice that was removed since returns with a new `api_code`, which rules and formulas \
         follow; its old values do not return. `warnings` say what is other than it was. What was added since is \
         removed: if entries hold data for it, that requires `confirm_data_loss`.",
    )
    .takes(&RESTORE, r#"{"confirm_data_loss": true}"#)
    .tagged()
    .guarded()
    .codes(&[(422, &[DataLoss]), UPLOADS]);

/// `POST /forms/{form_token}/versions/{version}/restore`
pub fn restore(call: &Call, caller: &Caller) -> Result<Reply> {
    let body = call.optional_json()?;
    let mut keys = unknown_keys::of(call, &body, &[&RESTORE]);
    let version = (call.param("form_token"), call.param("version"));
    let if_match = call.if_match()?;
    let (view, mut warnings) = restoring::restore(call.app, caller, version, body, &if_match, keys.faults)?;
    keys.warnings.append(&mut warnings);
    form_reply(call, &view, warp::http::StatusCode::OK, &keys.warnings)
}
