//! Access tokens on the profile: list, create, show once, revoke.

use maud::{Markup, Render, html};
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::text::texts::Texts;
use crate::model::caller::Caller;
use crate::model::scope::{Scope, Scopes};
use crate::ops::accounts::audit::By;
use crate::ops::accounts::shown_once::SecretKind;
use crate::ops::accounts::tokens::{self, TokenRow};
use crate::web::pages::console::access::AccessRow;
use crate::web::pages::console::confirmation::Confirmation;
use crate::web::pages::console::profile::{self, PostOutcome, typed};
use crate::web::pages::console::widgets::{copyable, isolated, shown_already};
use crate::web::pages::console::{self, Posted, curl, fault, line, moment};
use crate::web::pages::ui::button::Button;
use crate::web::pages::ui::field::{Choice, LineField, SelectField, TickField};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::list::list;
use crate::web::pages::ui::section::{Disclosure, EmptyState, Section};
use crate::web::pages::ui::words::{code, lead};
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;
use crate::web::request::session;

/// The profile's form for a new token.
pub const FORM: &str = "tokens";
/// The ids of the fields, and the text ids of their labels.
pub const FIELDS: [(&str, &str); 2] = [("token_name", "profile-token-name"), ("scopes", "profile-token-scopes")];

/// The lifetimes of new tokens in days; the first is preselected.
const EXPIRIES: [(&str, Option<i64>); 4] = [("90", Some(90)), ("30", Some(30)), ("365", Some(365)), ("never", None)];

/// `POST /profile/tokens`: redirects to the page that shows the token once.
pub fn create(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let scopes: Scopes = posted.all("scopes").filter_map(Scope::by_name).collect();
    let expiry = EXPIRIES.iter().find(|(name, _)| *name == posted.text("expires")).unwrap_or(&EXPIRIES[0]);
    let life = expiry.1.map(|days| days * 86_400);
    let name = posted.text("token_name").to_owned();
    let user = caller.user.id;
    match tokens::create(call.app, By::caller(caller), user, name, scopes, life) {
        Ok(made) => {
            let (shown_once, session) =
                (&call.app.accounts.shown_once, session::cookie_value(call).unwrap_or_default());
            shown_once.keep(session, SecretKind::AccessToken, made.text, call.now);
            Ok(session::to_page(&call.app.config, "/profile/tokens/made").into())
        }
        Err(error) => {
            let mut faults = console::faults(error, &posted)?;
            for issue in &mut faults {
                // The page has another field with this name.
                if issue.attribute == "name" {
                    "token_name".clone_into(&mut issue.attribute);
                }
            }
            profile::show_faults(call, caller, FORM, posted, faults)
        }
    }
}

/// `GET /profile/tokens/made`: shows the new token, once.
pub fn show_new(call: &Call, caller: &Caller) -> Result<Reply> {
    let texts = console::texts_of(&caller.user);
    let session = session::cookie_value(call).unwrap_or_default();
    let token = call.app.accounts.shown_once.take(session, SecretKind::AccessToken, call.now);
    let title = texts.say("profile-token-made");
    let base = call.app.config.base_path();
    let content = html! {
        (PageHead {
            back: Some(Back { address: &format!("{base}/profile#tokens"), label: &texts.say("profile-tokens") }),
            title: html! { (title) },
            ..PageHead::default()
        })
        @match &token {
            Some(token) => (Section {
                content: html! {
                    (lead(texts.say("profile-token-once")))
                    (copyable(texts, "token", token.reveal(), &texts.say("copy-token")))
                    p { (texts.say("profile-curl")) }
                    (copyable(texts, "curl", &curl(call, "/api/v1/me", token.reveal()), &texts.say("copy-command")))
                },
                ..Section::default()
            }),
            None => (shown_already(texts, "once-gone-token")),
        }
    };
    let page = console::page(call, &caller.user, &session::csrf(call), texts, &title);
    Ok(page.script("copy.js").answer(StatusCode::OK, &content).into())
}

/// `GET /profile/tokens/{id}/revoke`
pub fn confirm_revoke(call: &Call, caller: &Caller) -> Result<Reply> {
    let id = call.number("id").ok_or(Error::NotFound(Noun::Token))?;
    let rows = tokens::list(call.app, Some(caller.user.id))?;
    let row = rows.iter().find(|row| row.id == id && is_live(call, row)).ok_or(Error::NotFound(Noun::Token))?;
    let texts = console::texts_of(&caller.user);
    let confirmation = Confirmation {
        title: texts.fill("revoke-title", &[("name", isolated(&row.name).into())]),
        text: texts.say("revoke-text"),
        button: texts.say("revoke-button"),
        back: "/profile#tokens",
    };
    Ok(confirmation.answer(call, caller).into())
}

