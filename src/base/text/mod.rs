//! Text as it is stored (S46): NFC, no control characters except tab and newline; and as it is compared: NFKC and full
//! case folding.

pub mod identity;
pub mod phrase;
pub mod texts;
pub mod word_diff;

use std::borrow::Cow;
use std::fmt::Write as _;

use caseless::Caseless as _;
use icu_properties::CodePointSetData;
use icu_properties::props::DefaultIgnorableCodePoint;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

/// Unicode isolates around a name whose text direction may differ, for texts without markup.
const ISOLATE: char = '\u{2068}';
const ISOLATE_END: char = '\u{2069}';

/// A name for use inside a sentence.
pub fn isolated(name: &str) -> String {
    format!("{ISOLATE}{name}{ISOLATE_END}")
}

/// The text as it is stored: CR LF becomes LF, other control characters are removed, NFC. `None` if it contains NUL,
/// which is a fault and never dropped silently.
pub fn clean(text: String) -> Option<String> {
    if text.bytes().all(|b| b == b'\n' || b == b'\t' || (0x20..0x7f).contains(&b)) {
        return Some(text);
    }
    if text.contains('\0') {
        return None;
    }
    let kept: String = text.chars().filter(|c| !c.is_control() || *c == '\n' || *c == '\t').collect();
    match is_nfc_quick(kept.chars()) {
        IsNormalized::Yes => Some(kept),
        _ => Some(kept.nfc().collect()),
    }
}

/// The name of a file without directories, control characters and direction marks. Joiners stay where they join
/// something: Persian words and many emoji need them; so do tags, of which flags are made. `None` if nothing is left.
pub fn file_name(text: &str) -> Option<String> {
    let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String = name.chars().filter(|c| is_tag(*c) || !is_deceptive(*c)).collect();
    let is_joiner = |c: char| matches!(c, '\u{200c}' | '\u{200d}');
    let kept = kept.trim_matches(|c: char| c.is_whitespace() || is_joiner(c));
    kept.chars().any(|c| c != '.' && !is_joiner(c) && !is_tag(c)).then(|| kept.to_owned())
}

/// The text for terminals and logs: invisible characters that move the cursor, end the line or change the direction
/// are written as `\u202e`. JSON stays equivalent, since this is its own escape.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_deceptive) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_deceptive(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a String can't fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Control characters, direction marks, line and paragraph separators, and tags. Joiners are excluded, since some
/// scripts need them.
fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
        || is_tag(c)
}

fn is_tag(c: char) -> bool {
    ('\u{e0000}'..='\u{e007f}').contains(&c)
}

/// A line that begins with a capital letter.
pub fn capitalized(line: &str) -> String {
    let mut letters = line.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The text as it is compared (contract section 4): NFKC, full case folding (`ß` = `ss`), NFKC.
pub fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        let simple = rest.find(|c| !is_simple(c)).unwrap_or(rest.len());
        let (begin, complex) = rest.split_at(simple);
        // Complex characters may combine with the simple one before them, never with a simple one after them.
        let last = begin.char_indices().next_back().filter(|_| !complex.is_empty());
        let settled = last.map_or(simple, |(at, _)| at);
        let start = out.len();
        out.push_str(&rest[..settled]);
        out[start..].make_ascii_lowercase();
        if complex.is_empty() {
            return out;
        }
        let end = simple + complex.find(is_simple).unwrap_or(complex.len());
        out.extend(rest[settled..end].nfkc().default_case_fold().nfkc());
        rest = &rest[end..];
    }
}

/// Whether folding only lowers the ASCII letters of a text.
pub fn folds_simply(text: &str) -> bool {
    text.is_ascii() || text.chars().all(is_simple)
}

/// ASCII, and ideographs, which have no case and neither decompose nor combine with the character before them.
fn is_simple(c: char) -> bool {
    c.is_ascii() || ('\u{4e00}'..='\u{9fff}').contains(&c)
}

/// At most `max` bytes of a client's text, for repeating it in an answer.
pub fn shortened(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(max)])
}

/// The length in Unicode scalar values, as the contract counts it.
pub fn length(text: &str) -> usize {
    text.chars().count()
}

/// The blank of braille, which Unicode counts among the symbols.
const BRAILLE_BLANK: char = '\u{2800}';

/// Whether the text shows nothing: it is empty, or only blanks and invisible characters.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c == BRAILLE_BLANK || is_invisible(c))
}

