//! Prices: exact decimals, never floats. JSON numbers are read from their text.

use icu_decimal::DecimalFormatter;
use icu_decimal::input::Decimal as Digits;
use icu_locale_core::Locale;
use iso_currency::Currency;
use rust_decimal::{Decimal, RoundingStrategy};
use serde::{Serialize, Serializer};
use serde_json::json;

use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Things};

/// More than any currency has, and few enough that JSON numbers hold every price exactly.
pub const MAX_DECIMALS: u32 = 4;
const MAX_PRICE: i64 = 999_999_999;

/// A price in a definition, shown as a JSON number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price(Decimal);

impl Price {
    pub const fn amount(self) -> Decimal {
        self.0
    }

    /// Reads a price: a number or a numeric text (`"12.50"`).
    pub fn read(reader: &mut Reader, key: &str) -> Option<Self> {
        reader.note(key, || {
            // A number or a numeric text.
            json!({"type": ["number", "string"], "minimum": 0, "maximum": MAX_PRICE, "pattern": r"^\d+(\.\d+)?$"})
        });
        let raw = reader.raw(key)?;
        let Some(amount) = decimal(&raw) else {
            reader.fault(key, Reason::MustBe(Expected::Number));
            return None;
        };
        if amount.is_sign_negative() || amount > Decimal::from(MAX_PRICE) {
            reader.fault(key, Reason::between(0, MAX_PRICE));
            return None;
        }
        if amount.scale() > MAX_DECIMALS {
            reader.fault(key, Reason::too_many(MAX_DECIMALS, Things::Other("decimals")));
            return None;
        }
        Some(Self(amount))
    }
}

impl Serialize for Price {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to_json(self.0).serialize(to)
    }
}

/// The decimal value of a JSON number or a text of digits, without trailing zeros.
pub fn decimal(raw: &Json) -> Option<Decimal> {
    let text = match raw {
        // The shortest text of the number: as written, but without trailing zeros.
        Json::Number(number) => number.to_string(),
        Json::String(text) => text.clone(),
        _ => return None,
    };
    let plain = |c: u8| c.is_ascii_digit() || c == b'.' || c == b'-';
    let found = if raw.is_number() && text.contains(['e', 'E']) {
        Decimal::from_scientific(&text).ok()?
    } else {
        let edges = text.starts_with('.') || text.ends_with('.');
        if edges || !text.bytes().all(plain) {
            return None;
        }
        Decimal::from_str_exact(&text).ok()?
    };
    let found = found.normalize();
    // A price of minus zero becomes zero.
    Some(if found.is_zero() { Decimal::ZERO } else { found })
}

/// A decimal as a JSON number: `5`, `12.5`.
pub fn to_json(amount: Decimal) -> Json {
    let amount = amount.normalize();
    let text = amount.to_string();
    match (amount.scale(), text.parse::<i64>(), text.parse::<f64>()) {
        (0, Ok(whole), _) => Json::from(whole),
        (_, _, Ok(float)) => Json::from(float),
        _ => Json::Null,
    }
}

/// Whether a text is a currency code of ISO 4217.
pub fn is_currency(code: &str) -> bool {
    Currency::from_code(code).is_some()
}

/// The decimals that prices of a currency are shown with (ISO 4217).
pub fn decimals(currency: &str) -> u32 {
    let exponent = Currency::from_code(currency).and_then(Currency::exponent);
    exponent.map_or(2, u32::from)
}

/// An amount in whole minor units of a currency; half of one is rounded up.
pub fn rounded(amount: Decimal, currency: &str) -> Decimal {
    let up = RoundingStrategy::MidpointAwayFromZero;
    amount.round_dp_with_strategy(decimals(currency), up).normalize()
}

/// An amount in the digits and separators of a locale, with at least the decimals of its currency.
pub fn show(amount: Decimal, currency: &str, locale: &str) -> String {
    let mut amount = amount.normalize();
    amount.rescale(amount.scale().max(decimals(currency)));
    let plain = amount.to_string();
    let shown = || {
        let locale: Locale = locale.parse().ok()?;
        let formatter = DecimalFormatter::try_new(locale.into(), Default::default()).ok()?;
        let digits: Digits = plain.parse().ok()?;
        Some(formatter.format(&digits).to_string())
    };
    shown().unwrap_or(plain)
}

