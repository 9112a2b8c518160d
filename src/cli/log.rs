//! Log lines to stderr.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

use crate::cli::values::{LogFormat, LogLevel};

/// Starts logging. Other crates stay at `warn`: what they say below it may hold headers and bodies (S77).
pub fn start(format: LogFormat, level: LogLevel) {
    let others = match level {
        LogLevel::Error => LogLevel::Error,
        _ => LogLevel::Warn,
    };
    let filter = EnvFilter::new(format!("{others},formsvc={level},access={level}"));
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    // Fails only where logging was started before, which is as good.
    let _ = match format {
        LogFormat::Text => lines.with_ansi(std::io::stderr().is_terminal()).try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    };
}
