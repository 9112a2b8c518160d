//! `formsvc healthcheck`: asks the running service, located by `serve`'s settings, whether it is ready.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, Error, SignatureScheme, StreamOwned,
};
use serde_json::json;

use crate::base::listen_on::{ListenOn, TlsFiles};
use crate::cli::addresses::reachable;
use crate::cli::args::Serve;
use crate::cli::failure::{Exit, Failure};
use crate::cli::settings::Cx;

const TIMEOUT: Duration = Duration::from_secs(5);
const REQUEST: &[u8] = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// Checks the first address that the service listens on.
pub fn check(cx: &Cx, flags: Serve) -> Result<(), Failure> {
    let transport = cx.service(flags)?.transport;
    let Some(on) = transport.listen.first() else {
        return Err(Failure::usage("name the service's address with --listen"));
    };
    if let ListenOn::Tcp(address) = on
        && address.port() == 0
    {
        return Err(Failure::usage(
            "port 0 stands for any port: name the one that serve printed with --listen",
        ));
    }
    match ask(on, transport.tls.as_ref()) {
        Ok(200) => cx
            .out
            .result("ok", &json!({"status": "ok", "address": on.to_string()})),
        Ok(status) => Err(check_failed(&format!(
            "the service at {on} is not ready (it answers {status}): look at its log"
        ))),
        Err(fault) => Err(check_failed(&format!(
            "nothing answers at {on} ({fault}): start formsvc serve, or name its address with --listen"
        ))),
    }
}

fn check_failed(sentence: &str) -> Failure {
    Failure::new(Exit::CheckFailed, sentence)
}

fn ask(on: &ListenOn, tls: Option<&TlsFiles>) -> io::Result<u16> {
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
            match tls {
                None => request_status(stream),
                Some(files) => request_status(tls_handshake(stream, files)?),
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
        .ok_or_else(|| io::Error::other("what answers is not formsvc"))
}

/// A TLS handshake that accepts the configured certificate only: it need not name the local address.
fn tls_handshake(
    stream: TcpStream,
    files: &TlsFiles,
) -> io::Result<StreamOwned<ClientConnection, TcpStream>> {
    let expected = CertificateDer::from_pem_file(&files.cert).map_err(io::Error::other)?;
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
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
