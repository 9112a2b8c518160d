//! Owners' rich text: sanitised on write to the contract's tags (S54).

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use maud::{Markup, PreEscaped, html};

use crate::base::reader::Reader;
use crate::base::reason::Reason;
use crate::fields::images::Images;

const MAX_INPUT_BYTES: usize = 64 << 10;
const MAX_OUTPUT_BYTES: usize = 128 << 10;

const TAGS: [&str; 18] =
    ["p", "br", "b", "strong", "i", "em", "u", "s", "a", "ul", "ol", "li", "h1", "h2", "h3", "h4", "blockquote", "img"];

/// Attributes of images.
const IMG: [&str; 4] = ["src", "alt", "width", "height"];

static SANITISER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    builder
        .tags(HashSet::from(TAGS))
        .tag_attributes(HashMap::from([("a", HashSet::from(["href"])), ("img", HashSet::from(IMG))]))
        // By default, every tag keeps `lang` and `title`.
        .generic_attributes(HashSet::new())
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer nofollow"))
        .strip_comments(true)
        .clean_content_tags(HashSet::from(["script", "style"]));
    builder
});

/// Removes all markup that is not allowed, and images that are not among these.
pub fn clean(html: &str, images: &Images) -> String {
    place(&SANITISER.clean(html).to_string(), images)
}

/// Normalises the images of sanitised text, each with its width and height; unknown ones are removed.
fn place(clean: &str, images: &Images) -> String {
    let mut out = String::with_capacity(clean.len());
    let mut rest = clean;
    while let Some((before, tag)) = rest.split_once("<img") {
        out.push_str(before);
        let mut own = tag;
        let mut given = [None; IMG.len()];
        // The sanitiser writes attributes like this, with quotes in the value as `&quot;`.
        while let Some((name, tail)) = own.split_once("=\"").filter(|_| own.starts_with(' '))
            && let Some((value, tail)) = tail.split_once('"')
        {
            let place = IMG.iter().position(|known| *known == name.trim_start());
            if let Some(slot) = place.and_then(|place| given.get_mut(place)) {
                *slot = Some(value);
            }
            own = tail;
        }
        rest = own.strip_prefix('>').unwrap_or(own);
        let [src, alt, width, height] = given;
        let Some(image) = src.and_then(|src| images.at(&src.replace("&amp;", "&"))) else {
            continue;
        };
        let (own_width, own_height) = image.size();
        let number = |text: &str| text.parse::<u16>().ok().filter(|number| *number > 0);
        let asked = width.and_then(number).zip(height.and_then(number));
        let (width, height) = asked.map_or((own_width, own_height), |(width, height)| (width.into(), height.into()));
        let alt = alt.unwrap_or_default().replace('<', "&lt;").replace('>', "&gt;");
        out.push_str(&format!(
            "<img src=\"{}\" alt=\"{alt}\" width=\"{width}\" height=\"{height}\">",
            html! { (image.image_url) }.into_string(),
        ));
    }
    out.push_str(rest);
    out
}

/// Sanitised text on a page: images are addressed independently of the host name, and loaded lazily.
pub fn drawn(clean: &str) -> Markup {
    const BEGIN: &str = "<img src=\"";
    let mut out = String::with_capacity(clean.len());
    let mut rest = clean;
    while let Some((before, tail)) = rest.split_once(BEGIN) {
        let (address, tail) = tail.split_once('"').unwrap_or((tail, ""));
        let host = address.find("://").map_or(0, |at| at + 3);
        let root = address[host..].find('/').unwrap_or_default();
        out.push_str(before);
        out.push_str("<img loading=\"lazy\" decoding=\"async\" src=\"");
        out.push_str(&address[host + root..]);
        out.push('"');
        rest = tail;
    }
    out.push_str(rest);
    PreEscaped(out)
}

/// Plain text as rich text.
pub fn escape(text: &str) -> String {
    html! { (text) }.into_string().replace('\n', "<br>")
}

