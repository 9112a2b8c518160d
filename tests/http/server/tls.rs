//! Serving over TLS: which versions and protocols, and new certificates while it runs.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use rustls::client::Resumption;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned, SupportedProtocolVersion};
use support::tls::make_certificate;
use support::{Server, means, until};

fn serve(dir: &Path) -> Server {
    let file = |name| dir.join(name).display().to_string();
    Server::with(&["--tls-cert", &file("cert.pem"), "--tls-key", &file("key.pem")])
}

fn address(server: &Server) -> &str {
    server.base.strip_prefix("https://").expect("an https address")
}

/// One request by a client that trusts nothing but this certificate.
fn ask(
    server: &Server,
    trusted: &CertificateDer<'static>,
    version: &'static SupportedProtocolVersion,
    protocols: &[&str],
) -> std::io::Result<String> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).expect("a root");
    let mut config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_protocol_versions(&[version])
        .expect("a version")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    config.resumption = Resumption::disabled();
    let name = ServerName::try_from("localhost").expect("a name");
    let client = ClientConnection::new(Arc::new(config), name).map_err(std::io::Error::other)?;
    let mut stream = StreamOwned::new(client, TcpStream::connect(address(server))?);
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut got = String::new();
    stream.read_to_string(&mut got)?;
    Ok(got)
}

fn read(dir: &Path) -> CertificateDer<'static> {
    CertificateDer::from_pem_file(dir.join("cert.pem")).expect("a certificate")
}

#[test]
fn two_versions_and_one_protocol_are_spoken() {
    if !means::has(&["openssl"]) {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    make_certificate(dir.path(), "localhost");
    let server = serve(dir.path());
    let cert = read(dir.path());
    for version in [&TLS12, &TLS13] {
        for protocols in [&[][..], &["http/1.1"], &["h2", "http/1.1"]] {
            let got = ask(&server, &cert, version, protocols).expect("an answer");
            assert!(got.starts_with("HTTP/1.1 200"), "{got}");
        }
        assert!(ask(&server, &cert, version, &["h2"]).is_err());
    }
    // A client that offers 1.1 at most, with everything else in order, gets alert 70, protocol_version.
    let mut hello = vec![0x03, 0x02];
    hello.extend([7; 32]); // Random bytes.
    hello.extend([0, 0, 4, 0xc0, 0x2b, 0xc0, 0x09, 1, 0]); // No session, two suites, no compression.
    let groups_and_signatures = [0, 10, 0, 4, 0, 2, 0, 23, 0, 13, 0, 4, 0, 2, 4, 3];
    hello.extend([0, groups_and_signatures.len() as u8]);
    hello.extend(groups_and_signatures);
    let mut record = vec![0x16, 0x03, 0x01, 0, hello.len() as u8 + 4, 1, 0, 0, hello.len() as u8];
    record.extend(hello);
    let mut socket = TcpStream::connect(address(&server)).expect("connects");
    socket.write_all(&record).expect("sent");
    let mut alert = [0; 7];
    socket.read_exact(&mut alert).expect("an alert");
    assert_eq!((alert[0], alert[5], alert[6]), (0x15, 2, 70), "{alert:?}");
    // Plain HTTP there gets no answer of HTTP.
    let mut socket = TcpStream::connect(address(&server)).expect("connects");
    socket.write_all(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n").expect("sent");
    let mut got = Vec::new();
    let _ = socket.read_to_end(&mut got);
    assert!(!got.starts_with(b"HTTP"), "{got:?}");
}

#[test]
fn a_new_certificate_is_taken_while_it_runs() {
    if !means::has(&["openssl"]) {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    make_certificate(dir.path(), "localhost");
    let server = serve(dir.path());
    let old = read(dir.path());
    make_certificate(dir.path(), "localhost");
    let new = read(dir.path());
    assert!(ask(&server, &old, &TLS13, &[]).is_ok());
    assert!(ask(&server, &new, &TLS13, &[]).is_err());
    server.signal("HUP");
    until("the new certificate is in use", || ask(&server, &new, &TLS13, &[]).is_ok());
    assert!(ask(&server, &old, &TLS13, &[]).is_err());
    // A broken file changes nothing but the log.
    std::fs::write(dir.path().join("cert.pem"), "no certificate").expect("written");
    server.signal("HUP");
    until("the fault is logged", || server.stderr().contains("the old certificate stays in use"));
    assert!(ask(&server, &new, &TLS13, &[]).is_ok());
}
