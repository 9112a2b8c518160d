//! Certificates for tests.

use std::path::Path;
use std::process::Command;

/// Writes `cert.pem`, which is valid for this host, and `key.pem`.
pub fn make_certificate(dir: &Path, host: &str) {
    let wanted = format!(
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN={host} \
         -addext subjectAltName=DNS:{host} -addext basicConstraints=critical,CA:FALSE \
         -keyout key.pem -out cert.pem"
    );
    let made = Command::new("openssl").args(wanted.split_whitespace()).current_dir(dir).output().expect("openssl runs");
    assert!(made.status.success(), "{made:?}");
}
