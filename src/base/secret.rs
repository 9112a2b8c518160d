//! Secrets: made, hashed, signed, sealed and compared in constant time. A `Secret` has no text form
//! and is wiped when it goes (S78).

use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use rand::Rng as _;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

use crate::base::error::{Error, Result};
use crate::base::id;

/// Text that must not be shown: no `Debug`, no `Display`, wiped on drop.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes the text over.
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// The text itself: every use is a place to look at.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// 256 random bits as URL-safe text: session ids, set-up links.
pub fn random_text() -> Secret {
    Secret::new(URL_SAFE_NO_PAD.encode(random_bytes()))
}

/// 256 random bits.
pub fn random_bytes() -> [u8; 32] {
    let mut bytes = [0; 32];
    rand::rng().fill_bytes(&mut bytes);
    bytes
}

/// SHA-256, for secrets that are random enough to need no salt.
pub fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// SHA-256 of several parts, each preceded by its length so that no two lists read the same.
pub fn hash_parts(parts: &[&[u8]]) -> [u8; 32] {
    let mut sha = Sha256::new();
    for part in parts {
        sha.update(part.len().to_le_bytes());
        sha.update(part);
    }
    sha.finalize().into()
}

/// Whether two texts are equal, in time that tells nothing of where they differ.
pub fn same(a: &[u8], b: &[u8]) -> bool {
    a.ct_eq(b).into()
}

/// What each signature and sealed text is for; one made for one purpose is of no use for another (S26).
#[derive(Clone, Copy, Debug)]
pub enum Purpose {
    /// Paging cursors.
    Cursor,
    /// CSRF tokens of pages.
    Csrf,
    /// The time stamp of a form page.
    PageTime,
    /// The link to the thank-you page of one submission.
    Receipt,
    /// Form access passwords, sealed.
    AccessPassword,
    /// The same password as a respondent's page carries it from post to post, sealed.
    PagePassword,
    /// Remembered answers of idempotent requests, sealed.
    IdempotentAnswer,
    /// The permutation that makes entry tokens.
    EntryToken,
    /// What a browser keeps of an earlier sign-in.
    Device,
}

impl Purpose {
    fn label(self) -> &'static str {
        match self {
            Self::Cursor => "cursor",
            Self::Csrf => "csrf",
            Self::PageTime => "page-time",
            Self::Receipt => "receipt",
            Self::AccessPassword => "access-password",
            Self::PagePassword => "page-password",
            Self::IdempotentAnswer => "idempotent-answer",
            Self::EntryToken => "entry-token",
            Self::Device => "device",
        }
    }
}

/// The instance key, from which each purpose has a key of its own.
pub struct Keys(Zeroizing<[u8; 32]>);

impl Keys {
    /// From the 32 bytes in the data dir's `keys/`.
    pub fn new(instance: [u8; 32]) -> Self {
        Self(Zeroizing::new(instance))
    }

    /// The key of one purpose.
    pub fn derive(&self, purpose: Purpose) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(mac(&self.0, &[purpose.label().as_bytes()]))
    }

    /// A signature over parts, as URL-safe text.
    pub fn sign(&self, purpose: Purpose, parts: &[&[u8]]) -> String {
        URL_SAFE_NO_PAD.encode(mac(&self.derive(purpose), parts))
    }

    /// Whether `signature` is what `sign` gives for these parts.
    pub fn verify(&self, purpose: Purpose, parts: &[&[u8]], signature: &str) -> bool {
        same(self.sign(purpose, parts).as_bytes(), signature.as_bytes())
    }

    /// Encrypts under the purpose's key: nonce, then ciphertext and tag.
    ///
    /// # Errors
    /// Internal, when the cipher refuses (longer than 256 GiB).
    pub fn seal(&self, purpose: Purpose, plain: &[u8]) -> Result<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        rand::rng().fill_bytes(&mut nonce);
        let mut text = plain.to_vec();
        self.cipher(purpose)?
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut text)
            .map_err(|_| Error::internal("sealing failed"))?;
        Ok([nonce.as_slice(), &text].concat())
    }

    /// Decrypts what `seal` wrote; `None` when it was altered or sealed under another key.
    pub fn open(&self, purpose: Purpose, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, text) = sealed.split_first_chunk::<NONCE_LEN>()?;
        let mut text = text.to_vec();
        let plain = self
            .cipher(purpose)
            .ok()?
            .open_in_place(
                Nonce::assume_unique_for_key(*nonce),
                Aad::empty(),
                &mut text,
            )
            .ok()?
            .len();
        text.truncate(plain);
        Some(text)
    }

    fn cipher(&self, purpose: Purpose) -> Result<LessSafeKey> {
        UnboundKey::new(&CHACHA20_POLY1305, self.derive(purpose).as_slice())
            .map(LessSafeKey::new)
            .map_err(|_| Error::internal("the instance key has the wrong length"))
    }
}

