//! Rules of text kinds: length and pattern. The length is checked first, so that the pattern only sees texts of bounded
//! length.

use serde::Serialize;
use serde_json::json;

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::base::text;
use crate::base::text::texts::Texts;
use crate::fields::texts::pattern::{Cost, Pattern};

const MAX_LENGTH: usize = 100_000;

/// `min_length`, `max_length`, `pattern`, `pattern_message`.
#[derive(Serialize)]
pub struct TextRules {
    #[serde(skip_serializing_if = "Option::is_none")]
    min_length: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_length: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<Pattern>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern_message: Option<String>,
    /// Maximum length.
    #[serde(skip)]
    most: usize,
}

impl TextRules {
    /// Reads the four keys of a definition.
    pub fn read(reader: &mut Reader) -> Self {
        let mut length = |key, least| {
            let length = reader.opt_int(key, least..=MAX_LENGTH as i64);
            length.and_then(|length| usize::try_from(length).ok())
        };
        let (min_length, max_length) = (length("min_length", 0), length("max_length", 1));
        if let (Some(min), Some(max)) = (min_length, max_length)
            && min > max
        {
            reader.fault("max_length", Reason::LessThan("min_length"));
        }
        let mut most = max_length.unwrap_or(MAX_LENGTH);
        let pattern = Pattern::read(reader).and_then(|pattern| {
            let least = min_length.unwrap_or_default();
            let fits = pattern.fit(least, max_length, MAX_LENGTH);
            fits.map(|fits| most = fits).map_err(|fault| reader.fault("pattern", fault)).ok()?;
            Some(pattern)
        });
        Self { min_length, max_length, pattern, pattern_message: reader.opt_text("pattern_message", 500), most }
    }

    /// Texts that may fit where the samples of a kind don't; nothing without rules.
    pub fn examples(&self) -> Vec<Json> {
        const TEXTS: [&str; 6] = ["Ada Lovelace ", "AB12", "123456789012345678", "A1", "ab-12", "Ada"];
        if self.min_length.is_none() && self.max_length.is_none() && self.pattern.is_none() {
            return Vec::new();
        }
        let least = self.min_length.unwrap_or_default();
        let lengths = [least, 3, 4, 5, 6, 8, 10, 11, 12, 18];
        let whole = lengths.into_iter().filter(|length| (least.max(1)..=self.most).contains(length));
        whole
            .flat_map(|length| TEXTS.map(|text| json!(text.chars().cycle().take(length).collect::<String>())))
            .collect()
    }

    /// The stored text, or faults.
    pub fn parse(&self, raw: Json, at: &mut Issues) -> Json {
        let Some(clean) = clean_text(raw, at) else {
            return Json::Null;
        };
        let length = text::length(&clean);
        if length > self.most {
            at.push(Reason::TooLong { most: self.most });
            return Json::Null;
        }
        if let Some(min) = self.min_length.filter(|min| length < *min) {
            at.push(Reason::TooShort { least: min });
        }
        if let Some(pattern) = &self.pattern
            && !pattern.matches(&clean)
        {
            let owners = self.pattern_message.clone().map(Reason::Owners);
            at.push(owners.unwrap_or(Reason::WrongFormat));
        }
        Json::String(clean)
    }

    /// The cost of the pattern for one text.
    pub fn pattern_cost(&self) -> Cost {
        let pattern = self.pattern.as_ref();
        pattern.map_or_else(Cost::default, |pattern| pattern.cost(self.most))
    }

    /// The maximum length, for people.
    pub fn limits(&self, texts: &Texts) -> Option<String> {
        let min = self.min_length.filter(|min| *min > 1);
        texts.range("limit-characters", min, self.max_length)
    }

    /// The owner's description of the expected format.
    pub fn format_hint(&self) -> Option<&str> {
        self.pattern_message.as_deref().filter(|_| self.pattern.is_some())
    }

    /// The script that counts characters, if there is a limit.
    pub fn script(&self) -> Option<&'static str> {
        self.max_length.map(|_| "counter.js")
    }

    /// The most characters.
    pub const fn max_length(&self) -> Option<usize> {
        self.max_length
    }
}

