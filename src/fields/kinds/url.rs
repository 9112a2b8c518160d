//! `url`: an http or https address.

use serde_json::json;
use url::Url;

use crate::base::issue::Issues;
use crate::base::reader::Reader;
use crate::base::reason::Reason;
use crate::base::text::{self, identity};
use crate::fields::inputs::LineAttributes;
use crate::fields::kind::{BuildCx, Facets, Kind, KindRow, Sample};
use crate::fields::texts::text_kind::{Style, Text};

const MAX_LENGTH: usize = 2048;

pub static KIND: KindRow = KindRow {
    name: "url",
    facets: Facets {
        displayable: true,
        unique: true,
        in_cells: true,
        becomes: &["short_text"],
        asked_by: &["url", "website", "web address", "web page", "homepage", "link", "网址", "网站", "链接", "主页"],
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: "{}",
            write: r#""https://example.com/a?b=c#d""#,
            stored: r#""https://example.com/a?b=c#d""#,
            text: "https://example.com/a?b=c#d",
        },
        Sample {
            definition: r#"{"unique": true}"#,
            write: r#""HTTP://例子.公司/路""#,
            stored: r#""HTTP://例子.公司/路""#,
            text: "HTTP://例子.公司/路",
        },
    ],
};

/// Whether the text is an address that is safe to link. User names and passwords are refused: they only serve to
/// disguise the host.
fn is_address(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else {
        return false;
    };
    ["http", "https"].contains(&scheme.to_ascii_lowercase().as_str())
        // Browsers silently skip extra slashes, and would read another address than people do.
        && !rest.starts_with('/')
        && !rest.contains('\\')
        && !rest.contains(char::is_whitespace)
        && Url::parse(text).is_ok_and(|url| {
            url.has_host() && url.username().is_empty() && url.password().is_none()
        })
}

static STYLE: Style = Style {
    control: Some("url"),
    attributes: LineAttributes { autocomplete: Some("url"), inputmode: Some("url"), ..LineAttributes::NONE },
    check,
    schema: || json!({"type": "string", "format": "iri", "maxLength": MAX_LENGTH}),
    key: identity::of_url,
    complete,
    ..Style::LINE
};

fn build(_: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    Box::new(Text { rules: None, allowed_domains: None, style: &STYLE })
}

fn check(_: &Text, address: &str, at: &mut Issues) {
    if text::length(address) > MAX_LENGTH {
        at.push(Reason::TooLong { most: MAX_LENGTH });
    } else if !is_address(address) {
        at.push(Reason::NotUrl);
    }
}

/// People omit the scheme: `example.com/me` is accepted.
fn complete(typed: &str) -> String {
    let typed = typed.trim();
    let host = typed.split(['/', '?', '#', ':']).next().unwrap_or_default();
    let whole = format!("https://{typed}");
    let is_bare = !typed.contains("://") && host.trim_matches('.').contains('.');
    if is_bare && is_address(&whole) { whole } else { typed.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_addresses() {
        for good in [
            "https://example.com",
            "http://localhost:8080/a",
            "HTTPS://Example.com/A?b=c&d=%20#e",
            "https://例子.公司/路",
            "https://[2001:db8::1]/",
            "https://192.0.2.1",
        ] {
            assert!(is_address(good), "{good}");
        }
        for bad in [
            "example.com",
            "//example.com",
            "https:example.com",
            "https://",
            "https:///a",
            "https://a b.com",
            "https://example.com/a b",
            " https://example.com",
            "https://user:word@example.com",
            "https://user@example.com",
            "https://example.com:99999",
            "https:\\\\example.com",
            "javascript:alert(1)",
            "data:text/html,x",
            "ftp://example.com",
            "mailto:a@b.de",
            "https://exa%00mple.com",
        ] {
            assert!(!is_address(bad), "{bad}");
        }
    }

    #[test]
    fn the_scheme_may_be_left_out_on_the_page() {
        for (typed, value) in [
            ("example.com/me", "https://example.com/me"),
            (" example.com:8080 ", "https://example.com:8080"),
            ("http://example.com", "http://example.com"),
            ("javascript:alert(1.5)", "javascript:alert(1.5)"),
            ("a@b.de", "a@b.de"),
            ("no idea.", "no idea."),
            ("none", "none"),
        ] {
            assert_eq!(complete(typed), value);
        }
    }
}
