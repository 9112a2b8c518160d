//! Reads the headers of a posted file: the input that it belongs to, its name and its content type.

use crate::base::text;
use crate::fields::files::rules::SOUND;
use crate::ops::files::content_types::{essence, is_type};
use crate::ops::files::uploads::MAX_NAME;

const MAX_ENDING: usize = 20;
const UNKNOWN: &str = "application/octet-stream";

/// The input that a file came by.
#[derive(Clone, PartialEq, Eq)]
pub struct UploadInput {
    /// Its name, without a place in a list: `field_3`, `field_7[0].field_1`.
    pub input: String,
    /// The field.
    pub field: String,
    /// Its column, where it has some.
    pub column: Option<String>,
}

impl UploadInput {
    /// The field and the column that an input's name leads to. The place of a file in its list says nothing.
    pub fn of(input: &str) -> Option<Self> {
        let bare = match input.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
            Some((bare, index)) if index.bytes().all(|b| b.is_ascii_digit()) => bare,
            _ => input,
        };
        let field = bare.split(['.', '[']).next()?;
        let column = match bare.get(field.len()..)? {
            "" => None,
            rest => Some(rest.rsplit_once('.')?.1.to_owned()),
        };
        Some(Self { field: field.to_owned(), column, input: bare.to_owned() })
    }
}

/// The name of a file as it is kept: browsers write `"` and line ends as forms have them.
pub fn name(given: &str) -> String {
    let plain = given.replace("%22", "\"").replace("%0D", "").replace("%0A", "").replace('\0', "");
    let clean = text::clean(plain).unwrap_or_default();
    let name = text::file_name(&clean).unwrap_or_else(|| "file".to_owned());
    let length = text::length(&name);
    if length <= MAX_NAME {
        return name;
    }
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let ending = ending.filter(|ending| text::length(ending) <= MAX_ENDING);
    let ending = ending.map_or_else(String::new, |ending| format!(".{ending}"));
    let stem = MAX_NAME - text::length(&ending);
    name.chars().take(stem).chain(ending.chars()).collect()
}

/// The declared type of a file; if none was declared, the type that its name suggests.
pub fn content_type(declared: Option<&str>, name: &str, media: &str) -> String {
    let declared = declared.map(essence);
    let declared = declared.filter(|kind| is_type(kind) && kind != UNKNOWN);
    let kind = declared.unwrap_or_else(|| {
        let guessed = mime_guess::from_path(name).first_raw();
        guessed.unwrap_or(UNKNOWN).to_owned()
    });
    if media != SOUND {
        return kind;
    }
    // Chosen by their names, these are videos to a browser.
    match kind.as_str() {
        "video/webm" => "audio/webm",
        "video/mp4" => "audio/mp4",
        "video/ogg" | "application/ogg" => "audio/ogg",
        "video/3gpp" => "audio/3gpp",
        other => other,
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_found_by_their_names() {
        for (input, found) in [
            ("field_3", Some(("field_3", "field_3", None))),
            ("field_3[12]", Some(("field_3", "field_3", None))),
            ("field_3[]", Some(("field_3", "field_3", None))),
            ("field_7[0].field_1", Some(("field_7[0].field_1", "field_7", Some("field_1")))),
            ("field_7.taste.field_2[1]", Some(("field_7.taste.field_2", "field_7", Some("field_2")))),
            ("field_7[x]", None),
        ] {
            let place = UploadInput::of(input);
            let place = place.as_ref().map(|p| (p.input.as_str(), p.field.as_str(), p.column.as_deref()));
            assert_eq!(place, found, "{input}");
        }
    }

    #[test]
    fn names_are_made_harmless() {
        for (given, kept) in [
            ("../../etc/passwd", "passwd"),
            ("C:\\fakepath\\a.png", "a.png"),
            ("a%22b.txt", "a\"b.txt"),
            ("a%0D%0Ab.txt", "ab.txt"),
            ("a\u{202e}gpj.exe", "agpj.exe"),
            ("..", "file"),
            ("", "file"),
            ("\u{0}", "file"),
            ("照片.jpg", "照片.jpg"),
        ] {
            assert_eq!(name(given), kept, "{given:?}");
        }
        let long = name(&format!("{}.pdf", "é".repeat(300)));
        assert_eq!(text::length(&long), MAX_NAME);
        assert!(long.ends_with("é.pdf"));
        assert_eq!(text::length(&name(&"x.".repeat(300))), MAX_NAME);
    }

    #[test]
    fn what_is_not_said_is_guessed() {
        assert_eq!(content_type(Some("image/PNG; a=b"), "a.txt", "all"), "image/png");
        assert_eq!(content_type(None, "a.pdf", "all"), "application/pdf");
        assert_eq!(content_type(Some(UNKNOWN), "a.md", "all"), "text/markdown");
        assert_eq!(content_type(Some("odd"), "a.html", "all"), "text/html");
        assert_eq!(content_type(Some(""), "a", "all"), UNKNOWN);
        assert_eq!(content_type(Some("video/webm"), "a", SOUND), "audio/webm");
        assert_eq!(content_type(Some("video/webm"), "a", "all"), "video/webm");
    }
}
