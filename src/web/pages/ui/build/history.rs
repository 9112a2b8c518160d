//! The versions of a form: one in a frame, and two beside each other.

use maud::{Markup, Render, html};

use crate::base::text::word_diff::Piece;

/// The page of a form as a version had it. It can be looked at, but not sent.
pub struct VersionFrame<'a> {
    pub address: &'a str,
    pub title: &'a str,
}

impl Render for VersionFrame<'_> {
    fn render(&self) -> Markup {
        html! {
            div.version-frame {
                iframe #version src=(self.address) title=(self.title) loading="lazy" {}
            }
        }
    }
}

/// The marks of a comparison: words missing in the new text are marked as deleted, its own as inserted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Deleted,
    Inserted,
}

/// A text with its own words marked.
pub fn marked(pieces: &[Piece], mark: Mark) -> Markup {
    html! {
        span.compared dir="auto" {
            @for piece in pieces {
                @if piece.is_shared { (piece.text) }
                @else if mark == Mark::Deleted { del { (piece.text) } }
                @else { ins { (piece.text) } }
            }
        }
    }
}
