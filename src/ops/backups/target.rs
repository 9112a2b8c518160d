//! Where backups are kept, a folder or a place in a bucket, as one thing: what lies there, reading it, and writing it so
//! that nothing half is ever seen.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::backup_fault::BackupFault;
use crate::base::backup_target::{BackupTarget, BucketPath};
use crate::base::clock::Time;
use crate::base::config::{Backups, S3};
use crate::base::error::DataDirFault;
use crate::ops::backups::unwritable;
use crate::ops::backups::uploads::Uploads;
use crate::outbound::bucket::{self, Bucket, BucketFault};
use crate::store::backups::files::{BackupFolder, NewBackup, folder_of};

/// An open place.
pub enum OpenTarget {
    Folder(BackupFolder, PathBuf),
    Bucket(Bucket),
}

/// A file being written; it is removed on drop unless it was placed.
pub enum NewFile<'t> {
    File(NewBackup<'t>, &'t Path),
    Object(Box<bucket::Upload>, BucketPath),
}

/// A backup that is read.
pub struct Opened {
    /// Its place, for people.
    pub shown: String,
    /// In bytes.
    pub size: u64,
    pub written_at: Time,
    pub(in crate::ops::backups) from: Box<dyn ReadSeek>,
    failure: Failure,
}

pub trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}

pub(in crate::ops::backups) fn no_folder(path: &Path, e: &io::Error) -> BackupFault {
    let shown = path.display().to_string();
    match e.kind() {
        io::ErrorKind::NotFound => BackupFault::NoFolder(shown),
        _ => BackupFault::NotUsable(shown, e.to_string()),
    }
}

/// The fault if the folder of backups in the data dir can't be opened.
pub(in crate::ops::backups) fn unlistable(data_dir: &Path, e: &io::Error) -> BackupFault {
    let shown = data_dir.display().to_string();
    let fault = match e.kind() {
        io::ErrorKind::NotFound => DataDirFault::Missing(shown),
        _ => DataDirFault::NotUsable(shown, e.to_string()),
    };
    fault.into()
}

pub(in crate::ops::backups) fn store_fault(place: &BucketPath, fault: &BucketFault) -> BackupFault {
    match fault {
        BucketFault::NotFound => BackupFault::NoBackup(place.to_string()),
        BucketFault::NoKeys | BucketFault::Certificates => {
            BackupFault::StoreSettings(place.to_string(), fault.to_string())
        }
        fault => BackupFault::Store(place.to_string(), fault.to_string()),
    }
}

impl OpenTarget {
    /// # Errors
    /// There is no such folder, or the settings of the store are not enough.
    pub fn open(place: &BackupTarget, s3: &S3) -> Result<Self, BackupFault> {
        match place {
            BackupTarget::Path(path) => {
                let folder = BackupFolder::open(path).map_err(|e| no_folder(path, &e))?;
                Ok(Self::Folder(folder, path.clone()))
            }
            BackupTarget::Bucket(place) => {
                let bucket = Bucket::new(s3, place.clone());
                bucket.map(Self::Bucket).map_err(|e| store_fault(place, &e))
            }
        }
    }

    /// The place of backups that are given no other: that of the settings, or the folder in the data dir.
    ///
    /// # Errors
    /// As `open`, or there is no data dir.
    pub fn usual(data_dir: &Path, backups: &Backups) -> Result<Self, BackupFault> {
        if let Some(place) = &backups.to {
            return Self::open(place, &backups.s3);
        }
        let path = folder_of(data_dir);
        let folder = BackupFolder::open(&path).map_err(|e| unlistable(data_dir, &e))?;
        Ok(Self::Folder(folder, path))
    }

    /// The place of this name in it, for people.
    pub fn display_path(&self, name: &str) -> String {
        match self {
            Self::Folder(_, path) => path.join(name).display().to_string(),
            Self::Bucket(bucket) => bucket.place().join(name).to_string(),
        }
    }

