//! Secrets: generating, hashing, signing, encrypting and comparing them in constant time. A `Secret` can't be printed
//! and is wiped on drop (S78).

use argon2::password_hash::phc::{Output, ParamsString, Salt};
use argon2::{Algorithm, Argon2, Block, Params, PasswordHash, Version};
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

/// Text that must not be shown: `Debug` hides it, there is no `Display`, and it is wiped on drop.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// The text itself. Every use deserves a review.
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

/// SHA-256, for random secrets, which need no salt.
pub fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// SHA-256 of several parts, each preceded by its length, so that different lists never hash the same bytes.
pub fn hash_parts(parts: &[&[u8]]) -> [u8; 32] {
    let mut sha = Sha256::new();
    for part in parts {
        sha.update(part.len().to_le_bytes());
        sha.update(part);
    }
    sha.finalize().into()
}

/// Compares in constant time.
pub fn same(a: &[u8], b: &[u8]) -> bool {
    a.ct_eq(b).into()
}

/// The purpose of a signature or ciphertext. Each purpose has a key of its own (S26).
#[derive(Clone, Copy, Debug)]
pub enum Purpose {
    Cursor,
    /// CSRF tokens of pages.
    Csrf,
    /// The timestamp of a form page.
    PageTime,
    /// The link to the thank-you page of one submission.
    Receipt,
    /// Form access passwords, encrypted.
    AccessPassword,
    /// The password of a form in a respondent's page, encrypted.
    PagePassword,
    /// Stored answers of idempotent requests, encrypted.
    IdempotentAnswer,
    /// The senders of idempotent requests, hashed.
    IdempotentSender,
    /// The permutation that generates entry tokens.
    EntryToken,
    /// Values of unique fields, hashed.
    ExactKey,
    /// The cookie that recognizes the browser of an earlier sign-in.
    Device,
    /// The cookie of a response to a form that accepts one per respondent.
    AnswerMark,
    /// A respondent's right to edit their entry.
    EditToken,
    /// Secrets of second factors, encrypted.
    SecondFactor,
    /// The proof that the password was right and the second factor is due.
    SecondStep,
    /// Upload URLs.
    Upload,
    /// Download URLs of files.
    FileLink,
    /// Download URLs of certificates.
    CertificateLink,
    /// The view of an entry that a public query found.
    QueryRow,
    /// The same's files.
    QueryFile,
    /// The right of a visitor to edit it.
    QueryEdit,
    /// The challenge before a search.
    QueryProof,
    /// The daily pseudonym of an uploader.
    Sender,
    /// Messages that wait to be sent, encrypted.
    Outbox,
    /// The link that ends notices to an address.
    NoticeLink,
    /// The link by which an address agrees to notices.
    NoticeConsent,
    /// The link to set another password.
    PasswordReset,
    /// Secrets that deliveries to webhooks are signed with, encrypted.
    WebhookSecret,
    /// The permutations that generate the ids of events and deliveries.
    EventToken,
    DeliveryToken,
    /// The check that a database was created with this instance key.
    Canary,
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
            Self::IdempotentSender => "idempotent-sender",
            Self::EntryToken => "entry-token",
            Self::ExactKey => "exact-key",
            Self::Device => "device",
            Self::AnswerMark => "answer-mark",
            Self::EditToken => "edit-token",
            Self::SecondFactor => "second-factor",
            Self::SecondStep => "second-step",
            Self::Upload => "upload",
            Self::FileLink => "file-link",
            Self::CertificateLink => "certificate-link",
            Self::QueryRow => "query-row",
            Self::QueryFile => "query-file",
            Self::QueryEdit => "query-edit",
            Self::QueryProof => "query-proof",
            Self::Sender => "sender",
            Self::Outbox => "outbox",
            Self::NoticeLink => "notice-link",
            Self::NoticeConsent => "notice-consent",
            Self::PasswordReset => "password-reset",
            Self::WebhookSecret => "webhook-secret",
            Self::EventToken => "event-token",
            Self::DeliveryToken => "delivery-token",
            Self::Canary => "canary",
        }
    }
}

/// The instance key, from which the key of each purpose is derived.
pub struct Keys(Zeroizing<[u8; 32]>);

impl Keys {
    pub fn new(instance: [u8; 32]) -> Self {
        Self(Zeroizing::new(instance))
    }

    pub fn derive(&self, purpose: Purpose) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(mac(&self.0, &[purpose.label().as_bytes()]))
    }

    /// A keyed hash (HMAC-SHA-256).
    pub fn hash(&self, purpose: Purpose, parts: &[&[u8]]) -> [u8; 32] {
        mac(&self.derive(purpose), parts)
    }

    /// A signature over parts, as URL-safe text.
    pub fn sign(&self, purpose: Purpose, parts: &[&[u8]]) -> String {
        URL_SAFE_NO_PAD.encode(mac(&self.derive(purpose), parts))
    }

    /// Whether `signature` is the result of `sign` for these parts.
    pub fn verify(&self, purpose: Purpose, parts: &[&[u8]], signature: &str) -> bool {
        same(self.sign(purpose, parts).as_bytes(), signature.as_bytes())
    }

    /// Encrypts with the purpose's key. Returns nonce, ciphertext and tag.
    pub fn seal(&self, purpose: Purpose, plain: &[u8]) -> Result<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        rand::rng().fill_bytes(&mut nonce);
        let mut text = plain.to_vec();
        self.cipher(purpose)?
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut text)
            .map_err(|_| Error::internal("sealing failed"))?;
        Ok([nonce.as_slice(), &text].concat())
    }

    /// Decrypts the output of `seal`. `None` if it was altered or encrypted with another key.
    pub fn open(&self, purpose: Purpose, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, text) = sealed.split_first_chunk::<NONCE_LEN>()?;
        let mut text = text.to_vec();
        let plain = self
            .cipher(purpose)
            .ok()?
            .open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::empty(), &mut text)
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

