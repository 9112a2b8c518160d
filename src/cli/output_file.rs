//! The output file of a command: replaced as a whole, or left unchanged.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

/// An output file. It keeps its content until the new content is complete: that is collected in an unnamed temporary
/// file, which vanishes however the command ends. Pipes and devices are written directly.
pub struct OutputFile {
    file: File,
    temporary: Option<File>,
    /// Set if the file is new.
    _created: Option<CreatedFile>,
}

/// A new file; removed on drop if it stayed empty.
struct CreatedFile(PathBuf);

impl OutputFile {
    /// Opens the file with the current user's rights; the process may change its user before it writes.
    pub fn open(path: &Path) -> io::Result<Self> {
        // A dangling link counts as new.
        let is_new = !path.try_exists()?;
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).open(path)?;
        let created = is_new.then(|| fs::canonicalize(path).map(CreatedFile)).transpose()?;
        let temporary = if file.metadata()?.is_file() { Some(temporary_near(path)?) } else { None };
        Ok(Self { file, temporary, _created: created })
    }

    /// Replaces the file's content with the written bytes.
    pub fn close(mut self) -> io::Result<()> {
        self.flush()?;
        let Some(mut temporary) = self.temporary.take() else {
            return Ok(());
        };
        // Serializes two commands that write the same file.
        flock(&self.file, FlockOperation::LockExclusive)?;
        self.file.set_len(0)?;
        temporary.rewind()?;
        let copied = io::copy(&mut temporary, &mut self.file).and_then(|_| self.file.sync_all());
        // A partial copy is discarded.
        copied.inspect_err(|_| {
            let _ = self.file.set_len(0);
        })
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temporary.as_mut().unwrap_or(&mut self.file).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.as_mut().unwrap_or(&mut self.file).flush()
    }
}

impl Drop for CreatedFile {
    fn drop(&mut self) {
        // After a change of user the process may lack the right to remove it; then an empty file stays.
        if fs::symlink_metadata(&self.0).is_ok_and(|it| it.is_file() && it.len() == 0) {
            let _ = fs::remove_file(&self.0);
        }
    }
}

/// An unnamed temporary file in the same folder; if that is not writable, in the system's temporary folder.
fn temporary_near(path: &Path) -> io::Result<File> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    tempfile::tempfile_in(folder.unwrap_or(Path::new("."))).or_else(|_| tempfile::tempfile_in(env::temp_dir()))
}
