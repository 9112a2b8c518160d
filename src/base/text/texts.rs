//! Localized texts: `assets/locales/*.ftl` in the Fluent format, compiled in; and the words of the API's phrases, which
//! are their own names (`phrases.zh-CN.txt`).

use std::collections::HashMap;
use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use fluent_langneg::{LanguageIdentifier, NegotiationStrategy, negotiate_languages};

use crate::base::packed;
use crate::base::text::phrase::Phrase;

const SOURCES: [(&str, &[u8]); 2] = [
    ("en", include_bytes!(concat!(env!("OUT_DIR"), "/en.br"))),
    ("zh-CN", include_bytes!(concat!(env!("OUT_DIR"), "/zh-CN.br"))),
];

/// The phrases of the API in the languages that are not theirs: each English line with its translation in the next one.
const PHRASES: [(&str, &[u8]); 1] = [("zh-CN", include_bytes!(concat!(env!("OUT_DIR"), "/phrases.zh-CN.br")))];

/// The arguments that say how many there are. Others name something, such as the number of an entry.
const COUNTS: [&str; 5] = ["all", "count", "done", "limit", "total"];

/// Marks at the end of a label that stand for a colon, before a blank, and those that are as wide as one with it.
const MARKS: [char; 4] = ['?', '!', ':', '…'];
const WIDE_MARKS: [char; 4] = ['？', '！', '：', '。'];

/// The blank after a label that ends in a mark of its own; `None` for any other label.
pub fn own_mark(label: &str) -> Option<&'static str> {
    let label = label.trim_end_matches(|c: char| c.is_whitespace() || c == '\u{2069}');
    if label.ends_with(WIDE_MARKS) {
        return Some("");
    }
    label.ends_with(MARKS).then_some(" ")
}

/// The texts of one language.
pub struct Texts {
    locale: &'static str,
    bundle: FluentBundle<FluentResource>,
    /// By the English words.
    phrases: HashMap<String, String>,
}

static ALL: OnceLock<Vec<Texts>> = OnceLock::new();

/// The available languages, as BCP 47 tags. The first is the fallback.
pub fn locales() -> [&'static str; 2] {
    SOURCES.map(|(locale, _)| locale)
}

/// Whether texts exist in the language of a locale, whatever its region.
pub fn is_available(locale: &str) -> bool {
    let language = |tag: &str| tag.parse::<LanguageIdentifier>().ok().map(|id| id.language);
    let wanted = language(locale);
    locales().into_iter().any(|it| language(it) == wanted)
}

/// The texts that match a locale (`zh-CN`) or the value of an `Accept-Language` header best; English if none does.
pub fn texts(wanted: &str) -> &'static Texts {
    let all = ALL.get_or_init(|| SOURCES.into_iter().map(Texts::load).collect());
    let wanted = fluent_langneg::parse_accepted_languages(wanted);
    let known: Vec<LanguageIdentifier> = all.iter().filter_map(|t| t.locale.parse().ok()).collect();
    negotiate_languages(&wanted, &known, known.first(), NegotiationStrategy::Lookup)
        .first()
        .and_then(|found| known.iter().position(|id| id == *found))
        .map_or(&all[0], |at| &all[at])
}

impl Texts {
    fn load((locale, source): (&'static str, &[u8])) -> Self {
        let resource = FluentResource::try_new(packed::text(source)).unwrap_or_else(|(resource, faults)| {
            // A test parses every file, so this does not happen in a tested build.
            tracing::error!(locale, ?faults, "locale file has faults");
            resource
        });
        let mut bundle = FluentBundle::new_concurrent(locale.parse().into_iter().collect::<Vec<_>>());
        bundle.set_formatter(Some(|value, _| match value {
            FluentValue::Number(number) if number.value.fract() == 0.0 => Some(grouped(number.value as i64)),
            _ => None,
        }));
        // Isolation marks would get into attribute values and page titles; pages isolate with <bdi>.
        bundle.set_use_isolating(false);
        if let Err(faults) = bundle.add_resource(resource) {
            tracing::error!(locale, ?faults, "locale file names a text twice");
        }
        let of_locale = PHRASES.iter().find(|(known, _)| *known == locale);
        let phrases = of_locale.map(|(_, source)| phrases(&packed::text(source))).unwrap_or_default();
        Self { locale, bundle, phrases }
    }

    /// The BCP 47 tag.
    pub fn locale(&self) -> &'static str {
        self.locale
    }

