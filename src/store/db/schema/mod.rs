//! Migrates the database to this program's version, and refuses a newer one (S84).
//!
//! An upgrade is one transaction over all migrations that are due, after a copy of the database: whatever interrupts it
//! leaves the old version or the new one. Migrations that were released never change: a database has been through them.

use refinery::{Migration, Runner};
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use crate::base::error::DataDirFault;
use crate::base::text::identity;
use crate::store::backups::snapshots;
use crate::store::db::data_dir::DataDir;

#[cfg(test)]
mod tests;

mod embedded {
    //! The files of `migrations/`, compiled in.
    refinery::embed_migrations!("migrations");
}

pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

// Before this version, two connections that checkpoint at once could lose a commit (S82).
const OLDEST_SQLITE: i32 = 3_051_003;

const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// This program's migrations, in order.
fn own() -> Vec<Migration> {
    let mut all = embedded::migrations::runner().get_migrations().clone();
    all.sort_by_key(Migration::version);
    all
}

fn newest(known: &[Migration]) -> i64 {
    known.iter().map(Migration::version).max().unwrap_or(0)
}

/// The version of a database that this program writes.
pub fn latest() -> i64 {
    newest(&own())
}

/// A database in memory as this program makes it, of its own version or an earlier one.
pub(in crate::store) fn fresh(version: i64) -> Result<Connection, String> {
    let mut memory = Connection::open_in_memory().map_err(|e| e.to_string())?;
    let mut known = own();
    known.retain(|migration| migration.version() <= version);
    create(&mut memory, &known)?;
    Ok(memory)
}

/// Why a database of a later version can't be read.
pub(in crate::store) fn newer(connection: &Connection, version: i64, known: i64) -> rusqlite::Result<String> {
    let program = program_of(connection)?;
    let program = program.map_or_else(String::new, |program| format!("formsvc {program}; "));
    Ok(format!("{program}its version is {version}, this program knows {known}"))
}

/// Refuses a database of a newer version before anything is written.
pub fn refuse_newer(connection: &Connection, dir: &DataDir) -> Result<(), DataDirFault> {
    refuse_unknown(&own(), connection, dir)
}

fn refuse_unknown(known: &[Migration], connection: &Connection, dir: &DataDir) -> Result<(), DataDirFault> {
    let applied = applied(connection).map_err(|e| dir.fault(e))?;
    let is_known = |version: i64| -> bool { known.iter().any(|migration| migration.version() == version) };
    let Some(unknown) = applied.into_iter().rfind(|version| !is_known(*version)) else {
        return Ok(());
    };
    let program = program_of(connection).map_err(|e| dir.fault(e))?;
    let what = newer(connection, unknown, newest(known)).map_err(|e| dir.fault(e))?;
    let needed = program.map_or_else(|| "that version".to_owned(), |program| format!("formsvc {program}"));
    let back = match snapshots::latest_for(dir.path(), newest(known)) {
        Some(snapshot) => format!(
            "go back to what it was before it was upgraded with `formsvc restore {} --data-dir {dir}`, which loses \
             what came since",
            snapshot.display()
        ),
        None => format!("restore a backup that formsvc {PROGRAM} or an earlier one made"),
    };
    let remedy = format!("install {needed} or a newer one, or {back}");
    Err(DataDirFault::Newer(dir.to_string(), what, remedy))
}

/// Brings the database to this program's version, after a copy of it.
pub fn migrate(connection: &mut Connection, dir: &DataDir) -> Result<(), DataDirFault> {
    if rusqlite::version_number() < OLDEST_SQLITE {
        return Err(DataDirFault::Failed(dir.to_string(), format!("SQLite {} is too old", sqlite_version())));
    }
    if dir.was_unclean() {
        check(connection, dir)?;
    }
    bring_to(&own(), connection, dir)
}

fn bring_to(known: &[Migration], connection: &mut Connection, dir: &DataDir) -> Result<(), DataDirFault> {
    let due = |connection: &Connection| {
        let applied = applied(connection).map_err(|e| dir.fault(e))?;
        let mut due = known.to_vec();
        due.retain(|migration| !applied.contains(&migration.version()));
        Ok((applied, due))
    };
    if due(connection)?.1.is_empty() {
        return Ok(());
    }
    // Of several processes, one migrates and the others check again.
    let _lock = dir.lock_exclusive()?;
    let (applied, due) = due(connection)?;
    if due.is_empty() {
        return Ok(());
    }
    let Some(from) = applied.last().copied() else {
        let made = create(connection, known);
        return made.map_err(|e| DataDirFault::Failed(dir.to_string(), e));
    };
    // A server of the version before must not see its tables change.
    let _no_server = dir.lock_out_server()?;
    if !dir.was_unclean() {
        check(connection, dir)?;
    }
    let snapshot = snapshots::make(connection, dir, from)?;
    let shown = snapshot.display();
    upgrade(connection, &due).map_err(|why| DataDirFault::NotUpgraded(dir.to_string(), why, shown.to_string()))?;
    let to = newest(known);
    tracing::info!("the database was upgraded from version {from} to {to}; {shown} is a copy of it from before");
    if let Err(e) = snapshots::prune(dir, from) {
        tracing::warn!("copies of the database from before earlier upgrades can't be removed: {e}");
    }
    Ok(())
}

