//! `formsvc backup`.

use std::env;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal as _, stderr};
use std::path::Path;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

use crate::base::backup_target::BackupTarget;
use crate::base::config::Backups;
use crate::base::json::Json;
use crate::cli::backups::passphrase;
use crate::cli::config::args::Backup;
use crate::cli::config::backup_settings;
use crate::cli::config::flags::Flags;
use crate::cli::config::settings::Cx;
use crate::cli::confirm::confirm;
use crate::cli::failure::{Exit, Failure};
use crate::cli::output::counted;
use crate::cli::server::process::become_owner;
use crate::cli::{app_config, with_config};
use crate::ops::backups::{self, Listed, OpenTarget, Opened, Progress, sync};

pub fn run(cx: &Cx, command: Backup) -> Result<(), Failure> {
    match command {
        Backup::Create { output } => create(cx, output.as_deref()),
        Backup::Verify { file } => verify(cx, &file),
        Backup::List { target } => list(cx, target.as_deref()),
        Backup::Prune { keep, target } => prune(cx, keep, target.as_deref()),
        Backup::Sync { target, delete_removed } => sync(cx, &target, delete_removed),
    }
}

/// Reads a backup destination as the user named it.
pub(in crate::cli) fn place(path: &Path) -> Result<BackupTarget, Failure> {
    let shown = path.display();
    BackupTarget::of(path).map_err(|fault| Failure::usage(format!("{shown} {fault}")))
}

fn create(cx: &Cx, output: Option<&Path>) -> Result<(), Failure> {
    let output = output.map(place).transpose()?;
    let config = app_config(cx)?;
    if let Some(output) = &output
        && backups::exists(output, &config.backups.s3)?
    {
        confirm(cx, &format!("This replaces the file {output}. Continue?"))?;
    }
    let passphrase = match &config.backups.passphrase {
        None if output.as_ref().is_some_and(wants_passphrase) => passphrase::new(cx)?,
        set => set.clone(),
    };
    let bar = bar(cx);
    let made = with_config(config, |app| {
        let mut show = |progress| {
            let (what, done, all) = match progress {
                Progress::Copied(done, all) => ("database copied", done, all),
                Progress::Written(done, all) => ("written", done, all),
            };
            bar.set_message(what);
            bar.set_length(all);
            bar.set_position(done);
        };
        let (output, passphrase) = (output.as_ref(), passphrase.as_ref());
        Ok(backups::create(app, output, passphrase, &mut show)?)
    })?;
    bar.finish_and_clear();
    let path = made.file;
    cx.out.note(&if made.is_encrypted {
        format!("{path} can only be opened with the passphrase: store that elsewhere")
    } else {
        format!("{path} contains the keys of this service and all entries: keep it private, and store a copy elsewhere")
    });
    if made.lost > 0 {
        let lost = counted(made.lost, "file is", "files are");
        cx.out.note(&format!("{lost} missing or damaged in the data dir, and not in the backup: run formsvc doctor"));
    }
    let document = json!({
        "file": path,
        "encrypted": made.is_encrypted,
        "size": made.size,
        "created_at": made.created_at,
        "database_bytes": made.database_bytes,
        "files": made.files,
        "lost_files": made.lost,
    });
    cx.out.result(&path, &document)
}

fn verify(cx: &Cx, path: &Path) -> Result<(), Failure> {
    let settings = backup_settings::read(&cx.layers, &Flags::default())?;
    let shown = place(path)?.to_string();
    let bar = bar(cx);
    let mut ask = |shown: &str| passphrase::of_backup(cx, &settings, shown);
    let done = open(path, &settings).and_then(|opened| {
        let show = &mut |done, all| {
            bar.set_length(all);
            bar.set_position(done);
        };
        Ok(backups::verify(opened, &env::temp_dir(), &mut ask, show)?)
    });
    bar.finish_and_clear();
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
    let mut text = format!(
        "{shown} is complete: made on {} by formsvc {}, {} parts, {} bytes unpacked",
        head.created_at, head.program, head.parts, done.bytes
    );
    if head.lost_files > 0 {
        let _ = write!(
            text,
            "; {} missing when it was made",
            counted(head.lost_files, "file of an entry was", "files of entries were")
        );
    }
    cx.out.result(&text, &document)
}

/// The place that was named, or the one that is used where none is.
fn target(cx: &Cx, named: Option<&Path>) -> Result<OpenTarget, Failure> {
    let settings = backup_settings::read(&cx.layers, &Flags::default())?;
    Ok(match named {
        Some(path) => OpenTarget::open(&place(path)?, &settings.s3)?,
        None => OpenTarget::usual(&become_owner(cx.data_dir()?)?, &settings)?,
    })
}

