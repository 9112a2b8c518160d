//! The file that a command writes: whole, or as it was.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

/// A file that is written. What stood in its place stays there until all of it has come; where it never does,
/// nothing of it is left. Pipes and devices take it as it comes.
pub struct Target {
    file: File,
    place: Option<Place>,
}

/// Where a whole file goes to.
struct Place {
    is_whole: Sender<()>,
    keeper: JoinHandle<io::Result<()>>,
}

impl Target {
    /// Opens it with the rights of who asks now, which also serve when it is put in its place: a command may be
    /// somebody else by then.
    ///
    /// # Errors
    /// It can't be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let old = match fs::metadata(path) {
            Ok(old) if !old.is_file() => {
                let file = OpenOptions::new().write(true).open(path)?;
                return Ok(Self { file, place: None });
            }
            Ok(old) => Some(old),
            Err(fault) if fault.kind() == ErrorKind::NotFound => None,
            Err(fault) => return Err(fault),
        };
        // A link stays one.
        let path = match &old {
            Some(_) => fs::canonicalize(path)?,
            None => path.to_owned(),
        };
        let part = beside(&path)?;
        // One of a command that was killed; what else stands there is not followed.
        match fs::remove_file(&part) {
            Err(fault) if fault.kind() != ErrorKind::NotFound => return Err(fault),
            _ => {}
        }
        let mode = if old.is_some() { 0o600 } else { 0o666 };
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(&part)?;
        if let Some(old) = &old {
            // Where it can't be the same owner's, it is the writer's.
            let _ = fchown(&file, Some(old.uid()), Some(old.gid()));
            file.set_permissions(Permissions::from_mode(old.mode() & 0o777))?;
        }
        let (is_whole, told) = channel();
        let keeper = thread::spawn(move || keep(&told, &part, &path));
        Ok(Self {
            file,
            place: Some(Place { is_whole, keeper }),
        })
    }

    /// Puts what was written in its place.
    ///
    /// # Errors
    /// It can't be: what stood there is as it was.
    pub fn close(mut self) -> io::Result<()> {
        self.file.flush()?;
        let Some(place) = self.place.take() else {
            return Ok(());
        };
        self.file.sync_all()?;
        // The keeper waits for this.
        let _ = place.is_whole.send(());
        place
            .keeper
            .join()
            .unwrap_or_else(|_| Err(ErrorKind::Other.into()))
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // Told that nothing more comes, the keeper takes away what has come.
        if let Some(Place { is_whole, keeper }) = self.place.take() {
            drop(is_whole);
            let _ = keeper.join();
        }
    }
}

/// Where a file stands until it is whole.
fn beside(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(".formsvc-part");
    Ok(path.with_file_name(hidden))
}

/// Rights are a thread's own: this one keeps those that it began with.
fn keep(told: &Receiver<()>, part: &Path, path: &Path) -> io::Result<()> {
    match told.recv() {
        Ok(()) => fs::rename(part, path).inspect_err(|_| {
            let _ = fs::remove_file(part);
        }),
        Err(_) => fs::remove_file(part),
    }
}
