//! The connected apps on the profile: third-party applications with access to the account, and how to disconnect them.

use maud::{Markup, Render, html};

use crate::base::error::{Error, Noun, Result};
use crate::base::text::texts::Texts;
use crate::model::caller::Caller;
use crate::model::oauth::ConnectedApp;
use crate::ops::oauth::grants;
use crate::web::pages::console::access::AccessRow;
use crate::web::pages::console::confirmation::Confirmation;
use crate::web::pages::console::widgets::isolated;
use crate::web::pages::console::{self, moment};
use crate::web::pages::ui::list::list;
use crate::web::pages::ui::section::{EmptyState, Section};
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;
use crate::web::request::session;

/// `GET /profile/apps/{grant}/disconnect`
pub fn confirm_disconnect(call: &Call, caller: &Caller) -> Result<Reply> {
    let apps = grants::list(call.app, &caller.user)?;
    let app = apps.iter().find(|app| app.token == call.param("grant")).ok_or(Error::NotFound(Noun::Grant))?;
    let texts = console::texts_of(&caller.user);
    let confirmation = Confirmation {
        title: texts.fill("disconnect-title", &[("name", isolated(&app.name).into())]),
        text: texts.say("disconnect-text"),
        button: texts.say("profile-apps-disconnect"),
        back: "/profile#apps",
    };
    Ok(confirmation.answer(call, caller).into())
}

/// `POST /profile/apps/{grant}/disconnect`
pub fn disconnect(call: &Call, caller: &Caller) -> Result<Reply> {
    grants::end(call.app, &caller.user, call.param("grant"))?;
    Ok(session::to_page(&call.app.config, "/profile?done=disconnected").into())
}

/// The section of the profile.
pub fn section(call: &Call, caller: &Caller, texts: &Texts) -> Result<Markup> {
    let apps = grants::list(call.app, &caller.user)?;
    Ok(Section {
        id: "apps",
        title: html! { (texts.say("profile-apps")) },
        text: &texts.say("profile-apps-text"),
        content: html! {
            @if apps.is_empty() {
                (EmptyState { text: &texts.say("profile-apps-none"), ..EmptyState::default() })
            } @else {
                (list(apps.iter().map(|app| access(call, caller, app).row(caller, texts))))
            }
        },
    }
    .render())
}

fn access<'a>(call: &Call, caller: &Caller, app: &'a ConnectedApp) -> AccessRow<'a> {
    let base = call.app.config.base_path();
    AccessRow {
        name: &app.name,
        scopes: app.scopes,
        fact: ("profile-apps-since", moment(&caller.user, app.created_at)),
        last_used_at: app.last_used_at,
        end_address: format!("{base}/profile/apps/{}/disconnect", app.token),
        end_label: "profile-apps-disconnect",
    }
}