fn list(cx: &Cx, named: Option<&Path>) -> Result<(), Failure> {
    let mut found = backups::list(&target(cx, named)?)?;
    if named.is_none() {
        let others = backups::others(&become_owner(cx.data_dir()?)?)?;
        if !others.unknown.is_empty() {
            cx.out.note(&format!("not listed, because they are not named like backups: {}", others.unknown.join(", ")));
        }
        found.extend(others.snapshots);
    }
    let row = |it: &Listed| vec![it.created_at.to_string(), it.size.to_string(), it.file.clone()];
    let rows: Vec<Vec<String>> = found.iter().map(row).collect();
    let document: Vec<Json> = found.iter().map(document).collect();
    cx.out.table(&["created", "bytes", "file"], &rows, &document.into())
}

fn prune(cx: &Cx, keep: usize, named: Option<&Path>) -> Result<(), Failure> {
    let removed = backups::prune(&target(cx, named)?, keep)?;
    let lines: Vec<String> = removed.iter().map(|it| format!("deleted {}", it.file)).collect();
    let document: Vec<Json> = removed.iter().map(document).collect();
    cx.out.result(&lines.join("\n"), &json!({"deleted": document}))
}

fn document(it: &Listed) -> Json {
    let kind = if it.is_snapshot { "database_before_upgrade" } else { "backup" };
    json!({
        "file": it.file,
        "kind": kind,
        "created_at": it.created_at,
        "size": it.size,
        "encrypted": it.is_encrypted,
    })
}

fn sync(cx: &Cx, target: &Path, deletes_removed: bool) -> Result<(), Failure> {
    let target = place(target)?;
    let config = app_config(cx)?;
    let passphrase = config.backups.passphrase.clone();
    let bar = bar(cx);
    let done = with_config(config, |app| {
        let passphrase = passphrase.as_ref();
        let mut show = |done, all| {
            bar.set_length(all);
            bar.set_position(done);
        };
        Ok(sync::sync(app, &target, passphrase, deletes_removed, &mut show)?)
    })?;
    bar.finish_and_clear();
    if passphrase.is_none() {
        cx.out.note(&format!("{target} contains the key of this service and the files of entries: keep it private"));
    }
    if done.lost > 0 {
        let lost = counted(done.lost, "file is missing or damaged", "files are missing or damaged");
        cx.out.note(&format!("{lost} in the data dir and not in the copy: run formsvc doctor"));
    }
    let text = format!(
        "{target}: {} copied ({} bytes), {} already there, {} deleted, {} still there although deleted here",
        counted(done.copied, "file", "files"),
        done.bytes,
        done.present,
        done.deleted,
        done.kept
    );
    let document = json!({
        "target": target.to_string(),
        "copied": done.copied,
        "bytes": done.bytes,
        "present": done.present,
        "lost_files": done.lost,
        "deleted": done.deleted,
        "kept": done.kept,
    });
    cx.out.result(&text, &document)
}

pub(in crate::cli) fn open(path: &Path, settings: &Backups) -> Result<Opened, Failure> {
    match place(path)? {
        BackupTarget::Bucket(place) => Ok(Opened::object(&place, &settings.s3)?),
        BackupTarget::Path(path) => open_file(&path),
    }
}

/// Whether a file that is to be written has the name of an encrypted one.
fn wants_passphrase(output: &BackupTarget) -> bool {
    output.to_string().ends_with(".age")
}

fn open_file(path: &Path) -> Result<Opened, Failure> {
    // A pipe would be waited for.
    let file = path.metadata().and_then(|it| match it.is_file() {
        true => File::open(path).and_then(|file| Opened::file(path, file)),
        false => Err(io::Error::other("it is not a file")),
    });
    file.map_err(|e| {
        let exit = match e.kind() {
            ErrorKind::NotFound => Exit::NotFoundOrExists,
            _ => Exit::Failed,
        };
        let path = path.display();
        Failure::new(exit, format!("the backup {path} can't be opened ({e}): name another file"))
    })
}

/// A progress bar; shown only on a terminal where nothing else is printed.
pub(in crate::cli) fn bar(cx: &Cx) -> ProgressBar {
    let is_shown = !cx.out.quiet && !cx.out.json && stderr().is_terminal();
    let target = if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template("{wide_bar} {bytes}/{total_bytes} {msg} {eta}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(None, target).with_style(style)
}
