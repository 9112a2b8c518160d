//! `formsvc backup` and `formsvc restore`.

use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal as _, stderr};
use std::path::Path;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

use crate::base::json::Json;
use crate::cli::args::Backup;
use crate::cli::confirm::confirm;
use crate::cli::failure::{Exit, Failure};
use crate::cli::process::become_owner;
use crate::cli::settings::Cx;
use crate::cli::with_app;
use crate::ops::backups::replica::Replica;
use crate::ops::backups::restore::Place;
use crate::ops::backups::{self, Listed, Progress};

/// How many missing files are named outside of JSON.
const LOST_NAMED: usize = 10;

pub fn run(cx: &Cx, command: Backup) -> Result<(), Failure> {
    match command {
        Backup::Create { output } => create(cx, output.as_deref()),
        Backup::Verify { file } => verify(cx, &file),
        Backup::List => list(cx),
        Backup::Prune { keep } => prune(cx, keep),
    }
}

fn create(cx: &Cx, output: Option<&Path>) -> Result<(), Failure> {
    if let Some(path) = output.filter(|path| backups::exists(path)) {
        let path = path.display();
        confirm(cx, &format!("This replaces the file {path}. Go on?"))?;
    }
    let bar = bar(cx);
    let made = with_app(cx, |app| {
        let mut show = |progress| {
            let (what, done, all) = match progress {
                Progress::Copied(done, all) => ("database copied", done, all),
                Progress::Written(done, all) => ("written", done, all),
            };
            bar.set_message(what);
            bar.set_length(all);
            bar.set_position(done);
        };
        Ok(backups::create(app, output, &mut show)?)
    })?;
    bar.finish_and_clear();
    let path = made.path.display().to_string();
    cx.out.note(&format!(
        "{path} holds the keys of this service and all that was entered: keep it private, and a copy of it elsewhere"
    ));
    if made.lost > 0 {
        cx.out.note(&format!(
            "{} files are missing or damaged in the data dir, and not in the backup: run formsvc doctor",
            made.lost
        ));
    }
    let document = json!({
        "file": path,
        "size": made.size,
        "created_at": made.created_at,
        "database_bytes": made.database_bytes,
        "files": made.files,
        "lost_files": made.lost,
    });
    cx.out.result(&path, &document)
}

fn verify(cx: &Cx, path: &Path) -> Result<(), Failure> {
    let bar = bar(cx);
    let done = open(path).and_then(|file| {
        let show = &mut |done, all| {
            bar.set_length(all);
            bar.set_position(done);
        };
        Ok(backups::verify(path, file, show)?)
    });
    bar.finish_and_clear();
    let shown = path.display().to_string();
    let done = match done {
        Ok(done) => done,
        Err(failure) => {
            if cx.out.json {
                let document = json!({"file": shown, "ok": false, "problem": failure.sentence});
                cx.out.result("", &document)?;
            }
            return Err(failure);
        }
    };
    let head = &done.head;
    let document = json!({
        "file": shown,
        "ok": true,
        "created_at": head.created_at,
        "program": head.program,
        "format": head.format,
        "schema": head.schema,
        "parts": head.parts,
        "bytes": done.bytes,
        "lost_files": head.lost_files,
    });
    let text = format!(
        "{shown} is whole: made on {} by formsvc {}, {} parts, {} bytes unpacked",
        head.created_at, head.program, head.parts, done.bytes
    );
    cx.out.result(&text, &document)
}

fn list(cx: &Cx) -> Result<(), Failure> {
    let data_dir = become_owner(cx.data_dir()?)?;
    let mut found = backups::list(&data_dir)?;
    let others = backups::others(&data_dir)?;
    if !others.unknown.is_empty() {
        cx.out.note(&format!(
            "not listed, since no backup has such a name: {}",
            others.unknown.join(", ")
        ));
    }
    found.extend(others.snapshots);
    let row = |it: &Listed| {
        let path = it.path.display().to_string();
        vec![it.created_at.to_string(), it.size.to_string(), path]
    };
    let rows: Vec<Vec<String>> = found.iter().map(row).collect();
    let document: Vec<Json> = found.iter().map(document).collect();
    cx.out
        .table(&["created", "bytes", "file"], &rows, &document.into())
}

