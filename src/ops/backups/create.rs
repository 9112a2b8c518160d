//! Makes a backup, while the service goes on.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Seek as _, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use age::Encryptor;
use sha2::{Digest as _, Sha256};

use crate::base::backup_fault::BackupFault;
use crate::base::backup_target::BackupTarget;
use crate::base::clock::{self, Time};
use crate::base::config::{MB, S3};
use crate::base::error::Error;
use crate::base::secret::Secret;
use crate::ops::app::App;
use crate::ops::backups::format::{BackupPart, FORMAT, Head, Kind};
use crate::ops::backups::target::{NewFile, OpenTarget};
use crate::ops::backups::uploads::Uploads;
use crate::ops::backups::writer::Writer;
use crate::ops::backups::{SUFFIX, encryption, name_of, unwritable};
use crate::ops::server::disk_space::floor;
use crate::store::backups::Source;
use crate::store::backups::files::BackupFolder;
use crate::store::files::blobs::{Blob, Hash};

/// A backup that was made.
#[derive(Clone, Debug)]
pub struct Made {
    /// Its place, for people and commands.
    pub file: String,
    pub is_encrypted: bool,
    /// In bytes.
    pub size: u64,
    pub created_at: Time,
    pub database_bytes: u64,
    /// Contents of files in it.
    pub files: usize,
    /// Contents that were missing or damaged, and are not in it.
    pub lost: usize,
}

/// How far it is.
#[derive(Clone, Copy, Debug)]
pub enum Progress {
    /// Bytes of the database that were copied, and of how many.
    Copied(u64, u64),
    /// Bytes that were written, before they are compressed, and of how many.
    Written(u64, u64),
}

/// A content that can be read only while the service runs: a backup must not hold up its end.
struct WhileOpen<'a, R> {
    app: &'a App,
    inner: R,
}

impl<R: io::Read> io::Read for WhileOpen<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.app.store.is_closed() {
            return Err(io::Error::other("the service is stopping"));
        }
        self.inner.read(buffer)
    }
}

/// Reason why writing a backup stops.
enum Stop {
    Fault(BackupFault),
    /// It could not be written.
    Io(io::Error),
    /// A content is not what its name says.
    Lost,
}

/// Whether the target exists, so that a backup would replace it.
///
/// # Errors
/// The store can't be asked.
pub fn exists(output: &BackupTarget, s3: &S3) -> Result<bool, BackupFault> {
    if let BackupTarget::Path(path) = output {
        return Ok(path.is_file());
    }
    match split(output)? {
        (place, Some(name)) => OpenTarget::open(&place, s3)?.has(&name),
        _ => Ok(false),
    }
}

/// Makes a backup of the data dir: where the settings say, or in this place. A file that is named gives way to it.
///
/// # Errors
/// There is no room, or something can't be read or written. Nothing is left of it.
pub fn create(
    app: &App,
    output: Option<&BackupTarget>,
    passphrase: Option<&Secret>,
    show: &mut dyn FnMut(Progress),
) -> Result<Made, BackupFault> {
    let created_at = clock::now();
    let (target, name) = place_for(app, output, created_at, passphrase.is_some())?;
    let uploads = Uploads::of(&app.config.data_dir);
    target.remove_abandoned(&uploads)?;
    let new_key = || passphrase.map(encryption::key).transpose();
    let failed = |e: io::Error| BackupFault::Failed(e.to_string());
    // Before anything else needs memory.
    let mut key = new_key().map_err(failed)?;
    let mut source = app.store.backup_source().map_err(of_store)?;
    let blob_bytes: u64 = source.blobs.iter().map(|blob| blob.size).sum();
    check_room(app, &target, source.database_bytes, blob_bytes)?;
    let expected = source.database_bytes.saturating_add(blob_bytes);
    let mut new = target.create(&name, expected, &uploads)?;
    let all = source.database_bytes;
    let mut database = source
        .copy_database(&mut |done| {
            show(Progress::Copied(done, all));
            !app.store.is_closed()
        })
        .map_err(of_store)?;
    let parts = small_parts(&source, &mut database)?;
    let mut lost = missing(app, &source);
    let parts = loop {
        let parts = with_blobs(&parts, &source.blobs, &lost);
        let head = Head {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            schema: source.schema,
            created_at,
            parts: parts.len() as u64,
            lost_files: lost.len() as u64,
        };
        let from = (&source, &mut database);
        match seal(app, &mut new, key, &head, &parts, from, show) {
            Ok(()) => break parts,
            Err(Stop::Fault(fault)) => return Err(fault),
            Err(Stop::Io(e)) => return Err(new.fault(&e)),
            Err(Stop::Lost) => {
                // The manifest stands before the contents: now it is known what it must say.
                lost = damaged(app, &source);
                new.restart()?;
                key = new_key().map_err(failed)?;
            }
        }
    };
    let size = new.place(&name)?;
    let files = parts.iter().filter(|part| matches!(part.kind, Kind::Blob(_)));
    Ok(Made {
        file: target.display_path(&name),
        is_encrypted: passphrase.is_some(),
        size,
        created_at,
        database_bytes: source.database_bytes,
        files: files.count(),
        lost: lost.len(),
    })
}

