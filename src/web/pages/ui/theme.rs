//! A form's theme as custom properties of the stylesheet: colours only, each parsed and adjusted for readability, for
//! light and dark mode (S57).

use crate::base::colour::{Colour, EDGE, TEXT};
use crate::base::json::Json;
use crate::fields::images::{Image, Images, WIDTHS};
use crate::ops::app::ParsedForm;
use crate::ops::forms::themes;

/// A form's theme, prepared for its page.
pub struct Theme {
    /// The content of the `<style>` block; `None` for the default theme.
    pub css: Option<String>,
    /// Whether the owner chose the form's colour.
    pub is_coloured: bool,
    /// `serif` or `mono`.
    pub font: Option<&'static str>,
    /// Whether the owner chose a dark background.
    pub is_dark: bool,
    /// Whether the form has a wallpaper: a colour or a picture.
    pub has_paper: bool,
    /// Whether the wallpaper has a picture.
    pub has_picture: bool,
    /// The images above the title.
    pub images: Vec<Image>,
    /// The text above the title.
    pub header: Option<String>,
    /// The label of the submit button.
    pub submit: Option<String>,
}

const DEFAULTS: [(&str, &str); 3] =
    [("primary_color", "#2563eb"), ("background_color", "#ffffff"), ("text_color", "#111827")];
const DARK_GROUND: &str = "#101318";
const DARK_TEXT: &str = "#e9ebef";

impl Theme {
    pub fn of_form(parsed: &ParsedForm) -> Self {
        Self::of(&themes::theme_json(parsed), &parsed.images)
    }

    /// From the output of `themes::shown`.
    fn of(shown: &Json, known: &Images) -> Self {
        let image = |shown: &Json| known.get(shown["id"].as_str()?);
        let is_pictured = shown["header"]["type"] == "image";
        let images = shown["header"]["images"].as_array().into_iter().flatten();
        let images = images.filter_map(image).filter(|_| is_pictured).collect();
        let picture = image(&shown["wallpaper"]["image"]);
        let text = |value: &Json| {
            let text = value.as_str().map(str::trim).unwrap_or_default();
            (!text.is_empty()).then(|| text.to_owned())
        };
        let [primary, ground, ink] = DEFAULTS.map(|(key, default)| {
            shown[key].as_str().and_then(Colour::parse).or_else(|| Colour::parse(default)).unwrap_or(Colour::INK)
        });
        let colour = |value: &Json| value.as_str().and_then(Colour::parse);
        let button = colour(&shown["submit_button"]["color"]);
        let paper = colour(&shown["wallpaper"]["color"]);
        // Shown until the picture has loaded, and behind its transparent parts.
        let paper = paper.or_else(|| picture.as_ref().map(|_| ink.mix(ground, 0.05)));
        let is_own =
            DEFAULTS.iter().zip([primary, ground, ink]).any(|((_, default), set)| Colour::parse(default) != Some(set));
        let is_dark = ground.is_dark();
        let css = (is_own || button.is_some() || paper.is_some()).then(|| {
            let picture = picture.as_ref().map(picture_css).unwrap_or_default();
            let light = block(primary, ground, ink, button, paper);
            if is_dark {
                return light + &picture;
            }
            let (ground, ink) = (constant(DARK_GROUND), constant(DARK_TEXT));
            let paper = paper.map(|paper| paper.mix(Colour::BLACK, 0.05));
            let dark = block(primary, ground, ink, button, paper);
            format!("{light}@media (prefers-color-scheme: dark){{{dark}}}{picture}")
        });
        Self {
            css,
            is_coloured: Colour::parse(DEFAULTS[0].1) != Some(primary),
            font: match shown["font"].as_str() {
                Some("serif") => Some("serif"),
                Some("mono") => Some("mono"),
                _ => None,
            },
            is_dark,
            has_paper: paper.is_some(),
            has_picture: picture.is_some(),
            images,
            header: text(&shown["header"]["text"]).filter(|_| shown["header"]["type"] == "text"),
            submit: text(&shown["submit_button"]["text"]),
        }
    }
}

