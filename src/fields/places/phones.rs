//! Telephone numbers: countries, dialling codes, which numbers can exist, and how they are written. All data about
//! countries is Google's, from a crate.

use std::sync::{LazyLock, OnceLock};

use rlibphonenumber::{NumberLengthType, PHONE_NUMBER_UTIL, PhoneNumber, PhoneNumberFormat, Region};

use crate::base::text;
use crate::base::text::texts::Texts;

/// Shorter numbers are taken where the country's plan knows them.
const SHORTEST: usize = 5;
/// Trunk prefixes of national numbers: in most countries, in those of the former Soviet Union, in Hungary, and in North
/// America.
const TRUNKS: [&str; 4] = ["0", "8", "06", "1"];
/// Countries with telephone numbers that ISO 3166-1 has no code for, by the one that others use.
const BESIDE_ISO: [(&str, &str); 1] = [("XK", "Kosovo")];

/// A country that has telephone numbers.
pub struct Country {
    /// ISO 3166-1 alpha-2.
    pub id: &'static str,
    /// English short name.
    pub name: &'static str,
    /// Without the plus sign.
    pub dialing_code: String,
    region: Region,
    /// The trunk prefix, dialled before a number within the country; computed on first use.
    trunk: OnceLock<Option<&'static str>>,
}

impl Country {
    /// The trunk prefix, dialled before a number within the country, such as `0`; `None` if there is none.
    fn trunk(&self) -> Option<&'static str> {
        let national = || {
            let example = PHONE_NUMBER_UTIL.get_example_number(self.region).ok()?;
            let number = national_part(&example);
            // The crate keeps the prefix itself to itself.
            TRUNKS.into_iter().find(|trunk| {
                let dialled = PHONE_NUMBER_UTIL.parse(format!("{trunk}{number}"), Some(self.region));
                dialled.is_ok_and(|dialled| national_part(&dialled) == number)
            })
        };
        *self.trunk.get_or_init(national)
    }

    /// Its name in a language.
    pub fn name_in(&self, words: &Texts) -> String {
        let own = words.find(&format!("country-{}", self.id));
        own.unwrap_or_else(|| self.name.to_owned())
    }
}

static COUNTRIES: LazyLock<Vec<Country>> = LazyLock::new(|| {
    let iso = rust_iso3166::ALL.iter().map(|country| (country.alpha2, country.name));
    let named = |(id, name): (&'static str, &'static str)| {
        let region: Region = id.parse().ok()?;
        let code = PHONE_NUMBER_UTIL.get_country_code_for_region(region)?;
        Some(Country { id, name, dialing_code: code.to_string(), region, trunk: OnceLock::new() })
    };
    let mut countries: Vec<Country> = iso.chain(BESIDE_ISO).filter_map(named).collect();
    countries.sort_by_key(|country| country.name);
    countries
});

/// All countries that have numbers, sorted by name.
pub fn countries() -> &'static [Country] {
    &COUNTRIES
}

/// Finds a country by its code, which is case-sensitive.
pub fn country(id: &str) -> Option<&'static Country> {
    COUNTRIES.iter().find(|country| country.id == id)
}

