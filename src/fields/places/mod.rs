//! Places: countries, their states and provinces, and address formats. The data is ISO's, from a crate; names in a
//! form's language come from the locale files. Streets are not validated.

pub mod addresses;
pub mod phones;
pub mod postal_codes;

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::json;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::base::json::Json;
use crate::base::packed;
use crate::base::text::identity;
use crate::base::text::texts::{Texts, locales, texts};

/// Codes and names of all states, by country, sorted by name within each.
static STATES: LazyLock<String> =
    LazyLock::new(|| packed::text(include_bytes!(concat!(env!("OUT_DIR"), "/states.br"))));

/// A country or territory with a code of its own.
pub struct Country {
    /// ISO 3166-1 alpha-2.
    pub id: &'static str,
    /// English short name.
    pub name: &'static str,
    /// Its subdivisions; many small countries have none.
    pub states: Vec<Subdivision>,
}

/// A state, province or other subdivision of a country.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subdivision {
    /// ISO 3166-2: the country's code, a hyphen, and the state's.
    pub code: &'static str,
    /// In Latin letters, as written locally.
    pub name: &'static str,
}

static COUNTRIES: LazyLock<Vec<Country>> = LazyLock::new(|| {
    let mut states: HashMap<&str, Vec<Subdivision>> = HashMap::new();
    for (code, name) in STATES.lines().filter_map(|line| line.split_once('\t')) {
        let country = code.split('-').next().unwrap_or_default();
        states.entry(country).or_default().push(Subdivision { code, name });
    }
    let mut countries: Vec<Country> = rust_iso3166::ALL
        .iter()
        .map(|country| Country {
            id: country.alpha2,
            name: country.name,
            states: states.remove(country.alpha2).unwrap_or_default(),
        })
        .collect();
    countries.sort_by_key(|country| country.name);
    countries
});

/// All countries, sorted by name.
pub fn countries() -> &'static [Country] {
    &COUNTRIES
}

/// Finds a country by its code, which is case-sensitive.
pub fn country(id: &str) -> Option<&'static Country> {
    COUNTRIES.iter().find(|country| country.id == id)
}

/// The countries by the names that people use.
static CALLED: LazyLock<HashMap<String, &'static Country>> = LazyLock::new(|| {
    let mut called = HashMap::new();
    for country in COUNTRIES.iter() {
        called.entry(identity::of_text(country.id)).or_insert(country);
    }
    for country in COUNTRIES.iter() {
        let names = locales().into_iter().map(|locale| country.name_in(texts(locale)));
        for name in names.chain([country.name.to_owned()]) {
            called.entry(identity::of_text(&name)).or_insert(country);
        }
    }
    called
});

/// Finds a country as a person writes it: by its name in any language that has texts, or by its code.
pub fn country_called(typed: &str) -> Option<&'static Country> {
    CALLED.get(&identity::of_text(typed)).copied()
}

/// The position of each country in the order of each language; including countries with telephones but no ISO code.
static RANKS: LazyLock<HashMap<&'static str, HashMap<String, usize>>> = LazyLock::new(|| {
    let ranks = |locale| {
        let order = texts(locale).say("country-order");
        order.split_whitespace().zip(0..).map(|(id, rank)| (id.to_owned(), rank)).collect()
    };
    locales().into_iter().map(|locale| (locale, ranks(locale))).collect()
});

/// The place of a country in lists of a language.
pub fn rank(id: &str, words: &Texts) -> usize {
    let rank = RANKS.get(words.locale()).and_then(|ranks| ranks.get(id));
    rank.copied().unwrap_or(usize::MAX)
}

/// Codes and names of all countries in a language, in its order.
pub fn countries_in(words: &Texts) -> Vec<(&'static str, String)> {
    let mut countries: Vec<&Country> = COUNTRIES.iter().collect();
    countries.sort_by_cached_key(|country| rank(country.id, words));
    countries.into_iter().map(|country| (country.id, country.name_in(words))).collect()
}

/// The key by which a dictionary sorts a name in Latin letters: the letters without their marks.
fn latin_key(name: &str) -> String {
    let plain = |c: char| match c {
        'ø' => 'o',
        'đ' | 'ð' => 'd',
        'ł' => 'l',
        'ı' => 'i',
        other => other,
    };
    let letters = name.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase);
    letters.map(plain).collect::<String>().replace('æ', "ae").replace('ß', "ss")
}

/// Finds a state of any country by its full code.
pub fn state(code: &str) -> Option<&'static Subdivision> {
    country(code.split('-').next()?)?.state(code)
}

impl Country {
    /// Its state with this full code.
    pub fn state(&self, code: &str) -> Option<&Subdivision> {
        self.states.iter().find(|state| state.code == code)
    }

    /// Its name in a language.
    pub fn name_in(&self, words: &Texts) -> String {
        let own = words.find(&format!("country-{}", self.id));
        own.unwrap_or_else(|| self.name.to_owned())
    }

    /// Codes and names of its states in a language. Names in another script are sorted as in Latin letters, so those of
    /// China by pinyin.
    pub fn states_in(&self, words: &Texts) -> Vec<(&'static str, String)> {
        let key = |state: &&Subdivision| {
            let own = state.name_in(words);
            let is_latin = own.chars().next().is_some_and(|c| c < '\u{370}');
            latin_key(if is_latin { &own } else { state.name })
        };
        let mut states: Vec<&Subdivision> = self.states.iter().collect();
        states.sort_by_cached_key(key);
        states.into_iter().map(|state| (state.code, state.name_in(words))).collect()
    }

