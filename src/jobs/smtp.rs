//! Sends mail through the configured server (SMTP).

use std::time::Duration;

use email_encoding::headers::rfc2047;
use email_encoding::headers::writer::EmailWriter;
use lettre::Message as Mail;
use lettre::address::{Address, Envelope};
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Attachment, Mailbox, MultiPart};
use lettre::transport::smtp::Error as SmtpError;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, TlsParameters, TlsParametersBuilder};
use lettre::transport::smtp::extension::ClientId;
use tokio::time::timeout;

use crate::base::config::{self, MailServer};
use crate::model::outbox::{ClaimedMessage, DeliveryFault, MailFile, Message};
use crate::ops::delivery::mail_deliveries::Attempt;

/// The longest time for connecting.
const CONNECT: Duration = Duration::from_secs(15);
/// How long the end of a conversation is waited for, when the message has arrived already.
const QUIT: Duration = Duration::from_secs(2);

/// Status of servers that take mail only after sign-in or encryption (RFC 4954, RFC 3207).
const SIGN_IN_FIRST: u16 = 530;

/// How encoded words begin (RFC 2047).
const ENCODED_WORD: &str = "=?";

const MECHANISMS: [Mechanism; 2] = [Mechanism::Plain, Mechanism::Login];

/// The configured mail server.
pub struct Mailer {
    server: MailServer,
    credentials: Option<Credentials>,
    from: Mailbox,
    hello: ClientId,
    tls: TlsParameters,
}

/// Whether these are certificates in PEM.
pub fn are_certificates(pem: &[u8]) -> bool {
    // Text without any certificate is read as none.
    pem.windows(27).any(|part| part == b"-----BEGIN CERTIFICATE-----") && Certificate::from_pem(pem).is_ok()
}

impl Mailer {
    /// `None` if the settings can't be used: the sender's address, or the certificates.
    pub fn new(mail: &config::Mail, base_url: &str) -> Option<Self> {
        let server = mail.server.clone();
        let mut tls = TlsParametersBuilder::new(server.host.clone());
        if let Some(pem) = &mail.ca {
            tls = tls.add_root_certificate(Certificate::from_pem(pem).ok()?);
        }
        let user = server.user.clone();
        let credentials = user
            .zip(mail.password.as_ref())
            .map(|(user, password)| Credentials::new(user, password.reveal().to_owned()));
        let address = mail.from.address.parse::<Address>().ok()?;
        Some(Self {
            server,
            credentials,
            from: Mailbox::new(mail.from.name.clone(), address),
            hello: hello(base_url),
            tls: tls.build().ok()?,
        })
    }

    /// Tries to send a message, for so long.
    pub async fn send(&self, claimed: &ClaimedMessage, message: Message, longest: Duration) -> Attempt {
        let Some((envelope, mail)) = self.mail(claimed, message) else {
            return Attempt::Failed(DeliveryFault::BadAddress);
        };
        let conversation = async {
            let mut connection = match self.connect().await {
                Ok(connection) => connection,
                // The answer was not about this message: the server or the settings may be corrected.
                Err(fault) => return (Attempt::PutOff(fault), None),
            };
            let attempt = match connection.send(&envelope, &mail.formatted()).await {
                Ok(_) => Attempt::Delivered,
                Err(error) => refused(&error),
            };
            (attempt, Some(connection))
        };
        let late = (Attempt::PutOff(DeliveryFault::TimedOut), None);
        let (attempt, connection) = timeout(longest, conversation).await.unwrap_or(late);
        // Whether the server says good-bye changes nothing, however long it takes for it.
        if let Some(mut connection) = connection {
            let _ = timeout(QUIT, connection.abort()).await;
        }
        attempt
    }

    /// A connection that is ready to take a message.
    async fn connect(&self) -> Result<AsyncSmtpConnection, DeliveryFault> {
        let mut connection = self.greet(self.server.implicit_tls).await?;
        if !self.server.implicit_tls && connection.can_starttls() {
            match connection.starttls(self.tls.clone(), &self.hello).await {
                Ok(()) => {}
                // Servers on the same machine often have a certificate that nobody signed. There the connection
                // is nobody else's to read.
                Err(error) if self.server.is_loopback() && fault_of(&error) == DeliveryFault::Untrusted => {
                    connection = self.greet(false).await?;
                }
                Err(error) => return Err(fault_of(&error)),
            }
        }
        if let Some(credentials) = &self.credentials {
            if !connection.is_encrypted() && !self.server.is_loopback() {
                return Err(DeliveryFault::NoTls);
            }
            let signed_in = connection.auth(&MECHANISMS, credentials).await;
            signed_in.map_err(|error| match error.is_permanent() || error.is_client() {
                true => DeliveryFault::SignIn,
                false => fault_of(&error),
            })?;
        }
        Ok(connection)
    }

    async fn greet(&self, tls: bool) -> Result<AsyncSmtpConnection, DeliveryFault> {
        let address = (self.server.host.as_str(), self.server.port);
        let tls = tls.then(|| self.tls.clone());
        AsyncSmtpConnection::connect_tokio1(address, Some(CONNECT), &self.hello, tls, None)
            .await
            .map_err(|error| fault_of(&error))
    }