/// The country that a number names itself, by a plus or what is dialled for abroad: the nearest of those that share its
/// dialling code, else the one to which it belongs. `None` for a number without a dialling code.
pub fn country_of(typed: &str, near: &[&'static Country]) -> Option<&'static Country> {
    let is_international = text::fold(typed).trim_start().starts_with('+');
    let home = near.first().map(|country| country.region);
    let parsed = PHONE_NUMBER_UTIL.parse(typed, home.filter(|_| !is_international)).ok()?;
    let code = parsed.country_code.to_string();
    match near.iter().copied().find(|country| country.dialing_code == code) {
        Some(country) if is_international || near.first().is_some_and(|first| first.id != country.id) => Some(country),
        // Typed as it is dialled at home.
        Some(_) => None,
        None => {
            let region = PHONE_NUMBER_UTIL.get_region_for_number(&parsed);
            // A possible number that is not assigned.
            let region = region.or_else(|| PHONE_NUMBER_UTIL.get_region_for_country_code(parsed.country_code))?;
            COUNTRIES.iter().find(|country| country.region == region)
        }
    }
}

/// A number in its stored form: the digits that follow the dialling code from abroad; `None` if no such number can exist
/// in the country. The input may have the usual separators, the country's trunk prefix, or its dialling code after a
/// plus.
pub fn national_number(country: &Country, typed: &str) -> Option<String> {
    // Letters and what follows them are an extension, which is not part of the number.
    let is_foreign = |c: char| c.is_alphabetic() || matches!(c, '#' | '*' | ',' | ';');
    if typed.contains(is_foreign) {
        return None;
    }
    let parsed = PHONE_NUMBER_UTIL.parse(typed, Some(country.region)).ok()?;
    let is_possible = PHONE_NUMBER_UTIL.is_possible_number_with_reason(&parsed) == Ok(NumberLengthType::IsPossible);
    if !is_possible || parsed.country_code.to_string() != country.dialing_code {
        return None;
    }
    let number = national_part(&parsed);
    (number.len() >= SHORTEST || PHONE_NUMBER_UTIL.is_valid_number(&parsed)).then_some(number)
}

/// The digits that follow the dialling code.
fn national_part(number: &PhoneNumber) -> String {
    rlibphonenumber::get_national_significant_number_owned(number)
}

/// A stored number as it would be stored today: some were stored with the trunk prefix 0.
pub fn as_today<'n>(country_id: &str, number: &'n str) -> &'n str {
    let Some(bare) = number.strip_prefix('0') else {
        return number;
    };
    let national = country(country_id).and_then(|country| national_number(country, number));
    // In some countries, such as Italy, the 0 is part of the number.
    if national.as_deref() == Some(bare) { bare } else { number }
}

/// A stored number for people: `+49 1512 3456789`.
pub fn display_text(country_code: &str, number: &str) -> String {
    let plain = || format!("+{country_code} {number}");
    let Ok(parsed) = PHONE_NUMBER_UTIL.parse(format!("+{country_code}{number}"), None) else {
        return plain();
    };
    // A number that the country's plan reads otherwise is shown as it is.
    if national_part(&parsed) != number {
        return plain();
    }
    PHONE_NUMBER_UTIL.format(&parsed, PhoneNumberFormat::International).into_owned()
}

/// The ways to give a stored number exactly: as it is stored, as it is dialled within the country, and from abroad.
pub fn ways(country_id: &str, country_code: &str, number: &str) -> Vec<String> {
    let within = country(country_id).and_then(Country::trunk).map(|trunk| format!("{trunk}{number}"));
    [Some(number.to_owned()), within, Some(format!("+{country_code}{number}"))].into_iter().flatten().collect()
}

