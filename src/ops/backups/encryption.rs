//! Encryption with a passphrase, in the format of age (<https://age-encryption.org>): `age --decrypt` opens such a file.

use std::io::{BufRead as _, BufReader, SeekFrom, Write};
use std::iter;

use age::secrecy::SecretString;
use age::stream::StreamWriter;
use age::{DecryptError, Decryptor, Encryptor, scrypt};

use crate::base::backup_fault::BackupFault;
use crate::base::secret::Secret;
use crate::ops::backups::Ask;
use crate::ops::backups::target::ReadSeek;

pub const SUFFIX: &str = ".age";
const MAGIC: &[u8] = b"age-encryption.org/";
/// scrypt with 2^17 steps and 128 MB, what OWASP recommends. age itself measures what takes a second, which may be a
/// gigabyte: too much within a service on a small machine.
const WORK: u8 = 17;
/// A file that asks for more is not tried: each step more doubles the memory.
const MOST_WORK: u8 = WORK;

fn text_of(passphrase: &Secret) -> SecretString {
    SecretString::from(passphrase.reveal().to_owned())
}

/// Begins to encrypt. It must be finished, or it can't be opened.
pub fn encrypt<W: Write>(out: W, passphrase: &Secret) -> std::io::Result<StreamWriter<W>> {
    key(passphrase)?.wrap_output(out)
}

/// Makes the key of one file, which takes memory for a moment.
pub fn key(passphrase: &Secret) -> std::io::Result<Encryptor> {
    let mut recipient = scrypt::Recipient::new(text_of(passphrase));
    recipient.set_work_factor(WORK);
    let recipients = iter::once(&recipient as &dyn age::Recipient);
    Encryptor::with_recipients(recipients).map_err(std::io::Error::other)
}

/// Whether a file says that it is encrypted. It is read from its beginning, and left there.
fn is_encrypted(from: &mut dyn ReadSeek) -> std::io::Result<bool> {
    let mut start = Vec::new();
    let mut head = std::io::Read::take(&mut *from, MAGIC.len() as u64);
    std::io::Read::read_to_end(&mut head, &mut start)?;
    from.seek(SeekFrom::Start(0))?;
    Ok(start == MAGIC)
}

/// A file without its encryption, if it has one.
///
/// # Errors
/// There is no passphrase, it is another, or the file is damaged.
pub fn opened(shown: &str, mut from: Box<dyn ReadSeek>, ask: Ask<'_>) -> Result<Box<dyn ReadSeek>, BackupFault> {
    let unreadable = |e: std::io::Error| BackupFault::Damaged(shown.to_owned(), format!("the file can't be read: {e}"));
    if !is_encrypted(&mut *from).map_err(unreadable)? {
        return Ok(from);
    }
    let passphrase = ask(shown).ok_or_else(|| BackupFault::NoPassphrase(shown.to_owned()))?;
    decrypt(shown, from, &passphrase)
}

/// Opens an encrypted file. What it decrypts is authentic as far as it is read.
///
/// # Errors
/// The passphrase is another, or the file is damaged.
pub fn decrypt(shown: &str, from: Box<dyn ReadSeek>, passphrase: &Secret) -> Result<Box<dyn ReadSeek>, BackupFault> {
    let damaged = |what: &str| BackupFault::Damaged(shown.to_owned(), what.to_owned());
    let foreign = |what: String| BackupFault::Foreign(shown.to_owned(), what);
    let mut from = BufReader::with_capacity(64 << 10, from);
    // An unreadable file is not a damaged backup.
    from.fill_buf().map_err(|e| damaged(&format!("the file can't be read: {e}")))?;
    let told = |e: DecryptError| match e {
        DecryptError::DecryptionFailed | DecryptError::KeyDecryptionFailed | DecryptError::NoMatchingKeys => {
            BackupFault::WrongPassphrase(shown.to_owned())
        }
        DecryptError::ExcessiveWork { required, .. } => foreign(format!(
            "its key takes 2^{required} steps to make, and 2^{MOST_WORK} are the most: decrypt it with age first"
        )),
        DecryptError::Io(e) => damaged(&format!("its head can't be read: {e}")),
        _ => damaged("its head is damaged"),
    };
    let decryptor = Decryptor::new_buffered(from).map_err(told)?;
    if !decryptor.is_scrypt() {
        let what = "it is encrypted for a key instead of with a passphrase";
        return Err(foreign(what.to_owned()));
    }
    let mut identity = scrypt::Identity::new(text_of(passphrase));
    identity.set_max_work_factor(MOST_WORK);
    let opened = decryptor.decrypt(iter::once(&identity as &dyn age::Identity));
    Ok(Box::new(opened.map_err(told)?))
}