    /// The mail as it is sent; `None` if the address can't be written to.
    fn mail(&self, claimed: &ClaimedMessage, message: Message) -> Option<(Envelope, Mail)> {
        // Mail programs would show another address than this.
        if claimed.target.contains(ENCODED_WORD) {
            return None;
        }
        let to: Address = with_plain_domain(&claimed.target).parse().ok()?;
        let domain = self.from.email.domain();
        // The same id in every attempt, so that duplicates can be recognized.
        let id = format!("<{}.{}@{domain}>", claimed.id, claimed.created_at.millis());
        let envelope = Envelope::new(Some(self.from.email.clone()), vec![to.clone()]).ok()?;
        let mut builder = Mail::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .date(claimed.created_at.system())
            .message_id(Some(id))
            .raw_header(subject(&message.subject)?)
            .raw_header(header("Auto-Submitted", "auto-generated")?);
        if let Some(stop) = message.unsubscribe {
            builder = builder
                .raw_header(header("List-Unsubscribe", &format!("<{stop}>"))?)
                .raw_header(header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")?);
        }
        let parts = MultiPart::alternative_plain_html(message.text, message.html);
        let mail = if message.files.is_empty() { parts } else { with_files(parts, message.files)? };
        Some((envelope, builder.multipart(mail).ok()?))
    }
}

/// A mail's text and its calendar files.
fn with_files(text: MultiPart, files: Vec<MailFile>) -> Option<MultiPart> {
    let mut mixed = MultiPart::mixed().multipart(text);
    for file in files {
        let kind = format!("text/calendar; charset=utf-8; method={}", file.method);
        mixed = mixed.singlepart(Attachment::new(file.name).body(file.text, ContentType::parse(&kind).ok()?));
    }
    Some(mixed)
}

/// The address with its domain in ASCII, which every mail server takes.
fn with_plain_domain(address: &str) -> String {
    let plain = address.rsplit_once('@').and_then(|(local, domain)| {
        let host = url::Host::parse(domain).ok()?;
        Some(format!("{local}@{host}"))
    });
    plain.unwrap_or_else(|| address.to_owned())
}

/// The subject. Text that looks like an encoded word (RFC 2047) is encoded itself, or mail programs would decode it.
fn subject(text: &str) -> Option<HeaderValue> {
    let name = HeaderName::new_from_ascii("Subject".to_owned()).ok()?;
    if !text.contains(ENCODED_WORD) {
        return Some(HeaderValue::new(name, text.to_owned()));
    }
    let mut encoded = String::new();
    let mut writer = EmailWriter::new(&mut encoded, "Subject: ".len(), 0, false);
    rfc2047::encode(text, &mut writer).ok()?;
    drop(writer);
    Some(HeaderValue::dangerous_new_pre_encoded(name, text.to_owned(), encoded))
}

/// A header of visible characters and single blanks, which is sent as it is.
fn header(name: &str, value: &str) -> Option<HeaderValue> {
    let is_plain = value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    let name = HeaderName::new_from_ascii(name.to_owned()).ok()?;
    let value = value.to_owned();
    is_plain.then(|| HeaderValue::dangerous_new_pre_encoded(name, value.clone(), value))
}

/// How this service greets a mail server: by the host of its address.
fn hello(base_url: &str) -> ClientId {
    let url = url::Url::parse(base_url).ok();
    match url.as_ref().and_then(url::Url::host) {
        Some(url::Host::Domain(name)) => ClientId::Domain(name.to_owned()),
        Some(url::Host::Ipv4(address)) => ClientId::Ipv4(address),
        Some(url::Host::Ipv6(address)) => ClientId::Ipv6(address),
        None => ClientId::default(),
    }
}

/// Outcome of a message that the server answered with this error.
fn refused(error: &SmtpError) -> Attempt {
    if error.status().map(u16::from) == Some(SIGN_IN_FIRST) {
        // The answer was not about this message: the settings may be corrected.
        Attempt::PutOff(DeliveryFault::SignInNeeded)
    } else if error.is_permanent() {
        Attempt::Failed(DeliveryFault::Refused)
    } else if error.is_client() {
        // The server lacks a feature that the address needs.
        Attempt::Failed(DeliveryFault::BadAddress)
    } else if error.is_transient() {
        Attempt::PutOff(DeliveryFault::Deferred)
    } else {
        Attempt::PutOff(fault_of(error))
    }
}

/// Fault of a failure that is not about a message, such as one of the connection.
fn fault_of(error: &SmtpError) -> DeliveryFault {
    let mut source = std::error::Error::source(error);
    let mut is_untrusted = false;
    let mut is_refused = false;
    while let Some(inner) = source {
        if let Some(io) = inner.downcast_ref::<std::io::Error>() {
            let tls = io.get_ref().and_then(|inner| inner.downcast_ref());
            is_untrusted |= matches!(tls, Some(rustls::Error::InvalidCertificate(_)));
            is_refused |= io.kind() == std::io::ErrorKind::ConnectionRefused;
        }
        source = inner.source();
    }
    if error.is_timeout() {
        DeliveryFault::TimedOut
    } else if is_untrusted {
        DeliveryFault::Untrusted
    } else if error.is_permanent() || error.is_transient() {
        DeliveryFault::NotReady
    } else if is_refused || is_connecting(error) {
        DeliveryFault::Unreachable
    } else {
        DeliveryFault::Broken
    }
}

/// Whether no connection came about; the library says so in words alone.
fn is_connecting(error: &SmtpError) -> bool {
    error.to_string().starts_with("Connection error")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_plain() {
        for (address, plain) in
            [("ada@example.com", "ada@example.com"), ("ada@例子.中国", "ada@xn--fsqu00a.xn--fiqs8s"), ("odd", "odd")]
        {
            assert_eq!(with_plain_domain(address), plain);
        }
    }

    #[test]
    fn a_header_holds_no_line() {
        assert!(header("List-Unsubscribe", "<https://x.org/?a=b>").is_some());
        assert!(header("List-Unsubscribe", "a\r\nBcc: b").is_none());
        assert!(header("List-Unsubscribe", "é").is_none());
    }
}
