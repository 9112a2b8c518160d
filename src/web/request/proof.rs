//! Proof of work for searches of public queries, where the operator switches it on (S87): a hash over a challenge of
//! ours and the search itself, which begins with so many zero bits. Clients without a proof may search a tenth as
//! often.

use sha2::{Digest as _, Sha256};

use crate::base::json::Json;
use crate::base::secret::Purpose;
use crate::ops::queries::search::SearchValues;
use crate::web::request::call::Call;

/// How long a challenge is good for, in seconds.
const CHALLENGE_SECS: i64 = 600;
/// Of a challenge, a number, and the marks between them.
const LONGEST: usize = 200;

/// The challenge of a query's next search; `None` where no work is asked for.
pub fn challenge(call: &Call, query: &str) -> Option<String> {
    (call.app.config.limits.proof_bits > 0).then(|| {
        let expires = (call.now.plus_secs(CHALLENGE_SECS).millis() / 1000).to_string();
        let signature = sign(call, query, &expires);
        format!("{expires}.{signature}")
    })
}

fn sign(call: &Call, query: &str, expires: &str) -> String {
    let parts = [query.as_bytes(), expires.as_bytes()];
    call.app.keys().sign(Purpose::QueryProof, &parts)
}

/// Whether no work is asked for, or it was done for this search: `proof` is the challenge, a dot, and a number.
pub fn is_done(call: &Call, query: &str, given: &SearchValues, proof: &str) -> bool {
    let bits = call.app.config.limits.proof_bits;
    if bits == 0 {
        return true;
    }
    let mut parts = proof.splitn(3, '.');
    let (Some(expires), Some(signature), Some(_)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let signed = [query.as_bytes(), expires.as_bytes()];
    let keys = call.app.keys();
    let until = expires.parse::<i64>().ok();
    proof.len() <= LONGEST
        && keys.verify(Purpose::QueryProof, &signed, signature)
        && until.is_some_and(|until| call.now.millis() / 1000 < until)
        && zero_bits(&hash(proof, given)) >= bits
}

fn hash(proof: &str, given: &SearchValues) -> [u8; 32] {
    Sha256::digest(format!("{proof}\n{}", canonical(given))).into()
}

/// The search values as text: a line for each value that is not blank, by name.
fn canonical(given: &SearchValues) -> String {
    let mut lines: Vec<String> = given
        .iter()
        .filter_map(|(name, value)| match value {
            Json::Null => None,
            Json::String(typed) if typed.is_empty() => None,
            Json::String(typed) => Some(format!("{name}={typed}")),
            other => Some(format!("{name}={other}")),
        })
        .collect();
    lines.sort();
    lines.join("\n")
}

fn zero_bits(hash: &[u8]) -> u32 {
    let zeros = hash.iter().take_while(|byte| **byte == 0).count();
    let rest = hash.get(zeros).map_or(0, |byte| byte.leading_zeros());
    u32::try_from(zeros).unwrap_or(u32::MAX) * 8 + rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bits_are_counted_from_the_front() {
        assert_eq!(zero_bits(&[0x80]), 0);
        assert_eq!(zero_bits(&[0x01, 0]), 7);
        assert_eq!(zero_bits(&[0, 0x10]), 11);
        assert_eq!(zero_bits(&[0, 0]), 16);
    }

    #[test]
    fn the_order_and_what_is_blank_do_not_matter() {
        let of = |given: Json| canonical(given.as_object().expect("an object"));
        let text = of(json!({"b": "2", "a": "x y", "c": "", "d": null, "e": 3}));
        assert_eq!(text, "a=x y\nb=2\ne=3");
        assert_eq!(of(json!({"e": 3, "a": "x y", "b": "2"})), text);
    }
}
