//! The theme that the page shows and changes: that of the published form.

use crate::base::error::{Error, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reason::{Expected, Reason};
use crate::fields::images::Image;
use crate::model::caller::Caller;
use crate::model::precondition::IfMatch;
use crate::ops::forms::{self, themes};
use crate::web::request::call::Call;

pub struct Edited {
    /// As clients read it.
    pub theme: Json,
    /// What the page saw, to notice another's change.
    pub tag: String,
    /// The pictures above the title.
    pub header_images: Vec<Image>,
    /// The picture behind the form.
    pub wallpaper: Option<Image>,
}

pub enum Kept {
    /// With what is weak in it.
    Stored(Vec<Issue>),
    /// Somebody else changed the theme meanwhile.
    Changed,
}

pub fn load(call: &Call, caller: &Caller) -> Result<Edited> {
    let token = call.param("form_token");
    let view = forms::show(call.app, caller, token)?;
    let shown = themes::show(call.app, caller, token)?;
    let known = |image: &Json| view.parsed.images.get(image["id"].as_str()?);
    let header_images = shown.body["header"]["images"].as_array().into_iter().flatten().filter_map(known).collect();
    Ok(Edited {
        header_images,
        wallpaper: known(&shown.body["wallpaper"]["image"]),
        theme: shown.body,
        tag: shown.etag.0,
    })
}

/// Changes members of the theme, in the shape of the API's body.
///
/// # Errors
/// 403, 404, 422.
pub fn change(call: &Call, caller: &Caller, tag: &str, change: Json) -> Result<Kept> {
    let condition = IfMatch::Tags(vec![tag.to_owned()]);
    match themes::update(call.app, caller, call.param("form_token"), change, &condition, Issues::new()) {
        Ok((_, warnings)) => Ok(Kept::Stored(warnings)),
        Err(Error::VersionConflict) => Ok(Kept::Changed),
        Err(Error::Invalid(faults)) => Err(Error::Invalid(faults.into_iter().map(of_colour).collect())),
        Err(other) => Err(other),
    }
}

/// Of a text that is no colour people are told what one is like, in their language.
fn of_colour(fault: Issue) -> Issue {
    let is_colour = fault.attribute.ends_with("color") && matches!(fault.reason, Reason::MustBe(_));
    if is_colour { Issue::new(fault.attribute, Reason::MustBe(Expected::Color)) } else { fault }
}
