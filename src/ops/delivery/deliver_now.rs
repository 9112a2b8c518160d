//! Deliveries on a manager's request: a test of a webhook, and a repetition of an ended delivery (contract section 9).

use std::future::Future;

use bytes::Bytes;
use tokio::time::timeout;

use crate::base::clock;
use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::base::reason::Reason;
use crate::model::caller::Caller;
use crate::model::event::{EventKind, NewEvent};
use crate::model::outbox::DeliveryStatus;
use crate::model::webhook::{Webhook, WebhookDelivery, WebhookSecrets};
use crate::ops::app::{App, Ticket};
use crate::ops::delivery::event_deliveries::{self, Receiver};
use crate::ops::delivery::events;
use crate::ops::delivery::webhooks::managed;
use crate::outbound::client::LONGEST;
use crate::store::db::tx::Tx;
use crate::store::delivery::{event_deliveries as delivery_rows, events as rows, webhooks};

/// Tests of a webhook per minute (S73).
const TESTS_PER_MINUTE: u32 = 10;

/// A stored ping that was not sent yet.
struct Ping {
    webhook: Webhook,
    secrets: WebhookSecrets,
    event: i64,
    event_token: String,
    body: Bytes,
}

/// Sends a ping to a webhook, also to a disabled one, and notes the outcome. There is no second attempt.
///
/// # Errors
/// 403, 404, 429; 503 while too many requests to the receiver are in progress.
pub fn test(
    app: &App,
    caller: &Caller,
    form: &str,
    token: &str,
) -> Result<impl Future<Output = Result<WebhookDelivery>> + Send + 'static> {
    let (_, webhook) = app.store.read(|tx| managed(tx, caller, form, token))?;
    let tests = app.delivery.webhook_tests.hit(&webhook.id, TESTS_PER_MINUTE, clock::now());
    if !tests.is_allowed {
        return Err(Error::TooMany(tests.reset_secs));
    }
    let (who, form, token) = (caller.clone(), form.to_owned(), token.to_owned());
    let ping = app.store.write(move |tx| store_ping(tx, &who, &form, &token))?;
    let app = app.share();
    Ok(async move { send(&app, ping).await })
}

fn store_ping(tx: &Tx, caller: &Caller, form: &str, token: &str) -> Result<Ping> {
    let (form, webhook) = managed(tx, caller, form, token)?;
    let secrets = webhooks::secrets(tx, webhook.id)?.ok_or(Error::NotFound(Noun::Webhook))?;
    let (event, event_token) = rows::next(tx, form.form_no)?;
    let body = events::body(&event_token, EventKind::Ping, tx.now, &form, "null")?;
    let new = NewEvent { id: event, kind: EventKind::Ping, serial: None, body: body.as_bytes() };
    rows::insert(tx, &new, &[])?;
    Ok(Ping { webhook, secrets, event, event_token, body: Bytes::from(body) })
}

async fn send(app: &App, ping: Ping) -> Result<WebhookDelivery> {
    let Ping { webhook, secrets, event, event_token, body } = ping;
    let receiver = Receiver::new(app.keys(), &webhook.content.url, &secrets);
    let host = receiver.host();
    let place = timeout(LONGEST, app.delivery.request_slots.wait(&host)).await;
    let place = place.map_err(|_| Error::Busy("too many deliveries are in progress", 15))?;
    let attempt = event_deliveries::attempt(app, &receiver, &event_token, body, &mut None).await;
    drop(place);
    let (row, fails_upto) = app
        .store
        .submit(move |tx| {
            let (token, settled) = (webhook.token.as_str(), attempt.settled(0));
            let id = delivery_rows::insert_settled(tx, webhook.id, token, event, &settled)?;
            let fails_upto = match attempt.is_gone() {
                true => event_deliveries::disable(tx, webhook.id)?,
                false => None,
            };
            let row = delivery_rows::by_id(tx, webhook.id, id)?;
            let row = row.ok_or(Error::NotFound(Noun::Webhook))?;
            Ok((row, fails_upto.map(|last| (webhook.id, last))))
        })
        .await?;
    if let Some((webhook, last)) = fails_upto {
        while event_deliveries::fail_some(app, webhook, last).await? {}
    }
    Ok(row)
}

/// Sends an ended delivery once more: the same body under the same id, with all its attempts ahead.
///
/// # Errors
/// 403, 404, 422 while it is pending or the webhook is disabled.
pub fn redeliver(app: &App, caller: &Caller, form: &str, token: &str, delivery: &str) -> Result<WebhookDelivery> {
    let (who, form, token) = (caller.clone(), form.to_owned(), token.to_owned());
    let delivery = delivery.to_owned();
    let again: Ticket<(i64, WebhookDelivery)> = app.store.submit(move |tx| {
        let (form, webhook) = managed(tx, &who, &form, &token)?;
        let unknown = || Error::NotFound(Noun::Delivery);
        let found = delivery_rows::by_token(tx, webhook.id, &delivery)?.ok_or_else(unknown)?;
        let mut at = Issues::new();
        if !webhook.content.enabled {
            at.push(Reason::other("the webhook is disabled"));
        }
        if found.status == DeliveryStatus::Pending {
            at.push(Reason::other("the delivery is pending"));
        }
        at.into_result()?;
        delivery_rows::redeliver(tx, found.id)?;
        let again = delivery_rows::by_id(tx, webhook.id, found.id)?;
        Ok((form.form_no, again.ok_or_else(unknown)?))
    });
    let (form_no, again) = again.wait()?;
    app.delivery.outbox.tell([form_no]);
    Ok(again)
}
