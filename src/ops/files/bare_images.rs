//! Images without metadata, as pages may show them.

use std::io::Read as _;
use std::sync::{Mutex, PoisonError};

use crate::base::error::{Error, Result};
use crate::base::reason::FileFault;
use crate::media::image::{self, StrippedImage};
use crate::ops::app::App;
use crate::store::files::blobs::BlobWriter;

/// An image that a page may show.
pub(in crate::ops) struct BareImage {
    pub writing: BlobWriter,
    pub content_type: &'static str,
    /// Width and height.
    pub pixels: (u32, u32),
}

/// A file as an image without metadata, or why it is none that a page may show.
pub(in crate::ops) fn bare_image(app: &App, writing: &BlobWriter) -> Result<std::result::Result<BareImage, FileFault>> {
    let Some(bare) = stripped(writing)? else {
        return Ok(Err(FileFault::OtherType));
    };
    if bare.check().is_err() {
        return Ok(Err(FileFault::TooManyPixels { most: image::MAX_SIDE }));
    }
    Ok(Ok(BareImage {
        writing: rewritten(app, &bare)?,
        content_type: bare.header.content_type,
        pixels: bare.shown_size(),
    }))
}

/// Public images must not reveal where they were taken, so their metadata is never stored. `None` if the file is no
/// image.
pub(in crate::ops::files) fn stripped(writing: &BlobWriter) -> Result<Option<StrippedImage>> {
    // Images are decoded in memory, so only one at a time.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut bytes = Vec::new();
    let mut file = writing.reread()?;
    file.read_to_end(&mut bytes).map_err(Error::internal)?;
    Ok(image::strip(&bytes))
}

pub(in crate::ops::files) fn rewritten(app: &App, bare: &StrippedImage) -> Result<BlobWriter> {
    let mut writing = app.store.blobs().create()?;
    writing.write(&bare.bytes)?;
    Ok(writing)
}
