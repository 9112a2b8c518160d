//! `/profile/second-factor`: two-step verification with an authenticator app.

use maud::{Markup, Render, html};
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::secret::Secret;
use crate::base::text::texts::Texts;
use crate::model::caller::Caller;
use crate::ops::accounts::second_factor::{self, Offer, Proof};
use crate::ops::accounts::shown_once::SecretKind;
use crate::web::pages::console::widgets::{self, copyable, shown_already};
use crate::web::pages::console::{self, Posted, line};
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::field::LineField;
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::qr;
use crate::web::pages::ui::section::Section;
use crate::web::pages::ui::words::{lead, row};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// The ids of the fields, and the text ids of their labels.
const FIELDS: [(&str, &str); 2] = [("code", "sign-in-code"), ("password", "profile-password-old")];

/// A post that failed.
#[derive(Default)]
struct FailedPost {
    faults: Vec<Issue>,
    /// The offer that the page showed.
    sealed_offer: String,
}

/// `GET /profile/second-factor`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    Ok(view(call, caller, StatusCode::OK, FailedPost::default())?.into())
}

/// `POST /profile/second-factor`: redirects to the page that shows the recovery codes once.
pub fn enable(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let sealed = posted.text("offer");
    let proof = proof(call, &posted);
    let made = second_factor::enable(call.app, caller, &proof, sealed, posted.text("code"));
    codes(call, caller, made, &posted)
}

/// `POST /profile/second-factor/codes`: redirects to the page that shows the new codes once.
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
        Err(error) => show_faults(call, caller, error, &posted),
    }
}

fn proof<'a>(call: &'a Call, posted: &Posted) -> Proof<'a> {
    Proof {
        session: session::cookie_value(call).unwrap_or_default(),
        password: Secret::new(posted.text("password").to_owned()),
        now: call.now,
    }
}

fn codes(call: &Call, caller: &Caller, made: Result<Vec<Secret>>, posted: &Posted) -> Result<Reply> {
    match made {
        Ok(codes) => {
            let lines: Vec<&str> = codes.iter().map(Secret::reveal).collect();
            let lines = Secret::new(lines.join("\n"));
            let session = session::cookie_value(call).unwrap_or_default();
            let shown_once = &call.app.accounts.shown_once;
            shown_once.keep(session, SecretKind::RecoveryCodes, lines, call.now);
            Ok(session::to_page(&call.app.config, "/profile/second-factor/codes").into())
        }
        Err(error) => show_faults(call, caller, error, posted),
    }
}

/// `GET /profile/second-factor/codes`: shows the new recovery codes, once.
pub fn show_codes(call: &Call, caller: &Caller) -> Result<Reply> {
    let texts = console::texts_of(&caller.user);
    let session = session::cookie_value(call).unwrap_or_default();
    let codes = call.app.accounts.shown_once.take(session, SecretKind::RecoveryCodes, call.now);
    let title = texts.say("second-codes");
    let base = call.app.config.base_path();
    let content = html! {
        (PageHead {
            back: Some(Back { address: &format!("{base}/profile/second-factor"), label: &texts.say("second-title") }),
            title: html! { (title) },
            ..PageHead::default()
        })
        @match &codes {
            Some(codes) => (Section {
                content: html! {
                    (lead(texts.say("second-codes-once")))
                    (copyable(texts, "codes", codes.reveal(), &texts.say("copy-codes")))
                },
                ..Section::default()
            }),
            None => (shown_already(texts, "once-gone-codes")),
        }
    };
    let page = console::page(call, &caller.user, &session::csrf(call), texts, &title);
    Ok(page.script("copy.js").answer(StatusCode::OK, &content).into())
}

fn show_faults(call: &Call, caller: &Caller, error: Error, posted: &Posted) -> Result<Reply> {
    let failed = FailedPost { faults: console::faults(error, posted)?, sealed_offer: posted.text("offer").to_owned() };
    Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, failed)?.into())
}

fn view(call: &Call, caller: &Caller, status: StatusCode, failed: FailedPost) -> Result<Answer> {
    let texts = console::texts_of(&caller.user);
    let csrf = session::csrf(call);
    let left = second_factor::codes_left(call.app, caller.user.id)?;
    let heading = texts.say("second-title");
    let title = widgets::page_title(texts, &heading, !failed.faults.is_empty());
    let base = call.app.config.base_path();
    let content = html! {
        (PageHead {
            back: Some(Back { address: &format!("{base}/profile"), label: &texts.say("profile-title") }),
            title: html! { (heading) },
            ..PageHead::default()
        })
        @if left.is_none() { (widgets::fault_summary(texts, &failed.faults, &FIELDS)) }
        @match left {
            None => (offer_section(call, caller, texts, &csrf, &failed)?),
            Some(left) => (enabled_section(base, texts, &csrf, &failed, left)),
        }
    };
    let page = console::page(call, &caller.user, &csrf, texts, &title);
    let page = page.script("password.js").script("copy.js");
    Ok(page.answer(status, &content))
}

fn offer_section(call: &Call, caller: &Caller, texts: &Texts, csrf: &str, failed: &FailedPost) -> Result<Markup> {
    let Offer { secret, address, sealed } = second_factor::offer_again(call.app, &caller.user, &failed.sealed_offer)
        .or_else(|_| second_factor::offer(call.app, &caller.user))?;
    let base = call.app.config.base_path();
    let action = format!("{base}/profile/second-factor");
    let fields = html! {
        input type="hidden" name="offer" value=(sealed);
        (line(texts, &failed.faults, LineField {
            name: "code",
            label: &texts.say("sign-in-code"),
            autocomplete: "one-time-code",
            required: true,
            ..LineField::default()
        }))
        (password(texts, failed))
        (Button::main(&texts.say("second-enable")))
    };
    Ok(Section {
        content: html! {
            p { (texts.say("second-text")) }
            (qr::picture(address.reveal(), &texts.say("second-picture")))
            p { (texts.say("second-type")) }
            (copyable(texts, "secret", secret.reveal(), &texts.say("copy-key")))
            p { a href=(address.reveal()) { (texts.say("second-open")) } }
            (PostForm { action: &action, csrf, content: fields, ..PostForm::default() })
        },
        ..Section::default()
    }
    .render())
}

fn enabled_section(base: &str, texts: &Texts, csrf: &str, failed: &FailedPost, left: i64) -> Markup {
    let buttons = html! {
        (Button {
            label: &texts.say("second-renew"),
            press: Press::SubmitTo(&format!("{base}/profile/second-factor/codes")),
            ..Button::default()
        })
        (Button {
            label: &texts.say("second-disable"),
            press: Press::SubmitTo(&format!("{base}/profile/second-factor/remove")),
            weight: Weight::Danger,
            ..Button::default()
        })
    };
    let fields = html! { (password(texts, failed)) (row(buttons)) };
    Section {
        content: html! {
            p { (texts.fill("second-is-on", &[("left", left.into())])) }
            (PostForm { csrf, content: fields, ..PostForm::default() })
        },
        ..Section::default()
    }
    .render()
}

fn password(texts: &Texts, failed: &FailedPost) -> Markup {
    line(
        texts,
        &failed.faults,
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
