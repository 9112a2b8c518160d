//! Signatures of Standard Webhooks (<https://www.standardwebhooks.com>).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// A signature over id, time (seconds since 1970) and body by each of the keys.
pub fn sign<K: AsRef<[u8]>>(keys: &[K], id: &str, secs: i64, body: &[u8]) -> String {
    let signed: Vec<String> = keys
        .iter()
        .map(|key| {
            let mut mac = Hmac::<Sha256>::new_from_slice(key.as_ref()).expect("HMAC takes keys of any length");
            mac.update(format!("{id}.{secs}.").as_bytes());
            mac.update(body);
            format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
        })
        .collect();
    signed.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_standard_and_two_keys() {
        let key = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").expect("base64");
        let (id, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", br#"{"test": 2432232314}"#);
        let first = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(sign(&[&key], id, 1_614_265_330, body), first);
        let both = sign(&[&key[..], b"other"], id, 1_614_265_330, body);
        assert!(both.starts_with(&format!("{first} v1,")), "{both}");
        assert_eq!(both.len(), 2 * first.len() + 1);
    }
}
