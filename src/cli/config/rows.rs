//! All settings of the service. A field is a setting: flag, variable and key of the config file have its name, and its
//! comment is the help. One parser reads it from all three. A hidden one has no flag.

use std::convert::Infallible;
use std::fmt::Display;
use std::path::PathBuf;

use clap::{ArgAction, Args, Command};
use ipnet::IpNet;
use serde::{Serialize, Serializer};

use crate::base::config::{AccessLog, Checkpoints, Config, Limits, MailLimits, MailSender, MailServer};
use crate::base::listen_on::ListenOn;
use crate::base::secret::Secret;
use crate::cli::config::args::Global;
use crate::cli::config::backup_settings::{self as backups, Endpoint};
use crate::cli::config::flags::{Flags, SETTINGS};
use crate::cli::config::mail_values;
use crate::cli::config::values::{self, Interval, LogFormat, LogLevel};

/// The flags of the service, in the order of its help.
#[derive(Debug, Default, Args)]
pub struct Serve {
    #[command(flatten)]
    pub addresses: Flags<AddressSettings>,
    #[command(flatten)]
    pub tls: Flags<TlsSettings>,
    #[command(flatten)]
    pub requests: Flags<RequestSettings>,
    #[command(flatten)]
    pub backups: Flags<BackupSettings>,
    #[command(flatten)]
    pub database: Flags<DatabaseSettings>,
    #[command(flatten)]
    pub fonts: Flags<FontSettings>,
    #[command(flatten)]
    pub mail: Flags<MailSettings>,
    #[command(flatten)]
    pub webhooks: Flags<WebhookSettings>,
    #[command(flatten)]
    pub limits: Flags<LimitSettings>,
    #[command(flatten)]
    pub logs: Flags<LogSettings>,
}

/// All settings, also those of every command and those without a flag.
pub fn all() -> Command {
    PasswordSetting::augment_args(Serve::augment_args(Global::augment_args(Command::new(SETTINGS))))
}

/// Where the service listens and where it is found.
#[derive(Debug, Args, Serialize)]
pub struct AddressSettings {
    /// The address to listen on: IP:PORT or unix:PATH; repeatable
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    #[serde(serialize_with = "texts")]
    pub listen: Vec<ListenOn>,
    /// The address that serves metrics for Prometheus at /metrics, without a password: IP:PORT or unix:PATH; keep it
    /// private [default: none]
    #[arg(long, value_name = "ADDRESS")]
    #[serde(serialize_with = "text")]
    pub metrics_listen: Option<ListenOn>,
    /// The public address, with an optional path [default: https:// and the first --acme-domain, else the address it
    /// listens on]
    #[arg(long, value_name = "URL", value_parser = values::base_url)]
    pub base_url: Option<String>,
}

#[derive(Debug, Args, Serialize)]
pub struct TlsSettings {
    /// The certificate chain, in PEM
    #[arg(long, value_name = "FILE")]
    #[serde(serialize_with = "path")]
    pub tls_cert: Option<PathBuf>,
    /// The private key of the certificate, in PEM
    #[arg(long, value_name = "FILE")]
    #[serde(serialize_with = "path")]
    pub tls_key: Option<PathBuf>,
    /// Obtain a certificate for this name from Let's Encrypt, whose terms you agree to, and renew it; port 443 of the name
    /// must lead here; repeatable
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', value_parser = values::domain)]
    pub acme_domain: Vec<String>,
    /// An email address for the certificate authority [default: none]
    #[arg(long, value_name = "EMAIL", value_parser = values::email)]
    pub acme_email: Option<String>,
    /// The ACME directory of another certificate authority
    #[arg(long, value_name = "URL", value_parser = values::https, hide_default_value = true)]
    #[arg(default_value = "https://acme-v02.api.letsencrypt.org/directory")]
    pub acme_directory: String,
    /// Further certificate authorities to trust for the ACME directory, in PEM
    #[arg(long, value_name = "FILE")]
    #[serde(serialize_with = "path")]
    pub acme_ca: Option<PathBuf>,
}

/// Connections, requests and what they may send.
#[derive(Debug, Args, Serialize)]
pub struct RequestSettings {
    /// Networks of reverse proxies whose X-Forwarded-For header is trusted
    #[arg(long, value_name = "CIDR", num_args = 1.., value_delimiter = ',', value_parser = values::network)]
    #[serde(serialize_with = "texts")]
    pub trusted_proxies: Vec<IpNet>,
    /// Maximum number of open connections; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = 4096)]
    pub max_connections: usize,
    /// Maximum number of open connections from one address; 0 for no limit [default: 1024, none for loopback]
    #[arg(long, value_name = "N")]
    pub max_connections_per_address: Option<usize>,
    /// Seconds to wait for the body of a request, and for a client that does not read its answer; large bodies have
    /// longer
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds)]
    #[arg(default_value_t = Config::REQUEST_TIMEOUT.as_secs())]
    pub request_timeout: u64,
    /// Maximum size of an uploaded file, in MB
    #[arg(long, value_name = "N", value_parser = values::megabytes, default_value_t = 100)]
    pub max_upload_mb: u64,
    /// Refuse files and submissions when less than this many MB, or less than 2% of the disk, are free; 0 turns both
    /// off
    #[arg(long, value_name = "N", value_parser = values::megabytes_or_none, default_value_t = 256)]
    pub min_free_mb: u64,
}

