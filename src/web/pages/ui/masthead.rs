//! Whose a form is: logo and name of the organization above the form's pages, on a band in its colour.

use std::fmt::Write as _;

use maud::{Markup, Render, html};

use crate::base::colour::{Colour, EDGE};
use crate::base::config::Config;
use crate::fields::images::Image;
use crate::model::user::OrganizationSettings;

/// The grounds of a page without a theme, in light and in dark, as in the stylesheet.
pub const GROUNDS: [&str; 2] = ["#ffffff", "#101318"];
/// The space that a logo takes at most, in CSS pixels: the stylesheet's.
const LOGO_SIZES: &str = "12rem";

pub struct Masthead {
    /// None where nobody has set it on purpose.
    name: Option<String>,
    logo: Option<Image>,
    color: Option<Colour>,
    /// Whether the foot of the page names formsvc.
    pub is_powered_by_shown: bool,
}

impl Masthead {
    pub fn of(config: &Config, organization: &OrganizationSettings) -> Self {
        let logo = organization.logo.as_ref();
        Self {
            name: organization.is_name_shown.then(|| organization.name.clone()),
            logo: logo.map(|logo| Image::new(&config.base_url, logo.image.clone(), logo.size)),
            color: organization.color.as_deref().and_then(Colour::parse),
            is_powered_by_shown: organization.show_powered_by,
        }
    }

    /// For the page that asks for a form's password and tells nothing of the form.
    pub fn nameless(organization: &OrganizationSettings) -> Self {
        Self { name: None, logo: None, color: None, is_powered_by_shown: organization.show_powered_by }
    }

    /// The band's colour as a style, for pages whose theme has none of its own: no paler than can be seen, in light and
    /// in dark.
    pub fn css(&self) -> Option<String> {
        let color = self.color?;
        let [light, dark] = GROUNDS.map(|ground| readable(color, ground));
        let mut css = format!(":root{{--band:{light}}}");
        if light != dark {
            let _ = write!(css, "@media (prefers-color-scheme: dark){{:root{{--band:{dark}}}}}");
        }
        Some(css)
    }

    /// How well the colour can be seen on a light page, as a contrast ratio, and whether it is shown as it is.
    pub fn contrast(color: &str) -> Option<(f64, bool)> {
        let color = Colour::parse(color)?;
        let contrast = Colour::parse(GROUNDS[0]).map(|ground| color.contrast(ground))?;
        Some((contrast, contrast >= EDGE))
    }
}

fn readable(color: Colour, ground: &str) -> Colour {
    Colour::parse(ground).map_or(color, |ground| color.readable_on(ground, EDGE))
}

impl Render for Masthead {
    fn render(&self) -> Markup {
        html! {
            @if self.name.is_some() || self.logo.is_some() {
                p.masthead {
                    // The name beside it says the same; without one the picture is all there is, and nobody has named it.
                    @if let Some(logo) = &self.logo { (logo.draw_at_once("", LOGO_SIZES)) }
                    @if let Some(name) = &self.name { bdi { (name) } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_colour_can_be_seen_in_light_and_dark() {
        for text in ["#FFFFFF", "#000000", "#FFFF00", "#0F766E", "#101318"] {
            let color = Colour::parse(text).expect("a colour");
            for ground in GROUNDS {
                let ground_colour = Colour::parse(ground).expect("a colour");
                assert!(readable(color, ground).contrast(ground_colour) >= EDGE, "{text} on {ground}");
            }
        }
    }
}
