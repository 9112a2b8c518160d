//! PDFs as the programs of poppler read them.

use std::fs;
use std::process::Command;

use crate::text;

/// The output of a program of poppler's for a PDF.
pub fn poppler_output(program: &str, options: &[&str], pdf: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("it.pdf");
    fs::write(&file, pdf).expect("the file is written");
    let mut command = Command::new(program);
    command.args(options).arg(&file);
    if program == "pdftotext" {
        command.arg("-");
    }
    let done = command.output().expect("it runs");
    assert!(done.status.success(), "{}", text(&done.stderr));
    text(&done.stdout)
}
