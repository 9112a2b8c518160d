//! An example to look at: an organization with people, folders, eight forms, a year of their entries and public queries
//! (`serve --demo`). It is made anew at each start, from the files in `forms` and `words`.

mod chance;
mod fill;
mod generate;
mod people;
mod pictures;
mod recipe;
mod rhythm;

use serde_json::json;

use crate::base::clock;
use crate::base::error::Result;
use crate::base::issue::Issues;
use crate::base::secret::{self, Secret};
use crate::model::caller::{Caller, Credential};
use crate::model::precondition::IfMatch;
use crate::model::upload::ORGANIZATION_LOGO;
use crate::ops::accounts::users::{self, NewAccount};
use crate::ops::accounts::{organizations, setup};
use crate::ops::app::App;
use crate::ops::exams::certificates;
use crate::ops::server::demo::fill::Filler;

pub const EMAIL: &str = "demo@example.com";
const TIMEZONE: &str = "Europe/Dublin";
/// The colour of the organization.
const COLOUR: &str = "#2F6B4F";

/// Collaborators on the forms besides their owner: email address, name and locale.
const COLLEAGUES: [(&str, &str, &str); 2] =
    [("editor@example.com", "Lin Yue", "zh-CN"), ("viewer@example.com", "Tom Becker", "en")];

/// The keys to an example.
pub struct Example {
    /// Of each of its accounts.
    pub password: Secret,
    /// The path of a public query's page.
    pub query_page: String,
    /// The path of a certificate, which works for a day.
    pub certificate: String,
    /// The email addresses of the others who have accounts.
    pub colleagues: Vec<&'static str>,
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
    let add = |email: &str, name: &str, locale: &str| {
        let account = NewAccount {
            email: email.to_owned(),
            name: name.to_owned(),
            organization: Some("Green Valley".to_owned()),
            password: Some(password.clone()),
            locale: locale.to_owned(),
            timezone: TIMEZONE.to_owned(),
        };
        users::create(app, account)
    };
    let owner = Caller::with_all_scopes(add(EMAIL, "Nora Keane", "en")?, Credential::CommandLine);
    for (email, name, locale) in COLLEAGUES {
        add(email, name, locale)?;
    }
    let filler = Filler::new(app, owner);
    let logo = filler.image("logo.png", &pictures::logo()?, ORGANIZATION_LOGO)?;
    let look = json!({"logo": {"upload_id": logo}, "color": COLOUR});
    organizations::update(app, &filler.owner, look, &IfMatch::Absent, Issues::new())?;
    let filled = filler.fill()?;
    Ok(Some(Example {
        password,
        query_page: format!("/q/{}", filled.query),
        certificate: certificates::signed_path(app.keys(), &filled.certified, clock::now()),
        colleagues: COLLEAGUES.map(|(email, ..)| email).to_vec(),
    }))
}
