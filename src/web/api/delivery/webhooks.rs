//! `/api/v1/forms/{form_token}/integrations/webhooks`.

use schemars::JsonSchema;
use serde::Serialize;
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::model::caller::Caller;
use crate::model::event::EventKind;
use crate::model::outbox::{DeliveryFault, DeliveryStatus};
use crate::model::webhook::{Webhook, WebhookDelivery};
use crate::ops::delivery::deliver_now;
use crate::ops::delivery::webhooks::{self, NewSecret};
use crate::web::openapi::doc::AnswerBody::{Data, Page};
use crate::web::openapi::doc::Doc;
use crate::web::openapi::shape::{Deleted, Shape};
use crate::web::request::call::Call;
use crate::web::request::paging::{self, PagedList};
use crate::web::request::reply::{self, Answer, Reply};

/// A webhook.
#[derive(Serialize, JsonSchema)]
struct WebhookBody {
    /// Its identifier in URLs.
    id: String,
    /// The address that events are sent to.
    #[schemars(extend("format" = "uri"))]
    url: String,
    /// The kinds of events that are sent.
    #[schemars(extend("items" = {"type": "string", "enum": EventKind::OF_ENTRIES.map(EventKind::name)}))]
    trigger_events: Vec<&'static str>,
    /// Whether events are sent. A receiver that answers 410 disables it.
    enabled: bool,
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    #[schemars(extend("format" = "date-time"))]
    updated_at: String,
}

/// A webhook with its new secret.
#[derive(Serialize, JsonSchema)]
struct WebhookWithSecret {
    #[serde(flatten)]
    webhook: WebhookBody,
    /// The key that signs deliveries. Only this answer shows it.
    #[schemars(extend("pattern" = "^whsec_"))]
    secret: String,
}

/// The delivery of an event to a webhook.
#[derive(Serialize, JsonSchema)]
struct DeliveryBody {
    /// Its identifier in URLs.
    id: String,
    /// The kind of event.
    #[schemars(extend("enum" = EventKind::ALL.map(EventKind::name)))]
    event: &'static str,
    /// `pending` until it is delivered or has failed for good.
    #[schemars(extend("enum" = DeliveryStatus::ALL.map(DeliveryStatus::name)))]
    status: &'static str,
    /// Attempts so far.
    attempts: u32,
    /// The HTTP status of the last answer; null if there was none.
    response_status: Option<u16>,
    /// How long the last attempt took.
    response_ms: Option<u32>,
    /// Why the last attempt did not succeed.
    error: Option<&'static str>,
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    /// When the next attempt is due, or when the current one began; null if there are no further attempts.
    #[schemars(extend("format" = "date-time"))]
    next_attempt_at: Option<String>,
}

/// A webhook in answers.
pub static WEBHOOK: Shape = Shape::of_type::<WebhookBody>("Webhook");

/// A webhook in answers that show a secret.
pub static WITH_SECRET: Shape = Shape::of_type::<WebhookWithSecret>("WebhookWithSecret");

/// A delivery in answers.
pub static DELIVERY: Shape = Shape::of_type::<DeliveryBody>("WebhookDelivery");

/// The body to add a webhook.
pub static CREATE: Shape = Shape::new("WebhookCreate", webhooks::create_schema);

/// The body to change one.
pub static UPDATE: Shape = Shape::new("WebhookUpdate", webhooks::update_schema);

#[derive(Serialize, JsonSchema)]
struct DeletedId<'a> {
    id: &'a str,
}

/// The answer to the deletion of one.
pub static DELETED: Shape = Shape::of_type::<Deleted<DeletedId<'static>>>("DeletedWebhook");

impl From<&Webhook> for WebhookBody {
    fn from(webhook: &Webhook) -> Self {
        let content = &webhook.content;
        let kinds = content.trigger_events.iter();
        Self {
            id: webhook.token.to_string(),
            url: content.url.clone(),
            trigger_events: kinds.map(|kind| kind.name()).collect(),
            enabled: content.enabled,
            created_at: webhook.created_at.to_string(),
            updated_at: webhook.updated_at.to_string(),
        }
    }
}

