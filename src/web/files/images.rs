//! `/images/{id}`: public images of forms (S62). The image at an address never changes.

use crate::base::error::Result;
use crate::ops::files::images;
use crate::web::files::content::FileContent;
use crate::web::openapi::doc::AnswerBody::{self, File};
use crate::web::openapi::doc::Doc;
use crate::web::openapi::parameters::image;
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;

/// The content types of images.
const IMAGE_TYPES: AnswerBody =
    File(&[("image/jpeg", None), ("image/png", None), ("image/webp", None), ("image/gif", None)]);

pub const GET_IMAGE: Doc = Doc::new("get_image", 200, IMAGE_TYPES)
    .says(
        "Download an image of a form",
        "Public, at the `image_url` given by the form, its theme or its rich text; the image at an address never \
         changes. It contains no metadata. An image that is narrower than `w`, animated or can't be made smaller is \
         returned as it is. Supports `Range`.",
    )
    .also(206)
    .tagged()
    .query(image)
    .checks_query();

/// `GET /images/{id}`
pub fn show(call: &Call) -> Result<Reply> {
    let width = call.query("w");
    let shown = images::open(call.app, call.param("id"), width.as_deref())?;
    let readable = shown.readable;
    let content = FileContent {
        content_type: &readable.content_type,
        name: None,
        // The smaller size may not be ready yet: a later request may get it.
        cache: if shown.is_final { "public, max-age=31536000, immutable" } else { "public, no-cache" },
        file: readable.file,
        size: readable.size,
        sha256: readable.sha256,
    };
    Ok(content.answer(call).into())
}
