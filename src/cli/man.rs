//! `formsvc man`: the manual pages, made from the command line's own description. They carry no date, so the same
//! program always writes the same bytes.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use clap::{Arg, Command, CommandFactory as _};
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};
use serde_json::json;

use crate::cli::config::args::CommandLine;
use crate::cli::config::layers::{SYSTEM_FILE, setting_names, variable};
use crate::cli::config::rows;
use crate::cli::failure::{Exit, Failure};
use crate::cli::output::Output;

const SERVICE: &str = "formsvc collects the responses to forms: surveys, registrations, bookings and orders. \
    Respondents fill in pages, programs use a JSON API, and everything is stored in one folder, the data dir. Commands \
    work on the data dir while the service runs, and take effect at once.";

const PRECEDENCE: &str = "An option wins over its environment variable, and the variable over the config file, which \
    is in TOML and names settings like the options, with underscores. Settings found nowhere have their default.";

const LISTS: &str = "Several values of one variable are separated by commas.";

const VERSION: &str = env!("CARGO_PKG_VERSION");
const APOSTROPHE: &str = ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n";

/// Settings without an option of their own, and the option whose pages they are listed on.
const BELONGS_TO: [(&str, &str); 1] = [("password", "password-stdin")];

/// The option whose pages list all other settings without an option.
const OF_SERVICE: &str = "listen";

/// Writes a page for the program and one for each command. Needs no data dir and no settings.
pub fn write(dir: &Path, json: bool) -> Result<(), Failure> {
    let mut program = CommandLine::command().disable_help_subcommand(true);
    program.build();
    let mut pages = Vec::new();
    let written = fs::create_dir_all(dir).and_then(|()| write_all(program, None, dir, &mut pages));
    written.map_err(|e| {
        let dir = dir.display();
        Failure::new(Exit::Failed, format!("the manual pages can't be written to {dir} ({e}): name another folder"))
    })?;
    let out = Output { json, quiet: false };
    out.result("", &json!({ "pages": pages }))
}

/// Writes the page of a command and those of its subcommands; `above` is the page to refer to.
fn write_all(command: Command, above: Option<&str>, dir: &Path, pages: &mut Vec<String>) -> io::Result<()> {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim().to_owned();
    let subcommands: Vec<Command> = command.get_subcommands().cloned().collect();
    let page = Man::new(command.clone().override_usage(usage));
    let name = page.get_filename();
    let own = name.trim_end_matches(".1");
    let mut text = Vec::new();
    let title = own.to_uppercase().replace('-', "\\-");
    writeln!(text, ".TH {title} 1 \"\" \"formsvc {VERSION}\" \"formsvc manual\"")?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    if above.is_none() {
        paragraphs(&[SERVICE]).to_writer(&mut text)?;
    }
    page.render_options_section(&mut text)?;
    if !subcommands.is_empty() {
        page.render_subcommands_section(&mut text)?;
    }
    environment(&command, above.is_none()).to_writer(&mut text)?;
    if above.is_none() || takes(&command, OF_SERVICE) {
        files().to_writer(&mut text)?;
    }
    if subcommands.is_empty() || above.is_none() {
        exit_status().to_writer(&mut text)?;
    }
    if let Some(above) = above {
        let mut roff = Roff::new();
        roff.control("SH", ["SEE ALSO"]);
        roff.text([bold(above), roman("(1)")]);
        roff.to_writer(&mut text)?;
    }
    // Each section comes with the definition of an apostrophe; one is enough.
    let text = String::from_utf8_lossy(&text).replace(APOSTROPHE, "");
    fs::write(dir.join(&name), format!("{APOSTROPHE}{text}"))?;
    pages.push(name.clone());
    for subcommand in subcommands {
        write_all(subcommand, Some(own), dir, pages)?;
    }
    Ok(())
}

fn takes(command: &Command, option: &str) -> bool {
    command.get_arguments().any(|arg| arg.get_long() == Some(option))
}

fn paragraphs(texts: &[&str]) -> Roff {
    let mut roff = Roff::new();
    for text in texts {
        roff.control("PP", []);
        roff.text([roman(*text)]);
    }
    roff
}

/// A list of terms with their explanations.
fn terms(roff: &mut Roff, terms: impl IntoIterator<Item = (Inline, String)>) {
    for (term, explanation) in terms {
        roff.control("TP", []);
        roff.text([term]);
        roff.text([roman(explanation)]);
    }
}

/// The variables of the page's options; on the page of the program those of all settings.
fn environment(command: &Command, all: bool) -> Roff {
    let names = setting_names();
    let options: Vec<&str> = command.get_arguments().filter_map(Arg::get_long).collect();
    let settings = rows::all();
    let has_option =
        |name: &str| settings.get_arguments().any(|arg| arg.get_long() == Some(name) && !arg.is_hide_set());
    let is_listed = |name: &str| {
        if all || options.contains(&name) {
            return true;
        }
        let belongs = BELONGS_TO.iter().find(|(setting, _)| name.strip_suffix("-file").unwrap_or(name) == *setting);
        !has_option(name) && takes(command, belongs.map_or(OF_SERVICE, |(_, option)| option))
    };
    let explanation = |name: &str| match name.strip_suffix("-file") {
        _ if has_option(name) => format!("as --{name}"),
        Some(secret) if names.iter().any(|known| known == secret) => {
            format!("a file that holds {}", variable(secret))
        }
        _ => format!("the setting {}, which has no option", name.replace('-', "_")),
    };
    let mut roff = Roff::new();
    roff.control("SH", ["ENVIRONMENT"]);
    roff.text([roman(format!("{PRECEDENCE} {LISTS}"))]);
    let mut listed: Vec<&String> = names.iter().filter(|name| is_listed(name)).collect();
    listed.sort();
    let listed = listed.into_iter();
    terms(&mut roff, listed.map(|name| (bold(variable(name)), explanation(name))));
    roff
}

fn files() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["FILES"]);
    let list = [
        ("$XDG_CONFIG_HOME/formsvc/formsvc.toml", "the config file of a user; without the variable, in ~/.config"),
        (SYSTEM_FILE, "the config file, if the user has none"),
        ("$STATE_DIRECTORY", "the data dir under systemd, if no setting names one"),
        ("$XDG_DATA_HOME/formsvc", "the data dir of a user; without the variable, in ~/.local/share"),
        (
            "DATA_DIR/formsvc.db, DATA_DIR/blobs/, DATA_DIR/keys/",
            "the database, the uploaded files and the keys; formsvc-backup-create(1) backs up all of them",
        ),
        ("DATA_DIR/backups/", "backups made without a name for the file"),
    ];
    terms(&mut roff, list.map(|(path, explanation)| (italic(path), explanation.to_owned())));
    roff
}

fn exit_status() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    let done = (bold("0"), "The command succeeded.".to_owned());
    let failures =
        Exit::MEANINGS.into_iter().map(|(exit, meaning)| (bold((exit as u8).to_string()), meaning.to_owned()));
    terms(&mut roff, std::iter::once(done).chain(failures));
    roff
}
