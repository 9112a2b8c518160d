//! `/members`: the members of the organization, and links that invite others.

use maud::{Markup, Render, html};
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::reason::{Expected, Reason};
use crate::base::text::texts::Texts;
use crate::model::caller::Caller;
use crate::model::user::{OrganizationRole, User};
use crate::ops::accounts::shown_once::SecretKind;
use crate::ops::accounts::{members, password_reset};
use crate::web::pages::console::confirmation::Confirmation;
use crate::web::pages::console::widgets::{copyable, isolated, shown_already};
use crate::web::pages::console::{self, Posted, choices, line, moment};
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::chip::Chip;
use crate::web::pages::ui::field::{LineField, SelectField};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::list::{Row, list};
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::section::Section;
use crate::web::pages::ui::words::{joined, lead, muted, name};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

const ROLES: [(&str, &str); 2] = [("member", "profile-member"), ("owner", "profile-owner")];

/// The outcome of the last action.
#[derive(Default)]
struct MembersOutcome {
    done: Option<String>,
    is_last_owner: bool,
    /// The invitation as typed, with its faults.
    invited: Option<(Posted, Vec<Issue>)>,
}

/// `GET /members`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let known = ["role", "disabled", "enabled", "revoked"];
    let outcome = MembersOutcome {
        done: call.query("done").filter(|done| known.contains(&done.as_str())),
        ..MembersOutcome::default()
    };
    Ok(view(call, caller, StatusCode::OK, &outcome)?.into())
}

/// `POST /members/invitations`: redirects to the page that shows the link once.
pub fn invite(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let role = role(&posted)?;
    let email = Some(posted.text("email").trim()).filter(|email| !email.is_empty());
    let (link, _) = match members::invite(call.app, caller, role, email) {
        Ok(made) => made,
        Err(error) => {
            let faults = console::faults(error, &posted)?;
            let outcome = MembersOutcome { invited: Some((posted, faults)), ..MembersOutcome::default() };
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            return Ok(view(call, caller, status, &outcome)?.into());
        }
    };
    let session = session::cookie_value(call).unwrap_or_default();
    let shown_once = &call.app.accounts.shown_once;
    shown_once.keep(session, SecretKind::Invitation, link, call.now);
    let is_mailed = email.is_some() && password_reset::is_offered(call.app);
    let query = if is_mailed { "?mailed=1" } else { "" };
    let made = format!("/members/invitations/made{query}");
    Ok(session::to_page(&call.app.config, &made).into())
}

/// `GET /members/invitations/made`: shows the new link, once.
pub fn show_invitation_link(call: &Call, caller: &Caller) -> Result<Reply> {
    let texts = console::texts_of(&caller.user);
    let config = &call.app.config;
    let session = session::cookie_value(call).unwrap_or_default();
    let link = call.app.accounts.shown_once.take(session, SecretKind::Invitation, call.now);
    let title = texts.say("members-link-made");
    let base = config.base_path();
    let content = html! {
        (PageHead {
            back: Some(Back { address: &format!("{base}/members"), label: &texts.say("members-title") }),
            title: html! { (title) },
            ..PageHead::default()
        })
        @match &link {
            Some(link) => (Section {
                content: html! {
                    @if call.query("mailed").is_some() {
                        (message(Tone::Good, &texts.say("members-link-mailed"), &texts.say("members-link-mailed-text")))
                    }
                    (lead(texts.say("members-link-once")))
                    @let address = format!("{}/invitation/{}", config.base_url, link.reveal());
                    (copyable(texts, "link", &address, &texts.say("copy-link")))
                    (muted(texts.say("members-invite-text")))
                },
                ..Section::default()
            }),
            None => (shown_already(texts, "once-gone-invitation")),
        }
    };
    let page = console::page(call, &caller.user, &session::csrf(call), texts, &title);
    Ok(page.script("copy.js").answer(StatusCode::OK, &content).into())
}

/// `GET /members/invitations/{id}/revoke`
pub fn confirm_revoke_invitation(call: &Call, caller: &Caller) -> Result<Reply> {
    only_owners(caller)?;
    let open = members::invitations(call.app, caller)?;
    let one = open.iter().find(|one| Some(one.id) == call.number("id")).ok_or(Error::NotFound(Noun::Page))?;
    let texts = console::texts_of(&caller.user);
    let role = texts.say(role_words(one.role));
    let title = match &one.email {
        Some(email) => texts.fill("uninvite-title-of", &[("email", isolated(email).into()), ("role", role.into())]),
        None => texts.fill("uninvite-title", &[("role", role.into())]),
    };
    let confirmation = Confirmation {
        title,
        text: texts.say("uninvite-text"),
        button: texts.say("uninvite-button"),
        back: "/members",
    };
    Ok(confirmation.answer(call, caller).into())
}