/// The given text, cleaned (S46); `None` if it is blank, or is not a text, which is a fault.
pub fn clean_text(raw: Json, at: &mut Issues) -> Option<String> {
    let Json::String(raw) = raw else {
        at.push(Reason::MustBe(Expected::Text));
        return None;
    };
    let Some(clean) = text::clean(raw) else {
        at.push(Reason::Nul);
        return None;
    };
    (!text::is_blank(&clean)).then_some(clean)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;

    fn rules(own: Json) -> (TextRules, Vec<String>) {
        let mut at = Issues::new();
        let rules = TextRules::read(&mut Reader::new(own, &mut at));
        (rules, at.into_list().into_iter().map(|issue| issue.attribute).collect())
    }

    fn parse(own: Json, raw: Json) -> Result<Json, Vec<String>> {
        let mut at = Issues::new();
        let stored = rules(own).0.parse(raw, &mut at);
        let faults: Vec<String> = at.into_list().into_iter().map(|issue| issue.message()).collect();
        if faults.is_empty() { Ok(stored) } else { Err(faults) }
    }

    #[test]
    fn a_pattern_is_for_the_whole_value() {
        for (pattern, good, bad) in [
            ("a|b", "b", "ab"),
            ("a|bc|", "bc", "abc"),
            ("(?i)x", "X", "XX"),
            ("^a$", "a", "a\n"),
            ("(?m)^a$", "a", "a\na"),
            ("(?s)a.", "a\n", "a"),
            ("\\p{Han}+", "你好", "你x"),
        ] {
            assert_eq!(parse(json!({"pattern": pattern}), json!(good)), Ok(json!(good)), "{pattern}");
            assert_eq!(
                parse(json!({"pattern": pattern}), json!(bad)),
                Err(vec!["has the wrong format".to_owned()]),
                "{pattern}"
            );
        }
    }

    #[test]
    fn patterns_that_are_none_or_too_large_are_refused() {
        for bad in ["(", "a)|(b", "(?=a)", "(a)\\1", "\\", "\\p{Nonsense}", "((a{100}){100}){100}", "\\p{L}{1000}"] {
            assert_eq!(rules(json!({"pattern": bad})).1, ["pattern"], "{bad}");
        }
    }

    #[test]
    fn length_counts_what_is_kept() {
        let own = json!({"min_length": 2, "max_length": 3});
        for good in ["ab", "abc", "你好吗", "\u{1f44d}\u{1f3fd}"] {
            assert_eq!(parse(own.clone(), json!(good)), Ok(json!(good)));
        }
        assert_eq!(parse(own.clone(), json!("e\u{301}e\u{301}e\u{301}")), Ok(json!("ééé")));
        assert_eq!(parse(own.clone(), json!("a\u{8}\r\nb")), Ok(json!("a\nb")));
        // Blank text counts as none, however long it is.
        assert_eq!(parse(own.clone(), json!("     ")), Ok(Json::Null));
        assert_eq!(parse(own.clone(), json!("a\u{8}")), Err(vec!["is too short (at least 2 characters)".to_owned()]));
        assert_eq!(parse(own, json!("abcd")), Err(vec!["is too long (at most 3 characters)".to_owned()]));
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn no_pattern_is_too_much(
            pattern in prop::collection::vec(
                prop::sample::select(vec![
                    "(", ")", "(?:", "(?i)", "[", "]", "^", "-", "{3}", "{100}", "{2,}", "*", "+", "?", "|", ".", "\\",
                    "\\p{L}", "\\d", "\\b", "$", "a", "é", "(?P<x>", "\\1", "(?=",
                ]),
                0..24,
            ),
            text in ".{0,40}",
        ) {
            let (rules, faults) = rules(json!({"pattern": pattern.concat()}));
            prop_assert!(faults.len() <= 1, "{:?}", faults);
            rules.parse(json!(text), &mut Issues::new());
        }
    }
}