fn mac(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    for part in parts {
        mac.update(&part.len().to_le_bytes());
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

/// The prefix of every personal access token.
pub const TOKEN_PREFIX: &str = "fsv_";
const TOKEN_BODY: usize = 27; // 160 bits in base 62
const TOKEN_CHECK: usize = 6; // 32 bits in base 62

/// A new personal access token: `fsv_`, 160 random bits, a checksum so that a scanner knows it (S23).
pub fn personal_token() -> Secret {
    let body = id::random(TOKEN_BODY);
    let check = checksum(&body);
    Secret::new(format!("{TOKEN_PREFIX}{body}{check}"))
}

/// Whether the text has a personal access token's form and checksum.
pub fn is_personal_token(text: &str) -> bool {
    text.strip_prefix(TOKEN_PREFIX).is_some_and(|rest| {
        rest.len() == TOKEN_BODY + TOKEN_CHECK
            && rest.is_ascii()
            && checksum(&rest[..TOKEN_BODY]) == rest[TOKEN_BODY..]
    })
}

fn checksum(body: &str) -> String {
    id::base62(u128::from(crc32fast::hash(body.as_bytes())), TOKEN_CHECK)
}

/// Hashes a password: argon2id, 19 MiB, two passes, a salt of its own (S14). Slow on purpose: callers
/// limit how many run at once.
///
/// # Errors
/// Internal, when the library refuses its parameters.
pub fn hash_password(password: &str) -> Result<String> {
    Ok(argon2()?
        .hash_password(password.as_bytes())
        .map_err(Error::internal)?
        .to_string())
}

/// Whether the password is the one that was hashed. `None` costs as much as a wrong password, so
/// that an unknown account can't be told by time (S17).
pub fn password_matches(password: &str, stored: Option<&str>) -> bool {
    let Ok(argon2) = argon2() else { return false };
    match stored {
        Some(phc) => argon2::PasswordHash::new(phc)
            .is_ok_and(|phc| argon2.verify_password(password.as_bytes(), &phc).is_ok()),
        None => {
            let _ = argon2.hash_password(password.as_bytes());
            false
        }
    }
}

/// Whether a stored hash was made with other parameters than today's and should be made again.
pub fn is_outdated(stored: &str) -> bool {
    !stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$")
}

fn argon2() -> Result<Argon2<'static>> {
    let params = Params::new(19_456, 2, 1, None).map_err(Error::internal)?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn personal_tokens_know_their_checksum() {
        let token = personal_token();
        assert!(is_personal_token(token.reveal()));
        let mut other = token.reveal().to_owned();
        other.replace_range(4..5, if &other[4..5] == "a" { "b" } else { "a" });
        assert!(!is_personal_token(&other));
        assert!(!is_personal_token("fsv_"));
    }

    #[test]
    fn one_purpose_is_of_no_use_for_another() {
        let keys = Keys::new([7; 32]);
        let signature = keys.sign(Purpose::Cursor, &[b"a", b"b"]);
        assert!(keys.verify(Purpose::Cursor, &[b"a", b"b"], &signature));
        assert!(!keys.verify(Purpose::Csrf, &[b"a", b"b"], &signature));
        assert!(!keys.verify(Purpose::Cursor, &[b"ab"], &signature));
        let sealed = keys.seal(Purpose::AccessPassword, b"open").expect("seals");
        assert_eq!(
            keys.open(Purpose::AccessPassword, &sealed),
            Some(b"open".to_vec())
        );
        assert_eq!(keys.open(Purpose::IdempotentAnswer, &sealed), None);
    }

    #[test]
    fn passwords() {
        let phc = hash_password("correct horse").expect("hashes");
        assert!(!is_outdated(&phc), "{phc}");
        assert!(password_matches("correct horse", Some(&phc)));
        assert!(!password_matches("correct hors", Some(&phc)));
        assert!(!password_matches("correct horse", None));
    }
}
