//! `/forms/{form_token}/share/prefilled`: a link that opens the form with answers filled in, its code, and the same link
//! for each channel. The page's address has the link's query, so that it can be kept and changed.

use maud::{Markup, Render, html};
use url::form_urlencoded::Serializer;
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::model::caller::Caller;
use crate::ops::entries::channels;
use crate::web::pages::console;
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::share::link;
use crate::web::pages::form::prefill::{MOST_CHARACTERS, MOST_X_FIELD};
use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::qr;
use crate::web::pages::ui::section::{Columns, EmptyState, Section};
use crate::web::pages::ui::share::channels::{Channel, Channels};
use crate::web::pages::ui::share::code::Code;
use crate::web::pages::ui::share::link_line::LinkLine;
use crate::web::pages::ui::words::small;
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;

const MOST_CHANNELS: usize = 50;
const CHANNELS: &str = "channels";
const WHERE_FROM: &str = "x_field_1";

/// On the page of the link: the way to one that fills answers in.
pub fn section(frame: &FormFrame) -> Markup {
    Section {
        id: "prefilled",
        title: html! { (frame.say("prefilled-title")) },
        text: &frame.say("prefilled-text"),
        content: Button {
            label: &frame.say("prefilled-begin"),
            press: Press::Go(&frame.address("preview?prefill=1")),
            ..Button::default()
        }
        .render(),
    }
    .render()
}

/// `GET /forms/{form_token}/share/prefilled`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    let pairs: Vec<(String, String)> = call
        .pairs()
        .filter(|(name, _)| name.starts_with("field_") || name == WHERE_FROM)
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    let content = html! {
        (frame.head(FormPage::Share, true))
        p { a href=(frame.address("share")) { (frame.say("share-back")) } }
        @if !frame.view.form.published {
            (link::unpublished(&frame, false))
        } @else {
            (Columns { main: own(&frame, &pairs), side: code(&frame, &pairs), is_level: true })
            (channels(&frame, &pairs)?)
        }
    };
    let title = frame.title(&frame.say("prefilled-page"));
    let page = console::page(call, &caller.user, &frame.csrf, frame.texts, &title);
    Ok(page.script("copy.js").script("share.js").answer(StatusCode::OK, &content).into())
}

fn query_of(pairs: &[(String, String)]) -> String {
    Serializer::new(String::new()).extend_pairs(pairs).finish()
}

fn address_of(frame: &FormFrame, pairs: &[(String, String)]) -> String {
    let query = query_of(pairs);
    if query.is_empty() { link::address(frame) } else { format!("{}?{query}", link::address(frame)) }
}

fn own(frame: &FormFrame, pairs: &[(String, String)]) -> Markup {
    let address = address_of(frame, pairs);
    let length = address.chars().count();
    let told = [("length", length.into()), ("most", MOST_CHARACTERS.into())];
    let (open, again) = (frame.say("link-open"), frame.say("prefilled-again"));
    let to_fill = frame.address(&format!("preview?prefill=1&{}", query_of(pairs)));
    let go = |label: &str, address: &str| Button { label, press: Press::Go(address), ..Button::default() }.render();
    Section {
        id: "prefilled",
        title: html! { (frame.say("prefilled-title")) },
        text: &frame.say("prefilled-text"),
        content: html! {
            @if pairs.is_empty() {
                (EmptyState { text: &frame.say("prefilled-none"), actions: go(&again, &to_fill) })
            } @else {
                @if length > MOST_CHARACTERS {
                    (message(Tone::Bad, &frame.say("prefilled-long"), &frame.texts.fill("prefilled-long-text", &told)))
                }
                (LinkLine {
                    id: "link",
                    labelled_by: "prefilled",
                    address: &address,
                    actions: html! { (go(&open, &address)) (go(&again, &to_fill)) },
                    texts: frame.texts,
                })
                (small(frame.texts.fill("prefilled-length", &told)))
            }
        },
    }
    .render()
}

/// The code; nothing without a link.
fn code(frame: &FormFrame, pairs: &[(String, String)]) -> Markup {
    if pairs.is_empty() {
        return Markup::default();
    }
    let address = address_of(frame, pairs);
    Section {
        id: "code",
        title: html! { (frame.say("share-code")) },
        content: html! {
            @if qr::holds(&address) {
                (Code {
                    text: &address,
                    name: &frame.say("prefilled-code-name"),
                    actions: Markup::default(),
                })
            } @else {
                p { (frame.say("prefilled-code-long")) }
            }
        },
        ..Section::default()
    }
    .render()
}

/// The same link for each place where it will stand: those that are typed, and those by which entries came.
fn channels(frame: &FormFrame, pairs: &[(String, String)]) -> Result<Markup> {
    let counted = channels::counted(frame.call.app, frame.caller, frame.view.form.token.as_str())?;
    let typed = frame.call.query(CHANNELS).unwrap_or_default();
    let own: Vec<(String, String)> = pairs.iter().filter(|(name, _)| name != WHERE_FROM).cloned().collect();
    let mut names: Vec<&str> = typed.lines().map(str::trim).filter(|name| !name.is_empty()).collect();
    let is_over = names.len() > MOST_CHANNELS || names.iter().any(|name| name.chars().count() > MOST_X_FIELD);
    names.retain(|name| name.chars().count() <= MOST_X_FIELD);
    names.truncate(MOST_CHANNELS);
    let known = counted.iter().map(|(name, count)| (name.as_str(), *count));
    let others: Vec<(&str, i64)> = known.filter(|(name, _)| !names.contains(name)).collect();
    let mut all: Vec<(&str, i64)> = Vec::new();
    for name in names {
        let count = counted.iter().find(|(known, _)| known == name).map_or(0, |(_, count)| *count);
        all.push((name, count));
    }
    all.extend(others);
    let counts: Vec<String> = all
        .iter()
        .map(|(_, count)| frame.texts.fill("prefilled-channel-entries", &[("count", (*count).into())]))
        .collect();
    let links = all.iter().zip(&counts).map(|((name, _), count)| {
        let mut pairs = own.clone();
        pairs.push((WHERE_FROM.to_owned(), (*name).to_owned()));
        Channel { name, address: address_of(frame, &pairs), count }
    });
    let most = [("most", MOST_CHANNELS.into()), ("characters", MOST_X_FIELD.into())];
    let fault = if is_over { frame.texts.fill("prefilled-channels-long", &most) } else { String::new() };
    let section = Section {
        id: "channels-title",
        title: html! { (frame.say("prefilled-channels")) },
        text: &frame.say("prefilled-channels-text"),
        content: Channels {
            action: &frame.address("share/prefilled"),
            kept: &own,
            name: CHANNELS,
            label: &frame.say("prefilled-channels-label"),
            notes: &frame.texts.fill("prefilled-channels-notes", &most[..1]),
            fault: &fault,
            typed: &typed,
            button: &frame.say("prefilled-channels-button"),
            links: links.collect(),
            code: &frame.say("share-code"),
            texts: frame.texts,
        }
        .render(),
    };
    Ok(section.render())
}
