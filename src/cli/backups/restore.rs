//! `formsvc restore`.

use std::path::Path;

use serde_json::json;

use crate::base::backup_target::BackupTarget;
use crate::base::config::Backups;
use crate::cli::backups::backup::{bar, open, place};
use crate::cli::backups::passphrase;
use crate::cli::config::backup_settings;
use crate::cli::config::flags::Flags;
use crate::cli::config::settings::Cx;
use crate::cli::confirm::confirm;
use crate::cli::failure::Failure;
use crate::cli::output::counted;
use crate::cli::server::process::become_owner;
use crate::ops::backups::replica::{Files, Replica};
use crate::ops::backups::restore::RestoreDir;

/// How many missing files are named outside of JSON.
const LOST_NAMED: usize = 10;
const DATABASE: &str = "formsvc.db";

/// Restores the data dir from a backup, or from the files of a service with a database next to or among them.
pub fn run(cx: &Cx, path: &Path, database: Option<&Path>) -> Result<(), Failure> {
    let settings = backup_settings::read(&cx.layers, &Flags::default())?;
    match (place(path)?, database) {
        (BackupTarget::Path(path), database) if path.is_dir() => {
            let files = Files::Folder(path.clone());
            restore_replica(cx, &settings, files, database.unwrap_or(&path.join(DATABASE)))
        }
        (BackupTarget::Bucket(place), Some(database)) => {
            let files = Files::bucket(&place, &settings.s3)?;
            restore_replica(cx, &settings, files, database)
        }
        (_, Some(_)) => {
            let sentence =
                "a backup contains its own database: leave out --database, or name a folder or s3://BUCKET/PREFIX";
            Err(Failure::usage(sentence))
        }
        (_, None) => restore_backup(cx, &settings, path),
    }
}

fn restore_backup(cx: &Cx, settings: &Backups, path: &Path) -> Result<(), Failure> {
    // Opened with the rights of the calling user, before the process becomes the data dir's owner.
    let opened = open(path, settings)?;
    let file = opened.shown.clone();
    let (place, shown) = data_dir(cx)?;
    let bar = bar(cx);
    let mut ask = |shown: &str| passphrase::of_backup(cx, settings, shown);
    let restored = place.restore(opened, &mut ask, &mut |done, all| {
        bar.set_length(all);
        bar.set_position(done);
    })?;
    bar.finish_and_clear();
    cx.out.note(&format!(
        "{shown} is restored to its state of {}: everybody has to sign in again, applications have to be connected \
         again, and emails that were waiting are not sent",
        restored.created_at
    ));
    if restored.lost_files > 0 {
        let lost = restored.lost_files;
        cx.out.note(&format!("{} missing in it", counted(lost, "file of an entry is", "files of entries are")));
    }
    let document = json!({
        "data_dir": shown,
        "file": file,
        "created_at": restored.created_at,
        "lost_files": restored.lost_files,
    });
    cx.out.result("", &document)
}

fn restore_replica(cx: &Cx, settings: &Backups, files: Files, database: &Path) -> Result<(), Failure> {
    let from = files.to_string();
    let mut ask = |shown: &str| passphrase::of_backup(cx, settings, shown);
    // With the rights of the calling user too.
    let mut replica = Replica::open(files, database, &mut ask)?;
    let (place, shown) = data_dir(cx)?;
    let bar = bar(cx);
    let restored = place.restore_replica(&mut replica, &mut |done, all| {
        bar.set_length(all);
        bar.set_position(done);
    })?;
    bar.finish_and_clear();
    cx.out.note(&format!(
        "{shown} is restored to the state of the database: everybody has to sign in again, applications have to be \
         connected again, and emails that were waiting are not sent"
    ));
    let lost = restored.lost.len();
    if lost > 0 {
        let named = restored.lost.iter().take(LOST_NAMED).cloned();
        let more = (lost > LOST_NAMED).then(|| "…".to_owned());
        let named: Vec<String> = named.chain(more).collect();
        let files = counted(lost, "file of an entry is", "files of entries are");
        cx.out.note(&format!("{files} missing or damaged in {from}: {}", named.join(", ")));
    }
    let document = json!({
        "data_dir": shown,
        "files": restored.files,
        "lost_files": lost,
        "lost": restored.lost,
    });
    cx.out.result("", &document)
}

/// The data dir to restore, whose owner the process becomes, and its path. Asks before data is replaced.
fn data_dir(cx: &Cx) -> Result<(RestoreDir, String), Failure> {
    let data_dir = become_owner(cx.data_dir()?)?;
    let shown = data_dir.display().to_string();
    let place = RestoreDir::open(&data_dir)?;
    if place.has_data() {
        let question = format!("This replaces all data in {shown} except its backups. Continue?");
        confirm(cx, &question)?;
    }
    Ok((place, shown))
}
