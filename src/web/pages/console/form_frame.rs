//! The frame of a form's own pages: the form's name and state, and the way between its pages.

use maud::{Markup, Render, html};

use crate::base::error::Result;
use crate::base::issue::Issue;
use crate::base::text::isolated;
use crate::base::text::texts::{self, Texts};
use crate::model::caller::Caller;
use crate::model::role::Role;
use crate::model::user::FirstTab;
use crate::ops::forms::availability;
use crate::ops::forms::{self, form_view::FormView};
use crate::web::pages::console::confirmation::Confirmation;
use crate::web::pages::console::forms::rename;
use crate::web::pages::console::{self, account_messages, widgets};
use crate::web::pages::form::faults::name_of;
use crate::web::pages::ui::chip::Chip;
use crate::web::pages::ui::form_head::{FormHead, Tab};
use crate::web::pages::ui::forms::name::{NameButton, NamePanel};
use crate::web::pages::ui::head::Back;
use crate::web::pages::ui::menu::{Menu, MenuItem};
use crate::web::pages::ui::notice::Tone;
use crate::web::pages::ui::words::name;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// The pages of a form.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FormPage {
    Build,
    Logic,
    Look,
    Entries,
    Report,
    Share,
    People,
    Settings,
}

/// The common parts of the pages of a form.
pub struct FormFrame<'a> {
    pub call: &'a Call<'a>,
    pub caller: &'a Caller,
    pub texts: &'static Texts,
    pub csrf: String,
    pub view: FormView,
}

/// `GET /forms/{form_token}`: redirects to the page that the caller chose in the profile. Without a choice, managers of a
/// form without entries get its questions, others its entries.
pub fn home(call: &Call, caller: &Caller) -> Result<Reply> {
    let view = forms::show(call.app, caller, call.param("form_token"))?;
    let page = match caller.user.preferences.first_tab {
        FirstTab::Build => "build",
        FirstTab::Report => "report",
        FirstTab::Fitting if view.role >= Role::Manager && view.form.entries_count == 0 => "build",
        FirstTab::Fitting | FirstTab::Entries => "entries",
    };
    Ok(session::to_page(&call.app.config, &format!("/forms/{}/{page}", view.form.token)).into())
}

impl<'a> FormFrame<'a> {
    /// # Errors
    /// 404.
    pub fn load(call: &'a Call, caller: &'a Caller) -> Result<Self> {
        let view = forms::show(call.app, caller, call.param("form_token"))?;
        Ok(Self { call, caller, texts: console::texts_of(&caller.user), csrf: session::csrf(call), view })
    }

    pub fn say(&self, id: &str) -> String {
        self.texts.say(id)
    }

    /// The address of a page of the form.
    pub fn address(&self, page: &str) -> String {
        format!("{}/forms/{}/{page}", self.call.app.config.base_path(), self.view.form.token)
    }

