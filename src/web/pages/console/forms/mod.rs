//! `/forms`: the user's own forms and those shared with them, by folder.

pub mod folders;
mod place;
pub mod rename;

use maud::{Markup, Render, html};
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::text::texts::{Texts, grouped};
use crate::model::caller::Caller;
use crate::model::folder::Folder;
use crate::model::page::Page;
use crate::model::role::Role;
use crate::ops::forms::folders as own_folders;
use crate::ops::forms::form_lists::{self, FormListItem, ListRequest, Overview, Totals};
use crate::web::pages::console::form_trash;
use crate::web::pages::console::forms::folders::{Failed, FolderAction};
use crate::web::pages::console::forms::place::{OUTSIDE, Place};
use crate::web::pages::console::widgets::{self, copyable, isolated};
use crate::web::pages::console::{self, curl_form, moment, sample_button};
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::entries::keys::KeyHelp;
use crate::web::pages::ui::field::{Choice, SelectField};
use crate::web::pages::ui::forms::folders::SideList;
use crate::web::pages::ui::head::PageHead;
use crate::web::pages::ui::menu::{Menu, MenuItem};
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::section::{EmptyState, Section};
use crate::web::pages::ui::table::{Column, Direction, Holds, Narrow, PageLink, Pager, Sort, Table};
use crate::web::pages::ui::toolbar::{Search, Toolbar};
use crate::web::pages::ui::words::{self, row};
use crate::web::request::call::Call;
use crate::web::request::paging::PagedList;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// The order by the newest entry.
const LAST_ENTRY: &str = "last_entry_created_at";

/// `GET /forms`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    Ok(view(call, caller, StatusCode::OK, None)?.into())
}

fn view(call: &Call, caller: &Caller, status: StatusCode, failed: Option<&Failed>) -> Result<Answer> {
    let texts = console::texts_of(&caller.user);
    let csrf = session::csrf(call);
    let all = own_folders::all(call.app, caller)?;
    let wanted = match failed {
        Some(failed) => failed.folder.to_owned(),
        None => call.query("folder").unwrap_or_default(),
    };
    let folder = all.iter().find(|folder| folder.token.as_str() == wanted);
    let place = match (folder, wanted.as_str()) {
        (Some(folder), _) => Place::Folder(folder),
        (None, "") => Place::All,
        (None, OUTSIDE) => Place::Outside,
        (None, unknown) => {
            // Not the caller's folder: answers with the error that the API gives.
            own_folders::show(call.app, caller, unknown)?;
            Place::All
        }
    };
    let name = call.query("name").unwrap_or_default();
    let paged = PagedList::new(call, Some(caller));
    let mut page = paged.request()?;
    page.size = usize::try_from(caller.user.preferences.rows).unwrap_or(page.size);
    let forms = form_lists::list(
        call.app,
        caller,
        ListRequest {
            name: Some(name.clone()),
            folder: match place {
                Place::All => None,
                Place::Outside => Some(String::new()),
                Place::Folder(folder) => Some(folder.token.to_string()),
            },
            sort: form_lists::sort_by_name(call.query("sort").filter(|sort| !sort.is_empty()).as_deref())?,
            is_trashed: false,
            page,
        },
    )?;
    let next = paged.next_cursor(&forms);
    let heading = texts.say("forms-title");
    let title = widgets::page_title(texts, &heading, failed.is_some());
    let is_new = forms.total == 0 && all.is_empty() && name.is_empty();
    let overviews = form_lists::overviews(call.app, caller, &forms.rows)?;
    let totals = if all.is_empty() { None } else { Some(form_lists::totals(call.app, caller)?) };
    let cx = Cx { call, caller, texts, csrf: &csrf, all: &all, totals, place };
    let content = html! {
        (PageHead { title: html! { (heading) }, actions: cx.new_form(), ..PageHead::default() })
        @if let Some(failed) = failed.filter(|failed| failed.action == FolderAction::Delete) {
            (message(Tone::Bad, &texts.say("forms-folder-fault"), failed.fault))
        }
        (form_trash::deleted_notice(call, caller, &csrf)?)
        @if is_new {
            (cx.first_steps())
            (cx.folders(failed))
        } @else {
            @let list = cx.list(&forms, &overviews, next.as_deref(), &name);
            @if all.is_empty() { (list) (cx.folders(failed)) } @else { (SideList { main: list, side: cx.folders(failed) }) }
            (cx.keys())
        }
    };
    let page = console::page(call, &caller.user, &csrf, texts, &title);
    Ok(page.script("copy.js").script("forms.js").answer(status, &content))
}

