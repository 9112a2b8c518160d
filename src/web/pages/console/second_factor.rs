//! `/profile/second-factor`: an authenticator app beside the password.

use maud::{Markup, html};
use qrcode::{Color, QrCode};
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::secret::Secret;
use crate::base::texts::Texts;
use crate::model::caller::Caller;
use crate::ops::second_factor::{self, Offer, Proof};
use crate::web::call::Call;
use crate::web::pages::console::{self, Posted, line};
use crate::web::pages::layout::{LineField, Tone, csrf_field, message};
use crate::web::reply::{Answer, Reply};
use crate::web::session;

/// What is said of what was posted.
#[derive(Default)]
struct Said {
    codes: Vec<Secret>,
    faults: Vec<Issue>,
    /// The offer that was shown before.
    sealed: String,
}

/// `GET /profile/second-factor`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    Ok(view(call, caller, StatusCode::OK, Said::default())?.into())
}

/// `POST /profile/second-factor`: the answer shows the recovery codes, once.
pub fn enable(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let sealed = posted.text("offer");
    let proof = proof(call, &posted);
    let made = second_factor::enable(call.app, caller, &proof, sealed, posted.text("code"));
    codes(call, caller, made, sealed)
}

/// `POST /profile/second-factor/codes`: the answer shows the new ones, once.
pub fn renew_codes(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let made = second_factor::renew_codes(call.app, caller, &proof(call, &posted));
    codes(call, caller, made, "")
}

/// `POST /profile/second-factor/remove`
pub fn disable(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    match second_factor::disable(call.app, caller, &proof(call, &posted)) {
        Ok(()) => Ok(session::to_page(&call.app.config, "/profile?done=second-factor").into()),
        Err(error) => again(call, caller, error, ""),
    }
}

fn proof<'a>(call: &'a Call, posted: &Posted) -> Proof<'a> {
    Proof {
        session: session::text(call).unwrap_or_default(),
        password: Secret::new(posted.text("password").to_owned()),
        now: call.now,
    }
}

fn codes(call: &Call, caller: &Caller, made: Result<Vec<Secret>>, sealed: &str) -> Result<Reply> {
    match made {
        Ok(codes) => {
            let said = Said {
                codes,
                ..Said::default()
            };
            Ok(view(call, caller, StatusCode::OK, said)?.into())
        }
        Err(error) => again(call, caller, error, sealed),
    }
}

fn again(call: &Call, caller: &Caller, error: Error, sealed: &str) -> Result<Reply> {
    let said = Said {
        faults: console::faults(error)?,
        sealed: sealed.to_owned(),
        ..Said::default()
    };
    Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, said)?.into())
}

fn view(call: &Call, caller: &Caller, status: StatusCode, said: Said) -> Result<Answer> {
    let texts = console::texts_of(&caller.user);
    let csrf = session::csrf(call);
    let left = second_factor::codes_left(call.app, caller.user.id)?;
    let title = texts.say("second-title");
    let base = call.app.config.base_path();
    let content = html! {
        div.wide.stack {
            p { a href={ (base) "/profile" } { (texts.say("profile-title")) } }
            h1 { (title) }
            @if !said.faults.is_empty() {
                (message(Tone::Bad, &texts.say("account-faults"), ""))
            }
            @if !said.codes.is_empty() {
                section.message.good.stack role="status" {
                    h2 { (texts.say("second-codes")) }
                    p { (texts.say("second-codes-once")) }
                    pre { code #codes {
                        @for code in &said.codes { (code.reveal()) "\n" }
                    } }
                }
            }
            @match left {
                None => (offer(call, caller, texts, &csrf, &said)?),
                Some(left) => (settled(base, texts, &csrf, &said, left)),
            }
        }
    };
    Ok(console::page(call, &caller.user, &csrf, texts, &title).answer(status, &content))
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
            (picture(&address, &texts.say("second-picture")))
            p { (texts.say("second-type")) }
            pre.wrap { code #secret { (secret.reveal()) } }
            p { a href=(address.reveal()) { (texts.say("second-open")) } }
            form method="post" action={ (base) "/profile/second-factor" } {
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
            form method="post" {
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

/// The address as a picture to scan; nothing where it is too long for one.
fn picture(address: &Secret, name: &str) -> Markup {
    const MARGIN: usize = 4;
    let Ok(code) = QrCode::new(address.reveal()) else {
        return html! {};
    };
    let width = code.width();
    let dark = code.to_colors().into_iter().enumerate();
    let path: String = dark
        .filter(|(_, color)| *color == Color::Dark)
        .map(|(i, _)| format!("M{} {}h1v1h-1z", i % width + MARGIN, i / width + MARGIN))
        .collect();
    let side = width + 2 * MARGIN;
    html! {
        svg.scan viewBox={ "0 0 " (side) " " (side) } role="img" aria-label=(name) {
            rect width=(side) height=(side) fill="#ffffff" {}
            path d=(path) fill="#000000" {}
        }
    }
}
