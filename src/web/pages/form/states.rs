//! Pages in place of a form: closed, not yet open, full, locked, already answered, not editable.

use maud::{Markup, html};
use warp::http::{StatusCode, header};

use crate::base::clock::Time;
use crate::base::text::texts::{self, Texts};
use crate::fields::display::moment;
use crate::ops::app::App;
use crate::ops::forms::availability::Status;
use crate::ops::forms::published::{self, Published};
use crate::web::pages::form::{address, is_embedded, preview};
use crate::web::pages::ui::field::{LineField, line_field};
use crate::web::pages::ui::layout::{Page, PageShape};
use crate::web::pages::ui::masthead::Masthead;
use crate::web::pages::ui::sign::{Sign, sign};
use crate::web::pages::ui::theme::Theme;
use crate::web::request::call::Call;
use crate::web::request::reply::Answer;

/// Its seconds.
pub const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
pub const DAY: i64 = 24 * HOUR;

/// Title and text for a status that is not open.
pub fn words(texts: &Texts, status: Status) -> (String, String) {
    let key = match status {
        Status::Open => "open",
        Status::NotOpen => "not-open",
        Status::Closed => "closed",
        Status::Full => "full",
    };
    (texts.say(&format!("form-{key}")), texts.say(&format!("form-{key}-text")))
}

/// The page of a form that is closed, full or not yet open. `more` is a text below about the answers that a respondent
/// came for.
pub fn page(call: &Call, published: &Published, more: Option<&str>) -> Answer {
    let form = &published.form;
    let texts = texts::texts(&form.locale);
    let theme = Theme::of_form(&published.parsed);
    let (title, text) = words(texts, published.status);
    let embedded = is_embedded(call);
    let mut page = Page::new(&call.app.config, texts, PageShape::Plain, &form.name)
        .of_form(&form.locale)
        .owners_title()
        .theme(&theme)
        .masthead(Masthead::of(&call.app.config, &published.organization))
        .preview(preview::of(&call.app.config, published, &theme))
        .embedded(embedded);
    if embedded {
        page = page.script("embed.js");
    }
    let opens = (published.status == Status::NotOpen).then_some(published.availability().schedule.start_at).flatten();
    if opens.is_some() {
        page = page.script("countdown.js");
    }
    page.answer(
        StatusCode::OK,
        &html! {
            div.card {
                (sign(if opens.is_some() { Sign::Clock } else { Sign::Lock }))
                p.muted lang=[texts.other(&form.locale)] { bdi { (form.name) } }
                h1 { (title) }
                @if let Some(at) = opens {
                    p.lead { (texts.fill("form-opens-at", &[("when", moment(published, texts, at).into())])) }
                    @if published.availability().show_countdown { (countdown(texts, call.now, at, true)) }
                } @else {
                    p.lead { (text) }
                }
                @if let Some(more) = more { p { (more) } }
            }
        },
    )
}

/// The page of a form that has the respondent's answer already, and takes one from each. `change` leads to
/// it, where they may change it.
pub fn answered(app: &App, published: &Published, change: Option<&str>, status: StatusCode) -> Answer {
    let texts = texts::texts(&published.form.locale);
    let content = html! {
        (sign(Sign::Check))
        p.muted lang=[texts.other(&published.form.locale)] { bdi { (published.form.name) } }
        h1 { (texts.say("answered-title")) }
        p.lead { (texts.say("answered-text")) }
        @if let Some(address) = change {
            p { a.button href=(address) { (texts.say("done-edit")) } }
        }
    };
    let token = published.form.token.as_str();
    let mut answer = card(app, published, Card::FormPost(token), &content, status);
    answer.may_compress = answer.may_compress && change.is_none();
    answer
}

/// The page in another site's frame where the form must know its respondent: there it can't.
pub fn alone(app: &App, published: &Published, status: StatusCode) -> Answer {
    let texts = texts::texts(&published.form.locale);
    let content = html! {
        (sign(Sign::Lock))
        p.muted lang=[texts.other(&published.form.locale)] { bdi { (published.form.name) } }
        h1 { (texts.say("alone-title")) }
        p.lead { (texts.say("alone-text")) }
        p {
            a.button href=(address(&app.config, published.form.token.as_str())) target="_blank" {
                (texts.say("form-open-it"))
            }
        }
    };
    card(app, published, Card::Framed, &content, status)
}

/// The page for respondents who want to change answers that the form's owner no longer lets them change.
pub fn fixed(app: &App, published: &Published, embedded: bool) -> Answer {
    let texts = texts::texts(&published.form.locale);
    let content = html! {
        (sign(Sign::Lock))
        p.muted lang=[texts.other(&published.form.locale)] { bdi { (published.form.name) } }
        h1 { (texts.say("own-fixed")) }
        p.lead { (texts.say("own-fixed-text")) }
    };
    let kind = if embedded { Card::Framed } else { Card::Plain };
    card(app, published, kind, &content, StatusCode::FORBIDDEN)
}

/// A page about a respondent's own entry, for its respondent alone.
pub fn own_card(app: &App, published: &Published, embedded: bool, content: &Markup) -> Answer {
    let kind = if embedded { Card::Framed } else { Card::Plain };
    let mut answer = card(app, published, kind, content, StatusCode::OK);
    // The right to the entry is on the page beside the owner's words.
    answer.may_compress = false;
    answer
}

/// The contents of a card besides its words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Card<'a> {
    /// No more than them.
    Plain,
    /// In another site's frame.
    Framed,
    /// For somebody whose answers to the form of this token are stored: the browser need not keep any.
    FormPost(&'a str),
}

