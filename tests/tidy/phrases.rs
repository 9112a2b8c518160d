//! The words of the API that pages say in other languages: each phrase of the program has its translation.

use std::collections::BTreeSet;
use std::fs;

use super::{root, sources};

const TRANSLATIONS: &str = "assets/locales/phrases.zh-CN.txt";

/// The beginnings of expressions whose first text is a phrase.
const MARKS: [&str; 5] = ["phrase!(", "Phrase::plain(", "Reason::other(", "Expected::Other(", "Things::Other("];
/// The files whose arms are phrases, and the text before them.
const ARMS: (&str, &str) = ("src/base/reason.rs", "pub fn phrase(&self) -> Phrase {");

/// The text of a literal that begins here, after blanks; none of anything else.
fn literal(source: &str) -> Option<String> {
    let mut rest = source.trim_start().strip_prefix('"')?;
    let mut out = String::new();
    loop {
        let at = rest.find(['"', '\\'])?;
        out.push_str(&rest[..at]);
        if rest[at..].starts_with('"') {
            return Some(out);
        }
        match rest[at + 1..].chars().next()? {
            '\n' => rest = rest[at + 2..].trim_start(),
            'n' => {
                out.push('\n');
                rest = &rest[at + 2..];
            }
            other => {
                out.push(other);
                rest = &rest[at + 1 + other.len_utf8()..];
            }
        }
    }
}

#[test]
fn each_phrase_is_translated_once_with_the_same_gaps() {
    let translations = fs::read_to_string(root().join(TRANSLATIONS)).expect("the translations");
    let lines: Vec<&str> = translations.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let mut known = BTreeSet::new();
    for pair in lines.chunks(2) {
        let [english, other] = pair else { panic!("{pair:?} is no pair") };
        assert!(!english.starts_with(' ') && other.starts_with("  "), "{pair:?} is no pair");
        assert!(known.insert((*english).to_owned()), "{english:?} is there twice");
        let gaps = english.matches("{}").count();
        let numbered = (1..=gaps).filter(|gap| other.contains(&format!("{{{gap}}}"))).count();
        assert!(other.matches("{}").count() == gaps || numbered > 0, "{pair:?} have other gaps");
    }
    let (sources, mut missing) = (sources("src"), Vec::new());
    for source in sources.iter().filter(|source| !source.path.ends_with("tests.rs")) {
        let code = source.text.split("#[cfg(test)]").next().unwrap_or_default();
        let mut told: Vec<&str> = MARKS.iter().flat_map(|mark| code.split(mark).skip(1)).collect();
        if source.path == ARMS.0 {
            let arms = code.split_once(ARMS.1).expect("the phrases of reasons").1;
            told.extend(arms.split("=> ").skip(1));
        }
        let told = told.into_iter().filter_map(literal);
        let is_words = |text: &String| text.contains(|c: char| c.is_ascii_alphabetic());
        missing.extend(told.filter(is_words).filter(|text| !known.contains(text)).map(|text| (&source.path, text)));
    }
    missing.retain(|(path, _)| *path != "src/base/text/phrase.rs");
    assert!(missing.is_empty(), "{TRANSLATIONS} lacks {missing:#?}");
}
