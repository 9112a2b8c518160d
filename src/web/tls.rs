//! TLS by rustls: versions 1.2 and 1.3, HTTP/1.1 only, and certificates that can be replaced while serving.

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

/// The certificate in use.
#[derive(Debug)]
pub struct Tls {
    files: TlsFiles,
    current: RwLock<Arc<ServerConfig>>,
}

/// Why there is no certificate to serve with.
#[derive(Debug, Error)]
pub enum TlsError {
    /// A file is missing, unreadable or holds nothing of the kind.
    #[error("no {what} can be read from {}: {source}", path.display())]
    File {
        /// What was looked for.
        what: &'static str,
        /// Where it was looked for.
        path: PathBuf,
        /// What the reader said.
        source: pem::Error,
    },
    /// The two do not belong together, or are of no use for TLS.
    #[error("the certificate in {} and the key in {} can't be used: {source}", files.cert.display(), files.key.display())]
    Pair {
        /// Where they were read from.
        files: TlsFiles,
        /// What rustls said.
        source: rustls::Error,
    },
}

impl Tls {
    /// Reads the files.
    pub fn load(files: TlsFiles) -> Result<Tls, TlsError> {
        let current = RwLock::new(Arc::new(read(&files)?));
        Ok(Tls { files, current })
    }

    /// Reads the files again, for the connections that come from now on; at a fault the old certificate stays.
    pub fn reload(&self) -> Result<(), TlsError> {
        let read = Arc::new(read(&self.files)?);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = read;
        Ok(())
    }

    /// Does the handshake.
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
