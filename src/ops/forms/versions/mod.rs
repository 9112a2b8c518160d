//! Versions of a form: each change of its name, description, fields, rules or theme stores the new content, and earlier
//! contents can be read and restored.

pub mod compare;
pub mod new_codes;
pub mod preview;
pub(in crate::ops) mod record;
pub mod restore;
pub mod returning;
pub mod words;

use crate::base::error::{Error, Noun, Result};
use crate::base::json::Json;
use crate::fields::definition::Definition;
use crate::fields::images::{Images, named_in};
use crate::model::caller::Caller;
use crate::model::form_version::{FormChange, FormContent, FormVersion};
use crate::model::page::{Page, PageRequest};
use crate::ops::app::App;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::form_view::{self, FormView};
use crate::ops::forms::themes;
use crate::store::db::tx::Tx;
use crate::store::files::images;
use crate::store::forms::{drafts, versions};

/// The length of an image's name.
const IMAGE_NAME: usize = 22;

/// The versions of a form, latest first.
///
/// # Errors
/// 400 for a cursor of another list, 403, 404.
pub fn list(app: &App, caller: &Caller, token: &str, page: &PageRequest) -> Result<Page<FormVersion>> {
    let before = page.place()?.map_or(i64::MAX, |(_, number)| number);
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, Right::Manage)?;
        let mut rows = versions::list(tx, form.form_no, before, page.size + 1)?;
        let more = rows.len() > page.size;
        rows.truncate(page.size);
        Ok(Page {
            total: versions::count(tx, form.form_no)?,
            next: rows.last().filter(|_| more).map(|last| format!("0.{}", last.number)),
            rows,
        })
    })
}

/// A form with one of its versions.
pub struct VersionView {
    /// The form as it is now.
    pub view: FormView,
    /// The N of the next `field_N` of it and its draft.
    pub next_field: u32,
    /// The current content, in the stored shape.
    pub now: FormContent,
    pub version: FormVersion,
    /// The content of the version, in the stored shape.
    pub content: FormContent,
    /// The fields that it had, with the images that are still there.
    pub definition: Definition,
    /// The images that it showed and that are still there.
    pub images: Images,
    /// How many images that it showed were deleted since.
    pub lost_images: usize,
}

impl VersionView {
    /// The changes to the form if its draft were this version and published. A draft has no name and no description.
    pub fn changes_of_draft(&self) -> Vec<FormChange> {
        let mut changes = compare::changes(&self.now, &self.content);
        changes.retain(|change| !matches!(change, FormChange::Name | FormChange::Description));
        changes
    }

    /// The theme that it had, as clients read it.
    pub fn theme(&self) -> Json {
        themes::shown(&self.content.theme, &self.images)
    }

    /// The stored theme without the images that are gone.
    pub fn theme_to_return(&self) -> Json {
        let mut theme = self.content.theme.clone();
        let is_there = |image: &Json| image["id"].as_str().is_some_and(|id| self.images.get(id).is_some());
        if let Some(images) = theme.pointer_mut("/header/images").and_then(Json::as_array_mut) {
            images.retain(is_there);
        }
        if let Some(image) = theme.pointer_mut("/wallpaper/image").filter(|image| !is_there(image)) {
            *image = Json::Null;
        }
        theme
    }
}

/// A version of a form; `number` is the text in the address.
///
/// # Errors
/// 403, 404.
pub fn show(app: &App, caller: &Caller, token: &str, number: &str) -> Result<VersionView> {
    app.store.read(|tx| {
        let view = form_view::load(app, tx, caller, token, Right::Manage)?;
        let found = number.parse().ok().map(|number| versions::load(tx, view.form.form_no, number)).transpose()?;
        let (version, content) = found.flatten().ok_or(Error::NotFound(Noun::Version))?;
        let now = versions::content(tx, view.form.form_no)?;
        let next_field = drafts::next_field(tx, view.form.form_no)?.max(view.parsed.definition.next_field);
        let (images, lost_images) = images_of(app, tx, &content)?;
        let stored = serde_json::json!({"fields": content.fields});
        let definition = Definition::from_stored_with(stored, &images).map_err(Error::internal)?;
        Ok(VersionView { view, next_field, now, version, content, definition, images, lost_images })
    })
}

/// The images that a content names, as far as they exist, and the number of missing ones.
fn images_of(app: &App, tx: &Tx, content: &FormContent) -> Result<(Images, usize)> {
    let mut names = named_in(&content.fields).ids;
    names.extend(named_in(&content.theme).ids);
    let mut found = Images::of_stored(&app.config.base_url);
    let mut lost = 0;
    for name in names {
        match images::by_token(tx, &name)? {
            Some(image) => found.add(image.token, (image.width, image.height)),
            // A text may name an address elsewhere that looks like one of ours.
            None => lost += usize::from(name.len() == IMAGE_NAME),
        }
    }
    Ok((found, lost))
}
