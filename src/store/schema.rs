//! Migrates the database to this program's version, and refuses a newer one (S84).

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

pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

// Before this version, two connections that checkpoint at once could lose a commit (S82).
const OLDEST_SQLITE: i32 = 3_051_003;

/// The version of a database that this program writes.
pub fn latest() -> i64 {
    let runner = embedded::migrations::runner();
    let versions = runner.get_migrations().iter().map(|it| it.version());
    versions.max().unwrap_or_default()
}

/// A database in memory as this program makes it, of its own version or an earlier one.
pub(in crate::store) fn fresh(version: i64) -> Result<Connection, String> {
    let mut memory = Connection::open_in_memory().map_err(|e| e.to_string())?;
    let runner = embedded::migrations::runner().set_grouped(true);
    let runner = runner.set_target(refinery::Target::Version(version));
    runner.run(&mut memory).map_err(|e| e.to_string())?;
    Ok(memory)
}

/// Refuses a database of a newer version before anything is written.
pub fn refuse_newer(connection: &Connection, dir: &DataDir) -> Result<(), DataDirFault> {
    let latest = embedded::migrations::runner()
        .get_migrations()
        .iter()
        .map(|migration| migration.version())
        .max();
    match (last_applied(connection).map_err(|e| dir.fault(e))?, latest) {
        (Some(applied), Some(latest)) if applied > latest => {
            let newer = format!("its version is {applied}, this program knows {latest}");
            Err(DataDirFault::Newer(dir.to_string(), newer))
        }
        _ => Ok(()),
    }
}

/// Runs pending migrations, after a backup of the database.
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
    // All migrations and their records in one transaction: by default the runner commits each of them separately, and
    // an interruption in between would leave a database that no later start could repair.
    let runner = embedded::migrations::runner().set_grouped(true);
    let latest = runner.get_migrations().iter().map(|m| m.version()).max();
    let is_due = |connection: &Connection| {
        let applied = last_applied(connection).map_err(|e| dir.fault(e))?;
        Ok((applied, applied.is_none() || applied != latest))
    };
    if let (_, false) = is_due(connection)? {
        return Ok(());
    }
    // Of several processes, one migrates and the others check again.
    let _lock = dir.lock_exclusive()?;
    let (applied, is_still_due) = is_due(connection)?;
    match (applied, latest) {
        _ if !is_still_due => return Ok(()),
        (Some(applied), Some(latest)) if applied < latest => {
            back_up(connection, dir, applied).map_err(|e| dir.fault(e))?;
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

pub(in crate::store) fn last_applied(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    let has_history = connection.table_exists(None, "refinery_schema_history")?;
    if !has_history {
        return Ok(None);
    }
    connection.query_row(
        "SELECT max(version) FROM refinery_schema_history",
        [],
        |row| row.get(0),
    )
}

/// Checks the file after an unclean stop, before the service starts (S83).
fn check(connection: &Connection, dir: &DataDir) -> Result<(), DataDirFault> {
    let report: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|e| dir.fault(e))?;
    if report == "ok" {
        Ok(())
    } else {
        Err(DataDirFault::Damaged(dir.to_string(), report))
    }
}

fn back_up(connection: &Connection, dir: &DataDir, version: i64) -> rusqlite::Result<()> {
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
