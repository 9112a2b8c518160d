//! The effective configuration as plain data. Only `cli` reads flags, environment and files.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use serde::Serialize;
use url::Url;

use crate::base::backup_target::BackupTarget;
use crate::base::listen_on::TlsFiles;
use crate::base::secret::Secret;

/// A megabyte, as settings count them.
pub const MB: u64 = 1 << 20;

#[derive(Clone, Debug)]
pub struct Config {
    pub data_dir: PathBuf,
    pub backups: Backups,
    pub checkpoints: Checkpoints,
    /// The public base URL without a trailing slash; it may have a path. Every absolute URL is built from it and never
    /// from a request header.
    pub base_url: String,
    /// Networks whose forwarding headers are trusted (S7).
    pub trusted_proxies: Vec<IpNet>,
    pub limits: Limits,
    pub access_log: AccessLog,
    /// The largest accepted file, in MB of 1,048,576 bytes.
    pub max_upload_mb: u64,
    /// How long the body of a request may take to come.
    pub request_timeout: Duration,
    /// Free disk space in the same MB, plus 2% of the disk, below which no data is accepted. 0 disables the check.
    pub min_free_mb: u64,
    /// Fonts of certificates for characters that the program's own lack.
    pub fonts_dir: Option<PathBuf>,
    /// How mail is sent; `None` if it is not.
    pub mail: Option<Mail>,
    pub webhooks: Webhooks,
}

impl Config {
    /// The default of `request_timeout`.
    pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

    /// Whether the base URL is https, which decides cookies and HSTS.
    pub fn is_https(&self) -> bool {
        self.base_url.starts_with("https://")
    }

    /// The path of the base URL, without a trailing slash: empty or `/forms`.
    pub fn base_path(&self) -> &str {
        let rest = self.base_url.split_once("://").map_or("", |(_, rest)| rest);
        rest.find('/').map_or("", |slash| &rest[slash..])
    }

    /// Scheme, host and port of the base URL, as browsers send it in `Origin`.
    pub fn origin(&self) -> &str {
        &self.base_url[..self.base_url.len() - self.base_path().len()]
    }
}

/// Destination, interval and encryption of automatic backups.
#[derive(Clone, Debug, Default)]
pub struct Backups {
    /// The seconds from one to the next; `None` if none are made.
    pub every_secs: Option<i64>,
    /// How many stay; `None` for all.
    pub keep: Option<usize>,
    /// `None` for the folder in the data dir.
    pub to: Option<BackupTarget>,
    /// `None` if they are not encrypted.
    pub passphrase: Option<Secret>,
    pub s3: S3,
}

/// How an S3-compatible store is reached.
#[derive(Clone, Debug, Default)]
pub struct S3 {
    /// `None` for that of AWS in the region.
    pub endpoint: Option<Url>,
    pub region: String,
    pub access_key: Option<Secret>,
    pub secret_key: Option<Secret>,
    /// Whether the bucket is part of the host's name instead of the path.
    pub virtual_hosts: bool,
    /// Certificates in PEM that are trusted in addition to the public ones.
    pub ca: Option<Vec<u8>>,
}

/// The program that writes the write-ahead log back into the database file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Checkpoints {
    /// This program.
    #[default]
    Own,
    /// Another program, such as Litestream, which first copies the frames of the log.
    External,
}

/// The log line for each answered request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AccessLog {
    /// Nothing above level debug, so that failures stand out in the log of a small server. A proxy in front has an
    /// access log already; without one, such lines would fill the disk unread.
    #[default]
    Off,
    /// A line, without the client's address.
    On,
    /// A line with the client's address.
    Address,
}

/// Limits per minute (contract section 1). `on: false` lifts these three; those of S14 and S25 stay.
#[derive(Clone, Debug)]
pub struct Limits {
    pub on: bool,
    /// API requests per token.
    pub api: u32,
    /// Submissions per address and form.
    pub submissions: u32,
    /// Sign-ins per address.
    pub sign_ins: u32,
    /// Searches per address and public query; ten times as many an hour.
    pub searches: u32,
    /// Exports of results per address and public query.
    pub exports: u32,
    /// The zero bits of the hash that a search must bring; 0 for none.
    pub proof_bits: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { on: true, api: 600, submissions: 600, sign_ins: 10, searches: 30, exports: 5, proof_bits: 0 }
    }
}

