//! Time-based one-time passwords (RFC 6238): six digits, 30 seconds, HMAC-SHA-1, as authenticator apps expect. No
//! clock and no storage.

use ring::hmac::{HMAC_SHA1_FOR_LEGACY_USE_ONLY, Key, sign};

use crate::base::clock::Time;
use crate::base::secret;

const STEP_SECS: i64 = 30;
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The length of a secret in bytes: that of the hash, as RFC 4226 recommends.
pub const SECRET_BYTES: usize = 20;

/// The code of a time step.
fn code(secret: &[u8], step: i64) -> String {
    let key = Key::new(HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret);
    let tag = sign(&key, &step.to_be_bytes());
    let tag = tag.as_ref();
    let at = usize::from(tag[tag.len() - 1] & 0xf);
    let number = tag[at..at + 4].iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
    format!("{:06}", (number & 0x7fff_ffff) % 1_000_000)
}

/// The time step that the code belongs to: the current, previous or next one, if it is later than `after`, the last
/// used step.
pub fn step_of(secret: &[u8], typed: &str, now: Time, after: i64) -> Option<i64> {
    let typed: String = typed.chars().filter(|c| !c.is_whitespace()).collect();
    let now = now.secs().div_euclid(STEP_SECS);
    let mut matching = None;
    for step in now - 1..=now + 1 {
        // All steps are compared, so that the time taken reveals nothing.
        if secret::same(code(secret, step).as_bytes(), typed.as_bytes()) && step > after {
            matching = Some(step);
        }
    }
    matching
}

/// Base32 (RFC 4648) without padding.
pub fn base32(bytes: &[u8]) -> String {
    let mut out = String::new();
    for part in bytes.chunks(5) {
        let mut group = [0; 8];
        group[3..3 + part.len()].copy_from_slice(part);
        let bits = u64::from_be_bytes(group);
        for i in 0..(part.len() * 8).div_ceil(5) {
            let digit = bits >> (35 - 5 * i) & 31;
            out.push(char::from(BASE32[usize::try_from(digit).unwrap_or_default()]));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8] = b"12345678901234567890";

    #[test]
    fn the_codes_of_the_standard() {
        for (secs, known) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(code(SECRET, secs / STEP_SECS), known, "{secs}");
        }
    }

    #[test]
    fn one_step_of_drift_and_each_step_once() {
        let at = |step: i64| Time::from_millis(step * STEP_SECS * 1000 + 7);
        let typed = code(SECRET, 1000);
        for step in 999..=1001 {
            assert_eq!(step_of(SECRET, &typed, at(step), 0), Some(1000));
        }
        assert_eq!(step_of(SECRET, &typed, at(998), 0), None);
        assert_eq!(step_of(SECRET, &typed, at(1002), 0), None);
        assert_eq!(step_of(SECRET, &typed, at(1000), 1000), None);
        assert_eq!(step_of(SECRET, &typed, at(1000), 999), Some(1000));
        let spaced = format!(" {} {} ", &typed[..3], &typed[3..]);
        assert_eq!(step_of(SECRET, &spaced, at(1000), 0), Some(1000));
        for odd in ["", "0", "abcdef", "1234567"] {
            assert_eq!(step_of(SECRET, odd, at(1000), 0), None);
        }
    }

    #[test]
    fn the_alphabet_of_the_standard() {
        for (plain, known) in [
            ("", ""),
            ("f", "MY"),
            ("fo", "MZXQ"),
            ("foo", "MZXW6"),
            ("foob", "MZXW6YQ"),
            ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ] {
            assert_eq!(base32(plain.as_bytes()), known);
        }
    }
}