impl From<WebhookDelivery> for DeliveryBody {
    fn from(delivery: WebhookDelivery) -> Self {
        Self {
            id: delivery.token,
            event: delivery.event.name(),
            status: delivery.status.name(),
            attempts: delivery.attempts,
            response_status: delivery.response_status,
            response_ms: delivery.response_ms,
            error: delivery.error.map(DeliveryFault::name),
            created_at: delivery.created_at.to_string(),
            next_attempt_at: delivery.next_attempt_at.map(|at| at.to_string()),
        }
    }
}

fn webhook_answer(webhook: &Webhook) -> Result<Answer> {
    let answer = reply::data(&WebhookBody::from(webhook))?;
    Ok(answer.tagged(webhook.etag()))
}

fn with_secret(status: StatusCode, new: &NewSecret) -> Result<Answer> {
    let body = WebhookWithSecret { webhook: WebhookBody::from(&new.webhook), secret: new.secret.reveal().to_owned() };
    let text = serde_json::to_string(&body).map_err(Error::internal)?;
    Ok(reply::data_text(status, &text).tagged(new.webhook.etag()))
}

/// The form and the webhook in the path.
fn named<'c>(call: &'c Call) -> (&'c str, &'c str) {
    (call.param("form_token"), call.param("webhook_id"))
}

pub const LIST_WEBHOOKS: Doc = Doc::new("list_webhooks", 200, Page(&WEBHOOK))
    .says("List webhooks", "The form's webhooks, newest first. Only managers see them.")
    .query(paging::parameters);

/// `GET /forms/{form_token}/integrations/webhooks`
pub fn list(call: &Call, caller: &Caller) -> Result<Reply> {
    let list = PagedList::new(call, Some(caller));
    let form = call.param("form_token");
    let page = webhooks::list(call.app, caller, form, &list.request()?)?;
    let page = page.try_map(|webhook| serde_json::to_string(&WebhookBody::from(&webhook))).map_err(Error::internal)?;
    Ok(list.answer(&page).into())
}

pub const CREATE_WEBHOOK: Doc = Doc::new("create_webhook", 201, Data(&WITH_SECRET))
    .says(
        "Add a webhook",
        "From now on, events of the chosen kinds are sent to `url`, signed with the `secret`, which only this answer \
         shows. A form has at most 20 webhooks.",
    )
    .takes(
        &CREATE,
        r#"{"url": "https://example.com/hooks/workshop", "trigger_events": ["entry_created", "entry_updated"]}"#,
    )
    .tagged();

/// `POST /forms/{form_token}/integrations/webhooks`
pub fn create(call: &Call, caller: &Caller) -> Result<Reply> {
    let form = call.param("form_token");
    let new = webhooks::create(call.app, caller, form, call.json()?)?;
    Ok(with_secret(StatusCode::CREATED, &new)?.into())
}

pub const GET_WEBHOOK: Doc =
    Doc::new("get_webhook", 200, Data(&WEBHOOK)).says("Read a webhook", "The webhook, without its secret.").tagged();

/// `GET /forms/{form_token}/integrations/webhooks/{webhook_id}`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let (form, webhook) = named(call);
    Ok(webhook_answer(&webhooks::show(call.app, caller, form, webhook)?)?.into())
}

