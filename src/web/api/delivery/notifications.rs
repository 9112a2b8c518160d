//! `/api/v1/forms/{form_token}/notifications`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::{Error, Result};
use crate::model::caller::Caller;
use crate::model::outbox::{Delivery, DeliveryFault, DeliveryStatus, MessageKind};
use crate::ops::delivery::notifications;
use crate::web::openapi::doc::AnswerBody::Page;
use crate::web::openapi::doc::Doc;
use crate::web::openapi::shape::Shape;
use crate::web::request::call::Call;
use crate::web::request::paging::{self, PagedList};
use crate::web::request::reply::Reply;

/// An email about an entry.
#[derive(Serialize, JsonSchema)]
struct NotificationBody {
    /// Increases with time.
    id: i64,
    /// A `notice` goes to the people who run the form, or to those who are asked whether they want notices; the others
    /// go to the respondent.
    #[schemars(extend("enum" = MessageKind::OF_ENTRIES.map(MessageKind::name)))]
    kind: &'static str,
    /// The address.
    to: String,
    /// The entry's serial number; null if the email asks whether its reader wants notices.
    entry_serial_number: Option<i64>,
    /// `pending` until it is delivered or has failed for good.
    #[schemars(extend("enum" = DeliveryStatus::ALL.map(DeliveryStatus::name)))]
    status: &'static str,
    /// Attempts so far.
    attempts: u32,
    /// Why the last attempt did not succeed.
    error: Option<&'static str>,
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    /// When the next attempt is due, or when the current one began; null if there are no further attempts.
    #[schemars(extend("format" = "date-time"))]
    next_attempt_at: Option<String>,
}

/// Counters beside the rows, with their descriptions.
pub static COUNTS: [(&str, &str); 2] = [
    ("waiting", "Emails that are sent later, because as many were sent as an hour or a day may have."),
    (
        "held_back",
        "Emails of the last 24 hours that are never sent: to an address that had enough of them, or for which no hour \
         of the next two days had room.",
    ),
];

/// An email about an entry, in answers.
pub static NOTIFICATION: Shape = Shape::of_type::<NotificationBody>("Notification");

impl From<Delivery> for NotificationBody {
    fn from(delivery: Delivery) -> Self {
        Self {
            id: delivery.id,
            kind: delivery.kind.name(),
            to: delivery.target,
            entry_serial_number: delivery.serial,
            status: delivery.status.name(),
            attempts: delivery.attempts,
            error: delivery.error.map(DeliveryFault::name),
            created_at: delivery.created_at.to_string(),
            next_attempt_at: delivery.next_attempt_at.map(|at| at.to_string()),
        }
    }
}

pub const LIST_NOTIFICATIONS: Doc = Doc::new("list_notifications", 200, Page(&NOTIFICATION))
    .says(
        "List notifications",
        "The emails about the form's entries, newest first: those to respondents, such as receipts and \
         reminders, and notices to the addresses in the settings. They are listed for 30 days. An email that the mail server deferred, or that could not be \
         sent, is retried nine times over three days. Limits on email protect people from being flooded by what \
         strangers submit: an email that waits for a limit is `pending` with a later `next_attempt_at`, one that is \
         never sent is `failed`.",
    )
    .counts(&COUNTS)
    .query(paging::parameters);

/// `GET /forms/{form_token}/notifications`
pub fn list(call: &Call, caller: &Caller) -> Result<Reply> {
    let list = PagedList::new(call, Some(caller));
    let form = call.param("form_token");
    let (page, delayed) = notifications::list(call.app, caller, form, &list.request()?)?;
    let page =
        page.try_map(|delivery| serde_json::to_string(&NotificationBody::from(delivery))).map_err(Error::internal)?;
    let counts = [("waiting", delayed.waiting), ("held_back", delayed.held_back)];
    Ok(list.answer_with(&page, &counts).into())
}
