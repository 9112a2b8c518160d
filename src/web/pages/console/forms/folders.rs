//! The folders beside the list of forms, and the actions on one of them.

use maud::{Markup, Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::issue::Issues;
use crate::model::caller::Caller;
use crate::model::folder::Folder;
use crate::ops::forms::folders;
use crate::web::pages::console::confirmation::Confirmation;
use crate::web::pages::console::form_move::folder_path;
use crate::web::pages::console::forms::place::Place;
use crate::web::pages::console::forms::{Cx, view};
use crate::web::pages::console::widgets::isolated;
use crate::web::pages::console::{self, Posted};
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::field::{LineField, line_field};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::forms::folders::{FolderNode, FolderTree};
use crate::web::pages::ui::section::{Disclosure, Section};
use crate::web::pages::ui::words;
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;
use crate::web::request::session;

/// `POST /forms/folders`
pub fn create(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let body = json!({
        "name": posted.text("folder_name"),
        "parent_folder_token": posted.text("folder"),
    });
    let created = folders::create(call.app, caller, body, Issues::new()).map(|folder| folder.token.to_string());
    outcome(call, caller, FolderAction::Create, created, &posted)
}

/// `POST /forms/folders/{folder_token}/rename`
pub fn rename(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let token = call.param("folder_token");
    let body = json!({"name": posted.text("folder_name")});
    let renamed = folders::update(call.app, caller, token, body, Issues::new()).map(|_| token.to_owned());
    outcome(call, caller, FolderAction::Rename, renamed, &posted)
}

/// `GET /forms/folders/{folder_token}/delete`
pub fn confirm_delete(call: &Call, caller: &Caller) -> Result<Reply> {
    let folder = folders::show(call.app, caller, call.param("folder_token"))?;
    let texts = console::texts_of(&caller.user);
    let name = isolated(&folder.name);
    let confirmation = Confirmation {
        title: texts.fill("folder-delete-title", &[("name", name.into())]),
        text: texts.say("folder-delete-text"),
        button: texts.say("forms-folder-delete"),
        back: &folder_path(folder.token.as_str()),
    };
    Ok(confirmation.answer(call, caller).into())
}

/// `POST /forms/folders/{folder_token}/delete`: redirects to the parent folder.
pub fn delete(call: &Call, caller: &Caller) -> Result<Reply> {
    let token = call.param("folder_token");
    let folder = folders::show(call.app, caller, token)?;
    let parent = folder.parent_token.map(|token| token.to_string());
    let removed = folders::remove(call.app, caller, token).map(|()| parent.unwrap_or_default());
    outcome(call, caller, FolderAction::Delete, removed, &Posted(Vec::new()))
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FolderAction {
    Create,
    Rename,
    Delete,
}

/// A failed folder action: the page is shown again with the typed values.
pub struct Failed<'a> {
    pub action: FolderAction,
    pub fault: &'a str,
    pub name: &'a str,
    /// The token of the page's folder; empty outside of all.
    pub folder: &'a str,
}

fn outcome(call: &Call, caller: &Caller, action: FolderAction, done: Result<String>, typed: &Posted) -> Result<Reply> {
    match done {
        Ok(token) => Ok(session::to_page(&call.app.config, &folder_path(&token)).into()),
        Err(error) => {
            let faults = console::faults(error, typed)?;
            let texts = console::texts_of(&caller.user);
            let fault =
                faults.first().map(|issue| console::account_messages::message(texts, issue)).unwrap_or_default();
            let failed = Failed {
                action,
                fault: &fault,
                name: typed.text("folder_name"),
                folder: match action {
                    FolderAction::Create => typed.text("folder"),
                    FolderAction::Rename | FolderAction::Delete => call.param("folder_token"),
                },
            };
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            Ok(view(call, caller, status, Some(&failed))?.into())
        }
    }
}

impl Cx<'_> {
    /// The folders as a tree, and the actions on the current one.
    pub(super) fn folders(&self, failed: Option<&Failed>) -> Markup {
        let say = |id: &str| self.texts.say(id);
        let title = say("forms-folders");
        let tops = self.totals.iter().flat_map(|totals| {
            let top = |place: Place, words: &str, count: i64| FolderNode {
                address: self.list_in(place),
                name: html! { (say(words)) },
                count: count.to_string(),
                is_here: self.place == place,
                inside: Vec::new(),
            };
            [top(Place::All, "forms-all", totals.all), top(Place::Outside, "forms-outside", totals.outside)]
        });
        let nodes = tops.chain(self.nodes(None)).collect();
        Section {
            id: "folders",
            title: html! { (title) },
            content: html! {
                @if !self.all.is_empty() { (FolderTree { label: &title, nodes }) }
                (self.name_form(FolderAction::Create, "folders", "forms-folder-new", failed, ""))
                @if let Place::Folder(folder) = self.place {
                    @let path = format!("folders/{}/rename", folder.token);
                    (self.name_form(FolderAction::Rename, &path, "forms-folder-rename", failed, &folder.name))
                    p {
                        (Button {
                            label: &say("forms-folder-delete"),
                            press: Press::Go(&format!("{}/forms/folders/{}/delete", self.base(), folder.token)),
                            weight: Weight::Danger,
                            is_small: true,
                            ..Button::default()
                        })
                    }
                }
            },
            ..Section::default()
        }
        .render()
    }

    /// The folders in this one, each with those in it.
    fn nodes(&self, parent: Option<i64>) -> Vec<FolderNode> {
        let inside = self.all.iter().filter(|folder| folder.parent == parent);
        let node = |folder: &Folder| FolderNode {
            address: self.list_in(Place::Folder(folder)),
            name: words::name(&folder.name),
            count: folder.child_form_count.to_string(),
            is_here: self.place == Place::Folder(folder),
            inside: self.nodes(Some(folder.id)),
        };
        inside.map(node).collect()
    }

    /// A collapsed form for a folder's name.
    fn name_form(&self, action: FolderAction, path: &str, words: &str, failed: Option<&Failed>, name: &str) -> Markup {
        let failed = failed.filter(|failed| failed.action == action);
        let field = LineField {
            name: "folder_name",
            id: match action {
                FolderAction::Create => "new-folder",
                FolderAction::Rename | FolderAction::Delete => "folder-name",
            },
            label: &self.texts.say("forms-folder-name"),
            value: failed.map_or(name, |failed| failed.name),
            fault: failed.map_or("", |failed| failed.fault),
            required: true,
            autocomplete: "off",
            ..LineField::default()
        };
        let fields = html! {
            input type="hidden" name="folder" value=(self.folder_token());
            (line_field(&field))
            (Button::quiet(&self.texts.say("profile-save")))
        };
        let action = format!("{}/forms/{path}", self.base());
        Disclosure {
            summary: &self.texts.say(words),
            is_open: failed.is_some(),
            content: PostForm { action: &action, csrf: self.csrf, content: fields, ..PostForm::default() }.render(),
        }
        .render()
    }
}
