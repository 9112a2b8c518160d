//! An image that a signed-in page posts with a form: it is written to disk while it arrives, and becomes an upload like
//! those of programs. So pages choose images without a script.

use std::sync::Arc;

use crate::base::error::Result;
use crate::base::reason::{FileFault, Reason};
use crate::base::{clock, id, text};
use crate::model::caller::Caller;
use crate::model::upload::{Upload, UploadTarget};
use crate::ops::app::App;
use crate::ops::files::bare_images::bare_image;
use crate::ops::files::upload_quota::{Origin, PostedBytes};
use crate::ops::files::uploads::{IMAGE_BYTES, LINK_SECS, MAX_NAME, MB, RANDOM};
use crate::store::files::blobs::BlobWriter;
use crate::store::files::uploads;

/// The image of a post, while it comes.
pub struct PostedImage {
    app: Arc<App>,
    /// Bytes written so far, which count with those of the sender's other posts.
    part: PostedBytes,
    name: String,
    writing: Option<BlobWriter>,
    fault: Option<FileFault>,
}

impl PostedImage {
    /// # Errors
    /// 503.
    pub fn begin(app: Arc<App>, origin: Origin) -> Result<Self> {
        let part = app.store.read(|tx| app.files.upload_quota.begin(tx, origin))?;
        Ok(Self { app, part, name: String::new(), writing: None, fault: None })
    }

    /// A file begins. The page has one input for a file, so the last one counts.
    ///
    /// # Errors
    /// 503.
    pub fn open(&mut self, name: &str) -> Result<()> {
        self.name = text::file_name(name).unwrap_or_default();
        self.fault = None;
        self.writing = Some(self.app.store.blobs().create()?);
        Ok(())
    }

    /// Writes bytes of the file. One that is too large is read to its end, so that the page can report it.
    ///
    /// # Errors
    /// 429, 503.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(mut writing) = self.writing.take() else {
            return Ok(());
        };
        let count = bytes.len() as u64;
        if writing.size() + count > IMAGE_BYTES {
            self.fault = Some(FileFault::TooLarge { megabytes: IMAGE_BYTES / MB });
            return Ok(());
        }
        self.part.add(&self.app, count)?;
        writing.write(bytes)?;
        self.writing = Some(writing);
        Ok(())
    }

    /// Ends a complete post: its image becomes an upload for this purpose, without camera metadata. `None` if no file
    /// was chosen.
    ///
    /// # Errors
    /// 503.
    pub fn finish(
        mut self,
        caller: &Caller,
        purpose: &'static str,
    ) -> Result<Option<std::result::Result<String, Reason>>> {
        let refused = |name, fault| Ok(Some(Err(Reason::file(name, fault))));
        if let Some(fault) = self.fault {
            return refused(self.name, fault);
        }
        let Some(writing) = self.writing.take() else {
            return Ok(None);
        };
        if writing.size() == 0 {
            return refused(self.name, FileFault::Empty);
        }
        let image = match bare_image(&self.app, &writing)? {
            Ok(image) => image,
            Err(fault) => return refused(self.name, fault),
        };
        let token = id::random(RANDOM);
        let upload = Upload {
            token: token.clone(),
            target: UploadTarget::Element { purpose, organization: caller.user.organization.id.0 },
            file_name: self.name.chars().take(MAX_NAME).collect(),
            content_type: image.content_type.to_owned(),
            file_size: writing.size(),
            duration: None,
            expires_at: clock::now().plus_secs(LINK_SECS),
            created_at: clock::now(),
            is_put: false,
            is_used: false,
        };
        let (sender, pixels) = (self.part.sender().to_owned(), image.pixels);
        self.app.store.keep_blob(image.writing, move |tx, blob| {
            uploads::insert(tx, &upload, &sender)?;
            uploads::put(tx, &upload.token, blob, Some(pixels)).map(|_| ())
        })?;
        Ok(Some(Ok(token)))
    }
}
