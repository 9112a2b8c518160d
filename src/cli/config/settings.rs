//! The effective settings, validated as a whole.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::base::config::{Config, Limits, Tls};
use crate::base::json::Json;
use crate::base::listen_on::ListenOn;
use crate::base::secret::Secret;
use crate::cli::config::args::Global;
use crate::cli::config::backup_settings as backups;
use crate::cli::config::flags::Flags;
use crate::cli::config::layers::{Layers, Source};
use crate::cli::config::rows::{PasswordSetting, Serve};
use crate::cli::config::values::{LogFormat, LogLevel};
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::server::tls;
use crate::cli::{mail, webhooks};
use crate::http::conn::Transport;
use crate::http::tls::CertificateSource;

const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);

/// Settings of requests and addresses that commands run beside a server read too.
const BESIDE: [&str; 2] = ["base-url", "min-free-mb"];

/// The context of every command.
pub struct Cx {
    pub out: Output,
    /// Whether questions may be asked.
    pub may_ask: bool,
    /// Whether questions are answered with yes.
    pub says_yes: bool,
    pub layers: Layers,
    global: Flags<Global>,
}

/// All settings of `serve`.
pub struct Service {
    /// The base URL is empty if none is set.
    pub config: Config,
    pub transport: Transport,
    /// Whether the settings name where to listen.
    pub names_listen: bool,
    /// The address that serves metrics for operators.
    pub metrics: Option<ListenOn>,
    pub tls: Tls,
    pub log_format: LogFormat,
    pub log_level: LogLevel,
}

impl Cx {
    pub fn read(global: Flags<Global>) -> Result<Self, Failure> {
        let config = global.values("config").into_iter().flatten().next();
        let layers = Layers::open(config.map(PathBuf::from).as_deref())?;
        let switches = ["json", "quiet", "no-input", "yes"];
        let set = layers.read_some(&global, |name| switches.contains(&name))?;
        for name in switches.into_iter().filter(|name| layers.source(name) == Source::Default) {
            layers.correct(name, Json::Null);
        }
        let out = Output { json: set.json, quiet: set.quiet };
        layers.warn_of_unknown(out);
        Ok(Self { out, may_ask: !set.no_input, says_yes: set.yes, layers, global })
    }

    /// Whether the command line itself names the data dir.
    pub fn names_data_dir(&self) -> bool {
        self.global.give(&["data-dir"])
    }

    /// The data dir; fails if it is not set and the platform has no default.
    pub fn data_dir(&self) -> Result<PathBuf, Failure> {
        let named = self.layers.read_some(&self.global, |name| name == "data-dir")?;
        if let Some(path) = named.data_dir {
            return Ok(path);
        }
        let Some((path, source)) = self.layers.state_dir() else {
            return Err(Failure::configuration(
                "there is no home folder to store data in: name a folder with --data-dir",
            ));
        };
        self.layers.correct("data-dir", path.display().to_string());
        self.layers.correct_source("data-dir", source);
        Ok(path)
    }

    /// The password from its variable.
    pub fn password(&self) -> Result<Option<Secret>, Failure> {
        Ok(self.layers.read(&Flags::<PasswordSetting>::default())?.password)
    }

    /// The settings of commands that run beside a server: the data dir, and from variable or file the base URL, the
    /// disk space to keep free, the program that does checkpoints, and the delivery of mail and webhooks.
    pub fn beside(&self) -> Result<Config, Failure> {
        Ok(self.settings(&Serve::default(), false)?.config)
    }

    pub fn service(&self, flags: &Serve) -> Result<Service, Failure> {
        self.settings(flags, true)
    }

    fn settings(&self, flags: &Serve, of_service: bool) -> Result<Service, Failure> {
        let layers = &self.layers;
        let is_read = |name: &str| of_service || BESIDE.contains(&name);
        let data_dir = self.data_dir()?;
        let addresses = layers.read_some(&flags.addresses, is_read)?;
        let tls = if of_service { tls::read(layers, &flags.tls)? } else { Tls::Off };
        let base_url = addresses.base_url.or_else(|| match &tls {
            Tls::Acme(acme) => {
                let first = format!("https://{}", acme.domains.first()?);
                layers.correct("base-url", first.as_str());
                Some(first)
            }
            Tls::Files(_) | Tls::Off => None,
        });
        let requests = layers.read_some(&flags.requests, is_read)?;
        if requests.max_connections_per_address.is_none() {
            layers.correct("max-connections-per-address", "1024");
        }
        let request_timeout = Duration::from_secs(requests.request_timeout);
        let fonts = layers.read_some(&flags.fonts, is_read)?;
        let limits = layers.read_some(&flags.limits, is_read)?;
        let logs = layers.read_some(&flags.logs, is_read)?;
        let backups = match of_service {
            true => backups::read_own(layers, &flags.backups)?,
            false => backups::read(layers, &flags.backups)?,
        };
        Ok(Service {
            config: Config {
                data_dir,
                backups,
                checkpoints: layers.read(&flags.database)?.checkpoints,
                base_url: base_url.unwrap_or_default(),
                trusted_proxies: requests.trusted_proxies.clone(),
                limits: Limits {
                    on: limits.rate_limits,
                    api: limits.limit_api,
                    submissions: limits.limit_submissions,
                    sign_ins: limits.limit_sign_ins,
                    searches: limits.limit_searches,
                    exports: limits.limit_exports,
                    proof_bits: limits.proof_of_work,
                },
                access_log: logs.access_log,
                max_upload_mb: requests.max_upload_mb,
                request_timeout,
                min_free_mb: requests.min_free_mb,
                fonts_dir: fonts.fonts_dir,
                mail: mail::read(layers, &flags.mail)?,
                webhooks: webhooks::read(layers, &flags.webhooks)?,
            },
            transport: Transport {
                listen: addresses.listen,
                tls: match &tls {
                    Tls::Off => None,
                    Tls::Files(files) => Some(CertificateSource::Files(files.clone())),
                    Tls::Acme(_) => Some(CertificateSource::Served(Arc::default())),
                },
                max_connections: requests.max_connections,
                max_connections_per_address: requests.max_connections_per_address,
                trusted_proxies: requests.trusted_proxies,
                stall: request_timeout,
                drain: DRAIN_TIMEOUT,
            },
            names_listen: layers.source("listen") != Source::Default,
            metrics: addresses.metrics_listen,
            tls,
            log_format: logs.log_format,
            log_level: logs.log_level,
        })
    }

    /// The TLS settings for commands run beside a server: those from variables and the config file.
    pub fn tls_beside(&self) -> Result<Tls, Failure> {
        tls::read(&self.layers, &Flags::default())
    }
}
