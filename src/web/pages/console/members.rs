//! `/members`: the members of the organization, and links that invite others; `/invitation/{token}`: the page of such
//! a link.

use maud::{Markup, html};
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::reason::{Expected, Reason};
use crate::base::secret::Secret;
use crate::base::text::texts::Texts;
use crate::model::caller::Caller;
use crate::model::user::{OrganizationRole, User};
use crate::ops::accounts::shown_once::SecretKind;
use crate::ops::accounts::users::NewAccount;
use crate::ops::accounts::{members, password_reset};
use crate::web::pages::console::confirmation::Confirmation;
use crate::web::pages::console::new_account::AccountForm;
use crate::web::pages::console::widgets::{copyable, isolated, shown_already};
use crate::web::pages::console::{self, Posted, line, moment, select};
use crate::web::pages::ui::layout::{LineField, Page, PageShape, Sign, Tone, csrf_field, message, sign};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

const ROLES: [(&str, &str); 2] = [("member", "profile-member"), ("owner", "profile-owner")];

/// The outcome of the last action.
#[derive(Default)]
struct Outcome {
    done: Option<String>,
    is_last_owner: bool,
    /// What was typed to invite somebody, where it was wrong.
    invited: Option<(Posted, Vec<Issue>)>,
}

/// `GET /members`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let known = ["role", "disabled", "enabled", "revoked"];
    let outcome =
        Outcome { done: call.query("done").filter(|done| known.contains(&done.as_str())), ..Outcome::default() };
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
            let outcome = Outcome { invited: Some((posted, faults)), ..Outcome::default() };
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
    let content = html! {
        div.wide.stack {
            p { a href={ (config.base_path()) "/members" } { (texts.say("members-title")) } }
            h1 { (title) }
            @match &link {
                Some(link) => section.card.stack {
                    @if call.query("mailed").is_some() {
                        (message(Tone::Good, &texts.say("members-link-mailed"), &texts.say("members-link-mailed-text")))
                    }
                    p.lead { (texts.say("members-link-once")) }
                    (copyable(texts, "link", &format!("{}/invitation/{}", config.base_url, link.reveal()), &texts.say("copy-link")))
                    p.muted { (texts.say("members-invite-text")) }
                },
                None => (shown_already(texts, "once-gone-invitation")),
            }
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
fn only_owners(caller: &Caller) -> Result<()> {
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
            let outcome = Outcome { is_last_owner: true, ..Outcome::default() };
            Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &outcome)?.into())
        }
    }
}

fn view(call: &Call, caller: &Caller, status: StatusCode, outcome: &Outcome) -> Result<Answer> {
    let texts = console::texts_of(&caller.user);
    let csrf = session::csrf(call);
    let people = members::list(call.app, caller)?;
    let title = texts.say("members-title");
    let is_owner = caller.user.role == OrganizationRole::Owner;
    let content = html! {
        div.wide.stack {
            h1 { (title) }
            @if let Some(done) = &outcome.done {
                (message(Tone::Good, &texts.say(&format!("members-done-{done}")), ""))
            }
            @if outcome.is_last_owner {
                (message(Tone::Bad, &texts.say("members-last-owner"), &texts.say("members-last-owner-text")))
            }
            section.card.stack aria-labelledby="people" {
                h2 #people { bdi { (caller.user.organization.name) } }
                ul.rows role="list" {
                    @for user in &people { (person(call, caller, texts, &csrf, user)) }
                }
            }
            @if is_owner {
                (inviting(call, caller, texts, &csrf, outcome)?)
                p { a href={ (call.app.config.base_path()) "/audit" } { (texts.say("audit-title")) } }
            }
        }
    };
    Ok(console::page(call, &caller.user, &csrf, texts, &title).answer(status, &content))
}

fn person(call: &Call, caller: &Caller, texts: &Texts, csrf: &str, user: &User) -> Markup {
    let base = call.app.config.base_path();
    let is_owner = caller.user.role == OrganizationRole::Owner;
    let is_disabled = user.disabled_at.is_some();
    let id = format!("role-{}", user.token);
    html! {
        li {
            div.stack {
                h3 { bdi { (user.name) } }
                p.small.muted {
                    bdi { (user.email) } " · "
                    (texts.say(role_words(user.role)))
                    @if is_disabled { " · " (texts.say("members-is-disabled")) }
                    @if user.id == caller.user.id { " · " (texts.say("members-you")) }
                }
            }
            @if is_owner {
                form.row method="post" action={ (base) "/members/" (user.token) "/role" } novalidate {
                    (csrf_field(csrf))
                    label.visually-hidden for=(id) {
                        (texts.say("members-role")) " " bdi { (user.name) }
                    }
                    (select(texts, &id, "role", &ROLES, user.role.name()))
                    button.button.quiet.small type="submit" {
                        (texts.say("members-set-role"))
                        span.visually-hidden { " " bdi { (user.name) } }
                    }
                }
                @if is_disabled {
                    form method="post" action={ (base) "/members/" (user.token) "/enable" } novalidate {
                        (csrf_field(csrf))
                        button.button.quiet.small type="submit" {
                            (texts.say("members-enable"))
                            span.visually-hidden { " " bdi { (user.name) } }
                        }
                    }
                } @else {
                    a.button.danger.small href={ (base) "/members/" (user.token) "/disable" } {
                        (texts.say("members-disable"))
                        span.visually-hidden { " " bdi { (user.name) } }
                    }
                }
            }
        }
    }
}