#[derive(Debug, Args, Serialize)]
pub struct BackupSettings {
    /// Make a backup at this interval, such as 24h [default: never]
    #[arg(long, value_name = "TIME", value_parser = values::interval)]
    #[serde(serialize_with = "text")]
    pub backup_every: Option<Interval>,
    /// How many backups to keep after a scheduled one [default: all]
    #[arg(long, value_name = "N", value_parser = values::at_least_one)]
    pub backup_keep: Option<usize>,
    /// Where to store backups: a folder or s3://BUCKET/PREFIX [default: the folder backups/ of the data dir]
    #[arg(long, value_name = "TARGET")]
    #[serde(serialize_with = "path")]
    pub backup_to: Option<PathBuf>,
    /// The passphrase that encrypts backups, at least 8 characters
    #[arg(long, hide = true, value_parser = secret)]
    #[serde(skip)]
    pub backup_passphrase: Option<Secret>,
    /// The address of an S3-compatible store, https:// or http:// [default: that of AWS]
    #[arg(long, hide = true, value_parser = backups::endpoint)]
    #[serde(serialize_with = "text")]
    pub s3_endpoint: Option<Endpoint>,
    /// The region of the store
    #[arg(long, hide = true, default_value = "us-east-1")]
    pub s3_region: String,
    /// The id of the store's access key
    #[arg(long, hide = true, value_parser = secret)]
    #[serde(skip)]
    pub s3_access_key: Option<Secret>,
    /// The secret of the store's access key
    #[arg(long, hide = true, value_parser = secret)]
    #[serde(skip)]
    pub s3_secret_key: Option<Secret>,
    /// Put the bucket into the host name, as some stores require
    #[arg(long, hide = true)]
    pub s3_virtual_hosts: bool,
    /// Further certificate authorities to trust for the store, in PEM
    #[arg(long, hide = true)]
    #[serde(serialize_with = "path")]
    pub s3_ca: Option<PathBuf>,
}

#[derive(Debug, Args, Serialize)]
pub struct DatabaseSettings {
    /// Who writes the write-ahead log back into the database: own (this program) or external (Litestream)
    #[arg(long, value_name = "WHO", value_parser = values::checkpoints, default_value = "own")]
    pub checkpoints: Checkpoints,
}

#[derive(Debug, Args, Serialize)]
pub struct FontSettings {
    /// A folder with more fonts (TTF, OTF) for certificates, for characters that the built-in fonts lack
    #[arg(long, value_name = "DIR", value_parser = values::fonts_dir)]
    #[serde(serialize_with = "path")]
    pub fonts_dir: Option<PathBuf>,
}

#[derive(Debug, Args, Serialize)]
pub struct MailSettings {
    /// The mail server: smtp://USER@HOST:PORT or smtps://USER@HOST:PORT; without one, no email is sent
    #[arg(long, value_name = "URL", value_parser = mail_values::server_of)]
    #[serde(serialize_with = "text")]
    pub smtp_url: Option<MailServer>,
    /// The password of the mail server's user
    #[arg(long, hide = true, value_parser = secret)]
    #[serde(skip)]
    pub smtp_password: Option<Secret>,
    /// The sender of all emails: an address, or `NAME <ADDRESS>`
    #[arg(long, value_name = "SENDER", value_parser = mail_values::sender)]
    #[serde(serialize_with = "text")]
    pub mail_from: Option<MailSender>,
    /// Further certificate authorities to trust for the mail server, in PEM
    #[arg(long, value_name = "FILE")]
    #[serde(serialize_with = "path")]
    pub smtp_ca: Option<PathBuf>,
    /// Maximum number of emails an hour to one address about one form, and 10 a day about all forms, or this number if
    /// it is larger; further ones are not sent
    #[arg(long, value_name = "N", value_parser = mail_values::limit, default_value_t = MailLimits::default().per_recipient)]
    pub mail_per_recipient: u32,
    /// Maximum number of emails an hour caused by submissions from one address to one form; further ones wait
    #[arg(long, value_name = "N", value_parser = mail_values::limit, default_value_t = MailLimits::default().per_sender)]
    pub mail_per_sender: u32,
    /// Maximum number of emails an hour about one form; further ones wait
    #[arg(long, value_name = "N", value_parser = mail_values::limit, default_value_t = MailLimits::default().per_form)]
    pub mail_per_form: u32,
    /// Maximum number of emails a day about the forms of one organization; further ones wait
    #[arg(long, value_name = "N", value_parser = mail_values::limit, default_value_t = MailLimits::default().per_day)]
    pub mail_per_day: u32,
}

