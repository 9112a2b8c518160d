//! The ACME state that is stored between two runs of the service, and the report of `doctor` on the certificate of
//! encrypted connections.

use std::path::Path;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use serde::{Deserialize, Serialize};
use zeroize::{Zeroize, Zeroizing};

use crate::base::clock;
use crate::base::config::{Acme, Tls};
use crate::base::validity::Validity;
use crate::ops::checkup::{CheckState, Finding};
use crate::outbound::acme::{Credentials, Issued, usable};
use crate::store::server::acme_files::AcmeFile;

const CHECK: &str = "certificate";

/// A kept account.
#[derive(Deserialize, Serialize)]
pub struct Account {
    /// The URL of the authority's directory.
    pub directory: String,
    /// The contact that the authority was told.
    pub email: Option<String>,
    pub credentials: Credentials,
}

/// A kept certificate.
#[derive(Deserialize, Serialize)]
pub struct Certificate {
    /// The URL of the directory of the authority that issued it.
    pub directory: String,
    /// In PEM, with its chain.
    pub chain: String,
    /// In PEM.
    pub key: Zeroizing<String>,
}

impl Certificate {
    pub fn new(acme: &Acme, issued: Issued) -> Self {
        Self { directory: acme.directory.clone(), chain: issued.chain, key: issued.key }
    }

    /// The certificate itself, without its chain.
    pub fn leaf(&self) -> Option<CertificateDer<'static>> {
        CertificateDer::from_pem_slice(self.chain.as_bytes()).ok()
    }
}

/// The account that is kept in this data dir.
///
/// # Errors
/// A file that can't be read, as part of a sentence.
pub fn account(data_dir: &Path) -> Result<Option<Account>, String> {
    read(AcmeFile::Account, data_dir)
}

/// The certificate that is kept in this data dir.
///
/// # Errors
/// A file that can't be read, as part of a sentence.
pub fn certificate(data_dir: &Path) -> Result<Option<Certificate>, String> {
    read(AcmeFile::Certificate, data_dir)
}

pub fn keep_account(data_dir: &Path, account: &Account) -> Result<(), String> {
    write(AcmeFile::Account, data_dir, account)
}

pub fn keep_certificate(data_dir: &Path, certificate: &Certificate) -> Result<(), String> {
    write(AcmeFile::Certificate, data_dir, certificate)
}

fn read<T: for<'de> Deserialize<'de>>(file: AcmeFile, dir: &Path) -> Result<Option<T>, String> {
    let bytes = file.read(dir).map_err(|e| e.to_string())?;
    let kept = bytes.map(|bytes| serde_json::from_slice(&bytes));
    kept.transpose().map_err(|_| "it is damaged".to_owned())
}

fn write(file: AcmeFile, data_dir: &Path, kept: &impl Serialize) -> Result<(), String> {
    let mut text = serde_json::to_vec(kept).map_err(|e| e.to_string())?;
    let written = file.write(data_dir, &text);
    text.zeroize();
    written.map_err(|e| e.to_string())
}

/// Checks the certificate that connections are encrypted with.
pub fn examine(data_dir: &Path, tls: &Tls) -> Finding {
    let warn = |text: String| Finding::new(CHECK, CheckState::Warn, text);
    match tls {
        Tls::Files(files) => match CertificateDer::from_pem_file(&files.cert) {
            Ok(leaf) => lifetime(&leaf, "put a new one in its place and send SIGHUP"),
            Err(e) => warn(format!("no certificate can be read from {}: {e}", files.cert.display())),
        },
        Tls::Acme(acme) => match certificate(data_dir) {
            Ok(Some(kept)) => match usable(&kept.chain, &kept.key, &acme.domains) {
                Ok(_) => kept.leaf().map_or_else(
                    || warn("the kept certificate can't be read".to_owned()),
                    |leaf| lifetime(&leaf, "see the log of the service for why it was not renewed"),
                ),
                Err(fault) => warn(format!("the kept certificate is of no use: {fault}")),
            },
            Ok(None) => warn(format!(
                "there is no certificate for {} yet: see the log of the service if it has run for a while",
                acme.names()
            )),
            Err(fault) => warn(format!("the kept certificate can't be read: {fault}")),
        },
        // `serve` may have been told by flags.
        Tls::Off => match certificate(data_dir) {
            Ok(Some(kept)) => {
                let done = "see the log of the service for why it was not renewed, or remove \
                            keys/acme-certificate if --acme-domain is not used any more";
                kept.leaf()
                    .map_or_else(|| warn("the kept certificate can't be read".to_owned()), |leaf| lifetime(&leaf, done))
            }
            Ok(None) => Finding::new(CHECK, CheckState::Ok, "formsvc is not told to encrypt connections"),
            Err(fault) => warn(format!("the kept certificate can't be read: {fault}")),
        },
    }
}

fn lifetime(leaf: &CertificateDer, advice: &str) -> Finding {
    let Some(validity) = Validity::of(leaf) else {
        return Finding::new(CHECK, CheckState::Warn, "the certificate can't be read");
    };
    let (now, until) = (clock::now(), validity.not_after);
    let (state, text) = if validity.has_ended(now) {
        (CheckState::Fail, format!("the certificate was valid until {until}: {advice}"))
    } else if validity.is_near_end(now) {
        (CheckState::Warn, format!("the certificate is only valid until {until}: {advice}"))
    } else {
        (CheckState::Ok, format!("the certificate is valid until {until}"))
    };
    Finding::new(CHECK, state, text).with("valid_until", until)
}