/// Where a backup goes, and under which name.
fn place_for(
    app: &App,
    output: Option<&BackupTarget>,
    at: Time,
    is_encrypted: bool,
) -> Result<(OpenTarget, String), BackupFault> {
    let settings = &app.config.backups;
    let (target, name) = match output {
        None => (OpenTarget::usual(&app.config.data_dir, settings)?, None),
        Some(output) => {
            let (place, name) = split(output)?;
            (OpenTarget::open(&place, &settings.s3)?, name)
        }
    };
    let name = match name {
        Some(name) if name.ends_with(encryption::SUFFIX) != is_encrypted => {
            return Err(BackupFault::Name(match is_encrypted {
                true => "an encrypted backup needs a name that ends in .age: name another file",
                false => "a backup whose name ends in .age needs a passphrase: set FORMSVC_BACKUP_PASSPHRASE",
            }));
        }
        Some(name) => name,
        None => free_name(&target, at, is_encrypted)?,
    };
    Ok((target, name))
}

fn free_name(target: &OpenTarget, at: Time, is_encrypted: bool) -> Result<String, BackupFault> {
    let files = target.files()?;
    let is_free = |name: &String| files.iter().all(|(file, _)| file != name);
    let mut names = (1..).map(|nth| name_of(at, nth, is_encrypted));
    Ok(names.find(is_free).unwrap_or_default())
}

/// The place and the name of a file to write; no name if it is a folder.
fn split(output: &BackupTarget) -> Result<(BackupTarget, Option<String>), BackupFault> {
    let output = match output {
        BackupTarget::Path(path) => path,
        BackupTarget::Bucket(place) => {
            let is_file = |name: &str| {
                let name = name.strip_suffix(encryption::SUFFIX).unwrap_or(name);
                name.ends_with(SUFFIX)
            };
            return Ok(match place.split().filter(|(_, name)| is_file(name)) {
                Some((at, name)) => (BackupTarget::Bucket(at), Some(name)),
                None => (BackupTarget::Bucket(place.clone()), None),
            });
        }
    };
    if output.is_dir() {
        return Ok((BackupTarget::Path(output.clone()), None));
    }
    // The name of a folder that is not there.
    if output.as_os_str().as_bytes().ends_with(b"/") {
        return Err(BackupFault::NoFolder(output.display().to_string()));
    }
    // The backup takes the place of what is there: never that of a device, a pipe or a link.
    if output.symlink_metadata().is_ok_and(|it| !it.is_file()) {
        let fault = io::Error::other("it is neither a file nor a folder");
        return Err(unwritable(output, &fault));
    }
    let name = output.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| unwritable(output, &ErrorKind::InvalidFilename.into()))?;
    let folder = output.parent().filter(|it| !it.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).to_owned();
    Ok((BackupTarget::Path(folder), Some(name.to_owned())))
}

pub(in crate::ops::backups) fn of_store(e: Error) -> BackupFault {
    match e {
        Error::Busy(why, _) => BackupFault::Busy(why),
        other => BackupFault::Failed(match other {
            Error::Internal(source) => source,
            other => format!("{other:?}"),
        }),
    }
}

/// Checks that the disks have room for the copy of the database and for the backup, as if nothing could be compressed,
/// and that the service has what it needs afterwards.
fn check_room(app: &App, target: &OpenTarget, database: u64, blobs: u64) -> Result<(), BackupFault> {
    let there: Option<(&BackupFolder, &Path)> = match target {
        OpenTarget::Folder(folder, path) => Some((folder, path.as_path())),
        OpenTarget::Bucket(_) => None,
    };
    let data_dir = &app.config.data_dir;
    let at_data = app.store.blobs().disk_space().map_err(of_store)?;
    let spare = at_data.free.saturating_sub(floor(app.config.min_free_mb, at_data.total));
    let lacks = |place: &Path, needed: u64, spare: u64| {
        let place = place.display().to_string();
        Err(BackupFault::NoRoom(place, needed.div_ceil(MB), spare / MB))
    };
    let backup = database.saturating_add(blobs);
    let shares = there.is_some_and(|(folder, _)| folder.shares_disk_with(data_dir));
    let needed = if shares { database.saturating_add(backup) } else { database };
    if needed > spare {
        return lacks(data_dir, needed, spare);
    }
    if let Some((folder, path)) = there.filter(|_| !shares) {
        let space = folder.space().map_err(|e| unwritable(path, &e))?;
        if backup > space.free {
            return lacks(path, backup, space.free);
        }
    }
    Ok(())
}

