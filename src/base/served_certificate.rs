//! The certificate that connections are served with, where it is exchanged while they are, and the certificates that
//! answer the challenges of the authority that issues it (RFC 8737).

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

/// The protocol that challenges are validated over.
pub const CHALLENGE_PROTOCOL: &[u8] = b"acme-tls/1";

#[derive(Debug, Default)]
pub struct ServedCertificate {
    current: RwLock<Option<Arc<CertifiedKey>>>,
    /// By the validated name.
    challenges: RwLock<HashMap<String, Arc<CertifiedKey>>>,
}

impl ServedCertificate {
    /// New connections are served with this one.
    pub fn exchange(&self, certificate: Arc<CertifiedKey>) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some(certificate);
    }

    /// Validations of this name are answered with this certificate.
    pub fn add_challenge(&self, name: &str, certificate: CertifiedKey) {
        let mut challenges = self.challenges.write().unwrap_or_else(PoisonError::into_inner);
        challenges.insert(name.to_owned(), Arc::new(certificate));
    }

    /// No validation is answered any more.
    pub fn clear_challenges(&self) {
        self.challenges.write().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl ResolvesServerCert for ServedCertificate {
    fn resolve(&self, _: ClientHello) -> Option<Arc<CertifiedKey>> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Answers challenges.
#[derive(Debug)]
pub struct Challenges(pub Arc<ServedCertificate>);

impl ResolvesServerCert for Challenges {
    fn resolve(&self, hello: ClientHello) -> Option<Arc<CertifiedKey>> {
        let name = hello.server_name()?.to_ascii_lowercase();
        let challenges = self.0.challenges.read().unwrap_or_else(PoisonError::into_inner);
        challenges.get(&name).cloned()
    }
}
