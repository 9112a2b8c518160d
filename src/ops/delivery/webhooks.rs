//! Webhooks of a form, for its managers (spec 4.11, contract section 9).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use zeroize::Zeroizing;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::base::secret::{self, Keys, Purpose, Secret};
use crate::base::text::phrase::phrase;
use crate::model::audit::Action;
use crate::model::caller::Caller;
use crate::model::event::EventKind;
use crate::model::form::Form;
use crate::model::outbox::{DeliveryFault, DeliveryStatus};
use crate::model::page::{Page, PageRequest};
use crate::model::precondition::IfMatch;
use crate::model::webhook::{MOST_WEBHOOKS, Webhook, WebhookContent, WebhookDelivery, new_token};
use crate::ops::accounts::audit::{self, By};
use crate::ops::app::App;
use crate::ops::forms::access::{self, Right};
pub use crate::outbound::target::BadUrl;
use crate::outbound::target::{LONGEST_URL, RequestTarget};
use crate::store::db::tx::Tx;
use crate::store::delivery::{event_deliveries, webhooks};

/// Seconds for which a replaced secret still signs.
const OLD_SECRET_SECS: i64 = 24 * 3600;
/// Deliveries that are changed or removed at once.
const AT_ONCE: usize = 1_000;

/// A webhook with its new secret, which is shown once.
pub struct NewSecret {
    pub webhook: Webhook,
    /// `whsec_…`
    pub secret: Secret,
}

/// Members of a request body. Faults are collected.
struct WebhookWrite {
    url: Option<String>,
    trigger_events: Option<Vec<EventKind>>,
    enabled: Option<bool>,
}

fn read(reader: &mut Reader, is_new: bool) -> WebhookWrite {
    let (url, trigger_events) = (read_url(reader, is_new), read_kinds(reader, is_new));
    if !is_new {
        refuse_null(reader, "enabled", Expected::Other("true or false"));
    }
    let enabled = reader.opt_bool("enabled");
    reader.note("enabled", || json!({"description": "Whether events are sent; true if omitted."}));
    WebhookWrite { url, trigger_events, enabled }
}

fn read_url(reader: &mut Reader, is_new: bool) -> Option<String> {
    let url = if is_new {
        reader.required("url")
    } else {
        refuse_null(reader, "url", Expected::Text);
        reader.raw("url")
    };
    reader.note("url", || {
        json!({
            "type": "string",
            "format": "uri",
            "maxLength": LONGEST_URL,
            "description": "The address that events are sent to: http or https, without a user name, at port 80, \
                            443 or from 1024 on. Addresses that are not public are refused when an event is sent.",
        })
    });
    let Json::String(url) = url? else {
        reader.fault("url", Reason::MustBe(Expected::Text));
        return None;
    };
    match RequestTarget::parse(&url) {
        Ok(_) => Some(url),
        Err(fault) => {
            // The wording of spec 4.11, and the requirement.
            reader.fault("url", Reason::other("is invalid"));
            reader.fault("url", Reason::other(fault.to_string()));
            None
        }
    }
}

/// A change can't clear a property that every webhook has.
fn refuse_null(reader: &mut Reader, key: &str, expected: Expected) {
    if !reader.is_describing() && reader.contains_key(key) && !reader.has(key) {
        reader.fault(key, Reason::MustBe(expected));
    }
}

fn read_kinds(reader: &mut Reader, is_new: bool) -> Option<Vec<EventKind>> {
    const KEY: &str = "trigger_events";
    let names = || EventKind::OF_ENTRIES.map(EventKind::name);
    if is_new && !reader.has(KEY) {
        reader.fault(KEY, Reason::Required);
    } else {
        refuse_null(reader, KEY, Expected::List);
    }
    let given = reader.opt_list(KEY);
    reader.note(KEY, || {
        json!({
            "minItems": 1,
            "items": {"type": "string", "enum": names()},
            "description": "The kinds of events that are sent.",
        })
    });
    let given = given?;
    if given.is_empty() {
        reader.fault(KEY, Reason::Empty);
    }
    let mut out = Vec::new();
    reader.issues().key(KEY, |at| {
        for (place, name) in given.iter().enumerate() {
            let kind = name.as_str().and_then(EventKind::by_name);
            match kind.filter(|kind| EventKind::OF_ENTRIES.contains(kind)) {
                Some(kind) if !out.contains(&kind) => out.push(kind),
                Some(_) => {}
                None => at.index(place, |at| at.push(Reason::one_of(names()))),
            }
        }
    });
    Some(out)
}

/// The JSON Schema of the body of `create`.
pub fn create_schema() -> Json {
    Reader::describe(|reader| {
        read(reader, true);
    })
}

/// The JSON Schema of the body of `update`.
pub fn update_schema() -> Json {
    Reader::describe(|reader| {
        read(reader, false);
    })
}