/// The keys and the database.
fn small_parts(source: &Source, database: &mut File) -> Result<Vec<BackupPart>, BackupFault> {
    let keys = source.keys.iter().map(|(name, bytes)| BackupPart {
        kind: Kind::Key(name.clone()),
        size: bytes.len() as u64,
        sha256: Sha256::digest(bytes.as_slice()).into(),
    });
    let mut parts: Vec<BackupPart> = keys.collect();
    let failed = |e: io::Error| BackupFault::Failed(e.to_string());
    database.rewind().map_err(failed)?;
    let (sha256, size) = hash(database).map_err(failed)?;
    parts.push(BackupPart { kind: Kind::Database, size, sha256 });
    Ok(parts)
}

fn with_blobs(parts: &[BackupPart], blobs: &[Blob], lost: &HashSet<Hash>) -> Vec<BackupPart> {
    let blobs = blobs.iter().filter(|blob| !lost.contains(&blob.hash));
    let blobs = blobs.map(|blob| BackupPart { kind: Kind::Blob(blob.hash), size: blob.size, sha256: blob.hash });
    parts.iter().cloned().chain(blobs).collect()
}

/// The contents without a file of their size.
fn missing(app: &App, source: &Source) -> HashSet<Hash> {
    let is_there = |blob: &Blob| {
        let file = app.store.blobs().read(&blob.hash);
        file.is_ok_and(|file| file.metadata().is_ok_and(|it| it.len() == blob.size))
    };
    let missing = source.blobs.iter().filter(|blob| !is_there(blob));
    missing.map(|blob| blob.hash).collect()
}

/// The contents that are not what their names say, each read to its end.
fn damaged(app: &App, source: &Source) -> HashSet<Hash> {
    let is_whole = |blob: &Blob| {
        let file = app.store.blobs().read(&blob.hash);
        let found = file.ok().and_then(|mut file| hash(&mut file).ok());
        found == Some((blob.hash, blob.size))
    };
    let damaged = source.blobs.iter().filter(|blob| !is_whole(blob));
    damaged.map(|blob| blob.hash).collect()
}

fn hash(file: &mut File) -> io::Result<(Hash, u64)> {
    let (mut sha, mut size) = (Sha256::new(), 0);
    let mut piece = vec![0; 64 << 10];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok((sha.finalize().into(), size)),
            read => {
                sha.update(&piece[..read]);
                size += read as u64;
            }
        }
    }
}

/// Writes all of it, encrypted if there is a key.
fn seal(
    app: &App,
    new: &mut NewFile<'_>,
    key: Option<Encryptor>,
    head: &Head,
    parts: &[BackupPart],
    from: (&Source, &mut File),
    show: &mut dyn FnMut(Progress),
) -> Result<(), Stop> {
    let Some(key) = key else {
        return write(app, new, head, parts, from, show).map(drop);
    };
    let sealed = key.wrap_output(new).map_err(Stop::Io)?;
    let sealed = write(app, sealed, head, parts, from, show)?;
    sealed.finish().map(drop).map_err(Stop::Io)
}

fn write<W: Write>(
    app: &App,
    out: W,
    head: &Head,
    parts: &[BackupPart],
    (source, database): (&Source, &mut File),
    show: &mut dyn FnMut(Progress),
) -> Result<W, Stop> {
    let failed = Stop::Io;
    let all: u64 = parts.iter().map(|part| part.size).sum();
    let mut done = 0;
    let mut writer = Writer::new(out, head, parts).map_err(failed)?;
    for part in parts {
        let hash = match &part.kind {
            Kind::Key(name) => {
                let mut keys = source.keys.iter();
                let key = keys.find(|(key, _)| key == name);
                let bytes = key.map_or(&[][..], |(_, bytes)| bytes.as_slice());
                writer.add(part, &mut &*bytes)
            }
            Kind::Database => {
                database.rewind().map_err(failed)?;
                writer.add(part, &mut WhileOpen { app, inner: &mut *database })
            }
            Kind::Blob(hash) => {
                let inner = app.store.blobs().read(hash).map_err(|_| Stop::Lost)?;
                let mut file = WhileOpen { app, inner };
                match writer.add(part, &mut file) {
                    // It became shorter.
                    Err(e) if e.kind() == ErrorKind::UnexpectedEof => return Err(Stop::Lost),
                    added => added,
                }
            }
        };
        if hash.map_err(failed)? != part.sha256 {
            let changed = || BackupFault::Failed("the copy of the database changed".to_owned());
            return Err(match part.kind {
                Kind::Blob(_) => Stop::Lost,
                _ => Stop::Fault(changed()),
            });
        }
        done += part.size;
        show(Progress::Written(done, all));
    }
    writer.finish().map_err(failed)
}