#[derive(Debug, Args, Serialize)]
pub struct WebhookSettings {
    /// Also deliver webhooks to non-public addresses, such as this machine and private networks
    #[arg(long)]
    pub allow_private_webhooks: bool,
    /// Further certificate authorities to trust for receivers of webhooks, in PEM
    #[arg(long, value_name = "FILE")]
    #[serde(serialize_with = "path")]
    pub webhook_ca: Option<PathBuf>,
}

#[derive(Debug, Args, Serialize)]
pub struct LimitSettings {
    /// Apply the limits below: on or off
    #[arg(long, value_name = "ON|OFF", value_parser = values::on_off, action = ArgAction::Set, default_value = "on")]
    #[serde(serialize_with = "on_off")]
    pub rate_limits: bool,
    /// Requests per minute with one token
    #[arg(long, value_name = "N", value_parser = values::per_minute, default_value_t = Limits::default().api)]
    pub limit_api: u32,
    /// Submissions per minute from one address to one form
    #[arg(long, value_name = "N", value_parser = values::per_minute, default_value_t = Limits::default().submissions)]
    pub limit_submissions: u32,
    /// Sign-ins per minute from one address
    #[arg(long, value_name = "N", value_parser = values::per_minute, default_value_t = Limits::default().sign_ins)]
    pub limit_sign_ins: u32,
    /// Searches per minute from one address on one public query; ten times as many per hour
    #[arg(long, value_name = "N", value_parser = values::per_minute, default_value_t = Limits::default().searches)]
    pub limit_searches: u32,
    /// Exports per minute from one address on one public query
    #[arg(long, value_name = "N", value_parser = values::per_minute, default_value_t = Limits::default().exports)]
    pub limit_exports: u32,
    /// The work that a browser does before each search of a public query, in zero bits of a hash, 8 to 24; visitors
    /// without it can search a tenth as often [default: 0, off]
    #[arg(long, value_name = "BITS", value_parser = values::proof_bits, hide_default_value = true)]
    #[arg(default_value_t = Limits::default().proof_bits)]
    pub proof_of_work: u32,
}

#[derive(Debug, Args, Serialize)]
pub struct LogSettings {
    /// Log each request at level info: on, off, or address to include the client's address; a line holds the route's
    /// pattern, never the path or query
    #[arg(long, value_name = "ON|OFF|ADDRESS", value_parser = values::access_log, default_value = "off")]
    pub access_log: AccessLog,
    /// Log format: text or json
    #[arg(long, value_name = "FORMAT", value_parser = values::log_format, default_value = "text")]
    pub log_format: LogFormat,
    /// Log level: error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", value_parser = values::log_level, default_value = "info")]
    pub log_level: LogLevel,
}

#[derive(Debug, Args, Serialize)]
pub struct PasswordSetting {
    /// The password of an account to create, or to set
    #[arg(long, hide = true, value_parser = secret)]
    #[serde(skip)]
    pub password: Option<Secret>,
}

fn secret(text: &str) -> Result<Secret, Infallible> {
    Ok(Secret::new(text.to_owned()))
}

fn text<S: Serializer>(value: &Option<impl Display>, serializer: S) -> Result<S::Ok, S::Error> {
    value.as_ref().map(ToString::to_string).serialize(serializer)
}

pub fn path<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.display().to_string()).serialize(serializer)
}

fn texts<S: Serializer>(values: &[impl Display], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(ToString::to_string))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes every field by reference")]
fn on_off<S: Serializer>(on: &bool, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(if *on { "on" } else { "off" })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::cli::config::layers::{is_secret, key, variable};

    const HANDBOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/handbook/configure.md");

    #[test]
    fn the_handbook_lists_the_settings() {
        let mut table = "| flag | variable | in the file | meaning |\n|---|---|---|---|\n".to_owned();
        let settings = all();
        for arg in settings.get_arguments().filter(|arg| !arg.is_global_set() || arg.get_id() == "data_dir") {
            let name = arg.get_long().expect("a name");
            let flag = if arg.is_hide_set() { "(none)".to_owned() } else { format!("`--{name}`") };
            let (variable, key) = (variable(name), key(name));
            let names = match is_secret(arg) {
                true => format!("`{variable}`, or a file named by `{variable}_FILE` | `{key}`, `{key}_file`"),
                false => format!("`{variable}` | `{key}`"),
            };
            writeln!(table, "| {flag} | {names} | {} |", arg.get_help().expect("words")).expect("text");
        }
        let page = std::fs::read_to_string(HANDBOOK).expect("the handbook");
        assert!(page.contains(&table), "the table of {HANDBOOK} must be:\n{table}");
    }
}
