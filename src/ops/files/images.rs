//! Images of forms and pages: finds the images that a request names, serves them, and commits uploads as images of rich
//! text.

use std::sync::Arc;

use serde_json::json;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Reason, Things, UploadFault};
use crate::fields::images::{Image, Images, Named, WIDTHS, named_in};
use crate::fields::texts::rich_tree;
use crate::model::caller::Caller;
use crate::model::upload::UploadTarget;
use crate::ops::app::App;
use crate::ops::files::entry_files::Readable;
use crate::ops::files::image_variants::{self, VariantFile};
use crate::store::db::tx::Tx;
use crate::store::files::blobs::hex;
use crate::store::files::{images as rows, uploads};

const MAX_AT_ONCE: usize = 100;
const MAX_NAME: usize = 64;

/// Loads the images that a request names: images of the caller's organization, and uploads that become images.
pub fn of_request(app: &App, caller: &Caller, body: &Json) -> Result<Images> {
    let named = named_in(body);
    let mut images = Images::of_request(&app.config.base_url);
    if !named.is_nothing() {
        app.store.read(|tx| look_up(tx, caller, named, &mut images))?;
    }
    Ok(images)
}

fn look_up(tx: &Tx, caller: &Caller, named: Named, images: &mut Images) -> Result<()> {
    let own = caller.user.organization.id.0;
    for id in named.ids {
        let found = rows::by_token(tx, &id)?;
        if let Some(found) = found.filter(|found| found.organization == own) {
            images.add(id, (found.width, found.height));
        }
    }
    for token in named.uploads {
        let Some(upload) = uploads::by_token(tx, &token)? else {
            continue;
        };
        match upload.target {
            // Images of other organizations are treated as not found.
            UploadTarget::Element { organization, .. } if organization != own => {}
            UploadTarget::Element { purpose, .. } => {
                let size = match upload.fault(tx.now) {
                    Some(fault) => Err(fault),
                    None => uploads::pixels(tx, &token)?.ok_or(UploadFault::Incomplete),
                };
                images.add_upload(token, purpose, size);
            }
            UploadTarget::Entry { .. } => {
                images.add_upload(token, "", Err(UploadFault::OtherPurpose));
            }
        }
    }
    Ok(())
}

/// A stored or typed rich text as a tree, for the editor: with the images of the caller's organization.
pub fn rich_tree(app: &App, caller: &Caller, html: &str) -> Result<Json> {
    let named = named_in(&json!(html));
    let mut images = Images::of_stored(&app.config.base_url);
    if !named.is_nothing() {
        app.store.read(|tx| look_up(tx, caller, named, &mut images))?;
    }
    Ok(rich_tree::of(html, &images))
}

/// An image to serve.
pub struct ServedImage {
    /// The stored image or a smaller variant.
    pub readable: Readable,
    /// Whether the response can be cached forever; false while a smaller variant is not available yet.
    pub is_final: bool,
}

/// Opens an image for any visitor, in one of the smaller widths if requested.
///
/// # Errors
/// 404; 422 for an unknown width.
pub fn open(app: &App, id: &str, width: Option<&str>) -> Result<ServedImage> {
    let width = width.map(read_width).transpose()?;
    let image = app.store.read(|tx| rows::by_token(tx, id))?;
    let image = image.ok_or(Error::NotFound(Noun::Image))?;
    let found = match width {
        Some(width) => image_variants::open(app, &image, width)?,
        None => VariantFile::Itself,
    };
    let is_final = !matches!(found, VariantFile::NotNow);
    let readable = match found {
        VariantFile::Smaller(readable) => readable,
        VariantFile::Itself | VariantFile::NotNow => Readable {
            file: app.store.blobs().read(&image.hash)?,
            name: String::new(),
            content_type: image.content_type,
            size: image.size,
            sha256: hex(&image.hash),
        },
    };
    Ok(ServedImage { readable, is_final })
}

