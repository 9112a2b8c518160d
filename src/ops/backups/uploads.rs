//! Notes of multipart uploads: a killed process leaves its note, and the next backup aborts the upload. Otherwise the
//! store would keep the parts, unseen and paid for.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::backup_target::BucketPath;
use crate::base::id;
use crate::outbound::bucket::{Bucket, Note};
use crate::store::backups::files::{BackupFolder, HeldNote, folder_of};

pub(in crate::ops::backups) const PREFIX: &str = "upload-";
const LONGEST: u64 = 8 << 10;

#[derive(Serialize, Deserialize)]
struct Left {
    bucket: String,
    /// The object's key.
    key: String,
    id: String,
}

/// The folder of the notes: the folder of backups in the data dir.
pub struct Uploads(Arc<PathBuf>);

impl Uploads {
    pub fn of(data_dir: &Path) -> Self {
        Self(Arc::new(folder_of(data_dir)))
    }

    /// Keeps the id of one upload.
    pub(in crate::ops::backups) fn note(&self, place: &BucketPath) -> Note {
        let (at, place) = (Arc::clone(&self.0), place.clone());
        let mut held = None;
        Box::new(move |id| {
            let Some(id) = id else {
                return held.take().map_or(Ok(()), HeldNote::remove);
            };
            let left = Left { bucket: place.bucket.clone(), key: place.prefix.clone(), id: id.to_owned() };
            let name = format!("{PREFIX}{}", id::random(12));
            let folder = BackupFolder::open(&at)?;
            held = Some(folder.hold_note(&name, &serde_json::to_vec(&left)?)?);
            Ok(())
        })
    }

    /// Aborts the uploads of killed processes in this bucket. After an error the next backup tries again.
    pub(in crate::ops::backups) fn abort_left(&self, bucket: &Bucket) {
        let abort = || -> io::Result<()> {
            let folder = BackupFolder::open(&self.0)?;
            for (name, _) in folder.files()? {
                if !name.starts_with(PREFIX) {
                    continue;
                }
                let note = folder.left_note(&name, LONGEST)?;
                let left = note.and_then(|note| serde_json::from_slice::<Left>(&note).ok());
                let Some(left) = left.filter(|left| left.bucket == bucket.place().bucket) else {
                    continue;
                };
                match bucket.abort(&left.key, &left.id) {
                    Ok(()) => folder.remove(&name)?,
                    Err(fault) => {
                        tracing::warn!("what an interrupted upload left at s3://{}/{} {fault}", left.bucket, left.key)
                    }
                }
            }
            Ok(())
        };
        if let Err(e) = abort() {
            tracing::warn!("the notes of interrupted uploads can't be read: {e}");
        }
    }
}
