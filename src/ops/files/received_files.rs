//! The file of a prepared upload as it comes, up to its blob.

use std::collections::HashSet;
use std::io::BufReader;
use std::sync::{Arc, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::clock::{self, Time};
use crate::base::error::{Code, Error, Result};
use crate::base::reason::Reason;
use crate::base::secret::Keys;
use crate::base::text::phrase::phrase;
use crate::media::image;
use crate::model::upload::{Upload, UploadTarget};
use crate::ops::app::App;
use crate::ops::files::bare_images::{rewritten, stripped};
use crate::ops::files::content_types;
use crate::ops::files::uploads::sign;
use crate::ops::server::disk_space;
use crate::store::files::blobs::{BlobWriter, hex};
use crate::store::files::uploads;

/// A file being received. Its temporary data is deleted on drop unless `finish` has stored it.
pub struct Taking {
    upload: Upload,
    writing: BlobWriter,
    _coming: OnTheWay,
}

/// Marks an upload as being received until it is dropped.
struct OnTheWay(Arc<Mutex<HashSet<String>>>, String);

impl Drop for OnTheWay {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.1);
    }
}

/// Starts to receive the file of an upload.
///
/// # Errors
/// 403 for a wrong or expired signature, 409 while another request sends the file, 410 if it was already received, 415,
/// 503.
pub fn begin(app: &App, token: &str, signature: &str, content_type: Option<&str>) -> Result<Taking> {
    let now = clock::now();
    let upload = app.store.read(|tx| uploads::by_token(tx, token))?;
    let upload = upload
        .filter(|upload| is_signed(app.keys(), upload, signature, now))
        .ok_or(Error::NotHere("This upload address has expired or was changed: prepare the upload again"))?;
    if upload.is_put || upload.is_used {
        return Err(used());
    }
    if content_type.map(content_types::essence).as_deref() != Some(&upload.content_type) {
        let message = format!("Content-Type must be {}", upload.content_type);
        return Err(Error::UnsupportedType(message));
    }
    disk_space::check(app)?;
    let coming = Arc::clone(&app.files.coming);
    let is_first = coming.lock().unwrap_or_else(PoisonError::into_inner).insert(upload.token.clone());
    if !is_first {
        let message = "The file of this upload is already being sent".to_owned();
        return Err(Error::Conflict(Code::UploadInProgress, message));
    }
    Ok(Taking { _coming: OnTheWay(coming, upload.token.clone()), writing: app.store.blobs().create()?, upload })
}

fn is_signed(keys: &Keys, upload: &Upload, signature: &str, now: Time) -> bool {
    let expected = sign(keys, upload);
    let is_same = crate::base::secret::same(expected.as_bytes(), signature.as_bytes());
    is_same && now < upload.expires_at
}

fn used() -> Error {
    Error::Gone("This upload has already been used".to_owned())
}

/// A file that was uploaded.
#[derive(Serialize, JsonSchema)]
pub struct ReceivedFile {
    upload_id: String,
    file_size: u64,
    #[schemars(extend("pattern" = "^[0-9a-f]{64}$"))]
    sha256: String,
}

impl Taking {
    /// Maximum size in bytes.
    pub fn limit(&self) -> u64 {
        self.upload.file_size
    }

    /// Writes the next bytes.
    ///
    /// # Errors
    /// 503 if the disk is full.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.writing.write(bytes)
    }

    /// Stores the file if it is complete and matches the announcement.
    ///
    /// # Errors
    /// 410 if another request has sent the file meanwhile, 422, 503.
    pub fn finish(self, app: &App) -> Result<ReceivedFile> {
        let (came, said) = (self.writing.size(), self.upload.file_size);
        if came != said {
            let message = phrase!("is {}, but {} bytes were received", said, came);
            return Err(Error::invalid("file_size", Reason::other(message)));
        }
        let sha256 = hex(&self.writing.hash());
        let is_shown = matches!(self.upload.target, UploadTarget::Element { .. });
        let (writing, pixels) = if is_shown {
            let (writing, pixels) = self.bare(app)?;
            (writing, Some(pixels))
        } else {
            self.check()?;
            (self.writing, None)
        };
        let token = self.upload.token.clone();
        app.store.keep_blob(
            writing,
            move |tx, blob| {
                if uploads::put(tx, &token, blob, pixels)? { Ok(()) } else { Err(used()) }
            },
        )?;
        Ok(ReceivedFile { upload_id: self.upload.token, file_size: came, sha256 })
    }

    /// Checks that an image has the announced type and an allowed size.
    fn check(&self) -> Result<()> {
        if !image::TYPES.contains(&self.upload.content_type.as_str()) {
            return Ok(());
        }
        let header = image::header(BufReader::new(self.writing.reread()?));
        let header = header.filter(|header| header.content_type == self.upload.content_type);
        let header = header.ok_or_else(not_that)?;
        let checked = header.check_sides();
        checked.map_err(|fault| Error::invalid("file", Reason::other(fault)))
    }

    /// The image without metadata, and its size in pixels.
    fn bare(&self, app: &App) -> Result<(BlobWriter, (u32, u32))> {
        let bare = stripped(&self.writing)?;
        let bare = bare.filter(|bare| bare.header.content_type == self.upload.content_type);
        let bare = bare.ok_or_else(not_that)?;
        let checked = bare.check();
        checked.map_err(|fault| Error::invalid("file", Reason::other(fault)))?;
        let pixels = bare.shown_size();
        Ok((rewritten(app, &bare)?, pixels))
    }
}

fn not_that() -> Error {
    Error::invalid("content_type", Reason::other("does not match the file"))
}
