//! Checks the environment of a data directory, without its database: modes, file system, free space, sizes. `doctor`
//! prints all findings, `serve` warns of problems.

use std::path::Path;

use crate::base::config::{Checkpoints, MB};
use crate::ops::checkup::{CheckState, Finding};
use crate::ops::server::disk_space;
use crate::store::db::checkpoints::LARGE_LOG;
use crate::store::db::data_dir::{self, Sizes};
use crate::store::db::file_system::{self, FileSystem};
use crate::store::db::schema;

/// Checks a data directory. `min_free_mb` is the free space that its disk must have.
pub fn examine(data_dir: &Path, min_free_mb: u64, checkpoints: Checkpoints) -> Vec<Finding> {
    // If the directory is a symbolic link, the file system of its target counts.
    let data_dir = &data_dir.canonicalize().unwrap_or_else(|_| data_dir.to_owned());
    let version = schema::sqlite_version();
    let found = data_dir::sizes(data_dir);
    vec![
        modes(data_dir),
        file_system(data_dir),
        disk_space(data_dir, min_free_mb),
        checkpoint(checkpoints, found.log),
        sizes(found),
        // A database is not opened with an SQLite that is too old, so this is only informative.
        Finding::new("sqlite", CheckState::Ok, format!("SQLite {version}")).with("version", version),
    ]
}

fn modes(data_dir: &Path) -> Finding {
    let wide = data_dir::wide_modes(data_dir);
    let Some(first) = wide.first() else {
        let text = "nobody but the owner may read the data dir";
        return Finding::new("modes", CheckState::Ok, text);
    };
    let text = format!(
        "others may read {} in the data dir, such as {}: take their rights away with chmod -R go= {}",
        wide.len(),
        first.display(),
        data_dir.display()
    );
    Finding::new("modes", CheckState::Fail, text)
}

fn file_system(data_dir: &Path) -> Finding {
    const CHECK: &str = "file system";
    let Some(found) = FileSystem::of(data_dir) else {
        let text = "the system doesn't say which file system the data dir is on";
        return Finding::new(CHECK, CheckState::Ok, text).with("file_system", ());
    };
    let (kind, mount_point) = (&found.kind, found.mount_point.display().to_string());
    let (state, text) = if found.is_network() {
        let text = format!(
            "the data dir is on a network file system ({kind} at {mount_point}), where SQLite can lose data: \
             move it to a local disk"
        );
        (CheckState::Fail, text)
    } else {
        let text = format!("the data dir is on {kind}, mounted at {mount_point}");
        (CheckState::Ok, text)
    };
    Finding::new(CHECK, state, text).with("file_system", kind.as_str()).with("mount_point", mount_point)
}

fn disk_space(data_dir: &Path, min_free_mb: u64) -> Finding {
    const CHECK: &str = "disk space";
    let space = match file_system::space(data_dir) {
        Ok(space) => space,
        Err(e) => {
            let text = format!("the free space of the disk can't be read: {e}");
            return Finding::new(CHECK, CheckState::Warn, text);
        }
    };
    let (free, total) = (space.free / MB, space.total / MB);
    let floor = disk_space::floor(min_free_mb, space.total);
    let (state, text) = if space.free < floor {
        let text =
            format!("only {free} of {total} MB are free: no files and submissions are taken below {} MB", floor / MB);
        (CheckState::Warn, text)
    } else {
        (CheckState::Ok, format!("{free} of {total} MB are free"))
    };
    Finding::new(CHECK, state, text).with("free_bytes", space.free).with("total_bytes", space.total)
}

/// Whether the log is written back into the database.
fn checkpoint(checkpoints: Checkpoints, log: u64) -> Finding {
    const CHECK: &str = "checkpoints";
    let (state, name, text) = match checkpoints {
        Checkpoints::Own => {
            let text = "the service writes the log of the database back into it";
            (CheckState::Ok, "own", text.to_owned())
        }
        Checkpoints::External if log < LARGE_LOG => {
            let text = "the log of the database is left to another program, such as Litestream";
            (CheckState::Ok, "external", text.to_owned())
        }
        Checkpoints::External => {
            let text = format!(
                "the log of the database has grown to {} MB, since nobody writes it back: start Litestream, or the \
                 service without --checkpoints external",
                log / MB
            );
            (CheckState::Warn, "external", text)
        }
    };
    Finding::new(CHECK, state, text).with("checkpoints", name)
}

fn sizes(of: Sizes) -> Finding {
    let text = format!(
        "database {} MB, its log {} MB, files {} MB, backups {} MB",
        of.database.div_ceil(MB),
        of.log.div_ceil(MB),
        of.blobs.div_ceil(MB),
        of.backups.div_ceil(MB)
    );
    Finding::new("sizes", CheckState::Ok, text)
        .with("database_bytes", of.database)
        .with("log_bytes", of.log)
        .with("blobs_bytes", of.blobs)
        .with("backups_bytes", of.backups)
}