    /// Finds a state as a person writes it: by its code, with or without the country's, or by its name in any language
    /// that has texts.
    pub fn state_called(&self, typed: &str) -> Option<&Subdivision> {
        let typed = identity::of_text(typed);
        let is_named = |state: &Subdivision| {
            let mut names = locales().into_iter().map(|locale| state.name_in(texts(locale)));
            identity::of_text(state.name) == typed || names.any(|name| identity::of_text(&name) == typed)
        };
        let is_coded = |state: &Subdivision| {
            let code = identity::of_text(state.code);
            code == typed || code.split_once('-').is_some_and(|(_, own)| own == typed)
        };
        let mut states = self.states.iter();
        let coded = states.find(|state| is_coded(state));
        coded.or_else(|| self.states.iter().find(|state| is_named(state)))
    }
}

impl Subdivision {
    /// Its name in a language.
    pub fn name_in(&self, words: &Texts) -> String {
        let own = words.find(&format!("state-{}", self.code));
        own.unwrap_or_else(|| self.name.to_owned())
    }
}

/// The states of all countries by language, for page scripts: the name of a file, and `{"en": [["CN-AH", "Anhui"], …],
/// …}`. A language without names of its own is omitted.
pub fn lists() -> impl Iterator<Item = (String, Json)> {
    let divided = COUNTRIES.iter().filter(|country| !country.states.is_empty());
    divided.map(|country| {
        let names = |locale| json!(country.states_in(texts(locale)));
        let [first, others @ ..] = locales();
        let plain = names(first);
        let mut list = json!({});
        for locale in others {
            let own = names(locale);
            if own != plain {
                list[locale] = own;
            }
        }
        list[first] = plain;
        (format!("states-{}.json", country.id), list)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_countries_and_their_states() {
        assert!(countries().len() > 240);
        assert!(countries().iter().map(|country| country.states.len()).sum::<usize>() > 5000);
        let china = country("CN").expect("a country");
        assert!(china.state("CN-SH").is_some() && china.state("US-CA").is_none());
        assert!(country("HK").is_some_and(|country| country.states.is_empty()));
        assert!(country("cn").is_none() && state("CN").is_none() && state("").is_none());
        assert_eq!(state("US-CA").map(|state| state.name), Some("California"));
        for country in countries() {
            let mut seen = std::collections::HashSet::new();
            for state in &country.states {
                assert!(state.code.starts_with(country.id) && !state.name.is_empty());
                assert!(seen.insert(state.name), "{} stands twice", state.name);
            }
        }
    }

    #[test]
    fn countries_are_listed_as_the_language_sorts() {
        let names = |locale| -> Vec<String> {
            let listed = countries_in(texts(locale));
            assert_eq!(listed.len(), countries().len(), "{locale} lists each once");
            listed.into_iter().map(|(_, name)| name).collect()
        };
        let english = names("en");
        assert_eq!(english[..4], ["Afghanistan", "Åland Islands", "Albania", "Algeria"]);
        let mut sorted = english.clone();
        sorted.sort_by_cached_key(|name| latin_key(name));
        assert_eq!(english, sorted, "country-order is that of the names");
        let chinese = names("zh-CN");
        assert_eq!(chinese[..4], ["阿尔巴尼亚", "阿尔及利亚", "阿富汗", "阿根廷"]);
        assert_eq!(chinese.last().map(String::as_str), Some("中国香港"));
        for (locale, before, after) in [("en", "KI", "KW"), ("zh-CN", "KM", "CI")] {
            let rank = |id: &str| rank(id, texts(locale));
            assert!(rank(before) < rank("XK") && rank("XK") < rank(after), "{locale}");
        }
    }

    #[test]
    fn states_are_listed_whatever_marks_their_names_have() {
        let names = |id: &str, locale| -> Vec<String> {
            let states = country(id).map(|country| country.states_in(texts(locale)));
            states.unwrap_or_default().into_iter().map(|(_, name)| name).collect()
        };
        for locale in locales() {
            let french = names("FR", locale);
            let at = |name: &str| french.iter().position(|known| known == name);
            assert!(at("Hérault") < at("Ille-et-Vilaine"), "{french:?}");
            let mut sorted = french.clone();
            sorted.sort_by_cached_key(|name| latin_key(name));
            assert_eq!(french, sorted, "{locale}");
        }
        assert_eq!(names("CN", "zh-CN")[..2], ["安徽省", "北京市"]);
    }

    #[test]
    fn a_state_is_found_by_what_people_call_it() {
        let called = |id: &str, typed: &str| {
            let country = country(id).expect("a country");
            country.state_called(typed).map(|state| state.code)
        };
        assert_eq!(called("US", " california "), Some("US-CA"));
        assert_eq!(called("US", "ca"), Some("US-CA"));
        assert_eq!(called("US", "US-CA"), Some("US-CA"));
        assert_eq!(called("CN", "上海市"), Some("CN-SH"));
        assert_eq!(called("CN", "Shanghai"), Some("CN-SH"));
        assert_eq!(called("DE", "CA"), None);
        assert_eq!(called("HK", ""), None);
    }

    #[test]
    fn scripts_get_names_in_every_language_that_has_them() {
        let all: HashMap<String, Json> = lists().collect();
        let china = &all["states-CN.json"];
        assert_eq!(china["en"].as_array().map(Vec::len), Some(34));
        assert!(china["zh-CN"].to_string().contains("上海市"), "{china}");
        assert!(all["states-DE.json"]["zh-CN"].is_null());
        assert!(!all.contains_key("states-HK.json"));
    }
}
