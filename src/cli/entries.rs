//! `formsvc entries`: exports and imports entries like the API, with a progress bar on a terminal.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{IsTerminal as _, Read, Write, stderr, stdin, stdout};
use std::path::Path;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

use crate::base::error::Error;
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::cli::config::args::{Entries, Export, Import};
use crate::cli::config::settings::Cx;
use crate::cli::failure::{Exit, Failure};
use crate::cli::output_file::OutputFile;
use crate::cli::{output, with_app};
use crate::ops::entries::entry_lists::FilterRequest;
use crate::ops::transfer::exports::{self, Format, Headers, Request};
use crate::ops::transfer::imports::{self, Done, Mapping, Progress, Refused};

pub fn run(cx: &Cx, command: Entries) -> Result<(), Failure> {
    match command {
        Entries::Export(flags) => export(cx, flags),
        Entries::Import(flags) => import(cx, &flags),
    }
}

fn export(cx: &Cx, flags: Export) -> Result<(), Failure> {
    let format = format_of(cx, &flags)?;
    let path = flags.output.as_deref().filter(|path| !is_standard(path));
    if path.is_none() && format == Format::Xlsx && stdout().is_terminal() {
        return Err(Failure::usage("a spreadsheet is nothing for a terminal: name a file with --output"));
    }
    let request = Request {
        format,
        headers: flags.headers.unwrap_or(Headers::Labels),
        fields: None,
        filter: FilterRequest::default(),
    };
    // Opened with the rights of the calling user, before the process becomes the data dir's owner.
    let mut file = match path {
        Some(path) => Some(OutputFile::open(path).map_err(|e| file_fault(path, &e))?),
        None => None,
    };
    let is_shown = path.is_some() || !stdout().is_terminal();
    let count = with_app(cx, |app| {
        let caller = exports::owner_of(app, &flags.form)?;
        let mut export = exports::begin(app, &caller, &flags.form, request, Issues::new())?;
        let bar = bar(cx, is_shown);
        bar.set_length(u64::try_from(export.total).unwrap_or_default());
        while let Some(chunk) = export.next(app)? {
            let written = match &mut file {
                Some(file) => file.write_all(&chunk),
                None => stdout().write_all(&chunk),
            };
            written.map_err(|e| write_fault(&e))?;
            bar.set_position(u64::try_from(export.done).unwrap_or_default());
        }
        let done = match file.take() {
            Some(file) => file.close(),
            None => stdout().flush(),
        };
        done.map_err(|e| write_fault(&e))?;
        bar.finish_and_clear();
        Ok(export.done)
    })?;
    let Some(path) = path else {
        return Ok(());
    };
    cx.out.note(&format!("{count} entries are in {}", path.display()));
    let document = json!({
        "form": flags.form,
        "format": format.name(),
        "file": path.display().to_string(),
        "entries": count,
    });
    cx.out.result("", &document)
}

/// The format of the flag, or of the file name's extension.
fn format_of(cx: &Cx, flags: &Export) -> Result<Format, Failure> {
    let path = flags.output.as_deref().filter(|path| !is_standard(path));
    let extension = path.and_then(Path::extension);
    let by_extension = match (flags.format, extension) {
        (None, Some(extension)) => Some(named(extension)?),
        _ => None,
    };
    let is_document = cx.out.json && path.is_none();
    match (flags.format.or(by_extension), is_document) {
        (Some(Format::Csv | Format::Xlsx), true) => {
            Err(Failure::usage("with --json the entries come as JSON: name a file with --output for another format"))
        }
        (_, true) => Ok(Format::Json),
        (format, false) => Ok(format.unwrap_or(Format::Csv)),
    }
}

/// The format that a file name's extension names.
fn named(extension: &OsStr) -> Result<Format, Failure> {
    let mut known = Format::ALL.iter();
    let found = known.find(|(name, _)| extension.eq_ignore_ascii_case(name));
    found.map(|(_, format)| *format).ok_or_else(|| {
        let extension = extension.display();
        Failure::usage(format!(
            "entries can't be exported as .{extension}: name a file that ends in .csv, .xlsx or .json, or say the \
             format with --format"
        ))
    })
}

/// Whether the path means standard input or output.
fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

