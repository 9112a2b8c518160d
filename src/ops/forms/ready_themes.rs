//! Ready themes, and other changes of a theme by a button: each act gives a change in the shape of the API's body.

use serde_json::json;

use crate::base::json::Json;
use crate::ops::forms::settings::merge;
use crate::ops::forms::themes;

/// Colours that go together; the owner's texts and images stay.
pub struct ReadyTheme {
    pub name: &'static str,
    pub primary: &'static str,
    pub background: &'static str,
    pub text: &'static str,
    pub font: &'static str,
    /// The colour around the form; none if empty.
    pub wallpaper: &'static str,
}

const fn ready(
    name: &'static str,
    [primary, background, text, wallpaper]: [&'static str; 4],
    font: &'static str,
) -> ReadyTheme {
    ReadyTheme { name, primary, background, text, font, wallpaper }
}

pub const READY: [ReadyTheme; 8] = [
    ready("sky", ["#2563EB", "#FFFFFF", "#111827", ""], "system"),
    ready("forest", ["#166534", "#FFFFFF", "#14261B", "#E3EFE6"], "system"),
    ready("sunrise", ["#9A3412", "#FFFBF5", "#2B1A10", "#FBE9D7"], "system"),
    ready("rose", ["#9D174D", "#FFFFFF", "#2A1220", "#FBE3EC"], "system"),
    ready("plum", ["#6B21A8", "#FDFBFF", "#1F1330", "#ECE3F7"], "system"),
    ready("slate", ["#334155", "#F8FAFC", "#0F172A", "#E2E8F0"], "system"),
    ready("book", ["#7C2D12", "#FAF6EE", "#292524", "#EFE7D8"], "serif"),
    ready("night", ["#93C5FD", "#111827", "#F3F4F6", "#0B1220"], "system"),
];

/// A step of an image of the header, or its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Move {
    Up,
    Down,
    Remove,
}

/// The change that an act makes to a theme as clients read it; `None` for an unknown act. Acts are `default`,
/// `ready.NAME`, `readable.PATH`, `up.IMAGE`, `down.IMAGE`, `remove.IMAGE` and `wallpaper`, which removes the picture
/// behind the form.
pub fn change(theme: &Json, act: &str) -> Option<Json> {
    let (verb, name) = act.split_once('.').unwrap_or((act, ""));
    match verb {
        "default" => {
            let nulls = theme.as_object()?.keys().map(|key| (key.clone(), Json::Null));
            Some(Json::Object(nulls.collect()))
        }
        "ready" => READY.iter().find(|ready| ready.name == name).map(of_ready),
        "readable" => {
            let path = themes::READ_COLOURS.into_iter().find(|path| *path == name)?;
            let colour = themes::readable(theme, path)?;
            Some(match path.split_once('.') {
                Some((group, key)) => json!({group: {key: colour}}),
                None => json!({path: colour}),
            })
        }
        "up" => moved(theme, name, Move::Up),
        "down" => moved(theme, name, Move::Down),
        "remove" => moved(theme, name, Move::Remove),
        "wallpaper" => Some(json!({"wallpaper": {"image": null}})),
        _ => None,
    }
}

/// The typed change, and after it the theme as an act changes it.
pub fn after(theme: &Json, typed: Json, act: &str) -> Json {
    let mut whole = theme.clone();
    merge(&mut whole, &typed);
    let mut out = typed;
    if let Some(change) = change(&whole, act) {
        merge(&mut out, &change);
    }
    out
}

fn of_ready(ready: &ReadyTheme) -> Json {
    let wallpaper = (!ready.wallpaper.is_empty()).then_some(ready.wallpaper);
    json!({
        "primary_color": ready.primary,
        "background_color": ready.background,
        "text_color": ready.text,
        "font": ready.font,
        "wallpaper": {"color": wallpaper},
        "submit_button": {"color": null},
    })
}

/// Whether a theme as clients read it has the colours of a ready one.
pub fn is_ready(theme: &Json, ready: &ReadyTheme) -> bool {
    let change = of_ready(ready);
    let is_same = |key: &str| theme[key] == change[key];
    ["primary_color", "background_color", "text_color", "font"].into_iter().all(is_same)
        && theme["wallpaper"]["color"] == change["wallpaper"]["color"]
        && theme["submit_button"]["color"].is_null()
}

/// The ids of the images above the title.
fn header_images(theme: &Json) -> Vec<&str> {
    theme["header"]["images"].as_array().into_iter().flatten().filter_map(|image| image["id"].as_str()).collect()
}

fn with_images(ids: &[&str]) -> Json {
    let images: Vec<Json> = ids.iter().map(|id| json!({"id": id})).collect();
    json!({"header": {"images": images}})
}

fn moved(theme: &Json, id: &str, way: Move) -> Option<Json> {
    let mut ids = header_images(theme);
    let at = ids.iter().position(|known| *known == id)?;
    match way {
        Move::Up if at > 0 => ids.swap(at, at - 1),
        Move::Down if at + 1 < ids.len() => ids.swap(at, at + 1),
        Move::Remove => {
            ids.remove(at);
        }
        Move::Up | Move::Down => {}
    }
    Some(with_images(&ids))
}

/// The change that adds an image below those above the title, and shows them.
pub fn with_header_image(theme: &Json, id: &str) -> Json {
    let mut ids = header_images(theme);
    ids.push(id);
    let mut change = with_images(&ids);
    change["header"]["type"] = json!("image");
    change
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::colour::{Colour, TEXT};

    #[test]
    fn ready_themes_can_be_read() {
        for ready in &READY {
            let colour = |text: &str| Colour::parse(text).expect("a colour");
            let ground = colour(ready.background);
            for text in [ready.primary, ready.text] {
                assert!(colour(text).contrast(ground) >= TEXT, "{} {text}", ready.name);
            }
            assert!(ready.wallpaper.is_empty() || Colour::parse(ready.wallpaper).is_some());
            assert!(themes::warnings(&of_ready(ready)).is_empty(), "{}", ready.name);
            assert!(is_ready(&of_ready(ready), ready), "{}", ready.name);
        }
    }

    #[test]
    fn acts_change_what_they_name_and_nothing_else() {
        let theme = json!({
            "primary_color": "#2563EB", "background_color": "#FFFFFF", "text_color": "#BBBBBB",
            "header": {"type": "text", "images": [{"id": "a"}, {"id": "b"}]},
            "submit_button": {"color": "#FFFF00"},
        });
        let images = |act: &str| change(&theme, act).map(|change| header_images(&change).join(" "));
        assert_eq!(images("up.b").as_deref(), Some("b a"));
        assert_eq!(images("up.a").as_deref(), Some("a b"));
        assert_eq!(images("down.a").as_deref(), Some("b a"));
        assert_eq!(images("remove.a").as_deref(), Some("b"));
        assert_eq!(change(&theme, "remove.c"), None);
        assert_eq!(change(&theme, "ready.none"), None);
        assert_eq!(change(&theme, "readable.font"), None);
        let healed = change(&theme, "readable.submit_button.color").expect("a change");
        let colour = healed["submit_button"]["color"].as_str().and_then(Colour::parse).expect("a colour");
        assert!(colour.contrast(Colour::WHITE) >= TEXT);
        assert_eq!(change(&theme, "wallpaper"), Some(json!({"wallpaper": {"image": null}})));
        let all = change(&theme, "default").expect("a change");
        assert!(all.as_object().expect("an object").values().all(Json::is_null));
        let more = with_header_image(&theme, "c");
        assert_eq!((header_images(&more).join(" "), &more["header"]["type"]), ("a b c".to_owned(), &json!("image")));
    }
}
