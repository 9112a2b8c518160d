//! Webhooks: where the events of a form are sent to (spec 2.11, contract section 9).

use url::Url;

use crate::base::clock::Time;
use crate::base::id::{self, WebhookToken};
use crate::model::event::EventKind;
use crate::model::outbox::{DeliveryFault, DeliveryStatus};
use crate::model::precondition::Etag;

/// How many a form may have.
pub const MOST_WEBHOOKS: usize = 20;

/// A webhook, without its secret.
#[derive(Clone, Debug)]
pub struct Webhook {
    /// The row id.
    pub id: i64,
    pub token: WebhookToken,
    pub form_no: i64,
    pub version: i64,
    pub content: WebhookContent,
    pub created_at: Time,
    pub updated_at: Time,
}

/// What its managers set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookContent {
    pub url: String,
    /// At least one, each once.
    pub trigger_events: Vec<EventKind>,
    pub enabled: bool,
}

impl Webhook {
    pub fn etag(&self) -> Etag {
        Etag(format!("{}-{}", self.token, self.version))
    }
}

/// A new public id.
pub fn new_token() -> WebhookToken {
    WebhookToken::new(format!("whk_{}", id::random(16)))
}

/// The sealed secrets of a webhook: 32 bytes each, sealed for `Purpose::WebhookSecret`.
#[derive(Clone, Debug)]
pub struct WebhookSecrets {
    pub current: Vec<u8>,
    /// The one before the last rotation, while it signs too.
    pub old: Option<Vec<u8>>,
}

/// A webhook that deliveries wait for.
#[derive(Clone, Debug)]
pub struct WaitingWebhook {
    /// The row id.
    pub id: i64,
    pub url: String,
    /// When its next delivery is due.
    pub next_attempt_at: Time,
    /// Whether one of them failed before.
    pub has_failed: bool,
}

/// A delivery that was taken out to be sent.
#[derive(Clone, Debug)]
pub struct ClaimedDelivery {
    pub id: i64,
    /// The public id, `dlv_…`.
    pub token: String,
    /// The public id of the event, `evt_…`.
    pub event_token: String,
    pub kind: EventKind,
    pub body: Vec<u8>,
    /// Attempts before this one.
    pub attempts: u32,
    pub created_at: Time,
}

/// What became of an attempt to deliver an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Delivered,
    /// It is tried again.
    PutOff(DeliveryFault, Time),
    /// It is not tried again.
    Failed(DeliveryFault),
}

/// An attempt that was made.
#[derive(Clone, Copy, Debug)]
pub struct SettledDelivery {
    pub id: i64,
    pub outcome: Outcome,
    /// The status that the receiver answered with, if it did.
    pub response_status: Option<u16>,
    /// How long the attempt took.
    pub response_ms: Option<u32>,
}

/// What is shown of a delivery.
#[derive(Clone, Debug)]
pub struct WebhookDelivery {
    /// Ascending.
    pub id: i64,
    /// The public id, `dlv_…`.
    pub token: String,
    pub event: EventKind,
    pub status: DeliveryStatus,
    pub attempts: u32,
    pub response_status: Option<u16>,
    pub response_ms: Option<u32>,
    pub error: Option<DeliveryFault>,
    pub created_at: Time,
    /// `None` if it is not tried again.
    pub next_attempt_at: Option<Time>,
}

/// The longest address in characters.
pub const LONGEST_URL: usize = 2_048;

/// An address that a webhook may have: http or https, with a host and no user, at a usual port. Where its host leads to
/// is not asked here.
pub fn parse_url(text: &str) -> Option<Url> {
    let (scheme, rest) = text.split_once("://")?;
    if !["http", "https"]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known))
    {
        return None;
    }
    // What parsers take in different ways, or drop.
    let is_strange = |c: char| c.is_whitespace() || c.is_control() || c == '\\';
    let authority = rest.split(['/', '?', '#']).next()?;
    if authority.is_empty()
        || authority.contains('@')
        || text.contains(is_strange)
        || text.chars().count() > LONGEST_URL
    {
        return None;
    }
    let url = Url::parse(text).ok()?;
    let port = url.port_or_known_default()?;
    let is_usual = port == 80 || port == 443 || port >= 1024;
    (is_usual && url.has_host()).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for good in [
            "https://example.com",
            "HTTP://Example.com/a?b=c#d",
            "http://example.com:1024/",
            "https://example.com:80/",
            "http://127.0.0.1:9000/x",
            "http://[::1]:8080",
            "https://bücher.example/ü",
            "http://ä",
            "https://example.com/@someone",
        ] {
            assert!(parse_url(good).is_some(), "{good}");
        }
        let long = format!("https://example.com/{}", "a".repeat(2_029));
        for bad in [
            "",
            "http",
            "http://",
            "http:///",
            "http:///example.com",
            "https://",
            "http:example.com",
            "example.com",
            "//example.com",
            "ftp://example.com",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "http://user@example.com",
            "http://user:secret@example.com",
            "http://@example.com",
            "http://:@example.com",
            "http://example.com:0",
            "http://example.com:22",
            "http://example.com:1023",
            "http://example.com:65536",
            "http://example.com:x",
            "http://[::1",
            "http://exa mple.com",
            " http://example.com",
            "http://example.com\n",
            "http:\\\\example.com",
            "http://example.com\\@other.example",
            &long,
        ] {
            assert!(parse_url(bad).is_none(), "{bad}");
        }
        assert!(parse_url(&long[..2_048]).is_some());
    }
}
