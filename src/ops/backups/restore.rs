//! Restores a data dir from a backup, or its database from a copy that an upgrade made.

use std::io::{self, ErrorKind, Read, Write as _};
use std::path::Path;

use crate::base::backup_fault::BackupFault;
use crate::base::clock::Time;
use crate::base::config::MB;
use crate::ops::backups::format::{BackupPart, Head, Kind};
use crate::ops::backups::inspection::Inspection;
use crate::ops::backups::reader::{Bad, Sink};
use crate::ops::backups::{Ask, Opened, read_opened, unfit_fault};
use crate::store::backups::restoring::{RestoredDir, Unpacked, is_database};

/// The restored backup.
#[derive(Clone, Copy, Debug)]
pub struct Restored {
    /// When the backup was made.
    pub created_at: Time,
    /// How many files of entries are missing.
    pub lost_files: u64,
}

/// A data dir to restore, which no server runs on.
pub struct RestoreDir(pub(in crate::ops::backups) RestoredDir);

impl RestoreDir {
    /// Opens the folder, which is created if it is missing, and removed again if nothing is restored.
    ///
    /// # Errors
    /// A server runs on it, or it can't be written.
    pub fn open(data_dir: &Path) -> Result<Self, BackupFault> {
        Ok(Self(RestoredDir::open(data_dir)?))
    }

    /// Whether the restore would replace existing data.
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
        mut opened: Opened,
        ask: Ask<'_>,
        show: &mut dyn FnMut(u64, u64),
    ) -> Result<Restored, BackupFault> {
        let at = self.0.path().to_owned();
        let unwritable = |e: io::Error| super::unwritable(&at, &e);
        match is_database(&mut opened.from) {
            Ok(false) => {}
            Ok(true) => return self.restore_database(opened, show),
            Err(e) => {
                let what = format!("the file can't be read: {e}");
                return Err(opened.fault_or(BackupFault::Damaged(opened.shown.clone(), what)));
            }
        }
        let free = self.0.space().map_err(unwritable)?.free;
        let unpacked = self.0.unpack().map_err(unwritable)?;
        let shown = opened.shown.clone();
        let inspection = Inspection::default();
        let mut sink = Unpack { shown: &shown, unpacked: &unpacked, at: &at, free, inspection, bytes: 0, all: 0, show };
        let head = read_opened(opened, ask, unpacked.path(), &mut sink)?;
        let finished = sink.inspection.finish(&head);
        finished
            .and_then(|checked| unpacked.prepare(checked))
            .map_err(|unfit| unfit_fault(&shown, unfit, unwritable))?;
        unpacked.put_in_place().map_err(unwritable)?;
        Ok(Restored { created_at: head.created_at, lost_files: head.lost_files })
    }

    fn restore_database(self, mut opened: Opened, show: &mut dyn FnMut(u64, u64)) -> Result<Restored, BackupFault> {
        let at = self.0.path().to_owned();
        if !at.join("keys/instance").is_file() {
            let what = "it is a database alone, which is restored only in the data dir that it comes from";
            return Err(BackupFault::Foreign(opened.shown, what.to_owned()));
        }
        let unwritable = |e: io::Error| super::unwritable(&at, &e);
        let free = self.0.space().map_err(unwritable)?.free;
        if opened.size > free {
            let (needed, free) = (opened.size.div_ceil(MB), free / MB);
            return Err(BackupFault::NoRoom(at.display().to_string(), needed, free));
        }
        let lost_files = self
            .0
            .put_database(&mut opened.from, &mut |done| show(done, opened.size))
            .map_err(|unfit| opened.fault_or(unfit_fault(&opened.shown, unfit, unwritable)))?;
        Ok(Restored { created_at: opened.written_at, lost_files })
    }
}

struct Unpack<'u> {
    shown: &'u str,
    unpacked: &'u Unpacked<'u>,
    at: &'u Path,
    free: u64,
    inspection: Inspection,
    bytes: u64,
    all: u64,
    show: &'u mut dyn FnMut(u64, u64),
}

impl Sink for Unpack<'_> {
    type Fault = BackupFault;

    fn begin(&mut self, head: &Head, bytes: u64) -> Result<(), Bad<BackupFault>> {
        Inspection::begin(head)?;
        self.all = bytes;
        if self.all > self.free {
            let at = self.at.display().to_string();
            let (needed, free) = (self.all.div_ceil(MB), self.free / MB);
            return Err(Bad::Sink(BackupFault::NoRoom(at, needed, free)));
        }
        Ok(())
    }

    fn part(&mut self, part: &BackupPart, content: &mut dyn Read) -> Result<(), BackupFault> {
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

    fn whole(&mut self, part: &BackupPart) -> Result<(), BackupFault> {
        let unpacked = self.unpacked;
        let added = self.inspection.add(part, || unpacked.check());
        added.map_err(|unfit| unfit_fault(self.shown, unfit, |e| super::unwritable(self.at, &e)))
    }
}
