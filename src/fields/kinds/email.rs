//! `email`: an email address.

use std::sync::LazyLock;

use regex::Regex;

use crate::base::issue::Issues;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Things};
use crate::base::text::texts::Texts;
use crate::base::text::{self, identity};
use crate::fields::inputs::LineAttributes;
use crate::fields::kind::{BuildCx, Facets, Kind, KindRow, Sample};
use crate::fields::texts::text_kind::{Style, Text};

const MAX_LENGTH: usize = 254;
const MAX_LOCAL: usize = 64;
const MAX_LABEL: usize = 63;
const MAX_DOMAINS: usize = 100;
/// Maximum domains that a hint lists.
const MAX_TOLD: usize = 5;

pub static KIND: KindRow = KindRow {
    name: "email",
    facets: Facets {
        searchable: true,
        fuzzy: true,
        displayable: true,
        protectable: true,
        unique: true,
        in_cells: true,
        mailable: true,
        becomes: &["short_text"],
        asked_by: &[
            "email",
            "e-mail",
            "email address",
            "e-mail address",
            "=mail",
            "mail address",
            "邮箱",
            "邮箱地址",
            "电子邮件",
            "电子邮件地址",
            "电邮",
        ],
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: "{}",
            write: r#""Ada@Example.com""#,
            stored: r#""Ada@Example.com""#,
            text: "Ada@Example.com",
        },
        Sample {
            definition: r#"{"allowed_domains": ["example.com"]}"#,
            write: r#""a.b+c@example.com""#,
            stored: r#""a.b+c@example.com""#,
            text: "a.b+c@example.com",
        },
    ],
};

/// The rule of browsers' email inputs (HTML, "valid e-mail address"), but with a dot in the domain and letters of all
/// scripts. Lengths are checked elsewhere: counted repetitions would make the regex a thousand times larger.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    let label = r"[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?";
    Regex::new(&format!(r"^[\p{{L}}\p{{N}}\p{{M}}.!#$%&'*+/=?^_`{{|}}~-]+@{label}(?:\.{label})+$"))
        .expect("the pattern is fixed, and a test compiles it")
});

fn is_address(text: &str) -> bool {
    let (local, domain) = text.split_once('@').unwrap_or_default();
    let mut labels = domain.split('.');
    text.len() <= MAX_LENGTH
        && local.chars().count() <= MAX_LOCAL
        && labels.all(|label| label.chars().count() <= MAX_LABEL)
        && ADDRESS.is_match(text)
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..")
}

static STYLE: Style = Style {
    control: Some("email"),
    attributes: LineAttributes { autocomplete: Some("email"), ..LineAttributes::NONE },
    check,
    mask: Some(mask),
    key: identity::of_email,
    limits,
    ..Style::LINE
};

fn build(reader: &mut Reader, _: &BuildCx) -> Box<dyn Kind> {
    let allowed_domains = reader.opt_texts("allowed_domains", 253, |domain| {
        if is_address(&format!("a@{domain}")) {
            Ok(())
        } else {
            Err(Reason::MustBe(Expected::Other("a domain such as example.com")))
        }
    });
    if allowed_domains.as_ref().is_some_and(|domains| domains.len() > MAX_DOMAINS) {
        reader.fault("allowed_domains", Reason::too_many(MAX_DOMAINS, Things::Other("domains")));
    }
    Box::new(Text { rules: None, allowed_domains, style: &STYLE })
}

fn check(kind: &Text, address: &str, at: &mut Issues) {
    if !is_address(address) {
        at.push(Reason::NotEmail);
    } else if let Some(allowed) = kind.allowed_domains.as_ref().filter(|list| !list.is_empty()) {
        let domain = identity::of_domain(address.rsplit('@').next().unwrap_or_default());
        if !allowed.iter().any(|known| identity::of_domain(known) == domain) {
            at.push(Reason::NotAtDomain(allowed.join(" or ")));
        }
    }
}

/// Keeps the first character and the domain: `j***@example.com`. One or two characters before the domain are hidden
/// entirely.
fn mask(text: &str) -> String {
    let (local, domain) = text.rsplit_once('@').unwrap_or((text, ""));
    let first = local.chars().next().filter(|_| text::length(local) > 2);
    let first = first.map(String::from).unwrap_or_default();
    let at = if domain.is_empty() { "" } else { "@" };
    format!("{first}***{at}{domain}")
}

fn limits(kind: &Text, texts: &Texts) -> Option<String> {
    let allowed = kind.allowed_domains.as_deref().unwrap_or_default();
    let domains = texts.any_of_latin(allowed)?;
    let is_short = allowed.len() <= MAX_TOLD;
    is_short.then(|| texts.fill("limit-domains", &[("domains", domains.into())]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_shows_a_third_of_what_stands_before_the_domain_at_most() {
        for (address, masked) in [
            ("jane@example.com", "j***@example.com"),
            ("ada@example.com", "a***@example.com"),
            ("al@example.com", "***@example.com"),
            ("a@example.com", "***@example.com"),
            ("用户名@例子.公司", "用***@例子.公司"),
            ("\"a@b\"@example.com", "\"***@example.com"),
            ("ada", "a***"),
            ("@", "***"),
            ("", "***"),
        ] {
            assert_eq!(mask(address), masked);
        }
    }

    #[test]
    fn parts_are_so_long_at_most() {
        let of = |local: usize, label: usize| is_address(&format!("{}@{}.de", "é".repeat(local), "b".repeat(label)));
        assert!(of(64, 63));
        assert!(!of(65, 63));
        assert!(!of(64, 64));
        assert!(!is_address(&format!("a@b.{}", "c".repeat(64))));
    }

    #[test]
    fn knows_addresses() {
        for good in ["a@b.co", "a.b+c@example.com", "用户@例子.公司", "o'neil@x-y.example", "1@2.3.de"] {
            assert!(is_address(good), "{good}");
        }
        for bad in [
            "a",
            "a@b",
            "a@",
            "@b.co",
            "a b@c.de",
            "a@b..de",
            ".a@b.de",
            "a..b@c.de",
            "a@-b.de",
            "a@b.de ",
            "a@b@c.de",
            "a@b.de\n",
        ] {
            assert!(!is_address(bad), "{bad:?}");
        }
    }
}