/// Whether a character shows nothing by itself (Unicode's `Default_Ignorable_Code_Point`, which includes
/// `Bidi_Control`).
pub fn is_invisible(c: char) -> bool {
    !c.is_ascii() && CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;

    #[test]
    fn keeps_nfc_without_controls() {
        let clean = |text: &str| super::clean(text.to_owned());
        assert_eq!(clean("a\r\nb\tc\u{7}\u{85}"), Some("a\nb\tc".to_owned()));
        assert_eq!(clean("e\u{301}"), Some("é".to_owned()));
        assert_eq!(clean("a\0"), None);
        assert_eq!(clean(" 你好 "), Some(" 你好 ".to_owned()));
    }

    #[test]
    fn what_nobody_sees_is_blank() {
        for blank in [
            "",
            " \t\n",
            "\u{a0}\u{3000}",
            "\u{200b}",
            "\u{ad}",
            "\u{3164}",
            "\u{ffa0}",
            "\u{115f}\u{1160}",
            "\u{2800}\u{2800}",
            "\u{2060}",
            "\u{feff}",
            "\u{180e}",
            "\u{fe0f}",
            "\u{34f}",
            "\u{e0041}",
            "\u{202e} \u{200d}\u{2066}",
        ] {
            assert!(is_blank(blank), "{blank:?}");
        }
        for seen in ["a", ".", "\u{200b}a", "👩\u{200d}🚀", "雷", "\u{2801}", "\u{301}", "می\u{200c}خواهم"]
        {
            assert!(!is_blank(seen), "{seen:?}");
        }
    }

    #[test]
    fn names_of_files_lead_nowhere() {
        for (given, kept) in [
            ("a.png", Some("a.png")),
            ("../../etc/passwd", Some("passwd")),
            ("C:\\temp\\报告 1.pdf", Some("报告 1.pdf")),
            ("a\r\nSet-Cookie: x=1.txt", Some("aSet-Cookie: x=1.txt")),
            ("a\u{202e}gnp.exe", Some("agnp.exe")),
            (" \"quoted\" ", Some("\"quoted\"")),
            (".htaccess", Some(".htaccess")),
            ("..", None),
            ("a/", None),
            ("\u{200f} ", None),
            ("می\u{200c}خواهم.pdf", Some("می\u{200c}خواهم.pdf")),
            ("👩\u{200d}🚀 क्\u{200d}ष.png", Some("👩\u{200d}🚀 क्\u{200d}ष.png")),
            (
                "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}.gif",
                Some("🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}.gif"),
            ),
            ("a\u{202e}\u{200d}gnp\u{61c}.ex\u{206a}e\u{200b}", Some("a\u{200d}gnp.exe")),
            ("\u{200c}a\u{200d} ", Some("a")),
            ("\u{200d}..\u{200c}.", None),
            ("\u{200d}", None),
            ("\u{e0041}", None),
        ] {
            assert_eq!(file_name(given).as_deref(), kept, "{given:?}");
        }
    }

    #[test]
    fn what_is_not_seen_is_escaped() {
        for (given, shown) in [
            ("Ada 王 é 👩\u{200d}🚀", "Ada 王 é 👩\u{200d}🚀"),
            ("a\u{202e}b\u{2066}c", "a\\u202eb\\u2066c"),
            ("\u{1b}[2J\r\n\t\u{9b}\u{7f}", "\\u001b[2J\\u000d\\u000a\\u0009\\u009b\\u007f"),
            ("\u{200f}\u{61c}\u{2028}\u{feff}", "\\u200f\\u061c\\u2028\\ufeff"),
            ("\u{e0041}", "\\udb40\\udc41"),
        ] {
            assert_eq!(escaped(given), shown);
            let json = serde_json::to_string(given).expect("JSON");
            let back: String = serde_json::from_str(&escaped(&json)).expect("JSON");
            assert_eq!(back, given);
        }
    }

    #[test]
    fn folds_width_case_and_ligatures() {
        assert_eq!(fold("Straße"), "strasse");
        assert_eq!(fold("ＡＢＣ１"), "abc1");
        assert_eq!(fold("ﬁ"), "fi");
        assert_eq!(fold("Abc"), "abc");
    }

    fn slowly(text: &str) -> String {
        text.nfkc().default_case_fold().nfkc().collect()
    }

    #[test]
    fn what_folds_simply_folds_the_same() {
        let mut text = String::new();
        for c in ('\0'..='\u{ffff}').filter(|c| is_simple(*c)) {
            text.clear();
            text.extend([c]);
            assert_eq!(fold(&text), slowly(&text));
            text.extend(['a', c, c, 'Z', '王', c]);
            assert!(folds_simply(&text));
            assert_eq!(fold(&text), slowly(&text));
        }
        for odd in ["é", "ß", "　", "a\u{301}", "王\u{301}", "\u{f900}", "ｱ"] {
            assert!(!folds_simply(odd), "{odd}");
        }
    }

    #[test]
    fn every_character_folds_between_others_as_it_does_in_one_go() {
        for c in '\0'..='\u{1ffff}' {
            let text = format!("Ab{c}Cdé{c}\u{301}王{c}{c}E\u{301}{c}A\u{30a}\u{1161}{c}\u{11a8}");
            assert_eq!(fold(&text), slowly(&text), "{text:?}");
        }
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn texts_fold_as_they_do_in_one_go(
            text in r"([aZ王 ]|\p{M}|\p{L}|[\u{1100}-\u{11ff}\u{ac00}-\u{ac20}ßﬁＡ㎏é\u{345}]){0,12}",
        ) {
            prop_assert_eq!(fold(&text), slowly(&text));
        }
    }
}
