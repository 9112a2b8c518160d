//! A certificate authority of its own for a test: `acme_server.py`, in the Python that tests/run prepares.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{means, until};

/// A running authority; it ends with the test.
pub struct Authority {
    /// The address of its directory.
    pub directory: String,
    folder: TempDir,
    child: Child,
    stdin: Mutex<ChildStdin>,
    events: Arc<Mutex<Vec<Value>>>,
}

impl Authority {
    /// None where its program is missing.
    pub fn start() -> Option<Self> {
        let python = means::python();
        let has_it = Command::new(&python)
            .args(["-c", "import cryptography.x509"])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        if !has_it {
            means::skip("TEST_PYTHON, a Python with cryptography, as tests/run sets it");
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("support/peers/acme_server.py");
        let mut child = Command::new(python)
            .arg(script)
            .arg(folder.path().join("root.pem"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python runs");
        let mut said = BufReader::new(child.stdout.take().expect("piped")).lines();
        let directory = said.next().expect("an address").expect("text");
        let events = Arc::new(Mutex::new(Vec::new()));
        let to = Arc::clone(&events);
        std::thread::spawn(move || {
            for line in said.map_while(Result::ok) {
                let event = serde_json::from_str(&line).expect("JSON");
                to.lock().expect("no panic").push(event);
            }
        });
        Some(Self {
            directory: serde_json::from_str(&directory).expect("text"),
            folder,
            stdin: Mutex::new(child.stdin.take().expect("piped")),
            child,
            events,
        })
    }

    /// The file with its root certificate.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("root.pem")
    }

    /// The flags of a server with certificates from it.
    pub fn flags(&self, names: &str) -> Vec<String> {
        let root = self.root().display().to_string();
        let flags = ["--acme-domain", names, "--acme-directory", &self.directory, "--acme-ca", &root];
        flags.map(str::to_owned).to_vec()
    }

    /// Changes how it behaves, and waits until it does.
    pub fn tell(&self, what: &Value) {
        let told = self.count("told");
        let line = format!("{what}\n");
        let mut stdin = self.stdin.lock().expect("no panic");
        stdin.write_all(line.as_bytes()).expect("it listens");
        until("it was told", || self.count("told") > told);
    }

    /// From now on this goes wrong.
    pub fn fail(&self, fault: &str) {
        self.tell(&json!({"fault": fault}));
    }

    /// All events of this kind so far.
    pub fn events(&self, kind: &str) -> Vec<Value> {
        let events = self.events.lock().expect("no panic");
        let events = events.iter().filter(|event| event["event"] == kind);
        events.cloned().collect()
    }

    pub fn count(&self, kind: &str) -> usize {
        self.events(kind).len()
    }

    /// How often this path was asked for.
    pub fn requests(&self, path: &str) -> usize {
        let requests = self.events("request");
        requests.iter().filter(|it| it["path"] == path).count()
    }

    /// The fingerprint of the newest certificate.
    pub fn newest(&self) -> String {
        let issued = self.events("issued");
        let fingerprint = issued.last().and_then(|event| event["fingerprint"].as_str());
        fingerprint.expect("a certificate").to_owned()
    }
}

impl Drop for Authority {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let breaches = self.events("breach");
        if !std::thread::panicking() {
            assert!(breaches.is_empty(), "{breaches:?}");
        }
    }
}
