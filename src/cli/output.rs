//! Output of commands: results to stdout, messages to stderr. Foreign texts may hold anything, so deceptive characters
//! are escaped in all output.

use std::io::{self, ErrorKind, Write as _};

use crate::base::json::Json;
use crate::base::text::escaped;
use crate::cli::failure::Failure;

#[derive(Clone, Copy, Debug, Default)]
pub struct Output {
    /// One JSON document instead of text.
    pub json: bool,
    /// No messages but errors.
    pub quiet: bool,
}

impl Output {
    /// Prints the command's result, as text or as one JSON document.
    pub fn result(self, text: &str, document: &Json) -> Result<(), Failure> {
        if self.json {
            print(&document.to_string())
        } else if text.is_empty() {
            Ok(())
        } else {
            print(text)
        }
    }

    /// Prints a list, as aligned columns with headers or as a JSON array.
    pub fn table(self, names: &[&str], rows: &[Vec<String>], document: &Json) -> Result<(), Failure> {
        if self.json {
            return print(&document.to_string());
        }
        let head = names.iter().map(|name| name.to_uppercase()).collect();
        let shown = |row: &Vec<String>| row.iter().map(|cell| escaped(cell).into_owned()).collect();
        let lines: Vec<Vec<String>> = std::iter::once(head).chain(rows.iter().map(shown)).collect();
        let width = |column: usize| {
            let cells = lines.iter().filter_map(|line| line.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..names.len()).map(width).collect();
        let shown: Vec<String> = lines
            .iter()
            .map(|line| {
                let cells = line.iter().zip(&widths);
                let padded: Vec<String> = cells.map(|(cell, width)| format!("{cell:width$}")).collect();
                padded.join("  ").trim_end().to_owned()
            })
            .collect();
        print(&shown.join("\n"))
    }

    /// A message to the user.
    pub fn note(self, text: &str) {
        if !self.quiet {
            complain(text);
        }
    }
}

/// Writes a line to stderr. If stderr is closed, nobody reads it.
pub fn complain(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "formsvc: {}", escaped(text));
}

/// A number with its noun: the first for 1, the second for others.
pub fn counted<N: std::fmt::Display + PartialEq + From<u8>>(count: N, one: &str, many: &str) -> String {
    let noun = if count == N::from(1) { one } else { many };
    format!("{count} {noun}")
}

/// Writes lines to stdout.
pub fn print(text: &str) -> Result<(), Failure> {
    write(text).map_err(|e| write_failure("the result can't be printed", &e))
}

/// Like [`print`], for callers that continue on error.
pub fn write(text: &str) -> io::Result<()> {
    let lines: Vec<_> = text.split('\n').map(escaped).collect();
    let mut out = io::stdout().lock();
    writeln!(out, "{}", lines.join("\n"))?;
    out.flush()
}

/// Writes a text of the program's own to stdout, byte for byte.
pub fn print_verbatim(text: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text).and_then(|()| out.flush());
    written.map_err(|e| write_failure("the result can't be printed", &e))
}

/// The failure of a write to stdout. A closed pipe, as by `head`, is silent.
pub fn write_failure(what: &str, fault: &io::Error) -> Failure {
    match fault.kind() {
        ErrorKind::BrokenPipe => Failure::silent(),
        _ => Failure::failed(what, fault),
    }
}
