//! Ed25519 JWTs, by `jsonwebtoken` over `ring`, with one algorithm and one form of header. The meaning of claims is
//! not known here.

use std::sync::Once;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result as JwtResult};
use jsonwebtoken::jwk::{
    AlgorithmParameters, CommonParameters, EllipticCurve, Jwk, KeyAlgorithm, OctetKeyPairParameters, OctetKeyPairType,
    PublicKeyUse, ThumbprintHash,
};
use jsonwebtoken::signature::{Error as SignatureError, Signer, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::base::error::{Error, Result};
use crate::base::json::Json;

/// The PKCS #8 prefix of a 32-byte private key.
const PKCS8_PREFIX: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
/// Longer tokens are not ours.
const MAX_LENGTH: usize = 4_096;

pub struct SigningKey {
    kid: String,
    public: [u8; 32],
    key: EncodingKey,
}

impl SigningKey {
    pub fn new(private: &[u8; 32]) -> Result<Self> {
        install();
        let document = Zeroizing::new([PKCS8_PREFIX.as_slice(), private].concat());
        let pair = pair(&document).map_err(Error::internal)?;
        let public = <[u8; 32]>::try_from(pair.public_key().as_ref()).map_err(Error::internal)?;
        Ok(Self { kid: kid_of(&public)?, public, key: EncodingKey::from_ed_der(&document) })
    }

    /// The key id: the thumbprint of the public key (RFC 7638).
    pub fn kid(&self) -> &str {
        &self.kid
    }

    pub fn public(&self) -> &[u8; 32] {
        &self.public
    }

    /// Signs a token with this `typ` header and these claims.
    pub fn sign(&self, typ: &str, claims: &impl Serialize) -> Result<String> {
        install();
        jsonwebtoken::encode(&header(typ, &self.kid), claims, &self.key).map_err(Error::internal)
    }
}

#[derive(Clone)]
pub struct PublicKey(DecodingKey);

impl PublicKey {
    pub fn new(public: &[u8; 32]) -> Self {
        Self(DecodingKey::from_ed_der(public))
    }

    /// The claims of a token that this key signed. Times, issuer and audience are not checked.
    pub fn verify<T: DeserializeOwned>(&self, token: &str) -> Option<T> {
        install();
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.required_spec_claims.clear();
        validation.validate_exp = false;
        validation.validate_aud = false;
        let decoded = jsonwebtoken::decode(token, &self.0, &validation);
        decoded.ok().map(|decoded| decoded.claims)
    }
}

/// The key id in a token's header. `None` if the text is no token, or its header has anything but this `typ`, our
/// algorithm and a key id.
pub fn kid(typ: &str, token: &str) -> Option<String> {
    if token.len() > MAX_LENGTH {
        return None;
    }
    let mut decoded = jsonwebtoken::decode_header(token).ok()?;
    let kid = decoded.kid.take()?;
    let expected = Header { kid: None, ..header(typ, "") };
    (decoded == expected).then_some(kid)
}

/// A public key as a JSON Web Key.
pub fn jwk(public: &[u8; 32]) -> Result<Json> {
    let mut jwk = bare_jwk(public);
    jwk.common = CommonParameters {
        public_key_use: Some(PublicKeyUse::Signature),
        key_algorithm: Some(KeyAlgorithm::EdDSA),
        key_id: Some(kid_of(public)?),
        ..CommonParameters::default()
    };
    serde_json::to_value(jwk).map_err(Error::internal)
}

fn bare_jwk(public: &[u8; 32]) -> Jwk {
    Jwk {
        common: CommonParameters::default(),
        algorithm: AlgorithmParameters::OctetKeyPair(OctetKeyPairParameters {
            key_type: OctetKeyPairType::OctetKeyPair,
            curve: EllipticCurve::Ed25519,
            x: URL_SAFE_NO_PAD.encode(public),
        }),
    }
}

fn kid_of(public: &[u8; 32]) -> Result<String> {
    install();
    bare_jwk(public).thumbprint(ThumbprintHash::SHA256).map_err(Error::internal)
}

fn header(typ: &str, kid: &str) -> Header {
    Header { typ: Some(typ.to_owned()), kid: Some(kid.to_owned()), ..Header::new(Algorithm::EdDSA) }
}

fn pair(document: &[u8]) -> std::result::Result<Ed25519KeyPair, ring::error::KeyRejected> {
    Ed25519KeyPair::from_pkcs8_maybe_unchecked(document)
}

/// Installs a crypto provider that uses `ring` for Ed25519 only. The crate's own providers bring more algorithms.
fn install() {
    static ONCE: Once = Once::new();
    static PROVIDER: CryptoProvider = CryptoProvider {
        signer_factory: signer,
        verifier_factory: verifier,
        key_utils: KeyUtils { compute_digest: digest, ..KeyUtils::new_unimplemented() },
    };
    ONCE.call_once(|| {
        if PROVIDER.install_default().is_err() {
            tracing::error!("another signature provider was installed before");
        }
    });
}

fn signer(algorithm: &Algorithm, key: &EncodingKey) -> JwtResult<Box<dyn JwtSigner>> {
    if *algorithm != Algorithm::EdDSA {
        return Err(ErrorKind::InvalidAlgorithm.into());
    }
    let pair = pair(key.as_bytes()).map_err(|_| ErrorKind::InvalidEddsaKey)?;
    Ok(Box::new(Ed25519Signer(pair)))
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> JwtResult<Box<dyn JwtVerifier>> {
    if *algorithm != Algorithm::EdDSA {
        return Err(ErrorKind::InvalidAlgorithm.into());
    }
    let public = key.try_get_as_bytes()?.to_vec();
    Ok(Box::new(Ed25519Verifier(UnparsedPublicKey::new(&ED25519, public))))
}

fn digest(data: &[u8], hash: ThumbprintHash) -> JwtResult<Vec<u8>> {
    match hash {
        ThumbprintHash::SHA256 => Ok(Sha256::digest(data).to_vec()),
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    }
}

struct Ed25519Signer(Ed25519KeyPair);

impl Signer<Vec<u8>> for Ed25519Signer {
    fn try_sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, SignatureError> {
        Ok(self.0.sign(message).as_ref().to_vec())
    }
}

impl JwtSigner for Ed25519Signer {
    fn algorithm(&self) -> Algorithm {
        Algorithm::EdDSA
    }
}

struct Ed25519Verifier(UnparsedPublicKey<Vec<u8>>);

impl Verifier<Vec<u8>> for Ed25519Verifier {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), SignatureError> {
        let outcome = self.0.verify(message, signature);
        outcome.map_err(|_| SignatureError::new())
    }
}

impl JwtVerifier for Ed25519Verifier {
    fn algorithm(&self) -> Algorithm {
        Algorithm::EdDSA
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use crate::base::cases::cases;

    use super::*;

    const TYP: &str = "at+jwt";

    fn key(private: u8) -> SigningKey {
        SigningKey::new(&[private; 32]).expect("a key")
    }

    fn read(token: &str, with: &SigningKey) -> Option<Json> {
        kid(TYP, token).filter(|kid| kid == with.kid())?;
        PublicKey::new(with.public()).verify(token)
    }

    fn part(json: &Json) -> String {
        URL_SAFE_NO_PAD.encode(json.to_string())
    }

    /// A token with a forged header, signed by this key nevertheless.
    fn forged(header: &Json, with: u8) -> String {
        let message = format!("{}.{}", part(header), part(&json!({"sub": "x"})));
        let document = [PKCS8_PREFIX.as_slice(), &[with; 32]].concat();
        let signature = pair(&document).expect("a key").sign(message.as_bytes());
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
    }

    #[test]
    fn what_was_signed_is_read_by_its_own_key_alone() {
        let (ours, other) = (key(1), key(2));
        let claims = json!({"sub": "ann", "exp": 7});
        let token = ours.sign(TYP, &claims).expect("signs");
        assert_eq!(read(&token, &ours), Some(claims));
        assert_eq!(read(&token, &other), None);
        assert_eq!(PublicKey::new(other.public()).verify::<Json>(&token), None);
        assert_eq!(kid("JWT", &token), None);
        assert_eq!(kid(TYP, &format!("{token}{}", "A".repeat(MAX_LENGTH))), None);
    }

    #[test]
    fn a_keys_name_is_its_thumbprint() {
        // The example of RFC 8037, appendices A.1 and A.3.
        let private = URL_SAFE_NO_PAD.decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A");
        let private = <[u8; 32]>::try_from(private.expect("base64")).expect("32 bytes");
        let key = SigningKey::new(&private).expect("a key");
        assert_eq!(key.kid(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
        assert_eq!(
            jwk(key.public()).expect("a JWK"),
            json!({
                "kty": "OKP",
                "crv": "Ed25519",
                "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
                "kid": key.kid(),
                "alg": "EdDSA",
                "use": "sig",
            })
        );
    }

    #[test]
    fn a_header_holds_three_things_and_nothing_else() {
        let ours = key(1);
        let good = json!({"typ": TYP, "alg": "EdDSA", "kid": ours.kid()});
        assert!(read(&forged(&good, 1), &ours).is_some());
        for (name, value) in [
            ("alg", json!("none")),
            ("alg", json!("HS256")),
            ("alg", json!("ES256")),
            ("alg", json!(["EdDSA"])),
            ("alg", Json::Null),
            ("typ", json!("JWT")),
            ("typ", Json::Null),
            ("typ", json!("AT+JWT")),
            ("kid", json!("x")),
            ("kid", json!(1)),
            ("kid", Json::Null),
            ("jku", json!("https://example.org/keys")),
            ("jwk", jwk(key(2).public()).expect("a JWK")),
            ("x5u", json!("https://example.org/chain")),
            ("x5c", json!(["AAAA"])),
            ("crit", json!(["exp"])),
            ("crit", json!([])),
            ("cty", json!("JWT")),
            ("zip", json!("DEF")),
            ("b64", json!(false)),
        ] {
            let mut header = good.clone();
            header[name] = value;
            assert_eq!(read(&forged(&header, 1), &ours), None, "{header}");
        }
        let mut short = good;
        short.as_object_mut().expect("an object").remove("typ");
        assert_eq!(read(&forged(&short, 1), &ours), None);
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn no_text_is_taken_for_a_token(text in ".{0,200}") {
            prop_assert_eq!(kid(TYP, &text), None);
            prop_assert_eq!(PublicKey::new(key(1).public()).verify::<Json>(&text), None);
        }

        #[test]
        fn no_changed_token_is_read(at in 0usize..4096, to in "[A-Za-z0-9_.=-]") {
            let ours = key(1);
            let mut token = ours.sign(TYP, &json!({"sub": "ann"})).expect("signs");
            let at = at % token.len();
            let was = token[at..=at].to_owned();
            token.replace_range(at..=at, &to);
            prop_assert_eq!(read(&token, &ours).is_some(), was == to, "{}", token);
        }
    }
}
