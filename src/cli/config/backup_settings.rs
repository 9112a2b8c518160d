//! The settings of backups: schedule, destination, encryption, and access to the store.

use std::fmt;

use url::Url;

use crate::base::backup_target::BackupTarget;
use crate::base::config::{Backups, S3};
use crate::base::secret::Secret;
use crate::cli::config::certificates::certificates;
use crate::cli::config::flags::Flags;
use crate::cli::config::layers::Layers;
use crate::cli::config::rows::BackupSettings;
use crate::cli::config::values::Interval;
use crate::cli::failure::Failure;
use crate::jobs::smtp;

/// A shorter passphrase could be guessed by anybody who has a backup.
const SHORTEST: usize = 8;

pub fn read(layers: &Layers, flags: &Flags<BackupSettings>) -> Result<Backups, Failure> {
    let settings = layers.read(flags)?;
    let to = settings.backup_to.map(|path| BackupTarget::of(&path)).transpose();
    let to = to.map_err(|fault| layers.fault("backup-to", fault))?;
    if let Some(to) = &to {
        layers.correct("backup-to", to.to_string());
    }
    let passphrase = settings.backup_passphrase;
    if passphrase.as_ref().is_some_and(|it| !is_long(it)) {
        return Err(Failure::configuration(format!("backup-passphrase must have at least {SHORTEST} characters")));
    }
    let ca = settings.s3_ca.map(|path| certificates("s3-ca", &path, smtp::are_certificates));
    let s3 = S3 {
        endpoint: settings.s3_endpoint.map(|Endpoint(url)| url),
        region: settings.s3_region,
        access_key: settings.s3_access_key,
        secret_key: settings.s3_secret_key,
        virtual_hosts: settings.s3_virtual_hosts,
        ca: ca.transpose()?,
    };
    let every_secs = settings.backup_every.map(|Interval(secs)| secs);
    Ok(Backups { every_secs, keep: settings.backup_keep, to, passphrase, s3 })
}

/// The settings of a service, which also needs the schedule.
pub fn read_own(layers: &Layers, flags: &Flags<BackupSettings>) -> Result<Backups, Failure> {
    let backups = read(layers, flags)?;
    if backups.keep.is_none() || backups.every_secs.is_some() {
        return Ok(backups);
    }
    let sentence = "--backup-keep is set, but no backups are made without --backup-every: set it, for example to \
                    24h, or leave out --backup-keep";
    Err(match flags.give(&["backup-keep"]) {
        true => Failure::usage(sentence),
        false => Failure::configuration(sentence),
    })
}

/// Whether a passphrase is long enough to encrypt with.
pub fn is_long(passphrase: &Secret) -> bool {
    passphrase.reveal().chars().count() >= SHORTEST
}

/// An address, https unless it says http.
pub fn endpoint(text: &str) -> Result<Endpoint, String> {
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
#[derive(Clone, Debug)]
pub struct Endpoint(Url);

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
