//! The settings of backups: when, where to, encrypted with what, and how the store is reached.

use std::fmt;
use std::path::{Path, PathBuf};

use url::Url;

use crate::base::backup_target::BackupTarget;
use crate::base::config::{Backups, S3};
use crate::base::secret::Secret;
use crate::cli::config::layers::Layers;
use crate::cli::config::path_setting::{PathSetting, certificates};
use crate::cli::config::values::{self, Interval};
use crate::cli::failure::Failure;
use crate::jobs::smtp;

/// A shorter passphrase can be guessed by whoever has a backup.
const SHORTEST: usize = 8;
const DEFAULT_REGION: &str = "us-east-1";

/// Flags of `serve`.
#[derive(Default)]
pub struct BackupFlags {
    pub every: Option<Interval>,
    pub keep: Option<usize>,
    pub to: Option<PathBuf>,
}

pub fn read(layers: &Layers, flags: BackupFlags) -> Result<Backups, Failure> {
    let every = layers.one("backup-every", flags.every, values::interval)?;
    let keep = layers.one("backup-keep", flags.keep, values::at_least_one)?;
    let to = flags.to.map(|path| BackupTarget::of(&path)).transpose();
    let to = to.map_err(|fault| Failure::usage(format!("--backup-to {fault}")))?;
    let to = layers.one("backup-to", to, |text| BackupTarget::of(Path::new(text)))?;
    let passphrase = layers.secret("backup-passphrase")?;
    if passphrase.as_ref().is_some_and(|it| !is_long(it)) {
        return Err(Failure::configuration(format!("backup-passphrase must have at least {SHORTEST} characters")));
    }
    Ok(Backups { every_secs: every.map(|Interval(secs)| secs), keep, to, passphrase, s3: s3(layers)? })
}

/// The same for a service, which needs to know when.
pub fn read_own(layers: &Layers, flags: BackupFlags) -> Result<Backups, Failure> {
    let is_flag = flags.keep.is_some();
    let backups = read(layers, flags)?;
    if backups.keep.is_none() || backups.every_secs.is_some() {
        return Ok(backups);
    }
    let sentence = "--backup-keep is set, but no backups are made without --backup-every: set it, for example to 24h, or \
                    leave --backup-keep out";
    Err(match is_flag {
        true => Failure::usage(sentence),
        false => Failure::configuration(sentence),
    })
}

/// Whether a passphrase is long enough to encrypt with.
pub fn is_long(passphrase: &Secret) -> bool {
    passphrase.reveal().chars().count() >= SHORTEST
}

fn s3(layers: &Layers) -> Result<S3, Failure> {
    let endpoint = layers.one("s3-endpoint", None, endpoint)?;
    let region = |text: &str| Ok(text.to_owned());
    let region = layers.or("s3-region", None, region, DEFAULT_REGION.to_owned())?;
    let access_key = layers.secret("s3-access-key")?;
    let secret_key = layers.secret("s3-secret-key")?;
    let virtual_hosts = layers.or("s3-virtual-hosts", None, values::truth, false)?;
    let ca = layers.one("s3-ca", None, PathSetting::read)?;
    let ca = ca.map(|path| certificates("s3-ca", &path, smtp::are_certificates));
    Ok(S3 {
        endpoint: endpoint.map(|Endpoint(url)| url),
        region,
        access_key,
        secret_key,
        virtual_hosts,
        ca: ca.transpose()?,
    })
}

/// An address, https unless it says http.
fn endpoint(text: &str) -> Result<Endpoint, String> {
    let form = || "must be an address such as https://s3.example.org".to_owned();
    let url = Url::parse(text).map_err(|_| form())?;
    let is_plain = matches!(url.scheme(), "http" | "https")
        && url.has_host()
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    is_plain.then_some(Endpoint(url)).ok_or_else(form)
}

/// The endpoint's setting with `Display`.
struct Endpoint(Url);

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints() {
        for (text, shown) in [
            ("https://s3.example.org", "https://s3.example.org"),
            ("http://127.0.0.1:9000/", "http://127.0.0.1:9000"),
            ("https://example.org/s3", "https://example.org/s3"),
        ] {
            assert_eq!(endpoint(text).map(|it| it.to_string()), Ok(shown.to_owned()));
        }
        for text in ["", "s3.example.org", "s3://forms", "https://me:pw@example.org", "https://example.org/?x"] {
            assert!(endpoint(text).is_err(), "{text}");
        }
    }
}
