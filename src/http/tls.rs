//! TLS by rustls: versions 1.2 and 1.3, HTTP/1.1 only; certificates can be exchanged while serving.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{Acceptor, ClientHello, WantsServerCert};
use rustls::version::{TLS12, TLS13};
use rustls::{ConfigBuilder, ServerConfig};
use thiserror::Error;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;
use tokio_rustls::{LazyConfigAcceptor, TlsAcceptor};

use crate::base::listen_on::TlsFiles;
use crate::base::served_certificate::{CHALLENGE_PROTOCOL, Challenges, ServedCertificate};

/// The only protocol of requests.
const HTTP: &[u8] = b"http/1.1";

/// Source of the certificate.
#[derive(Debug, Clone)]
pub enum CertificateSource {
    Files(TlsFiles),
    /// The certificate may not exist yet.
    Served(Arc<ServedCertificate>),
}

#[derive(Debug)]
pub enum Tls {
    Files { files: TlsFiles, current: RwLock<Arc<ServerConfig>> },
    Served { http: Arc<ServerConfig>, challenges: Arc<ServerConfig> },
}

/// Why there is no certificate to serve with.
#[derive(Debug, Error)]
pub enum TlsError {
    /// A file is missing, unreadable, or holds no certificate or key.
    #[error("no {what} can be read from {}: {source}", path.display())]
    File { what: &'static str, path: PathBuf, source: pem::Error },
    /// The two don't match, or can't be used for TLS.
    #[error("the certificate in {} and the key in {} can't be used: {source}", files.cert.display(), files.key.display())]
    Pair { files: TlsFiles, source: rustls::Error },
    #[error("TLS can't be used: {0}")]
    Versions(rustls::Error),
}

impl Tls {
    pub fn new(source: CertificateSource) -> Result<Tls, TlsError> {
        match source {
            CertificateSource::Files(files) => {
                let current = RwLock::new(Arc::new(read(&files)?));
                Ok(Tls::Files { files, current })
            }
            CertificateSource::Served(served) => {
                let config = |resolver, protocol: &[u8]| {
                    let mut config = builder().map_err(TlsError::Versions)?.with_cert_resolver(resolver);
                    config.alpn_protocols = vec![protocol.to_vec()];
                    Ok::<_, TlsError>(Arc::new(config))
                };
                Ok(Tls::Served {
                    challenges: config(Arc::new(Challenges(served.clone())), CHALLENGE_PROTOCOL)?,
                    http: config(served, HTTP)?,
                })
            }
        }
    }

    /// Whether the certificate is read from files.
    pub fn has_files(&self) -> bool {
        matches!(self, Tls::Files { .. })
    }

    /// Reloads the files for new connections. On error the old certificate stays in use.
    pub fn reload(&self) -> Result<(), TlsError> {
        if let Tls::Files { files, current } = self {
            let read = Arc::new(read(files)?);
            *current.write().unwrap_or_else(PoisonError::into_inner) = read;
        }
        Ok(())
    }