/// A price for people, with the currency's sign: `€15.50`, `15,50 €`.
pub fn price(amount: Decimal, currency: &str, locale: &str) -> String {
    with_sign(&show(amount, currency, locale), currency, locale)
}

/// The same for a price that was stored as a float.
pub fn price_of(amount: f64, currency: &str, locale: &str) -> String {
    price(exact(amount), currency, locale)
}

/// The decimal number that a float was stored for.
pub fn exact(amount: f64) -> Decimal {
    decimal(&json!(amount)).unwrap_or_default()
}

/// Unambiguous currency signs, as in CLDR's root locale.
const SIGNS: [(&str, &str); 23] = [
    ("AUD", "A$"),
    ("BRL", "R$"),
    ("CAD", "CA$"),
    ("CNY", "CN¥"),
    ("EUR", "€"),
    ("GBP", "£"),
    ("HKD", "HK$"),
    ("ILS", "₪"),
    ("INR", "₹"),
    ("JPY", "JP¥"),
    ("KRW", "₩"),
    ("MXN", "MX$"),
    ("NZD", "NZ$"),
    ("PHP", "₱"),
    ("PLN", "zł"),
    ("RUB", "₽"),
    ("THB", "฿"),
    ("TRY", "₺"),
    ("TWD", "NT$"),
    ("UAH", "₴"),
    ("USD", "US$"),
    ("VND", "₫"),
    ("XAF", "FCFA"),
];

/// Currencies with a shorter sign in some languages, mostly in their own countries.
const OWN_SIGNS: [(&str, &str, &str); 20] = [
    ("en", "USD", "$"),
    ("en", "JPY", "¥"),
    ("en-AU", "AUD", "$"),
    ("en-AU", "USD", "US$"),
    ("en-CA", "CAD", "$"),
    ("en-CA", "USD", "US$"),
    ("en-NZ", "NZD", "$"),
    ("en-NZ", "USD", "US$"),
    ("fr-CA", "CAD", "$"),
    ("es-MX", "MXN", "$"),
    ("zh", "CNY", "¥"),
    ("zh-HK", "HKD", "HK$"),
    ("zh-TW", "TWD", "$"),
    ("ja", "JPY", "¥"),
    ("de", "USD", "$"),
    ("da", "DKK", "kr."),
    ("nb", "NOK", "kr"),
    ("sv", "SEK", "kr"),
    ("cs", "CZK", "Kč"),
    ("hu", "HUF", "Ft"),
];

/// Locales that put the sign before the amount, each with whether a space separates them. All others put it after.
const BEFORE: [(&str, bool); 27] = [
    ("en", false),
    ("zh", false),
    ("ja", false),
    ("ko", false),
    ("hi", false),
    ("bn", false),
    ("ta", false),
    ("te", false),
    ("mr", false),
    ("gu", false),
    ("th", false),
    ("ms", true),
    ("id", true),
    ("fil", false),
    ("tr", false),
    ("sw", true),
    ("fa", false),
    ("nl", true),
    ("de-AT", true),
    ("de-CH", true),
    ("de-LI", true),
    ("it-CH", true),
    ("pt-BR", true),
    ("es-MX", false),
    ("es-US", false),
    ("es-AR", true),
    ("es-CO", true),
];

