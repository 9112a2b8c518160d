//! Branding of an organisation on the pages of its forms: name, logo and colour. Its members can read it, its owners
//! can change it.

use serde_json::json;

use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::json::patch::Patch;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::fields::images::{Image, Images, NOTHING};
use crate::model::audit::Action;
use crate::model::caller::Caller;
use crate::model::precondition::IfMatch;
use crate::model::upload::ORGANIZATION_LOGO;
use crate::model::user::{Logo, OrganizationRole, OrganizationSettings};
use crate::ops::accounts::audit::{self, By};
use crate::ops::accounts::members;
use crate::ops::accounts::users::{LONGEST_NAME, check_name};
use crate::ops::app::App;
use crate::ops::files::images::{self, UsedImages};
use crate::store::accounts::organizations;

/// The settings of the caller's organisation.
pub fn show(app: &App, caller: &Caller) -> Result<OrganizationSettings> {
    app.store.read(|tx| organizations::settings(tx, caller.user.organization.id))
}

/// Changes the given settings. The others stay as they are, so of two changes at once none is lost. `at` has the faults
/// found in the body so far.
///
/// # Errors
/// 403 if the caller is no owner, 412, 422.
pub fn update(app: &App, caller: &Caller, body: Json, if_match: &IfMatch, at: Issues) -> Result<OrganizationSettings> {
    let thing = caller.user.organization.token.as_str();
    app.run_until_stored(thing, || try_update(app, caller, body.clone(), if_match, at.clone()))
}

fn try_update(
    app: &App,
    caller: &Caller,
    body: Json,
    if_match: &IfMatch,
    mut at: Issues,
) -> Result<OrganizationSettings> {
    // Asked first: what is wrong with a body is nobody else's business.
    if caller.user.role != OrganizationRole::Owner {
        return Err(Error::Forbidden);
    }
    let found = images::of_request(app, caller, &body)?;
    let change = Change::read(&mut Reader::new(body, &mut at), &found);
    at.into_result()?;
    let used = UsedImages::of(&found);
    let (caller, if_match) = (caller.clone(), if_match.clone());
    app.store.write(move |tx| {
        let owner = members::owner(tx, &caller)?;
        let set = organizations::settings(tx, owner.organization.id)?;
        if_match.check(&set.etag())?;
        used.store(tx)?;
        organizations::set_settings(tx, &change.over(set))?;
        let by = By::caller(&caller);
        audit::note(tx, by, Action::OrganizationUpdated, &owner.organization.token)?;
        organizations::settings(tx, owner.organization.id)
    })
}

struct Change {
    name: Option<String>,
    logo: Patch<Image>,
    color: Patch<String>,
    show_powered_by: Option<bool>,
}

impl Change {
    fn read(reader: &mut Reader, images: &Images) -> Self {
        reader.note("name", || json!({"minLength": 1}));
        if reader.contains_key("name") && !reader.has("name") {
            reader.fault("name", Reason::Blank);
        }
        let name = reader.opt_text("name", LONGEST_NAME);
        Self {
            name: name.map(|name| check_name("name", name, reader.issues())),
            logo: reader.patch("logo", |reader| images.read(reader, "logo", ORGANIZATION_LOGO)),
            color: reader.patch("color", color),
            show_powered_by: reader.opt_bool("show_powered_by"),
        }
    }

    fn over(&self, set: OrganizationSettings) -> OrganizationSettings {
        let logo = match &self.logo {
            Patch::Absent => set.logo,
            Patch::Null => None,
            Patch::Value(image) => Some(Logo { image: image.id.clone(), size: image.size() }),
        };
        OrganizationSettings {
            // Setting a name shows it.
            is_name_shown: set.is_name_shown || self.name.is_some(),
            name: self.name.clone().unwrap_or(set.name),
            logo,
            color: self.color.clone().over(set.color),
            show_powered_by: self.show_powered_by.unwrap_or(set.show_powered_by),
            ..set
        }
    }
}

fn color(reader: &mut Reader) -> Option<String> {
    reader.note("color", || json!({"type": "string", "pattern": "^#[0-9A-Fa-f]{6}$"}));
    let text = reader.opt_text("color", 64)?;
    let digits = text.strip_prefix('#').unwrap_or_default();
    if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        reader.fault("color", Reason::MustBe(Expected::Color));
        return None;
    }
    Some(text.to_ascii_uppercase())
}

/// The JSON Schema of the body of `update`.
pub fn update_schema() -> Json {
    Reader::describe(|reader| {
        Change::read(reader, &NOTHING);
    })
}