    /// Faults, one after the other, each behind the name of its question or condition.
    pub fn told<'i>(&self, issues: impl IntoIterator<Item = &'i Issue>) -> String {
        issues.into_iter().map(|issue| self.told_one(issue)).collect::<Vec<_>>().join(" · ")
    }

    fn told_one(&self, issue: &Issue) -> String {
        let path = issue.attribute.strip_prefix("field_values.").unwrap_or(&issue.attribute);
        let code = path.split(['.', '[']).next().unwrap_or_default();
        let condition = path.strip_prefix("filters[").and_then(|rest| rest.split(']').next()?.parse::<i64>().ok());
        let name = match (self.view.parsed.definition.fields.get(code), condition) {
            (Some(field), _) => isolated(&name_of(self.texts, field)),
            (None, Some(at)) => self.texts.fill("entries-condition-number", &[("number", (at + 1).into())]),
            (None, None) if code == "x_field_1" => self.say("system-x-field-1"),
            (None, None) => return account_messages::with_place(self.texts, issue),
        };
        self.texts.labelled(&name, &account_messages::message(self.texts, issue))
    }

    /// The title of a page of the form in the browser's tabs: the page, then the form.
    pub fn title(&self, heading: &str) -> String {
        widgets::page_of(heading, &self.view.form.name)
    }

    /// Asks before an act on a part of the form.
    pub fn ask(&self, confirmation: &Confirmation) -> Answer {
        confirmation.named(self.call, self.caller, &self.title(&confirmation.title))
    }

    /// Whether the caller may add and change entries.
    pub fn may_change_entries(&self) -> bool {
        self.view.role >= Role::Editor
    }

    /// The language of the form's own words, if it is not the page's.
    pub fn owners_lang(&self) -> Option<&str> {
        self.texts.other(&self.view.form.locale)
    }

    /// `is_title` says that the page has no other title than the form's name.
    pub fn head(&self, here: FormPage, is_title: bool) -> Markup {
        let form = &self.view.form;
        let pages = [
            (FormPage::Build, "build", "build-title", true),
            (FormPage::Logic, "rules", "rules-title", true),
            (FormPage::Look, "theme", "look-title", true),
            (FormPage::Entries, "entries", "forms-entries", true),
            (FormPage::Report, "report", "report-title", true),
            (FormPage::Share, "share", "forms-share", true),
            (FormPage::People, "people", "forms-people", self.view.role >= Role::Manager),
            (FormPage::Settings, "settings", "settings-title", true),
        ];
        let labels = pages.map(|(.., words, _)| self.say(words));
        let shown = pages.into_iter().zip(&labels).filter(|((.., is_shown), _)| *is_shown);
        let tabs = shown.map(|((page, path, ..), label)| Tab {
            address: self.address(path),
            label,
            count: if page == FormPage::Entries { texts::grouped(form.entries_count) } else { String::new() },
            is_here: page == here,
            is_second: !matches!(page, FormPage::Build | FormPage::Entries | FormPage::Report | FormPage::Share),
        });
        let folder = self.view.folder.as_ref().map(|folder| format!("?folder={folder}")).unwrap_or_default();
        let name = html! { span lang=[self.owners_lang()] { (name(&form.name)) } };
        let (name, rename) = if self.view.role >= Role::Manager {
            let path = pages.iter().find(|(page, ..)| *page == here).map_or("", |(_, path, ..)| path);
            let button = NameButton { name, full_name: &form.name, about: &self.say("forms-rename") };
            (button.render(), NamePanel { form: rename::form_of(self, path) }.render())
        } else {
            (name, Markup::default())
        };
        // Pages that managers need less often than the tabs.
        let less_often = [("history", "history-title"), ("folder", "forms-move-title")];
        let less_often = less_often.map(|(page, words)| (self.address(page), self.say(words)));
        let more = self.say("form-pages-more");
        let menu = (self.view.role >= Role::Manager).then(|| Menu {
            id: "form-more",
            label: &more,
            about: Markup::default(),
            items: less_often.iter().map(|(address, label)| MenuItem::Go { address, label }).collect(),
        });
        FormHead {
            back: Back {
                address: &format!("{}/forms{folder}", self.call.app.config.base_path()),
                label: &self.say("forms-title"),
            },
            name,
            full_name: &form.name,
            rename,
            is_title,
            chips: self.state(),
            menu,
            more: &more,
            label: &self.say("form-pages"),
            skip: &self.say("form-pages-skip"),
            tabs: tabs.collect(),
        }
        .render()
    }

    fn state(&self) -> Markup {
        let form = &self.view.form;
        let availability = &self.view.parsed.settings.availability;
        let status = availability::status(availability, form.entries_count, self.call.now);
        let changed = self.say("build-changed");
        html! {
            (widgets::form_state(self.texts, form.published.then_some(status)))
            @if self.view.has_draft && form.published && self.view.role >= Role::Manager {
                span title=(changed) { (Chip { tone: Tone::Warn, text: &changed }) }
            }
        }
    }
}
