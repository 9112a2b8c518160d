//! A server whose clock a test puts forward, so that what ends after an hour is tested in a moment: see `clock.c`.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::{LINKED_PROGRAM, Server};

/// A clock and the server that goes by it.
pub struct Clock {
    folder: TempDir,
}

impl Clock {
    /// One that is right. It takes a C compiler.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/http/support/clock.c");
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(folder.path().join("clock.so"))
            .arg(source)
            .status();
        assert!(built.expect("cc runs").success());
        Self { folder }
    }

    /// A server over this data dir that goes by it.
    pub fn server(&self, dir: &Path, flags: &[&str]) -> Server {
        let mut command = Command::new(LINKED_PROGRAM);
        command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(dir).args(flags);
        self.lend(&mut command);
        Server::launch(command, dir)
    }

    /// Has another program go by it.
    pub fn lend(&self, command: &mut Command) {
        command
            .env("LD_PRELOAD", self.folder.path().join("clock.so"))
            .env("CLOCK_AHEAD", self.folder.path().join("ahead"));
    }

    /// So many seconds ahead from now on.
    pub fn ahead(&self, secs: u32) {
        // In one step: whoever reads meanwhile sees the old or the new one.
        let (aside, to) = (self.folder.path().join("next"), self.folder.path().join("ahead"));
        fs::write(&aside, secs.to_string()).expect("written");
        fs::rename(aside, to).expect("renamed");
    }
}
