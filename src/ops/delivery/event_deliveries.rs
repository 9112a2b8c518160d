//! Deliveries of events to webhooks, as the background job goes through them: a run of one webhook's events is taken out,
//! tried in order, and settled in one write.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use zeroize::Zeroizing;

use crate::base::clock;
use crate::base::error::Result;
use crate::base::id::{FormToken, WebhookToken};
use crate::base::secret::{Keys, Purpose};
use crate::model::audit::Action;
use crate::model::outbox::DeliveryFault;
use crate::model::webhook::{
    AttemptOutcome, ClaimedDelivery, SettledDelivery, WaitingWebhook, WebhookContent, WebhookSecrets,
};
use crate::ops::accounts::audit::{self, By};
use crate::ops::app::{App, Ticket};
use crate::ops::delivery::events;
use crate::ops::delivery::mail_deliveries::next_attempt;
use crate::outbound::client::{Connection, Post, RequestFault};
use crate::outbound::signature;
use crate::outbound::target::RequestTarget;
use crate::store::accounts::users;
use crate::store::db::tx::Tx;
use crate::store::delivery::{event_deliveries, webhooks as rows};
use crate::store::forms;

/// Events that are taken out at once.
const RUN: usize = 20;
/// Deliveries of a disabled webhook that are ended in one write.
const FAILED_AT_ONCE: usize = 500;

/// Whom a delivery goes to.
pub struct Receiver {
    /// `None` if requests can't go there.
    pub(in crate::ops) target: Option<RequestTarget>,
    /// Both of them during a rotation; `None` if one can't be read any more.
    keys: Option<Vec<Zeroizing<Vec<u8>>>>,
}

impl Receiver {
    pub(in crate::ops) fn new(keys: &Keys, url: &str, secrets: &WebhookSecrets) -> Self {
        let sealed = std::iter::once(&secrets.current).chain(&secrets.old);
        let open = |sealed: &Vec<u8>| keys.open(Purpose::WebhookSecret, sealed).map(Zeroizing::new);
        Self { target: RequestTarget::parse(url).ok(), keys: sealed.map(open).collect() }
    }

    /// The host whose places it takes.
    pub(in crate::ops) fn host(&self) -> String {
        let target = self.target.as_ref();
        target.map_or_else(String::new, RequestTarget::host)
    }
}

/// Deliveries to be sent to a webhook now, in this order.
pub struct Run {
    /// The public ids of the webhook and of its form, for the log.
    pub webhook: WebhookToken,
    pub form: FormToken,
    pub receiver: Receiver,
    pub deliveries: Vec<ClaimedDelivery>,
}

/// Result of claiming a run.
pub enum Claim {
    Run(Run),
    /// Nothing is due, or the webhook's address has changed; with its next due time.
    Nothing(Option<WaitingWebhook>),
}

/// Outcome of an attempt.
#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    pub fault: Option<DeliveryFault>,
    pub status: Option<u16>,
    pub took: Duration,
}

impl Attempt {
    fn of_fault(fault: DeliveryFault) -> Self {
        Self { fault: Some(fault), status: None, took: Duration::ZERO }
    }

    /// Whether the receiver wants no more.
    pub(in crate::ops) fn is_gone(&self) -> bool {
        self.fault == Some(DeliveryFault::Gone)
    }

    /// As it is noted of a delivery that is not tried again.
    pub(in crate::ops) fn settled(self, id: i64) -> SettledDelivery {
        SettledDelivery {
            id,
            outcome: self.fault.map_or(AttemptOutcome::Delivered, AttemptOutcome::Failed),
            response_status: self.status,
            response_ms: u32::try_from(self.took.as_millis()).ok(),
        }
    }
}

/// The webhooks that something waits for.
///
/// # Errors
/// 503.
pub fn waiting(app: &App) -> Result<Vec<WaitingWebhook>> {
    app.store.read(event_deliveries::waiting)
}

/// Waits until there are events to be delivered. What comes are the webhooks that wait for them.
///
/// # Errors
/// 503.
pub async fn told(app: &App) -> Result<Vec<WaitingWebhook>> {
    let forms = app.delivery.outbox.told().await;
    app.store.read(|tx| {
        let mut waiting = Vec::new();
        for form_no in forms {
            waiting.extend(event_deliveries::waiting_in(tx, form_no)?);
        }
        Ok(waiting)
    })
}

/// The webhook's next due delivery.
///
/// # Errors
/// 503.
pub fn waiting_for(app: &App, webhook: i64) -> Result<Option<WaitingWebhook>> {
    app.store.read(|tx| event_deliveries::waiting_for(tx, webhook))
}

/// Takes out what is due of a webhook with this address.
pub fn claim(app: &App, webhook: i64, url: String) -> Ticket<Claim> {
    let keys = app.store.shared_keys();
    app.store.submit(move |tx| {
        if let Some(found) = rows::by_id(tx, webhook)?
            && found.content.url == url
            && let Some(secrets) = rows::secrets(tx, webhook)?
        {
            let deliveries = event_deliveries::claim(tx, webhook, RUN)?;
            if !deliveries.is_empty() {
                return Ok(Claim::Run(Run {
                    webhook: found.token,
                    form: forms::by_number(tx, found.form_no)?.token,
                    receiver: Receiver::new(&keys, &url, &secrets),
                    deliveries,
                }));
            }
        }
        Ok(Claim::Nothing(event_deliveries::waiting_for(tx, webhook)?))
    })
}

