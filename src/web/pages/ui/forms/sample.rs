//! The parts about forms with their states, for the page of all parts.

use maud::{Markup, Render, html};

use crate::web::pages::ui::button::Button;
use crate::web::pages::ui::field::{LineField, line_field};
use crate::web::pages::ui::forms::folders::{FolderNode, FolderTree, SideList};
use crate::web::pages::ui::forms::name::{NameButton, NamePanel};
use crate::web::pages::ui::words;

/// Folders on three levels beside a list; one of them has a long name.
pub fn folders(list: Markup) -> Markup {
    let node = |name: &str, count: &str, is_here: bool, inside: Vec<FolderNode>| FolderNode {
        address: format!("#{count}"),
        name: words::name(name),
        count: count.to_owned(),
        is_here,
        inside,
    };
    let spring = node("Spring lectures on the difference engine", "1200", true, Vec::new());
    let year = node("2026", "3", false, vec![spring]);
    let nodes = vec![node("No folder", "", false, Vec::new()), node("Events", "12", false, vec![year])];
    SideList { main: list, side: FolderTree { label: "Folders as a tree", nodes }.render() }.render()
}

/// A name, and the form that it opens.
pub fn name(name: &str) -> (Markup, Markup) {
    let field = LineField { name: "form_name", label: "Name of the form", value: name, ..LineField::default() };
    let form = html! { (line_field(&field)) (Button::main("Rename")) };
    (NameButton { name: words::name(name), full_name: name, about: "Rename" }.render(), NamePanel { form }.render())
}