    /// The locale if it differs from that of these texts: content in it needs a `lang` attribute.
    pub fn other<'l>(&self, locale: &'l str) -> Option<&'l str> {
        (locale != self.locale).then_some(locale)
    }

    /// A text without arguments.
    pub fn say(&self, id: &str) -> String {
        self.fill(id, &[])
    }

    /// A text that may be missing, such as one whose id depends on data.
    pub fn find(&self, id: &str) -> Option<String> {
        self.bundle.has_message(id).then(|| self.say(id))
    }

    /// A phrase of the API in this language. Types of questions are called as they are everywhere.
    pub fn phrase(&self, phrase: &Phrase) -> String {
        if self.phrases.is_empty() {
            return phrase.to_string();
        }
        phrase.translated(&|words| {
            let is_name = || words.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
            let known = self.phrases.get(words).cloned();
            known.or_else(|| is_name().then(|| self.find(&format!("kind-{words}")))?)
        })
    }

    /// A range of numbers: the text `{id}-from-to`, `{id}-from` or `{id}-to`, or `{id}-just` if both are equal.
    pub fn range(&self, id: &str, from: Option<usize>, to: Option<usize>) -> Option<String> {
        let number = |number: usize| FluentValue::from(i64::try_from(number).unwrap_or(i64::MAX));
        Some(match (from, to) {
            (None, None) => return None,
            (Some(a), Some(b)) if a == b => self.fill(&format!("{id}-just"), &[("a", number(a))]),
            (Some(a), Some(b)) => self.fill(&format!("{id}-from-to"), &[("a", number(a)), ("b", number(b))]),
            (Some(a), None) => self.fill(&format!("{id}-from"), &[("a", number(a))]),
            (None, Some(b)) => self.fill(&format!("{id}-to"), &[("b", number(b))]),
        })
    }

    /// A label before its text: `Total: €5`. A label that ends in a mark of its own gets no colon: `Anything else? No`.
    pub fn labelled(&self, label: &str, text: &str) -> String {
        format!("{label}{}{text}", self.colon(label))
    }

    /// The sign between this label and its text.
    pub fn colon(&self, label: &str) -> String {
        own_mark(label).map_or_else(|| self.say("label-colon"), str::to_owned)
    }

    /// `a, b and c`; `None` for no items.
    pub fn all_of(&self, items: &[String]) -> Option<String> {
        self.listed("list-and", items)
    }

    /// `a, b or c`; `None` for no items.
    pub fn any_of(&self, items: &[String]) -> Option<String> {
        self.listed("list-or", items)
    }

    /// Like [`any_of`](Self::any_of), for names in Latin letters, which some scripts separate with spaces.
    pub fn any_of_latin(&self, items: &[String]) -> Option<String> {
        self.listed("list-or-latin", items)
    }

    fn listed(&self, id: &str, items: &[String]) -> Option<String> {
        let (last, others) = items.split_last()?;
        if others.is_empty() {
            return Some(last.clone());
        }
        let others = others.join(&self.say("list-between"));
        let args = [("a", others.into()), ("b", last.as_str().into())];
        Some(self.fill(id, &args))
    }

    /// A text with arguments: `texts.fill("too-long", &[("max", 10.into())])`.
    pub fn fill<'a>(&self, id: &str, args: &[(&'a str, FluentValue<'a>)]) -> String {
        let Some(pattern) = self.bundle.get_message(id).and_then(|message| message.value()) else {
            tracing::error!(id, locale = self.locale, "no such text");
            return id.to_owned();
        };
        // A text is written as it is. Small numbers stay numbers: messages choose words by them.
        let arg = |(key, value): &(&'a str, FluentValue<'a>)| match value {
            FluentValue::Number(number) if number.value.abs() >= 1000.0 && !COUNTS.contains(key) => {
                (*key, FluentValue::from(number.as_string().into_owned()))
            }
            _ => (*key, value.clone()),
        };
        let args: FluentArgs = args.iter().map(arg).collect();
        let mut faults = Vec::new();
        self.bundle.format_pattern(pattern, Some(&args), &mut faults).into_owned()
    }
}

