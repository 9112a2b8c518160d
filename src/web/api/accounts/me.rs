//! `/api/v1/me`: the caller (contract section 2).

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::Result;
use crate::model::caller::{Caller, Credential};
use crate::model::scope::Scope;
use crate::model::user::{Plan, User};
use crate::ops::accounts::users;
use crate::web::openapi::doc::AnswerBody::Data;
use crate::web::openapi::doc::Doc;
use crate::web::openapi::shape::Shape;
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Reply};

/// The calling user and token.
#[derive(Serialize, JsonSchema)]
struct MeBody<'a> {
    id: &'a str,
    /// The name that others see.
    name: &'a str,
    email: &'a str,
    /// A language tag.
    locale: &'a str,
    /// An IANA time zone.
    timezone: &'a str,
    organization: OrganizationBody<'a>,
    token: TokenBody,
}

/// The user's organization.
#[derive(Serialize, JsonSchema)]
struct OrganizationBody<'a> {
    id: &'a str,
    name: &'a str,
    #[schemars(extend("enum" = ["owner", "member"]))]
    role: &'static str,
    #[schemars(extend("enum" = Plan::ALL.map(Plan::name)))]
    plan: &'static str,
    capabilities: CapabilitiesBody,
}

/// What the plan allows.
#[derive(Serialize, JsonSchema)]
struct CapabilitiesBody {
    public_queries: bool,
    scoped_data: bool,
    editable_results: bool,
    /// The maximum number of entries in a form with public queries; null for no limit.
    entries_per_form: Option<i64>,
}

/// The calling token.
#[derive(Serialize, JsonSchema)]
struct TokenBody {
    #[schemars(extend("enum" = ["personal", "oauth"]))]
    kind: &'static str,
    #[schemars(extend("items" = {"type": "string", "enum": Scope::ALL.map(Scope::name)}))]
    scopes: Vec<&'static str>,
}

/// The body to change the caller.
pub static UPDATE: Shape = Shape::new("MeUpdate", users::update_schema);

/// The caller in answers.
pub static ME: Shape = Shape::of_type::<MeBody<'static>>("Me");

impl CapabilitiesBody {
    fn of(plan: Plan) -> Self {
        Self {
            public_queries: plan.public_queries(),
            scoped_data: plan.scoped_data(),
            editable_results: plan.editable_results(),
            entries_per_form: plan.entries_per_form(),
        }
    }
}

pub const GET_ME: Doc = Doc::new("get_me", 200, Data(&ME)).says("Read your account", "The calling user and token.");

/// `GET /me`
pub fn show(_: &Call, caller: &Caller) -> Result<Reply> {
    user_reply(&caller.user, caller)
}

pub const UPDATE_ME: Doc = Doc::new("update_me", 200, Data(&ME))
    .says("Change your account", "Changes the caller's name, locale and time zone.")
    .takes(&UPDATE, r#"{"timezone": "Asia/Shanghai"}"#);

/// `PATCH /me`: changes name, locale or time zone.
pub fn update(call: &Call, caller: &Caller) -> Result<Reply> {
    let user = users::update(call.app, caller, call.json()?)?;
    user_reply(&user, caller)
}

fn user_reply(user: &User, caller: &Caller) -> Result<Reply> {
    let organization = &user.organization;
    let body = MeBody {
        id: &user.token,
        name: &user.name,
        email: &user.email,
        locale: &user.locale,
        timezone: &user.timezone,
        organization: OrganizationBody {
            id: &organization.token,
            name: &organization.name,
            role: user.role.name(),
            plan: organization.plan.name(),
            capabilities: CapabilitiesBody::of(organization.plan),
        },
        token: TokenBody {
            kind: match caller.credential {
                Credential::PersonalToken(_) => "personal",
                Credential::Grant(_) => "oauth",
                // The API accepts only tokens.
                Credential::Session | Credential::CommandLine => "session",
            },
            scopes: caller.scopes.iter().map(Scope::name).collect(),
        },
    };
    Ok(reply::data(&body)?.into())
}
