//! Certificates by ACME (RFC 8555) with TLS-ALPN-01 (RFC 8737): an account with an authority, and orders of certificates.

mod http;

use std::sync::Arc;
use std::time::Duration;

use instant_acme::{
    Account, AuthorizationStatus, ChallengeStatus, ChallengeType, Error, Identifier, NewAccount, NewOrder, Order,
    OrderStatus, Problem, RetryPolicy,
};
use rcgen::{CertificateParams, CustomExtension, DistinguishedName, KeyPair};
use rustls::crypto::ring::default_provider;
use rustls::crypto::ring::sign::any_supported_type;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::ParsedCertificate;
use rustls::sign::CertifiedKey;
use zeroize::Zeroizing;

use crate::base::config::Acme;
use crate::base::validity::Validity;
use crate::outbound::acme::http::Http;

/// How long the authority may take to validate the names, and to issue the certificate: each.
const PATIENCE: Duration = Duration::from_secs(120);
/// The first pause before it is asked how far it is; each pause is longer by half.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGER: f32 = 1.5;
/// Longest excerpt of a text from the authority, in characters.
const LONGEST_TEXT: usize = 500;

const UNKNOWN_ACCOUNT: &str = "urn:ietf:params:acme:error:accountDoesNotExist";
const ERROR_PREFIX: &str = "urn:ietf:params:acme:error:";

/// A registered account, as text to be kept: it holds the account's private key.
pub type Credentials = Zeroizing<String>;

/// Why there is no certificate.
#[derive(Clone, Debug)]
pub struct AcmeFault {
    /// Part of a sentence.
    pub text: String,
    /// How long the authority wants to be left alone.
    pub wait: Option<Duration>,
    /// The authority does not know the account (any more).
    pub account_is_unknown: bool,
}

impl AcmeFault {
    fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), wait: None, account_is_unknown: false }
    }
}

/// An issued certificate.
pub struct Issued {
    /// In PEM, with its chain.
    pub chain: String,
    /// In PEM.
    pub key: Zeroizing<String>,
}

/// Whether these are certificates in PEM that can be trusted.
pub fn are_certificates(pem: &[u8]) -> bool {
    Http::new(Some(pem)).is_some()
}

/// An authority and the account with it.
pub struct Authority {
    http: Http,
    account: Account,
}

impl Authority {
    /// Signs in with a kept account.
    pub async fn with_account(acme: &Acme, credentials: &Credentials) -> Result<Self, AcmeFault> {
        let http = client(acme)?;
        let kept = serde_json::from_str(credentials).map_err(|_| AcmeFault::new("the kept account can't be read"))?;
        let account = Account::builder_with_http(Box::new(http.clone())).from_credentials(kept);
        let account = account.await.map_err(|e| fault(&http, &e))?;
        Ok(Self { http, account })
    }

    /// Registers an account, which agrees to the authority's terms.
    pub async fn register(acme: &Acme) -> Result<(Self, Credentials), AcmeFault> {
        let http = client(acme)?;
        let contact = contact(acme);
        let contact: Vec<&str> = contact.iter().map(String::as_str).collect();
        let wanted = NewAccount { contact: &contact, terms_of_service_agreed: true, only_return_existing: false };
        let (account, credentials) = Account::builder_with_http(Box::new(http.clone()))
            .create(&wanted, acme.directory.clone(), None)
            .await
            .map_err(|e| fault(&http, &e))?;
        let credentials = serde_json::to_string(&credentials)
            .map_err(|e| AcmeFault::new(format!("the account can't be written: {e}")))?;
        Ok((Self { http, account }, Zeroizing::new(credentials)))
    }

    /// Tells the authority the new address of the contact.
    pub async fn update_contact(&self, acme: &Acme) -> Result<(), AcmeFault> {
        let contact = contact(acme);
        let contact: Vec<&str> = contact.iter().map(String::as_str).collect();
        let updated = self.account.update_contacts(&contact).await;
        updated.map_err(|e| fault(&self.http, &e))
    }