/// `POST /profile/tokens/{id}/revoke`
pub fn revoke(call: &Call, caller: &Caller) -> Result<Reply> {
    let id = call.number("id").ok_or(Error::NotFound(Noun::Token))?;
    tokens::revoke(call.app, id, Some(caller))?;
    profile::done(call, "revoked")
}

fn is_live(call: &Call, row: &TokenRow) -> bool {
    row.revoked_at.is_none() && row.expires_at.is_none_or(|end| call.now < end)
}

/// The section of the profile.
pub(super) fn section(
    call: &Call,
    caller: &Caller,
    texts: &Texts,
    csrf: &str,
    outcome: &PostOutcome,
) -> Result<Markup> {
    let rows = tokens::list(call.app, Some(caller.user.id))?;
    let live: Vec<&TokenRow> = rows.iter().filter(|row| is_live(call, row)).collect();
    Ok(Section {
        id: "tokens",
        title: html! { (texts.say("profile-tokens")) },
        text: &texts.say("profile-tokens-text"),
        content: html! {
            @if live.is_empty() {
                (EmptyState { text: &texts.say("profile-tokens-none"), ..EmptyState::default() })
            } @else {
                (list(live.iter().map(|row| access(call, caller, texts, row).row(caller, texts))))
            }
            (new_token(call, texts, csrf, outcome))
        },
    }
    .render())
}

fn access<'a>(call: &Call, caller: &Caller, texts: &Texts, row: &'a TokenRow) -> AccessRow<'a> {
    let base = call.app.config.base_path();
    let end = match row.expires_at {
        Some(end) => moment(&caller.user, end),
        None => html! { (texts.say("profile-expires-never")) },
    };
    AccessRow {
        name: &row.name,
        scopes: row.scopes,
        fact: ("profile-token-expires", end),
        last_used_at: row.last_used_at,
        end_address: format!("{base}/profile/tokens/{}/revoke", row.id),
        end_label: "profile-revoke",
    }
}

fn new_token(call: &Call, texts: &Texts, csrf: &str, outcome: &PostOutcome) -> Markup {
    let base = call.app.config.base_path();
    let is_shown_again = outcome.form == FORM;
    let faults: &[Issue] = if is_shown_again { &outcome.faults } else { &[] };
    let is_ticked = |scope: Scope| {
        let mut ticked = outcome.typed.iter().filter(|(key, _)| key == "scopes");
        is_shown_again && ticked.any(|(_, value)| value == scope.name())
    };
    let chosen = typed(outcome, FORM, "expires", EXPIRIES[0].0);
    let scopes =
        Scope::ALL.into_iter().map(|scope| Choice::new(scope.name(), scope_words(texts, scope), is_ticked(scope)));
    let expiries = EXPIRIES.map(|(name, days)| {
        let label = match days {
            Some(days) => texts.fill("profile-expires-days", &[("days", days.into())]),
            None => texts.say("profile-expires-never"),
        };
        Choice::new(name, label, name == chosen)
    });
    let fields = html! {
        (line(texts, faults, LineField {
            name: "token_name",
            label: &texts.say("profile-token-name"),
            notes: &texts.say("profile-token-name-notes"),
            value: typed(outcome, FORM, "token_name", ""),
            autocomplete: "off",
            required: true,
            ..LineField::default()
        }))
        (TickField {
            name: "scopes",
            label: &texts.say("profile-token-scopes"),
            fault: &fault(texts, faults, "scopes"),
            choices: scopes.collect(),
        })
        (SelectField {
            id: "expires",
            name: "expires",
            label: &texts.say("profile-token-expires"),
            choices: expiries.into(),
            ..SelectField::default()
        })
        (Button::quiet(&texts.say("profile-token-create")))
    };
    let action = format!("{base}/profile/tokens");
    Disclosure {
        summary: &texts.say("profile-token-new"),
        is_open: is_shown_again,
        content: PostForm { action: &action, csrf, content: fields, ..PostForm::default() }.render(),
    }
    .render()
}

/// The description of a scope, and its name for programmers.
pub(super) fn scope_words(texts: &Texts, scope: Scope) -> Markup {
    html! {
        (texts.say(&format!("scope-{}", scope.name().replace(':', "-"))))
        " " (code(scope.name()))
    }
}
