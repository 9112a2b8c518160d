//! Rich text of owners: sanitised on write to the contract's tags and nothing else (S54).

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use maud::html;

use crate::base::reader::Reader;

const MAX_INPUT_BYTES: usize = 64 << 10;
const MAX_OUTPUT_BYTES: usize = 128 << 10;

const TAGS: [&str; 17] = [
    "p",
    "br",
    "b",
    "strong",
    "i",
    "em",
    "u",
    "s",
    "a",
    "ul",
    "ol",
    "li",
    "h1",
    "h2",
    "h3",
    "h4",
    "blockquote",
];

static SANITISER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    builder
        .tags(HashSet::from(TAGS))
        .tag_attributes(HashMap::from([("a", HashSet::from(["href"]))]))
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer nofollow"))
        .strip_comments(true)
        .clean_content_tags(HashSet::from(["script", "style"]));
    builder
});

/// The text with everything removed that is not allowed.
pub fn clean(html: &str) -> String {
    SANITISER.clean(html).to_string()
}

/// Plain text as rich text says it.
pub fn escape(text: &str) -> String {
    html! { (text) }.into_string().replace('\n', "<br>")
}

/// Reads a member that holds rich text, and cleans it.
pub fn read(reader: &mut Reader, key: &str) -> Option<String> {
    let html = reader.opt_text(key, MAX_INPUT_BYTES)?;
    if html.len() > MAX_INPUT_BYTES {
        reader.fault(key, "is too long (at most 64 KiB)");
        return None;
    }
    let clean = clean(&html);
    if clean.len() > MAX_OUTPUT_BYTES {
        reader.fault(key, "is too long (at most 128 KiB with markup)");
        return None;
    }
    Some(clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_stays_plain() {
        assert_eq!(escape("<b>\"\n"), "&lt;b&gt;&quot;<br>");
    }

    #[test]
    fn keeps_the_contracts_tags_and_nothing_else() {
        assert_eq!(
            clean("<p onclick=x>Hi <b>you</b><script>alert(1)</script><span>in</span></p>"),
            "<p>Hi <b>you</b>in</p>"
        );
        assert_eq!(
            clean(r#"<a href="https://example.com/" target=_blank>x</a>"#),
            r#"<a href="https://example.com/" rel="noopener noreferrer nofollow">x</a>"#
        );
        for bad in [
            "javascript:alert(1)",
            "//host/x",
            "/x",
            "data:text/html,x",
            "ftp://h/",
        ] {
            assert!(
                !clean(&format!("<a href='{bad}'>x</a>")).contains("href"),
                "{bad}"
            );
        }
        assert_eq!(clean("<img src=https://example.com/i.png>"), "");
        assert_eq!(
            clean("<svg><style><img src=x onerror=alert(1)></style></svg>"),
            ""
        );
    }
}
