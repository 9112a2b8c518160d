//! The thank-you page. Its address is signed: only a stored submission leads to it. The signature is over the entry's
//! token, since serial numbers that were given after a backup are given again once it is restored.

mod outcome;
mod receipt;

use maud::{Markup, PreEscaped, html};
use url::Url;
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::id::EntryToken;
use crate::base::text::texts::{self, Texts};
use crate::fields::files;
use crate::fields::images::Images;
use crate::fields::texts::rich_text;
use crate::fields::values::stored;
use crate::model::entry::Entry;
use crate::model::results::ReservationStatus;
use crate::model::settings::{AfterMode, AfterSubmission, MessageStyle, OnePer};
use crate::ops::app::App;
use crate::ops::entries::after_submission;
use crate::ops::entries::receipt::{self as receipts, Ending, Receipt};
use crate::ops::entries::receipt_link;
use crate::ops::exams::certificates;
use crate::ops::forms::availability::Status;
use crate::ops::forms::published::Published;
use crate::ops::forms::settings;
use crate::web::pages::form::done::receipt as drawn;
use crate::web::pages::form::withdraw::Subject;
use crate::web::pages::form::{address, changed_entry, is_embedded, single_response, states};
use crate::web::pages::ui::layout::{Page, PageShape};
use crate::web::pages::ui::masthead::Masthead;
use crate::web::pages::ui::sign::{Sign, sign};
use crate::web::pages::ui::theme::Theme;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};

/// An entry by its serial number and its token.
pub type Sent<'a> = (i64, &'a EntryToken);

/// The address of the thank-you page of one submission; `right` opens the entry to its respondent.
pub fn receipt(app: &App, form: &str, sent: Sent, right: Option<&str>, embedded: bool) -> String {
    let path = address(&app.config, form);
    let page = receipt_link::query(app.keys(), form, sent);
    let edit = right.map_or_else(String::new, |right| format!("&edit_token={right}"));
    let embed = if embedded { "&embed=1" } else { "" };
    format!("{path}/done?{page}{edit}{embed}")
}

/// The same page after the respondent changed the entry.
pub fn changed(app: &App, form: &str, sent: Sent, right: &str, embedded: bool) -> String {
    let receipt = receipt(app, form, sent, Some(right), embedded);
    format!("{receipt}&changed=1")
}

/// The same page after the respondent cancelled the booking.
pub fn cancelled(app: &App, form: &str, sent: Sent, right: &str, embedded: bool) -> String {
    let receipt = receipt(app, form, sent, Some(right), embedded);
    format!("{receipt}&cancelled=1")
}

/// The same page where there was no booking to cancel.
pub fn not_cancelled(app: &App, form: &str, sent: Sent, right: &str, embedded: bool) -> String {
    let receipt = receipt(app, form, sent, Some(right), embedded);
    format!("{receipt}&cancelled=0")
}

/// `GET /f/{form_token}/done`
pub fn show(call: &Call) -> Result<Reply> {
    let token = call.param("form_token");
    let serial: i64 = call.query("n").and_then(|serial| serial.parse().ok()).ok_or(Error::NotFound(Noun::Page))?;
    let signature = call.query("s").unwrap_or_default();
    let is_signed = |entry: &EntryToken| receipt_link::opens(call.app.keys(), token, entry, &signature);
    let right = call.query("edit_token");
    let receipt = receipts::find(call.app, token, serial, is_signed, right.as_deref())?;
    Ok(page(call, &receipt, serial, None).into())
}