/// Reads and sanitises a member with rich text.
pub fn read(reader: &mut Reader, key: &str, images: &Images) -> Option<String> {
    let html = reader.opt_text(key, MAX_INPUT_BYTES)?;
    if html.len() > MAX_INPUT_BYTES {
        reader.fault(key, Reason::other("is too long (at most 64 KiB)"));
        return None;
    }
    let clean = clean(&html, images);
    if clean.len() > MAX_OUTPUT_BYTES {
        reader.fault(key, Reason::other("is too long (at most 128 KiB with markup)"));
        return None;
    }
    Some(clean)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fields::images::NOTHING;

    fn clean(html: &str) -> String {
        super::clean(html, &NOTHING)
    }
    use crate::base::cases::cases;

    /// All that remains must be the contract's tags, as in the table, and text.
    fn assert_harmless(html: &str) {
        for rest in html.split('<').skip(1) {
            let (tag, _) = rest.split_once('>').unwrap_or_else(|| panic!("open tag: {html}"));
            let (name, own) = tag.split_once(' ').unwrap_or((tag, ""));
            assert!(TAGS.contains(&name.trim_start_matches('/')), "{tag}: {html}");
            if name == "a" && !own.is_empty() {
                let href = own.strip_prefix("href=\"").and_then(|own| own.split('"').next());
                let link = own.trim_start_matches("rel=\"noopener noreferrer nofollow\"").trim();
                let is_fine = href.is_none_or(|href| {
                    ["http://", "https://", "mailto:", "http:", "https:"]
                        .iter()
                        .any(|scheme| href.to_ascii_lowercase().starts_with(scheme))
                });
                assert!(is_fine && (link.is_empty() || href.is_some()), "{own}: {html}");
            } else {
                assert_eq!(own, "", "{html}");
            }
        }
    }

    #[test]
    fn what_parsers_disagree_about_is_harmless() {
        for html in [
            "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
            "<svg></p><style><a id=\"</style><img src=1 onerror=alert(1)>\">",
            "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
            "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
            "<svg><foreignobject><p><b onclick=x>y",
            "<a href=\"java\nscript:alert(1)\">x</a><a href=' javascript:x'>y</a><a href=\"data:text/html;x\">z</a>",
            "<a href=\"https://a.example/\" onmouseover=x style=y id=z name=w class=v>x</a>",
            "<p><!--><img src=x onerror=alert(1)>--><![CDATA[<img src=x onerror=alert(1)>]]>",
            "<template><p><script>x</script></template><xmp><p></xmp><img src=x>",
            "<iframe srcdoc=\"<script>alert(1)</script>\"></iframe><object data=x><embed src=x>",
            "<b><i><u></b></i></u><select><option><style></select><img src=x onerror=alert(1)>",
            "\u{0}<scr\u{0}ipt>x</scr\u{0}ipt><a href=\"//host\">r</a><a href=\"/p\">s</a>",
        ] {
            let once = clean(html);
            assert_harmless(&once);
            assert_eq!(clean(&once), once, "{html}");
        }
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn nothing_but_the_contracts_tags_comes_out(parts in prop::collection::vec(prop_oneof![
            Just("<svg>"), Just("</svg>"), Just("<math>"), Just("<mtext>"), Just("<style>"), Just("</style>"),
            Just("<table>"), Just("<p>"), Just("</p>"), Just("<b>"), Just("<!--"), Just("-->"), Just("<![CDATA["),
            Just("<img src=x onerror=y>"), Just("<a href=\"javascript:x\">"), Just("<a href='https://h/' x=y>"),
            Just("</a>"), Just("<script>"), Just("</script>"), Just("<noscript>"), Just("<template>"), Just("\""),
            Just("<title>"), Just("</title>"), Just("&lt;img src=x&gt;"), Just("<select>"), Just("<form>"), Just("<"), Just("text"),
        ], 0..14)) {
            let once = clean(&parts.concat());
            assert_harmless(&once);
            assert_harmless(&clean(&once));
        }
    }

    #[test]
    fn images_of_a_page_are_found_from_its_root() {
        let mut images = Images::of_request("https://forms.example/base");
        images.add("sea".to_owned(), (30, 20));
        let html = "a<img src='https://forms.example/base/images/sea' alt='>\"' width=x><img>b";
        let once = super::clean(html, &images);
        let own = "alt=\"&gt;&quot;\" width=\"30\" height=\"20\">";
        let whole = format!("a<img src=\"https://forms.example/base/images/sea\" {own}b");
        assert_eq!(once, whole);
        assert_eq!(super::clean(&once, &images), once);
        let shown = format!("a<img loading=\"lazy\" decoding=\"async\" src=\"/base/images/sea\" {own}b");
        assert_eq!(drawn(&once).into_string(), shown);
    }

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
        let own = "lang=en title=t dir=rtl id=i class=c style=color:red data-x=1 hidden";
        for tag in TAGS.iter().filter(|tag| **tag != "img") {
            let once = clean(&format!("<{tag} {own}>x</{tag}>"));
            let attributes = if *tag == "a" { " rel=\"noopener noreferrer nofollow\"" } else { "" };
            assert!(once.contains(&format!("<{tag}{attributes}>")), "{once}");
            assert_eq!(once.matches('=').count(), attributes.len().min(1), "{once}");
        }
        for bad in ["javascript:alert(1)", "//host/x", "/x", "data:text/html,x", "ftp://h/"] {
            assert!(!clean(&format!("<a href='{bad}'>x</a>")).contains("href"), "{bad}");
        }
        assert_eq!(clean("<img src=https://example.com/i.png>"), "");
        assert_eq!(clean("<svg><style><img src=x onerror=alert(1)></style></svg>"), "");
    }

    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "<",
            ">",
            "</",
            "/>",
            "p",
            "a ",
            "b",
            "img ",
            "svg",
            "math",
            "style",
            "script",
            "iframe",
            "template",
            "noscript",
            "textarea",
            "title",
            "xmp",
            "table",
            "mtext",
            "annotation-xml",
            "mglyph",
            "foreignObject",
            "href=",
            "src=",
            "title=",
            "lang=",
            "onerror=",
            "style=",
            "\"",
            "'",
            "`",
            "javascript:",
            "https://h/",
            "//h",
            "data:text/html,",
            "mailto:a@b",
            "&lt;",
            "&#x6a;",
            "&Tab;",
            "<!--",
            "-->",
            "<![CDATA[",
            "]]>",
            " ",
            "x",
            "alert(1)",
            "\0",
            "é",
        ]);
        prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn only_the_contracts_tags_are_left(html in pieces()) {
            let once = clean(&html);
            prop_assert_eq!(clean(&once), once.clone());
            for tag in once.split('<').skip(1) {
                let inside = tag.split('>').next().unwrap_or_default();
                let name = inside.trim_start_matches('/').split(' ').next().unwrap_or_default();
                prop_assert!(TAGS.contains(&name), "{} gives {}", html, once);
                let attributes = inside.strip_prefix(name).unwrap_or_default().trim_start_matches('/');
                let is_link = attributes.is_empty()
                    || attributes == " rel=\"noopener noreferrer nofollow\""
                    || [" href=\"https:", " href=\"mailto:"].iter().any(|start| attributes.starts_with(start));
                prop_assert!(is_link, "{} gives {}", html, once);
            }
        }
    }
}
