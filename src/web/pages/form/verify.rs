//! `/f/{form_token}/verify`: tells whether a verification code is one of the form, and people the masked name on its
//! certificate, so that a code that was copied from another one shows. Programs that ask for JSON get the former alone.

use maud::{Markup, html};
use warp::http::{StatusCode, header};

use crate::base::config::Config;
use crate::base::error::{Error, Result};
use crate::base::text::texts::{self, Texts};
use crate::ops::exams::verification::{self, Verified};
use crate::ops::forms::published::Published;
use crate::web::forms::verification as codes;
use crate::web::pages::form::wants_json;
use crate::web::pages::ui::field::{LineField, line_field};
use crate::web::pages::ui::layout::{Page, PageShape};
use crate::web::pages::ui::masthead::Masthead;
use crate::web::pages::ui::sign::{Sign, sign};
use crate::web::pages::ui::theme::Theme;
use crate::web::request::call::Call;
use crate::web::request::error;
use crate::web::request::rates::{self, Visit};
use crate::web::request::reply::{Answer, Reply};

/// The most of a typed code that is shown again.
const MOST_SHOWN: usize = 64;

/// The state of the page.
enum CodeState {
    Ask,
    Valid(Verified),
    Invalid,
    /// Too many tries: wait for so many seconds.
    Wait(u64),
}

/// `GET /f/{form_token}/verify`
pub fn show(call: &Call) -> Result<Reply> {
    let answer = if wants_json(call) {
        let refused = |error| error::reply(error, call.pattern, call.request_id).json();
        codes::answer(call).unwrap_or_else(refused)
    } else {
        page(call)?
    };
    Ok(answer.header(header::VARY, "Accept").into())
}

fn page(call: &Call) -> Result<Answer> {
    let published = verification::form(call.app, call.param("form_token"))?;
    let typed = call.query("code").unwrap_or_default();
    let typed = typed.trim();
    let state = if typed.is_empty() {
        CodeState::Ask
    } else {
        match rates::count_visit(call, Visit::Verification) {
            Ok(()) => verification::verify(call.app, &published, typed)?.map_or(CodeState::Invalid, CodeState::Valid),
            Err(Error::TooMany(secs)) => CodeState::Wait(secs),
            Err(error) => return Err(error),
        }
    };
    let answer = drawn(&call.app.config, &published, &state, typed);
    Ok(match state {
        CodeState::Wait(secs) => answer.header(header::RETRY_AFTER, &secs.to_string()),
        _ => answer,
    })
}

fn drawn(config: &Config, published: &Published, state: &CodeState, typed: &str) -> Answer {
    let form = &published.form;
    let texts = texts::texts(&form.locale);
    let (key, icon, status) = match state {
        CodeState::Ask => ("verify", None, StatusCode::OK),
        CodeState::Valid(_) => ("verify-valid", Some(Sign::Check), StatusCode::OK),
        CodeState::Invalid => ("verify-invalid", Some(Sign::Question), StatusCode::OK),
        CodeState::Wait(_) => ("verify-wait", Some(Sign::Clock), StatusCode::TOO_MANY_REQUESTS),
    };
    let title = texts.say(key);
    let content = html! {
        div.card.thanks {
            @if let Some(icon) = icon { (sign(icon)) }
            // A form with a password is not named to visitors without it.
            @if !published.has_password() {
                p.muted lang=[texts.other(&form.locale)] { bdi { (form.name) } }
            }
            h1 { (title) }
            // A code that is not valid stands in the field, to be corrected.
            @if matches!(state, CodeState::Valid(_)) { p.typed-code { bdi { (shortened(typed)) } } }
            p.lead { (text(texts, state, key)) }
            @if let CodeState::Valid(Verified { masked_name: Some(name) }) = state {
                p { (texts.fill("verify-name", &[("name", name.as_str().into())])) }
                p.muted { (texts.say("verify-name-text")) }
            }
            (question(config, texts, published, state, typed))
        }
    };
    let theme = Theme::of_form(&published.parsed);
    let mut page = Page::new(config, texts, PageShape::Plain, &title).of_form(&form.locale);
    page = match published.has_password() {
        false => page.theme(&theme).masthead(Masthead::of(config, &published.organization)),
        true => page.masthead(Masthead::nameless(&published.organization)),
    };
    page.hidden_from_search().answer(status, &content)
}

fn text(texts: &Texts, state: &CodeState, key: &str) -> String {
    let wait = match state {
        CodeState::Wait(secs) => i64::try_from(*secs).unwrap_or(i64::MAX),
        CodeState::Ask | CodeState::Valid(_) | CodeState::Invalid => 0,
    };
    texts.fill(&format!("{key}-text"), &[("wait", wait.into())])
}

fn question(config: &Config, texts: &Texts, published: &Published, state: &CodeState, typed: &str) -> Markup {
    let path = format!("{}/f/{}/verify", config.base_path(), published.form.token);
    let (is_first, is_anew) = (matches!(state, CodeState::Ask), matches!(state, CodeState::Valid(_)));
    // A code that was wrong is corrected rather than typed anew.
    let value = match state {
        CodeState::Invalid | CodeState::Wait(_) => shortened(typed),
        CodeState::Ask | CodeState::Valid(_) => String::new(),
    };
    html! {
        form.verify method="get" action=(path) {
            (line_field(&LineField {
                name: "code",
                label: &texts.say(if is_anew { "verify-another" } else { "verify-code" }),
                value: &value,
                autocomplete: "off",
                required: true,
                focus: is_first,
                ..LineField::default()
            }))
            button.button.quiet[is_anew] { (texts.say("verify-button")) }
        }
    }
}

fn shortened(typed: &str) -> String {
    typed.chars().take(MOST_SHOWN).collect()
}
