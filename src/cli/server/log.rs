//! Logging to stderr.

use std::io::{self, Write};

use tracing_subscriber::EnvFilter;

use crate::base::text::escaped;
use crate::cli::config::values::{LogFormat, LogLevel};

/// Starts logging. Other crates stay at `warn`: their lower levels may log headers and bodies (S77).
pub fn start(format: LogFormat, level: LogLevel) {
    let others = match level {
        LogLevel::Error => LogLevel::Error,
        _ => LogLevel::Warn,
    };
    let filter = EnvFilter::new(format!("{others},formsvc={level},access={level}"));
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(|| Lines);
    // Fails only if logging was started before, which is fine.
    let _ = match format {
        LogFormat::Text => lines.try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    };
}

/// Writes each event as one line, with control characters of foreign texts escaped.
struct Lines;

impl Write for Lines {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let line = format!("{}\n", escaped(text.trim_end_matches('\n')));
        io::stderr().lock().write_all(line.as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
