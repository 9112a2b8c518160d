//! `/forms`: one's own forms and those that are shared, by folders.

use maud::{Markup, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::json::Json;
use crate::base::texts::Texts;
use crate::model::caller::Caller;
use crate::model::folder::Folder;
use crate::model::page::Page;
use crate::model::role::Role;
use crate::ops::folders;
use crate::ops::form_lists::{self, FormListItem, ListRequest};
use crate::web::call::Call;
use crate::web::pages::console::{self, Posted, moment};
use crate::web::pages::layout::{Tone, csrf_field, message};
use crate::web::paging::Bound;
use crate::web::reply::{Answer, Reply};
use crate::web::session;

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
    let made = folders::create(call.app, caller, body).map(|folder| folder.token.to_string());
    outcome(call, caller, made, &posted)
}

/// `POST /forms/folders/{folder_token}/rename`
pub fn rename_folder(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let token = call.param("folder_token");
    let body = json!({"name": posted.text("folder_name")});
    let renamed = folders::update(call.app, caller, token, body).map(|_| token.to_owned());
    outcome(call, caller, renamed, &posted)
}

/// `POST /forms/folders/{folder_token}/delete`: leads to the folder above.
pub fn delete_folder(call: &Call, caller: &Caller) -> Result<Reply> {
    let token = call.param("folder_token");
    let folder = folders::show(call.app, caller, token)?;
    let above = folder.parent_token.map(|token| token.to_string());
    let gone = folders::remove(call.app, caller, token).map(|()| above.unwrap_or_default());
    outcome(call, caller, gone, &Posted(Vec::new()))
}

/// `POST /forms/{form_token}/folder`
pub fn move_form(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let to = match posted.text("to") {
        "" => Json::Null,
        token => json!(token),
    };
    let form = call.param("form_token");
    folders::put_form(call.app, caller, form, json!({"folder_token": to}))?;
    Ok(to_folder(call, posted.text("folder")))
}

fn to_folder(call: &Call, token: &str) -> Reply {
    let path = if token.is_empty() {
        "/forms".to_owned()
    } else {
        let token: String = url::form_urlencoded::byte_serialize(token.as_bytes()).collect();
        format!("/forms?folder={token}")
    };
    session::to_page(&call.app.config, &path).into()
}

fn outcome(call: &Call, caller: &Caller, done: Result<String>, typed: &Posted) -> Result<Reply> {
    match done {
        Ok(token) => Ok(to_folder(call, &token)),
        Err(error) => {
            let faults = console::faults(error)?;
            let first = faults.first().map_or("", |issue| issue.message.as_str());
            let texts = console::texts_of(&caller.user);
            let fault = console::words::fault(texts, first);
            let again = Again {
                fault: &fault,
                name: typed.text("folder_name"),
            };
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            Ok(view(call, caller, status, Some(&again))?.into())
        }
    }
}

/// What was wrong with a folder's name.
struct Again<'a> {
    fault: &'a str,
    name: &'a str,
}

fn view(call: &Call, caller: &Caller, status: StatusCode, again: Option<&Again>) -> Result<Answer> {
    let texts = console::texts_of(&caller.user);
    let csrf = session::csrf(call);
    let all = folders::all(call.app, caller)?;
    let wanted = call.query("folder").unwrap_or_default();
    let here = all.iter().find(|folder| folder.token.as_str() == wanted);
    if here.is_none() && !wanted.is_empty() {
        // Another's, or none: said as the API says it.
        folders::show(call.app, caller, &wanted)?;
    }
    let name = call.query("name").unwrap_or_default();
    let bound = Bound::new(call, Some(caller));
    let mut page = bound.request()?;
    page.size = PAGE;
    let forms = form_lists::list(
        call.app,
        caller,
        ListRequest {
            name: Some(name.clone()),
            // Who searches at the top searches everywhere.
            folder: (!wanted.is_empty() || name.is_empty()).then(|| wanted.clone()),
            sort: form_lists::sort_by_name(None)?,
            page,
        },
    )?;
    let next = bound.next_cursor(&forms);
    let title = texts.say("forms-title");
    let cx = Cx {
        call,
        caller,
        texts,
        csrf: &csrf,
        all: &all,
        here,
    };
    let content = html! {
        div.wide.stack {
            h1 { (title) }
            @if let Some(again) = again {
                (message(Tone::Bad, &texts.say("forms-folder-fault"), again.fault))
            }
            (cx.search(&name))
            (cx.folders(again))
            (cx.list(&forms, next.as_deref(), &name))
        }
    };
    Ok(console::page(call, &caller.user, &csrf, texts, &title).answer(status, &content))
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

    /// Where we are, what lies there, and what can be done with it.
    fn folders(&self, again: Option<&Again>) -> Markup {
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
                (self.naming("folders", "forms-folder-new", again, ""))
                @if let Some(folder) = self.here {
                    @let path = format!("folders/{}/rename", folder.token);
                    (self.naming(&path, "forms-folder-rename", None, &folder.name))
                    form method="post"
                        action={ (self.base()) "/forms/folders/" (folder.token) "/delete" } {
                        (csrf_field(self.csrf))
                        button.button.danger.small type="submit" { (say("forms-folder-delete")) }
                    }
                }
            }
        }
    }

    /// A folder's name to fill in, folded away.
    fn naming(&self, path: &str, words: &str, again: Option<&Again>, name: &str) -> Markup {
        html! {
            details open[again.is_some()] {
                summary { (self.texts.say(words)) }
                form method="post" action={ (self.base()) "/forms/" (path) } {
                    (csrf_field(self.csrf))
                    input type="hidden" name="folder" value=(self.here_token());
                    div.field {
                        label {
                            (self.texts.say("forms-folder-name"))
                            input.input name="folder_name" required maxlength="100" autocomplete="off"
                                value=(again.map_or(name, |again| again.name))
                                aria-invalid=[again.map(|_| "true")];
                        }
                    }
                    button.button type="submit" { (self.texts.say("profile-save")) }
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
                    p { (self.texts.say(if name.is_empty() { "forms-none" } else { "forms-none-found" })) }
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
        let select = format!("to-{}", form.token);
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
                @if item.role >= Role::Manager {
                    a.button.quiet.small href={ (base) "/forms/" (form.token) "/people" } {
                        (self.texts.say("forms-share"))
                        span.visually-hidden { " " bdi { (form.name) } }
                    }
                }
                @if !self.all.is_empty() {
                    form.row method="post" action={ (base) "/forms/" (form.token) "/folder" } {
                        (csrf_field(self.csrf))
                        input type="hidden" name="folder" value=(self.here_token());
                        label.visually-hidden for=(select) {
                            (self.texts.say("forms-move-to")) " " bdi { (form.name) }
                        }
                        select.input id=(select) name="to" {
                            option value="" { (self.texts.say("forms-no-folder")) }
                            @for folder in self.all {
                                option value=(folder.token) selected[folder.token.as_str() == self.here_token()] {
                                    (folder.name)
                                }
                            }
                        }
                        button.button.quiet.small type="submit" {
                            (self.texts.say("forms-move"))
                            span.visually-hidden { " " bdi { (form.name) } }
                        }
                    }
                }
            }
        }
    }
}

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
