//! The command line's grammar: commands, flags and their help. Values are parsed by the same functions
//! that read variables and the config file.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use ipnet::IpNet;

use crate::base::config::AccessLog;
use crate::base::listen_on::ListenOn;
use crate::cli::values::{self, LogFormat, LogLevel};
use crate::model::scope::Scope;
use crate::model::user::{OrganizationRole, Plan};
use crate::ops::exports::{Format, Headers};

/// Collect forms from one binary.
#[derive(Debug, Parser)]
#[command(name = "formsvc", version, arg_required_else_help = true)]
pub struct CommandLine {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// Flags of every command, before or after it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// The folder that holds everything
    #[arg(long, global = true, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// The config file, in TOML
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long, global = true)]
    pub json: bool,
    /// Print no messages but errors
    #[arg(long, global = true)]
    pub quiet: bool,
    /// Never ask
    #[arg(long, global = true)]
    pub no_input: bool,
    /// Answer questions with yes
    #[arg(long, global = true)]
    pub yes: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the service
    Serve(Box<Serve>),
    /// Print a new one-time link to make the first account
    SetupLink(Box<Serve>),
    /// People who sign in
    #[command(subcommand)]
    User(User),
    /// What organisations may do
    #[command(subcommand)]
    Plan(PlanCommand),
    /// Personal access tokens
    #[command(subcommand)]
    Token(Token),
    /// Applications that may ask people for access (OAuth)
    #[command(subcommand)]
    App(App),
    /// Keys that access tokens are signed with
    #[command(subcommand)]
    Keys(Keys),
    /// List the addresses that the service answers
    Routes,
    /// Print the API's description, an OpenAPI document
    Openapi,
    /// The effective settings
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Ask the running service whether it is well
    Healthcheck(Box<Serve>),
    /// Check what is kept, a line each
    Doctor {
        /// Sweep what has expired, count again, make caches again
        #[arg(long)]
        fix: bool,
    },
    /// Background jobs
    #[command(subcommand)]
    Jobs(Jobs),
    /// Wait for the end of standard input, then remove a file if it is empty
    #[command(hide = true)]
    RemoveEmpty {
        /// The file
        path: PathBuf,
    },
    /// A form's entries into a file, and out of one
    #[command(subcommand)]
    Entries(Entries),
}

/// Settings of the service.
#[derive(Debug, Default, Args)]
pub struct Serve {
    /// Where to listen: IP:PORT or unix:PATH; may be given several times [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Vec<ListenOn>,
    /// The address that people use, may have a path [default: where it listens]
    #[arg(long, value_name = "URL", value_parser = values::base_url)]
    pub base_url: Option<String>,
    /// The certificate and those that lead to its root, in PEM
    #[arg(long, value_name = "FILE")]
    pub tls_cert: Option<PathBuf>,
    /// The certificate's private key, in PEM
    #[arg(long, value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
    /// Networks whose X-Forwarded-For header counts
    #[arg(long, value_name = "CIDR", num_args = 1.., value_delimiter = ',', value_parser = values::network)]
    pub trusted_proxies: Vec<IpNet>,
    /// Connections at once; 0: no cap [default: 4096]
    #[arg(long, value_name = "N")]
    pub max_connections: Option<usize>,
    /// Connections at once from one address; 0: no cap [default: 1024, loopback without a cap]
    #[arg(long, value_name = "N")]
    pub max_connections_per_address: Option<usize>,
    /// The largest file that is taken, in MB [default: 100]
    #[arg(long, value_name = "N", value_parser = values::megabytes)]
    pub max_upload_mb: Option<u64>,
    /// What must stay free of the disk, in MB, and 2% of it besides: below that no files and submissions are
    /// taken; 0: no floor [default: 256]
    #[arg(long, value_name = "N", value_parser = values::megabytes_or_none)]
    pub min_free_mb: Option<u64>,
    /// Whether the three limits below hold: on or off [default: on]
    #[arg(long, value_name = "ON|OFF", value_parser = values::on_off)]
    pub rate_limits: Option<bool>,
    /// Requests a minute with one token [default: 600]
    #[arg(long, value_name = "N", value_parser = values::per_minute)]
    pub limit_api: Option<u32>,
    /// Submissions a minute from one network to one form [default: 600]
    #[arg(long, value_name = "N", value_parser = values::per_minute)]
    pub limit_submissions: Option<u32>,
    /// Sign-ins a minute from one address [default: 10]
    #[arg(long, value_name = "N", value_parser = values::per_minute)]
    pub limit_sign_ins: Option<u32>,
    /// Whether each request is logged at level info: on, off, or address for the client's address as well; a line holds
    /// the route's pattern, never the path or query [default: off]
    #[arg(long, value_name = "ON|OFF|ADDRESS", value_parser = values::access_log)]
    pub access_log: Option<AccessLog>,
    /// text or json [default: text]
    #[arg(long, value_name = "FORMAT", value_parser = values::log_format)]
    pub log_format: Option<LogFormat>,
    /// error, warn, info, debug or trace [default: info]
    #[arg(long, value_name = "LEVEL", value_parser = values::log_level)]
    pub log_level: Option<LogLevel>,
}

