//! The folders of forms as a tree, and the list beside it.

use maud::{Markup, Render, html};

/// A folder, with those in it.
pub struct FolderNode {
    pub address: String,
    pub name: Markup,
    /// How much is in it, in words.
    pub count: String,
    pub is_here: bool,
    pub inside: Vec<Self>,
}

pub struct FolderTree<'a> {
    pub label: &'a str,
    pub nodes: Vec<FolderNode>,
}

impl Render for FolderTree<'_> {
    fn render(&self) -> Markup {
        html! { nav.folder-tree aria-label=(self.label) { (level(&self.nodes)) } }
    }
}

fn level(nodes: &[FolderNode]) -> Markup {
    html! {
        ul role="list" {
            @for node in nodes {
                li {
                    a href=(node.address) aria-current=[node.is_here.then_some("page")] {
                        span { (node.name) }
                        @if !node.count.is_empty() { " " span.muted.small { (node.count) } }
                    }
                    @if !node.inside.is_empty() { (level(&node.inside)) }
                }
            }
        }
    }
}

/// A list with its filters: at its left where there is room, else below it.
pub struct SideList {
    pub main: Markup,
    pub side: Markup,
}

impl Render for SideList {
    fn render(&self) -> Markup {
        html! {
            div.with-side {
                div.stack { (self.main) }
                div.stack.side { (self.side) }
            }
        }
    }
}