pub const TOKEN_PREFIX: &str = "fsv_";
const TOKEN_BODY: usize = 27; // 160 bits in base 62
const TOKEN_CHECK: usize = 6; // 32 bits in base 62

const SALT_BYTES: usize = 16;
const HASH_BYTES: usize = 32;

/// A new personal access token: `fsv_`, 160 random bits, and a checksum by which secret scanners recognize it (S23).
pub fn personal_token() -> Secret {
    let body = id::random(TOKEN_BODY);
    let check = checksum(&body);
    Secret::new(format!("{TOKEN_PREFIX}{body}{check}"))
}

/// Whether the text has the format and checksum of a personal access token.
pub fn is_personal_token(text: &str) -> bool {
    text.strip_prefix(TOKEN_PREFIX).is_some_and(|rest| {
        rest.len() == TOKEN_BODY + TOKEN_CHECK && rest.is_ascii() && checksum(&rest[..TOKEN_BODY]) == rest[TOKEN_BODY..]
    })
}

fn checksum(body: &str) -> String {
    id::base62(u128::from(crc32fast::hash(body.as_bytes())), TOKEN_CHECK)
}

/// The working memory of argon2, 19 MiB. It is reused, because allocating it each time is slow, and the allocator keeps it anyway.
#[derive(Default)]
pub struct HashMemory(Vec<Block>);

/// Hashes a password: argon2id, 19 MiB, two passes, a random salt (S14). Slow on purpose: callers limit how many run at
/// once.
pub fn hash_password(password: &str, memory: &mut HashMemory) -> Result<String> {
    let mut salt = [0; SALT_BYTES];
    rand::rng().fill_bytes(&mut salt);
    let params = current_params()?;
    let hash = argon2(password, &salt, &params, memory)?;
    let phc = PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(&params).map_err(Error::internal)?,
        salt: Some(Salt::new(&salt).map_err(Error::internal)?),
        hash: Some(Output::new(&hash).map_err(Error::internal)?),
    };
    Ok(phc.to_string())
}

/// Whether the password matches a stored hash. `None` takes as long as a wrong password, so that timing does not reveal
/// unknown accounts (S17).
pub fn password_matches(password: &str, stored: Option<&str>, memory: &mut HashMemory) -> bool {
    let parsed = stored.and_then(|stored| {
        let phc = PasswordHash::new(stored).ok()?;
        let is_ours = phc.algorithm == Algorithm::Argon2id.ident() && phc.version == Some(Version::V0x13.into());
        is_ours.then_some((Params::try_from(&phc).ok()?, phc.salt?, phc.hash?))
    });
    match parsed {
        Some((params, salt, expected)) => {
            argon2(password, &salt, &params, memory).is_ok_and(|hash| same(&hash, expected.as_bytes()))
        }
        None => {
            let spent = current_params().and_then(|p| argon2(password, &[0; SALT_BYTES], &p, memory));
            drop(spent);
            false
        }
    }
}

/// Whether a stored hash has other parameters than the current ones and should be replaced.
pub fn is_outdated(stored: &str) -> bool {
    !stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$")
}

fn argon2(password: &str, salt: &[u8], params: &Params, memory: &mut HashMemory) -> Result<[u8; HASH_BYTES]> {
    let blocks = params.block_count();
    if memory.0.len() < blocks {
        memory.0.resize(blocks, Block::new());
    }
    let mut hash = [0; HASH_BYTES];
    let (memory_kib, passes) = (params.m_cost(), params.t_cost());
    tracing::debug!(memory_kib, passes, "hashed a password");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone())
        .hash_password_into_with_memory(password.as_bytes(), salt, &mut hash, &mut memory.0[..blocks])
        .map_err(Error::internal)?;
    Ok(hash)
}

fn current_params() -> Result<Params> {
    Params::new(19_456, 2, 1, Some(HASH_BYTES)).map_err(Error::internal)
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
        assert_eq!(keys.open(Purpose::AccessPassword, &sealed), Some(b"open".to_vec()));
        assert_eq!(keys.open(Purpose::IdempotentAnswer, &sealed), None);
    }

    #[test]
    fn passwords() {
        let mut memory = HashMemory::default();
        let phc = hash_password("correct horse", &mut memory).expect("hashes");
        assert!(!is_outdated(&phc), "{phc}");
        assert!(password_matches("correct horse", Some(&phc), &mut memory));
        assert!(!password_matches("correct hors", Some(&phc), &mut memory));
        assert!(!password_matches("correct horse", None, &mut memory));
        assert!(!password_matches("correct horse", Some("x"), &mut memory));
        // Other implementations read our hashes, and we read theirs.
        let other = argon2::PasswordVerifier::verify_password(&Argon2::default(), b"correct horse", phc.as_str());
        assert!(other.is_ok());
        let weak = Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::new(64, 1, 2, None).expect("parameters"));
        let weak = argon2::PasswordHasher::hash_password(&weak, b"correct horse");
        let weak = weak.expect("hashes").to_string();
        assert!(is_outdated(&weak));
        assert!(password_matches("correct horse", Some(&weak), &mut memory));
        assert!(!password_matches("correct hors", Some(&weak), &mut memory));
    }
}
