//! The file that a command writes: whole, or as it was.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

/// A file that is written. What it held stays until all of the new has come: that waits in a file without a name,
/// of which nothing is left, however the command ends. Pipes and devices take it as it comes.
pub struct Target {
    file: File,
    waiting: Option<File>,
    /// Where it was made for this.
    _made: Option<Made>,
}

/// A file that was not there before. It goes again when nothing comes into it.
struct Made(PathBuf);

impl Target {
    /// Opens it with the rights of who asks now: a command may be somebody else when all has come.
    pub fn open(path: &Path) -> io::Result<Self> {
        // A link that leads nowhere leads to nothing that was there before.
        let is_new = !path.try_exists()?;
        let mut options = OpenOptions::new();
        let file = options
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let made = is_new
            .then(|| fs::canonicalize(path).map(Made))
            .transpose()?;
        let waiting = if file.metadata()?.is_file() {
            Some(beside(path)?)
        } else {
            None
        };
        Ok(Self {
            file,
            waiting,
            _made: made,
        })
    }

    /// Puts all that was written into its place.
    pub fn close(mut self) -> io::Result<()> {
        self.flush()?;
        let Some(mut waiting) = self.waiting.take() else {
            return Ok(());
        };
        // Of two commands that write the same file, the second one comes after the first.
        flock(&self.file, FlockOperation::LockExclusive)?;
        self.file.set_len(0)?;
        waiting.rewind()?;
        let copied = io::copy(&mut waiting, &mut self.file).and_then(|_| self.file.sync_all());
        // Half of it is nothing.
        copied.inspect_err(|_| {
            let _ = self.file.set_len(0);
        })
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.as_mut().unwrap_or(&mut self.file).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.waiting.as_mut().unwrap_or(&mut self.file).flush()
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        // Root that became the owner of the data dir may have no right to do so; then an empty file stays.
        if fs::symlink_metadata(&self.0).is_ok_and(|it| it.is_file() && it.len() == 0) {
            let _ = fs::remove_file(&self.0);
        }
    }
}

/// A file without a name on the same disk; where its folder takes none, among the temporary files.
fn beside(path: &Path) -> io::Result<File> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    tempfile::tempfile_in(folder.unwrap_or(Path::new(".")))
        .or_else(|_| tempfile::tempfile_in(env::temp_dir()))
}
