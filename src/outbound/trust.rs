//! Certificates that outgoing TLS connections trust.

use std::sync::Arc;

use rustls::crypto::ring::default_provider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, RootCertStore};

/// The settings of a client of HTTP/1.1 that trusts the public authorities, and these (PEM). `None` if they can't be read.
pub fn client_config(ca: Option<&[u8]>) -> Option<ClientConfig> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(pem) = ca {
        let before = roots.len();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            roots.add(certificate.ok()?).ok()?;
        }
        if roots.len() == before {
            return None;
        }
    }
    let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(&[&TLS13, &TLS12])
        .ok()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Some(config)
}