/// Adds a webhook.
///
/// # Errors
/// 403, 404, 422.
pub fn create(app: &App, caller: &Caller, form: &str, body: Json) -> Result<NewSecret> {
    let mut at = Issues::new();
    let given = read(&mut Reader::new(body, &mut at), true);
    let (secret, sealed) = new_secret(app.keys())?;
    let (who, form) = (caller.clone(), form.to_owned());
    let webhook = app.store.write(move |tx| {
        let form = access::form_for(tx, &who, &form, Right::Manage)?;
        let count = webhooks::count(tx, form.form_no)?;
        if usize::try_from(count).is_ok_and(|count| count >= MOST_WEBHOOKS) {
            let reason = phrase!("the form has {} webhooks already, the most it may have", MOST_WEBHOOKS);
            at.push(Reason::other(reason));
        }
        at.into_result()?;
        let content = WebhookContent {
            // If one of these is missing, there was a fault.
            url: given.url.unwrap_or_default(),
            trigger_events: given.trigger_events.unwrap_or_default(),
            enabled: given.enabled.unwrap_or(true),
        };
        let token = new_token();
        webhooks::insert(tx, form.form_no, &token, &content, &sealed)?;
        note(tx, &who, Action::WebhookCreated, token.as_str(), &form)?;
        of_form(tx, &form, token.as_str())
    })?;
    Ok(NewSecret { webhook, secret })
}

/// The webhooks of a form, latest first.
///
/// # Errors
/// 400 for a cursor of another list, 403, 404.
pub fn list(app: &App, caller: &Caller, form: &str, page: &PageRequest) -> Result<Page<Webhook>> {
    let before = page.place()?.map_or(i64::MAX, |(_, id)| id);
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, form, Right::Manage)?;
        let rows = webhooks::list(tx, form.form_no, before, page.size + 1)?;
        let total = webhooks::count(tx, form.form_no)?;
        Ok(page_of(rows, page.size, total, |webhook| webhook.id))
    })
}

/// All webhooks of a form, latest first, each with its latest delivery.
///
/// # Errors
/// 403, 404.
pub fn overview(app: &App, caller: &Caller, form: &str) -> Result<Vec<(Webhook, Option<WebhookDelivery>)>> {
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, form, Right::Manage)?;
        let rows = webhooks::list(tx, form.form_no, i64::MAX, MOST_WEBHOOKS)?;
        let with_latest = rows.into_iter().map(|webhook| {
            let latest = event_deliveries::list(tx, webhook.id, None, i64::MAX, 1)?.pop();
            Ok((webhook, latest))
        });
        with_latest.collect()
    })
}

/// The fault of an address; `None` if requests can go there.
pub fn fault_of_url(url: &str) -> Option<BadUrl> {
    RequestTarget::parse(url).err()
}

/// # Errors
/// 403, 404.
pub fn show(app: &App, caller: &Caller, form: &str, token: &str) -> Result<Webhook> {
    let found = app.store.read(|tx| managed(tx, caller, form, token))?;
    Ok(found.1)
}

/// Changes the properties that the body names.
///
/// # Errors
/// 403, 404, 412, 422.
pub fn update(app: &App, caller: &Caller, form: &str, token: &str, body: Json, if_match: IfMatch) -> Result<Webhook> {
    let mut at = Issues::new();
    let given = read(&mut Reader::new(body, &mut at), false);
    let (who, form, token) = (caller.clone(), form.to_owned(), token.to_owned());
    let (webhook, last) = app.store.write(move |tx| {
        let (form, webhook) = managed(tx, &who, &form, &token)?;
        if_match.check(&webhook.etag())?;
        at.into_result()?;
        let before = webhook.content.clone();
        let content = WebhookContent {
            url: given.url.unwrap_or(before.url),
            trigger_events: given.trigger_events.unwrap_or(before.trigger_events),
            enabled: given.enabled.unwrap_or(before.enabled),
        };
        if content == webhook.content {
            return Ok((webhook, None));
        }
        webhooks::update(tx, &webhook, &content)?;
        note(tx, &who, Action::WebhookUpdated, &token, &form)?;
        let is_disabled = webhook.content.enabled && !content.enabled;
        let last = is_disabled.then(|| event_deliveries::last(tx, webhook.id)).transpose()?;
        Ok((of_form(tx, &form, &token)?, last))
    })?;
    if let Some(last) = last {
        fail_waiting(app, webhook.id, last)?;
    }
    Ok(webhook)
}

/// Fails the deliveries of a disabled webhook that wait, in pieces. Enabled again, it gets new events alone.
fn fail_waiting(app: &App, webhook: i64, last: i64) -> Result<()> {
    let fault = DeliveryFault::WebhookDisabled;
    let some = move |tx: &Tx| event_deliveries::fail_waiting(tx, webhook, last, fault, AT_ONCE);
    while app.store.write(some)? == AT_ONCE {}
    Ok(())
}

