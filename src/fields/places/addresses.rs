//! Postal addresses: their parts, the value that is stored, and the line that people read.

use serde::{Serialize, Serializer};

use crate::base::json::Json;
use AddressPart::{City, Country, Line1, Line2, PostalCode, State};

/// A part of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressPart {
    Line1,
    Line2,
    City,
    State,
    PostalCode,
    Country,
}

impl AddressPart {
    /// In the order of the spec.
    pub const ALL: [Self; 6] = [Line1, Line2, City, State, PostalCode, Country];

    /// Its name in values.
    pub const fn name(self) -> &'static str {
        match self {
            Line1 => "address_line1",
            Line2 => "address_line2",
            City => "city",
            State => "state",
            PostalCode => "postal_code",
            Country => "country",
        }
    }

    /// The names of all parts.
    pub fn names() -> [&'static str; 6] {
        Self::ALL.map(Self::name)
    }

    /// The part with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.name() == name)
    }
}

impl Serialize for AddressPart {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

/// An address as it is stored. A part that is missing or not a text is empty.
#[derive(Clone, Copy, Debug)]
pub struct PostalAddress<'v> {
    pub line1: &'v str,
    pub line2: &'v str,
    pub city: &'v str,
    pub state: &'v str,
    pub postal_code: &'v str,
    pub country: &'v str,
}

impl<'v> PostalAddress<'v> {
    /// Decodes a stored value.
    pub fn of(stored: &'v Json) -> Self {
        let [line1, line2, city, state, postal_code, country] =
            AddressPart::names().map(|name| stored[name].as_str().unwrap_or_default());
        Self { line1, line2, city, state, postal_code, country }
    }

    pub fn part(&self, part: AddressPart) -> &'v str {
        match part {
            Line1 => self.line1,
            Line2 => self.line2,
            City => self.city,
            State => self.state,
            PostalCode => self.postal_code,
            Country => self.country,
        }
    }
}

/// Countries that write addresses from the country down to the door, in their own script.
const LARGE_FIRST: [&str; 6] = ["CN", "TW", "HK", "MO", "JP", "KR"];

/// Countries that put the postal code before the city.
#[rustfmt::skip] // A set of codes is read by lines.
const CODE_FIRST: [&str; 40] = [
    "AD", "AT", "AX", "BA", "BE", "BG", "CH", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FO", "FR",
    "GL", "GR", "HR", "HU", "IS", "IT", "LI", "LT", "LU", "MC", "ME", "MK", "NL", "NO", "PL", "PT",
    "RO", "RS", "SE", "SI", "SK", "SM", "TR", "VA",
];

/// An address on one line, in the order of its country. Its state and its country are given by their names, not their
/// codes.
pub fn line(country: &str, address: &PostalAddress) -> String {
    let join = |between: &str, parts: &[AddressPart]| {
        let parts = parts.iter().map(|part| address.part(*part).trim());
        let filled: Vec<&str> = parts.filter(|text| !text.is_empty()).collect();
        filled.join(between)
    };
    let is_local = [City, Line1, Line2].into_iter().any(|part| address.part(part).chars().any(is_east_asian));
    if LARGE_FIRST.contains(&country) && is_local {
        let order = [Country, State, City, Line1, Line2, PostalCode];
        return join(" ", &order);
    }
    let town = if CODE_FIRST.contains(&country) {
        let town = join(" ", &[PostalCode, City]);
        with(town, &join("", &[State]), ", ")
    } else {
        let town = join(", ", &[City, State]);
        with(town, &join("", &[PostalCode]), " ")
    };
    let street = join(", ", &[Line1, Line2]);
    with(with(street, &town, ", "), &join("", &[Country]), ", ")
}

fn with(text: String, more: &str, between: &str) -> String {
    match (text.is_empty(), more.is_empty()) {
        (true, _) => more.to_owned(),
        (_, true) => text,
        _ => text + between + more,
    }
}

/// Ideographs, kana and Hangul.
fn is_east_asian(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_written_as_in_their_country() {
        let line = |country: &str, [line1, line2, city, state, postal_code, name]: [&'static str; 6]| {
            super::line(country, &PostalAddress { line1, line2, city, state, postal_code, country: name })
        };
        for (country, parts, expected) in [
            (
                "US",
                ["1 Main St", "Apt 2", "Springfield", "Illinois", "62701", "United States"],
                "1 Main St, Apt 2, Springfield, Illinois 62701, United States",
            ),
            (
                "DE",
                ["Am Markt 1", "", "Jena", "Thüringen", "07743", "Germany"],
                "Am Markt 1, 07743 Jena, Thüringen, Germany",
            ),
            (
                "CN",
                ["南京东路1号", "2楼", "上海", "上海市", "200001", "中国"],
                "中国 上海市 上海 南京东路1号 2楼 200001",
            ),
            (
                "CN",
                ["1 Nanjing Road", "", "Shanghai", "Shanghai", "200001", "China"],
                "1 Nanjing Road, Shanghai, Shanghai 200001, China",
            ),
            ("GB", ["", "", "", "", "SW1A 1AA", ""], "SW1A 1AA"),
            ("FR", ["", "", "", "", "", "France"], "France"),
            ("", ["x", "", "", "", "", ""], "x"),
        ] {
            assert_eq!(line(country, parts), expected);
        }
    }
}
