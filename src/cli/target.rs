//! The file that a command writes: whole, or as it was.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Seek as _, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

/// A file that is written. What it held stays until all of the new has come: that waits in a file without a name,
/// of which nothing is left, however the command ends. Pipes and devices take it as it comes.
pub struct Target {
    file: File,
    waiting: Option<File>,
    /// Where it was made for this.
    made: Option<PathBuf>,
}

impl Target {
    /// Opens it with the rights of who asks now: a command may be somebody else when all has come.
    ///
    /// # Errors
    /// It can't be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true);
        let (file, made) = match options.clone().create_new(true).open(path) {
            Ok(file) => (file, Some(path.to_owned())),
            // A link that leads nowhere stands there, too.
            Err(fault) if fault.kind() == ErrorKind::AlreadyExists => {
                (options.create(true).truncate(false).open(path)?, None)
            }
            Err(fault) => return Err(fault),
        };
        let waiting = if file.metadata()?.is_file() {
            Some(beside(path)?)
        } else {
            None
        };
        Ok(Self {
            file,
            waiting,
            made,
        })
    }

    /// Puts all that was written into its place.
    ///
    /// # Errors
    /// It can't be.
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

impl Drop for Target {
    fn drop(&mut self) {
        let is_empty = || self.file.metadata().is_ok_and(|known| known.len() == 0);
        if let Some(path) = self.made.take().filter(|_| is_empty()) {
            let _ = fs::remove_file(path);
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
