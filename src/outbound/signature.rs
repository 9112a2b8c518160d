//! Signatures of Standard Webhooks (<https://www.standardwebhooks.com>).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::base::secret::Secret;

const PREFIX: &str = "whsec_";

/// A signature over id, time (seconds since 1970) and body by each of the secrets; `None` if one of them is no secret of
/// this kind.
pub fn sign(secrets: &[&Secret], id: &str, secs: i64, body: &[u8]) -> Option<String> {
    let signed: Option<Vec<String>> = secrets
        .iter()
        .map(|secret| {
            let key = STANDARD.decode(secret.reveal().strip_prefix(PREFIX)?).ok()?;
            let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
            mac.update(format!("{id}.{secs}.").as_bytes());
            mac.update(body);
            Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
        })
        .collect();
    Some(signed?.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_standard_and_two_secrets() {
        let secret = Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned());
        let other = Secret::new("whsec_AAAA".to_owned());
        let (id, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", br#"{"test": 2432232314}"#);
        let first = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        let signed = sign(&[&secret], id, 1_614_265_330, body);
        assert_eq!(signed.as_deref(), Some(first));
        let both = sign(&[&secret, &other], id, 1_614_265_330, body).expect("signed");
        assert!(both.starts_with(&format!("{first} v1,")), "{both}");
        let odd = Secret::new("MfKQ".to_owned());
        assert_eq!(sign(&[&odd], id, 0, body), None);
    }
}
