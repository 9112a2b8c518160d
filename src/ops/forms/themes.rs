//! A form's theme (contract section 5): colours, font, header, wallpaper, button.

use serde_json::{Map, json};

use crate::base::colour::{Colour, TEXT};
use crate::base::error::Result;
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::json::patch::Patch;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::base::text::phrase::phrase;
use crate::fields::images::{Image, Images, NOTHING};
use crate::model::caller::Caller;
use crate::model::form::FormSection;
use crate::model::precondition::IfMatch;
use crate::ops::app::App;
use crate::ops::files::images::{self, UsedImages};
use crate::ops::forms::form_sections::{self, PartView};
use crate::ops::forms::settings::{apply, merge};
use crate::query::form_cache::ParsedForm;

/// # Errors
/// 404.
pub fn show(app: &App, caller: &Caller, token: &str) -> Result<PartView> {
    let (form, parsed) = form_sections::visible(app, caller, token)?;
    Ok(PartView { body: theme_json(&parsed), etag: form.etag(FormSection::Theme) })
}

/// The theme as clients read it: the stored values over the defaults.
pub fn theme_json(parsed: &ParsedForm) -> Json {
    shown(&parsed.parts.theme, &parsed.images)
}

/// A stored theme as clients read it.
pub fn shown(stored: &Json, images: &Images) -> Json {
    let mut theme = over_defaults(stored);
    let known = |stored: &Json| images.get(stored["id"].as_str()?);
    let images = theme["header"]["images"].as_array().into_iter().flatten();
    theme["header"]["images"] = json!(images.filter_map(known).collect::<Vec<_>>());
    theme["wallpaper"]["image"] = json!(known(&theme["wallpaper"]["image"]));
    theme
}

fn over_defaults(stored: &Json) -> Json {
    let mut theme = defaults();
    merge(&mut theme, stored);
    theme
}

/// The JSON Schema of the body of `update`.
pub fn update_schema() -> Json {
    Reader::describe(|reader| {
        read(reader, &NOTHING);
    })
}

/// The JSON Schema of the theme as clients read it.
pub fn schema() -> Json {
    form_sections::shown_schema(update_schema(), &defaults())
}

fn defaults() -> Json {
    json!({
        "primary_color": "#2563EB",
        "background_color": "#FFFFFF",
        "text_color": "#111827",
        "font": "system",
        "header": {"type": "none", "text": null, "images": []},
        "wallpaper": {"color": null, "image": null},
        "submit_button": {"text": null, "color": null},
    })
}

/// Changes the given keys; null resets a key to its default. Weak contrast is a warning, never an error. `at` has the
/// faults found in the body so far.
///
/// # Errors
/// 403, 404, 412, 422.
pub fn update(
    app: &App,
    caller: &Caller,
    token: &str,
    body: Json,
    if_match: &IfMatch,
    at: Issues,
) -> Result<(PartView, Vec<Issue>)> {
    app.run_until_stored(token, || try_update(app, caller, token, body.clone(), if_match, at.clone()))
}

fn try_update(
    app: &App,
    caller: &Caller,
    token: &str,
    body: Json,
    if_match: &IfMatch,
    mut at: Issues,
) -> Result<(PartView, Vec<Issue>)> {
    let (form, parsed) = form_sections::managed(app, caller, token, FormSection::Theme, if_match)?;
    let images = images::of_request(app, caller, &body)?;
    let change = read(&mut Reader::new(body, &mut at), &images);
    at.into_result()?;
    let mut theme = parsed.parts.theme.clone();
    apply(&mut theme, change);
    let warnings = warnings(&over_defaults(&theme));
    form_sections::keep(app, caller, &form, FormSection::Theme, theme, UsedImages::of(&images), false)?;
    Ok((show(app, caller, token)?, warnings))
}

/// Reads a change of a theme with the images that it names.
///
/// # Errors
/// 422.
pub(in crate::ops) fn read_change(app: &App, caller: &Caller, body: Json) -> Result<(Json, UsedImages)> {
    let mut at = Issues::new();
    let images = images::of_request(app, caller, &body)?;
    let change = read(&mut Reader::new(body, &mut at), &images);
    at.into_result()?;
    Ok((change, UsedImages::of(&images)))
}

/// Carries a change that was read out on a stored theme.
pub(in crate::ops) fn change(stored: &mut Json, change: Json) {
    apply(stored, change);
}

/// Warnings about the colours of a stored theme.
pub fn warnings_of(stored: &Json) -> Vec<Issue> {
    warnings(&over_defaults(stored))
}

