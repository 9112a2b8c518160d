//! The people of an example: names, addresses and telephone numbers that nobody has.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::json;

use crate::base::json::Json;
use crate::ops::server::demo::chance::Chance;
use crate::ops::server::demo::recipe::Language;

static ENGLISH: LazyLock<Words> = LazyLock::new(|| read(include_str!("words/en.json")));
static CHINESE: LazyLock<Words> = LazyLock::new(|| read(include_str!("words/zh.json")));

fn read(text: &str) -> Words {
    serde_json::from_str(text).expect("the file is fixed, and a test reads it")
}

/// Parts of names and addresses.
#[derive(Deserialize)]
struct Words {
    /// Each with its letters in an email address.
    given: Vec<(String, String)>,
    family: Vec<(String, String)>,
    /// City, state and postal code.
    towns: Vec<(String, String, String)>,
    streets: Vec<String>,
}

/// A prime, so that each number leads to another pair of names.
const STEP: usize = 1009;

/// Somebody.
pub struct Person {
    pub name: String,
    pub mail: String,
    pub telephone: Json,
    pub home: Json,
}

/// The person with this number: another one for each number below some thousand.
pub fn person(language: Language, number: usize) -> Person {
    let words = match language {
        Language::English => &*ENGLISH,
        Language::Chinese => &*CHINESE,
    };
    let (given, family) = (words.given.len(), words.family.len());
    let pair = number * STEP % (given * family);
    let (given, family) = (&words.given[pair / family], &words.family[pair % family]);
    let mut chance = Chance::of(&format!("{} {}", given.1, family.1));
    let (city, state, postal_code) = chance.one_of(&words.towns).cloned().unwrap_or_default();
    let street = chance.one_of(&words.streets).cloned().unwrap_or_default();
    let house = chance.between(1, 96);
    match language {
        Language::English => Person {
            name: format!("{} {}", given.0, family.0),
            mail: format!("{}.{}@example.com", given.1, family.1),
            telephone: json!({"country_id": "IE", "number": format!("8{}{:07}", [3, 5, 6, 7, 9][chance.place(5)], chance.between(1_000_000, 9_999_999))}),
            home: json!({
                "address_line1": format!("{house} {street}"), "city": city, "state": state,
                "postal_code": postal_code, "country": "IE",
            }),
        },
        Language::Chinese => Person {
            name: format!("{}{}", family.0, given.0),
            mail: format!("{}.{}@example.com", family.1, given.1),
            telephone: json!({"country_id": "CN", "number": format!("13{}{:08}", chance.between(5, 9), chance.between(10_000_000, 99_999_999))}),
            home: json!({
                "address_line1": format!("{street}{house}号"), "city": city, "state": state,
                "postal_code": postal_code, "country": "CN",
            }),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn everybody_is_somebody_else() {
        for language in [Language::English, Language::Chinese] {
            let mails: HashSet<String> = (0..1_000).map(|number| person(language, number).mail).collect();
            assert_eq!(mails.len(), 1_000);
        }
        assert_eq!(person(Language::English, 0).mail, "ada.lovelace@example.com");
    }
}
