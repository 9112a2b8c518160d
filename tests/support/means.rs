//! Programs and rights that some tests need of the machine. Where one is missing a test fails, unless `TEST_MAY_SKIP=1`
//! lets it pass unrun; then it is noted in the file that `TEST_SKIPPED` names.

use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::thread;

/// Whether these programs are installed, and whether the tests run as `root` where that is named.
pub fn has(means: &[&str]) -> bool {
    let missing = means.iter().find(|means| match **means {
        "root" => !rustix::process::geteuid().is_root(),
        program => !is_installed(program),
    });
    missing.inspect(|means| skip(means)).is_none()
}

fn is_installed(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| Path::new(&folder).join(program).is_file())
}

/// Notes that this test passes without a run, or fails it.
pub fn skip(missing: &str) {
    let thread = thread::current();
    let note = format!("{}: needs {missing}\n", thread.name().unwrap_or("a test"));
    let is_allowed = env::var("TEST_MAY_SKIP").is_ok_and(|value| value == "1");
    assert!(is_allowed, "{note}TEST_MAY_SKIP=1 skips such tests");
    if let Some(list) = env::var_os("TEST_SKIPPED") {
        let list = OpenOptions::new().append(true).create(true).open(list);
        let written = list.expect("a file").write_all(note.as_bytes());
        written.expect("it is noted");
    }
}

/// The Python with the packages that tests need, where tests/run installs them.
pub fn python() -> PathBuf {
    match env::var_os("TEST_PYTHON") {
        Some(python) => python.into(),
        None => tools().join("python/bin/python"),
    }
}

/// The modules of Node that tests need.
pub fn node_modules() -> PathBuf {
    tools().join("node_modules")
}

fn tools() -> PathBuf {
    let tools = env::var_os("TEST_TOOLS").map(PathBuf::from);
    tools.unwrap_or_else(|| env::temp_dir().join("formsvc-test-tools"))
}
