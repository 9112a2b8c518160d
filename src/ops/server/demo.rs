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

/// Fills an empty service. Returns the password of the account; `None` if there is an account already.
///
/// # Errors
/// 503.
pub fn fill(app: &App) -> Result<Option<Secret>> {
    if !setup::is_needed(app)? {
        return Ok(None);
    }
    let password = secret::random_text();
    let account = NewAccount {
        email: EMAIL.to_owned(),
        name: "Demo".to_owned(),
        organization: None,
        password: Some(password.clone()),
        locale: "en".to_owned(),
        timezone: "UTC".to_owned(),
    };
    let owner = Caller::with_all_scopes(users::create(app, account)?, Credential::CommandLine);
    let examples: Vec<Json> = serde_json::from_str(EXAMPLES).map_err(Error::internal)?;
    for example in examples {
        add(app, &owner, example)?;
    }
    Ok(Some(password))
}

fn add(app: &App, owner: &Caller, mut example: Json) -> Result<()> {
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
        queries::create(app, owner, body)?;
    }
    Ok(())
}
