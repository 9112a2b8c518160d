//! Text as it is kept (S46): NFC, no control characters but tab and newline; and as it is compared:
//! NFKC and full case folding.

use caseless::Caseless as _;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

/// What is said of text with NUL in it.
pub const NUL_FAULT: &str = "must not contain NUL characters";

/// The text as it is kept: CR LF becomes LF, other control characters go, NFC. `None` when it holds
/// NUL, which is a fault and never dropped in silence.
pub fn clean(text: String) -> Option<String> {
    if text
        .bytes()
        .all(|b| b == b'\n' || b == b'\t' || (0x20..0x7f).contains(&b))
    {
        return Some(text);
    }
    if text.contains('\0') {
        return None;
    }
    let kept: String = text
        .chars()
        .filter(|c| !c.is_control() || *c == '\n' || *c == '\t')
        .collect();
    match is_nfc_quick(kept.chars()) {
        IsNormalized::Yes => Some(kept),
        _ => Some(kept.nfc().collect()),
    }
}

/// The text as it is compared (contract section 4): NFKC, full case folding (`ß` = `ss`), NFKC.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfkc().default_case_fold().nfkc().collect()
}

/// Length as the contract counts it: Unicode scalar values.
pub fn length(text: &str) -> usize {
    text.chars().count()
}

/// Whether nothing but white space stands there.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_nfc_without_controls() {
        let clean = |text: &str| super::clean(text.to_owned());
        assert_eq!(clean("a\r\nb\tc\u{7}\u{85}"), Some("a\nb\tc".to_owned()));
        assert_eq!(clean("e\u{301}"), Some("é".to_owned()));
        assert_eq!(clean("a\0"), None);
        assert_eq!(clean(" 你好 "), Some(" 你好 ".to_owned()));
    }

    #[test]
    fn folds_width_case_and_ligatures() {
        assert_eq!(fold("Straße"), "strasse");
        assert_eq!(fold("ＡＢＣ１"), "abc1");
        assert_eq!(fold("ﬁ"), "fi");
        assert_eq!(fold("Abc"), "abc");
    }
}