fn inviting(call: &Call, caller: &Caller, texts: &Texts, csrf: &str, outcome: &Outcome) -> Result<Markup> {
    let base = call.app.config.base_path();
    let (typed, faults) = match &outcome.invited {
        Some((typed, faults)) => (Some(typed), faults.as_slice()),
        None => (None, &[][..]),
    };
    let typed = |name: &str| typed.map_or("", |typed| typed.text(name));
    let chosen = Some(typed("role")).filter(|role| !role.is_empty());
    let open = members::invitations(call.app, caller)?;
    Ok(html! {
        section.card.stack aria-labelledby="invite" {
            h2 #invite { (texts.say("members-invite")) }
            p.muted { (texts.say("members-invite-text")) }
            form method="post" action={ (base) "/members/invitations" } novalidate {
                (csrf_field(csrf))
                div.field {
                    label for="invited-role" { (texts.say("members-invited-role")) }
                    (select(texts, "invited-role", "role", &ROLES, chosen.unwrap_or("member")))
                }
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
                button.button type="submit" { (texts.say("members-invite-button")) }
            }
            @if !open.is_empty() {
                h3 { (texts.say("members-open")) }
                ul.rows role="list" {
                    @for one in &open {
                        li {
                            div {
                                @if let Some(email) = &one.email { bdi { (email) } " · " }
                                (texts.say(role_words(one.role)))
                                " · " (texts.say("profile-token-expires")) ": "
                                (moment(&caller.user, one.expires_at))
                            }
                            a.button.danger.small href={ (base) "/members/invitations/" (one.id) "/revoke" } {
                                (texts.say("profile-revoke"))
                                span.visually-hidden {
                                    " " @if let Some(email) = &one.email { bdi { (email) } " · " }
                                    (moment(&caller.user, one.expires_at))
                                }
                            }
                        }
                    }
                }
            }
        }
    })
}

/// `GET /invitation/{token}`
pub fn show_invitation(call: &Call) -> Result<Reply> {
    let Some(live) = members::invitation(call.app, call.param("token"))? else {
        return Ok(spent(call).into());
    };
    let typed = Posted(vec![("timezone".to_owned(), "UTC".to_owned())]);
    let name = &live.organization_name;
    Ok(form(call, StatusCode::OK, name, &typed, &[]).into())
}

/// `POST /invitation/{token}`
pub fn join(call: &Call) -> Result<Reply> {
    if let Some(refused) = console::refused_visit(call)? {
        return Ok(refused.into());
    }
    let Some(live) = members::invitation(call.app, call.param("token"))? else {
        return Ok(spent(call).into());
    };
    let posted = Posted::of(call);
    let text = |name: &str| posted.text(name).to_owned();
    let account = NewAccount {
        email: text("email"),
        name: text("name"),
        organization: None,
        password: Some(Secret::new(text("password"))),
        locale: session::visitor_texts(call).locale().to_owned(),
        timezone: text("timezone"),
    };
    match members::join(call.app, call.param("token"), account, session::agent(call)) {
        Ok(signed_in) => {
            let on = session::to_page(&call.app.config, "/forms");
            Ok(session::begin(&call.app.config, on, &signed_in).into())
        }
        Err(Error::NotFound(Noun::Page)) => Ok(spent(call).into()),
        Err(other) => {
            let faults = console::faults(other, &posted)?;
            let name = &live.organization_name;
            Ok(form(call, StatusCode::UNPROCESSABLE_ENTITY, name, &posted, &faults).into())
        }
    }
}

fn spent(call: &Call) -> Answer {
    let config = &call.app.config;
    let texts = session::visitor_texts(call);
    let title = texts.say("setup-spent");
    let content = html! {
        div.card {
            (sign(Sign::Lock))
            h1 { (title) }
            p.lead { (texts.say("invitation-spent-text")) }
            p { a.button href={ (config.base_path()) "/sign-in" } { (texts.say("sign-in-title")) } }
        }
    };
    Page::new(config, texts, PageShape::Plain, &title).hidden_from_search().answer(StatusCode::NOT_FOUND, &content)
}

fn form(call: &Call, status: StatusCode, organization: &str, typed: &Posted, faults: &[Issue]) -> Answer {
    let texts = session::visitor_texts(call);
    let page = AccountForm {
        title: "invitation-title",
        button: "invitation-button",
        lead: html! {
            p.lead { bdi { (organization) } }
            p.muted { (texts.say("invitation-lead")) }
        },
        asks_organization: false,
    };
    page.answer(call, status, typed, faults)
}
