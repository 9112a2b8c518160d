//! An address that is written in one cell: `Marienplatz 1, 80331 München`.

use serde_json::{Map, json};

use crate::base::json::Json;
use crate::base::text::identity;
use crate::fields::places::addresses::AddressPart;
use crate::fields::places::{self, Country};

/// Reads an address in its write shape. `None` unless `text` writes the parts that were found in the same way again:
/// uncertain parts are not guessed.
pub fn read(typed: &str, default_country: Option<&str>, text: impl Fn(&Json) -> String) -> Option<Json> {
    let mut lines: Vec<&str> = typed.split([',', '\n']).map(str::trim).filter(|line| !line.is_empty()).collect();
    let named = lines.last().and_then(|last| places::country_called(last));
    if named.is_some() {
        lines.pop();
    }
    let country = named.or_else(|| default_country.and_then(places::country));
    let ways = [code_first(&lines, country), code_last(&lines, country)];
    ways.into_iter().flatten().find_map(|given| {
        let part = |part: AddressPart| given.iter().find(|(known, _)| *known == part).map(|(_, text)| text.as_str());
        let value = AddressPart::ALL.map(|own| {
            let text = if own == AddressPart::Country { country.map(|country| country.id) } else { part(own) };
            (own.name().to_owned(), json!(text))
        });
        let value = Json::Object(Map::from_iter(value));
        let shown = same(&text(&value));
        // The country comes last, and an address within the form's country names none.
        let rest = shown.strip_prefix(&same(&lines.join(" ")))?.trim();
        let is_sure = places::country_called(rest).map(|it| it.id) == country.map(|it| it.id);
        (is_sure && part(AddressPart::Line1).is_some() && part(AddressPart::City).is_some()).then_some(value)
    })
}

/// Digits that a postal code has at least, so that `4th floor` is none.
const SHORTEST_CODE: usize = 3;

type WrittenParts = Vec<(AddressPart, String)>;

/// Street, postal code and city: `Marienplatz 1, 80331 München`.
fn code_first(lines: &[&str], country: Option<&Country>) -> Option<WrittenParts> {
    let (last, before) = lines.split_last()?;
    let state = country.and_then(|country| country.state_called(last)).filter(|_| before.len() > 1);
    let (town, street) = if state.is_some() { before.split_last()? } else { (last, before) };
    let words: Vec<&str> = town.split_whitespace().collect();
    let has_digit = |word: &&&str| word.contains(|c: char| c.is_ascii_digit());
    let mut count = words.iter().take_while(has_digit).count();
    // `1012 AB Amsterdam`
    let is_suffix = |word: &&str| word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_uppercase());
    count += usize::from(count > 0 && words.get(count).is_some_and(is_suffix));
    if count == 0 || count == words.len() {
        return None;
    }
    let mut given = streets(street);
    given.push((AddressPart::PostalCode, words[..count].join(" ")));
    given.push((AddressPart::City, words[count..].join(" ")));
    given.extend(state.map(|state| (AddressPart::State, state.code.to_owned())));
    Some(given)
}

/// Street, city, state and postal code: `1 Main St, Springfield, IL 62701`.
fn code_last(lines: &[&str], country: Option<&Country>) -> Option<WrittenParts> {
    let (last, before) = lines.split_last()?;
    let words: Vec<&str> = last.split_whitespace().collect();
    let has_digit = |word: &&&str| word.contains(|c: char| c.is_ascii_digit());
    let count = words.iter().rev().take_while(has_digit).count();
    let (rest, code) = words.split_at(words.len() - count);
    let rest = rest.join(" ");
    let state = country.and_then(|country| country.state_called(&rest));
    let (city, street) = match state {
        Some(_) => before.split_last().map(|(city, street)| ((*city).to_owned(), street))?,
        None => (rest, before),
    };
    // A line such as `80331 München` is no street, and no city either.
    let begins_with_code = |line: &str| line.bytes().take_while(u8::is_ascii_digit).count() >= SHORTEST_CODE;
    if city.is_empty() || street.iter().skip(1).copied().chain([city.as_str()]).any(begins_with_code) {
        return None;
    }
    let mut given = streets(street);
    given.push((AddressPart::City, city));
    given.extend(state.map(|state| (AddressPart::State, state.code.to_owned())));
    if !code.is_empty() {
        given.push((AddressPart::PostalCode, code.join(" ")));
    }
    Some(given)
}

fn streets(lines: &[&str]) -> WrittenParts {
    let Some((first, more)) = lines.split_first() else {
        return Vec::new();
    };
    let mut given = vec![(AddressPart::Line1, (*first).to_owned())];
    if !more.is_empty() {
        given.push((AddressPart::Line2, more.join(", ")));
    }
    given
}

/// The form in which two ways of writing an address are compared: lines, commas and blanks make no difference.
fn same(text: &str) -> String {
    let text = identity::of_text(text);
    text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
