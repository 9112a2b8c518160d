//! Icons above the title of a page of one card.

use maud::{Markup, html};

/// A round icon above the title of a plain page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Check,
    /// Closed or locked.
    Lock,
    /// Not open yet.
    Clock,
    /// Not found or failed.
    Question,
}

/// Renders an icon; decorative only.
pub fn sign(sign: Sign) -> Markup {
    let class = if sign == Sign::Check { "sign good" } else { "sign" };
    html! {
        svg class=(class) viewBox="0 0 24 24" aria-hidden="true" {
            @match sign {
                Sign::Check => { path d="m5 12.5 4.5 4.5L19 7.5" {} }
                Sign::Lock => {
                    path d="M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3" {}
                }
                Sign::Clock => {
                    circle cx="12" cy="12" r="9" {}
                    path d="M12 7v5l3.5 2" {}
                }
                Sign::Question => {
                    circle cx="12" cy="12" r="9" {}
                    path d="M9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M12 16.6v.1" {}
                }
            }
        }
    }
}
