//! Placeholders in the owner's texts: `{{field_1}}` stands for an answer.

use std::cell::RefCell;

use crate::fields::texts::rich_text;

/// More characters between braces are text about something else.
const MAX_NAME: usize = 64;

/// The template with each `{{code}}` replaced, in one pass: inserted text is never parsed again (S95). Unknown names
/// stay as they are.
pub fn fill(template: &str, text: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let found = after.split_once("}}").and_then(|(code, tail)| Some((text(code.trim())?, tail)));
        match found {
            Some((filled, tail)) => {
                out.push_str(&filled);
                rest = tail;
            }
            None => {
                // The second brace may begin a placeholder itself.
                out.push('{');
                rest = &rest[before.len() + 1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Fills the text of sanitised HTML, not its tags: an answer may not say where a link leads (S95).
pub fn fill_rich(template: &str, text: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while !rest.is_empty() {
        let (words, tag) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
        out.push_str(&fill(words, |code| Some(rich_text::escape(&text(code)?))));
        let end = tag.find('>').map_or(tag.len(), |end| end + 1);
        out.push_str(&tag[..end]);
        rest = &tag[end..];
    }
    out
}

/// A placeholder in its template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed<'t> {
    pub before: &'t str,
    pub code: &'t str,
    pub after: &'t str,
}

/// The first placeholder of a template whose name is one of these.
pub fn first(template: &str, is_it: impl Fn(&str) -> bool) -> Option<Placed<'_>> {
    template.match_indices("{{").find_map(|(at, braces)| {
        let (code, after) = template[at + braces.len()..].split_once("}}")?;
        let code = code.trim();
        is_it(code).then(|| Placed { before: &template[..at], code, after })
    })
}

/// The names in placeholders of a template, each once.
pub fn named(template: &str) -> Vec<String> {
    unknown(template, |_| false)
}

/// The names in placeholders of a template that name nothing, each once.
pub fn unknown(template: &str, is_known: impl Fn(&str) -> bool) -> Vec<String> {
    collect(is_known, |text| {
        fill(template, text);
    })
}

/// The same for rich text.
pub fn unknown_rich(template: &str, is_known: impl Fn(&str) -> bool) -> Vec<String> {
    collect(is_known, |text| {
        fill_rich(template, text);
    })
}

fn collect(is_known: impl Fn(&str) -> bool, fill: impl FnOnce(&dyn Fn(&str) -> Option<String>)) -> Vec<String> {
    let found = RefCell::new(Vec::new());
    fill(&|code| {
        if is_known(code) {
            return Some(String::new());
        }
        let is_name = code.chars().count() <= MAX_NAME && !code.contains(['{', '}']);
        let mut found = found.borrow_mut();
        if is_name && !found.iter().any(|known| known == code) {
            found.push(code.to_owned());
        }
        None
    });
    found.into_inner()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;

    #[test]
    fn answers_stand_in_the_text_of_rich_text_alone() {
        let template = r#"<p>Hi {{a}}, <a href="https://x.org{{a}}">{{a}}</a> {{b}}</p>"#;
        let filled = fill_rich(template, |code| (code == "a").then(|| ".evil<b>".to_owned()));
        assert_eq!(filled, r#"<p>Hi .evil&lt;b&gt;, <a href="https://x.org{{a}}">.evil&lt;b&gt;</a> {{b}}</p>"#);
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn any_template_is_filled_in_one_pass(template in "[a{} \\\\é]{0,40}", answer in "[b-z]{1,5}") {
            let filled = fill(&template, |code| (code == "a").then(|| answer.clone()));
            prop_assert!(!filled.contains("{{a}}"));
            let none = fill(&template, |_| None);
            prop_assert_eq!(none, template);
        }
    }

    #[test]
    fn what_is_put_in_is_never_read_again() {
        let text = |code: &str| match code {
            "a" => Some("{{b}}".to_owned()),
            "b" => Some("secret".to_owned()),
            "open" => Some("{{".to_owned()),
            _ => None,
        };
        for (template, filled) in [
            ("x {{a}} y {{ b }}", "x {{b}} y secret"),
            ("{{open}}b}}", "{{b}}"),
            ("{{gone}} {{b}}", "{{gone}} secret"),
            ("{{{{b}}}}", "{{secret}}"),
            ("{{{b}}}", "{secret}"),
            ("{{b", "{{b"),
            ("", ""),
        ] {
            assert_eq!(fill(template, text), filled, "{template}");
        }
    }

    #[test]
    fn what_names_nothing_is_found() {
        let unknown = |template| unknown(template, |code| code == "a");
        assert_eq!(unknown("{{a}} {{ b }} {{b}} {{{{a}}}} {{{a}}} {{c"), ["b"]);
        assert_eq!(unknown("{{field 1}} {{}} {{x{y}}"), ["field 1", ""]);
        assert!(unknown("{{a}}").is_empty());
        assert_eq!(named("{{a}} {{ b }} {{a}}"), ["a", "b"]);
        let long = format!("{{{{{}}}}}", "x".repeat(MAX_NAME + 1));
        assert!(super::unknown(&long, |_| false).is_empty());
        let rich = r#"<a href="https://x.org{{b}}">{{c}}</a>"#;
        assert_eq!(unknown_rich(rich, |_| false), ["c"]);
    }
}
