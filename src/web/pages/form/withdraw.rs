//! Pages on which a respondent takes something back, after a question: `/f/{form_token}/entries/{entry_token}/cancel`
//! cancels a booking, `/f/{form_token}/entries/{entry_token}/waiting` leaves the waiting list.

use maud::{Markup, html};

use crate::base::error::{Error, Result};
use crate::base::text::texts::{Texts, texts};
use crate::fields::values::stored;
use crate::model::entry::Entry;
use crate::model::results::ReservationStatus;
use crate::ops::app::{App, Ticket};
use crate::ops::capacity::{reservations, waiting};
use crate::ops::entries::edit_right;
use crate::ops::entries::respondent_entries::{self, OwnEntry};
use crate::ops::forms::published::Password;
use crate::web::forms::form_password;
use crate::web::pages::form::edit_entry::{self, instead};
use crate::web::pages::form::form_post::{Action, FormPost};
use crate::web::pages::form::{changed_entry, done, is_embedded, states};
use crate::web::pages::ui::sign::{Sign, sign};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};

/// The subject of a withdrawal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A booking, while the form takes changes.
    Booking,
    /// A place in the waiting list, at any time.
    Waiting,
}

impl Subject {
    /// Below the page of the entry.
    const fn path(self) -> &'static str {
        match self {
            Self::Booking => "/cancel",
            Self::Waiting => "/waiting",
        }
    }

    /// The words of the question and of its answers: `cancel-title`.
    fn say(self, texts: &Texts, word: &str) -> String {
        let prefix = match self {
            Self::Booking => "cancel",
            Self::Waiting => "leave",
        };
        texts.say(&format!("{prefix}-{word}"))
    }

    fn is_in(self, entry: &Entry) -> bool {
        match self {
            Self::Booking => entry.results.reservation_status == Some(ReservationStatus::Reserved),
            Self::Waiting => entry.results.is_waiting,
        }
    }

    /// The address of the page for an entry in which there is something to take back; `None` for others.
    pub fn address(self, app: &App, own: &changed_entry::Address) -> Option<String> {
        self.is_in(own.entry).then(|| own.of_part(app, self.path()))
    }

    fn find(self, call: &Call, password: Option<&Password>) -> Result<OwnEntry> {
        match self {
            Self::Booking => edit_entry::find(call, password),
            Self::Waiting => edit_entry::find_by(call, password, respondent_entries::find_any),
        }
    }
}

/// `GET /f/{form_token}/entries/{entry_token}/cancel`
pub fn show_cancel(call: &Call) -> Result<Reply> {
    open(call, Subject::Booking, None, false)
}

/// `POST /f/{form_token}/entries/{entry_token}/cancel`
pub fn cancel(call: &Call) -> Result<Reply> {
    submit(call, Subject::Booking)
}

/// `GET /f/{form_token}/entries/{entry_token}/waiting`
pub fn show_waiting(call: &Call) -> Result<Reply> {
    open(call, Subject::Waiting, None, false)
}

/// `POST /f/{form_token}/entries/{entry_token}/waiting`
pub fn leave(call: &Call) -> Result<Reply> {
    submit(call, Subject::Waiting)
}

fn submit(call: &Call, subject: Subject) -> Result<Reply> {
    let post = FormPost::read(call);
    let password = post.password.as_ref();
    if post.action == Action::Open {
        return open(call, subject, password, true);
    }
    let own = match subject.find(call, password) {
        Ok(own) => own,
        Err(error) => return instead(call, error, password, false),
    };
    let (serial, entry) = (own.entry.serial, own.entry.token.clone());
    let right = edit_right::token(call.app.keys(), &entry);
    let (form, embedded) = (call.param("form_token"), is_embedded(call));
    let sent = (serial, &entry);
    match subject {
        Subject::Booking => match reservations::cancel(call.app, own, call.origin().sender) {
            Ok(ticket) => {
                let done = done::cancelled(call.app, form, sent, &right, embedded);
                let none = done::not_cancelled(call.app, form, sent, &right, embedded);
                Ok(on_to(done, none, ticket))
            }
            Err(Error::Refused(..)) => open(call, subject, password, false),
            Err(error) => Err(error),
        },
        Subject::Waiting => {
            let receipt = done::receipt(call.app, form, sent, Some(&right), embedded);
            Ok(on_to(receipt.clone(), receipt, waiting::leave(call.app, own)?))
        }
    }
}