/// The translations by their English words. Lines that begin with `#`, and empty ones, stand between the pairs.
fn phrases(source: &str) -> HashMap<String, String> {
    let mut lines = source.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    std::iter::from_fn(|| Some((lines.next()?.to_owned(), lines.next()?.trim_start().to_owned()))).collect()
}

/// A number of things with its thousands apart, as all languages here write it: `12,480`.
pub fn grouped(count: i64) -> String {
    let digits = count.unsigned_abs().to_string();
    let mut out = if count < 0 { "-".to_owned() } else { String::new() };
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::base::text::phrase::phrase;

    #[test]
    fn every_language_has_every_text() {
        let ids = |source: &[u8]| -> BTreeSet<String> {
            let source = packed::text(source);
            FluentResource::try_new(source.clone()).expect("parses");
            source
                .lines()
                .filter_map(|line| line.split_once(" ="))
                .map(|(id, _)| id.to_owned())
                .filter(|id| !id.starts_with([' ', '#', '-']))
                .collect()
        };
        let english = ids(SOURCES[0].1);
        for (locale, source) in SOURCES {
            assert_eq!(ids(source), english, "{locale}");
        }
    }

    #[test]
    fn phrases_are_said_in_the_language_of_their_reader() {
        let told = phrase!("names {}, but a {} has no score", "field_2", Phrase::plain("attachment"));
        assert_eq!(texts("en").phrase(&told), "names field_2, but a attachment has no score");
        assert_eq!(texts("zh-CN").phrase(&told), "field_2 没有分数：题型为文件上传");
        assert_eq!(texts("zh-CN").phrase(&Phrase::plain("stays as it is")), "stays as it is");
    }

    #[test]
    fn counts_have_their_thousands_apart_and_names_do_not() {
        for (count, shown) in [(0, "0"), (999, "999"), (1000, "1,000"), (-12480, "-12,480"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(count), shown);
        }
        for (locale, shown) in [("en", "12,480 entries"), ("zh-CN", "12,480 条数据")] {
            assert_eq!(texts(locale).fill("entries-count", &[("count", 12_480.into())]), shown);
        }
        assert_eq!(texts("en").fill("entries-count", &[("count", 1.into())]), "1 entry");
        assert_eq!(texts("en").fill("entries-entry", &[("serial", 12_480.into())]), "Entry 12480");
    }

    #[test]
    fn a_label_that_asks_has_no_colon() {
        for (locale, label, shown) in [
            ("en", "Total", "Total: 5"),
            ("en", "Anything else?", "Anything else? 5"),
            ("en", "\u{2068}Your age:\u{2069}", "\u{2068}Your age:\u{2069} 5"),
            ("zh-CN", "合计", "合计：5"),
            ("zh-CN", "还有吗？", "还有吗？5"),
        ] {
            assert_eq!(texts(locale).labelled(label, "5"), shown);
        }
    }

    #[test]
    fn lists_are_spaced_as_their_script_is() {
        let items = |items: &[&str]| -> Vec<String> { items.iter().map(|item| (*item).to_owned()).collect() };
        let chinese = texts("zh-CN");
        let domains = chinese.any_of_latin(&items(&["a.org", "b.org", "c.org"]));
        assert_eq!(domains.as_deref(), Some("a.org、b.org 或 c.org"));
        let countries = chinese.any_of(&items(&["德国", "奥地利"]));
        assert_eq!(countries.as_deref(), Some("德国或奥地利"));
    }

    #[test]
    fn negotiates() {
        assert_eq!(texts("zh-CN").locale(), "zh-CN");
        assert_eq!(texts("zh").locale(), "zh-CN");
        assert_eq!(texts("fr, en;q=0.5").locale(), "en");
        assert_eq!(texts("nonsense!").locale(), "en");
    }

    #[test]
    fn knows_which_locales_have_words() {
        for locale in ["en", "en-GB", "zh-CN", "zh-TW", "zh"] {
            assert!(is_available(locale), "{locale}");
            assert_eq!(texts(locale).locale()[..2], locale[..2]);
        }
        for locale in ["de", "ar", "x", ""] {
            assert!(!is_available(locale), "{locale}");
        }
        assert_eq!(texts("de").other("de"), Some("de"));
        assert_eq!(texts("en").other("en"), None);
    }
}
