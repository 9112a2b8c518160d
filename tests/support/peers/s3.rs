//! An S3-compatible store of its own for a test, which checks signatures and fails as it is told: `s3_server.py`.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

use crate::{PROGRAM, means};

pub const BUCKET: &str = "forms-backup";
const SECRET: &str = "secret-of-the-tests";

/// A running store with one bucket; it ends with the test.
pub struct Store {
    pub port: u16,
    dir: tempfile::TempDir,
    child: Child,
}

impl Store {
    pub fn start() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(dir.path().join("objects").join(BUCKET)).expect("a folder");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("support/peers/s3_server.py");
        let mut child = Command::new(means::python())
            .arg(script)
            .arg(dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python runs");
        let mut said = BufReader::new(child.stdout.take().expect("piped")).lines();
        let port = said.next().expect("a port").expect("text");
        Self { port: port.parse().expect("a port"), dir, child }
    }

    /// The variables by which the program reaches it.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        vec![
            ("FORMSVC_S3_ENDPOINT", format!("http://127.0.0.1:{}", self.port)),
            ("FORMSVC_S3_ACCESS_KEY", "tester".to_owned()),
            ("FORMSVC_S3_SECRET_KEY", SECRET.to_owned()),
        ]
    }

    /// A command of the program on this data dir, with those variables.
    pub fn command(&self, dir: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(&*PROGRAM);
        command.args(args).arg("--data-dir").arg(dir).envs(self.variables()).stdin(Stdio::null());
        command
    }

    pub fn run(&self, dir: &Path, args: &[&str]) -> Output {
        self.command(dir, args).output().expect("it runs")
    }

    /// How it fails from now on.
    pub fn fail(&self, how: &Value) {
        let path = self.dir.path().join("faults.json");
        let new = self.dir.path().join("faults.new");
        fs::write(&new, how.to_string()).expect("written");
        fs::rename(new, path).expect("renamed");
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.dir.path().join("log")).unwrap_or_default()
    }

    /// Whether a part waits for its answer in vain.
    pub fn holds_a_part(&self) -> bool {
        self.dir.path().join("held").exists()
    }

    /// The keys of all objects, in order.
    pub fn keys(&self) -> Vec<String> {
        let root = self.dir.path().join("objects").join(BUCKET);
        let mut keys = Vec::new();
        collect(&root, &root, &mut keys);
        keys.sort();
        keys
    }

    /// The file of an object.
    pub fn object(&self, key: &str) -> PathBuf {
        self.dir.path().join("objects").join(BUCKET).join(key)
    }

    /// The uploads in parts that were neither completed nor aborted.
    pub fn uploads(&self) -> usize {
        let found = fs::read_dir(self.dir.path().join("uploads"));
        found.map_or(0, Iterator::count)
    }
}

fn collect(root: &Path, folder: &Path, keys: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(root, &path, keys);
        } else {
            let key = path.strip_prefix(root).expect("below it");
            keys.push(key.display().to_string());
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
