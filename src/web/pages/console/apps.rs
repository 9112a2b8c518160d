//! The connected apps of the profile: what somebody allowed applications of others, and how that ends.

use maud::{Markup, html};

use crate::base::error::Result;
use crate::base::texts::Texts;
use crate::model::caller::Caller;
use crate::model::oauth::ConnectedApp;
use crate::ops::oauth::grants;
use crate::web::call::Call;
use crate::web::pages::console::moment;
use crate::web::pages::layout::csrf_field;
use crate::web::reply::Reply;
use crate::web::session;

/// `POST /profile/apps/{grant}/disconnect`
pub fn disconnect(call: &Call, caller: &Caller) -> Result<Reply> {
    grants::end(call.app, &caller.user, call.param("grant"))?;
    Ok(session::to_page(&call.app.config, "/profile?done=disconnected").into())
}

/// The section of the page.
pub fn section(call: &Call, caller: &Caller, texts: &Texts, csrf: &str) -> Result<Markup> {
    let apps = grants::list(call.app, &caller.user)?;
    Ok(html! {
        section.card.stack aria-labelledby="apps" {
            h2 #apps { (texts.say("profile-apps")) }
            p.muted { (texts.say("profile-apps-text")) }
            @if apps.is_empty() {
                p { (texts.say("profile-apps-none")) }
            } @else {
                ul.rows role="list" {
                    @for app in &apps { (row(call, caller, texts, csrf, app)) }
                }
            }
        }
    })
}

fn row(call: &Call, caller: &Caller, texts: &Texts, csrf: &str, app: &ConnectedApp) -> Markup {
    let base = call.app.config.base_path();
    html! {
        li {
            div.stack {
                h3 { bdi { (app.name) } }
                p.small.muted { code { (app.scopes) } }
                p.small.muted {
                    (texts.say("profile-apps-since")) ": "
                    (moment(&caller.user, app.created_at))
                    " · "
                    (texts.say("profile-token-used")) ": "
                    @match app.last_used_at {
                        Some(used) => (moment(&caller.user, used)),
                        None => (texts.say("profile-token-unused")),
                    }
                }
            }
            form method="post" action={ (base) "/profile/apps/" (app.token) "/disconnect" } {
                (csrf_field(csrf))
                button.button.danger.small type="submit" {
                    (texts.say("profile-apps-disconnect"))
                    span.visually-hidden { " " bdi { (app.name) } }
                }
            }
        }
    }
}
