//! `/forms`: the user's own forms and those shared with them, by folder.

use maud::{Markup, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::issue::Issues;
use crate::base::text::texts::Texts;
use crate::model::caller::Caller;
use crate::model::folder::Folder;
use crate::model::page::Page;
use crate::model::role::Role;
use crate::ops::forms::folders;
use crate::ops::forms::form_lists::{self, FormListItem, ListRequest};
use crate::web::pages::console::confirmation::Confirmation;
use crate::web::pages::console::form_move::folder_path;
use crate::web::pages::console::widgets::{self, copyable, isolated};
use crate::web::pages::console::{self, Posted, curl_form, moment, sample_button};
use crate::web::pages::ui::layout::{Tone, csrf_field, message};
use crate::web::request::call::Call;
use crate::web::request::paging::PagedList;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

const PAGE: usize = 50;

/// `GET /forms`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    Ok(view(call, caller, StatusCode::OK, None)?.into())
}

/// `POST /forms/folders`
pub fn create_folder(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let body = json!({
        "name": posted.text("folder_name"),
        "parent_folder_token": posted.text("folder"),
    });
    let created = folders::create(call.app, caller, body, Issues::new()).map(|folder| folder.token.to_string());
    outcome(call, caller, FolderAction::Create, created, &posted)
}

/// `POST /forms/folders/{folder_token}/rename`
pub fn rename_folder(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let token = call.param("folder_token");
    let body = json!({"name": posted.text("folder_name")});
    let renamed = folders::update(call.app, caller, token, body, Issues::new()).map(|_| token.to_owned());
    outcome(call, caller, FolderAction::Rename, renamed, &posted)
}

