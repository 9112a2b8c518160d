//! The command line: the only reader of flags, environment and config file. No domain rules.

pub mod accounts;
pub mod backups;
mod completions;
mod config;
mod confirm;
mod doctor;
mod entries;
mod events;
mod failure;
mod jobs;
mod keys;
mod licenses;
mod mail;
mod man;
mod oauth_app;
mod output;
mod output_file;
mod routes;
pub mod server;
mod webhooks;

use std::io::Write as _;

use clap::Parser as _;
use clap::error::ErrorKind;

use crate::base::config::Config;
use crate::cli::accounts::{plan, setup_link, token, user};
use crate::cli::backups::{backup, restore};
use crate::cli::config::args::{self, Command, CommandLine};
use crate::cli::config::settings::Cx;
use crate::cli::config::values::{LogFormat, LogLevel};
use crate::cli::failure::{Exit, Failure};
use crate::cli::server::{health, log, process, serve};
use crate::ops::app::App;

/// Runs the command line of this process and returns its exit code.
pub fn run() -> u8 {
    process::harden();
    let line = match CommandLine::try_parse() {
        Ok(line) => line,
        Err(fault) => return refuse(&fault),
    };
    match run_command(line) {
        Ok(()) => 0,
        Err(failure) => {
            if !failure.sentence.is_empty() {
                output::complain(&failure.sentence);
            }
            failure.exit as u8
        }
    }
}

fn run_command(line: CommandLine) -> Result<(), Failure> {
    let wants_json = line.global.give(&["json"]);
    match line.command {
        Command::Routes => return routes::list(wants_json),
        Command::Openapi => return routes::describe(),
        Command::Completions { shell } => return completions::print(shell),
        Command::Man { dir } => return man::write(&dir, wants_json),
        Command::Licenses => return licenses::print(wants_json),
        _ => {}
    }
    let cx = Cx::read(line.global)?;
    if !matches!(line.command, Command::Serve(_)) {
        log::start(LogFormat::Text, LogLevel::Warn);
    }
    match line.command {
        Command::Serve(flags) => serve::serve(&cx, &flags),
        Command::SetupLink(flags) => setup_link::make(&cx, &flags),
        Command::User(command) => user::run(&cx, command),
        Command::Plan(command) => plan::run(&cx, command),
        Command::Token(command) => token::run(&cx, command),
        Command::App(command) => oauth_app::run(&cx, command),
        Command::Keys(args::Keys::Rotate) => keys::rotate(&cx),
        Command::Routes => routes::list(cx.out.json),
        Command::Openapi => routes::describe(),
        Command::Completions { shell } => completions::print(shell),
        Command::Man { dir } => man::write(&dir, cx.out.json),
        Command::Licenses => licenses::print(cx.out.json),
        Command::Config(args::ConfigCommand::Show(flags)) => config::show(cx, &flags),
        Command::Healthcheck(flags) => health::check(&cx, &flags),
        Command::Doctor { fix, verbose } => doctor::run(&cx, fix, verbose),
        Command::Entries(command) => entries::run(&cx, command),
        Command::Events(command) => events::run(&cx, command),
        Command::Backup(command) => backup::run(&cx, command),
        Command::Restore { file, database } => restore::run(&cx, &file, database.as_deref()),
        Command::Jobs(args::Jobs::RunOnce { name }) => jobs::run_once(&cx, name.as_deref()),
    }
}

/// Opens the data dir for a command, even if a server is running on it, and runs the command.
fn with_app<T>(cx: &Cx, f: impl FnOnce(&App) -> Result<T, Failure>) -> Result<T, Failure> {
    with_config(app_config(cx)?, f)
}

fn with_config<T>(config: Config, f: impl FnOnce(&App) -> Result<T, Failure>) -> Result<T, Failure> {
    let app = App::beside(config)?;
    let out = f(&app);
    app.close();
    out
}

/// The settings of such a command. The process becomes the data dir's owner.
fn app_config(cx: &Cx) -> Result<Config, Failure> {
    let mut config = cx.beside()?;
    config.data_dir = process::become_owner(config.data_dir)?;
    Ok(config)
}

/// Prints help and version as results, and a fault in the command line as one sentence.
fn refuse(fault: &clap::Error) -> u8 {
    if !fault.use_stderr() {
        return match output::print(fault.render().to_string().trim_end()) {
            Ok(()) => 0,
            Err(failure) => failure.exit as u8,
        };
    }
    if fault.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        output::complain("name a command");
        // If stderr is closed, nobody reads it.
        let _ = writeln!(std::io::stderr(), "\n{}", fault.render().to_string().trim_end());
        return Exit::Usage as u8;
    }
    let text = fault.render().to_string();
    let lines: Vec<&str> = text
        .lines()
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let sentence = lines.join(" ");
    let sentence = sentence.strip_prefix("error: ").unwrap_or(&sentence);
    output::complain(&format!("{sentence}: see formsvc help"));
    Exit::Usage as u8
}