fn file_fault(path: &Path, fault: &std::io::Error) -> Failure {
    let exit = if fault.kind() == std::io::ErrorKind::NotFound { Exit::NotFoundOrExists } else { Exit::Failed };
    let path = path.display();
    Failure::new(exit, format!("{path} can't be opened ({fault}): name another file"))
}

fn write_fault(fault: &std::io::Error) -> Failure {
    output::write_failure("the entries can't be written", fault)
}

/// A progress bar; shown only on a terminal where nothing else is printed.
fn bar(cx: &Cx, is_shown: bool) -> ProgressBar {
    let is_shown = is_shown && !cx.out.quiet && !cx.out.json && stderr().is_terminal();
    let target = if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template("{wide_bar} {human_pos}/{human_len} {msg} {eta}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(None, target).with_style(style)
}

fn import(cx: &Cx, flags: &Import) -> Result<(), Failure> {
    let mut faults = Issues::new();
    let columns = Mapping::of_text(flags.columns.as_deref(), &mut faults);
    let columns = columns.map_err(|_| Failure::usage("--columns is not valid JSON: name columns as in --help"))?;
    if !faults.is_empty() {
        return Err(Failure::usage("--columns takes an object whose values are texts or null"));
    }
    let file = read(&flags.file)?;
    let bar = bar(cx, true);
    let mut show = |progress: Progress| match progress {
        Progress::Checked(rows) => {
            bar.set_message("checked");
            bar.set_position(rows as u64);
        }
        Progress::Stored(rows, all) => {
            bar.set_message("stored");
            bar.set_length(all as u64);
            bar.set_position(rows as u64);
        }
    };
    let done = with_app(cx, |app| {
        let caller = exports::owner_of(app, &flags.form)?;
        let request = imports::Request {
            form: &flags.form,
            file: &file,
            dry_run: flags.dry_run,
            is_strict: false,
            columns,
            job: None,
        };
        match imports::run(app, &caller, &request, Issues::new(), &mut show) {
            Err(Error::BadRequest(why)) => Err(Failure::new(Exit::Failed, why.to_string())),
            Err(Error::Stale) => {
                Err(Failure::new(Exit::Failed, "the form is being changed all the time: try again in a moment"))
            }
            other => Ok(other?),
        }
    })?;
    bar.finish_and_clear();
    match done {
        Ok(done) => report_success(cx, flags.dry_run, &done),
        Err(refused) => Err(report_faults(cx, &refused)?),
    }
}

fn report_success(cx: &Cx, dry_run: bool, done: &Done) -> Result<(), Failure> {
    let (created, rows) = (done.created, done.rows);
    for warning in done.lines() {
        cx.out.note(&warning);
    }
    cx.out.note(&if dry_run {
        match rows {
            1 => "1 row is valid; nothing was stored".to_owned(),
            rows => format!("{rows} rows are valid; nothing was stored"),
        }
    } else {
        match created {
            1 => "1 entry was added".to_owned(),
            created => format!("{created} entries were added"),
        }
    });
    let mut document = json!({"created": created, "rows": rows, "dry_run": dry_run});
    if !done.warnings.is_empty() {
        document["warnings"] = details(&done.warnings);
    }
    cx.out.result("", &document)
}

fn details(issues: &[Issue]) -> Json {
    issues.iter().map(Issue::to_json).collect()
}

/// Prints the faults of the file, one per line.
fn report_faults(cx: &Cx, refused: &Refused) -> Result<Failure, Failure> {
    if cx.out.json {
        cx.out.result("", &json!({"created": 0, "error_details": details(&refused.faults)}))?;
    } else {
        for line in refused.lines() {
            output::complain(&line);
        }
    }
    let count = match refused.faults.len() {
        1 => "the error".to_owned(),
        n => format!("the {n} errors"),
    };
    Ok(Failure::new(Exit::Failed, format!("nothing was imported: fix {count} and import again")))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let most = imports::MAX_BYTES;
    let mut from: Box<dyn Read> = if is_standard(path) {
        Box::new(stdin().lock())
    } else {
        Box::new(File::open(path).map_err(|e| file_fault(path, &e))?)
    };
    let mut bytes = Vec::new();
    from.by_ref().take(most + 1).read_to_end(&mut bytes).map_err(|e| file_fault(path, &e))?;
    if bytes.len() as u64 > most {
        return Err(Failure::new(
            Exit::Failed,
            format!("the file has more than {most} bytes: part it and import one after the other"),
        ));
    }
    Ok(bytes)
}
