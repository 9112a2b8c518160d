//! Copies what Litestream does not: the contents of files, which never change, and the key of the service. With a replica
//! of the database they make a standby. The layout in the target is that of the data dir:
//!
//! - `blobs/ab/abcd…`: a content under its SHA-256 in hex, as it is, whether or not there is a passphrase. A folder or
//!   bucket of a standby is as private as the data dir.
//! - `keys/instance.age`: the 32 bytes of the service's key, encrypted with the passphrase; without a passphrase
//!   `keys/instance`, as it is. It is written once, and shows that a target belongs to this service. Signing keys are not
//!   copied, since a restore makes new ones.
//!
//! A content that was removed here stays in the target, since a replica can be restored to a moment at which it was
//! there, until `--delete-removed` is given. A sync that was interrupted goes on with the next: what is there in its full
//! size is not copied again.

use std::collections::{HashMap, HashSet};
use std::io::{Read as _, Write as _};

use sha2::{Digest as _, Sha256};

use crate::base::backup_fault::BackupFault;
use crate::base::backup_target::BackupTarget;
use crate::base::secret::Secret;
use crate::ops::app::App;
use crate::ops::backups::create::of_store;
use crate::ops::backups::target::OpenTarget;
use crate::ops::backups::uploads::Uploads;
use crate::ops::backups::{encryption, several};
use crate::store::files::blobs::{self, Blob, Hash};

const KEYS: &str = "keys";
const BLOBS: &str = "blobs";
const KEY: &str = "instance";
const LONGEST_KEY: u64 = 4096;

/// Result of a sync.
#[derive(Clone, Debug, Default)]
pub struct Synced {
    /// Contents that were copied, and their bytes.
    pub copied: usize,
    pub bytes: u64,
    /// Contents that were there.
    pub present: usize,
    /// Contents that are missing or damaged in the data dir.
    pub lost: usize,
    /// Contents in the target that the data dir has no more, and that were deleted there.
    pub deleted: usize,
    /// Contents in the target that the data dir has no more, and that were kept there.
    pub kept: usize,
}

/// Copies what the target lacks. `show` is told the bytes done, and of how many.
///
/// # Errors
/// The target can't be used, or belongs to another service. What was copied until then stays.
pub fn sync(
    app: &App,
    place: &BackupTarget,
    passphrase: Option<&Secret>,
    deletes_removed: bool,
    show: &mut dyn FnMut(u64, u64),
) -> Result<Synced, BackupFault> {
    let target = OpenTarget::open(place, &app.config.backups.s3)?;
    refuse_own(app, place)?;
    let uploads = Uploads::of(&app.config.data_dir);
    target.remove_abandoned(&uploads)?;
    let source = app.store.sync_source().map_err(of_store)?;
    copy_key(&target, &source.instance_key, passphrase)?;
    let found = target.tree(BLOBS)?.into_iter();
    let there: HashMap<Hash, u64> = found.filter_map(|(name, size)| Some((hash_of(&name)?, size))).collect();
    let missing = |blob: &&Blob| there.get(&blob.hash) != Some(&blob.size);
    let new: Vec<Blob> = source.blobs.iter().filter(missing).copied().collect();
    let mut done = Synced { present: source.blobs.len() - new.len(), ..Synced::default() };
    let all = new.iter().map(|blob| blob.size).sum();
    let copy_one = |blob: &Blob, show: &mut dyn FnMut(u64)| copy(app, &target, &uploads, blob, show);
    several::each(&new, copy_one, &mut |bytes| show(bytes, all), |copied| match copied {
        None => done.lost += 1,
        Some(bytes) => {
            done.copied += 1;
            done.bytes += bytes;
        }
    })?;
    let named: HashSet<Hash> = source.blobs.iter().map(|blob| blob.hash).collect();
    for hash in there.keys().filter(|hash| !named.contains(*hash)) {
        if deletes_removed {
            let (folder, name) = folder_of(&target, hash)?;
            folder.remove(&name)?;
            done.deleted += 1;
        } else {
            done.kept += 1;
        }
    }
    Ok(done)
}

