//! Sentences of the API as data: English words with gaps, and what fills them. They read as English; pages look the
//! words up in the language of their reader, and fill the same gaps.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value as Json;

/// English words, with `{}` where something is filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phrase {
    words: Cow<'static, str>,
    gaps: Vec<Gap>,
}

/// The content of a gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// A name or a number, which reads the same in each language.
    Data(String),
    /// Words of the service.
    Words(Phrase),
}

/// A phrase from English words and the contents of their gaps: texts and numbers are data, phrases are words.
macro_rules! phrase {
    ($words:literal $(, $gap:expr)* $(,)?) => {
        $crate::base::text::phrase::Phrase::filled($words, vec![$($crate::base::text::phrase::Gap::from($gap)),*])
    };
}
pub(crate) use phrase;

impl Phrase {
    /// Words without gaps.
    pub const fn plain(words: &'static str) -> Self {
        Self { words: Cow::Borrowed(words), gaps: Vec::new() }
    }

    pub fn filled(words: impl Into<Cow<'static, str>>, gaps: Vec<Gap>) -> Self {
        Self { words: words.into(), gaps }
    }

    /// Whether these are exactly these words, without gaps.
    pub fn is(&self, words: &str) -> bool {
        self.gaps.is_empty() && self.words == words
    }

    /// The text in another language, whose words `find` knows. Words that it does not know stay English.
    pub fn translated(&self, find: &dyn Fn(&str) -> Option<String>) -> String {
        let gaps: Vec<String> = self
            .gaps
            .iter()
            .map(|gap| match gap {
                Gap::Data(text) => text.clone(),
                Gap::Words(words) => words.translated(find),
            })
            .collect();
        fill(find(&self.words).as_deref().unwrap_or(&self.words), &gaps)
    }

    /// `[words, gap, …]`: a gap is a text, or a list like this one.
    pub fn to_json(&self) -> Json {
        let gaps = self.gaps.iter().map(|gap| match gap {
            Gap::Data(text) => Json::from(text.as_str()),
            Gap::Words(words) => words.to_json(),
        });
        Json::Array(std::iter::once(Json::from(&*self.words)).chain(gaps).collect())
    }

    /// The phrase of [`to_json`](Self::to_json); `None` of anything else.
    pub fn of_json(json: &Json) -> Option<Self> {
        let (words, gaps) = json.as_array()?.split_first()?;
        let gaps = gaps.iter().map(|gap| match gap {
            Json::String(text) => Some(Gap::Data(text.clone())),
            other => Self::of_json(other).map(Gap::Words),
        });
        Some(Self::filled(words.as_str()?.to_owned(), gaps.collect::<Option<_>>()?))
    }
}

/// Words with their gaps filled: `{}` takes the next text, `{2}` the second one. Words without gaps may have any braces.
fn fill(words: &str, gaps: &[String]) -> String {
    if gaps.is_empty() {
        return words.to_owned();
    }
    let (mut out, mut rest, mut next) = (String::new(), words, 0);
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let (name, behind) = after.split_once('}').unwrap_or((after, ""));
        let at = if name.is_empty() { next } else { name.parse().map_or(usize::MAX, |number: usize| number - 1) };
        next += usize::from(name.is_empty());
        out.push_str(gaps.get(at).map_or("", String::as_str));
        rest = behind;
    }
    out.push_str(rest);
    out
}

impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.translated(&|_| None))
    }
}

impl From<&'static str> for Phrase {
    fn from(words: &'static str) -> Self {
        Self::plain(words)
    }
}

impl From<String> for Phrase {
    fn from(words: String) -> Self {
        Self::filled(words, Vec::new())
    }
}

impl From<Phrase> for Gap {
    fn from(words: Phrase) -> Self {
        Self::Words(words)
    }
}

impl From<String> for Gap {
    fn from(text: String) -> Self {
        Self::Data(text)
    }
}

impl From<&str> for Gap {
    fn from(text: &str) -> Self {
        Self::Data(text.to_owned())
    }
}

/// Numbers are data.
macro_rules! numbers {
    ($($number:ty),*) => {
        $(impl From<$number> for Gap {
            fn from(number: $number) -> Self {
                Self::Data(number.to_string())
            }
        })*
    };
}
numbers!(i32, i64, u64, usize, f64);

#[cfg(test)]
mod tests {
    use super::*;

    fn both() -> Phrase {
        phrase!("may have at most {} {}", 7, Phrase::plain("choices"))
    }

    fn german(words: &str) -> Option<String> {
        let german = match words {
            "may have at most {} {}" => "{2}: höchstens {1}",
            "choices" => "Auswahl",
            _ => return None,
        };
        Some(german.to_owned())
    }

    #[test]
    fn gaps_are_filled_in_the_order_of_the_language() {
        assert_eq!(both().to_string(), "may have at most 7 choices");
        assert_eq!(both().translated(&german), "Auswahl: höchstens 7");
        assert_eq!(phrase!("names {}", "choices").translated(&german), "names choices");
    }

    #[test]
    fn braces_of_owners_are_no_gaps() {
        assert_eq!(Phrase::from("has {{field_1}} {}".to_owned()).to_string(), "has {{field_1}} {}");
        assert_eq!(phrase!("has {}", "{}").to_string(), "has {}");
    }

    #[test]
    fn phrases_are_stored_and_read_back() {
        let told = phrase!("holds {}, {}", phrase!("{} entries", 2), "a {b} \"c\"");
        assert_eq!(Phrase::of_json(&told.to_json()), Some(told));
        for other in [Json::Null, Json::from("words"), serde_json::json!([]), serde_json::json!(["a", 1])] {
            assert_eq!(Phrase::of_json(&other), None, "{other}");
        }
    }
}