/// On to the receipt, once it is done, or to that which says that there was nothing to take back any more.
fn on_to<T: Send + 'static>(done: String, none: String, ticket: Ticket<T>) -> Reply {
    Reply::Later(Box::pin(async move {
        match ticket.await {
            Ok(_) => Ok(Answer::see_other(&done)),
            Err(Error::Invalid(_)) => Ok(Answer::see_other(&none)),
            Err(error) => Err(error),
        }
    }))
}

fn open(call: &Call, subject: Subject, password: Option<&Password>, was_tried: bool) -> Result<Reply> {
    let own = match subject.find(call, password) {
        Ok(own) => own,
        Err(error) => return instead(call, error, password, was_tried),
    };
    let is_shut = respondent_entries::check_open(&own.published).is_err();
    if subject == Subject::Booking && is_shut {
        let stay = texts(&own.published.form.locale).say("own-shut");
        return Ok(states::page(call, &own.published, Some(&stay)).into());
    }
    let content = question(call, subject, &own, password)?;
    Ok(states::own_card(call.app, &own.published, is_embedded(call), &content).into())
}

fn question(call: &Call, subject: Subject, own: &OwnEntry, password: Option<&Password>) -> Result<Markup> {
    let (published, entry) = (&own.published, &own.entry);
    let form = &published.form;
    let texts = texts(&form.locale);
    let embedded = is_embedded(call);
    let grant = password
        .filter(|_| published.has_password())
        .map(|own| form_password::seal(call.app.keys(), form.token.as_str(), &own.text))
        .transpose()?;
    let address = changed_entry::Address { form: &form.token, entry, embedded };
    let right = edit_right::token(call.app.keys(), &entry.token);
    let back = done::receipt(call.app, form.token.as_str(), (entry.serial, &entry.token), Some(&right), embedded);
    let action = subject.address(call.app, &address);
    let owners_lang = texts.other(&form.locale);
    let say = |word: &str| subject.say(texts, word);
    let is_completed = entry.results.reservation_status == Some(ReservationStatus::Completed);
    Ok(html! {
        p.muted lang=[owners_lang] { bdi { (form.name) } }
        @if let Some(action) = action {
            h1 { (say("title")) }
            ul.booked lang=[owners_lang] { @for line in booked(call, own)? { li dir="auto" { (line) } } }
            p { (say("text")) }
            form.row.ways method="post" action=(action) {
                @if let Some(grant) = &grant { input type="hidden" name="_grant" value=(grant); }
                button.button.danger.sure name="_action" value="submit" { (say("button")) }
                a.button.quiet href=(back) { (say("keep")) }
            }
        } @else if subject == Subject::Booking && is_completed {
            (sign(Sign::Question))
            h1 { (say("completed")) }
            p { (say("completed-text")) }
            p { a.button href=(back) { (texts.say("cancel-back")) } }
        } @else {
            (sign(Sign::Check))
            h1 { (say("none")) }
            p { a.button href=(back) { (texts.say("cancel-back")) } }
        }
    })
}

/// The bookings, a line each.
fn booked(call: &Call, own: &OwnEntry) -> Result<Vec<String>> {
    let parsed = &own.shape.parsed;
    let cx = parsed.cx_with(call.now, true, &own.shape.found);
    let stored = stored::values(&own.entry.values).map_err(Error::internal)?;
    let fields = parsed.definition.fields.with_values();
    let bookings = fields.filter(|field| !field.hidden && field.kind.calendar().is_some());
    let lines = bookings.filter_map(|field| {
        let value = stored.get(&field.api_code)?;
        Some(field.kind.lines(value, &cx))
    });
    Ok(lines.flatten().collect())
}