/// `GET /forms/folders/{folder_token}/delete`
pub fn confirm_delete_folder(call: &Call, caller: &Caller) -> Result<Reply> {
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
pub fn delete_folder(call: &Call, caller: &Caller) -> Result<Reply> {
    let token = call.param("folder_token");
    let folder = folders::show(call.app, caller, token)?;
    let parent = folder.parent_token.map(|token| token.to_string());
    let removed = folders::remove(call.app, caller, token).map(|()| parent.unwrap_or_default());
    outcome(call, caller, FolderAction::Delete, removed, &Posted(Vec::new()))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FolderAction {
    Create,
    Rename,
    Delete,
}

/// A failed folder action: the page is shown again with the typed values.
struct Failed<'a> {
    action: FolderAction,
    fault: &'a str,
    name: &'a str,
    /// The token of the page's folder.
    folder: &'a str,
}

fn outcome(call: &Call, caller: &Caller, action: FolderAction, done: Result<String>, typed: &Posted) -> Result<Reply> {
    match done {
        Ok(token) => Ok(session::to_page(&call.app.config, &folder_path(&token)).into()),
        Err(error) => {
            let faults = console::faults(error, typed)?;
            let texts = console::texts_of(&caller.user);
            let fault = faults.first().map(|issue| console::fault_messages::message(texts, issue)).unwrap_or_default();
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

fn view(call: &Call, caller: &Caller, status: StatusCode, failed: Option<&Failed>) -> Result<Answer> {
    let texts = console::texts_of(&caller.user);
    let csrf = session::csrf(call);
    let all = folders::all(call.app, caller)?;
    let wanted = match failed {
        Some(failed) => failed.folder.to_owned(),
        None => call.query("folder").unwrap_or_default(),
    };
    let here = all.iter().find(|folder| folder.token.as_str() == wanted);
    if here.is_none() && !wanted.is_empty() {
        // Not the caller's folder: answers with the error that the API gives.
        folders::show(call.app, caller, &wanted)?;
    }
    let name = call.query("name").unwrap_or_default();
    let list = PagedList::new(call, Some(caller));
    let mut page = list.request()?;
    page.size = PAGE;
    let forms = form_lists::list(
        call.app,
        caller,
        ListRequest {
            name: Some(name.clone()),
            // A search at the top level covers all folders.
            folder: (!wanted.is_empty() || name.is_empty()).then(|| wanted.clone()),
            sort: form_lists::sort_by_name(None)?,
            page,
        },
    )?;
    let next = list.next_cursor(&forms);
    let heading = texts.say("forms-title");
    let title = widgets::page_title(texts, &heading, failed.is_some());
    let is_new = forms.total == 0 && all.is_empty() && name.is_empty();
    let cx = Cx { call, caller, texts, csrf: &csrf, all: &all, here };
    let content = html! {
        div.wide.stack {
            h1 { (heading) }
            @if let Some(failed) = failed.filter(|failed| failed.action == FolderAction::Delete) {
                (message(Tone::Bad, &texts.say("forms-folder-fault"), failed.fault))
            }
            @if is_new {
                (cx.first_steps())
                (cx.folders(failed))
            } @else {
                (cx.search(&name))
                (cx.folders(failed))
                (cx.list(&forms, next.as_deref(), &name))
            }
        }
    };
    let page = console::page(call, &caller.user, &csrf, texts, &title);
    Ok(page.script("copy.js").answer(status, &content))
}

struct Cx<'a> {
    call: &'a Call<'a>,
    caller: &'a Caller,
    texts: &'static Texts,
    csrf: &'a str,
    all: &'a [Folder],
    here: Option<&'a Folder>,
}

impl Cx<'_> {
    fn base(&self) -> &str {
        self.call.app.config.base_path()
    }

    fn here_token(&self) -> &str {
        self.here.map_or("", |folder| folder.token.as_str())
    }

    fn search(&self, name: &str) -> Markup {
        html! {
            form method="get" action={ (self.base()) "/forms" } role="search" {
                @if let Some(here) = self.here {
                    input type="hidden" name="folder" value=(here.token);
                }
                div.field {
                    label for="name" { (self.texts.say("forms-search")) }
                    div.row {
                        input.input.grow #name name="name" type="search" value=(name) autocomplete="off";
                        button.button.quiet type="submit" { (self.texts.say("forms-search-button")) }
                    }
                }
            }
        }
    }

    /// How to create a first form.
    fn first_steps(&self) -> Markup {
        let say = |id: &str| self.texts.say(id);
        html! {
            section.card.stack aria-labelledby="first" {
                h2 #first { (say("forms-none")) }
                p { (say("forms-first-text")) }
                (sample_button(self.call, self.texts, self.csrf, "button"))
            }
            section.card.stack aria-labelledby="first-api" {
                h2 #first-api { (say("welcome-token")) }
                p { (say("forms-first-api")) }
                (copyable(self.texts, "curl", &curl_form(self.call, self.texts, "YOUR_TOKEN"), &say("copy-command")))
                p.row {
                    a href={ (self.base()) "/profile#tokens" } { (say("forms-first-token")) }
                    a href={ (self.base()) "/docs" } { (say("forms-first-docs")) }
                }
            }
        }
    }

    /// The current folder, its subfolders, and the actions on it.
    fn folders(&self, failed: Option<&Failed>) -> Markup {
        let here = self.here.map(|folder| folder.id);
        let inside: Vec<&Folder> = self.all.iter().filter(|f| f.parent == here).collect();
        let say = |id: &str| self.texts.say(id);
        html! {
            section.card.stack aria-labelledby="folders" {
                h2 #folders {
                    @match self.here {
                        Some(folder) => bdi { (folder.name) },
                        None => (say("forms-folders")),
                    }
                }
                @if let Some(folder) = self.here {
                    @let up = folder.parent_token.as_ref();
                    p {
                        a href={ (self.base()) "/forms" @if let Some(up) = up { "?folder=" (up) } } {
                            (say("forms-up"))
                        }
                    }
                }
                @if !inside.is_empty() {
                    ul.rows role="list" {
                        @for folder in inside {
                            li {
                                div {
                                    a href={ (self.base()) "/forms?folder=" (folder.token) } {
                                        bdi { (folder.name) }
                                    }
                                    " "
                                    span.small.muted {
                                        (self.texts.fill("forms-count", &[("count", folder.child_form_count.into())]))
                                    }
                                }
                            }
                        }
                    }
                }
                (self.name_form(FolderAction::Create, "folders", "forms-folder-new", failed, ""))
                @if let Some(folder) = self.here {
                    @let path = format!("folders/{}/rename", folder.token);
                    (self.name_form(FolderAction::Rename, &path, "forms-folder-rename", failed, &folder.name))
                    p {
                        a.button.danger.small href={ (self.base()) "/forms/folders/" (folder.token) "/delete" } {
                            (say("forms-folder-delete"))
                        }
                    }
                }
            }
        }
    }

    /// A collapsed form for a folder's name.
    fn name_form(&self, action: FolderAction, path: &str, words: &str, failed: Option<&Failed>, name: &str) -> Markup {
        let failed = failed.filter(|failed| failed.action == action);
        let id = match action {
            FolderAction::Create => "new-folder",
            FolderAction::Rename | FolderAction::Delete => "folder-name",
        };
        let fault_id = failed.map(|_| format!("{id}-fault"));
        html! {
            details open[failed.is_some()] {
                summary { (self.texts.say(words)) }
                form method="post" action={ (self.base()) "/forms/" (path) } novalidate {
                    (csrf_field(self.csrf))
                    input type="hidden" name="folder" value=(self.here_token());
                    div.field.wrong[failed.is_some()] {
                        label for=(id) { (self.texts.say("forms-folder-name")) }
                        @if let Some(failed) = failed {
                            p.fault id=[fault_id.as_deref()] { (failed.fault) }
                        }
                        input.input id=(id) name="folder_name" required autocomplete="off"
                            value=(failed.map_or(name, |failed| failed.name))
                            autofocus[failed.is_some()] aria-describedby=[fault_id.as_deref()]
                            aria-invalid=[failed.map(|_| "true")];
                    }
                    button.button.quiet type="submit" { (self.texts.say("profile-save")) }
                }
            }
        }
    }

    fn list(&self, forms: &Page<FormListItem>, next: Option<&str>, name: &str) -> Markup {
        html! {
            section.card.stack aria-labelledby="forms" {
                h2 #forms {
                    (self.texts.fill("forms-count", &[("count", forms.total.into())]))
                }
                @if forms.rows.is_empty() {
                    p {
                        @if name.is_empty() {
                            (self.texts.say("forms-none-here"))
                        } @else {
                            (self.texts.fill("forms-none-found", &[("name", isolated(name).into())]))
                        }
                    }
                } @else {
                    ul.rows role="list" {
                        @for item in &forms.rows { (self.form(item)) }
                    }
                }
                @if let Some(next) = next {
                    p {
                        a.button.quiet href={
                            (self.base()) "/forms?folder=" (self.here_token())
                            "&name=" (encoded(name)) "&cursor=" (next)
                        } { (self.texts.say("forms-more")) }
                    }
                }
            }
        }
    }

    fn form(&self, item: &FormListItem) -> Markup {
        let form = &item.form;
        let base = self.base();
        let role = match item.role {
            Role::Owner => "forms-own",
            Role::Manager => "sharing-manager",
            Role::Editor => "sharing-editor",
            Role::Viewer => "sharing-viewer",
        };
        html! {
            li {
                div.stack {
                    h3 { a href={ (base) "/f/" (form.token) } { bdi { (form.name) } } }
                    p.small.muted {
                        (self.texts.say(role)) " · "
                        (self.texts.fill("forms-entries", &[("count", form.entries_count.into())]))
                        @if let Some(at) = form.last_entry_at {
                            " · " (self.texts.say("forms-last-entry")) ": " (moment(&self.caller.user, at))
                        }
                        @if !form.published { " · " (self.texts.say("forms-unpublished")) }
                    }
                }
                div.row.acts {
                    @if form.published { (self.action_link(form.token.as_str(), "link", "forms-link", &form.name)) }
                    @if item.role >= Role::Manager {
                        (self.action_link(form.token.as_str(), "people", "forms-share", &form.name))
                    }
                    @if !self.all.is_empty() {
                        (self.action_link(form.token.as_str(), "folder", "forms-move", &form.name))
                    }
                }
            }
        }
    }

    /// A link to a page with an action on a form.
    fn action_link(&self, form: &str, page: &str, words: &str, name: &str) -> Markup {
        html! {
            a.button.quiet.small href={ (self.base()) "/forms/" (form) "/" (page) } {
                (self.texts.say(words))
                span.visually-hidden { " " bdi { (name) } }
            }
        }
    }
}

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
