//! Settings that name a file or a folder.

use std::fmt;
use std::path::PathBuf;

use crate::cli::config::values;
use crate::cli::failure::Failure;

/// A path with `Display`.
pub struct PathSetting(pub PathBuf);

impl PathSetting {
    pub fn read(text: &str) -> Result<Self, String> {
        Ok(Self(PathBuf::from(text)))
    }

    /// A folder of fonts.
    pub fn read_folder(text: &str) -> Result<Self, String> {
        values::fonts_dir(text).map(Self)
    }
}

impl fmt::Display for PathSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.display().fmt(f)
    }
}

/// The content of a file of certificates that a setting names.
pub fn certificates(
    setting: &str,
    path: &PathSetting,
    are_certificates: fn(&[u8]) -> bool,
) -> Result<Vec<u8>, Failure> {
    let pem = std::fs::read(&path.0).map_err(|e| {
        Failure::configuration(format!("the file {path} can't be read ({e}): name another with {setting}"))
    })?;
    if are_certificates(&pem) {
        Ok(pem)
    } else {
        Err(Failure::configuration(format!(
            "the file {path} holds no certificates in PEM: name another with {setting}"
        )))
    }
}
