//! Content types that clients declare for files.

/// Types that browsers would run. They are never accepted (S60).
pub const SCRIPTS: [&str; 22] = [
    "text/html",
    "text/css",
    "text/javascript",
    "text/javascript1.0",
    "text/javascript1.1",
    "text/javascript1.2",
    "text/javascript1.3",
    "text/javascript1.4",
    "text/javascript1.5",
    "text/x-javascript",
    "text/ecmascript",
    "text/x-ecmascript",
    "text/jscript",
    "text/livescript",
    "text/x-php",
    "application/javascript",
    "application/x-javascript",
    "application/ecmascript",
    "application/x-ecmascript",
    "application/xhtml+xml",
    "application/x-httpd-php",
    "application/x-php",
];

/// A content type without its parameters, in lower case.
pub fn essence(given: &str) -> String {
    let essence = given.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// Whether the text is a content type without parameters.
pub fn is_type(essence: &str) -> bool {
    let is_name = |name: &str| {
        let allowed = |c: u8| c.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&c);
        name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.bytes().all(allowed)
    };
    essence.split_once('/').is_some_and(|(kind, subtype)| is_name(kind) && is_name(subtype))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_compared_bare() {
        for given in ["TEXT/HTML; charset=x", " text/html", "text/html;", "Text/Html"] {
            assert!(SCRIPTS.contains(&essence(given).as_str()), "{given}");
        }
        for good in ["image/svg+xml", "application/vnd.ms-excel", "x/y"] {
            assert!(is_type(good), "{good}");
        }
        for bad in ["", "png", "*/*", "image/", "/png", "a b/c", "a/b/c", "a/é", "a/\n"] {
            assert!(!is_type(bad), "{bad}");
        }
    }
}
