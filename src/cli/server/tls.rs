//! The settings of TLS: a certificate in files, or one by ACME.

use crate::base::config::{Acme, Tls};
use crate::base::listen_on::TlsFiles;
use crate::cli::config::args::TlsFlags;
use crate::cli::config::layers::Layers;
use crate::cli::config::path_setting::{PathSetting, certificates};
use crate::cli::config::values;
use crate::cli::failure::Failure;
use crate::outbound::acme::are_certificates;

/// The directory of Let's Encrypt.
const DIRECTORY: &str = "https://acme-v02.api.letsencrypt.org/directory";

const PAIR: &str = "tls-cert and tls-key belong together: give both or none";
const EITHER: &str = "acme-domain and tls-cert exclude each other: give the names that a certificate is obtained for, \
                      or the files of one";

/// Reads the settings of TLS.
pub fn read(layers: &Layers, flags: TlsFlags) -> Result<Tls, Failure> {
    let by_flag = flags.tls_cert.is_some() || flags.tls_key.is_some() || !flags.acme_domain.is_empty();
    let refused = |fault: &str| match by_flag {
        true => Failure::usage(fault),
        false => Failure::configuration(fault),
    };
    let path = |name, flag: Option<_>| layers.one(name, flag.map(PathSetting), PathSetting::read);
    let cert = path("tls-cert", flags.tls_cert)?;
    let key = path("tls-key", flags.tls_key)?;
    let mut domains = layers.many("acme-domain", flags.acme_domain, values::domain)?;
    let email = layers.one("acme-email", flags.acme_email, values::email)?;
    let directory = layers.or("acme-directory", flags.acme_directory, values::https, DIRECTORY.to_owned())?;
    let ca = path("acme-ca", flags.acme_ca)?;
    let ca = ca.map(|path| certificates("acme-ca", &path, are_certificates));
    let ca = ca.transpose()?;
    if !domains.is_empty() {
        if cert.is_some() || key.is_some() {
            return Err(refused(EITHER));
        }
        let mut seen = std::collections::HashSet::new();
        domains.retain(|domain| seen.insert(domain.clone()));
        return Ok(Tls::Acme(Acme { domains, email, directory, ca }));
    }
    match (cert, key) {
        (Some(cert), Some(key)) => Ok(Tls::Files(TlsFiles { cert: cert.0, key: key.0 })),
        (None, None) => Ok(Tls::Off),
        _ => Err(refused(PAIR)),
    }
}