/// The thank-you page of an entry; `preview` is the address of the preview in which it was sent.
pub fn page(call: &Call, receipt: &Receipt, serial: i64, preview: Option<&str>) -> Answer {
    let token = call.param("form_token");
    let cx = receipt.cx(call.now);
    let (published, entry) = (&receipt.published, receipt.entry.as_ref());
    let form = &published.form;
    let texts = texts::texts(&form.locale);
    let owners_lang = texts.other(&form.locale);
    let theme = Theme::of_form(&published.parsed);
    let after = match entry {
        Some(entry) => after_submission::for_page(&published.parsed, entry, &cx),
        None => settings::after_submission(&published.parsed.settings),
    };
    let occasion = Occasion::of(call, receipt);
    let leads_to = entry
        .filter(|_| occasion == Occasion::Sent && preview.is_none() && call.query("cancelled").is_none())
        .and_then(|entry| after_submission::redirect(&published.parsed, entry, &cx));
    let embedded = is_embedded(call);
    // A respondent who comes back for the receipt is not redirected.
    let stays = embedded || call.query("stay").is_some();
    let change = |embedded: bool| {
        let entry = entry.filter(|_| receipt.may_edit)?;
        let address = changed_entry::address(call.app, &form.token, &entry.token, embedded);
        Some(address)
    };
    let certificate =
        entry.filter(|_| preview.is_none()).and_then(|entry| certificates::link(&published.parsed, entry, &cx));
    let code = entry.and_then(|entry| code_of(published, entry));
    let (change, link) = (change(embedded), change(false));
    let link = link.map(|path| format!("{}{path}", call.app.config.origin()));
    let answers = receipt.answers(&cx);
    let files = entry.filter(|_| answers.is_empty());
    let files = files.map_or_else(Vec::new, |entry| names(published, entry));
    // A respondent who has seen the right answers can't answer again.
    let tells_right = answers.iter().any(|answer| answer.marked.is_some());
    let again = (may_come_again(published) && !tells_right).then(|| {
        let form = address(&call.app.config, token);
        match preview {
            Some(address) => address.to_owned(),
            None if embedded => format!("{form}?embed=1"),
            None => form,
        }
    });
    let withdraw = |subject: Subject, may: bool| {
        let address = changed_entry::Address { form: &form.token, entry: entry.filter(|_| may)?, embedded };
        subject.address(call.app, &address)
    };
    let cancel = withdraw(Subject::Booking, receipt.may_edit);
    let leave = withdraw(Subject::Waiting, receipt.may_leave);
    let title = texts.say(occasion.title(receipt.ending()));
    let mut page = Page::new(&call.app.config, texts, PageShape::Plain, &title)
        .of_form(&form.locale)
        .theme(&theme)
        .masthead(Masthead::of(&call.app.config, &published.organization))
        .embedded(embedded)
        .hidden_from_search()
        // Most sites refuse to be shown in a frame: there a press leads on.
        .leads_to(leads_to.as_ref().filter(|_| !stays).map(Url::as_str));
    page = match preview {
        Some(_) => page.frameable(),
        None => page.script(if embedded { "embed.js" } else { "keep.js" }),
    };
    if !answers.is_empty() {
        page = page.script("receipt.js");
    }
    if link.is_some() {
        page = page.script("copy.js");
    }
    let content = html! {
        div.card.thanks data-sent=[(occasion.is_new() && preview.is_none()).then_some(token)] {
            (sign(occasion.sign()))
            p.muted lang=[owners_lang] { bdi { (form.name) } }
            @match occasion.text() {
                Some(text) => {
                    h1 { (title) }
                    p.lead { (texts.say(text)) }
                }
                None => (message(&title, texts, &after, &published.parsed.images, owners_lang)),
            }
            @if let Some(place) = entry.and_then(|entry| entry.waiting_position) {
                p.wait-place { (texts.fill("wait-place", &[("place", place.into())])) }
                p.muted { (texts.say("wait-keep")) }
            }
            @if occasion != Occasion::Left {
                div.serial {
                    p { (PreEscaped(serial_line(texts, serial))) }
                    @if let Some(entry) = entry {
                        @let when = states::moment(published, texts, entry.created_at);
                        p.muted.small {
                            time datetime=(entry.created_at) { (texts.fill("receipt-when", &[("when", when.into())])) }
                        }
                    }
                }
            }
            @if occasion != Occasion::Cancelled && receipt.is_cancelled() { p.hint { (texts.say("cancel-done-text")) } }
            (outcome::draw(receipt, texts, &cx))
            @if !files.is_empty() {
                p { (texts.say("done-files")) }
                ul.sent-files { @for name in &files { li { bdi { (name) } } } }
            }
            (drawn::answers(receipt, &answers, &cx, texts))
            (outcome::prices(receipt, texts, &cx))
            @let has_ways = leads_to.is_some() || certificate.is_some() || change.is_some() || cancel.is_some() || leave.is_some();
            @if has_ways || again.is_some() || !answers.is_empty() {
                p.row.ways {
                    @if let Some(address) = &leads_to {
                        a.button href=(address) rel="noopener noreferrer" target=[embedded.then_some("_top")] {
                            (texts.say("done-lead-on"))
                        }
                    }
                    @if let Some(address) = &certificate {
                        a.button.quiet[leads_to.is_some()] href=(address) download {
                            (texts.say("done-certificate"))
                        }
                    }
                    @if let Some(address) = &change {
                        a.button.quiet href=(address) { (texts.say("done-edit")) }
                    }
                    @if let Some(address) = &cancel {
                        a.button.quiet href=(address) { (texts.say("done-cancel")) }
                    }
                    @if let Some(address) = &leave {
                        a.button.quiet href=(address) { (texts.say("leave-button")) }
                    }
                    @if !answers.is_empty() {
                        button.button.quiet.scripted #print type="button" { (texts.say("receipt-print")) }
                    }
                    @if let Some(address) = &again {
                        a.button.quiet href=(address) {
                            (texts.say(if receipt.is_cancelled() { "done-book-again" } else { "done-again" }))
                        }
                    }
                }
            }
            @if let Some(code) = &code {
                (drawn::code(code, &certificates::address(&call.app.config, token), certificate.is_some(), texts))
            }
            @if let Some(link) = &link { (drawn::link(link, texts)) }
        }
    };
    let mut answer = page.answer(StatusCode::OK, &content);
    // The right to the entry, or a signed link, is on the page beside the owner's words.
    let has_right = change.is_some() || leave.is_some();
    answer.may_compress = answer.may_compress && !has_right && certificate.is_none();
    answer
}

