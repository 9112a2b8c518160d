//! Which files a field accepts: types, number and size.

use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Things};
use crate::media::image;

/// The values of `media_type`.
pub const MEDIA: [(&str, &str); 6] = [
    ("all", "all"),
    ("image", "image"),
    ("video", "video"),
    ("audio", "audio"),
    ("document", "document"),
    ("custom", "custom"),
];

/// Documents by file extension: browsers know more of these than content types.
const DOCUMENTS: &str = ".pdf,.doc,.docx,.odt,.rtf,.txt,.md,.csv,.xls,.xlsx,.ods,.ppt,.pptx,.odp";

const MAX_TYPES: usize = 50;
const MAX_TYPE: usize = 127;

/// Reads `content_types` of a field with custom types.
pub fn read_types(reader: &mut Reader) -> Vec<String> {
    if !reader.has("content_types") {
        reader.fault("content_types", Reason::Required);
    }
    let faults = reader.issues().count();
    let types = reader.opt_texts("content_types", MAX_TYPE, |text| {
        is_type(text).then_some(()).ok_or(Reason::MustBe(Expected::Other("a content type such as image/png")))
    });
    let is_read = reader.issues().count() == faults;
    if let Some(types) = &types
        && is_read
        && !(1..=MAX_TYPES).contains(&types.len())
    {
        reader.fault("content_types", Reason::not_one_to(MAX_TYPES, Things::Other("content types")));
    }
    types.unwrap_or_default()
}

/// Skips `content_types` of other fields: any texts are allowed there, without meaning.
pub fn skip_types(reader: &mut Reader) {
    reader.opt_texts("content_types", MAX_TYPE, |_| Ok(()));
}

/// A bare content type in lower case, or a whole family: `image/*`.
fn is_type(text: &str) -> bool {
    let is_name = |name: &str| {
        let allowed = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || b".+-_".contains(&c);
        name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.bytes().all(allowed)
    };
    text.split_once('/').is_some_and(|(kind, own)| is_name(kind) && (own == "*" || is_name(own)))
}

/// The `accept` attribute. Browsers let people choose other files nevertheless.
pub fn accept(media: &str, types: &[String]) -> Option<String> {
    match media {
        "image" | "video" | "audio" => Some(format!("{media}/*")),
        "document" => Some(DOCUMENTS.to_owned()),
        "custom" => Some(types.join(",")),
        _ => None,
    }
}

/// Documents by content type, in addition to all of `DOCUMENT_FAMILIES`.
const DOCUMENT_TYPES: [&str; 11] = [
    "application/pdf",
    "application/msword",
    "application/rtf",
    "text/rtf",
    "text/plain",
    "text/markdown",
    "text/csv",
    "application/csv",
    "application/vnd.ms-excel",
    "application/vnd.ms-powerpoint",
    "application/epub+zip",
];
const DOCUMENT_FAMILIES: [&str; 2] =
    ["application/vnd.openxmlformats-officedocument.", "application/vnd.oasis.opendocument."];

/// The files that a field accepts.
#[derive(Clone, Copy)]
pub struct FileRules<'a> {
    /// Maximum size in MB of 1,048,576 bytes.
    pub max_mb: u64,
    /// Maximum number.
    pub max_count: usize,
    /// One of `MEDIA`, or `PICTURE` or `SOUND`.
    pub media: &'a str,
    /// The types if `media` is `custom`; a family as `image/*`.
    pub types: &'a [String],
}

/// Media of image fields: pictures, recognised by their bytes.
pub const PICTURE: &str = "picture";
/// Media of recordings: browsers call some of them videos by their extension.
pub const SOUND: &str = "sound";

impl FileRules<'_> {
    /// Whether files of a content type are accepted; it is bare and in lower case. SVG can hold scripts, so it does not
    /// count as an image.
    pub fn takes(&self, content_type: &str) -> bool {
        let is_of = |kind: &str| {
            let rest = content_type.strip_prefix(kind);
            let own = rest.and_then(|rest| rest.strip_prefix('/'));
            own.is_some_and(|own| kind != "image" || !own.starts_with("svg"))
        };
        match self.media {
            "all" => true,
            PICTURE => image::TYPES.contains(&content_type),
            SOUND => is_of("audio"),
            "document" => {
                DOCUMENT_TYPES.contains(&content_type)
                    || DOCUMENT_FAMILIES.iter().any(|family| content_type.starts_with(family))
            }
            "custom" => self.types.iter().any(|one| match one.strip_suffix("/*") {
                Some(kind) => is_of(kind),
                None => one == content_type,
            }),
            media => is_of(media),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_content_types() {
        for good in ["image/png", "image/*", "application/vnd.ms-excel", "model/gltf+json", "x/3g2"] {
            assert!(is_type(good), "{good}");
        }
        for bad in ["png", "*/*", "image/", "/png", "Image/PNG", "image/png; q=1", "a/b/c", "image/ *", ""] {
            assert!(!is_type(bad), "{bad}");
        }
    }
}
