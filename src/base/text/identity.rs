//! Identity of texts (S46): values of a unique field, names of folders, addresses of accounts, the right answer of an
//! exam. Filters and searches compare the result of `text::fold`, which keeps every character.

use crate::base::text::{fold, is_invisible};

/// Punycode, by which domains are written in ASCII.
const IN_ASCII: &str = "xn--";

/// Folded, without invisible characters and without blanks around it.
pub fn of_text(text: &str) -> String {
    let mut folded = fold(text);
    if !folded.is_ascii() && folded.contains(is_invisible) {
        folded.retain(|c| !is_invisible(c));
        // Characters on both sides of an invisible one may combine without it.
        folded = fold(&folded);
    }
    let trimmed = folded.trim();
    if trimmed.len() == folded.len() { folded } else { trimmed.to_owned() }
}

/// An email address: its domain may be written in ASCII or not.
pub fn of_email(address: &str) -> String {
    let address = of_text(address);
    match address.rsplit_once('@') {
        Some((local, domain)) => format!("{local}@{}", of_domain(domain)),
        None => address,
    }
}

/// A web address: its domain may be written in ASCII or not.
pub fn of_url(address: &str) -> String {
    let address = of_text(address);
    let Some((scheme, rest)) = address.split_once("://") else {
        return address;
    };
    let (domain, path) = rest.split_at(rest.find(['/', '?', '#', ':']).unwrap_or(rest.len()));
    format!("{scheme}://{}{path}", of_domain(domain))
}

/// A domain: `xn--tda.org` is `ü.org`. Domains are compared as people see them rather than in ASCII, so that `ß` stays
/// `ss` as in every other text.
pub fn of_domain(domain: &str) -> String {
    let domain = of_text(domain);
    if !domain.contains(IN_ASCII) {
        return domain;
    }
    match idna::domain_to_unicode(&domain) {
        (shown, Ok(())) => of_text(&shown),
        (_, Err(_)) => domain,
    }
}

#[cfg(test)]
mod tests {
    use icu_properties::CodePointSetData;
    use icu_properties::props::BidiControl;
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;

    #[test]
    fn what_is_not_seen_makes_no_difference() {
        for other in [
            "Ada",
            "ADA",
            " Ada",
            "Ada\u{a0}",
            "\tAda\n",
            "\u{3000}Ada",
            "A\u{200b}da",
            "Ada\u{200c}",
            "\u{200d}Ada",
            "A\u{ad}da",
            "\u{feff}Ada",
            "Ad\u{2060}a",
            "Ada \u{200b} ",
            "\u{202e}Ada\u{202c}",
            "\u{2066}Ada\u{2069}",
            "Ada\u{200f}",
            "\u{61c}Ada",
            "A\u{34f}da",
            "Ada\u{fe0f}",
            "Ad\u{3164}a",
            "Ad\u{ffa0}a",
            "Ada\u{e0041}",
        ] {
            assert_eq!(of_text(other), "ada", "{other:?}");
        }
        // Other differences count: visible characters, and blanks within.
        for other in ["A da", "Adá", "Ada.", "A\u{a0}da"] {
            assert_ne!(of_text(other), "ada", "{other:?}");
        }
        assert_eq!(of_text("e\u{200b}\u{301}"), "é");
        assert_eq!(of_text("\u{200b} \u{200b}"), "");
    }

    #[test]
    fn marks_of_direction_are_invisible() {
        let marks = CodePointSetData::new::<BidiControl>();
        assert!(marks.iter_ranges().flatten().count() > 10);
        assert!(marks.iter_ranges().flatten().filter_map(char::from_u32).all(is_invisible));
    }

    #[test]
    fn a_domain_is_the_same_in_ascii() {
        for (one, other) in [
            ("ü.org", "xn--tda.org"),
            ("Ü.ORG", "XN--TDA.org"),
            ("mail.例子.公司", "mail.xn--fsqu00a.xn--55qx5d"),
            ("straße.de", "xn--strae-oqa.de"),
            ("straße.de", "strasse.de"),
            ("example.org", "EXAMPLE.org"),
        ] {
            assert_eq!(of_domain(one), of_domain(other), "{one}");
            assert_eq!(of_email(&format!("Ada@{one}")), of_email(&format!("ada@{other}")));
            assert_eq!(of_url(&format!("HTTPS://{one}:8/a?b")), of_url(&format!("https://{other}:8/A?B")));
        }
        for other in ["xn--tda.com", "tda.org", "xn--xn--.org", "xn--\u{200b}.org"] {
            assert_ne!(of_domain("ü.org"), of_domain(other));
        }
        // Only a domain is.
        assert_ne!(of_email("ü@a.org"), of_email("xn--tda@a.org"));
        assert_ne!(of_url("https://a.org/ü"), of_url("https://a.org/xn--tda"));
        assert_eq!(of_url("https://[2001:db8::1]/"), "https://[2001:db8::1]/");
        assert_eq!(of_email("nobody"), "nobody");
    }

    proptest! {
        #![proptest_config(cases())]

        /// Filters look indexes up by folded texts.
        #[test]
        fn what_folds_alike_is_the_same(text in r"([aZ@. \u{a0}\u{200b}\u{ad}\u{3164}üßÉ王ﬁＡ-]|xn--tda){0,12}") {
            for of in [of_text, of_email, of_url, of_domain] {
                prop_assert_eq!(of(&fold(&text)), of(&text));
                prop_assert_eq!(of(&of(&text)), of(&text));
            }
        }
    }
}
