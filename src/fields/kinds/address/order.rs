//! The order of an address's parts in a country, or in the language of the page.

use serde_json::{Map, json};

use crate::base::json::Json;
use crate::fields::places::addresses::AddressPart::{self, City, Line1, Line2, PostalCode, State};

/// The parts besides the country, in the order of local custom.
pub type Order = [AddressPart; 5];

const AS_IN_AMERICA: Order = [Line1, Line2, City, State, PostalCode];
const CODE_FIRST: Order = [Line1, Line2, PostalCode, City, State];
const CITY_FIRST: Order = [City, Line1, Line2, PostalCode, State];
const FROM_LARGE_TO_SMALL: Order = [State, City, Line1, Line2, PostalCode];
const FROM_CODE_TO_SMALL: Order = [PostalCode, State, City, Line1, Line2];

/// Countries whose order is not `AS_IN_AMERICA`.
const ORDERS: [(&str, Order); 4] = [
    (
        "AD AL AM AR AT AX AZ BA BE BG BL BY CH CL CR CY CZ DE DK DO DZ EE ES ET FI FO FR GE GF GL GN GP GR GT HR \
         HT IL IS IT KG KW LA LI LT LU MA MC MD ME MF MG MK MN MQ MX NC NE NL NO PF PL PM PT PY RE RO RS SE SI SK \
         SM SN TJ TM TN TR UY UZ VA VE WF YT",
        CODE_FIRST,
    ),
    ("HU", CITY_FIRST),
    ("CN KR", FROM_LARGE_TO_SMALL),
    ("JP TW", FROM_CODE_TO_SMALL),
];

/// The order for a country; without one, that of the page's language.
pub fn order_of(country: Option<&str>, locale: &str) -> Order {
    let Some(country) = country.filter(|country| !country.is_empty()) else {
        return if locale == "zh-CN" { FROM_LARGE_TO_SMALL } else { AS_IN_AMERICA };
    };
    let found = ORDERS.iter().find(|(countries, _)| countries.split(' ').any(|one| one == country));
    found.map_or(AS_IN_AMERICA, |(_, order)| *order)
}

/// The orders for the script, by country: under an empty key the order without a country, under `*` that of all other
/// countries.
pub fn orders(locale: &str) -> String {
    let mut all: Map<String, Json> =
        ORDERS.iter().map(|(countries, order)| ((*countries).to_owned(), json!(order))).collect();
    all.insert(String::new(), json!(order_of(None, locale)));
    all.insert("*".to_owned(), json!(AS_IN_AMERICA));
    Json::Object(all).to_string()
}