/// Commands for people.
#[derive(Debug, Subcommand)]
pub enum User {
    /// Make an account
    Create {
        /// The address to sign in with
        email: String,
        /// What others see
        #[arg(long)]
        name: String,
        /// The organisation to join, or to found as its owner [default: the first one]
        #[arg(long, value_name = "NAME")]
        organization: Option<String>,
        /// Read the password from standard input
        #[arg(long)]
        password_stdin: bool,
    },
    /// List all accounts
    List,
    /// Set a password; ends all sessions of the account
    SetPassword {
        /// Whose
        email: String,
        /// Read the password from standard input
        #[arg(long)]
        password_stdin: bool,
    },
    /// Keep somebody from signing in and calling; ends all sessions
    Disable {
        /// Whom
        email: String,
    },
    /// Let a disabled account sign in and call again
    Enable {
        /// Whose
        email: String,
    },
    /// Delete an account; ends its sessions and tokens
    Delete {
        /// Whose
        email: String,
        /// Who gets the forms, by e-mail address [default: they go to the trash]
        #[arg(long, value_name = "EMAIL")]
        forms_to: Option<String>,
    },
    /// Take somebody's second factor away, who has lost it
    RemoveSecondFactor {
        /// Whose
        email: String,
    },
    /// Make somebody owner or member of their organisation
    SetRole {
        /// Whom
        email: String,
        /// owner or member
        #[arg(value_parser = values::organization_role)]
        role: OrganizationRole,
    },
}

/// Commands for plans.
#[derive(Debug, Subcommand)]
pub enum PlanCommand {
    /// Give an organisation a plan
    Set {
        /// The organisation, by name or id
        organization: String,
        /// free, standard, business or unlimited
        #[arg(value_parser = values::plan)]
        plan: Plan,
    },
    /// List the organisations and their plans
    List,
}

/// Commands for personal access tokens.
#[derive(Debug, Subcommand)]
pub enum Token {
    /// Make a token; it is printed once and never again
    Create {
        /// Whose, by e-mail address
        #[arg(long, value_name = "EMAIL")]
        user: String,
        /// What it is for
        #[arg(long)]
        name: String,
        /// What it may do, such as form:read; may be given several times
        #[arg(long, required = true, num_args = 1.., value_delimiter = ',', value_parser = values::scope)]
        scope: Vec<Scope>,
        /// How long it works, such as 12h or 90d, or never
        #[arg(long, default_value = "90d", value_parser = values::expiry)]
        expires: values::Expiry,
    },
    /// List tokens, never their text
    List {
        /// Only those of one person, by e-mail address
        #[arg(long, value_name = "EMAIL")]
        user: Option<String>,
    },
    /// End a token at once
    Revoke {
        /// The number that `token list` shows
        id: i64,
    },
}

/// Commands for applications.
#[derive(Debug, Subcommand)]
pub enum App {
    /// Register an application; its secret is printed once and never again
    Create {
        /// What people are shown
        #[arg(long)]
        name: String,
        /// Where people are led back to; may be given several times
        #[arg(long, value_name = "URI", required = true, num_args = 1..)]
        redirect_uri: Vec<String>,
        /// What it may ask for, such as form:read; may be given several times [default: everything]
        #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = values::scope)]
        scope: Vec<Scope>,
        /// It can't keep a secret: it runs on people's phones or in their browsers
        #[arg(long)]
        public: bool,
    },
    /// List applications, never their secrets
    List,
    /// Remove an application; all that people allowed it ends at once
    Delete {
        /// Its client_id
        id: String,
    },
}

/// Commands for signing keys.
#[derive(Debug, Subcommand)]
pub enum Keys {
    /// Sign with a new key from now on; tokens of the old one work on until they end
    Rotate,
}

/// Commands for settings.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print each setting, its value and where it comes from; secrets are masked
    Show(Box<Serve>),
}

/// Commands for entries.
#[derive(Debug, Subcommand)]
pub enum Entries {
    /// Write all entries of a form to a file, or to standard output
    Export(Export),
    /// Add the rows of a CSV or XLSX file as entries: all of them, or none
    Import(Import),
}

/// What to write.
#[derive(Debug, Args)]
pub struct Export {
    /// The form's token
    pub form: String,
    /// csv, xlsx or json [default: as the file's name ends, else csv]
    #[arg(long, value_parser = values::export_format)]
    pub format: Option<Format>,
    /// How columns are called: labels or api_codes [default: labels]
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
    /// Only say what is wrong with the file
    #[arg(long)]
    pub dry_run: bool,
}

/// Commands for background jobs.
#[derive(Debug, Subcommand)]
pub enum Jobs {
    /// Run all jobs now, or the one that is named
    RunOnce {
        /// The job
        name: Option<String>,
    },
}
