//! A server whose clock a test puts forward, so that an expiry after an hour is tested in a moment: see `tests/faults/clock.c`.

use std::fs;
use std::path::Path;
use std::process::Command;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use tempfile::TempDir;

use crate::{FAULTY_PROGRAM, Server};

/// A clock and the server that uses it.
pub struct Clock {
    /// Of the file that says how far ahead it is.
    folder: TempDir,
}

/// A time zone in which it is about noon, so that no test crosses midnight there, and today's date in it.
pub fn noon() -> (String, String) {
    let now = Timestamp::now();
    let hour = now.to_zoned(TimeZone::UTC).hour();
    // The signs of these names are reversed.
    let name = format!("Etc/GMT{:+}", hour - 12).replace("+0", "");
    let zone = TimeZone::get(&name).expect("a zone");
    (name, now.to_zoned(zone).date().to_string())
}

impl Clock {
    /// One that is right.
    pub fn on_time() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    /// One that stands still from now on: the test takes no time by it, however long it takes.
    pub fn still() -> Self {
        let clock = Self::on_time();
        clock.stands_at(Timestamp::now());
        clock
    }

    /// A server over this data dir that uses the clock.
    pub fn server(&self, dir: &Path, flags: &[&str]) -> Server {
        let mut command = Command::new(&*FAULTY_PROGRAM);
        command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(dir).args(flags);
        self.lend(&mut command);
        Server::launch(command, dir)
    }

    /// Has another program go by it: one with faults, or a script that reads the file.
    pub fn lend(&self, command: &mut Command) {
        command.env("CLOCK_AHEAD", self.folder.path().join("ahead"));
    }

    /// So many seconds ahead from now on, or behind.
    pub fn ahead(&self, secs: impl Into<i64>) {
        self.write(&secs.into().to_string());
    }

    /// Stands still at this second from now on.
    pub fn stands_at(&self, at: Timestamp) {
        self.write(&format!("={}", at.as_second()));
    }

    /// In one step: a reader at the same time sees the old or the new one.
    fn write(&self, text: &str) {
        let (aside, to) = (self.folder.path().join("next"), self.folder.path().join("ahead"));
        fs::write(&aside, text).expect("written");
        fs::rename(aside, to).expect("renamed");
    }
}