/// The body of a delivery, read right before it is sent, so that data deleted for good meanwhile is not sent (S101).
/// `None` if there is nothing to send any more.
///
/// # Errors
/// 503.
pub fn body(app: &App, delivery: &ClaimedDelivery) -> Result<Option<Bytes>> {
    app.store.read(|tx| {
        let Some((form_no, body)) = event_deliveries::body(tx, delivery.id)? else {
            return Ok(None);
        };
        Ok(Some(Bytes::from(events::as_it_may_leave(app, tx, form_no, body)?)))
    })
}

/// Sends an event once.
pub async fn attempt(
    app: &App,
    receiver: &Receiver,
    event: &str,
    body: Bytes,
    connection: &mut Option<Connection>,
) -> Attempt {
    let Some(keys) = &receiver.keys else {
        return Attempt::of_fault(DeliveryFault::Unreadable);
    };
    let (Some(client), Some(target)) = (&app.delivery.client, &receiver.target) else {
        return Attempt::of_fault(DeliveryFault::ReceiverUnreachable);
    };
    let secs = clock::now().secs();
    let post = Post {
        headers: vec![
            ("webhook-id", event.to_owned()),
            ("webhook-timestamp", secs.to_string()),
            ("webhook-signature", signature::sign(keys, event, secs, &body)),
        ],
        body,
    };
    let outcome = client.post(target, &post, connection).await;
    let fault = match (outcome.fault, outcome.status) {
        (Some(fault), _) => Some(delivery_fault(fault)),
        (None, Some(200..300)) => None,
        (None, Some(300..400)) => Some(DeliveryFault::Redirected),
        (None, Some(410)) => Some(DeliveryFault::Gone),
        (None, _) => Some(DeliveryFault::NotAccepted),
    };
    Attempt { fault, status: outcome.status, took: outcome.took }
}

fn delivery_fault(fault: RequestFault) -> DeliveryFault {
    match fault {
        RequestFault::NotPublic => DeliveryFault::NotPublic,
        RequestFault::Unresolved => DeliveryFault::Unresolved,
        RequestFault::Unreachable => DeliveryFault::ReceiverUnreachable,
        RequestFault::Untrusted => DeliveryFault::ReceiverUntrusted,
        RequestFault::TimedOut => DeliveryFault::ReceiverTimedOut,
        RequestFault::Broken => DeliveryFault::ReceiverBroken,
        RequestFault::BadAnswer => DeliveryFault::NotHttp,
    }
}

/// Follow-up work after a run was settled.
pub struct Settled {
    /// The webhook's next due time.
    pub next: Option<WaitingWebhook>,
    /// The last of the deliveries that fail with the webhook, which was disabled: see `fail_some`.
    pub fails_upto: Option<i64>,
}

/// Notes the outcomes of a run, and releases the deliveries that were not tried.
pub fn settle(app: &App, webhook: i64, tried: Vec<(ClaimedDelivery, Attempt)>, rest: Vec<i64>) -> Ticket<Settled> {
    let figures = Arc::clone(&app.server);
    app.store.submit(move |tx| {
        let settled: Vec<SettledDelivery> =
            tried.iter().map(|(delivery, attempt)| settled(tx, delivery, *attempt)).collect();
        for settled in &settled {
            figures.webhooks.count(settled.outcome);
        }
        event_deliveries::settle(tx, &settled)?;
        event_deliveries::release(tx, &rest)?;
        let is_gone = tried.iter().any(|(_, attempt)| attempt.is_gone());
        let fails_upto = match is_gone {
            true => disable(tx, webhook)?,
            false => None,
        };
        Ok(Settled { next: event_deliveries::waiting_for(tx, webhook)?, fails_upto })
    })
}

fn settled(tx: &Tx, delivery: &ClaimedDelivery, attempt: Attempt) -> SettledDelivery {
    let mut settled = attempt.settled(delivery.id);
    let never = [DeliveryFault::Gone, DeliveryFault::Unreadable];
    if let Some(fault) = attempt.fault.filter(|fault| !never.contains(fault))
        && let Some(next) = next_attempt(tx.now, delivery.attempts + 1)
    {
        settled.outcome = AttemptOutcome::PutOff(fault, next);
    }
    settled
}

/// Disables a webhook whose receiver wants no more. The last of the deliveries that fail with it, if it was enabled: see
/// `fail_some`.
pub(in crate::ops) fn disable(tx: &Tx, webhook: i64) -> Result<Option<i64>> {
    let Some(webhook) = rows::by_id(tx, webhook)?.filter(|it| it.content.enabled) else {
        return Ok(None);
    };
    let content = WebhookContent { enabled: false, ..webhook.content.clone() };
    rows::update(tx, &webhook, &content)?;
    let form = forms::by_number(tx, webhook.form_no)?;
    let by = By::service(users::by_id(tx, form.owner)?.organization.id);
    audit::note_about(tx, by, Action::WebhookGone, webhook.token.as_str(), &form)?;
    event_deliveries::last(tx, webhook.id).map(Some)
}

/// Fails some of the deliveries of a webhook that was disabled. Returns whether there are more.
pub fn fail_some(app: &App, webhook: i64, last: i64) -> Ticket<bool> {
    app.store.submit(move |tx| {
        let fault = DeliveryFault::WebhookDisabled;
        let failed = event_deliveries::fail_waiting(tx, webhook, last, fault, FAILED_AT_ONCE)?;
        Ok(failed == FAILED_AT_ONCE)
    })
}
