//! `/f/{form_token}/entries/{entry_token}/cancel`: a respondent cancels a booking, after a question.

use maud::{Markup, html};

use crate::base::error::{Error, Result};
use crate::base::texts::texts;
use crate::fields::stored;
use crate::model::results::ReservationStatus;
use crate::ops::published::Password;
use crate::ops::reservations;
use crate::ops::respondent_entries::{self, OwnEntry};
use crate::ops::{App, edit_right};
use crate::web::call::Call;
use crate::web::form_password;
use crate::web::pages::layout::{Sign, sign};
use crate::web::pages::published::edit_entry::{find, instead};
use crate::web::pages::published::form_post::{Action, FormPost};
use crate::web::pages::published::{changed_entry, done, is_embedded, states};
use crate::web::reply::{Answer, Reply};

/// The address of the page for an entry with a booking that can be cancelled; `None` for others.
pub fn address(app: &App, own: &changed_entry::Address) -> Option<String> {
    let is_reserved = own.entry.results.reservation_status == Some(ReservationStatus::Reserved);
    is_reserved.then(|| own.of_part(app, "/cancel"))
}

/// `GET /f/{form_token}/entries/{entry_token}/cancel`
pub fn show(call: &Call) -> Result<Reply> {
    open(call, None, false)
}

/// `POST /f/{form_token}/entries/{entry_token}/cancel`
pub fn submit(call: &Call) -> Result<Reply> {
    let sent = FormPost::read(call);
    let password = sent.password.as_ref();
    if sent.action == Action::Open {
        return open(call, password, true);
    }
    let own = match find(call, password) {
        Ok(own) => own,
        Err(error) => return instead(call, error, password, false),
    };
    let serial = own.entry.serial;
    let right = edit_right::token(call.app.keys(), &own.entry.token);
    let form = call.param("form_token");
    let embedded = is_embedded(call);
    let receipt = done::cancelled(call.app, form, serial, &right, embedded);
    let (_, ticket) = match reservations::cancel(call.app, own) {
        Ok(cancelled) => cancelled,
        Err(Error::Refused(..)) => return open(call, password, false),
        Err(error) => return Err(error),
    };
    Ok(Reply::Later(Box::pin(async move {
        match ticket.await {
            // What is no longer reserved says so on the receipt.
            Ok(_) | Err(Error::Invalid(_)) => Ok(Answer::see_other(&receipt)),
            Err(error) => Err(error),
        }
    })))
}

fn open(call: &Call, password: Option<&Password>, was_tried: bool) -> Result<Reply> {
    let own = match find(call, password) {
        Ok(own) => own,
        Err(error) => return instead(call, error, password, was_tried),
    };
    if respondent_entries::check_open(&own.published).is_err() {
        let stay = texts(&own.published.form.locale).say("own-shut");
        return Ok(states::page(call, &own.published, Some(&stay)).into());
    }
    let content = question(call, &own, password)?;
    Ok(states::own_card(call.app, &own.published, is_embedded(call), &content).into())
}

fn question(call: &Call, own: &OwnEntry, password: Option<&Password>) -> Result<Markup> {
    let (published, entry) = (&own.published, &own.entry);
    let form = &published.form;
    let texts = texts(&form.locale);
    let embedded = is_embedded(call);
    let grant = password
        .filter(|_| published.has_password())
        .map(|own| form_password::seal(call.app.keys(), form.token.as_str(), &own.text))
        .transpose()?;
    let address = changed_entry::Address {
        form: &form.token,
        entry,
        embedded,
    };
    let right = edit_right::token(call.app.keys(), &entry.token);
    let back = done::receipt(
        call.app,
        form.token.as_str(),
        entry.serial,
        Some(&right),
        embedded,
    );
    let cancels = self::address(call.app, &address);
    let owners_lang = texts.other(&form.locale);
    Ok(html! {
        p.muted lang=[owners_lang] { bdi { (form.name) } }
        @if let Some(cancels) = cancels {
            h1 { (texts.say("cancel-title")) }
            ul.booked lang=[owners_lang] { @for line in booked(call, own)? { li dir="auto" { (line) } } }
            p { (texts.say("cancel-text")) }
            form.row.ways method="post" action=(cancels) {
                @if let Some(grant) = &grant { input type="hidden" name="_grant" value=(grant); }
                button.button.danger.sure name="_action" value="submit" { (texts.say("cancel-button")) }
                a.button.quiet href=(back) { (texts.say("cancel-keep")) }
            }
        } @else {
            (sign(Sign::Check))
            h1 { (texts.say("cancel-none")) }
            p { a.button href=(back) { (texts.say("cancel-back")) } }
        }
    })
}

/// What is booked, a line each.
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
