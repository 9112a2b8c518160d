//! A menu of a row or a page: actions that are needed less often than those beside it.

use maud::{Markup, Render, html};

use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::words::aside;

pub enum MenuItem<'a> {
    Go {
        address: &'a str,
        label: &'a str,
    },
    Post {
        action: &'a str,
        csrf: &'a str,
        label: &'a str,
    },
    /// Copies the contents of the element with this id.
    Copy {
        of: &'a str,
        label: &'a str,
        copied: &'a str,
    },
}

/// The browser opens and closes it, by Escape and by a press outside too, and puts it above all else: no script, and
/// no table that scrolls cuts it off.
pub struct Menu<'a> {
    pub id: &'a str,
    pub label: &'a str,
    /// Tells menus with one label apart, for screen readers only.
    pub about: Markup,
    pub items: Vec<MenuItem<'a>>,
}

impl Menu<'_> {
    /// The items alone, for another menu that has them too.
    pub fn items(&self) -> Markup {
        html! {
            @for item in &self.items {
                li {
                    @match item {
                        MenuItem::Go { address, label } => a href=(address) { (label) (aside(&self.about)) },
                        MenuItem::Post { action, csrf, label } => (PostForm {
                            action,
                            csrf,
                            content: html! { button type="submit" { (label) (aside(&self.about)) } },
                            ..PostForm::default()
                        }),
                        MenuItem::Copy { of, label, copied } => {
                            button type="button" data-copy=(of) data-copied=(copied) { (label) (aside(&self.about)) }
                        }
                    }
                }
            }
        }
    }
}

impl Render for Menu<'_> {
    fn render(&self) -> Markup {
        html! {
            button.button.quiet.small.opens type="button" popovertarget=(self.id) {
                (self.label) (aside(&self.about))
            }
            ul.menu id=(self.id) role="list" popover { (self.items()) }
        }
    }
}
