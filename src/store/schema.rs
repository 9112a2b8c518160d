//! Brings the database to this program's version, and refuses a newer one (S84).

use std::path::PathBuf;

use refinery::error::Kind;
use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags};

use crate::base::error::DataDirFault;
use crate::store::data_dir::DataDir;

mod embedded {
    //! The files of `migrations/`, compiled in.
    refinery::embed_migrations!("migrations");
}

/// The version of SQLite that is linked in.
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

// Two connections that checkpoint at once could lose a commit before this version (S82).
const OLDEST_SQLITE: i32 = 3_051_003;

/// Refuses a database of a later version before anything is written.
///
/// # Errors
/// The database is newer, or can't be read.
pub fn refuse_newer(connection: &Connection, dir: &DataDir) -> Result<(), DataDirFault> {
    let known = embedded::migrations::runner()
        .get_migrations()
        .iter()
        .map(|migration| migration.version())
        .max();
    match (last_applied(connection).map_err(|e| dir.fault(e))?, known) {
        (Some(applied), Some(known)) if applied > known => {
            let newer = format!("its version is {applied}, this program knows {known}");
            Err(DataDirFault::Newer(dir.to_string(), newer))
        }
        _ => Ok(()),
    }
}

/// Runs the migrations that are missing, after a snapshot of what was there.
///
/// # Errors
/// The database is newer or damaged, or SQLite is too old.
pub fn migrate(connection: &mut Connection, dir: &DataDir) -> Result<(), DataDirFault> {
    if rusqlite::version_number() < OLDEST_SQLITE {
        return Err(DataDirFault::Failed(
            dir.to_string(),
            format!("SQLite {} is too old", sqlite_version()),
        ));
    }
    if dir.was_unclean() {
        check(connection, dir)?;
    }
    // All in one transaction with their records: by itself the runner would commit each of these apart,
    // and an end in between would leave a database that no start could mend.
    let runner = embedded::migrations::runner().set_grouped(true);
    let known = runner.get_migrations().iter().map(|m| m.version()).max();
    let is_due = |connection: &Connection| {
        let applied = last_applied(connection).map_err(|e| dir.fault(e))?;
        Ok((applied, applied.is_none() || applied != known))
    };
    if let (_, false) = is_due(connection)? {
        return Ok(());
    }
    // Of several processes that find it so at once, one does it and the others look again.
    let _alone = dir.alone()?;
    let (applied, is_still_due) = is_due(connection)?;
    match (applied, known) {
        _ if !is_still_due => return Ok(()),
        (Some(applied), Some(known)) if applied < known => {
            snapshot(connection, dir, applied).map_err(|e| dir.fault(e))?;
        }
        _ => {}
    }
    match runner.run(connection) {
        Ok(_) => Ok(()),
        Err(e) => Err(match e.kind() {
            Kind::MissingVersion(migration) => {
                DataDirFault::Newer(dir.to_string(), migration.to_string())
            }
            _ => DataDirFault::Failed(dir.to_string(), e.to_string()),
        }),
    }
}

fn last_applied(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    let known = connection.table_exists(None, "refinery_schema_history")?;
    if !known {
        return Ok(None);
    }
    connection.query_row(
        "SELECT max(version) FROM refinery_schema_history",
        [],
        |row| row.get(0),
    )
}

/// After an unclean stop, the file is looked through before anything is answered from it (S83).
fn check(connection: &Connection, dir: &DataDir) -> Result<(), DataDirFault> {
    let found: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|e| dir.fault(e))?;
    if found == "ok" {
        Ok(())
    } else {
        Err(DataDirFault::Damaged(dir.to_string(), found))
    }
}

fn snapshot(connection: &Connection, dir: &DataDir, version: i64) -> rusqlite::Result<()> {
    let path: PathBuf = dir
        .path()
        .join("backups")
        .join(format!("before-migration-from-{version}.db"));
    let mut copy = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NOFOLLOW,
    )?;
    Backup::new(connection, &mut copy)?.run_to_completion(4096, std::time::Duration::ZERO, None)
}
