//! Restores a data dir from a backup.

use std::io::{self, ErrorKind, Read, Write as _};
use std::path::Path;

use crate::base::backup_fault::BackupFault;
use crate::ops::backups::format::{Head, Kind, Part};
use crate::ops::backups::reader::{Bad, Sink};
use crate::ops::backups::{Ask, Opened, read_opened, total};
use crate::ops::disk_space::MB;
use crate::store::restoring::{Target, Unfit, Unpacked};
use crate::store::schema;

/// A data dir to restore, which no server runs on.
pub struct Place(Target);

impl Place {
    /// Opens the folder, which is created if it is missing, and removed again if nothing is restored.
    ///
    /// # Errors
    /// A server runs on it, or it can't be written.
    pub fn open(data_dir: &Path) -> Result<Self, BackupFault> {
        Ok(Self(Target::open(data_dir)?))
    }

    /// Whether there is data that would be replaced.
    pub fn has_data(&self) -> bool {
        !self.0.is_empty().unwrap_or_default()
    }

    /// Unpacks the backup, checks it and puts it in place of what is there. `show` is told the bytes done, and of how
    /// many.
    ///
    /// # Errors
    /// The backup can't be used, or there is no room; nothing is changed then.
    pub fn restore(
        mut self,
        opened: Opened,
        ask: Ask<'_>,
        show: &mut dyn FnMut(u64, u64),
    ) -> Result<Head, BackupFault> {
        let at = self.0.path().to_owned();
        let unwritable = |e: io::Error| super::unwritable(&at, &e);
        let free = self.0.space().map_err(unwritable)?.free;
        let mut sink = Unpack {
            unpacked: self.0.unpack().map_err(unwritable)?,
            at: &at,
            free,
            bytes: 0,
            all: 0,
            show,
        };
        let shown = opened.shown.clone();
        let head = read_opened(opened, ask, &mut sink)?;
        let unpacked = sink.unpacked;
        unpacked
            .prepare(head.lost_files)
            .map_err(|unfit| match unfit {
                Unfit::Foreign(what) => BackupFault::Foreign(shown, what),
                Unfit::Newer(what) => BackupFault::Newer(shown, what),
                Unfit::Damaged(what) => BackupFault::Damaged(shown, what),
                Unfit::Failed(what) => super::unwritable(&at, &io::Error::other(what)),
            })?;
        unpacked.put_in_place().map_err(unwritable)?;
        Ok(head)
    }
}

struct Unpack<'u> {
    unpacked: Unpacked<'u>,
    at: &'u Path,
    free: u64,
    bytes: u64,
    all: u64,
    show: &'u mut dyn FnMut(u64, u64),
}

impl Sink for Unpack<'_> {
    type Fault = BackupFault;

    fn begin(&mut self, head: &Head, parts: &[Part]) -> Result<(), Bad<BackupFault>> {
        if head.schema > schema::latest() {
            let known = schema::latest();
            let newer = format!("its version is {}, this program knows {known}", head.schema);
            return Err(Bad::Newer(newer));
        }
        self.all = total(parts);
        if self.all > self.free {
            let at = self.at.display().to_string();
            let (needed, free) = (self.all.div_ceil(MB), self.free / MB);
            return Err(Bad::Sink(BackupFault::NoRoom(at, needed, free)));
        }
        Ok(())
    }

    fn part(&mut self, part: &Part, content: &mut dyn Read) -> Result<(), BackupFault> {
        let failed = |e: io::Error| super::unwritable(self.at, &e);
        let file = match &part.kind {
            Kind::Key(name) => self.unpacked.key(name),
            Kind::Database => self.unpacked.database(),
            Kind::Blob(hash) => self.unpacked.blob(hash),
        };
        let mut file = file.map_err(failed)?;
        let mut piece = vec![0; 64 << 10];
        loop {
            match content.read(&mut piece) {
                Ok(0) => return Ok(()),
                Ok(read) => {
                    file.write_all(&piece[..read]).map_err(failed)?;
                    self.bytes += read as u64;
                    (self.show)(self.bytes, self.all);
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(failed(e)),
            }
        }
    }
}