pub const UPDATE_WEBHOOK: Doc = Doc::new("update_webhook", 200, Data(&WEBHOOK))
    .says(
        "Change a webhook",
        "Only the given keys change; `trigger_events` is replaced as a whole. Disabling a webhook fails its pending \
         deliveries; after it is enabled again, it gets new events only.",
    )
    .takes(&UPDATE, r#"{"enabled": false}"#)
    .tagged()
    .guarded();

/// `PATCH /forms/{form_token}/integrations/webhooks/{webhook_id}`
pub fn update(call: &Call, caller: &Caller) -> Result<Reply> {
    let (body, if_match) = (call.json()?, call.if_match()?);
    let (form, webhook) = named(call);
    let webhook = webhooks::update(call.app, caller, form, webhook, body, if_match)?;
    Ok(webhook_answer(&webhook)?.into())
}

pub const DELETE_WEBHOOK: Doc = Doc::new("delete_webhook", 200, Data(&DELETED))
    .says("Delete a webhook", "Its deliveries are removed too; pending ones are not sent.")
    .guarded();

/// `DELETE /forms/{form_token}/integrations/webhooks/{webhook_id}`
pub fn delete(call: &Call, caller: &Caller) -> Result<Reply> {
    let (form, webhook) = named(call);
    webhooks::delete(call.app, caller, form, webhook, call.if_match()?)?;
    Ok(reply::data(&Deleted::new(DeletedId { id: webhook }))?.into())
}

pub const ROTATE_WEBHOOK_SECRET: Doc = Doc::new("rotate_webhook_secret", 200, Data(&WITH_SECRET))
    .says(
        "Replace the secret",
        "Only this answer shows the new secret. For 24 hours deliveries carry two signatures, the new secret's \
         first, so that receivers can switch to it.",
    )
    .tagged()
    .guarded();

/// `POST /forms/{form_token}/integrations/webhooks/{webhook_id}/rotate_secret`
pub fn rotate_secret(call: &Call, caller: &Caller) -> Result<Reply> {
    let (form, webhook) = named(call);
    let new = webhooks::rotate_secret(call.app, caller, form, webhook, call.if_match()?)?;
    Ok(with_secret(StatusCode::OK, &new)?.into())
}

pub const LIST_WEBHOOK_DELIVERIES: Doc = Doc::new("list_webhook_deliveries", 200, Page(&DELIVERY))
    .says(
        "List deliveries",
        "Deliveries to the webhook, sent and waiting, newest first. They are listed for 30 days. A delivery that \
         fails is retried nine times over three days.",
    )
    .query(paging::parameters);

/// `GET /forms/{form_token}/integrations/webhooks/{webhook_id}/deliveries`
pub fn deliveries(call: &Call, caller: &Caller) -> Result<Reply> {
    let list = PagedList::new(call, Some(caller));
    let (form, webhook) = named(call);
    let page = webhooks::deliveries(call.app, caller, form, webhook, None, &list.request()?)?;
    let page =
        page.try_map(|delivery| serde_json::to_string(&DeliveryBody::from(delivery))).map_err(Error::internal)?;
    Ok(list.answer(&page).into())
}

pub const TEST_WEBHOOK: Doc = Doc::new("test_webhook", 200, Data(&DELIVERY)).says(
    "Test a webhook",
    "Sends a `ping` at once, even if the webhook is disabled, and returns its delivery within about 15 seconds, \
     whether or not it succeeded. A test is not retried. At most 10 tests a minute.",
);

/// `POST /forms/{form_token}/integrations/webhooks/{webhook_id}/test`
pub fn test(call: &Call, caller: &Caller) -> Result<Reply> {
    // The body is not read, but malformed JSON is refused.
    call.optional_json()?;
    let (form, webhook) = named(call);
    let sent = deliver_now::test(call.app, caller, form, webhook)?;
    Ok(Reply::Later(Box::pin(async move { reply::data(&DeliveryBody::from(sent.await?)) })))
}

pub const REDELIVER: Doc = Doc::new("redeliver", 200, Data(&DELIVERY))
    .says(
        "Deliver again",
        "Sends a delivered or failed delivery once more, with the same body and `webhook-id`, and retries it like a \
         new one. Refused while the delivery is pending or the webhook is disabled.",
    )
    .checks_stored();

/// `POST /forms/{form_token}/integrations/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver`
pub fn redeliver(call: &Call, caller: &Caller) -> Result<Reply> {
    call.optional_json()?;
    let (form, webhook) = named(call);
    let delivery = call.param("delivery_id");
    let again = deliver_now::redeliver(call.app, caller, form, webhook, delivery)?;
    Ok(reply::data(&DeliveryBody::from(again))?.into())
}