/// `POST /members/invitations/{id}/revoke`
pub fn revoke_invitation(call: &Call, caller: &Caller) -> Result<Reply> {
    let id = call.number("id").ok_or(Error::NotFound(Noun::Page))?;
    members::revoke_invitation(call.app, caller, id)?;
    Ok(done(call, "revoked"))
}

/// `POST /members/{user_id}/role`
pub fn set_role(call: &Call, caller: &Caller) -> Result<Reply> {
    let role = role(&Posted::of(call))?;
    let set = members::set_role(call.app, caller, call.param("user_id"), role);
    outcome(call, caller, set, "role")
}

/// `GET /members/{user_id}/disable`
pub fn confirm_disable(call: &Call, caller: &Caller) -> Result<Reply> {
    let user = match members::to_disable(call.app, caller, call.param("user_id")) {
        Ok(user) => user,
        Err(error) => return outcome(call, caller, Err(error), "disabled"),
    };
    let texts = console::texts_of(&caller.user);
    let name = isolated(&user.name);
    let confirmation = Confirmation {
        title: texts.fill("disable-title", &[("name", name.into())]),
        text: texts.say("disable-text"),
        button: texts.say("disable-button"),
        back: "/members",
    };
    Ok(confirmation.answer(call, caller).into())
}

/// `POST /members/{user_id}/disable`
pub fn disable(call: &Call, caller: &Caller) -> Result<Reply> {
    let set = members::set_disabled(call.app, caller, call.param("user_id"), true);
    outcome(call, caller, set, "disabled")
}

/// `POST /members/{user_id}/enable`
pub fn enable(call: &Call, caller: &Caller) -> Result<Reply> {
    let set = members::set_disabled(call.app, caller, call.param("user_id"), false);
    outcome(call, caller, set, "enabled")
}

/// Members who are not owners don't get the confirmation page.
pub(super) fn only_owners(caller: &Caller) -> Result<()> {
    if caller.user.role == OrganizationRole::Owner { Ok(()) } else { Err(Error::Forbidden) }
}

fn role_words(role: OrganizationRole) -> &'static str {
    match role {
        OrganizationRole::Owner => "profile-owner",
        OrganizationRole::Member => "profile-member",
    }
}

fn role(posted: &Posted) -> Result<OrganizationRole> {
    OrganizationRole::by_name(posted.text("role"))
        .ok_or_else(|| Error::invalid("role", Reason::MustBe(Expected::Other("one of owner, member"))))
}

fn done(call: &Call, what: &str) -> Reply {
    session::to_page(&call.app.config, &format!("/members?done={what}")).into()
}

fn outcome(call: &Call, caller: &Caller, set: Result<bool>, what: &str) -> Result<Reply> {
    match set {
        Ok(true) => Ok(done(call, what)),
        Ok(false) => Ok(session::to_page(&call.app.config, "/members").into()),
        Err(error) => {
            console::faults(error, &Posted(Vec::new()))?;
            let outcome = MembersOutcome { is_last_owner: true, ..MembersOutcome::default() };
            Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &outcome)?.into())
        }
    }
}

fn view(call: &Call, caller: &Caller, status: StatusCode, outcome: &MembersOutcome) -> Result<Answer> {
    let texts = console::texts_of(&caller.user);
    let csrf = session::csrf(call);
    let people = members::list(call.app, caller)?;
    let title = texts.say("members-title");
    let is_owner = caller.user.role == OrganizationRole::Owner;
    let base = call.app.config.base_path();
    let content = html! {
        (PageHead {
            title: html! { (title) },
            actions: if is_owner { owners_pages(base, texts) } else { Markup::default() },
            ..PageHead::default()
        })
        @if let Some(done) = &outcome.done {
            (message(Tone::Good, &texts.say(&format!("members-done-{done}")), ""))
        }
        @if outcome.is_last_owner {
            (message(Tone::Bad, &texts.say("members-last-owner"), &texts.say("members-last-owner-text")))
        }
        (Section {
            id: "people",
            title: name(&caller.user.organization.name),
            content: list(people.iter().map(|user| person(call, caller, texts, &csrf, user))),
            ..Section::default()
        })
        @if is_owner {
            (inviting(call, caller, texts, &csrf, outcome)?)
        }
    };
    Ok(console::page(call, &caller.user, &csrf, texts, &title).answer(status, &content))
}

