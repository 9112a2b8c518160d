//! The effective settings: flags over the layers below, validated as a whole.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args as _;

use crate::base::config::{AccessLog, Checkpoints, Config, Limits, Tls};
use crate::base::listen_on::ListenOn;
use crate::base::secret::Secret;
use crate::cli::config::args::{Global, MailFlags, Serve, TlsFlags, WebhookFlags};
use crate::cli::config::backup_settings::{self as backups, BackupFlags};
use crate::cli::config::layers::Layers;
use crate::cli::config::path_setting::PathSetting;
use crate::cli::config::values::{self, LogFormat, LogLevel};
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::server::tls;
use crate::cli::{mail, webhooks};
use crate::http::conn::Transport;
use crate::http::tls::CertificateSource;

const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);
const MAX_CONNECTIONS: usize = 4096;
const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);

/// Settings that are not flags of `serve` or global flags.
pub(in crate::cli) const OTHER_SETTINGS: [&str; 14] = [
    "backup-passphrase",
    "backup-passphrase-file",
    "s3-endpoint",
    "s3-region",
    "s3-access-key",
    "s3-access-key-file",
    "s3-secret-key",
    "s3-secret-key-file",
    "s3-virtual-hosts",
    "s3-ca",
    "password",
    "password-file",
    "smtp-password",
    "smtp-password-file",
];

/// All settings by the name of their flag. Other variables and keys are unknown.
pub(in crate::cli) fn setting_names() -> Vec<String> {
    let flags = Serve::augment_args(Global::augment_args(clap::Command::new("formsvc")));
    let flags = flags.get_arguments().filter_map(clap::Arg::get_long);
    flags.chain(OTHER_SETTINGS).map(str::to_owned).collect()
}

/// The context of every command.
pub struct Cx {
    pub out: Output,
    /// Whether questions may be asked.
    pub may_ask: bool,
    /// Whether questions are answered with yes.
    pub says_yes: bool,
    pub layers: Layers,
    data_dir: Option<PathBuf>,
}

/// All settings of `serve`.
pub struct Service {
    /// The base URL is empty if none is set.
    pub config: Config,
    pub transport: Transport,
    /// Whether the settings name where to listen.
    pub names_listen: bool,
    /// Where figures for operators are served.
    pub metrics: Option<ListenOn>,
    pub tls: Tls,
    pub log_format: LogFormat,
    pub log_level: LogLevel,
}

impl Cx {
    pub fn read(global: Global) -> Result<Self, Failure> {
        let layers = Layers::read(global.config.as_deref())?;
        let switch =
            |name, flag: bool| layers.one(name, flag.then_some(true), values::truth).map(Option::unwrap_or_default);
        let out = Output { json: switch("json", global.json)?, quiet: switch("quiet", global.quiet)? };
        let may_ask = !switch("no-input", global.no_input)?;
        let says_yes = switch("yes", global.yes)?;
        layers.warn_of_unknown(&setting_names(), out);
        Ok(Self { out, may_ask, says_yes, layers, data_dir: global.data_dir })
    }

    /// Whether the command line itself names the data dir.
    pub fn names_data_dir(&self) -> bool {
        self.data_dir.is_some()
    }

    /// The data dir; fails if it is not set and the platform has no default.
    pub fn data_dir(&self) -> Result<PathBuf, Failure> {
        let flag = self.data_dir.as_ref().map(|path| PathSetting(path.clone()));
        let named = self.layers.one("data-dir", flag, PathSetting::read)?;
        if let Some(PathSetting(path)) = named {
            return Ok(path);
        }
        let Some((path, source)) = self.layers.state_dir() else {
            return Err(Failure::configuration(
                "there is no home folder to keep data in: name a folder with --data-dir",
            ));
        };
        self.layers.correct("data-dir", path.display().to_string());
        self.layers.correct_source("data-dir", source);
        Ok(path)
    }

    /// The settings of commands that run beside a server: the data dir, and from variable or file the base URL, the disk
    /// space to keep free, who does checkpoints, and how mail and webhooks are delivered.
    pub fn beside(&self) -> Result<Config, Failure> {
        let base_url = self.layers.one("base-url", None, values::base_url)?;
        let min_free_mb = self.layers.one("min-free-mb", None, values::megabytes_or_none)?;
        Ok(Config {
            data_dir: self.data_dir()?,
            backups: backups::read(&self.layers, BackupFlags::default())?,
            checkpoints: self.checkpoints(None)?,
            base_url: base_url.unwrap_or_default(),
            trusted_proxies: Vec::new(),
            limits: Limits::default(),
            access_log: AccessLog::default(),
            max_upload_mb: Config::MAX_UPLOAD_MB,
            request_timeout: Config::REQUEST_TIMEOUT,
            min_free_mb: min_free_mb.unwrap_or(Config::MIN_FREE_MB),
            fonts_dir: None,
            mail: mail::read(&self.layers, MailFlags::default())?,
            webhooks: webhooks::read(&self.layers, WebhookFlags::default())?,
        })
    }

    /// Who writes the log back into the database.
    fn checkpoints(&self, flag: Option<Checkpoints>) -> Result<Checkpoints, Failure> {
        let flag = flag.map(CheckpointsSetting);
        let parse = |text: &str| values::checkpoints(text).map(CheckpointsSetting);
        let default = CheckpointsSetting(Checkpoints::default());
        let set = self.layers.or("checkpoints", flag, parse, default)?;
        Ok(set.0)
    }

    /// The password from its variable.
    pub fn password(&self) -> Result<Option<Secret>, Failure> {
        self.layers.secret("password")
    }