fn card(app: &App, published: &Published, kind: Card, content: &Markup, status: StatusCode) -> Answer {
    let form = &published.form;
    let theme = Theme::of_form(&published.parsed);
    let mut page = Page::new(&app.config, texts::texts(&form.locale), PageShape::Plain, &form.name)
        .of_form(&form.locale)
        .owners_title()
        .theme(&theme)
        .masthead(Masthead::of(&app.config, &published.organization))
        .embedded(kind == Card::Framed);
    let sent = match kind {
        Card::Plain => None,
        Card::Framed => {
            page = page.script("embed.js");
            None
        }
        Card::FormPost(token) => {
            page = page.script("keep.js");
            Some(token)
        }
    };
    page.answer(status, &html! { div.card data-sent=[sent] { (content) } })
}

/// The line that says until when an open form takes answers, where its owner wants that.
pub fn closing(published: &Published, texts: &Texts, now: Time) -> Markup {
    let availability = published.availability();
    let at = availability.schedule.end_at.filter(|_| availability.show_countdown);
    html! {
        @if let Some(at) = at {
            div.before-form {
                p.muted { (texts.fill("form-closes-at", &[("when", moment(published, texts, at).into())])) }
                (countdown(texts, now, at, false))
            }
        }
    }
}

/// When a form opens whose questions are shown before.
pub fn opening(published: &Published, texts: &Texts, now: Time) -> Markup {
    let availability = published.availability();
    let is_early = published.status == Status::NotOpen;
    html! {
        @if let Some(at) = availability.schedule.start_at.filter(|_| is_early) {
            div.before-form {
                p.muted { (texts.fill("form-opens-at", &[("when", moment(published, texts, at).into())])) }
                @if availability.show_countdown { (countdown(texts, now, at, false)) }
            }
        }
    }
}

/// How long it is until then; the script keeps it true.
pub fn countdown(texts: &Texts, now: Time, at: Time, reloads: bool) -> Markup {
    html! {
        p.countdown data-until=(at.millis()) data-now=(now.millis()) data-reloads[reloads] role="timer" {
            (duration(texts, at.secs_since(now)))
        }
    }
}

/// How long something takes, in its two largest units.
pub fn duration(texts: &Texts, secs: i64) -> String {
    let (days, hours, minutes) = (secs / DAY, secs % DAY / HOUR, secs % HOUR / MINUTE);
    let parts = match secs {
        DAY.. => vec![("days", days), ("hours", hours)],
        HOUR.. => vec![("hours", hours), ("minutes", minutes)],
        _ => vec![("minutes", minutes.max(1))],
    };
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(unit, count)| texts.fill(&format!("form-{unit}"), &[("count", count.into())]))
        .collect();
    parts.join(" ")
}

/// A moment in the form's timezone, as people write it.
pub fn moment(published: &Published, texts: &Texts, at: Time) -> String {
    moment::show(at.timestamp(), &published.parsed.timezone, texts, &published.form.locale)
}

/// The page that asks for the form's password. It tells nothing of the form, not even its name; `typed` is the post
/// without the right password, carried along until it comes.
pub fn locked(call: &Call, was_wrong: bool, typed: &[(String, String)]) -> Answer {
    let texts = crate::web::pages::error::reader_texts(call.headers);
    let fault = if was_wrong { texts.say("form-password-wrong") } else { String::new() };
    lock(call, StatusCode::FORBIDDEN, &fault, typed)
}

/// The same, where too many wrong ones were tried to try another now.
pub fn locked_for(call: &Call, secs: u64, typed: &[(String, String)]) -> Answer {
    let texts = crate::web::pages::error::reader_texts(call.headers);
    let wait = i64::try_from(secs).unwrap_or(i64::MAX);
    let fault = texts.fill("form-password-wait", &[("wait", wait.into())]);
    lock(call, StatusCode::TOO_MANY_REQUESTS, &fault, typed).header(header::RETRY_AFTER, &secs.to_string())
}

fn lock(call: &Call, status: StatusCode, fault: &str, typed: &[(String, String)]) -> Answer {
    let texts = crate::web::pages::error::reader_texts(call.headers);
    let title = texts.say("form-locked");
    let embedded = is_embedded(call);
    let mut page = Page::new(&call.app.config, texts, PageShape::Plain, &title).embedded(embedded);
    if embedded {
        page = page.script("embed.js");
    }
    if let Ok(organization) = published::organization(call.app, call.param("form_token")) {
        page = page.masthead(Masthead::nameless(&organization));
    }
    let mut action = format!("{}{}", call.app.config.base_path(), call.path);
    if !call.query.is_empty() {
        action = format!("{action}?{}", call.query);
    }
    page.hidden_from_search().answer(
        status,
        &html! {
            div.card {
                (sign(Sign::Lock))
                h1 { (title) }
                p.lead { (texts.say(if typed.is_empty() { "form-locked-text" } else { "form-locked-typed" })) }
                form method="post" action=(action) novalidate {
                    input type="hidden" name="_action" value="open";
                    @for (name, value) in typed { input type="hidden" name=(name) value=(value); }
                    (line_field(&LineField {
                        name: "_password",
                        label: &texts.say("form-password"),
                        kind: "password",
                        fault,
                        autocomplete: "off",
                        required: true,
                        ..LineField::default()
                    }))
                    button.button { (texts.say("form-open-it")) }
                }
            }
        },
    )
}
