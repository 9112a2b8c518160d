//! Certificates by ACME: the first one, the kept one, renewal while serving, authorities that fail, and the settings.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use rustls::client::Resumption;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use support::clock::Clock;
use support::peers::acme::Authority;
use support::{FAULTY_PROGRAM, Server, formsvc, text, until};

const FIRST: &str = "forms.example.test";
const SECOND: &str = "www.example.test";
const DAY: u32 = 24 * 3600;

/// A connection of a browser that trusts the authority's root alone.
struct Visit(StreamOwned<ClientConnection, TcpStream>);

impl Visit {
    /// Connects under this name, offering these protocols.
    fn of(server: &Server, authority: &Authority, name: &'static str, protocols: &[&str]) -> std::io::Result<Self> {
        let mut roots = RootCertStore::empty();
        let root = CertificateDer::from_pem_file(authority.root()).expect("a certificate");
        roots.add(root).expect("a root");
        let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_protocol_versions(&[&TLS13, &TLS12])
            .expect("versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|it| it.as_bytes().to_vec()).collect();
        config.resumption = Resumption::disabled();
        let name = ServerName::try_from(name).expect("a name");
        let client = ClientConnection::new(Arc::new(config), name).expect("a client");
        let address = server.base.strip_prefix("https://").expect("https");
        let mut stream = StreamOwned::new(client, TcpStream::connect(address)?);
        while stream.conn.is_handshaking() {
            stream.conn.complete_io(&mut stream.sock)?;
        }
        Ok(Self(stream))
    }

    /// Connects as browsers do.
    fn to(server: &Server, authority: &Authority, name: &'static str) -> std::io::Result<Self> {
        Self::of(server, authority, name, &["h2", "http/1.1"])
    }

    /// Asks for something; the connection stays.
    fn ask(&mut self) {
        let request = b"GET /healthz HTTP/1.1\r\nHost: forms.example.test\r\n\r\n";
        self.0.write_all(request).expect("sent");
        let mut got = String::new();
        let mut byte = [0];
        while !got.ends_with("\r\n\r\n") {
            self.0.read_exact(&mut byte).expect("an answer");
            got.push(char::from(byte[0]));
        }
        assert!(got.starts_with("HTTP/1.1 200"), "{got}");
        let length = got.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length = length.expect("a length").parse().expect("a number");
        self.0.read_exact(&mut vec![0; length]).expect("the body");
    }

    /// The fingerprint of the certificate that was shown.
    fn fingerprint(&self) -> String {
        let shown = self.0.conn.peer_certificates().expect("certificates");
        let mut hex = String::new();
        for byte in Sha256::digest(&shown[0]) {
            write!(hex, "{byte:02x}").expect("written");
        }
        hex
    }
}

fn port(server: &Server) -> u16 {
    let (_, port) = server.base.rsplit_once(':').expect("a port");
    port.parse().expect("a number")
}

fn serve(dir: &Path, flags: &[String]) -> Server {
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    Server::over(dir, &flags)
}

/// Runs a command beside the server, with variables and by this clock.
fn beside(dir: &Path, args: &[&str], vars: &[(&str, &str)], clock: Option<&Clock>) -> Output {
    let mut command = Command::new(&*FAULTY_PROGRAM);
    command.args(args).arg("--data-dir").arg(dir);
    command.envs(vars.iter().copied());
    if let Some(clock) = clock {
        clock.lend(&mut command);
    }
    command.output().expect("output")
}

/// The exit code, and the certificate's check.
fn doctor(dir: &Path, vars: &[(&str, &str)], clock: Option<&Clock>) -> (i32, String) {
    let done = beside(dir, &["doctor"], vars, clock);
    let printed = text(&done.stdout);
    let line = printed.lines().find(|line| line.contains("  certificate: "));
    let line = line.unwrap_or_else(|| panic!("no check: {printed}{}", text(&done.stderr)));
    (done.status.code().expect("a code"), line.to_owned())
}

fn occurrences(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

#[test]
fn a_certificate_is_obtained_kept_and_used_again() {
    let Some(authority) = Authority::start() else {
        return;
    };
    let dir = tempfile::tempdir().expect("a folder");
    let mut flags = authority.flags("Forms.example.test,www.example.test");
    let more = ["--acme-email", "admin@example.test", "--log-level", "trace"];
    flags.extend(more.map(str::to_owned));
    let server = serve(dir.path(), &flags);
    // Nothing is served before the certificate is there, and the log says so.
    let waits = "there is no certificate for forms.example.test, www.example.test yet: connections are refused";
    until("it waits", || server.stderr().contains(waits));
    let refused = Visit::to(&server, &authority, FIRST).err().expect("refused");
    assert!(refused.to_string().contains("AccessDenied"), "{refused}");
    let named = [("FORMSVC_ACME_DOMAIN", "forms.example.test, www.example.test")];
    let (code, line) = doctor(dir.path(), &named, None);
    assert!(code == 0 && line.starts_with("WARN  certificate: there is no certificate for forms"), "{line}");
    let listen = server.base.replace("https://", "");
    let health = || formsvc(dir.path(), &["healthcheck", "--listen", &listen, "--acme-domain", FIRST], "");
    let ill = health();
    assert_eq!(ill.status.code(), Some(7));
    assert!(text(&ill.stderr).contains("it has no certificate yet"), "{}", text(&ill.stderr));
    let link = server.setup_link.as_deref().expect("a link");
    assert!(link.starts_with("https://forms.example.test/setup/"), "{link}");
    // A name that is being validated is answered for by its challenge alone, and over its protocol alone.
    until("it is being validated", || {
        Visit::of(&server, &authority, SECOND, &["acme-tls/1"])
            .err()
            .is_some_and(|e| e.to_string().contains("invalid peer certificate"))
    });
    for (name, protocols) in [("else.example.test", &["acme-tls/1"][..]), (FIRST, &["acme-tls/1", "http/1.1"])] {
        let refused = Visit::of(&server, &authority, name, protocols).err().expect("refused");
        assert!(refused.to_string().contains("AccessDenied"), "{name}: {refused}");
    }
    authority.tell(&json!({"port": port(&server)}));
    until("it has a certificate", || Visit::to(&server, &authority, FIRST).is_ok());
    for name in [FIRST, SECOND] {
        let mut visit = Visit::to(&server, &authority, name).expect("https");
        visit.ask();
        assert_eq!(visit.0.conn.alpn_protocol(), Some(&b"http/1.1"[..]));
        assert_eq!(visit.fingerprint(), authority.newest());
    }
    assert!(Visit::of(&server, &authority, FIRST, &["h2"]).is_err());
    assert!(Visit::of(&server, &authority, FIRST, &["acme-tls/1"]).is_err(), "it is over");
    assert!(Visit::of(&server, &authority, FIRST, &["acme-tls/1", "http/1.1"]).is_ok());
    assert_eq!(authority.events("account")[0]["contact"], json!(["mailto:admin@example.test"]));
    assert_eq!(authority.events("order")[0]["names"], json!([FIRST, SECOND]));
    assert_eq!(health().status.code(), Some(0));
    assert!(doctor(dir.path(), &named, None).1.starts_with("OK    certificate: the certificate is valid until 2"));
    let other = [("FORMSVC_ACME_DOMAIN", "other.example.test")];
    let (_, line) = doctor(dir.path(), &other, None);
    assert!(line.starts_with("WARN") && line.contains("is not for other.example.test"), "{line}");
    // SIGHUP changes nothing, and does not end it.
    server.signal("HUP");

    // The stored keys are private: for nobody else, and neither in the log nor in backups.
    let keys = dir.path().join("keys");
    let mut secrets = Vec::new();
    for (name, member, inner) in [("acme-account", "credentials", "key_pkcs8"), ("acme-certificate", "key", "")] {
        let mode = std::fs::metadata(keys.join(name)).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
        let kept = std::fs::read_to_string(keys.join(name)).expect("text");
        let kept: Value = serde_json::from_str(&kept).expect("JSON");
        let secret = kept[member].as_str().expect("text");
        let secret = match serde_json::from_str::<Value>(secret) {
            Ok(json) => json[inner].as_str().expect("a key").to_owned(),
            Err(_) => secret.lines().nth(1).expect("a line of PEM").to_owned(),
        };
        assert!(secret.len() > 60, "{name}");
        secrets.push(secret);
    }
    let backup = dir.path().join("a-backup");
    let made = formsvc(dir.path(), &["backup", "create", "-o", backup.to_str().expect("text")], "");
    assert!(made.status.success(), "{}", text(&made.stderr));
    let backup = std::fs::read(backup).expect("a backup");
    let backup = text(&zstd::decode_all(&backup[..]).expect("Zstandard"));
    assert!(backup.contains("keys/instance") && !backup.contains("acme-"));
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    for secret in secrets {
        assert!(!server.stderr().contains(&secret) && !backup.contains(&secret));
    }

    // The next server has the certificate at once, and asks the authority for nothing.
    let again = serve(dir.path(), &flags);
    let mut visit = Visit::to(&again, &authority, SECOND).expect("https at once");
    visit.ask();
    assert_eq!(visit.fingerprint(), authority.newest());
    assert!(again.stderr().contains("the kept certificate is in use, valid until 2"));
    assert_eq!((authority.requests("/directory"), authority.count("issued")), (1, 1));
    drop(again);
    // Another name takes another certificate, with the same account; the old one is in use until then.
    let mut more = authority.flags("forms.example.test,new.example.test");
    more.extend(["--acme-email", "other@example.test"].map(str::to_owned));
    authority.tell(&json!({"port": null}));
    let more = serve(dir.path(), &more);
    assert!(Visit::to(&more, &authority, FIRST).is_ok());
    assert!(Visit::to(&more, &authority, "new.example.test").is_err());
    authority.tell(&json!({"port": port(&more)}));
    until("the other name is served", || Visit::to(&more, &authority, "new.example.test").is_ok());
    assert_eq!(authority.count("account"), 1);
    assert_eq!(authority.events("contact")[0]["contact"], json!(["mailto:other@example.test"]));
}

#[test]
fn a_certificate_is_renewed_while_it_serves() {
    let Some(authority) = Authority::start() else {
        return;
    };
    let clock = Clock::on_time();
    let dir = tempfile::tempdir().expect("a folder");
    let flags = authority.flags(FIRST);
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let server = clock.server(dir.path(), &flags);
    authority.tell(&json!({"port": port(&server)}));
    until("it has a certificate", || Visit::to(&server, &authority, FIRST).is_ok());
    let mut old = Visit::to(&server, &authority, FIRST).expect("https");
    old.ask();
    let first = old.fingerprint();

    // A third of 90 days is left. The authority has forgotten the account, and finds the first nonce too old.
    authority.tell(&json!({"after": 200 * DAY, "fault": "forgotten"}));
    clock.ahead(61 * DAY);
    let mut visits = 0;
    until("it has another certificate", || {
        visits += 1;
        let visit = Visit::to(&server, &authority, FIRST).expect("https all the while");
        visit.fingerprint() != first
    });
    let mut new = Visit::to(&server, &authority, FIRST).expect("https");
    assert_eq!(new.fingerprint(), authority.newest());
    new.ask();
    // An open connection stays open.
    old.ask();
    assert_eq!((authority.count("issued"), authority.count("account")), (2, 2));
    assert_eq!(occurrences(&server.stderr(), "the next attempt is in"), 0, "{}", server.stderr());

    // When it can't be renewed, it is used to its end, and `doctor` tells.
    authority.fail("500");
    let named = [("FORMSVC_ACME_DOMAIN", FIRST)];
    for (days, code, begin, told) in [
        (100, 0, "OK    certificate: the certificate is valid until 2", ""),
        (190, 0, "WARN  certificate: the certificate is only valid until 2", "the next attempt is in 2 minutes"),
        (201, 7, "FAIL  certificate: the certificate was valid until 2", "the next attempt is in 4 minutes"),
    ] {
        clock.ahead(days * DAY);
        for named in [&named[..], &[]] {
            let (exit, line) = doctor(dir.path(), named, Some(&clock));
            assert!(exit == code && line.starts_with(begin), "{days}: {exit} {line}");
        }
        // An attempt in progress when the clock is put forward would count its pause from then.
        until("it is told", || server.stderr().contains(told));
    }
    let log = server.stderr();
    assert!(log.contains("the one in use is valid until 2"), "{log}");
    assert!(Visit::to(&server, &authority, FIRST).is_ok(), "the old one is in use");
    authority.tell(&json!({"fault": "bad nonce", "after": 400 * DAY}));
    clock.ahead(202 * DAY);
    until("it is renewed at last", || authority.count("issued") == 3);
    assert!(!server.stderr().contains("badNonce"), "it is asked again at once");
}

#[test]
fn an_authority_that_fails_is_not_hammered() {
    let Some(authority) = Authority::start() else {
        return;
    };
    let clock = Clock::on_time();
    let dir = tempfile::tempdir().expect("a folder");
    authority.fail("500");
    let flags = authority.flags(FIRST);
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let server = clock.server(dir.path(), &flags);
    let nobody = "it could not validate forms.example.test: forms.example.test is not here";
    let mut ahead = 0;
    let faults = [
        ("500", "127.0.0.1 answered 500 Internal Server Error; the next attempt is in 2 minutes"),
        ("429", "too many certificates already issued for this name (rateLimited); the next attempt is in 10 hours"),
        ("malformed", "its answer can't be read: "),
        ("large", "127.0.0.1 can't be asked: length limit exceeded"),
        ("another challenge", "it offers no validation of forms.example.test by tls-alpn-01"),
        ("wrong name", "what it issued is of no use: the certificate is not for forms.example.test"),
        ("over", "what it issued was valid until 2"),
        ("nobody", nobody),
    ];
    for (n, (fault, sentence)) in faults.into_iter().enumerate() {
        // Where nobody listens, nothing can be validated.
        let there = if fault == "nobody" { 1 } else { port(&server) };
        authority.tell(&json!({"fault": fault, "port": there}));
        clock.ahead(ahead);
        until(fault, || occurrences(&server.stderr(), "the next attempt is in") > n);
        let log = server.stderr();
        let line = log.lines().rfind(|line| line.contains("the next attempt")).expect("a line");
        let begin = format!("there is no new certificate for forms.example.test from {}: ", authority.directory);
        assert!(line.contains(&begin) && line.contains(sentence), "{fault}: {line}");
        assert!(line.ends_with("; connections are refused until then"), "{line}");
        assert!(Visit::to(&server, &authority, FIRST).is_err());
        ahead += 13 * 3600;
    }
    // Each failure was asked for once, although it looks at the clock all the time.
    assert_eq!(authority.requests("/directory"), faults.len());
    authority.tell(&json!({"fault": null, "port": port(&server)}));
    clock.ahead(ahead);
    until("it has a certificate", || Visit::to(&server, &authority, FIRST).is_ok());
    assert_eq!(authority.count("account"), 1);
    assert_eq!(occurrences(&server.stderr(), "the next attempt is in"), faults.len());
}

#[test]
fn the_settings_are_checked() {
    let dir = tempfile::tempdir().expect("a folder");
    let show = |args: &[&str], vars: &[(&str, &str)]| {
        let done = beside(dir.path(), &[&["config", "show", "--json"][..], args].concat(), vars, None);
        (done.status.code().expect("a code"), text(&done.stdout), text(&done.stderr))
    };
    let names = "Forms.Example.org,bücher.example,forms.example.org";
    for (args, vars) in [
        (&["--acme-domain", names][..], &[][..]),
        (&["--acme-domain", "forms.example.org", "--acme-domain", "bücher.example"], &[]),
        (&[], &[("FORMSVC_ACME_DOMAIN", names)]),
    ] {
        let (code, shown, fault) = show(args, vars);
        assert_eq!(code, 0, "{fault}");
        let shown: Value = serde_json::from_str(&shown).expect("JSON");
        let value = |name: &str| shown[name]["value"].clone();
        assert_eq!(value("acme_domain")[0], "forms.example.org");
        assert_eq!(value("acme_domain")[1], "xn--bcher-kva.example");
        assert_eq!(value("base_url"), "https://forms.example.org");
        assert_eq!(value("acme_directory"), "https://acme-v02.api.letsencrypt.org/directory");
        assert_eq!((value("acme_email"), value("acme_ca")), (Value::Null, Value::Null));
    }
    let own = ["--acme-domain", "a.example", "--base-url", "https://b.example/forms"];
    let (_, shown, _) = show(&own, &[]);
    assert!(shown.contains("https://b.example/forms"), "{shown}");

    for (setting, value, fault) in [
        ("acme-domain", "*.example.org", "a name without *, since wildcards can't be validated over TLS"),
        ("acme-domain", "192.0.2.1", "a name, not an IP address"),
        ("acme-domain", "2001:db8::1", "a name, not an IP address"),
        ("acme-domain", "[2001:db8::1]", "a name, not an IP address"),
        ("acme-domain", "0x7f.1", "a name, not an IP address"),
        ("acme-domain", "forms.example.org:443", "only a name, without a scheme, port or path"),
        ("acme-domain", "https://forms.example.org", "only a name, without a scheme, port or path"),
        ("acme-domain", "forms.example.org.", "the name of a server"),
        ("acme-domain", "two words", "the name of a server"),
        ("acme-domain", "ok.example,a..b", "the name of a server"),
        ("acme-email", "nobody", "must be an email address"),
        ("acme-directory", "http://ca.example.org/directory", "must be an https address"),
        ("acme-directory", "directory", "must be an https address"),
    ] {
        let (code, _, said) = show(&[&format!("--{setting}"), value], &[]);
        assert!(code == 2 && said.contains(fault), "{value}: {code} {said}");
        let variable = format!("FORMSVC_{}", setting.to_uppercase().replace('-', "_"));
        let (code, _, said) = show(&[], &[(&variable, value)]);
        assert!(code == 3 && said.contains(fault), "{value}: {code} {said}");
    }
    let (code, _, said) = show(&["--acme-ca", "/nowhere"], &[]);
    assert!(code == 3 && said.contains("/nowhere can't be read"), "{code} {said}");

    // One or the other certificate.
    let either = "acme-domain and tls-cert exclude each other";
    let files = ["--tls-cert", "c.pem", "--tls-key", "k.pem"];
    let acme = ["--acme-domain", "a.example"];
    let by_variable = [("FORMSVC_ACME_DOMAIN", "a.example")];
    let all = [("FORMSVC_ACME_DOMAIN", "a.example"), ("FORMSVC_TLS_CERT", "c.pem")];
    for (args, vars, exit) in [
        ([&files[..], &acme].concat(), &[][..], 2),
        (files.to_vec(), &by_variable, 2),
        (acme.to_vec(), &all[1..], 2),
        (Vec::new(), &all, 3),
    ] {
        let (code, _, said) = show(&args, vars);
        assert!(code == exit && said.contains(either), "{args:?}: {code} {said}");
    }
}

#[test]
fn a_certificate_is_not_asked_for_where_nothing_can_validate_it() {
    let home = tempfile::tempdir().expect("a folder");
    let (dir, socket) = (home.path().join("data"), home.path().join("http.sock"));
    let on = format!("unix:{}", socket.display());
    let by_flags = ["serve", "--listen", &on, "--acme-domain", FIRST];
    let by_variables = [("FORMSVC_LISTEN", on.as_str()), ("FORMSVC_ACME_DOMAIN", FIRST)];
    for (args, vars) in [(&by_flags[..], &[][..]), (&["serve"], &by_variables)] {
        let done = beside(&dir, args, vars, None);
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(3), "{said}");
        assert!(
            said.contains("the service listens only on unix sockets: add one, for example with --listen 0.0.0.0:443")
                && said.lines().count() == 1,
            "{said}"
        );
        assert!(!dir.exists() && !socket.exists());
    }
    // Beside an address, unix sockets are served as they are.
    let nowhere = "https://127.0.0.1:9/directory";
    let flags = ["--listen", &on, "--acme-domain", FIRST, "--acme-directory", nowhere];
    let server = Server::over(&dir, &flags);
    assert!(server.base.starts_with("https://") && socket.exists());
}
