//! `/api/v1/oauth/authorize`: an application sends its user's browser here. The user signs in, sees the requested
//! access, and allows or denies it (S36). The request is carried in the address or the page's form throughout, and
//! is checked anew at each step.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use maud::{Markup, html};
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::text::texts::{self, Texts};
use crate::model::caller::Caller;
use crate::model::scope::Scope;
use crate::ops::accounts::sessions;
use crate::ops::oauth::authorize::{self, Asking, AuthorizationRequest, PARAMETERS, Unknown};
use crate::ops::oauth::{Params, redirect};
use crate::web::pages::ui::form::csrf_field;
use crate::web::pages::ui::layout::{CONSOLE_STYLE, Page, PageShape};
use crate::web::pages::ui::sign::{Sign, sign};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::{paths, session};

const PATH: &str = paths::AUTHORIZE;
/// The parameter with a packed authorization request.
const RESUME: &str = "resume";
/// Unicode isolates around a name whose text direction may differ, for texts without markup.
const ISOLATE: char = '\u{2068}';
const ISOLATE_END: char = '\u{2069}';

/// `GET /api/v1/oauth/authorize`
pub fn show(call: &Call) -> Result<Reply> {
    let params = match call.query(RESUME) {
        Some(resume) => unpacked(&resume),
        None => Params::new(call.pairs().map(|(k, v)| (k.into_owned(), v.into_owned()))),
    };
    let asking = match read(call, &params)? {
        Ok(asking) => asking,
        Err(answer) => return Ok(answer.into()),
    };
    let Some(caller) = session::optional_caller(call)? else {
        return Ok(to_sign_in(call, &params).into());
    };
    if asking.needs_consent(call.app, &caller.user)? {
        Ok(view(call, &caller, &asking, &params).into())
    } else {
        let redirect = asking.allow(call.app, &caller.user)?;
        Ok(Answer::see_other(&redirect).into())
    }
}

/// `POST /api/v1/oauth/authorize`
pub fn submit(call: &Call) -> Result<Reply> {
    let posted = call.form();
    let text = |name: &str| {
        let found = posted.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    };
    let params = match text(RESUME) {
        Some(resume) => unpacked(resume),
        None => Params::new(posted.iter().cloned()),
    };
    let asking = match read(call, &params)? {
        Ok(asking) => asking,
        Err(answer) => return Ok(answer.into()),
    };
    let Some(caller) = session::optional_caller(call)? else {
        return Ok(to_sign_in(call, &params).into());
    };
    if !session::is_ours(call, text("csrf")) {
        return Err(Error::StalePage);
    }
    Ok(match text("decision") {
        Some("approve") => Answer::see_other(&asking.allow(call.app, &caller.user)?),
        Some("deny") => Answer::see_other(&asking.deny(call.app)),
        Some("switch") => {
            sessions::end(call.app, session::cookie_value(call).unwrap_or_default())?;
            session::end(&call.app.config, to_sign_in(call, &params))
        }
        _ => view(call, &caller, &asking, &params),
    }
    .into())
}

/// The valid request, or the answer to an invalid one.
fn read(call: &Call, params: &Params) -> Result<std::result::Result<Box<Asking>, Answer>> {
    Ok(match authorize::read(call.app, params)? {
        AuthorizationRequest::Fine(asking) => Ok(asking),
        AuthorizationRequest::Refused(redirect) => Err(Answer::see_other(&redirect)),
        AuthorizationRequest::Unknown(unknown) => Err(dead_end(call, unknown)),
    })
}

/// Whether the page after sign-in is the consent page.
pub fn is_next(call: &Call, next: &str) -> bool {
    let path = next.split('?').next().unwrap_or_default();
    path.strip_prefix(call.app.config.base_path()) == Some(PATH)
}

/// The name of the application, if the page after sign-in is its consent page.
pub fn app_of(call: &Call, next: &str) -> Option<String> {
    if !is_next(call, next) {
        return None;
    }
    let (_, query) = next.split_once('?')?;
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    let (_, resume) = pairs.find(|(name, _)| name == RESUME)?;
    match authorize::read(call.app, &unpacked(&resume)).ok()? {
        AuthorizationRequest::Fine(asking) => Some(asking.client.name),
        AuthorizationRequest::Refused(_) | AuthorizationRequest::Unknown(_) => None,
    }
}

fn to_sign_in(call: &Call, params: &Params) -> Answer {
    let base = call.app.config.base_path();
    let next = format!("{base}{PATH}?{RESUME}={}", packed(params));
    let next: String = url::form_urlencoded::byte_serialize(next.as_bytes()).collect();
    session::to_page(&call.app.config, &format!("/sign-in?next={next}"))
}

/// Packs a request into one parameter. Compact, because an address that is nested in another must not grow too long.
fn packed(params: &Params) -> String {
    let known = params.pairs().iter();
    let known: Vec<_> = known.filter(|(name, _)| PARAMETERS.contains(&name.as_str())).collect();
    // Serializing texts can't fail.
    URL_SAFE_NO_PAD.encode(serde_json::to_vec(&known).unwrap_or_default())
}

