//! `short_text`, `long_text`, `name`, `email` and `url`.

use serde_json::json;

use super::Group;

/// Common behaviour of all text kinds.
fn text(kind: &'static str) -> [Group; 3] {
    let plain = Group::of(kind, json!({}))
        .keeps([
            json!("Ada Lovelace"),
            json!("  kept as sent\t"),
            json!("line\nline"),
            json!("张伟 \u{1f44d}\u{1f3fd} שלום"),
            json!("<b>\"&'</b>"),
            json!("a\u{202e}b\u{200d}c"),
            json!("x".repeat(100_000)),
        ])
        .takes(json!("e\u{301}"), json!("\u{e9}"))
        .takes(json!("a\r\nb"), json!("a\nb"))
        .takes(json!("a\u{1}\u{1b}\u{7f}\u{85}b"), json!("ab"))
        .takes(json!("\u{1100}\u{1161}"), json!("\u{ac00}"))
        .takes(json!(" \n\t\u{3000}"), json!(null))
        .takes(json!(""), json!(null))
        .takes(json!("\u{7}"), json!(null))
        .refuses(json!(1), "must be a string")
        .refuses(json!(1.5), "must be a string")
        .refuses(json!(false), "must be a string")
        .refuses(json!([]), "must be a string")
        .refuses(json!(["a"]), "must be a string")
        .refuses(json!({}), "must be a string")
        .refuses(json!("a\0b"), "must not contain NUL characters")
        .refuses(json!("x".repeat(100_001)), "is too long (at most 100000 characters)");
    let strict = json!({
        "min_length": 2, "max_length": 4, "pattern": "[a-z\\p{Han}]+|\\d{2}", "pattern_message": "must be small",
    });
    let strict = Group::of(kind, strict)
        .keeps([json!("ab"), json!("abcd"), json!("张伟"), json!("42")])
        // Length counts characters as they are kept.
        .takes(json!("a\u{7}b\u{7}c\u{7}d"), json!("abcd"))
        .takes(json!(null), json!(null))
        .refuses(json!("a"), "is too short (at least 2 characters)")
        .refuses(json!("abcde"), "is too long (at most 4 characters)")
        .refuses(json!("AB"), "must be small")
        .refuses(json!("ab\n"), "must be small")
        .refuses(json!("ab 1"), "must be small")
        .refuses_for(json!("\u{1f44d}"), &["is too short (at least 2 characters)", "must be small"])
        .refuses(json!("123456"), "is too long (at most 4 characters)");
    let single = Group::of(kind, json!({"max_length": 1}))
        .keeps([json!("a")])
        .refuses(json!("ab"), "is too long (at most 1 character)");
    [plain, strict, single]
}

pub fn groups() -> Vec<Group> {
    let mut groups: Vec<Group> = ["short_text", "long_text", "name"].into_iter().flat_map(text).collect();
    groups.push(
        Group::of("short_text", json!({"pattern": "a|b"}))
            .keeps([json!("a"), json!("b")])
            // The whole value, and never a part of it.
            .refuses(json!("ab"), "has the wrong format")
            .refuses(json!("xa"), "has the wrong format"),
    );
    groups.push(email());
    groups.push(url());
    groups.push(
        Group::of("email", json!({"allowed_domains": ["example.com", "Bücher.example"]}))
            .keeps([json!("a@example.com"), json!("a@EXAMPLE.com"), json!("a@bücher.example")])
            .refuses(json!("a@example.org"), "must be at example.com or Bücher.example")
            .refuses(json!("a@sub.example.com"), "must be at example.com or Bücher.example"),
    );
    groups
}

fn email() -> Group {
    let long = format!("{}@example.com", "a".repeat(64));
    let mut group = Group::of("email", json!({}))
        .keeps([
            json!("Ada@Example.com"),
            json!("a.b+c@sub.example.co"),
            json!("o'neil@x-y.example"),
            json!("用户@例子.公司"),
            json!(long),
        ])
        .takes(json!("a\u{7}@b.co"), json!("a@b.co"))
        .takes(json!("  "), json!(null))
        .refuses(json!(5), "must be a string")
        .refuses(json!({"email": "a@b.co"}), "must be a string")
        .refuses(json!(["a@b.co"]), "must be a string")
        .refuses(json!("a@b.co\0"), "must not contain NUL characters");
    let too_long = format!("{}@{}.example.com", "a".repeat(64), "b.".repeat(90));
    for bad in [
        "plain",
        "a@",
        "@b.co",
        "a@b",
        "a b@c.de",
        ".a@b.de",
        "a.@b.de",
        "a..b@c.de",
        "a@b..de",
        "a@-b.de",
        "a@b-.de",
        "a@b.de ",
        " a@b.de",
        "a@b@c.de",
        "a@b.de\n",
        "Ada <a@b.de>",
        "a@b.de,c@d.ef",
        "mailto:a@b@c.de",
        &too_long,
    ] {
        group = group.refuses(json!(bad), "is not an email address");
    }
    group
}

fn url() -> Group {
    let fault = "is not a web address such as https://example.com";
    let mut group = Group::of("url", json!({}))
        .keeps([
            json!("https://example.com"),
            json!("http://localhost:8080/a/b?c=d&e=%20#f"),
            json!("HTTPS://Example.COM/A"),
            json!("https://例子.公司/路?问=答"),
            json!("https://[2001:db8::1]/"),
        ])
        .takes(json!("https://example.com/e\u{301}"), json!("https://example.com/\u{e9}"))
        .takes(json!(""), json!(null))
        .takes(json!(" \n"), json!(null))
        .refuses(json!(1), "must be a string")
        .refuses(json!(["https://example.com"]), "must be a string")
        .refuses(json!({"url": "https://example.com"}), "must be a string")
        .refuses(json!("https://example.com/\0"), "must not contain NUL characters")
        .refuses(json!(format!("https://example.com/{}", "x".repeat(2029))), "is too long (at most 2048 characters)");
    for bad in [
        "example.com",
        "//example.com",
        "https:example.com",
        "https://",
        "https:///example.com",
        "https://exa mple.com",
        "https://example.com/a b",
        " https://example.com",
        "https://example.com\n",
        "https://user:word@example.com",
        "https://example.com:99999",
        "https:\\\\example.com",
        "javascript:alert(1)",
        "JavaScript://example.com/%0aalert(1)",
        "data:text/html,x",
        "ftp://example.com",
        "mailto:ada@example.com",
    ] {
        group = group.refuses(json!(bad), fault);
    }
    group
}