    fn fault(&self, e: &io::Error) -> BackupFault {
        match self {
            Self::Folder(_, path) => unwritable(path, e),
            Self::Bucket(bucket) => BackupFault::Store(bucket.place().to_string(), e.to_string()),
        }
    }

    fn store<T>(bucket: &Bucket, done: Result<T, BucketFault>) -> Result<T, BackupFault> {
        done.map_err(|e| match e {
            BucketFault::NotFound => BackupFault::Store(bucket.place().to_string(), e.to_string()),
            e => store_fault(bucket.place(), &e),
        })
    }

    /// The files right in it, with their sizes in bytes.
    pub fn files(&self) -> Result<Vec<(String, u64)>, BackupFault> {
        match self {
            Self::Folder(folder, _) => folder.files().map_err(|e| self.fault(&e)),
            Self::Bucket(bucket) => Self::store(bucket, bucket.files()),
        }
    }

    /// The files in the folders of this folder of it, as `folder/name`.
    pub fn tree(&self, folder: &str) -> Result<Vec<(String, u64)>, BackupFault> {
        let found = match self {
            Self::Bucket(bucket) => return Self::store(bucket, bucket.tree(folder)),
            Self::Folder(root, _) => root.subfolder(folder).and_then(|root| {
                let mut found = Vec::new();
                for name in root.folders()? {
                    let files = root.subfolder(&name)?.files()?;
                    found.extend(files.into_iter().map(|(it, size)| (format!("{name}/{it}"), size)));
                }
                Ok(found)
            }),
        };
        found.map_err(|e| self.fault(&e))
    }

    /// A folder in it, which is created if it is missing.
    pub fn subfolder(&self, name: &str) -> Result<Self, BackupFault> {
        match self {
            Self::Folder(folder, path) => {
                let sub = folder.subfolder(name).map_err(|e| self.fault(&e))?;
                Ok(Self::Folder(sub, path.join(name)))
            }
            Self::Bucket(bucket) => Ok(Self::Bucket(bucket.within(name))),
        }
    }

    pub fn has(&self, name: &str) -> Result<bool, BackupFault> {
        match self {
            Self::Folder(folder, _) => Ok(folder.has(name)),
            Self::Bucket(bucket) => Ok(Self::store(bucket, bucket.size(name))?.is_some()),
        }
    }

    /// Begins a file that will have this name, and at most so many bytes.
    pub fn create(&self, name: &str, expected: u64, uploads: &Uploads) -> Result<NewFile<'_>, BackupFault> {
        match self {
            Self::Folder(folder, path) => {
                let new = folder.create(name).map_err(|e| match e.kind() {
                    io::ErrorKind::WouldBlock => BackupFault::InUse(self.display_path(name)),
                    _ => unwritable(path, &e),
                })?;
                Ok(NewFile::File(new, path))
            }
            Self::Bucket(bucket) => {
                let place = bucket.place().join(name);
                let upload = bucket.upload(name, expected, uploads.note(&place));
                Ok(NewFile::Object(Box::new(upload), place))
            }
        }
    }

    /// Reads something small. `None` if it is not there.
    pub fn get(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, BackupFault> {
        match self {
            Self::Folder(folder, _) => match folder.get(name, most) {
                Ok(bytes) => Ok(Some(bytes)),
                Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(e) => Err(self.fault(&e)),
            },
            Self::Bucket(bucket) => match bucket.get(name, most) {
                Err(BucketFault::NotFound) => Ok(None),
                got => Self::store(bucket, got).map(Some),
            },
        }
    }

    /// Writes something small, in place of what has its name.
    pub fn put(&self, name: &str, bytes: &[u8]) -> Result<(), BackupFault> {
        match self {
            Self::Folder(folder, _) => folder.put(name, bytes).map_err(|e| self.fault(&e)),
            Self::Bucket(bucket) => Self::store(bucket, bucket.put(name, bytes.to_vec())),
        }
    }

    pub fn remove(&self, name: &str) -> Result<(), BackupFault> {
        match self {
            Self::Folder(folder, _) => folder.remove(name).map_err(|e| self.fault(&e)),
            Self::Bucket(bucket) => Self::store(bucket, bucket.remove(name)),
        }
    }

    /// Removes what interrupted processes left.
    pub fn remove_abandoned(&self, uploads: &Uploads) -> Result<(), BackupFault> {
        match self {
            Self::Folder(folder, _) => folder.remove_abandoned().map_err(|e| self.fault(&e)),
            Self::Bucket(bucket) => {
                uploads.abort_left(bucket);
                Ok(())
            }
        }
    }
}