/// Deletes a webhook with its deliveries.
///
/// # Errors
/// 403, 404, 412.
pub fn delete(app: &App, caller: &Caller, form: &str, token: &str, if_match: IfMatch) -> Result<()> {
    let (who, form, token) = (caller.clone(), form.to_owned(), token.to_owned());
    let id = app.store.write(move |tx| {
        let (form, webhook) = managed(tx, &who, &form, &token)?;
        if_match.check(&webhook.etag())?;
        webhooks::delete(tx, &webhook)?;
        note(tx, &who, Action::WebhookDeleted, &token, &form)?;
        Ok(webhook.id)
    })?;
    // Nothing sends these deliveries any more; they are deleted in pieces that let other writes through.
    let some = move |tx: &Tx| event_deliveries::remove_some(tx, id, AT_ONCE);
    while app.store.write(some)? == AT_ONCE {}
    Ok(())
}

/// Replaces the secret. The old one also signs for a day.
///
/// # Errors
/// 403, 404, 412.
pub fn rotate_secret(app: &App, caller: &Caller, form: &str, token: &str, if_match: IfMatch) -> Result<NewSecret> {
    let (secret, sealed) = new_secret(app.keys())?;
    let (who, form, token) = (caller.clone(), form.to_owned(), token.to_owned());
    let webhook = app.store.write(move |tx| {
        let (form, webhook) = managed(tx, &who, &form, &token)?;
        if_match.check(&webhook.etag())?;
        let until = tx.now.plus_secs(OLD_SECRET_SECS);
        webhooks::rotate(tx, webhook.id, &sealed, until)?;
        note(tx, &who, Action::WebhookSecretRotated, &token, &form)?;
        of_form(tx, &form, &token)
    })?;
    Ok(NewSecret { webhook, secret })
}

/// The deliveries of a webhook, latest first; filtered by `status`, if given.
///
/// # Errors
/// 400 for a cursor of another list, 403, 404.
pub fn deliveries(
    app: &App,
    caller: &Caller,
    form: &str,
    token: &str,
    status: Option<DeliveryStatus>,
    page: &PageRequest,
) -> Result<Page<WebhookDelivery>> {
    let before = page.place()?.map_or(i64::MAX, |(_, id)| id);
    app.store.read(|tx| {
        let (_, webhook) = managed(tx, caller, form, token)?;
        let rows = event_deliveries::list(tx, webhook.id, status, before, page.size + 1)?;
        let total = event_deliveries::count(tx, webhook.id, status, 0)?;
        Ok(page_of(rows, page.size, total, |delivery| delivery.id))
    })
}

/// News about a list of deliveries that was shown before.
pub struct Progress {
    /// The current state of the shown ones that still exist.
    pub shown: Vec<WebhookDelivery>,
    /// Number of deliveries after all of them; filtered by `status`, if given.
    pub newer: i64,
}

/// Current state of deliveries that a page shows.
///
/// # Errors
/// 403, 404.
pub fn progress(
    app: &App,
    caller: &Caller,
    form: &str,
    token: &str,
    status: Option<DeliveryStatus>,
    shown: &[&str],
) -> Result<Progress> {
    app.store.read(|tx| {
        let (_, webhook) = managed(tx, caller, form, token)?;
        let found = shown.iter().map(|one| event_deliveries::by_token(tx, webhook.id, one));
        let shown: Vec<WebhookDelivery> = found.filter_map(Result::transpose).collect::<Result<_>>()?;
        let latest = shown.iter().map(|delivery| delivery.id).max().unwrap_or_default();
        Ok(Progress { newer: event_deliveries::count(tx, webhook.id, status, latest)?, shown })
    })
}

/// A webhook of a form that the caller manages.
///
/// # Errors
/// 403, 404.
pub(in crate::ops) fn managed(tx: &Tx, caller: &Caller, form: &str, token: &str) -> Result<(Form, Webhook)> {
    let form = access::form_for(tx, caller, form, Right::Manage)?;
    let webhook = of_form(tx, &form, token)?;
    Ok((form, webhook))
}

fn of_form(tx: &Tx, form: &Form, token: &str) -> Result<Webhook> {
    let found = webhooks::by_token(tx, form.form_no, token)?;
    found.ok_or(Error::NotFound(Noun::Webhook))
}

/// A page of rows; one more than it has was read.
fn page_of<T>(mut rows: Vec<T>, size: usize, total: i64, id: impl Fn(&T) -> i64) -> Page<T> {
    let more = rows.len() > size;
    rows.truncate(size);
    let last = rows.last().filter(|_| more);
    Page { total, next: last.map(|last| format!("0.{}", id(last))), rows }
}

/// A new secret in plain text, and sealed for the store.
fn new_secret(keys: &Keys) -> Result<(Secret, Vec<u8>)> {
    let bytes = Zeroizing::new(secret::random_bytes());
    let shown = format!("whsec_{}", STANDARD.encode(*bytes));
    let sealed = keys.seal(Purpose::WebhookSecret, &*bytes)?;
    Ok((Secret::new(shown), sealed))
}

fn note(tx: &Tx, who: &Caller, action: Action, token: &str, form: &Form) -> Result<()> {
    audit::note_about(tx, By::caller(who), action, token, form)
}
