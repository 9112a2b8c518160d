//! `/api/v1/organization`: the settings of the caller's organization for the pages of its forms.

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::Result;
use crate::base::issue::Issue;
use crate::fields::images::Image;
use crate::model::caller::Caller;
use crate::model::user::OrganizationSettings;
use crate::ops::accounts::organizations;
use crate::web::openapi::codes::UPLOADS;
use crate::web::openapi::doc::AnswerBody::Data;
use crate::web::openapi::doc::Doc;
use crate::web::openapi::shape::Shape;
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Reply};
use crate::web::request::unknown_keys;

/// The caller's organization, as pages of its forms show it.
#[derive(Serialize, JsonSchema)]
struct OrganizationBody {
    id: String,
    name: String,
    /// Whether pages of forms show the name: once somebody has set it. Until then it was made up from the first user's.
    name_is_shown: bool,
    /// The image above the title of forms.
    logo: Option<LogoBody>,
    /// The color of the band above forms whose theme has none, such as #0F766E.
    #[schemars(extend("pattern" = "^#[0-9A-F]{6}$"))]
    color: Option<String>,
    /// Whether the foot of forms names formsvc.
    show_powered_by: bool,
}

#[derive(Serialize, JsonSchema)]
struct LogoBody {
    id: String,
    /// Where it is.
    #[schemars(extend("format" = "uri"))]
    image_url: String,
}

/// The organization in answers, and the body to change it.
pub static ORGANIZATION: [Shape; 2] = [
    Shape::of_type::<OrganizationBody>("Organization"),
    Shape::new("OrganizationUpdate", organizations::update_schema),
];

pub const GET_ORGANIZATION: Doc = Doc::new("get_organization", 200, Data(&ORGANIZATION[0]))
    .says("Read the organization", "What the pages of its forms show of it. Any member reads it.")
    .tagged();

/// `GET /organization`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    answer(call, organizations::show(call.app, caller)?, &[])
}

pub const UPDATE_ORGANIZATION: Doc = Doc::new("update_organization", 200, Data(&ORGANIZATION[0]))
    .says(
        "Change the organization",
        "Changes what is given; null removes logo and color. A logo is an upload with the purpose \
         `organization_logo`. Only owners of the organization can do this.",
    )
    .takes(&ORGANIZATION[1], r##"{"name": "Green Valley", "color": "#0F766E", "show_powered_by": false}"##)
    .tagged()
    .guarded()
    .codes(&[UPLOADS]);

/// `PATCH /organization`
pub fn update(call: &Call, caller: &Caller) -> Result<Reply> {
    let (body, if_match) = (call.json()?, call.if_match()?);
    let keys = unknown_keys::of(call, &body, &ORGANIZATION.each_ref());
    let set = organizations::update(call.app, caller, body, &if_match, keys.faults)?;
    answer(call, set, &keys.warnings)
}

fn answer(call: &Call, set: OrganizationSettings, warnings: &[Issue]) -> Result<Reply> {
    let etag = set.etag();
    let logo = set.logo.map(|logo| {
        let image = Image::new(&call.app.config.base_url, logo.image, logo.size);
        LogoBody { id: image.id, image_url: image.image_url }
    });
    let body = OrganizationBody {
        id: set.token,
        name: set.name,
        name_is_shown: set.is_name_shown,
        logo,
        color: set.color,
        show_powered_by: set.show_powered_by,
    };
    Ok(reply::data(&body)?.warn(warnings.to_vec()).tagged(etag).into())
}
