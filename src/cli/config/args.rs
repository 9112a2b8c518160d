//! The commands of the command line and their flags, with their help. Those of settings are in `rows`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use serde::Serialize;

use crate::cli::config::flags::Flags;
use crate::cli::config::rows::{self, Serve};
use crate::cli::config::values;
use crate::model::scope::Scope;
use crate::model::user::{OrganizationRole, Plan};
use crate::ops::transfer::exports::{Format, Headers};

/// Collect form responses on your own server.
#[derive(Debug, Parser)]
#[command(name = "formsvc", version, arg_required_else_help = true)]
pub struct CommandLine {
    #[command(flatten)]
    pub global: Flags<Global>,
    #[command(subcommand)]
    pub command: Command,
}

/// Flags of every command, before or after it.
#[derive(Debug, Args, Serialize)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// The folder with all data
    #[arg(long, global = true, value_name = "DIR")]
    #[serde(serialize_with = "rows::path")]
    pub data_dir: Option<PathBuf>,
    /// The config file, in TOML
    #[arg(long, global = true, value_name = "FILE")]
    #[serde(skip)]
    pub config: Option<PathBuf>,
    /// Print the result as a single JSON document
    #[arg(long, global = true)]
    pub json: bool,
    /// Print only errors
    #[arg(long, global = true)]
    pub quiet: bool,
    /// Never ask questions
    #[arg(long, global = true)]
    pub no_input: bool,
    /// Answer yes to all questions
    #[arg(long, global = true)]
    pub yes: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the service
    Serve(Box<ServeCommand>),
    /// Print a new one-time link to create the first account
    SetupLink(Box<Serve>),
    /// Accounts
    #[command(subcommand)]
    User(User),
    /// Plans of organizations
    #[command(subcommand)]
    Plan(PlanCommand),
    /// Personal access tokens
    #[command(subcommand)]
    Token(Token),
    /// Third-party applications (OAuth clients)
    #[command(subcommand)]
    App(App),
    /// Signing keys of access tokens
    #[command(subcommand)]
    Keys(Keys),
    /// List the routes of the service
    Routes,
    /// Print the OpenAPI description of the API
    Openapi,
    /// Show the effective settings
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Check whether the running service is healthy
    Healthcheck(Box<Serve>),
    /// Check the stored data, one line per check
    Doctor {
        /// Delete expired data, recount, and rebuild caches
        #[arg(long)]
        fix: bool,
        /// Say what each check compared
        #[arg(long)]
        verbose: bool,
    },
    /// Backups of the data dir
    #[command(subcommand)]
    Backup(Backup),
    /// Restore the data dir from a backup, or from a copy that Litestream restored
    Restore {
        /// The backup: a file or s3://BUCKET/KEY; or a folder or s3://BUCKET/PREFIX with blobs/, keys/ and the database
        #[arg(value_name = "FILE|FOLDER")]
        file: PathBuf,
        /// The database that `litestream restore` wrote [default: formsvc.db in the folder]
        #[arg(long, value_name = "FILE")]
        database: Option<PathBuf>,
    },
    /// Background jobs
    #[command(subcommand)]
    Jobs(Jobs),
    /// Export and import entries
    #[command(subcommand)]
    Entries(Entries),
    /// Follow events of entries
    #[command(subcommand)]
    Events(Events),
    /// Print a completion script for a shell
    Completions {
        /// The shell: bash, zsh, fish, elvish or powershell
        #[arg(hide_possible_values = true)]
        shell: Shell,
    },
    /// Write the manual pages, one for formsvc and one for each command
    Man {
        /// The folder to write them to; it is created if it does not exist
        dir: PathBuf,
    },
    /// Print the licenses of everything in this program
    Licenses,
}

/// `formsvc serve`.
#[derive(Debug, Args)]
pub struct ServeCommand {
    /// Serve an example: an account, forms with entries and a public query, in a temporary folder that is removed at the
    /// end, or in an empty data dir that --data-dir names
    #[arg(long)]
    pub demo: bool,
    #[command(flatten)]
    pub settings: Serve,
}

/// Commands for people.
#[derive(Debug, Subcommand)]
pub enum User {
    /// Create an account
    Create {
        /// The email address to sign in with
        email: String,
        /// The name that others see
        #[arg(long)]
        name: String,
        /// The organization to join; a new one is created with this account as its owner [default: the first one]
        #[arg(long, value_name = "NAME")]
        organization: Option<String>,
        /// Read the password from standard input
        #[arg(long)]
        password_stdin: bool,
        /// Also create a token with all scopes for 90 days; it is printed only once, in place of the account
        #[arg(long)]
        with_token: bool,
    },
    /// List all accounts
    List,
    /// Set a password and end all sessions of the account
    SetPassword {
        /// The email address of the account
        email: String,
        /// Read the password from standard input
        #[arg(long)]
        password_stdin: bool,
    },
    /// Disable an account and end its sessions
    Disable {
        /// The email address of the account
        email: String,
    },
    /// Enable a disabled account
    Enable {
        /// The email address of the account
        email: String,
    },
    /// Delete an account, its sessions and its tokens
    Delete {
        /// The email address of the account
        email: String,
        /// The email address of the account that gets the forms [default: they go to the trash]
        #[arg(long, value_name = "EMAIL")]
        forms_to: Option<String>,
    },
    /// Turn off two-step verification for someone who lost their second factor
    RemoveSecondFactor {
        /// The email address of the account
        email: String,
    },
    /// Make someone an owner or a member of their organization
    SetRole {
        /// The email address of the account
        email: String,
        /// The role: owner or member
        #[arg(value_parser = values::organization_role)]
        role: OrganizationRole,
    },
}