struct Cx<'a> {
    call: &'a Call<'a>,
    caller: &'a Caller,
    texts: &'static Texts,
    csrf: &'a str,
    all: &'a [Folder],
    /// Counted where there are folders.
    totals: Option<Totals>,
    place: Place<'a>,
}

impl Cx<'_> {
    fn base(&self) -> &str {
        self.call.app.config.base_path()
    }

    /// The token of the page's folder; empty outside of all.
    fn folder_token(&self) -> &str {
        match &self.place {
            Place::All | Place::Outside => "",
            Place::Folder(folder) => folder.token.as_str(),
        }
    }

    /// The address of the list of that place.
    fn list_in(&self, place: Place) -> String {
        match place.key() {
            "" => format!("{}/forms", self.base()),
            key => format!("{}/forms?folder={key}", self.base()),
        }
    }

    /// Finds forms by name, and leads to a folder: quieter than the forms.
    fn search(&self, name: &str) -> Markup {
        let tops = [(Place::All, "forms-all"), (Place::Outside, "forms-outside")];
        let tops = tops.map(|(place, id)| Choice::new(place.key(), self.texts.say(id), self.place == place));
        let here = self.folder_token();
        let folders = self.all.iter().map(|folder| {
            let token = folder.token.as_str();
            Choice::new(token, words::name(&self.path_of(folder)), token == here)
        });
        let folders = SelectField {
            id: "folder",
            name: "folder",
            label: &self.texts.say("forms-move-to"),
            choices: tops.into_iter().chain(folders).collect(),
            about: html! { (self.texts.say("forms-title")) },
        };
        let search = Search {
            action: &format!("{}/forms", self.base()),
            name: "name",
            label: &self.texts.say("forms-search"),
            value: name,
            button: &self.texts.say("forms-search-button"),
            kept: Vec::new(),
            narrowing: if self.all.is_empty() { Markup::default() } else { folders.render() },
        };
        let trash = Button {
            label: &self.texts.say("entries-trash"),
            press: Press::Go(&format!("{}/forms/trash", self.base())),
            is_small: true,
            ..Button::default()
        };
        Toolbar { start: search.render(), end: trash.render() }.render()
    }

    /// A folder's name behind those of its parents.
    fn path_of(&self, folder: &Folder) -> String {
        let parent = folder.parent.and_then(|parent| self.all.iter().find(|other| other.id == parent));
        match parent {
            Some(parent) => format!("{} / {}", self.path_of(parent), folder.name),
            None => folder.name.clone(),
        }
    }

    /// The way to make a form, in this folder.
    fn new_form(&self) -> Markup {
        let folder = match self.folder_token() {
            "" => String::new(),
            token => format!("?folder={token}"),
        };
        Button {
            label: &self.texts.say("forms-new"),
            press: Press::Go(&format!("{}/forms/new{folder}", self.base())),
            weight: Weight::Main,
            ..Button::default()
        }
        .render()
    }

    /// How to create a first form.
    fn first_steps(&self) -> Markup {
        let say = |id: &str| self.texts.say(id);
        let links = html! {
            a href={ (self.base()) "/profile#tokens" } { (say("forms-first-token")) }
            a href={ (self.base()) "/docs" } { (say("forms-first-docs")) }
        };
        html! {
            (Section {
                id: "first",
                title: html! { (say("forms-none")) },
                content: EmptyState {
                    text: &say("forms-first-text"),
                    actions: html! {
                        (Button {
                            label: &say("forms-new-paste"),
                            press: Press::Go(&format!("{}/forms/new#from-list", self.base())),
                            ..Button::default()
                        })
                        (sample_button(self.call, self.texts, self.csrf, Weight::Quiet))
                    },
                }
                .render(),
                ..Section::default()
            })
            (Section {
                id: "first-api",
                title: html! { (say("welcome-token")) },
                content: html! {
                    p { (say("forms-first-api")) }
                    (copyable(self.texts, "curl", &curl_form(self.call, self.texts, "YOUR_TOKEN"), &say("copy-command")))
                    (row(links))
                },
                ..Section::default()
            })
        }
    }

    /// The keys of the list, which do the same as the menu of a row.
    fn keys(&self) -> Markup {
        let keys = [
            ("j ↓", "keys-form-down"),
            ("k ↑", "keys-form-up"),
            ("← →", "keys-cells"),
            ("Home End", "keys-form-ends"),
            ("Enter o", "keys-form-open"),
            ("b", "keys-form-build"),
            ("e", "keys-form-entries"),
            ("s", "keys-form-share"),
            ("m", "keys-form-move"),
            ("# Delete", "keys-form-trash"),
            ("n", "keys-form-new"),
            ("/", "keys-form-search"),
            ("Ctrl+K", "keys-finder"),
            ("?", "keys-help"),
        ];
        // Without folders a form is moved nowhere.
        let shown = keys.into_iter().filter(|(key, _)| *key != "m" || !self.all.is_empty());
        KeyHelp {
            title: &self.texts.say("keys-title"),
            note: &console::note_on_keys(&self.caller.user, self.texts),
            keys: shown.map(|(keys, words)| (keys, self.texts.say(words))).collect(),
            close: &self.texts.say("keys-close"),
        }
        .render()
    }

    fn list(&self, forms: &Page<FormListItem>, overviews: &[Overview], next: Option<&str>, name: &str) -> Markup {
        let none = match name {
            "" => self.texts.say("forms-none-here"),
            name => self.texts.fill("forms-none-found", &[("name", isolated(name).into())]),
        };
        let more = next.map(|next| {
            let sort = self.call.query("sort").unwrap_or_default();
            let (folder, name, sort) = (self.place.key(), encoded(name), encoded(&sort));
            format!("{}/forms?folder={folder}&name={name}&sort={sort}&cursor={next}", self.base())
        });
        let more_words = self.texts.say("forms-more");
        let count = self.texts.fill("forms-count", &[("count", forms.total.into())]);
        Section {
            id: "forms",
            title: match self.place {
                Place::All => html! { (count) },
                Place::Outside => html! { (self.texts.say("forms-outside")) },
                Place::Folder(folder) => words::name(&folder.name),
            },
            content: html! {
                (self.search(name))
                @if forms.rows.is_empty() {
                    (EmptyState { text: &none, ..EmptyState::default() })
                } @else {
                    (self.table(&forms.rows, overviews, &count))
                }
                (Pager {
                    next: more.as_deref().map(|address| PageLink { address, label: &more_words }),
                    ..Pager::default()
                })
            },
            ..Section::default()
        }
        .render()
    }

    fn table(&self, forms: &[FormListItem], overviews: &[Overview], caption: &str) -> Markup {
        let headings = ["forms-name", "forms-state", "forms-entries", "forms-last-entry", "forms-actions"];
        let headings = headings.map(|id| self.texts.say(id));
        let order = self.call.query("sort").unwrap_or_default();
        let by_entry = format!("{}/forms?folder={}&sort={LAST_ENTRY}", self.base(), self.place.key());
        let by_creation = self.list_in(self.place);
        let sort_of = |at: usize| match at {
            // Pressed again, the list is in the order of creation as before.
            3 if order == LAST_ENTRY => Some(Sort { address: &by_creation, direction: Some(Direction::Descending) }),
            3 => Some(Sort { address: &by_entry, direction: None }),
            _ => None,
        };
        let holds = [Holds::Text, Holds::Text, Holds::Numbers, Holds::Text, Holds::Actions];
        let columns = headings.iter().zip(holds).enumerate();
        let columns =
            columns.map(|(at, (heading, holds))| Column { heading, holds, sort: sort_of(at), ..Column::default() });
        Table {
            caption,
            columns: columns.collect(),
            rows: forms.iter().zip(overviews).map(|(item, overview)| self.form(item, overview)).collect(),
            narrow: Narrow::Stack,
        }
        .render()
    }

    /// The cells of a form's row.
    fn form(&self, item: &FormListItem, overview: &Overview) -> Vec<Markup> {
        let form = &item.form;
        let role = match item.role {
            Role::Owner => None,
            Role::Manager => Some("sharing-manager"),
            Role::Editor => Some("sharing-editor"),
            Role::Viewer => Some("sharing-viewer"),
        };
        let role = role.map(|role| html! { (self.texts.say("sharing-role")) ": " (self.texts.say(role)) });
        let queries = overview.queries.iter().map(|query| {
            html! {
                (self.texts.say("forms-query")) ": "
                a href={ (self.base()) "/q/" (query.token) } { (words::name(&query.name)) }
            }
        });
        let folder = overview.folder.as_ref().filter(|_| self.place == Place::All);
        let folder = folder.and_then(|token| self.all.iter().find(|folder| folder.token == *token));
        let folder = folder.map(|folder| {
            html! {
                (self.texts.say("forms-move-to")) ": "
                a href=(self.list_in(Place::Folder(folder))) { (words::name(&self.path_of(folder))) }
            }
        });
        let beneath: Vec<Markup> = folder.into_iter().chain(role).chain(queries).collect();
        vec![
            html! {
                a href={ (self.base()) "/forms/" (form.token) } { (words::name(&form.name)) }
                @if !beneath.is_empty() { (words::small(words::joined(&beneath))) }
            },
            widgets::form_state(self.texts, overview.status),
            html! { (grouped(form.entries_count)) },
            form.last_entry_at.map(|at| moment(&self.caller.user, at)).unwrap_or_default(),
            self.actions(item),
        ]
    }

    fn actions(&self, item: &FormListItem) -> Markup {
        let form = &item.form;
        let shown = [
            (true, "share", "forms-share"),
            (item.role >= Role::Manager, "people", "forms-people"),
            (!self.all.is_empty(), "folder", "forms-move"),
        ];
        let shown = shown.into_iter().filter(|(is_shown, ..)| *is_shown);
        let address = |page: &str| format!("{}/forms/{}/{page}", self.base(), form.token);
        let pages: Vec<(String, String)> =
            shown.map(|(_, page, words)| (address(page), self.texts.say(words))).collect();
        let posts =
            [(item.role >= Role::Manager, "copy", "forms-copy"), (item.role == Role::Owner, "delete", "forms-delete")];
        let posts = posts.into_iter().filter(|(is_shown, ..)| *is_shown);
        let posts: Vec<(String, String)> = posts.map(|(_, act, words)| (address(act), self.texts.say(words))).collect();
        if pages.is_empty() && posts.is_empty() {
            return Markup::default();
        }
        let csrf = self.csrf;
        let pages = pages.iter().map(|(address, label)| MenuItem::Go { address, label });
        let posts = posts.iter().map(|(action, label)| MenuItem::Post { action, csrf, label });
        Menu {
            id: &format!("menu-{}", form.token),
            label: &self.texts.say("forms-actions"),
            about: words::name(&form.name),
            items: pages.chain(posts).collect(),
        }
        .render()
    }
}

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