    pub fn service(&self, flags: Serve) -> Result<Service, Failure> {
        let layers = &self.layers;
        let data_dir = self.data_dir()?;
        let mut listen =
            layers.many("listen", flags.listen, |text| text.parse::<ListenOn>().map_err(|fault| fault.to_string()))?;
        let names_listen = !listen.is_empty();
        if !names_listen {
            listen.push(ListenOn::Tcp(DEFAULT_LISTEN));
            layers.correct("listen", vec![DEFAULT_LISTEN.to_string()]);
        }
        let metrics = layers.one("metrics-listen", flags.metrics_listen, |text| {
            text.parse::<ListenOn>().map_err(|fault| fault.to_string())
        })?;
        let base_url = layers.one("base-url", flags.base_url, values::base_url)?;
        let tls = tls::read(layers, flags.tls)?;
        let base_url = base_url.or_else(|| match &tls {
            Tls::Acme(acme) => {
                let first = format!("https://{}", acme.domains.first()?);
                layers.correct("base-url", first.as_str());
                Some(first)
            }
            Tls::Files(_) | Tls::Off => None,
        });
        let trusted_proxies = layers.many("trusted-proxies", flags.trusted_proxies, values::network)?;
        let max_connections = layers.or("max-connections", flags.max_connections, values::count, MAX_CONNECTIONS)?;
        let max_connections_per_address =
            layers.one("max-connections-per-address", flags.max_connections_per_address, values::count)?;
        if max_connections_per_address.is_none() {
            layers.correct("max-connections-per-address", "1024");
        }
        let request_timeout =
            layers.or("request-timeout", flags.request_timeout, values::seconds, Config::REQUEST_TIMEOUT.as_secs())?;
        let request_timeout = Duration::from_secs(request_timeout);
        let max_upload_mb =
            layers.or("max-upload-mb", flags.max_upload_mb, values::megabytes, Config::MAX_UPLOAD_MB)?;
        let min_free_mb =
            layers.or("min-free-mb", flags.min_free_mb, values::megabytes_or_none, Config::MIN_FREE_MB)?;
        let backup_flags = BackupFlags { every: flags.backup_every, keep: flags.backup_keep, to: flags.backup_to };
        let fonts_dir = layers.one("fonts-dir", flags.fonts_dir.map(PathSetting), PathSetting::read_folder)?;
        let on = layers.or(
            "rate-limits",
            flags.rate_limits.map(Switch),
            |text| values::on_off(text).map(Switch),
            Switch(true),
        )?;
        let standard = Limits::default();
        let per_minute = |name, flag, default| layers.or(name, flag, values::per_minute, default);
        let limits = Limits {
            on: on.0,
            api: per_minute("limit-api", flags.limit_api, standard.api)?,
            submissions: per_minute("limit-submissions", flags.limit_submissions, standard.submissions)?,
            sign_ins: per_minute("limit-sign-ins", flags.limit_sign_ins, standard.sign_ins)?,
            searches: per_minute("limit-searches", flags.limit_searches, standard.searches)?,
            exports: per_minute("limit-exports", flags.limit_exports, standard.exports)?,
            proof_bits: layers.or("proof-of-work", flags.proof_of_work, values::proof_bits, standard.proof_bits)?,
        };
        let access_log = layers.or(
            "access-log",
            flags.access_log.map(AccessLogSetting),
            |text| values::access_log(text).map(AccessLogSetting),
            AccessLogSetting(AccessLog::default()),
        )?;
        let log_format = layers.or("log-format", flags.log_format, values::log_format, LogFormat::Text)?;
        let log_level = layers.or("log-level", flags.log_level, values::log_level, LogLevel::Info)?;
        Ok(Service {
            config: Config {
                data_dir,
                backups: backups::read_own(layers, backup_flags)?,
                checkpoints: self.checkpoints(flags.checkpoints)?,
                base_url: base_url.unwrap_or_default(),
                trusted_proxies: trusted_proxies.clone(),
                limits,
                access_log: access_log.0,
                max_upload_mb,
                request_timeout,
                min_free_mb,
                fonts_dir: fonts_dir.map(|folder| folder.0),
                mail: mail::read(layers, flags.mail)?,
                webhooks: webhooks::read(layers, flags.webhooks)?,
            },
            transport: Transport {
                listen,
                tls: match &tls {
                    Tls::Off => None,
                    Tls::Files(files) => Some(CertificateSource::Files(files.clone())),
                    Tls::Acme(_) => Some(CertificateSource::Served(Arc::default())),
                },
                max_connections,
                max_connections_per_address,
                trusted_proxies,
                stall: request_timeout,
                drain: DRAIN_TIMEOUT,
            },
            names_listen,
            metrics,
            tls,
            log_format,
            log_level,
        })
    }

    /// The settings of TLS that commands beside a server know of: those of variables and the config file.
    pub fn tls_beside(&self) -> Result<Tls, Failure> {
        tls::read(&self.layers, TlsFlags::default())
    }
}

/// The access log's setting with `Display`.
struct AccessLogSetting(AccessLog);

impl std::fmt::Display for AccessLogSetting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(values::show_access_log(self.0))
    }
}

/// Who does checkpoints, with `Display`.
struct CheckpointsSetting(Checkpoints);

impl std::fmt::Display for CheckpointsSetting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(values::show_checkpoints(self.0))
    }
}

/// A switch displayed as `on` or `off`.
struct Switch(bool);

impl std::fmt::Display for Switch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(values::show_on_off(self.0))
    }
}
