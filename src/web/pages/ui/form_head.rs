//! The head of a form's own pages: its name and state, and the links between its pages. On a phone they are a bar at
//! the lower edge, with the most needed ones, and a menu of the rest.

use maud::{Markup, Render, html};

use crate::web::pages::ui::head::Back;
use crate::web::pages::ui::menu::Menu;

pub struct Tab<'a> {
    pub address: String,
    pub label: &'a str,
    /// A number beside the label; none if empty.
    pub count: String,
    pub is_here: bool,
    /// Whether it is in the menu on a phone.
    pub is_second: bool,
}

pub struct FormHead<'a> {
    pub back: Back<'a>,
    pub name: Markup,
    /// The name as a text: where there is no room for all of it, it is shown so.
    pub full_name: &'a str,
    /// The form of another name, which the name opens; nothing for users who may not change it.
    pub rename: Markup,
    /// Whether the page has no other title than the form's name.
    pub is_title: bool,
    /// The state in a word or two.
    pub chips: Markup,
    /// Pages that are needed less often; on a phone they are part of the tabs' menu.
    pub menu: Option<Menu<'a>>,
    /// The button of the tabs' menu.
    pub more: &'a str,
    /// The tabs' name, for screen readers.
    pub label: &'a str,
    /// The words of the link past all this.
    pub skip: &'a str,
    pub tabs: Vec<Tab<'a>>,
}

impl Render for FormHead<'_> {
    fn render(&self) -> Markup {
        html! {
            div.form-bar {
                a.skip href="#work" { (self.skip) }
                div.form-bar-name {
                    a.form-bar-back href=(self.back.address) { (self.back.label) }
                    @if self.is_title {
                        h1.form-bar-title title=(self.full_name) { (self.name) }
                    } @else {
                        p.form-bar-title title=(self.full_name) { (self.name) }
                    }
                    (self.rename)
                    (self.chips)
                    @if let Some(menu) = &self.menu { div.form-bar-menu { (menu) } }
                }
                nav.tabs aria-label=(self.label) {
                    @for tab in &self.tabs {
                        a href=(tab.address) aria-current=[tab.is_here.then_some("page")] data-second[tab.is_second] {
                            (tab.label)
                            @if !tab.count.is_empty() { " " span.tab-count { (tab.count) } }
                        }
                    }
                    @let is_here = self.tabs.iter().any(|tab| tab.is_here && tab.is_second);
                    button.tab-more type="button" popovertarget="tabs-more" data-here[is_here] { (self.more) }
                    ul.menu #tabs-more role="list" popover {
                        @for tab in self.tabs.iter().filter(|tab| tab.is_second) {
                            li { a href=(tab.address) aria-current=[tab.is_here.then_some("page")] { (tab.label) } }
                        }
                        @if let Some(menu) = &self.menu { (menu.items()) }
                    }
                }
                span.visually-hidden #work tabindex="-1" {}
            }
        }
    }
}
