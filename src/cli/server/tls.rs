//! The settings of TLS: a certificate in files, or one by ACME.

use crate::base::config::{Acme, Tls};
use crate::base::listen_on::TlsFiles;
use crate::cli::config::certificates::certificates;
use crate::cli::config::flags::Flags;
use crate::cli::config::layers::Layers;
use crate::cli::config::rows::TlsSettings;
use crate::cli::failure::Failure;
use crate::outbound::acme::are_certificates;

const PAIR: &str = "tls-cert and tls-key belong together: give both or none";
const EITHER: &str = "acme-domain and tls-cert exclude each other: give the names that a certificate is obtained for, \
                      or the files of one";

/// Reads the settings of TLS.
pub fn read(layers: &Layers, flags: &Flags<TlsSettings>) -> Result<Tls, Failure> {
    let refused = |fault: &str| match flags.give(&["tls-cert", "tls-key", "acme-domain"]) {
        true => Failure::usage(fault),
        false => Failure::configuration(fault),
    };
    let TlsSettings { tls_cert: cert, tls_key: key, acme_domain, acme_email, acme_directory, acme_ca } =
        layers.read(flags)?;
    let mut domains = acme_domain;
    let ca = acme_ca.map(|path| certificates("acme-ca", &path, are_certificates));
    let ca = ca.transpose()?;
    if !domains.is_empty() {
        if cert.is_some() || key.is_some() {
            return Err(refused(EITHER));
        }
        let mut seen = std::collections::HashSet::new();
        domains.retain(|domain| seen.insert(domain.clone()));
        return Ok(Tls::Acme(Acme { domains, email: acme_email, directory: acme_directory, ca }));
    }
    match (cert, key) {
        (Some(cert), Some(key)) => Ok(Tls::Files(TlsFiles { cert, key })),
        (None, None) => Ok(Tls::Off),
        _ => Err(refused(PAIR)),
    }
}
