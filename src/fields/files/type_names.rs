//! Names of file types for people: `PNG, JPEG or WebP images`, not `image/png`.

use crate::base::text::texts::Texts;
use crate::fields::files::rules::{FileRules, PICTURE, SOUND};
use crate::media::image;

/// Names of types whose own name is not for people.
const NAMES: [(&str, &str); 19] = [
    ("application/gzip", "GZIP"),
    ("application/json", "JSON"),
    ("application/msword", "Word"),
    ("application/octet-stream", "BIN"),
    ("application/rtf", "RTF"),
    ("application/vnd.ms-excel", "Excel"),
    ("application/vnd.ms-powerpoint", "PowerPoint"),
    ("application/vnd.oasis.opendocument.spreadsheet", "ODS"),
    ("application/vnd.oasis.opendocument.text", "ODT"),
    ("application/vnd.openxmlformats-officedocument.presentationml.presentation", "PowerPoint"),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "Excel"),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "Word"),
    ("audio/mpeg", "MP3"),
    ("image/svg+xml", "SVG"),
    ("image/webp", "WebP"),
    ("text/markdown", "Markdown"),
    ("text/plain", "TXT"),
    ("video/quicktime", "MOV"),
    ("video/x-matroska", "MKV"),
];

fn name(content_type: &str) -> String {
    if let Some((_, name)) = NAMES.iter().find(|(known, _)| *known == content_type) {
        return (*name).to_owned();
    }
    let own = content_type.rsplit('/').next().unwrap_or(content_type);
    own.trim_start_matches("x-").to_uppercase()
}

impl FileRules<'_> {
    /// The accepted types, for people; `None` if any file is accepted.
    pub fn types_in(&self, texts: &Texts) -> Option<String> {
        match self.media {
            "all" => None,
            PICTURE => Some(named(image::TYPES.iter().copied(), texts)),
            SOUND => Some(texts.say("file-types-audio")),
            "custom" => Some(named(self.types.iter().map(String::as_str), texts)),
            media => Some(texts.say(&format!("file-types-{media}"))),
        }
    }
}

fn named<'t>(types: impl Iterator<Item = &'t str> + Clone, texts: &Texts) -> String {
    let family = |one: &'t str| one.split('/').next().unwrap_or(one);
    let of_all = |one: &'t str| one.strip_suffix("/*");
    let mut names: Vec<String> = Vec::new();
    for one in types.clone() {
        let words = of_all(one).and_then(|kind| texts.find(&format!("file-types-{kind}")));
        let own = words.unwrap_or_else(|| name(one.trim_end_matches("/*")));
        if !names.contains(&own) {
            names.push(own);
        }
    }
    let list = texts.any_of(&names).unwrap_or_default();
    if types.clone().any(|one| of_all(one).is_some()) {
        return list;
    }
    let is_of_images = types.clone().all(|one| family(one) == "image");
    let id = if is_of_images { "file-types-named-images" } else { "file-types-named" };
    texts.fill(id, &[("names", list.into())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::texts::texts;

    #[test]
    fn types_have_names() {
        let said = |media: &str, types: &[&str], locale: &str| {
            let types: Vec<String> = types.iter().map(|one| (*one).to_owned()).collect();
            let rules = FileRules { max_mb: 1, max_count: 1, media, types: &types };
            rules.types_in(texts(locale)).unwrap_or_default()
        };
        let pictures = ["image/png", "image/jpeg", "image/webp"];
        assert_eq!(said("custom", &pictures, "en"), "PNG, JPEG or WebP images");
        assert_eq!(said("custom", &pictures, "zh-CN"), "PNG、JPEG或WebP图片");
        let mixed = ["application/pdf", "application/zip"];
        assert_eq!(said("custom", &mixed, "en"), "PDF or ZIP files");
        assert_eq!(said("custom", &["application/pdf", "image/*"], "en"), "PDF or images");
        assert_eq!(said("video", &[], "en"), "videos");
        assert_eq!(said("all", &[], "en"), "");
    }
}
