//! What letters look like: the sender's name above, one column, and colours for light and dark. Mail programs know few
//! styles, so each part carries its own; those that know more turn dark by the stylesheet.

use crate::base::colour::{Colour, EDGE};
use crate::base::json::Json;
use crate::model::user::{Organization, OrganizationSettings};

/// The ground of a letter in light; in dark, `SHEET` sets it.
const GROUND: Colour = Colour::WHITE;
const BUTTON_COLOUR: &str = "#1d4ed8";

pub const BODY: &str = "margin:0;padding:24px 16px;background:#ffffff;color:#1c1f23;\
     font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'PingFang SC','Microsoft YaHei',sans-serif";
pub const COLUMN: &str = "max-width:600px;margin:0 auto";
pub const FROM: &str = "margin:0 0 24px;padding:0 0 12px;border-bottom:1px solid #d8dee4;color:#57606a;font-size:14px;\
     font-weight:600";
pub const LEAD: &str = "margin:0 0 16px;font-size:20px;line-height:1.35;font-weight:600";
pub const PARAGRAPH: &str = "margin:0 0 16px";
pub const SMALL: &str = "margin:0 0 16px;color:#57606a;font-size:14px";
pub const CARD: &str = "margin:0 0 16px;padding:12px 16px;border-radius:8px;background:#f3f5f8";
pub const CARD_LINE: &str = "margin:4px 0 0";
pub const STRUCK: &str = ";text-decoration:line-through;color:#57606a";
pub const TABLE: &str = "width:100%;margin:0 0 16px;border-collapse:collapse";
pub const QUESTION: &str = "width:36%;padding:10px 12px 8px 0;border-top:1px solid #d8dee4;color:#57606a;\
     font-weight:400;font-size:14px;line-height:20px;text-align:start;vertical-align:top";
pub const ANSWER: &str = "padding:8px 0;border-top:1px solid #d8dee4;vertical-align:top;overflow-wrap:anywhere";
pub const ANSWER_LINE: &str = "margin:0;white-space:pre-line";
pub const PRICED: &str = "padding:6px 12px 6px 0;border-bottom:1px solid #d8dee4;font-weight:400;text-align:start";
pub const PRICE: &str = "padding:6px 0;border-bottom:1px solid #d8dee4;text-align:end;white-space:nowrap;\
     vertical-align:top;font-variant-numeric:tabular-nums";
pub const LAST_PRICED: &str = "padding:10px 12px 8px 0;font-size:18px;font-weight:600;text-align:start";
pub const LAST_PRICE: &str = "padding:10px 0 8px;font-size:18px;font-weight:600;text-align:end;white-space:nowrap;\
     font-variant-numeric:tabular-nums";
pub const WAYS: &str = "margin:24px 0";
/// Quieter than the button before it, and of no colour beside the form's own.
pub const WAY: &str = "display:inline-block;padding:10px 0;color:inherit";
pub const FOOT: &str = "margin:32px 0 0;padding:16px 0 0;border-top:1px solid #d8dee4";
pub const NOTE: &str = "margin:0 0 8px;color:#57606a;font-size:13px;line-height:1.45";
pub const NOTE_LINK: &str = "color:#57606a";

/// The stylesheet, for mail programs that read one: pictures no wider than the letter, and colours in dark where the
/// reader's choice is followed.
pub const SHEET: &str = ":root{color-scheme:light dark;supported-color-schemes:light dark}\
     .rich img{max-width:100%;height:auto}\
     @media (prefers-color-scheme: dark){\
     .body{background:#101318!important;color:#e9ebef!important}\
     .card{background:#1c2129!important}\
     .muted{color:#a8b0bb!important}\
     .line{border-color:#363d47!important}\
     .press{border-color:#6b7480!important}\
     .rich a{color:#8ab4ff!important}}";

/// The sender's name, and the colour of the button.
pub struct Look {
    /// The organization, where somebody named it.
    pub from: Option<String>,
    button: Colour,
}

impl Default for Look {
    fn default() -> Self {
        Self { from: None, button: Colour::parse(BUTTON_COLOUR).unwrap_or(Colour::INK) }
    }
}

impl Look {
    /// Of a letter to somebody of an organization.
    pub fn of_organization(organization: &Organization) -> Self {
        Self { from: Some(organization.name.clone()), ..Self::default() }
    }

    /// As the form's pages look: the name of its organization, and its own colour.
    pub fn of_form(organization: &OrganizationSettings, theme: &Json) -> Self {
        let plain = Self::default();
        let own = [&theme["submit_button"]["color"], &theme["primary_color"]];
        let own = own.into_iter().find_map(|colour| Colour::parse(colour.as_str()?));
        Self {
            from: organization.is_name_shown.then(|| organization.name.clone()),
            button: own.map_or(plain.button, |own| own.readable_on(GROUND, EDGE)),
        }
    }

    pub fn button(&self) -> String {
        let (ground, ink) = (self.button, self.button.ink());
        format!(
            "display:inline-block;padding:9px 18px;margin-inline-end:20px;border:1px solid {ground};border-radius:6px;\
             background:{ground};color:{ink};text-decoration:none;font-weight:600"
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::base::colour::TEXT;

    #[test]
    fn a_button_can_be_read_in_any_colour() {
        let organization = OrganizationSettings {
            id: crate::model::user::OrganizationId(1),
            token: String::new(),
            name: "Studio".to_owned(),
            is_name_shown: false,
            logo: None,
            color: None,
            show_powered_by: true,
            version: 1,
        };
        for (theme, set) in [
            (json!({}), Some("#1D4ED8")),
            (json!({"primary_color": "#0f766e"}), Some("#0F766E")),
            (json!({"primary_color": "#0f766e", "submit_button": {"color": "#7c2d12"}}), Some("#7C2D12")),
            (json!({"primary_color": "#ffff00"}), None),
            (json!({"primary_color": "#fefefe"}), None),
        ] {
            let look = Look::of_form(&organization, &theme);
            assert!(look.button.contrast(GROUND) >= EDGE, "{theme}");
            assert!(look.button.ink().contrast(look.button) >= TEXT, "{theme}");
            assert!(set.is_none_or(|set| look.button().to_uppercase().contains(set)), "{theme}: {}", look.button());
            assert_eq!(look.from, None);
        }
        let named = OrganizationSettings { is_name_shown: true, ..organization };
        assert_eq!(Look::of_form(&named, &json!({})).from.as_deref(), Some("Studio"));
    }
}
