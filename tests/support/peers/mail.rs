//! A mail server of its own for a test: aiosmtpd, in the Python that tests/run prepares.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::{PROGRAM, Server, means, until};

/// The sender of all mail of the servers that tests start.
pub const SENDER: &str = "Forms <forms@example.org>";

/// A running mail server; it ends with the test.
pub struct MailServer {
    pub port: u16,
    child: Child,
    lines: Arc<Mutex<Vec<Value>>>,
}

/// A mail that arrived.
#[derive(Clone, Debug)]
pub struct Mail(pub Value);

impl MailServer {
    /// One that takes mail without encryption; none where its program is missing.
    pub fn start() -> Option<Self> {
        Self::with(&json!({}))
    }

    /// One that speaks as these options say.
    pub fn with(options: &Value) -> Option<Self> {
        let python = means::python();
        let has_it = Command::new(&python)
            .args(["-c", "import aiosmtpd.smtp"])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        if !has_it {
            means::skip("TEST_PYTHON, a Python with aiosmtpd, as tests/run sets it");
            return None;
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("support/peers/mail_server.py");
        let mut child = Command::new(python)
            .args(["-W", "ignore"])
            .arg(script)
            .arg(options.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("python runs");
        let mut said = BufReader::new(child.stdout.take().expect("piped")).lines();
        let port = said.next().expect("a port").expect("text");
        let lines = Arc::new(Mutex::new(Vec::new()));
        let to = Arc::clone(&lines);
        std::thread::spawn(move || {
            for line in said.map_while(Result::ok) {
                let line = serde_json::from_str(&line).expect("JSON");
                to.lock().expect("no panic").push(line);
            }
        });
        Some(Self { port: port.parse().expect("a port"), child, lines })
    }

    /// Its address on this machine.
    pub fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}", self.port)
    }

    /// The mails that arrived so far.
    pub fn mails(&self) -> Vec<Mail> {
        let lines = self.lines.lock().expect("no panic");
        let mails = lines.iter().filter(|line| line.get("raw").is_some());
        mails.cloned().map(Mail).collect()
    }

    /// The attempts to sign in so far.
    pub fn sign_ins(&self) -> Vec<Value> {
        let lines = self.lines.lock().expect("no panic");
        let tries = lines.iter().filter(|line| line.get("sign_in").is_some());
        tries.cloned().collect()
    }

    /// Waits for mail to this address.
    pub fn mail_to(&self, address: &str) -> Mail {
        let mut found = None;
        until(&format!("mail to {address}"), || {
            found = self.mails().into_iter().find(|mail| mail.to() == address);
            found.is_some()
        });
        found.expect("a mail")
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Mail {
    pub fn to(&self) -> &str {
        self.0["to"][0].as_str().expect("a recipient")
    }

    pub fn text(&self) -> &str {
        self.0["text"].as_str().expect("text")
    }

    pub fn html(&self) -> &str {
        self.0["html"].as_str().expect("html")
    }

    /// The files that it carries, each with its name, type, method and text.
    pub fn files(&self) -> Vec<Value> {
        self.0["files"].as_array().expect("files").clone()
    }

    pub fn subject(&self) -> String {
        self.header("Subject")
    }

    /// The only header of this name, decoded; empty if there is none.
    pub fn header(&self, name: &str) -> String {
        let all = self.0["headers"].as_array().expect("headers").iter();
        let mut found = all.filter(|pair| pair[0] == name);
        let value = found.next().map_or("", |pair| pair[1].as_str().expect("text"));
        assert!(found.next().is_none(), "{name} twice: {self:?}");
        value.to_owned()
    }

    /// The names of its headers.
    pub fn header_names(&self) -> Vec<String> {
        let all = self.0["headers"].as_array().expect("headers").iter();
        all.map(|pair| pair[0].as_str().expect("text").to_owned()).collect()
    }

    /// The path of the only link in its text that begins with this.
    pub fn link(&self, base: &str, begin: &str) -> String {
        let begin = format!("{base}{begin}");
        let mut found = self.text().split_whitespace().filter(|word| word.starts_with(&begin));
        let link = found.next().unwrap_or_else(|| panic!("no {begin} in {}", self.text()));
        assert!(found.next().is_none(), "{}", self.text());
        link[base.len()..].to_owned()
    }
}

/// A server that sends its mail there.
pub fn serving(mail: &MailServer) -> Server {
    Server::with(&flags(&mail.url()))
}

/// The flags of a server whose mail goes to this address.
pub fn flags(url: &str) -> [&str; 6] {
    ["--rate-limits", "off", "--mail-from", SENDER, "--smtp-url", url]
}

/// A server over a data dir that the test keeps, with variables beside its flags.
pub fn serving_with(dir: &Path, flags: &[&str], variables: &[(&str, &str)]) -> Server {
    let mut command = Command::new(&*PROGRAM);
    command
        .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(dir)
        .args(flags)
        .envs(variables.iter().copied());
    Server::launch(command, dir)
}
