//! Patches of colours.

use maud::{Markup, html};

/// A patch of a colour beside its name. Its fill is an attribute, which the pages' policy allows, unlike a style.
pub fn swatch(color: &str) -> Markup {
    html! {
        svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true" {
            rect x="1" y="1" width="22" height="22" rx="6" fill=(color) stroke="currentColor" stroke-opacity="0.4" {}
        }
    }
}
