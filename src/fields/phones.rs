//! Telephone numbers: countries, dialling codes, and which numbers can exist. All data about countries is Google's,
//! from a crate.

use std::sync::LazyLock;

use rlibphonenumber::{PHONE_NUMBER_UTIL, Region};

/// A country that has telephone numbers.
pub struct Country {
    /// ISO 3166-1 alpha-2.
    pub id: &'static str,
    /// English short name.
    pub name: &'static str,
    /// Without the plus sign.
    pub dialing_code: String,
}

static COUNTRIES: LazyLock<Vec<Country>> = LazyLock::new(|| {
    let mut countries: Vec<Country> = rust_iso3166::ALL
        .iter()
        .filter_map(|country| {
            let code = PHONE_NUMBER_UTIL.get_country_code_for_region(region(country.alpha2)?)?;
            Some(Country { id: country.alpha2, name: country.name, dialing_code: code.to_string() })
        })
        .collect();
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

/// The country of a number that begins with a plus and a dialling code.
pub fn country_of(typed: &str) -> Option<&'static str> {
    let parsed = PHONE_NUMBER_UTIL.parse(typed, None).ok()?;
    let region = PHONE_NUMBER_UTIL.get_region_for_number(&parsed);
    let region = region.or_else(|| {
        // A possible number that is not assigned.
        PHONE_NUMBER_UTIL.get_region_for_country_code(parsed.country_code)
    })?;
    let is_there = |country: &&Country| self::region(country.id) == Some(region);
    COUNTRIES.iter().find(is_there).map(|country| country.id)
}

fn region(id: &str) -> Option<Region> {
    id.parse().ok()
}

/// A number in its stored form, the local digits; `None` if no such number can exist in the country. The input may have
/// the usual separators, and the country's dialling code after a plus.
pub fn local_number(country: &Country, typed: &str) -> Option<String> {
    // Letters and what follows them are an extension, which is not part of the number.
    let is_foreign = |c: char| c.is_alphabetic() || matches!(c, '#' | '*' | ',' | ';');
    if typed.contains(is_foreign) {
        return None;
    }
    let region = region(country.id)?;
    let parsed = PHONE_NUMBER_UTIL.parse(typed, Some(region)).ok()?;
    let same_country = parsed.country_code.to_string() == country.dialing_code;
    if !same_country || !PHONE_NUMBER_UTIL.is_possible_number(&parsed) {
        return None;
    }
    let national = rlibphonenumber::get_national_significant_number_owned(&parsed);
    // Keeps the national form, with a leading trunk zero. A dialling code is removed, whether typed as `+86`, `0086`
    // or, in North America, `1`.
    let separators = [' ', '-', '.', '(', ')', '/', '\u{a0}'];
    let digits: String = typed.chars().filter(|c| !separators.contains(c)).collect();
    let is_local = digits.strip_prefix('0') == Some(&national);
    Some(if is_local { digits } else { national })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_what_can_exist() {
        let local = |id: &str, typed: &str| local_number(country(id).expect("a country"), typed);
        assert_eq!(local("CN", "138 0013-8000").as_deref(), Some("13800138000"));
        assert_eq!(local("CN", "+86 13800138000").as_deref(), Some("13800138000"));
        assert_eq!(local("DE", "030 123456").as_deref(), Some("030123456"));
        assert_eq!(local("CN", "0086 13800138000").as_deref(), Some("13800138000"));
        assert_eq!(local("US", "1-202-555-0123").as_deref(), Some("2025550123"));
        assert_eq!(local("IT", "06 1234 5678").as_deref(), Some("0612345678"));
        assert_eq!(local("CN", "12"), None);
        assert_eq!(local("CN", "+1 2025550123"), None);
        assert_eq!(local("US", "call me"), None);
        assert_eq!(local("US", "202 555 0123 ext 5"), None);
        assert_eq!(local("US", "202 555 0123#5"), None);
        assert_eq!(country("GB").map(|c| c.dialing_code.as_str()), Some("44"));
        assert!(country("XX").is_none() && country("cn").is_none());
        assert!(countries().len() > 200);
    }
}