impl NewFile<'_> {
    /// Begins again.
    pub fn restart(&mut self) -> Result<(), BackupFault> {
        match self {
            Self::File(file, at) => file.restart().map_err(|e| unwritable(at, &e)),
            Self::Object(upload, _) => {
                upload.restart();
                Ok(())
            }
        }
    }

    /// Makes it seen under its name, in place of what has it. Returns its size in bytes.
    pub fn place(self, name: &str) -> Result<u64, BackupFault> {
        match self {
            Self::File(file, at) => file.place(name).map_err(|e| unwritable(at, &e)),
            Self::Object(upload, place) => upload.finish().map_err(|e| store_fault(&place, &e)),
        }
    }

    /// The fault of a write error.
    pub fn fault(&self, e: &io::Error) -> BackupFault {
        match (self, BucketFault::of(e)) {
            (Self::Object(_, place), Some(fault)) => store_fault(place, &fault),
            _ => match e.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                    BackupFault::Busy("the disk is full")
                }
                _ => BackupFault::Failed(e.to_string()),
            },
        }
    }
}

impl Write for NewFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file, _) => file.write(bytes),
            Self::Object(upload, _) => upload.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file, _) => file.flush(),
            Self::Object(upload, _) => upload.flush(),
        }
    }
}

impl Opened {
    /// A file that the caller has opened.
    ///
    /// # Errors
    /// The file system fails.
    pub fn file(path: &Path, file: File) -> io::Result<Self> {
        let found = file.metadata()?;
        Ok(Self {
            shown: path.display().to_string(),
            size: found.len(),
            written_at: Time::from_millis(found.mtime().saturating_mul(1000)),
            from: Box::new(file),
            failure: Failure::default(),
        })
    }

    /// # Errors
    /// It is not there, or the store fails.
    pub fn object(place: &BucketPath, s3: &S3) -> Result<Self, BackupFault> {
        let fault = |e: BucketFault| store_fault(place, &e);
        let (at, name) = place.split().ok_or_else(|| fault(BucketFault::NotFound))?;
        let reader = Bucket::new(s3, at).and_then(|bucket| bucket.reader(&name));
        let reader = reader.map_err(fault)?;
        Ok(Self {
            shown: place.to_string(),
            size: reader.size(),
            written_at: Time::from_millis(reader.written_at()),
            failure: Failure(Some(reader.failure())),
            from: Box::new(reader),
        })
    }

    /// The reader's failure, if any. If the read failed, the backup itself may be whole.
    pub(in crate::ops::backups) fn failure(&self) -> Failure {
        self.failure.clone()
    }

    /// The fault of the store, if it failed while this was read, or else the other.
    pub(in crate::ops::backups) fn fault_or(&self, other: BackupFault) -> BackupFault {
        self.failure.or(&self.shown, other)
    }
}

/// Whether a store failed while it was read.
#[derive(Clone, Default)]
pub(in crate::ops::backups) struct Failure(Option<Arc<Mutex<Option<BucketFault>>>>);

impl Failure {
    /// The fault of the store, or else the other.
    pub fn or(&self, shown: &str, other: BackupFault) -> BackupFault {
        let met = self.0.as_ref().and_then(|met| {
            let met = met.lock().unwrap_or_else(PoisonError::into_inner);
            met.clone()
        });
        met.map_or(other, |met| BackupFault::Store(shown.to_owned(), met.to_string()))
    }
}
