//! `formsvc healthcheck`: asks the running service whether it is ready. Without `--listen`, it asks where the last
//! `serve` on the data dir listened.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, Error, SignatureScheme, StreamOwned};
use serde_json::json;

use crate::base::config::Tls;
use crate::base::listen_on::ListenOn;
use crate::cli::app_config;
use crate::cli::config::rows::Serve;
use crate::cli::config::settings::Cx;
use crate::cli::failure::{Exit, Failure};
use crate::cli::server::addresses::reachable;
use crate::ops::app::App;
use crate::ops::server::acme;
use crate::ops::server::service_address::{self, Listening};

const TIMEOUT: Duration = Duration::from_secs(5);
const REQUEST: &[u8] = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// Checks the first address that the service listens on.
pub fn check(cx: &Cx, flags: &Serve) -> Result<(), Failure> {
    let service = cx.service(flags)?;
    let Some(on) = service.transport.listen.first() else {
        return Err(Failure::usage("name the service's address with --listen"));
    };
    let is_any_port = matches!(on, ListenOn::Tcp(address) if address.port() == 0);
    let last = if service.names_listen && !is_any_port { None } else { last_served(cx) };
    if is_any_port && last.is_none() {
        return Err(Failure::usage("port 0 stands for any port: use --listen with the port that serve printed"));
    }
    let data_dir = &service.config.data_dir;
    let (on, certificate) = match &last {
        Some((on, certificate)) => (on, certificate.clone()),
        None => (on, Certificate::of(&service.tls)),
    };
    match ask(on, || certificate.load(data_dir)) {
        Ok(200) => cx.out.result("ok", &json!({"status": "ok", "address": on.to_string()})),
        Ok(status) => {
            Err(check_failed(&format!("the service at {on} is not ready (it answers {status}): look at its log")))
        }
        Err(fault) => Err(check_failed(&format!(
            "nothing answers at {on} ({fault}): start formsvc serve, or name its address with --listen, which is the \
             ListenStream= of its socket unit if systemd passes it its sockets"
        ))),
    }
}

fn check_failed(sentence: &str) -> Failure {
    Failure::new(Exit::CheckFailed, sentence)
}

/// The address of the last server on the data dir. `None` if there was none, or the data dir can't be read now: the
/// settings then tell the address.
fn last_served(cx: &Cx) -> Option<(ListenOn, Certificate)> {
    let app = App::beside(app_config(cx).ok()?).ok()?;
    let last = service_address::last(&app);
    app.close();
    let Listening { address, certificate } = last.ok().flatten()?;
    let (is_tls, address) = match address.split_once("://") {
        Some((scheme, address)) => (scheme == "https", address),
        None => (false, address.as_str()),
    };
    let certificate = match (is_tls, certificate) {
        (false, _) => Certificate::None,
        (true, Some(path)) => Certificate::File(path.into()),
        (true, None) => Certificate::Acme,
    };
    Some((address.parse().ok()?, certificate))
}

/// Location of the service's certificate, if it has one.
#[derive(Clone)]
enum Certificate {
    None,
    File(PathBuf),
    Acme,
}

impl Certificate {
    fn of(tls: &Tls) -> Self {
        match tls {
            Tls::Off => Self::None,
            Tls::Files(files) => Self::File(files.cert.clone()),
            Tls::Acme(_) => Self::Acme,
        }
    }

    fn load(&self, data_dir: &Path) -> io::Result<Option<CertificateDer<'static>>> {
        match self {
            Self::None => Ok(None),
            Self::File(path) => CertificateDer::from_pem_file(path).map(Some).map_err(io::Error::other),
            Self::Acme => {
                let kept = acme::certificate(data_dir).map_err(io::Error::other)?;
                let leaf = kept.and_then(|kept| kept.leaf());
                leaf.map(Some).ok_or_else(|| io::Error::other("it has no certificate yet"))
            }
        }
    }
}

fn ask(on: &ListenOn, expected: impl Fn() -> io::Result<Option<CertificateDer<'static>>>) -> io::Result<u16> {
    match on {
        ListenOn::Unix(path) => {
            let stream = UnixStream::connect(path)?;
            stream.set_read_timeout(Some(TIMEOUT))?;
            stream.set_write_timeout(Some(TIMEOUT))?;
            request_status(stream)
        }
        ListenOn::Tcp(address) => {
            let stream = TcpStream::connect_timeout(&reachable(*address), TIMEOUT)?;
            stream.set_read_timeout(Some(TIMEOUT))?;
            stream.set_write_timeout(Some(TIMEOUT))?;
            match expected()? {
                None => request_status(stream),
                Some(expected) => request_status(tls_handshake(stream, expected)?),
            }
        }
    }
}

/// Sends the request, and reads the status from the answer's first line.
fn request_status(mut stream: impl Read + Write) -> io::Result<u16> {
    stream.write_all(REQUEST)?;
    let mut start = [0; 12];
    stream.read_exact(&mut start)?;
    std::str::from_utf8(&start)
        .ok()
        .and_then(|line| line.strip_prefix("HTTP/1.1 "))
        .and_then(|status| status.parse().ok())
        .ok_or_else(|| io::Error::other("the server that answers is not formsvc"))
}

/// A TLS handshake that accepts the configured certificate only: it need not name the local address.
fn tls_handshake(
    stream: TcpStream,
    expected: CertificateDer<'static>,
) -> io::Result<StreamOwned<ClientConnection, TcpStream>> {
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(PinnedCertificate { expected, provider }))
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
    let connection = ClientConnection::new(Arc::new(config), name).map_err(io::Error::other)?;
    Ok(StreamOwned::new(connection, stream))
}

/// Accepts exactly one certificate.
#[derive(Debug)]
struct PinnedCertificate {
    expected: CertificateDer<'static>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for PinnedCertificate {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if *end_entity == self.expected {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(Error::General("it has another certificate".to_owned()))
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, cert, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, cert, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