/// Links to the other pages for owners.
fn owners_pages(base: &str, texts: &Texts) -> Markup {
    let pages = [("/members/organization", "organization-settings"), ("/audit", "audit-title")];
    html! {
        @for (path, words) in pages {
            (Button {
                label: &texts.say(words),
                press: Press::Go(&format!("{base}{path}")),
                is_small: true,
                ..Button::default()
            })
        }
    }
}

fn person(call: &Call, caller: &Caller, texts: &Texts, csrf: &str, user: &User) -> Row {
    let is_owner = caller.user.role == OrganizationRole::Owner;
    let is_own = user.id == caller.user.id;
    Row {
        title: name(&user.name),
        chips: html! {
            @if is_own { (Chip { tone: Tone::Note, text: &texts.say("members-you") }) }
            @if user.disabled_at.is_some() { (Chip { tone: Tone::Warn, text: &texts.say("members-is-disabled") }) }
        },
        facts: vec![name(&user.email), html! { (texts.say(role_words(user.role))) }],
        actions: if is_owner { managing(call, texts, csrf, user) } else { Markup::default() },
        ..Row::default()
    }
}

/// The controls by which owners manage an account.
fn managing(call: &Call, texts: &Texts, csrf: &str, user: &User) -> Markup {
    let member = format!("{}/members/{}", call.app.config.base_path(), user.token);
    let role = html! {
        (SelectField {
            id: &format!("role-{}", user.token),
            name: "role",
            label: &texts.say("members-role"),
            choices: choices(texts, &ROLES, user.role.name()),
            about: name(&user.name),
        })
        (Button { label: &texts.say("profile-save"), is_small: true, about: name(&user.name), ..Button::default() })
    };
    let enable = || {
        Button { label: &texts.say("members-enable"), is_small: true, about: name(&user.name), ..Button::default() }
            .render()
    };
    html! {
        (PostForm { action: &format!("{member}/role"), csrf, content: role, is_row: true, ..PostForm::default() })
        @if user.disabled_at.is_some() {
            (PostForm { action: &format!("{member}/enable"), csrf, content: enable(), ..PostForm::default() })
        } @else {
            (Button {
                label: &texts.say("members-disable"),
                press: Press::Go(&format!("{member}/disable")),
                weight: Weight::Quiet,
                is_small: true,
                about: name(&user.name),
            })
        }
    }
}

fn inviting(call: &Call, caller: &Caller, texts: &Texts, csrf: &str, outcome: &MembersOutcome) -> Result<Markup> {
    let base = call.app.config.base_path();
    let (typed, faults) = match &outcome.invited {
        Some((typed, faults)) => (Some(typed), faults.as_slice()),
        None => (None, &[][..]),
    };
    let typed = |name: &str| typed.map_or("", |typed| typed.text(name));
    let chosen = Some(typed("role")).filter(|role| !role.is_empty());
    let open = members::invitations(call.app, caller)?;
    let fields = html! {
        (SelectField {
            id: "invited-role",
            name: "role",
            label: &texts.say("members-invited-role"),
            choices: choices(texts, &ROLES, chosen.unwrap_or("member")),
            ..SelectField::default()
        })
        @if password_reset::is_offered(call.app) {
            (line(texts, faults, LineField {
                name: "email",
                label: &texts.say("members-invited-email"),
                notes: &texts.say("members-invited-email-notes"),
                kind: "email",
                value: typed("email"),
                autocomplete: "off",
                ..LineField::default()
            }))
        }
        (Button::main(&texts.say("members-invite-button")))
    };
    let pending = open.iter().map(|one| {
        let email = one.email.as_deref().map(name).unwrap_or_default();
        let end = moment(&caller.user, one.expires_at);
        Row {
            facts: vec![
                email.clone(),
                html! { (texts.say(role_words(one.role))) },
                html! { (texts.labelled(&texts.say("profile-token-expires"), "")) (end) },
            ],
            actions: Button {
                label: &texts.say("profile-revoke"),
                press: Press::Go(&format!("{base}/members/invitations/{}/revoke", one.id)),
                weight: Weight::Danger,
                is_small: true,
                about: joined(&[email, end]),
            }
            .render(),
            ..Row::default()
        }
    });
    let action = format!("{base}/members/invitations");
    Ok(Section {
        id: "invite",
        title: html! { (texts.say("members-invite")) },
        text: &texts.say("members-invite-text"),
        content: html! {
            (PostForm { action: &action, csrf, content: fields, ..PostForm::default() })
            @if !open.is_empty() {
                h3 { (texts.say("members-open")) }
                (list(pending))
            }
        },
    }
    .render())
}