    /// Orders a certificate for these names. `answer` is called with the certificate that answers the validation of
    /// each name.
    pub async fn issue(&self, names: &[String], answer: impl Fn(&str, CertifiedKey)) -> Result<Issued, AcmeFault> {
        let said = |e: Error| fault(&self.http, &e);
        let identifiers: Vec<_> = names.iter().cloned().map(Identifier::Dns).collect();
        let order = self.account.new_order(&NewOrder::new(&identifiers)).await;
        let mut order = order.map_err(said)?;
        let patience = RetryPolicy::new().initial_delay(FIRST_PAUSE).backoff(LONGER).timeout(PATIENCE);
        if order.state().status == OrderStatus::Pending {
            self.accept_challenges(&mut order, answer).await?;
            match order.poll_ready(&patience).await {
                Ok(OrderStatus::Ready) => {}
                Ok(_) | Err(Error::Api(_)) => return Err(self.refused(&mut order).await),
                Err(e) => return Err(said(e)),
            }
        }
        let key = KeyPair::generate().map_err(unmade)?;
        let mut wanted = CertificateParams::new(names).map_err(unmade)?;
        wanted.distinguished_name = DistinguishedName::new();
        let request = wanted.serialize_request(&key).map_err(unmade)?;
        order.finalize_csr(request.der()).await.map_err(said)?;
        Ok(Issued {
            chain: order.poll_certificate(&patience).await.map_err(said)?,
            key: Zeroizing::new(key.serialize_pem()),
        })
    }

    /// Tells the authority that the names can be validated, each by its challenge.
    async fn accept_challenges(&self, order: &mut Order, answer: impl Fn(&str, CertifiedKey)) -> Result<(), AcmeFault> {
        let said = |e: Error| fault(&self.http, &e);
        let mut all = order.authorizations();
        while let Some(authorization) = all.next().await {
            let mut authorization = authorization.map_err(said)?;
            if authorization.status == AuthorizationStatus::Valid {
                continue;
            }
            let name = authorization.identifier().to_string();
            let Some(mut challenge) = authorization.challenge(ChallengeType::TlsAlpn01) else {
                let text = format!("it offers no validation of {name} by tls-alpn-01");
                return Err(AcmeFault::new(text));
            };
            let digest = challenge.key_authorization().digest();
            answer(&name, challenge_certificate(&name, digest.as_ref())?);
            challenge.set_ready().await.map_err(said)?;
        }
        Ok(())
    }

    /// Which names were not validated, and why.
    async fn refused(&self, order: &mut Order) -> AcmeFault {
        let mut why = Vec::new();
        let mut all = order.authorizations();
        while let Some(Ok(mut authorization)) = all.next().await {
            if authorization.refresh().await.is_err() {
                continue;
            }
            let name = authorization.identifier().to_string();
            let mut failed = authorization.challenges.iter();
            let failed = failed.find(|challenge| challenge.status == ChallengeStatus::Invalid);
            if let Some(problem) = failed.and_then(|challenge| challenge.error.as_ref()) {
                why.push(format!("{name}: {}", problem_text(problem)));
            }
        }
        if why.is_empty() {
            let problem = order.state().error.as_ref().map(problem_text);
            why.push(problem.unwrap_or_else(|| "no reason is given".to_owned()));
        }
        AcmeFault {
            wait: self.http.asked_to_wait(),
            ..AcmeFault::new(format!("it could not validate {}", why.join("; ")))
        }
    }
}