/// In the data dir its files would be taken for those of the service, and its key for the service's own.
fn refuse_own(app: &App, place: &BackupTarget) -> Result<(), BackupFault> {
    let BackupTarget::Path(path) = place else {
        return Ok(());
    };
    let failed = |e: std::io::Error| BackupFault::Failed(e.to_string());
    let own = app.config.data_dir.canonicalize().map_err(failed)?;
    match path.canonicalize().map_err(failed)?.starts_with(own) {
        true => Err(BackupFault::OwnDataDir(place.to_string())),
        false => Ok(()),
    }
}

fn hash_of(name: &str) -> Option<Hash> {
    let (folder, name) = name.split_once('/')?;
    blobs::unhex(name).filter(|_| blobs::folder_of(name) == folder)
}

/// The folder of a content in the target, and its name there.
fn folder_of(target: &OpenTarget, hash: &Hash) -> Result<(OpenTarget, String), BackupFault> {
    let name = blobs::hex(hash);
    let folder = target.subfolder(BLOBS)?;
    Ok((folder.subfolder(blobs::folder_of(&name))?, name))
}

/// Makes sure that the target has the key, and no other.
fn copy_key(target: &OpenTarget, key: &[u8], passphrase: Option<&Secret>) -> Result<(), BackupFault> {
    let keys = target.subfolder(KEYS)?;
    let sealed_name = format!("{KEY}{}", encryption::SUFFIX);
    let sealed = keys.get(&sealed_name, LONGEST_KEY)?;
    let plain = keys.get(KEY, LONGEST_KEY)?;
    let mut is_there = plain.is_some() && passphrase.is_none();
    if let Some(sealed) = sealed {
        let shown = keys.display_path(&sealed_name);
        let passphrase = passphrase.ok_or_else(|| BackupFault::NoPassphrase(shown.clone()))?;
        let from = Box::new(std::io::Cursor::new(sealed));
        let mut found = Vec::new();
        encryption::decrypt(&shown, from, passphrase)?
            .read_to_end(&mut found)
            .map_err(|e| BackupFault::Damaged(shown, e.to_string()))?;
        refuse_other(&keys, &found, key)?;
        is_there = true;
    }
    if let Some(found) = &plain {
        refuse_other(&keys, found, key)?;
    }
    match passphrase {
        _ if is_there => {}
        None => keys.put(KEY, key)?,
        Some(passphrase) => {
            let failed = |e: std::io::Error| BackupFault::Failed(e.to_string());
            let mut sealed = encryption::encrypt(Vec::new(), passphrase).map_err(failed)?;
            sealed.write_all(key).map_err(failed)?;
            keys.put(&sealed_name, &sealed.finish().map_err(failed)?)?;
        }
    }
    // Since there is a passphrase now, it must not lie there for everybody.
    if plain.is_some() && passphrase.is_some() {
        keys.remove(KEY)?;
    }
    Ok(())
}

fn refuse_other(keys: &OpenTarget, found: &[u8], key: &[u8]) -> Result<(), BackupFault> {
    match found == key {
        true => Ok(()),
        false => Err(BackupFault::OtherService(keys.display_path(""))),
    }
}

/// Copies a content and returns its size. `None` if the data dir does not have it whole.
fn copy(
    app: &App,
    target: &OpenTarget,
    uploads: &Uploads,
    blob: &Blob,
    show: &mut dyn FnMut(u64),
) -> Result<Option<u64>, BackupFault> {
    let Ok(mut file) = app.store.blobs().read(&blob.hash) else {
        return Ok(None);
    };
    let (folder, name) = folder_of(target, &blob.hash)?;
    let mut new = folder.create(&name, blob.size, uploads)?;
    let (mut sha, mut piece) = (Sha256::new(), vec![0; 64 << 10]);
    loop {
        let Ok(read) = file.read(&mut piece) else {
            return Ok(None);
        };
        if read == 0 {
            break;
        }
        sha.update(&piece[..read]);
        if let Err(e) = new.write_all(&piece[..read]) {
            return Err(new.fault(&e));
        }
        show(read as u64);
    }
    if <Hash>::from(sha.finalize()) != blob.hash {
        return Ok(None);
    }
    new.place(&name).map(Some)
}