/// Commands for plans.
#[derive(Debug, Subcommand)]
pub enum PlanCommand {
    /// Set the plan of an organization
    Set {
        /// The name or id of the organization
        organization: String,
        /// The plan: free, standard, business or unlimited
        #[arg(value_parser = values::plan)]
        plan: Plan,
    },
    /// List organizations and their plans
    List,
}

/// Commands for personal access tokens.
#[derive(Debug, Subcommand)]
pub enum Token {
    /// Create a token; it is printed only once
    Create {
        /// The email address of its user
        #[arg(long, value_name = "EMAIL")]
        user: String,
        /// A name to recognize it by
        #[arg(long)]
        name: String,
        /// Its scopes, such as form:read; repeatable
        #[arg(long, required = true, num_args = 1.., value_delimiter = ',', value_parser = values::scope)]
        scope: Vec<Scope>,
        /// Its lifetime, such as 12h or 90d, or never
        #[arg(long, default_value = "90d", value_parser = values::expiry)]
        expires: values::Expiry,
    },
    /// List tokens, without their secrets
    List {
        /// Only the tokens of this email address
        #[arg(long, value_name = "EMAIL")]
        user: Option<String>,
    },
    /// Revoke a token
    Revoke {
        /// The id shown by `token list`
        id: i64,
    },
}

/// Commands for applications.
#[derive(Debug, Subcommand)]
pub enum App {
    /// Register an application; its secret is printed only once
    Create {
        /// The name that users see
        #[arg(long)]
        name: String,
        /// An address to redirect users back to; repeatable
        #[arg(long, value_name = "URI", required = true, num_args = 1..)]
        redirect_uri: Vec<String>,
        /// The scopes it can request, such as form:read; repeatable [default: all]
        #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = values::scope)]
        scope: Vec<Scope>,
        /// A public client, without a secret: an app on phones or in browsers
        #[arg(long)]
        public: bool,
    },
    /// List applications, without their secrets
    List,
    /// Delete an application and revoke all its access
    Delete {
        /// The client_id of the application
        id: String,
    },
}

/// Commands for signing keys.
#[derive(Debug, Subcommand)]
pub enum Keys {
    /// Create a new key and sign with it; tokens signed with the old one stay valid until they expire
    Rotate,
}

/// Commands for settings.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print each setting, its value and its source; secrets are masked
    Show(Box<Serve>),
}

/// Commands for entries.
#[derive(Debug, Subcommand)]
pub enum Entries {
    /// Export all entries of a form to a file or standard output
    Export(Export),
    /// Import the rows of a CSV or XLSX file as entries: all of them, or none
    Import(Import),
}

/// What to write.
#[derive(Debug, Args)]
pub struct Export {
    /// The form's token
    pub form: String,
    /// csv, xlsx or json [default: by the file name's extension, else csv]
    #[arg(long, value_parser = values::export_format)]
    pub format: Option<Format>,
    /// The column headers: labels or api_codes [default: labels]
    #[arg(long, value_name = "NAMES", value_parser = values::export_headers)]
    pub headers: Option<Headers>,
    /// The file to write, or - for standard output [default: -]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// What to read.
#[derive(Debug, Args)]
pub struct Import {
    /// The form's token
    pub form: String,
    /// The file to read, or - for standard input
    pub file: PathBuf,
    /// Only validate the file
    #[arg(long)]
    pub dry_run: bool,
    /// Where columns go whose names say something else, as JSON: {"Mail": "field_2", "Town": "field_4.city",
    /// "Remarks": null}; null leaves a column out
    #[arg(long, value_name = "JSON")]
    pub columns: Option<String>,
}

/// Commands for events.
#[derive(Debug, Subcommand)]
pub enum Events {
    /// Print the events of a form as they happen: time, kind and serial number, or with --json the document that
    /// webhooks get, one per line
    Tail(Tail),
}

/// What to follow.
#[derive(Debug, Args)]
pub struct Tail {
    /// The form's token
    pub form: String,
    /// Continue after the event with this id, from the last 7 days [default: print new events only]
    #[arg(long, value_name = "EVENT_ID")]
    pub after: Option<String>,
}

/// Commands for backups.
#[derive(Debug, Subcommand)]
pub enum Backup {
    /// Create a backup: database, files and keys in one private file, encrypted if a passphrase is set; the service can
    /// keep running
    Create {
        /// The file to write, a folder, or s3://BUCKET/PREFIX [default: a new file in the place that backup_to names,
        /// else in the folder backups/ of the data dir]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Check that a backup is complete and can be restored
    /// Reads every byte, and copies the database into the folder for temporary files (TMPDIR) to check it as a restore
    /// would.
    Verify {
        /// The backup: a file, or s3://BUCKET/KEY
        file: PathBuf,
    },
    /// List backups, newest first
    List {
        /// A folder or s3://BUCKET/PREFIX [default: the place that backup_to names, else the data dir]
        target: Option<PathBuf>,
    },
    /// Delete all backups but the newest
    Prune {
        /// How many to keep
        #[arg(long, value_name = "N", value_parser = values::at_least_one)]
        keep: usize,
        /// A folder or s3://BUCKET/PREFIX [default: the place that backup_to names, else the data dir]
        target: Option<PathBuf>,
    },
    /// Copy new files of entries and the key of the service to a folder or bucket, for a standby
    Sync {
        /// A folder or s3://BUCKET/PREFIX
        target: PathBuf,
        /// Delete files there that were deleted here
        #[arg(long)]
        delete_removed: bool,
    },
}

/// Commands for background jobs.
#[derive(Debug, Subcommand)]
pub enum Jobs {
    /// Run all background jobs now, or one of them
    RunOnce {
        /// The name of the job
        name: Option<String>,
    },
}
