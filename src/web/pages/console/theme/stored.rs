//! The theme that the page shows and changes: that of the draft.

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::{Expected, Reason};
use crate::fields::images::Image;
use crate::model::caller::Caller;
use crate::ops::forms::drafts::parts;
use crate::ops::forms::drafts::theme::{self, DraftTheme};
use crate::web::request::call::Call;

pub struct Edited {
    /// As clients read it.
    pub theme: Json,
    /// The version that the page shows, to notice another's change.
    pub tag: String,
    /// The pictures above the title.
    pub header_images: Vec<Image>,
    /// The picture behind the form.
    pub wallpaper: Option<Image>,
    pub can_undo: bool,
    pub can_redo: bool,
    /// Whether the theme has changes to publish.
    pub is_changed: bool,
}

pub enum Kept {
    /// With its weak contrasts.
    Stored(Vec<Issue>),
    /// Somebody else changed the theme meanwhile.
    Changed,
}

pub fn load(call: &Call, caller: &Caller) -> Result<Edited> {
    let DraftTheme { shown, theme, version, images } = theme::load(call.app, caller, call.param("form_token"))?;
    let known = |image: &Json| images.get(image["id"].as_str()?);
    let header_images = theme["header"]["images"].as_array().into_iter().flatten().filter_map(known).collect();
    Ok(Edited {
        header_images,
        wallpaper: known(&theme["wallpaper"]["image"]),
        tag: version.to_string(),
        can_undo: shown.can_undo,
        can_redo: shown.can_redo,
        is_changed: shown.is_changed(),
        theme,
    })
}

/// Changes members of the draft's theme, in the shape of the API's body. Consecutive changes under one subject are one
/// step of undo; without a subject a change is a step of its own.
///
/// # Errors
/// 403, 404, 422.
pub fn change(call: &Call, caller: &Caller, tag: &str, change: Json, subject: &str) -> Result<Kept> {
    let tag = tag.parse().unwrap_or(-1);
    match parts::change_theme(call.app, caller, call.param("form_token"), tag, change, subject) {
        Ok((parts::Kept::Stored(_), warnings)) => Ok(Kept::Stored(warnings)),
        Ok((parts::Kept::Changed(_), _)) => Ok(Kept::Changed),
        Err(Error::Invalid(faults)) => Err(Error::Invalid(faults.into_iter().map(of_colour).collect())),
        Err(other) => Err(other),
    }
}

/// For a text that is no colour, people get an example of one, in their language.
fn of_colour(fault: Issue) -> Issue {
    let is_colour = fault.attribute.ends_with("color") && matches!(fault.reason, Reason::MustBe(_));
    if is_colour { Issue::new(fault.attribute, Reason::MustBe(Expected::Color)) } else { fault }
}