/// Adds the currency's sign to a formatted amount.
pub fn with_sign(amount: &str, currency: &str, locale: &str) -> String {
    let language = locale.split('-').next().unwrap_or(locale);
    let is_of = |known: &str| known == locale || known == language;
    let own = OWN_SIGNS.iter().filter(|(known, code, _)| is_of(known) && *code == currency);
    // A country's sign takes precedence over its language's.
    let own = own.max_by_key(|(known, ..)| known.len()).map(|(.., sign)| *sign);
    let common = || SIGNS.iter().find(|(code, _)| *code == currency);
    let sign = own.or_else(|| common().map(|(_, sign)| *sign)).unwrap_or(currency);
    let before = BEFORE.iter().filter(|(known, _)| is_of(known));
    match before.max_by_key(|(known, _)| known.len()) {
        Some((_, is_apart)) => {
            // A sign that ends in a letter needs a space before the digits.
            let is_apart = *is_apart || sign.ends_with(char::is_alphabetic);
            let between = if is_apart { "\u{a0}" } else { "" };
            format!("{sign}{between}{amount}")
        }
        None => format!("{amount}\u{a0}{sign}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::issue::Issues;

    #[test]
    fn reads_what_is_written_and_shows_it_again() {
        for (written, shown) in [
            ("12.5", "12.5"),
            ("12.50", "12.5"),
            ("\"12.50\"", "12.5"),
            ("19.99", "19.99"),
            ("0.1", "0.1"),
            ("0.0001", "0.0001"),
            ("1e2", "100"),
            ("0", "0"),
            ("-0.0", "0"),
            ("5.0", "5"),
            ("999999999", "999999999"),
            ("999999998.9999", "999999998.9999"),
            ("\"007\"", "7"),
        ] {
            let mut at = Issues::new();
            let raw: Json = serde_json::from_str(written).expect("JSON");
            let price = Price::read(&mut Reader::new(json!({"price": raw}), &mut at), "price");
            assert!(at.is_empty(), "{written}: {:?}", at.into_list());
            assert_eq!(json!(price).to_string(), shown, "{written}");
        }
    }

    #[test]
    fn refuses_what_is_no_price() {
        let number = "price must be a number";
        let range = "price must be 0 to 999999999";
        for (written, fault) in [
            (json!(true), number),
            (json!([]), number),
            (json!(""), number),
            (json!("ten"), number),
            (json!("1,5"), number),
            (json!("1e2"), number),
            (json!("1_000"), number),
            (json!(" 1"), number),
            (json!("1."), number),
            (json!(".5"), number),
            (json!("１"), number),
            (json!(-1), range),
            (json!("-0.01"), range),
            (json!(1_000_000_000), range),
            (json!(0.00001), "price may have at most 4 decimals"),
            (json!("1.23456"), "price may have at most 4 decimals"),
        ] {
            let mut at = Issues::new();
            let read = Price::read(&mut Reader::new(json!({"price": written}), &mut at), "price");
            let faults = at.into_list().into_iter();
            let faults: Vec<_> = faults.map(|issue| issue.to_string()).collect();
            assert_eq!((read, faults), (None, vec![fault.to_owned()]), "{written}");
        }
    }

    #[test]
    fn prices_have_the_sign_of_their_currency() {
        for (currency, locale, shown) in [
            ("EUR", "en", "€15.50"),
            ("EUR", "de", "15,50\u{a0}€"),
            ("EUR", "fr", "15,50\u{a0}€"),
            ("EUR", "de-AT", "€\u{a0}15,50"),
            ("EUR", "nl", "€\u{a0}15,50"),
            ("CNY", "en", "CN¥15.50"),
            ("CNY", "zh-CN", "¥15.50"),
            ("USD", "en", "$15.50"),
            ("USD", "en-CA", "US$15.50"),
            ("CAD", "en-CA", "$15.50"),
            ("CHF", "en", "CHF\u{a0}15.50"),
            ("CHF", "de-CH", "CHF\u{a0}15.50"),
            ("SEK", "sv", "15,50\u{a0}kr"),
            ("JPY", "ja", "¥15.5"),
            ("INR", "hi", "₹15.50"),
        ] {
            assert_eq!(price(Decimal::new(155, 1), currency, locale), shown, "{locale}");
        }
    }

    #[test]
    fn amounts_follow_the_locale_and_the_currency() {
        let amount = Decimal::new(12_345_675, 4);
        for (currency, locale, shown) in [
            ("USD", "en", "1,234.5675"),
            ("EUR", "de", "1.234,5675"),
            ("EUR", "zh-CN", "1,234.5675"),
            ("EUR", "no such locale", "1234.5675"),
        ] {
            assert_eq!(show(amount, currency, locale), shown, "{locale}");
        }
        assert_eq!(show(Decimal::from(5), "USD", "en"), "5.00");
        assert_eq!(show(Decimal::from(5), "JPY", "ja"), "5");
        assert_eq!(show(Decimal::new(5, 1), "KWD", "en"), "0.500");
    }
}
