//! `/profile/second-factor`: an authenticator app beside the password.

use maud::{Markup, html};
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::secret::Secret;
use crate::base::texts::Texts;
use crate::model::caller::Caller;
use crate::ops::second_factor::{self, Offer, Proof};
use crate::ops::shown_once::SecretKind;
use crate::web::call::Call;
use crate::web::pages::console::widgets::{self, copyable, shown_already};
use crate::web::pages::console::{self, Posted, line};
use crate::web::pages::layout::{LineField, csrf_field};
use crate::web::pages::qr;
use crate::web::reply::{Answer, Reply};
use crate::web::session;

/// The ids of the fields, and of their labels' words.
const FIELDS: [(&str, &str); 2] = [
    ("code", "sign-in-code"),
    ("password", "profile-password-old"),
];

/// What is said of what was posted.
#[derive(Default)]
struct Said {
    faults: Vec<Issue>,
    /// The offer that was shown before.
    sealed: String,
}

/// `GET /profile/second-factor`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    Ok(view(call, caller, StatusCode::OK, Said::default())?.into())
}

/// `POST /profile/second-factor`: leads to the page that shows the recovery codes, once.
pub fn enable(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let sealed = posted.text("offer");
    let proof = proof(call, &posted);
    let made = second_factor::enable(call.app, caller, &proof, sealed, posted.text("code"));
    codes(call, caller, made, &posted)
}

/// `POST /profile/second-factor/codes`: leads to the page that shows the new ones, once.
pub fn renew_codes(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let made = second_factor::renew_codes(call.app, caller, &proof(call, &posted));
    codes(call, caller, made, &posted)
}

/// `POST /profile/second-factor/remove`
pub fn disable(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    match second_factor::disable(call.app, caller, &proof(call, &posted)) {
        Ok(()) => Ok(session::to_page(&call.app.config, "/profile?done=second-factor").into()),
        Err(error) => again(call, caller, error, &posted),
    }
}

fn proof<'a>(call: &'a Call, posted: &Posted) -> Proof<'a> {
    Proof {
        session: session::text(call).unwrap_or_default(),
        password: Secret::new(posted.text("password").to_owned()),
        now: call.now,
    }
}

fn codes(
    call: &Call,
    caller: &Caller,
    made: Result<Vec<Secret>>,
    posted: &Posted,
) -> Result<Reply> {
    match made {
        Ok(codes) => {
            let lines: Vec<&str> = codes.iter().map(Secret::reveal).collect();
            let lines = Secret::new(lines.join("\n"));
            let session = session::text(call).unwrap_or_default();
            let kept = &call.app.shown_once;
            kept.keep(session, SecretKind::RecoveryCodes, lines, call.now);
            Ok(session::to_page(&call.app.config, "/profile/second-factor/codes").into())
        }
        Err(error) => again(call, caller, error, posted),
    }
}

/// `GET /profile/second-factor/codes`: shows the recovery codes that were just made; a second time there are none.
pub fn show_codes(call: &Call, caller: &Caller) -> Result<Reply> {
    let texts = console::texts_of(&caller.user);
    let session = session::text(call).unwrap_or_default();
    let codes = call
        .app
        .shown_once
        .take(session, SecretKind::RecoveryCodes, call.now);
    let title = texts.say("second-codes");
    let content = html! {
        div.wide.stack {
            p { a href={ (call.app.config.base_path()) "/profile/second-factor" } { (texts.say("second-title")) } }
            h1 { (title) }
            @match &codes {
                Some(codes) => section.card.stack {
                    p.lead { (texts.say("second-codes-once")) }
                    (copyable(texts, "codes", codes.reveal(), &texts.say("copy-codes")))
                },
                None => (shown_already(texts, "once-gone-codes")),
            }
        }
    };
    let page = console::page(call, &caller.user, &session::csrf(call), texts, &title);
    Ok(page
        .script("copy.js")
        .answer(StatusCode::OK, &content)
        .into())
}

fn again(call: &Call, caller: &Caller, error: Error, posted: &Posted) -> Result<Reply> {
    let said = Said {
        faults: console::faults(error, posted)?,
        sealed: posted.text("offer").to_owned(),
    };
    Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, said)?.into())
}

fn view(call: &Call, caller: &Caller, status: StatusCode, said: Said) -> Result<Answer> {
    let texts = console::texts_of(&caller.user);
    let csrf = session::csrf(call);
    let left = second_factor::codes_left(call.app, caller.user.id)?;
    let heading = texts.say("second-title");
    let title = widgets::title(texts, &heading, !said.faults.is_empty());
    let base = call.app.config.base_path();
    let content = html! {
        div.wide.stack {
            p { a href={ (base) "/profile" } { (texts.say("profile-title")) } }
            h1 { (heading) }
            @if left.is_none() { (widgets::summary(texts, &said.faults, &FIELDS)) }
            @match left {
                None => (offer(call, caller, texts, &csrf, &said)?),
                Some(left) => (settled(base, texts, &csrf, &said, left)),
            }
        }
    };
    let page = console::page(call, &caller.user, &csrf, texts, &title);
    let page = page.script("password.js").script("copy.js");
    Ok(page.answer(status, &content))
}

fn offer(call: &Call, caller: &Caller, texts: &Texts, csrf: &str, said: &Said) -> Result<Markup> {
    let Offer {
        secret,
        address,
        sealed,
    } = second_factor::offer_again(call.app, &caller.user, &said.sealed)
        .or_else(|_| second_factor::offer(call.app, &caller.user))?;
    let base = call.app.config.base_path();
    Ok(html! {
        section.card.stack {
            p { (texts.say("second-text")) }
            (qr::picture(address.reveal(), &texts.say("second-picture")))
            p { (texts.say("second-type")) }
            (copyable(texts, "secret", secret.reveal(), &texts.say("copy-key")))
            p { a href=(address.reveal()) { (texts.say("second-open")) } }
            form method="post" action={ (base) "/profile/second-factor" } novalidate {
                (csrf_field(csrf))
                input type="hidden" name="offer" value=(sealed);
                (line(texts, &said.faults, LineField {
                    name: "code",
                    label: &texts.say("sign-in-code"),
                    autocomplete: "one-time-code",
                    required: true,
                    ..LineField::default()
                }))
                (password(texts, said))
                button.button type="submit" { (texts.say("second-enable")) }
            }
        }
    })
}

fn settled(base: &str, texts: &Texts, csrf: &str, said: &Said, left: i64) -> Markup {
    html! {
        section.card.stack {
            p { (texts.fill("second-is-on", &[("left", left.into())])) }
            form method="post" novalidate {
                (csrf_field(csrf))
                (password(texts, said))
                div.row {
                    button.button.quiet type="submit"
                        formaction={ (base) "/profile/second-factor/codes" } {
                        (texts.say("second-renew"))
                    }
                    button.button.danger type="submit"
                        formaction={ (base) "/profile/second-factor/remove" } {
                        (texts.say("second-disable"))
                    }
                }
            }
        }
    }
}

fn password(texts: &Texts, said: &Said) -> Markup {
    line(
        texts,
        &said.faults,
        LineField {
            name: "password",
            label: &texts.say("profile-password-old"),
            kind: "password",
            autocomplete: "current-password",
            required: true,
            ..LineField::default()
        },
    )
}
