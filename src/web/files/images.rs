//! `/images/{id}`: public images of forms (S62). The image at an address never changes.

use crate::base::error::Result;
use crate::ops::files::images;
use crate::web::files::content::FileContent;
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;

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
