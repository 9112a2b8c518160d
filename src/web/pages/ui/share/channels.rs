//! The channels on which a link is given on: their names, and a link for each.

use maud::{Markup, Render, html};

use crate::base::text::texts::Texts;
use crate::web::pages::ui::button::Button;
use crate::web::pages::ui::field::{Field, described_by};
use crate::web::pages::ui::qr;
use crate::web::pages::ui::section::Disclosure;
use crate::web::pages::ui::share::link_line::LinkLine;

pub struct Channels<'a> {
    /// The page that shows the links.
    pub action: &'a str,
    /// Further parameters of its address.
    pub kept: &'a [(String, String)],
    /// Name and id of the list.
    pub name: &'a str,
    pub label: &'a str,
    pub notes: &'a str,
    /// The fault; empty if none.
    pub fault: &'a str,
    pub typed: &'a str,
    pub button: &'a str,
    pub links: Vec<Channel<'a>>,
    /// The words that open a link's code, and name it.
    pub code: &'a str,
    pub texts: &'a Texts,
}

pub struct Channel<'a> {
    pub name: &'a str,
    pub address: String,
    /// How many entries came by it.
    pub count: &'a str,
}

impl Render for Channels<'_> {
    fn render(&self) -> Markup {
        let control = html! {
            // A parser drops the first line break.
            textarea.input id=(self.name) name=(self.name) rows="4" dir="auto"
                aria-describedby=[described_by(self.name, self.notes, self.fault)] { "\n" (self.typed) }
        };
        html! {
            form.stack method="get" action=(self.action) {
                @for (name, value) in self.kept { input type="hidden" name=(name) value=(value); }
                (Field {
                    id: self.name,
                    label: self.label,
                    notes: self.notes,
                    fault: self.fault,
                    is_group: false,
                    control,
                })
                (Button::quiet(self.button))
            }
            @for (at, link) in self.links.iter().enumerate() {
                @let title = format!("channel-{at}");
                div.stack {
                    h3 id=(title) { bdi { (link.name) } " " span.small.muted { (link.count) } }
                    (LinkLine {
                        id: &format!("channel-link-{at}"),
                        labelled_by: &title,
                        address: &link.address,
                        actions: Markup::default(),
                        texts: self.texts,
                    })
                    @if qr::holds(&link.address) {
                        (Disclosure {
                            summary: self.code,
                            is_open: false,
                            content: qr::picture(&link.address, &self.texts.labelled(self.code, link.name)),
                        })
                    }
                }
            }
        }
    }
}