fn prune(cx: &Cx, keep: usize) -> Result<(), Failure> {
    let removed = backups::prune(&become_owner(cx.data_dir()?)?, keep)?;
    let lines: Vec<String> = removed
        .iter()
        .map(|it| format!("deleted {}", it.path.display()))
        .collect();
    let document: Vec<Json> = removed.iter().map(document).collect();
    cx.out
        .result(&lines.join("\n"), &json!({"deleted": document}))
}

fn document(it: &Listed) -> Json {
    let path = it.path.display().to_string();
    let kind = if it.is_snapshot {
        "database_before_upgrade"
    } else {
        "backup"
    };
    json!({"file": path, "kind": kind, "created_at": it.created_at, "size": it.size})
}

/// Restores the data dir from a backup, or from a folder with a database beside it or in it.
pub fn restore(cx: &Cx, path: &Path, database: Option<&Path>) -> Result<(), Failure> {
    if path.is_dir() {
        return restore_replica(cx, path, database);
    }
    if database.is_some() {
        let sentence = "a backup has its own database: leave --database out, or name a folder";
        return Err(Failure::usage(sentence));
    }
    // Opened with the rights of the calling user, before the process becomes the data dir's owner.
    let file = open(path)?;
    let (place, shown) = place(cx)?;
    let bar = bar(cx);
    let restored = place.restore(path, file, &mut |done, all| {
        bar.set_length(all);
        bar.set_position(done);
    })?;
    bar.finish_and_clear();
    cx.out.note(&format!(
        "{shown} is as it was on {}: everybody has to sign in again, applications have to be connected again, and \
         emails that waited are not sent",
        restored.created_at
    ));
    if restored.lost_files > 0 {
        let lost = restored.lost_files;
        cx.out
            .note(&format!("{lost} files of entries are missing in it"));
    }
    let document = json!({
        "data_dir": shown,
        "file": path.display().to_string(),
        "created_at": restored.created_at,
        "lost_files": restored.lost_files,
    });
    cx.out.result("", &document)
}

fn restore_replica(cx: &Cx, folder: &Path, database: Option<&Path>) -> Result<(), Failure> {
    // With the rights of the calling user too.
    let mut replica = Replica::open(folder, database)?;
    let (place, shown) = place(cx)?;
    let bar = bar(cx);
    let restored = place.restore_replica(&mut replica, &mut |done, all| {
        bar.set_length(all);
        bar.set_position(done);
    })?;
    bar.finish_and_clear();
    cx.out.note(&format!(
        "{shown} is as the database was: everybody has to sign in again, applications have to be connected again, and \
         emails that waited are not sent"
    ));
    let lost = restored.lost.len();
    if lost > 0 {
        let named = restored.lost.iter().take(LOST_NAMED).cloned();
        let more = (lost > LOST_NAMED).then(|| "…".to_owned());
        let named: Vec<String> = named.chain(more).collect();
        cx.out.note(&format!(
            "{lost} files of entries are missing or damaged in {}: {}",
            folder.display(),
            named.join(", ")
        ));
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
fn place(cx: &Cx) -> Result<(Place, String), Failure> {
    let data_dir = become_owner(cx.data_dir()?)?;
    let shown = data_dir.display().to_string();
    let place = Place::open(&data_dir)?;
    if place.has_data() {
        let question = format!("This replaces all data in {shown} but its backups. Go on?");
        confirm(cx, &question)?;
    }
    Ok((place, shown))
}

fn open(path: &Path) -> Result<File, Failure> {
    // A pipe would be waited for.
    let file = path.metadata().and_then(|it| match it.is_file() {
        true => File::open(path),
        false => Err(io::Error::other("it is no file")),
    });
    file.map_err(|e| {
        let exit = match e.kind() {
            ErrorKind::NotFound => Exit::NotFoundOrExists,
            _ => Exit::Failed,
        };
        let path = path.display();
        Failure::new(
            exit,
            format!("the backup {path} can't be opened ({e}): name another file"),
        )
    })
}

/// A progress bar; shown only on a terminal where nothing else is printed.
fn bar(cx: &Cx) -> ProgressBar {
    let is_shown = !cx.out.quiet && !cx.out.json && stderr().is_terminal();
    let target = if is_shown {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let style = ProgressStyle::with_template("{wide_bar} {bytes}/{total_bytes} {msg} {eta}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(None, target).with_style(style)
}
