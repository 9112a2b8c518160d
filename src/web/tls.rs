//! TLS by rustls: versions 1.2 and 1.3, HTTP/1.1 only; certificates can be reloaded while serving.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::version::{TLS12, TLS13};
use thiserror::Error;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::base::listen_on::TlsFiles;

#[derive(Debug)]
pub struct Tls {
    files: TlsFiles,
    current: RwLock<Arc<ServerConfig>>,
}

/// Why there is no certificate to serve with.
#[derive(Debug, Error)]
pub enum TlsError {
    /// A file is missing, unreadable, or holds no certificate or key.
    #[error("no {what} can be read from {}: {source}", path.display())]
    File {
        what: &'static str,
        path: PathBuf,
        source: pem::Error,
    },
    /// The two don't match, or can't be used for TLS.
    #[error("the certificate in {} and the key in {} can't be used: {source}", files.cert.display(), files.key.display())]
    Pair {
        files: TlsFiles,
        source: rustls::Error,
    },
}

impl Tls {
    pub fn load(files: TlsFiles) -> Result<Tls, TlsError> {
        let current = RwLock::new(Arc::new(read(&files)?));
        Ok(Tls { files, current })
    }

    /// Reloads the files for new connections. On error the old certificate stays in use.
    pub fn reload(&self) -> Result<(), TlsError> {
        let read = Arc::new(read(&self.files)?);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = read;
        Ok(())
    }

    pub async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let current = Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner));
        TlsAcceptor::from(current).accept(stream).await
    }
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
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(&[&TLS13, &TLS12])
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
        .map_err(|source| TlsError::Pair {
            files: files.clone(),
            source,
        })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
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
            .args([
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-days",
                "2",
            ])
            .args([
                "-subj",
                "/CN=localhost",
                "-addext",
                "subjectAltName=DNS:localhost",
            ])
            .args([
                "-addext",
                "basicConstraints=critical,CA:FALSE",
                "-keyout",
                "key.pem",
                "-out",
                "cert.pem",
            ])
            .current_dir(folder.path())
            .output()
            .expect("openssl runs");
        assert!(made.status.success(), "{made:?}");
    }

    fn files(folder: &TempDir) -> TlsFiles {
        TlsFiles {
            cert: folder.path().join("cert.pem"),
            key: folder.path().join("key.pem"),
        }
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
        config.alpn_protocols = protocols
            .iter()
            .map(|name| name.as_bytes().to_vec())
            .collect();
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let client = TcpStream::connect(listener.local_addr()?).await?;
        let (server, _) = listener.accept().await?;
        let connector = TlsConnector::from(Arc::new(config));
        let name = ServerName::try_from("localhost").expect("a name");
        let (shaken, _) = tokio::join!(connector.connect(name, client), tls.accept(server));
        let shaken = shaken?;
        let session = shaken.get_ref().1;
        Ok((
            session.protocol_version(),
            session.alpn_protocol().map(<[u8]>::to_vec),
        ))
    }

    #[tokio::test]
    async fn both_versions_speak_http_1_only() {
        let folder = TempDir::new().expect("a folder");
        make_certificate(&folder);
        let tls = Tls::load(files(&folder)).expect("a pair");
        for (version, expected) in [
            (&TLS12, ProtocolVersion::TLSv1_2),
            (&TLS13, ProtocolVersion::TLSv1_3),
        ] {
            let http = Some(b"http/1.1".to_vec());
            let both = shake(&tls, &folder, &[version], &["h2", "http/1.1"])
                .await
                .expect("a session");
            assert_eq!(both, (Some(expected), http));
            let none = shake(&tls, &folder, &[version], &[])
                .await
                .expect("a session");
            assert_eq!(none, (Some(expected), None));
            assert!(shake(&tls, &folder, &[version], &["h2"]).await.is_err());
        }
    }

    #[tokio::test]
    async fn reloading_takes_the_new_and_keeps_the_old_on_error() {
        let folder = TempDir::new().expect("a folder");
        make_certificate(&folder);
        let tls = Tls::load(files(&folder)).expect("a pair");
        let old_cert = fs::read(files(&folder).cert).expect("a certificate");
        make_certificate(&folder);
        assert!(
            shake(&tls, &folder, &[&TLS13], &[]).await.is_err(),
            "not read yet"
        );
        tls.reload().expect("the new pair");
        assert!(shake(&tls, &folder, &[&TLS13], &[]).await.is_ok());

        let new_cert = fs::read(files(&folder).cert).expect("a certificate");
        fs::write(files(&folder).cert, old_cert).expect("written");
        let fault = tls
            .reload()
            .expect_err("a pair that does not match")
            .to_string();
        assert!(
            fault.contains("cert.pem") && fault.contains("key.pem"),
            "{fault}"
        );
        fs::write(files(&folder).cert, "").expect("written");
        let fault = tls.reload().expect_err("no certificate").to_string();
        assert!(
            fault.starts_with("no certificate can be read from "),
            "{fault}"
        );
        fs::write(files(&folder).cert, new_cert).expect("written");
        fs::remove_file(files(&folder).key).expect("removed");
        let fault = tls.reload().expect_err("no key").to_string();
        assert!(
            fault.starts_with("no private key can be read from "),
            "{fault}"
        );
        assert!(shake(&tls, &folder, &[&TLS13], &[]).await.is_ok());
    }
}