pub(in crate::ops::forms) fn read(reader: &mut Reader, known: &Images) -> Json {
    let mut out = Map::new();
    for key in ["primary_color", "background_color", "text_color"] {
        colour(reader, key, &mut out);
    }
    word(reader, "font", &["system", "serif", "mono"], &mut out);
    object(reader, "header", &mut out, |header, out| {
        word(header, "type", &["none", "image", "text"], out);
        text(header, "text", 200, out);
        member(header, "images", out, |header| {
            let images = known.read_list(header, "images", "header_image");
            Some(images.iter().map(stored).collect())
        });
    });
    object(reader, "wallpaper", &mut out, |wallpaper, out| {
        colour(wallpaper, "color", out);
        member(wallpaper, "image", out, |wallpaper| {
            let image = known.read(wallpaper, "image", "wallpaper_image")?;
            Some(stored(&image))
        });
    });
    object(reader, "submit_button", &mut out, |button, out| {
        text(button, "text", 60, out);
        colour(button, "color", out);
    });
    Json::Object(out)
}

/// Copies a key as `read` returns it; null stays null.
fn member(reader: &mut Reader, key: &str, out: &mut Map<String, Json>, read: impl FnOnce(&mut Reader) -> Option<Json>) {
    let value = match reader.patch(key, read) {
        Patch::Absent => return,
        Patch::Null => Json::Null,
        Patch::Value(value) => value,
    };
    out.insert(key.to_owned(), value);
}

fn object(
    reader: &mut Reader,
    key: &str,
    out: &mut Map<String, Json>,
    read: impl FnOnce(&mut Reader, &mut Map<String, Json>),
) {
    member(reader, key, out, |reader| {
        reader.opt_object(key, |inner| {
            let mut map = Map::new();
            read(inner, &mut map);
            Json::Object(map)
        })
    });
}

fn word(reader: &mut Reader, key: &str, words: &[&'static str], out: &mut Map<String, Json>) {
    let words: Vec<(&str, &str)> = words.iter().map(|word| (*word, *word)).collect();
    member(reader, key, out, |reader| reader.opt_word(key, &words).map(Json::from));
}

fn text(reader: &mut Reader, key: &str, max: usize, out: &mut Map<String, Json>) {
    member(reader, key, out, |reader| reader.opt_text(key, max).map(Json::from));
}

fn colour(reader: &mut Reader, key: &str, out: &mut Map<String, Json>) {
    member(reader, key, out, |reader| {
        reader.note(key, || json!({"type": "string", "pattern": "^#[0-9A-Fa-f]{6}$"}));
        let text = reader.opt_text(key, 64)?;
        if Colour::parse(&text).is_none() {
            reader.fault(key, Reason::MustBe(Expected::Other("a colour such as #2563EB")));
            return None;
        }
        Some(json!(text.to_ascii_uppercase()))
    });
}

/// The stored form of an image.
fn stored(image: &Image) -> Json {
    json!({"id": image.id})
}

fn colour_of(value: &Json) -> Option<Colour> {
    value.as_str().and_then(Colour::parse)
}

/// The paths of the colours of a theme that are read on its background.
pub const READ_COLOURS: [&str; 3] = ["text_color", "primary_color", "submit_button.color"];

/// A colour of a theme as clients read it: without one of its own, the button has the primary colour.
fn read_colour(theme: &Json, path: &str) -> Option<Colour> {
    let own = match path.split_once('.') {
        Some((group, key)) => &theme[group][key],
        None => &theme[path],
    };
    colour_of(own).or_else(|| colour_of(&theme["primary_color"]))
}

/// The contrast of a colour of `READ_COLOURS` on the background of a theme as clients read it, and whether it is enough.
pub fn contrast(theme: &Json, path: &str) -> Option<(f64, bool)> {
    let contrast = read_colour(theme, path)?.contrast(colour_of(&theme["background_color"])?);
    Some((contrast, contrast >= TEXT))
}

/// The nearest colour to one of `READ_COLOURS` that can be read on the theme's background.
pub fn readable(theme: &Json, path: &str) -> Option<String> {
    let ground = colour_of(&theme["background_color"])?;
    Some(read_colour(theme, path)?.nearest_on(ground, TEXT).to_string().to_ascii_uppercase())
}

/// Warnings about weak contrasts in a theme as clients read it.
pub fn warnings(theme: &Json) -> Vec<Issue> {
    let weak = READ_COLOURS.into_iter().filter_map(|path| match contrast(theme, path)? {
        (contrast, false) => Some((path, contrast)),
        _ => None,
    });
    weak.map(|(path, contrast)| {
        Issue::new(
            path.to_owned(),
            Reason::other(phrase!(
                "has a contrast of {}:1 on background_color; people with low vision need {}:1",
                format!("{contrast:.1}"),
                TEXT.to_string()
            )),
        )
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_contrast_is_warned_of() {
        assert!(warnings(&over_defaults(&json!({}))).is_empty());
        let weak = over_defaults(&json!({"text_color": "#BBBBBB"}));
        assert_eq!(warnings(&weak).len(), 1);
        let healed = over_defaults(&json!({"text_color": readable(&weak, "text_color")}));
        assert!(warnings(&healed).is_empty(), "{healed}");
        // Without a colour of its own the button has that of the form.
        let weak = over_defaults(&json!({"primary_color": "#FFFF00"}));
        let paths: Vec<String> = warnings(&weak).into_iter().map(|issue| issue.attribute).collect();
        assert_eq!(paths, ["primary_color", "submit_button.color"]);
    }
}