fn read_width(text: &str) -> Result<u32> {
    let known = WIDTHS.iter().find(|width| width.to_string() == text);
    known.copied().ok_or_else(|| {
        let widths = WIDTHS.map(|width| width.to_string()).join(", ");
        Error::invalid("w", Reason::MustBeOneOf(widths))
    })
}

/// The images that a request uses; `store` claims them in the transaction that saves the request.
#[derive(Clone, Default)]
pub struct UsedImages {
    uploads: Arc<[String]>,
    kept: Arc<[String]>,
}

impl UsedImages {
    /// The images and uploads found while the request was read.
    pub fn of(images: &Images) -> Self {
        Self { uploads: images.new_uploads().into(), kept: images.kept_images().into() }
    }

    /// Claims the uploads and checks that the other named images still exist.
    ///
    /// # Errors
    /// `Stale` if any of them has changed since it was read.
    pub fn store(&self, tx: &Tx) -> Result<()> {
        rows::adopt(tx, &self.uploads)?;
        rows::check_exist(tx, &self.kept)
    }
}

/// An upload committed as an image of rich text.
pub struct Committed {
    pub upload_id: String,
    pub image: Image,
}

/// Commits uploads as images of rich text. Images that no text refers to within a day are deleted.
///
/// # Errors
/// 422 for unusable uploads.
pub fn commit(app: &App, caller: &Caller, body: Json) -> Result<Vec<Committed>> {
    commit_for(app, caller, body, "rich_text_image")
}

/// Makes an upload that came with a page an image for its purpose. An image that nothing refers to within a day is
/// deleted.
///
/// # Errors
/// 422 for an unusable upload.
pub fn commit_posted(app: &App, caller: &Caller, upload: &str, purpose: &'static str) -> Result<Image> {
    let made = commit_for(app, caller, json!({"upload_ids": [upload]}), purpose)?;
    made.into_iter().next().map(|made| made.image).ok_or_else(|| Error::internal("an upload became no image"))
}

fn commit_for(app: &App, caller: &Caller, body: Json, purpose: &'static str) -> Result<Vec<Committed>> {
    app.run_until_stored(caller.user.token.as_str(), || try_commit(app, caller, body.clone(), purpose))
}

fn try_commit(app: &App, caller: &Caller, body: Json, purpose: &'static str) -> Result<Vec<Committed>> {
    let mut at = Issues::new();
    let asked = read_commitments(&mut Reader::new(body, &mut at));
    let named = Named { uploads: asked.iter().cloned().collect(), ..Named::default() };
    let mut images = Images::of_request(&app.config.base_url);
    app.store.read(|tx| look_up(tx, caller, named, &mut images))?;
    let mut out = Vec::new();
    at.key("upload_ids", |at| {
        for (i, upload) in asked.into_iter().enumerate() {
            match images.take(&upload, purpose) {
                Ok(image) => out.push(Committed { upload_id: upload, image }),
                Err(fault) => at.index(i, |at| at.push(fault)),
            }
        }
    });
    at.into_result()?;
    let taken = UsedImages::of(&images);
    app.store.write(move |tx| taken.store(tx))?;
    Ok(out)
}

fn read_commitments(reader: &mut Reader) -> Vec<String> {
    if !reader.has("upload_ids") {
        reader.fault("upload_ids", Reason::Required);
    }
    let faults = reader.issues().count();
    let asked = reader.opt_texts("upload_ids", MAX_NAME, |_| Ok(()));
    reader.note("upload_ids", || json!({"maxItems": MAX_AT_ONCE}));
    let asked = asked.unwrap_or_default();
    if asked.len() > MAX_AT_ONCE {
        reader.fault("upload_ids", Reason::too_many(MAX_AT_ONCE, Things::Other("items")));
    }
    // Dropping faulty items would shift the indexes in the paths of later faults.
    if reader.issues().count() > faults {
        return Vec::new();
    }
    asked
}

/// The JSON Schema of the body of `commit`.
pub fn commit_schema() -> Json {
    Reader::describe(|reader| {
        read_commitments(reader);
    })
}