/// A typed search for a number, as one of its [`ways`]; part of one stays a part.
pub fn search_text(typed: &str, is_part: bool) -> String {
    let folded = text::fold(typed);
    let is_grouping = |c: char| c.is_whitespace() || matches!(c, '-' | '‐'..='―' | '(' | ')' | '.' | '/');
    let digits = folded.replace(is_grouping, "");
    if digits.is_empty() || is_part {
        return if digits.is_empty() { folded } else { digits };
    }
    let international = digits.strip_prefix("00").map(|rest| format!("+{rest}"));
    let whole = international.as_ref().unwrap_or(&digits);
    let parsed = whole.starts_with('+').then(|| PHONE_NUMBER_UTIL.parse(whole, None).ok()).flatten();
    parsed.map_or(digits, |parsed| format!("+{}{}", parsed.country_code, national_part(&parsed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_what_can_exist() {
        let national = |id: &str, typed: &str| national_number(country(id).expect("a country"), typed);
        for (id, typed, stored) in [
            ("CN", "138 0013-8000", "13800138000"),
            ("CN", "+86 13800138000", "13800138000"),
            ("CN", "0086 13800138000", "13800138000"),
            ("US", "1-202-555-0123", "2025550123"),
            // Where the country's plan has a trunk prefix, it is no part of the number.
            ("DE", "030 123456", "30123456"),
            ("DE", "0151 23456789", "15123456789"),
            ("DE", "15123456789", "15123456789"),
            ("DE", "+49 (0)151 23456789", "15123456789"),
            ("GB", "020 7946 0018", "2079460018"),
            ("RU", "8 912 345-67-89", "9123456789"),
            ("IT", "06 1234 5678", "0612345678"),
            ("XK", "043 123 456", "43123456"),
            // Short numbers that the plan knows.
            ("NU", "4012", "4012"),
        ] {
            assert_eq!(national(id, typed).as_deref(), Some(stored), "{id} {typed}");
        }
        for (id, typed) in [
            ("CN", "12"),
            ("DE", "12"),
            ("DE", "110"),
            ("DE", "1234"),
            ("DE", "1234567890123456"),
            // Only within a town.
            ("US", "5550123"),
            ("CN", "+1 2025550123"),
            ("US", "call me"),
            ("US", "202 555 0123 ext 5"),
            ("US", "202 555 0123#5"),
        ] {
            assert_eq!(national(id, typed), None, "{id} {typed}");
        }
        assert_eq!(country("GB").map(|c| c.dialing_code.as_str()), Some("44"));
        assert_eq!(country("XK").map(|c| c.dialing_code.as_str()), Some("383"));
        assert!(country("XX").is_none() && country("cn").is_none());
        assert!(countries().len() > 200);
    }

    #[test]
    fn a_number_names_its_country() {
        for (typed, near, found) in [
            ("+49 151 23456789", &[][..], Some("DE")),
            ("＋43 664 1234567", &["DE"], Some("AT")),
            ("0043 664 1234567", &["DE"], Some("AT")),
            ("+383 43 123 456", &["DE"], Some("XK")),
            ("+1 416 555 0123", &[], Some("CA")),
            // A dialling code that several countries share is that of the nearest.
            ("+1 416 555 0123", &["US"], Some("US")),
            ("+1 416 555 0123", &["DE", "US"], Some("US")),
            ("+49 151 23456789", &["DE"], Some("DE")),
            ("0151 23456789", &["DE"], None),
            ("0049 151 23456789", &["DE"], None),
            ("49 151 23456789", &["AT"], None),
            ("+999 123456", &["DE"], None),
            ("", &["DE"], None),
        ] {
            let near: Vec<_> = near.iter().map(|id| country(id).expect("a country")).collect();
            assert_eq!(country_of(typed, &near).map(|country| country.id), found, "{typed}");
        }
    }

    #[test]
    fn a_stored_trunk_prefix_is_left_out() {
        for (id, stored, today) in [
            ("DE", "030123456", "30123456"),
            ("DE", "30123456", "30123456"),
            ("GB", "02079460018", "2079460018"),
            ("IT", "0612345678", "0612345678"),
            ("CN", "13800138000", "13800138000"),
            // A text that is no longer a number stays.
            ("DE", "012", "012"),
            ("XX", "0123456", "0123456"),
        ] {
            assert_eq!(as_today(id, stored), today, "{id} {stored}");
        }
    }

    #[test]
    fn numbers_are_shown_as_they_are_dialled_from_abroad() {
        for (code, number, expected) in [
            ("49", "15123456789", "+49 1512 3456789"),
            ("86", "13800138000", "+86 138 0013 8000"),
            ("1", "2025550123", "+1 202-555-0123"),
            ("39", "0612345678", "+39 06 1234 5678"),
            ("49", "12", "+49 12"),
            ("49", "", "+49 "),
            ("", "", "+ "),
        ] {
            assert_eq!(display_text(code, number), expected);
        }
    }

    #[test]
    fn a_number_is_found_however_it_is_given() {
        let own = ways("DE", "49", "1701234567");
        for typed in [
            "1701234567",
            "0170 1234567",
            "0170/123-4567",
            "+49 170 1234567",
            "0049 170 1234567",
            "+49 (0) 170 1234567",
        ] {
            assert!(own.contains(&search_text(typed, false)), "{typed}");
        }
        for typed in ["170123456", "+43 170 1234567", "491701234567", "00170 1234567", "--", ""] {
            assert!(!own.contains(&search_text(typed, false)), "{typed}");
        }
        assert!(ways("US", "1", "2025550123").contains(&search_text("1 (202) 555-0123", false)));
        assert!(ways("RU", "7", "9123456789").contains(&search_text("8 912 345 67 89", false)));
        assert!(ways("HU", "36", "201234567").contains(&search_text("06 20 123 4567", false)));
        assert_eq!(ways("IT", "39", "0612345678"), ["0612345678", "+390612345678"]);
        for (part, digits) in [("0170 1", "01701"), ("+49 170", "+49170"), ("-", "-"), ("１７０", "170"), ("00", "00")]
        {
            assert_eq!(search_text(part, true), digits);
        }
    }
}
