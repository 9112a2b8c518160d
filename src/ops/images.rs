//! Images that pages show: what a request names of them is looked up, and those of rich text are taken over
//! by themselves.

use std::sync::Arc;

use serde_json::json;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Reason, Things, UploadFault};
use crate::fields::images::{Image, Images, Named, WIDTHS, named_in};
use crate::model::caller::Caller;
use crate::model::upload::Target;
use crate::ops::App;
use crate::ops::files::Readable;
use crate::ops::image_variants::{self, Found};
use crate::store::blobs::hex;
use crate::store::tx::Tx;
use crate::store::{images as rows, uploads};

const MAX_AT_ONCE: usize = 100;
const MAX_NAME: usize = 64;

/// Looks up what a request names: images of the caller's organisation, and uploads for it.
pub fn of_request(app: &App, caller: &Caller, body: &Json) -> Result<Images> {
    let named = named_in(body);
    let mut images = Images::of_request(&app.config.base_url);
    if !named.is_nothing() {
        app.store
            .read(|tx| look_up(tx, caller, named, &mut images))?;
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
            // To others it is as if there were none.
            Target::Element { organization, .. } if organization != own => {}
            Target::Element { purpose, .. } => {
                let size = match upload.fault(tx.now) {
                    Some(fault) => Err(fault),
                    None => uploads::pixels(tx, &token)?.ok_or(UploadFault::Incomplete),
                };
                images.add_upload(token, purpose, size);
            }
            Target::Entry { .. } => {
                images.add_upload(token, "", Err(UploadFault::OtherPurpose));
            }
        }
    }
    Ok(())
}

/// An image that may be read.
pub struct Shown {
    /// It, or the smaller one.
    pub readable: Readable,
    /// Whether the same will always be shown.
    pub is_final: bool,
}

/// Opens an image for everybody; in one of the smaller widths, if that is asked for.
///
/// # Errors
/// 404, 422 for another width.
pub fn open(app: &App, id: &str, width: Option<&str>) -> Result<Shown> {
    let width = width.map(read_width).transpose()?;
    let image = app.store.read(|tx| rows::by_token(tx, id))?;
    let image = image.ok_or(Error::NotFound(Noun::Image))?;
    let found = match width {
        Some(width) => image_variants::open(app, &image, width)?,
        None => Found::Itself,
    };
    let is_final = !matches!(found, Found::NotNow);
    let readable = match found {
        Found::Smaller(readable) => readable,
        Found::Itself | Found::NotNow => Readable {
            file: app.store.blobs().read(&image.hash)?,
            name: String::new(),
            content_type: image.content_type,
            size: image.size,
            sha256: hex(&image.hash),
        },
    };
    Ok(Shown { readable, is_final })
}

fn read_width(text: &str) -> Result<u32> {
    let known = WIDTHS.iter().find(|width| width.to_string() == text);
    known.copied().ok_or_else(|| {
        let widths = WIDTHS.map(|width| width.to_string()).join(", ");
        Error::invalid("w", Reason::other(format!("must be one of {widths}")))
    })
}

/// What a request makes of images, to be done where it is written down.
#[derive(Clone, Default)]
pub struct Taken {
    uploads: Arc<[String]>,
    kept: Arc<[String]>,
}

impl Taken {
    /// What was read with these.
    pub fn of(images: &Images) -> Self {
        Self {
            uploads: images.taken().into(),
            kept: images.kept().into(),
        }
    }

    /// Takes the uploads, and looks whether what is named is still there.
    ///
    /// # Errors
    /// `Stale` when anything changed meanwhile.
    pub fn store(&self, tx: &Tx) -> Result<()> {
        rows::adopt(tx, &self.uploads)?;
        rows::check_exist(tx, &self.kept)
    }
}

/// An image that rich text may show from now on.
pub struct Committed {
    /// What it was uploaded as.
    pub upload_id: String,
    /// The image.
    pub image: Image,
}

/// Takes uploads over as images of rich text. One that no text names within a day goes again.
///
/// # Errors
/// 422.
pub fn commit(app: &App, caller: &Caller, body: Json) -> Result<Vec<Committed>> {
    let mut at = Issues::new();
    let asked = read_commitments(&mut Reader::new(body, &mut at));
    let named = Named {
        uploads: asked.iter().cloned().collect(),
        ..Named::default()
    };
    let mut images = Images::of_request(&app.config.base_url);
    app.store
        .read(|tx| look_up(tx, caller, named, &mut images))?;
    let mut out = Vec::new();
    at.key("upload_ids", |at| {
        for (i, upload) in asked.into_iter().enumerate() {
            match images.take(&upload, "rich_text_image") {
                Ok(image) => out.push(Committed {
                    upload_id: upload,
                    image,
                }),
                Err(fault) => at.index(i, |at| at.push(fault)),
            }
        }
    });
    at.into_result()?;
    let taken = Taken::of(&images);
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
        reader.fault(
            "upload_ids",
            Reason::too_many(MAX_AT_ONCE, Things::Other("items")),
        );
    }
    // With a fault among them, the others would be told at wrong places.
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