fn create(connection: &mut Connection, known: &[Migration]) -> Result<(), String> {
    // All migrations and their records in one transaction: by default the runner commits each of them separately, and
    // an interruption in between would leave a database that no later start could repair.
    add_functions(connection).map_err(|e| e.to_string())?;
    let runner = Runner::new(known).set_grouped(true);
    runner.run(connection).map_err(|e| e.to_string())?;
    note_program(connection).map_err(|e| e.to_string())
}

/// Functions that migrations use beyond SQL.
fn add_functions(connection: &Connection) -> rusqlite::Result<()> {
    add_function(connection, "same_text", identity::of_text)?;
    add_function(connection, "same_email", identity::of_email)
}

/// No table, index or trigger may use it: other programs open the database too.
fn add_function(connection: &Connection, name: &str, function: fn(&str) -> String) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_scalar_function(name, 1, flags, move |cx| Ok(function(&cx.get::<String>(0)?)))
}

/// Runs migrations on a database that has data. The library's runner would keep foreign keys on: a table that is
/// rebuilt is dropped meanwhile, which would delete the rows that refer to it.
fn upgrade(connection: &mut Connection, due: &[Migration]) -> Result<(), String> {
    let told = |e: rusqlite::Error| e.to_string();
    add_functions(connection).map_err(told)?;
    // This can't be set within a transaction.
    connection.pragma_update(None, "foreign_keys", false).map_err(told)?;
    let done = run(connection, due);
    connection.pragma_update(None, "foreign_keys", true).map_err(told)?;
    done
}

fn run(connection: &mut Connection, due: &[Migration]) -> Result<(), String> {
    let told = |e: rusqlite::Error| e.to_string();
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate);
    let tx = tx.map_err(told)?;
    for migration in due {
        let told = |e: rusqlite::Error| format!("{migration}: {e}");
        tx.execute_batch(migration.sql().unwrap_or_default()).map_err(told)?;
        tx.execute(
            "INSERT INTO refinery_schema_history (version, name, applied_on, checksum) \
             VALUES (?1, ?2, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?3)",
            params![migration.version(), migration.name(), migration.checksum().to_string()],
        )
        .map_err(told)?;
    }
    let dangling = tx.query_row("PRAGMA foreign_key_check", [], |row| row.get::<_, String>(0));
    if let Some(table) = dangling.optional().map_err(told)? {
        return Err(format!("rows of {table} refer to rows that are gone"));
    }
    note_program(&tx).map_err(told)?;
    tx.commit().map_err(told)
}

/// The versions that a database has been through, in order.
fn applied(connection: &Connection) -> rusqlite::Result<Vec<i64>> {
    if !connection.table_exists(None, "refinery_schema_history")? {
        return Ok(Vec::new());
    }
    let mut select = connection.prepare("SELECT version FROM refinery_schema_history ORDER BY version")?;
    let versions = select.query_map([], |row| row.get(0))?;
    versions.collect()
}

pub(in crate::store) fn last_applied(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    if !connection.table_exists(None, "refinery_schema_history")? {
        return Ok(None);
    }
    // Not all of them: this is asked of databases that anybody may have made.
    connection.query_row("SELECT max(version) FROM refinery_schema_history", [], |row| row.get(0))
}

/// Notes the program's version in the file's header: 1.2.3 as 1002003. An older program shows it in its message when it
/// refuses the file.
fn note_program(connection: &Connection) -> rusqlite::Result<()> {
    let numbers = [env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"), env!("CARGO_PKG_VERSION_PATCH")];
    let number = numbers.iter().fold(0, |sum, number| sum * 1000 + number.parse::<i64>().unwrap_or(0).min(999));
    connection.pragma_update(None, "user_version", number)
}

/// The version of that program; `None` if it was not noted.
fn program_of(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let number: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let [major, minor, patch] = [number / 1_000_000, number / 1000 % 1000, number % 1000];
    Ok((number > 0).then(|| format!("{major}.{minor}.{patch}")))
}

/// Checks the file after an unclean stop and before an upgrade, before the service starts (S83).
fn check(connection: &Connection, dir: &DataDir) -> Result<(), DataDirFault> {
    let report: String =
        connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(|e| dir.fault(e))?;
    if report == "ok" { Ok(()) } else { Err(DataDirFault::Damaged(dir.to_string(), report)) }
}