    /// A connection for HTTP; `None` if it was one that validates a name, and is over.
    pub async fn accept(&self, stream: TcpStream) -> io::Result<Option<TlsStream<TcpStream>>> {
        let (http, challenges) = match self {
            Tls::Files { current, .. } => {
                let current = Arc::clone(&current.read().unwrap_or_else(PoisonError::into_inner));
                return TlsAcceptor::from(current).accept(stream).await.map(Some);
            }
            Tls::Served { http, challenges } => (http, challenges),
        };
        let start = LazyConfigAcceptor::new(Acceptor::default(), stream).await?;
        if !validates(&start.client_hello()) {
            return start.into_stream(Arc::clone(http)).await.map(Some);
        }
        let mut stream = start.into_stream(Arc::clone(challenges)).await?;
        stream.shutdown().await?;
        Ok(None)
    }
}

/// Whether a client speaks the protocol of challenges alone (RFC 8737, section 4).
fn validates(hello: &ClientHello) -> bool {
    let protocols = hello.alpn();
    protocols.is_some_and(|mut offered| offered.next() == Some(CHALLENGE_PROTOCOL) && offered.next().is_none())
}

fn builder() -> Result<ConfigBuilder<ServerConfig, WantsServerCert>, rustls::Error> {
    let builder = ServerConfig::builder_with_provider(Arc::new(default_provider()));
    Ok(builder.with_protocol_versions(&[&TLS13, &TLS12])?.with_no_client_auth())
}

fn read(files: &TlsFiles) -> Result<ServerConfig, TlsError> {
    let fault = |what, path: &PathBuf| {
        let path = path.clone();
        move |source| TlsError::File { what, path, source }
    };
    let chain: Vec<_> = CertificateDer::pem_file_iter(&files.cert)
        .and_then(Iterator::collect)
        .map_err(fault("certificate", &files.cert))?;
    if chain.is_empty() {
        return Err(fault("certificate", &files.cert)(pem::Error::NoItemsFound));
    }
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(fault("private key", &files.key))?;
    let mut config = builder()
        .and_then(|builder| builder.with_single_cert(chain, key))
        .map_err(|source| TlsError::Pair { files: files.clone(), source })?;
    config.alpn_protocols = vec![HTTP.to_vec()];
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::process::Command;

    use rustls::pki_types::ServerName;
    use rustls::{ClientConfig, ProtocolVersion, RootCertStore, SupportedProtocolVersion};
    use tempfile::TempDir;
    use tokio::net::TcpListener;
    use tokio_rustls::TlsConnector;

    /// Writes a certificate that is valid for `localhost`, under the names that `files` gives.
    fn make_certificate(folder: &TempDir) {
        let made = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"])
            .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
            .args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout", "key.pem", "-out", "cert.pem"])
            .current_dir(folder.path())
            .output()
            .expect("openssl runs");
        assert!(made.status.success(), "{made:?}");
    }

    fn files(folder: &TempDir) -> TlsFiles {
        TlsFiles { cert: folder.path().join("cert.pem"), key: folder.path().join("key.pem") }
    }

    /// One handshake with a client that trusts the certificate in the folder.
    async fn shake(
        tls: &Tls,
        folder: &TempDir,
        versions: &[&'static SupportedProtocolVersion],
        protocols: &[&str],
    ) -> Result<(Option<ProtocolVersion>, Option<Vec<u8>>), io::Error> {
        let mut roots = RootCertStore::empty();
        let cert = CertificateDer::from_pem_file(files(folder).cert).expect("a certificate");
        roots.add(cert).expect("a root");
        let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_protocol_versions(versions)
            .expect("versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let client = TcpStream::connect(listener.local_addr()?).await?;
        let (server, _) = listener.accept().await?;
        let connector = TlsConnector::from(Arc::new(config));
        let name = ServerName::try_from("localhost").expect("a name");
        let (shaken, _) = tokio::join!(connector.connect(name, client), tls.accept(server));
        let shaken = shaken?;
        let session = shaken.get_ref().1;
        Ok((session.protocol_version(), session.alpn_protocol().map(<[u8]>::to_vec)))
    }

    #[tokio::test]
    async fn both_versions_speak_http_1_only() {
        let folder = TempDir::new().expect("a folder");
        make_certificate(&folder);
        let tls = Tls::new(CertificateSource::Files(files(&folder))).expect("a pair");
        for (version, expected) in [(&TLS12, ProtocolVersion::TLSv1_2), (&TLS13, ProtocolVersion::TLSv1_3)] {
            let http = Some(b"http/1.1".to_vec());
            let both = shake(&tls, &folder, &[version], &["h2", "http/1.1"]).await.expect("a session");
            assert_eq!(both, (Some(expected), http));
            let none = shake(&tls, &folder, &[version], &[]).await.expect("a session");
            assert_eq!(none, (Some(expected), None));
            assert!(shake(&tls, &folder, &[version], &["h2"]).await.is_err());
        }
    }

    #[tokio::test]
    async fn reloading_takes_the_new_and_keeps_the_old_on_error() {
        let folder = TempDir::new().expect("a folder");
        make_certificate(&folder);
        let tls = Tls::new(CertificateSource::Files(files(&folder))).expect("a pair");
        let old_cert = fs::read(files(&folder).cert).expect("a certificate");
        make_certificate(&folder);
        assert!(shake(&tls, &folder, &[&TLS13], &[]).await.is_err(), "not read yet");
        tls.reload().expect("the new pair");
        assert!(shake(&tls, &folder, &[&TLS13], &[]).await.is_ok());

        let new_cert = fs::read(files(&folder).cert).expect("a certificate");
        fs::write(files(&folder).cert, old_cert).expect("written");
        let fault = tls.reload().expect_err("a pair that does not match").to_string();
        assert!(fault.contains("cert.pem") && fault.contains("key.pem"), "{fault}");
        fs::write(files(&folder).cert, "").expect("written");
        let fault = tls.reload().expect_err("no certificate").to_string();
        assert!(fault.starts_with("no certificate can be read from "), "{fault}");
        fs::write(files(&folder).cert, new_cert).expect("written");
        fs::remove_file(files(&folder).key).expect("removed");
        let fault = tls.reload().expect_err("no key").to_string();
        assert!(fault.starts_with("no private key can be read from "), "{fault}");
        assert!(shake(&tls, &folder, &[&TLS13], &[]).await.is_ok());
    }
}
