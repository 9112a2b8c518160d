//! `/api/v1/me`: who calls (contract section 2).

use serde::Serialize;

use crate::base::error::Result;
use crate::model::caller::{Caller, Credential};
use crate::model::scope::Scope;
use crate::model::user::{Plan, User};
use crate::ops::users;
use crate::web::call::Call;
use crate::web::reply::{self, Reply};

#[derive(Serialize)]
struct MeBody<'a> {
    id: &'a str,
    name: &'a str,
    email: &'a str,
    locale: &'a str,
    timezone: &'a str,
    organization: OrganizationBody<'a>,
    token: TokenBody,
}

#[derive(Serialize)]
struct OrganizationBody<'a> {
    id: &'a str,
    name: &'a str,
    role: &'static str,
    plan: &'static str,
    capabilities: CapabilitiesBody,
}

#[derive(Serialize)]
struct CapabilitiesBody {
    public_queries: bool,
    scoped_data: bool,
    editable_results: bool,
    entries_per_form: Option<i64>,
}

#[derive(Serialize)]
struct TokenBody {
    kind: &'static str,
    scopes: Vec<&'static str>,
}

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

/// The caller.
pub fn show(_: &Call, caller: &Caller) -> Result<Reply> {
    shown(&caller.user, caller)
}

/// Changes the caller's name, locale or time zone.
pub fn update(call: &Call, caller: &Caller) -> Result<Reply> {
    let user = users::update(call.app, caller, call.json()?)?;
    shown(&user, caller)
}

fn shown(user: &User, caller: &Caller) -> Result<Reply> {
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
                // The API takes tokens alone.
                Credential::Session | Credential::CommandLine => "session",
            },
            scopes: caller.scopes.iter().map(Scope::name).collect(),
        },
    };
    Ok(reply::data(&body)?.into())
}