/// The reason why the page is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Occasion {
    /// The entry was sent.
    Sent,
    /// It was sent, and waits for room.
    Waits,
    /// It was changed.
    Changed,
    /// Its booking was cancelled.
    Cancelled,
    /// Its booking is completed, so it was not cancelled.
    Completed,
    /// It has no booking that could be cancelled.
    NotBooked,
    /// It has left the waiting list, and is in the trash.
    Left,
}

impl Occasion {
    fn of(call: &Call, receipt: &Receipt) -> Self {
        let entry = receipt.entry.as_ref();
        let says = |name: &str| call.query(name).is_some_and(|value| value == "1");
        let status = entry.map(|entry| entry.results.reservation_status);
        let was_refused = call.query("cancelled").is_some_and(|value| value == "0");
        if receipt.has_left {
            Self::Left
        } else if says("cancelled") && receipt.is_cancelled() {
            Self::Cancelled
        } else if was_refused && status == Some(Some(ReservationStatus::Completed)) {
            Self::Completed
        } else if was_refused && status == Some(None) {
            Self::NotBooked
        } else if says("changed") {
            Self::Changed
        } else if entry.is_some_and(|entry| entry.results.is_waiting) {
            Self::Waits
        } else if receipt.is_cancelled() {
            Self::Cancelled
        } else {
            Self::Sent
        }
    }

    const fn title(self, ending: Ending) -> &'static str {
        match self {
            Self::Sent => match ending {
                Ending::Saved => "done-title",
                Ending::Registered => "done-registered",
                Ending::HandedIn => "done-handed-in",
                Ending::Booked => "done-booked",
                Ending::Ordered => "done-ordered",
            },
            Self::Waits => "wait-done-title",
            Self::Changed => "own-done-title",
            Self::Cancelled => "cancel-done",
            Self::Completed => "cancel-completed",
            Self::NotBooked => "cancel-none",
            Self::Left => "leave-done",
        }
    }

    /// The text id of the message; `None` for the owner's message.
    const fn text(self) -> Option<&'static str> {
        match self {
            Self::Sent => None,
            Self::Waits => Some("wait-done-text"),
            Self::Changed => Some("own-done-text"),
            Self::Cancelled => Some("cancel-done-then"),
            Self::Completed => Some("cancel-completed-text"),
            Self::NotBooked => Some("cancel-none-text"),
            Self::Left => Some("leave-done-text"),
        }
    }

    const fn sign(self) -> Sign {
        match self {
            Self::Waits => Sign::Clock,
            Self::Completed | Self::NotBooked => Sign::Question,
            Self::Sent | Self::Changed | Self::Cancelled | Self::Left => Sign::Check,
        }
    }

    /// Whether the browser need not keep the answers any more.
    const fn is_new(self) -> bool {
        matches!(self, Self::Sent | Self::Waits)
    }
}

/// The entry's verification code, where the form gives codes.
fn code_of(published: &Published, entry: &Entry) -> Option<String> {
    let gives_codes = published.parsed.settings.verification_code.enabled;
    // The code of a waiting entry is not valid yet.
    let code = entry.results.gen_code.clone();
    code.filter(|_| gives_codes && !entry.results.is_waiting)
}

/// The names of the entry's files, as far as respondents see them.
fn names(published: &Published, entry: &Entry) -> Vec<String> {
    if !published.parsed.files {
        return Vec::new();
    }
    let stored = stored::values(&entry.values).unwrap_or_default();
    let fields = published.parsed.definition.fields.with_values();
    let shown = fields.filter(|field| !field.hidden && field.kind.has_files());
    files::names(shown.filter_map(|field| stored.get(&field.api_code)))
}

/// Whether the form takes another answer from the same person.
fn may_come_again(published: &Published) -> bool {
    published.status == Status::Open && single_response::of(published) == OnePer::None
}

fn serial_line(texts: &Texts, serial: i64) -> String {
    let number = html! { strong { (serial) } }.into_string();
    let line = html! { (texts.fill("done-serial", &[("serial", "\u{1}".into())])) };
    line.into_string().replace('\u{1}', &number)
}

/// The owner's words, or ours with this title.
fn message(ours: &str, texts: &Texts, after: &AfterSubmission, images: &Images, owners_lang: Option<&str>) -> Markup {
    let own = &after.show_message;
    let filled = |text: &str| {
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let shows = after.mode == AfterMode::ShowMessage;
    if shows
        && own.style == MessageStyle::RichText
        && let Some(rich) = filled(&own.rich_text)
    {
        return html! {
            h1.visually-hidden { (ours) }
            div.rich lang=[owners_lang] { (rich_text::drawn(&rich_text::clean(&rich, images))) }
        };
    }
    let title = filled(&own.text.title).filter(|_| shows);
    let text = filled(&own.text.description).filter(|_| shows);
    let own_words = title.is_some() || text.is_some();
    html! {
        @match &title {
            Some(title) => h1 lang=[owners_lang] { (title) },
            None => h1 { (ours) },
        }
        @if let Some(text) = text { p.lead.lines lang=[owners_lang] { (text) } }
        @else if !own_words { p.lead { (texts.say("done-text")) } }
    }
}
