//! Settings that name a file of certificates.

use std::path::Path;

use crate::cli::failure::Failure;

/// The content of a file of certificates that a setting names.
pub fn certificates(setting: &str, path: &Path, are_certificates: fn(&[u8]) -> bool) -> Result<Vec<u8>, Failure> {
    let shown = path.display();
    let pem = std::fs::read(path).map_err(|e| {
        Failure::configuration(format!("the file {shown} can't be read ({e}): name another with {setting}"))
    })?;
    if are_certificates(&pem) {
        Ok(pem)
    } else {
        Err(Failure::configuration(format!(
            "the file {shown} contains no certificates in PEM: name another with {setting}"
        )))
    }
}