/// The mail server, and the sender of all mail.
#[derive(Clone, Debug)]
pub struct Mail {
    pub server: MailServer,
    pub password: Option<Secret>,
    pub from: MailSender,
    /// Certificates in PEM that are trusted in addition to the public ones.
    pub ca: Option<Vec<u8>>,
    pub limits: MailLimits,
}

/// Limits on mail about forms, which strangers bring about (S97).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MailLimits {
    /// To one address about one form, an hour. More is not sent.
    pub per_recipient: u32,
    /// Mails that one address's submissions to a form cause, per hour. More are delayed.
    pub per_sender: u32,
    /// About one form, an hour. More waits.
    pub per_form: u32,
    /// About all forms of an organisation, a day. More waits.
    pub per_day: u32,
}

impl Default for MailLimits {
    fn default() -> Self {
        Self { per_recipient: 3, per_sender: 200, per_form: 600, per_day: 2_000 }
    }
}

/// How a mail server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailServer {
    /// TLS from the first byte, instead of `STARTTLS`.
    pub implicit_tls: bool,
    /// A name or an IP address, without brackets.
    pub host: String,
    pub port: u16,
    pub user: Option<String>,
}

impl MailServer {
    /// Whether the server is on this machine.
    pub fn is_loopback(&self) -> bool {
        let address = self.host.parse::<IpAddr>();
        self.host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    }
}

/// As its setting writes it.
impl fmt::Display for MailServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { implicit_tls, host, port, user } = self;
        let scheme = if *implicit_tls { "smtps" } else { "smtp" };
        let user = user.as_ref().map_or_else(String::new, |user| format!("{user}@"));
        let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
        write!(f, "{scheme}://{user}{host}:{port}")
    }
}

/// The sender of mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailSender {
    pub name: Option<String>,
    pub address: String,
}

/// As its setting writes it.
impl fmt::Display for MailSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name} <{}>", self.address),
            None => f.write_str(&self.address),
        }
    }
}

/// How webhooks are delivered.
#[derive(Clone, Debug, Default)]
pub struct Webhooks {
    /// Whether receivers may have addresses that are not public.
    pub may_be_private: bool,
    /// Certificates in PEM that are trusted in addition to the public ones.
    pub ca: Option<Vec<u8>>,
}

/// How connections over TCP are encrypted.
#[derive(Clone, Debug)]
pub enum Tls {
    Off,
    Files(TlsFiles),
    Acme(Acme),
}

/// How certificates are obtained by ACME (RFC 8555).
#[derive(Clone, Debug)]
pub struct Acme {
    /// The names that the certificate is for, in lower case and ASCII; at least one.
    pub domains: Vec<String>,
    /// The address for mail from the authority.
    pub email: Option<String>,
    /// The URL of the authority's directory.
    pub directory: String,
    /// Certificates in PEM that are trusted in addition to the public ones for connections to the authority.
    pub ca: Option<Vec<u8>>,
}

impl Acme {
    /// The names as messages show them.
    pub fn names(&self) -> String {
        self.domains.join(", ")
    }
}

#[cfg(test)]
impl Config {
    /// Settings for tests, as the defaults are.
    pub fn sample(data_dir: &std::path::Path, base_url: &str) -> Self {
        Self {
            data_dir: data_dir.to_owned(),
            backups: Backups::default(),
            checkpoints: Checkpoints::default(),
            base_url: base_url.to_owned(),
            trusted_proxies: Vec::new(),
            limits: Limits::default(),
            access_log: AccessLog::default(),
            max_upload_mb: 100,
            request_timeout: Self::REQUEST_TIMEOUT,
            min_free_mb: 256,
            fonts_dir: None,
            mail: None,
            webhooks: Webhooks::default(),
        }
    }
}