/// The picture behind the form; in full size on wide screens only. An address with characters that are special in a
/// stylesheet is left out.
fn picture_css(picture: &Image) -> String {
    let path = picture.path();
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"/_.~-%".contains(&b);
    if !path.bytes().all(is_plain) {
        return String::new();
    }
    let (width, _) = picture.size();
    let largest = WIDTHS[WIDTHS.len() - 1];
    let wide = if width > largest {
        format!("@media (min-width: 81rem){{:root{{--picture:url({path})}}}}")
    } else {
        String::new()
    };
    format!(":root{{--picture:url({path}?w={largest})}}{wide}")
}

fn constant(text: &str) -> Colour {
    Colour::parse(text).unwrap_or(Colour::INK)
}

fn block(primary: Colour, ground: Colour, ink: Colour, button: Option<Colour>, paper: Option<Colour>) -> String {
    let wash = ink.mix(ground, 0.05);
    // Cards are placed on a darker ground.
    let behind = if ground.is_dark() { ground.mix(Colour::BLACK, 0.55) } else { wash };
    // Adjusted for the wash first, then for the ground.
    let text = ink.readable_on(wash, TEXT).readable_on(ground, TEXT);
    let soft = primary.mix(ground, 0.07);
    let accent = primary.readable_on(soft, TEXT).readable_on(ground, TEXT);
    let button = button.unwrap_or(accent);
    let status = |hex: &str, name: &str| {
        let colour = constant(hex);
        let soft = colour.mix(ground, 0.07);
        let readable = colour.readable_on(soft, TEXT).readable_on(ground, TEXT);
        format!("--{name}:{readable};--{name}-soft:{soft};")
    };
    let mut out = format!(
        ":root{{--bg:{ground};--wash:{wash};--ground:{behind};--text:{text};--muted:{};--line:{};--rule:{};\
         --accent:{accent};--accent-soft:{soft};--button:{button};\
         --button-ink:{};--button-edge:{};{}{}{}",
        text.mix(ground, 0.75).readable_on(wash, TEXT).readable_on(soft, TEXT),
        text.mix(ground, 0.5).readable_on(ground, EDGE),
        text.mix(ground, 0.13),
        button.ink(),
        // Makes a button visible even if its colour is close to the background's.
        button.readable_on(ground, EDGE),
        status("#b42318", "danger"),
        status("#067647", "good"),
        status("#92500a", "warn"),
    );
    if let Some(paper) = paper {
        let ink = text.readable_on(paper, TEXT);
        out.push_str(&format!("--paper:{paper};--paper-ink:{ink};"));
    }
    out.push('}');
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fields::images::NOTHING;

    #[test]
    fn a_picture_lies_behind_the_form() {
        let mut known = Images::of_request("https://forms.example/base");
        known.add("sea".to_owned(), (2000, 900));
        let shown = json!({"wallpaper": {"image": {"id": "sea"}}, "header": {"images": [{"id": "sea"}]}});
        let theme = Theme::of(&shown, &known);
        let css = theme.css.expect("its own");
        assert!(css.contains(":root{--picture:url(/base/images/sea?w=1280)}"), "{css}");
        assert!(css.ends_with("{:root{--picture:url(/base/images/sea)}}"), "{css}");
        assert!(theme.has_paper && theme.has_picture && theme.images.is_empty());
        let mut odd = Images::of_request("https://forms.example/(base");
        odd.add("sea".to_owned(), (2000, 900));
        assert!(!Theme::of(&shown, &odd).css.expect("its own").contains("url("));
        let shown = json!({"header": {"type": "image", "images": [{"id": "sea"}, {"id": "gone"}]}});
        assert_eq!(Theme::of(&shown, &known).images.len(), 1);
    }

    #[test]
    fn colours_alone_reach_the_page() {
        let theme = |theme: Json| Theme::of(&theme, &NOTHING);
        assert!(theme(json!({})).css.is_none());
        assert!(theme(json!({"primary_color": "#2563EB"})).css.is_none());
        for bad in ["</style><script>", "url(//x)", "red;}", "#12345"] {
            assert!(theme(json!({"primary_color": bad, "wallpaper": {"color": bad}})).css.is_none());
        }
        let css =
            theme(json!({"primary_color": "#FFFF00", "submit_button": {"color": "#00ff00"}})).css.expect("its own");
        assert!(css.contains("--button:#00ff00") && css.contains("prefers-color-scheme"), "{css}");
        assert!(css.bytes().all(|b| b != b'<' && b != b'"'), "{css}");
    }
}
