//! An example to look at: an account with forms, their entries and a public query (`serve --demo`).

use serde_json::json;

use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::json::json_list::JsonList;
use crate::base::json::unknown_members::Ignored;
use crate::base::secret::{self, Secret};
use crate::model::caller::{Caller, Credential};
use crate::model::precondition::IfMatch;
use crate::ops::accounts::setup;
use crate::ops::accounts::users::{self, NewAccount};
use crate::ops::app::App;
use crate::ops::entries::bulk;
use crate::ops::forms::{self, settings};
use crate::ops::queries;

pub const EMAIL: &str = "demo@example.com";

/// A list of objects with `form`, `settings` if it has any, `entries`, and `query` if there is one: bodies of the API.
const EXAMPLES: &str = include_str!("demo.json");

/// What an example is looked at with.
pub struct Example {
    /// Of its account.
    pub password: Secret,
    /// The path of a public query's page.
    pub query_page: String,
}

/// Fills an empty service. `None` if there is an account already.
///
/// # Errors
/// 503.
pub fn fill(app: &App) -> Result<Option<Example>> {
    if !setup::is_needed(app)? {
        return Ok(None);
    }
    let password = secret::random_text();
    let account = NewAccount {
        email: EMAIL.to_owned(),
        name: "Demo".to_owned(),
        organization: Some("Green Valley".to_owned()),
        password: Some(password.clone()),
        locale: "en".to_owned(),
        timezone: "UTC".to_owned(),
    };
    let owner = Caller::with_all_scopes(users::create(app, account)?, Credential::CommandLine);
    let examples: Vec<Json> = serde_json::from_str(EXAMPLES).map_err(Error::internal)?;
    let mut query_page = String::new();
    for example in examples {
        if let Some(query) = add(app, &owner, example)? {
            query_page = format!("/q/{query}");
        }
    }
    Ok(Some(Example { password, query_page }))
}

/// The token of its query, if it has one.
fn add(app: &App, owner: &Caller, mut example: Json) -> Result<Option<String>> {
    let form = forms::create(app, owner, example["form"].take(), Issues::new())?.form;
    if let body @ Json::Object(_) = example["settings"].take() {
        let any = IfMatch::Absent;
        settings::update(app, owner, form.token.as_str(), body, &any, Issues::new())?;
    }
    let entries = json!({bulk::LIST: example["entries"].take()}).to_string();
    let mut at = Issues::new();
    let list = JsonList::read(entries.as_bytes(), bulk::LIST, bulk::MOST, &mut at)?;
    bulk::create(app, owner, form.token.as_str(), &list, at, None, &mut Ignored::default())?;
    if let mut body @ Json::Object(_) = example["query"].take() {
        body["form_token"] = form.token.as_str().into();
        return Ok(Some(queries::create(app, owner, body)?.body.token));
    }
    Ok(None)
}
