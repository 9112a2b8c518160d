//! Files as values have them: which ones a field takes, what is stored of one, and the control that
//! chooses them. Nothing here sees a byte of a file.

use maud::{Markup, html};
use serde_json::json;

use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::fields::inputs;
use crate::fields::kind::InputCx;

/// What `media_type` may say.
pub const MEDIA: [(&str, &str); 6] = [
    ("all", "all"),
    ("image", "image"),
    ("video", "video"),
    ("audio", "audio"),
    ("document", "document"),
    ("custom", "custom"),
];

/// Documents by the ends of their names: browsers know more of these than of content types.
const DOCUMENTS: &str = ".pdf,.doc,.docx,.odt,.rtf,.txt,.md,.csv,.xls,.xlsx,.ods,.ppt,.pptx,.odp";

const MAX_TYPES: usize = 50;
const MAX_TYPE: usize = 127;

/// The `content_types` of a field that takes those alone.
pub fn read_types(reader: &mut Reader) -> Vec<String> {
    if !reader.has("content_types") {
        reader.fault("content_types", "is required");
    }
    let faults = reader.issues().count();
    let types = reader.opt_texts("content_types", MAX_TYPE, |text| {
        is_type(text)
            .then_some(())
            .ok_or("must be a content type such as image/png")
    });
    let is_read = reader.issues().count() == faults;
    if let Some(types) = &types
        && is_read
        && !(1..=MAX_TYPES).contains(&types.len())
    {
        let message = format!("must have 1 to {MAX_TYPES} content types");
        reader.fault("content_types", message);
    }
    types.unwrap_or_default()
}

/// A bare content type in lower case, or all of a kind: `image/*`.
fn is_type(text: &str) -> bool {
    let is_name = |name: &str| {
        let allowed = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || b".+-_".contains(&c);
        name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.bytes().all(allowed)
    };
    text.split_once('/')
        .is_some_and(|(kind, own)| is_name(kind) && (own == "*" || is_name(own)))
}

/// What a browser is told of the files that fit; it lets people choose others all the same.
pub fn accept(media: &str, types: &[String]) -> Option<String> {
    match media {
        "image" | "video" | "audio" => Some(format!("{media}/*")),
        "document" => Some(DOCUMENTS.to_owned()),
        "custom" => Some(types.join(",")),
        _ => None,
    }
}

/// The name of a stored file.
pub fn name(file: &Json) -> &str {
    file["name"].as_str().unwrap_or_default()
}

/// JSON Schema of a file as reads show it.
pub fn schema() -> Json {
    json!({
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "name": {"type": "string"},
            "url": {"type": "string", "format": "uri"},
            "file_size": {"type": "integer", "minimum": 0},
            "content_type": {"type": "string"},
        },
        "required": ["id", "name", "url", "file_size", "content_type"],
    })
}

/// The input that takes a file, with what it says of itself.
pub struct FileInput<'a> {
    /// Its own label, inside a group.
    pub label: Option<&'a str>,
    /// `accept`.
    pub accept: Option<&'a str>,
    /// Whether several files may be chosen.
    pub is_multiple: bool,
    /// What may be chosen, for people; may be empty.
    pub hint: &'a str,
}

/// Draws it.
pub fn input(cx: &InputCx, file: &FileInput) -> Markup {
    let hint = (!file.hint.is_empty()).then(|| format!("{}-hint", cx.name));
    let described = [inputs::described_by(cx), hint.as_deref()];
    let described: Vec<&str> = described.into_iter().flatten().collect();
    let described = (!described.is_empty()).then(|| described.join(" "));
    html! {
        @if let Some(label) = file.label { label.part-label for=(cx.name) { (label) } }
        input.file-input type="file" id=(cx.name) name=(cx.name) accept=[file.accept]
            multiple[file.is_multiple] required[cx.required] aria-invalid=[cx.invalid.then_some("true")]
            aria-describedby=[described];
        @if let Some(id) = hint { p.file-hint.muted.small id=(id) { (file.hint) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_content_types() {
        for good in [
            "image/png",
            "image/*",
            "application/vnd.ms-excel",
            "model/gltf+json",
            "x/3g2",
        ] {
            assert!(is_type(good), "{good}");
        }
        for bad in [
            "png",
            "*/*",
            "image/",
            "/png",
            "Image/PNG",
            "image/png; q=1",
            "a/b/c",
            "image/ *",
            "",
        ] {
            assert!(!is_type(bad), "{bad}");
        }
    }
}