/// Reverses `packed`; empty if the text was not made by it.
fn unpacked(text: &str) -> Params {
    let pairs: Option<Vec<(String, String)>> =
        URL_SAFE_NO_PAD.decode(text).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    Params::new(pairs.unwrap_or_default())
}

/// The page for a request without a valid client or redirect address: the browser is not redirected.
fn dead_end(call: &Call, unknown: Unknown) -> Answer {
    let texts = session::visitor_texts(call);
    let title = texts.say("consent-dead-end");
    let text = texts.say(match unknown {
        Unknown::Client => "consent-unknown-client",
        Unknown::Address => "consent-unknown-address",
    });
    let content = html! {
        div.card {
            (sign(Sign::Question))
            h1 { (title) }
            p.lead { (text) }
            p.muted { (texts.say("consent-dead-end-text")) }
        }
    };
    Page::new(&call.app.config, texts, PageShape::Plain, &title)
        .style(CONSOLE_STYLE)
        .hidden_from_search()
        .answer(StatusCode::BAD_REQUEST, &content)
}

fn view(call: &Call, caller: &Caller, asking: &Asking, params: &Params) -> Answer {
    let config = &call.app.config;
    let texts = texts::texts(&caller.user.locale);
    let name = &asking.client.name;
    // A right-to-left name must not change the direction of the text beside it.
    let title = texts.fill("consent-title", &[("app", format!("{ISOLATE}{name}{ISOLATE_END}").into())]);
    let template = texts.fill("consent-title", &[("app", ISOLATE_END.to_string().into())]);
    let (before, after) = template.split_once(ISOLATE_END).unwrap_or_default();
    let content = html! {
        form.card.consent method="post" action={ (config.base_path()) (PATH) } novalidate {
            (csrf_field(&session::csrf(call)))
            input type="hidden" name=(RESUME) value=(packed(params));
            (parties(name))
            h1 { (before) bdi { (name) } (after) }
            p.lead { (texts.say("consent-as")) " " strong { bdi { (caller.user.email) } } }
            h2 { (texts.say("consent-may")) }
            ul.may role="list" {
                @for scope in asking.scopes.iter() { li { (scope_item(texts, scope)) } }
            }
            @if asking.client.is_public() {
                p.message.warn.small { (texts.say("consent-public")) }
            }
            p.small.muted {
                (texts.say("consent-back")) " "
                strong { bdi { (redirect::display_name(&asking.redirect_uri)) } } "."
            }
            div.decide {
                button.button type="submit" name="decision" value="approve" { (texts.say("consent-allow")) }
                button.button.quiet type="submit" name="decision" value="deny" { (texts.say("consent-deny")) }
            }
            p.switch.small {
                button.as-link type="submit" name="decision" value="switch" { (texts.say("consent-switch")) }
            }
        }
    };
    Page::new(config, texts, PageShape::Plain, &title)
        .style(CONSOLE_STYLE)
        .hidden_from_search()
        .leads_to_app()
        .answer(StatusCode::OK, &content)
}

/// The application and this service, side by side.
fn parties(name: &str) -> Markup {
    let initial: String = name.chars().take(1).flat_map(char::to_uppercase).collect();
    html! {
        div.parties aria-hidden="true" {
            span.party { (initial) }
            svg viewBox="0 0 40 24" { path d="M4 12h32M28 5l8 7-8 7M12 5l-8 7 8 7" {} }
            span.party.own {
                svg viewBox="0 0 24 24" { path d="M6 3h12v18H6zM9 8h6M9 12h6M9 16h3" {} }
            }
        }
    }
}

fn scope_item(texts: &Texts, scope: Scope) -> Markup {
    html! {
        svg viewBox="0 0 24 24" aria-hidden="true" { path d="m5 12.5 4.5 4.5L19 7.5" {} }
        span { (texts.say(&format!("scope-{}", scope.name().replace(':', "-")))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_comes_back_as_it_went() {
        let pairs = |params: &Params| params.pairs().to_vec();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let asked = [pair("client_id", "x"), pair("state", "a b\r\n\"\\%2F\u{202e}"), pair("state", "twice")];
        let params = Params::new([asked.to_vec(), vec![pair("other", "y")]].concat());
        assert_eq!(pairs(&unpacked(&packed(&params))), asked);
        for bad in ["", "x", "W10", "e30", "WyJhIl0"] {
            assert!(pairs(&unpacked(bad)).is_empty(), "{bad}");
        }
    }

    #[test]
    fn the_longest_state_fits_into_the_address_of_the_sign_in_page() {
        let long = "+".repeat(2_048);
        let uri = format!("https://example.org/{}", "x".repeat(2_000));
        let params = [("state", long), ("redirect_uri", uri)];
        let params = params.map(|(name, value)| (name.to_owned(), value));
        assert!(packed(&Params::new(params)).len() < 7_000);
    }
}
