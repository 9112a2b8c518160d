//! The one check of a backup's content, for verifying and restoring: its database is from this program and no later
//! version, undamaged, and belongs to the key, and the files that it names are there.

use crate::ops::backups::format::{BackupPart, Head, Kind};
use crate::ops::backups::reader::Bad;
use crate::store::backups::restoring::{Checked, Unfit};
use crate::store::db::schema;

#[derive(Default)]
pub struct Inspection {
    database: Option<Checked>,
    /// Files that the database names and that the backup has.
    present: u64,
}

impl Inspection {
    /// Refuses a backup of a later version by its head.
    pub fn begin<E>(head: &Head) -> Result<(), Bad<E>> {
        if head.schema > schema::latest() {
            let known = schema::latest();
            let Head { program, schema, .. } = head;
            let newer = format!("formsvc {program}; its version is {schema}, this program knows {known}");
            return Err(Bad::Newer(newer));
        }
        Ok(())
    }

    /// Inspects a part that matches the manifest. `check` checks the database, which was written.
    pub fn add(&mut self, part: &BackupPart, check: impl FnOnce() -> Result<Checked, Unfit>) -> Result<(), Unfit> {
        match &part.kind {
            Kind::Key(_) => {}
            Kind::Database => self.database = Some(check()?),
            Kind::Blob(hash) => {
                let is_named = self.database.as_ref().map(|database| database.names(hash, part.size)).transpose()?;
                self.present += u64::from(is_named.unwrap_or_default());
            }
        }
        Ok(())
    }

    /// Checks that no more files are missing than the backup says.
    pub fn finish(self, head: &Head) -> Result<Checked, Unfit> {
        let database = self.database.ok_or_else(|| Unfit::Damaged("it has no database".to_owned()))?;
        let missing = database.file_count()?.saturating_sub(self.present);
        if missing > head.lost_files {
            return Err(Unfit::Damaged(format!("{missing} files of its database are missing")));
        }
        Ok(database)
    }
}