/// A certificate that can be served with, and from when to when it is valid.
///
/// # Errors
/// It can't be read, is not that of the key, or is not for one of these names.
pub fn usable(chain: &str, key: &str, names: &[String]) -> Result<(Arc<CertifiedKey>, Validity), String> {
    let chain: Vec<_> = CertificateDer::pem_slice_iter(chain.as_bytes())
        .collect::<Result<_, _>>()
        .map_err(|e| format!("the certificate can't be read: {e}"))?;
    let first = chain.first().ok_or("there is no certificate")?;
    let validity = Validity::of(first).ok_or("the certificate can't be read")?;
    let parsed = ParsedCertificate::try_from(first).map_err(|e| format!("the certificate can't be read: {e}"))?;
    for name in names {
        let as_server = ServerName::try_from(name.as_str()).map_err(|_| format!("{name} is no name of a server"))?;
        rustls::client::verify_server_name(&parsed, &as_server)
            .map_err(|_| format!("the certificate is not for {name}"))?;
    }
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(|e| format!("the key can't be read: {e}"))?;
    let certified = CertifiedKey::from_der(chain, key, &default_provider())
        .map_err(|e| format!("the certificate and its key can't be used: {e}"))?;
    Ok((Arc::new(certified), validity))
}

/// The certificate that answers a validation of this name (RFC 8737, section 3).
fn challenge_certificate(name: &str, digest: &[u8]) -> Result<CertifiedKey, AcmeFault> {
    let key = KeyPair::generate().map_err(unmade)?;
    let mut params = CertificateParams::new([name.to_owned()]).map_err(unmade)?;
    params.custom_extensions = vec![CustomExtension::new_acme_identifier(digest)];
    let certificate = params.self_signed(&key).map_err(unmade)?;
    let private = PrivateKeyDer::try_from(key.serialize_der()).map_err(unmade)?;
    let chain = vec![certificate.der().clone()];
    // Without the check that they fit: it refuses the extension, which is critical and only for the validation.
    let key = any_supported_type(&private).map_err(unmade)?;
    Ok(CertifiedKey::new(chain, key))
}

fn client(acme: &Acme) -> Result<Http, AcmeFault> {
    let http = Http::new(acme.ca.as_deref());
    http.ok_or_else(|| AcmeFault::new("the trusted certificates can't be read"))
}

fn contact(acme: &Acme) -> Option<String> {
    acme.email.as_ref().map(|email| format!("mailto:{email}"))
}

fn unmade(e: impl std::fmt::Display) -> AcmeFault {
    AcmeFault::new(format!("a key or certificate can't be made: {e}"))
}

fn fault(http: &Http, e: &Error) -> AcmeFault {
    let text = match e {
        Error::Api(problem) => format!("it refused: {}", problem_text(problem)),
        Error::Json(e) => format!("its answer can't be read: {e}"),
        Error::Timeout(_) => "it is not done yet, and took too long".to_owned(),
        other => excerpt(&other.to_string()),
    };
    let kind = match e {
        Error::Api(problem) => problem.r#type.as_deref(),
        _ => None,
    };
    AcmeFault { text, wait: http.asked_to_wait(), account_is_unknown: kind == Some(UNKNOWN_ACCOUNT) }
}

/// The authority's description of a problem.
fn problem_text(problem: &Problem) -> String {
    let kind = problem.r#type.as_deref().unwrap_or_default();
    let kind = kind.strip_prefix(ERROR_PREFIX).unwrap_or(kind);
    let subproblems = problem.subproblems.iter().filter_map(|it| it.detail.as_deref());
    let details: Vec<&str> = problem.detail.as_deref().into_iter().chain(subproblems).collect();
    let text = match (details.is_empty(), kind) {
        (true, "") => "no reason is given".to_owned(),
        (true, kind) => kind.to_owned(),
        (false, "") => details.join("; "),
        (false, kind) => format!("{} ({kind})", details.join("; ")),
    };
    excerpt(&text)
}

/// A text of others on one line of the log.
fn excerpt(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut plain: String = plain.take(LONGEST_TEXT + 1).collect();
    if plain.chars().count() > LONGEST_TEXT {
        plain.pop();
        plain.push('…');
    }
    plain
}
