//! The navigation of signed-in pages.

use maud::{Markup, Render, html};

use crate::web::pages::ui::finder::finder_button;
use crate::web::pages::ui::form::PostForm;

pub struct SiteLink<'a> {
    pub address: String,
    pub label: &'a str,
    pub is_here: bool,
}

pub struct SiteHead<'a> {
    /// The navigation's name, for screen readers.
    pub label: &'a str,
    /// The address of the page that the brand leads to.
    pub home: String,
    /// The address of the brand's picture.
    pub picture: String,
    pub links: Vec<SiteLink<'a>>,
    /// The words of the button that finds anything.
    pub find: &'a str,
    /// Whose page it is.
    pub account: &'a str,
    pub csrf: &'a str,
    pub sign_out_address: String,
    pub sign_out: &'a str,
}

impl Render for SiteHead<'_> {
    fn render(&self) -> Markup {
        html! {
            header.site-head {
                nav aria-label=(self.label) {
                    a.brand href=(self.home) {
                        img src=(self.picture) alt="" width="24" height="24";
                        span { "formsvc" }
                    }
                    @for link in &self.links {
                        a href=(link.address) aria-current=[link.is_here.then_some("page")] { (link.label) }
                    }
                    (finder_button(self.find))
                    span.who.muted.small { bdi { (self.account) } }
                    (PostForm {
                        action: &self.sign_out_address,
                        csrf: self.csrf,
                        content: html! { button.button.quiet.small type="submit" { (self.sign_out) } },
                        ..PostForm::default()
                    })
                }
            }
        }
    }
}
