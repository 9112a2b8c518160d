//! Numbers as they are written in digits: which of them a double keeps, and plain digits instead of an exponent. Numbers
//! leave as they came, or are refused.

use std::borrow::Cow;
use std::ops::Range;

use crate::base::json::Json;
use crate::base::reason::{Expected, Reason};

/// Doubles tell decimals of this many significant digits apart.
pub const MOST: usize = 17;
/// Numbers whose digits are written out, as JavaScript does for large ones.
const WRITTEN_OUT: Range<f64> = 1e-21..1e21;
/// Up to 2^53, a double has each whole number.
const WHOLE: u64 = 1 << 53;

/// A number as a double, if the double keeps all digits. Pages and spreadsheets pass on other numbers as texts of
/// digits.
///
/// # Errors
/// When it is no number, or one with too many digits.
pub fn double(raw: &Json) -> Result<f64, Reason> {
    let is_kept = match raw {
        Json::Number(number) => match number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs)) {
            Some(whole) => whole <= WHOLE || is_kept(&number.to_string()),
            // Parsed into a double already.
            None => true,
        },
        Json::String(text) if Decimal::read(text).is_some() && !is_kept(text) => false,
        _ => return Err(Reason::MustBe(Expected::Number)),
    };
    if !is_kept {
        return Err(Reason::TooManyDigits);
    }
    raw.as_f64().filter(|value| value.is_finite()).ok_or(Reason::MustBe(Expected::Number))
}

/// Whether a double keeps a number, which is written as in JSON: at most 17 significant digits, and a whole number is
/// still the same one.
pub fn is_kept(number: &str) -> bool {
    let Some(read) = Decimal::read(number) else {
        return false;
    };
    if read.digits.is_empty() {
        return true;
    }
    let value: f64 = number.parse().unwrap_or_default();
    if read.digits.len() > MOST || value == 0.0 || !value.is_finite() {
        return false;
    }
    read.exponent < 0 || Decimal::read(&format!("{value:e}")).is_some_and(|kept| kept == read)
}

/// A JSON number in plain digits, without an exponent or an empty fraction. Those of very large and very small numbers
/// stay.
pub fn plain(number: &str) -> Cow<'_, str> {
    if !number.contains(['e', 'E']) && !number.ends_with(".0") {
        return Cow::Borrowed(number);
    }
    match number.parse::<f64>() {
        Ok(0.0) => Cow::Borrowed("0"),
        Ok(value) if WRITTEN_OUT.contains(&value.abs()) => Cow::Owned(value.to_string()),
        _ => Cow::Borrowed(number),
    }
}

/// How many digits a number has from its first to its last one that is not zero.
pub fn significant(number: &str) -> usize {
    Decimal::read(number).map_or(0, |read| read.digits.len())
}

/// The absolute value of a decimal number: its digits, without zeros at both ends, times a power of ten.
#[derive(PartialEq, Eq)]
struct Decimal {
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn read(number: &str) -> Option<Self> {
        let number = number.strip_prefix(['-', '+']).unwrap_or(number);
        let (body, exponent) = match number.split_once(['e', 'E']) {
            Some((body, exponent)) => (body, exponent.parse::<i64>().ok()?),
            None => (number, 0),
        };
        let (whole, fraction) = body.split_once('.').unwrap_or((body, ""));
        let all = format!("{whole}{fraction}");
        if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let exponent = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        let digits = all.trim_end_matches('0');
        let dropped = i64::try_from(all.len() - digits.len()).ok()?;
        let digits = digits.trim_start_matches('0').to_owned();
        let exponent = if digits.is_empty() { 0 } else { exponent.checked_add(dropped)? };
        Some(Self { digits, exponent })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::base::cases::cases;

    #[test]
    fn a_double_keeps_seventeen_digits_and_whole_numbers_that_stay_the_same() {
        for kept in [
            "0",
            "-0",
            "0.0",
            "5",
            "-5.50",
            "007",
            "0.1",
            "1e-7",
            "1e300",
            "1E5",
            "1e+5",
            "9007199254740992",
            "-9007199254740991",
            "9007199254740994",
            "100000000000000000000",
            "1000000000000000000000000",
            "1e23",
            "123456789012345680000",
            "0.30000000000000004",
            "0.10000000000000001",
            "12345678901234.567",
            "0.1000000000000000000000",
            "5e-324",
            "1.7976931348623157e308",
        ] {
            assert!(is_kept(kept), "{kept}");
        }
        for lost in [
            "9007199254740993",
            "-9007199254740993",
            "12345678901234567",
            "123456789012345678",
            "123456789012345678901",
            "0.123456789012345678",
            "1.00000000000000000001",
            "1234567890.1234567891",
            "1.23456789012345678e30",
            "1152921504606846976",
            "1e-400",
            "1e400",
            "",
            "x",
            "1.2.3",
            "1e",
        ] {
            assert!(!is_kept(lost), "{lost}");
        }
    }

    #[test]
    fn doubles_are_read_or_refused() {
        for (raw, value) in
            [(json!(3), 3.0), (json!(-2.5), -2.5), (json!(1e300), 1e300), (json!(1_u64 << 53), 2f64.powi(53))]
        {
            assert_eq!(double(&raw), Ok(value));
        }
        for raw in [json!(123_456_789_012_345_678_i64), json!(-9_007_199_254_740_993_i64), json!(u64::MAX)] {
            assert_eq!(double(&raw), Err(Reason::TooManyDigits), "{raw}");
        }
        for raw in ["123456789012345678", "0.1234567890123456789", "-123456789012345678901234"] {
            assert_eq!(double(&json!(raw)), Err(Reason::TooManyDigits), "{raw}");
        }
        for raw in [json!("5"), json!(""), json!("."), json!("five"), json!(true), json!([]), json!(null)] {
            assert_eq!(double(&raw), Err(Reason::MustBe(Expected::Number)), "{raw}");
        }
    }

    #[test]
    fn digits_are_written_out() {
        for (number, written) in [
            ("5", "5"),
            ("-2.5", "-2.5"),
            ("1e17", "100000000000000000"),
            ("1e+17", "100000000000000000"),
            ("-1.5e16", "-15000000000000000"),
            ("1.2345678901234568e20", "123456789012345680000"),
            ("9007199254740994.0", "9007199254740994"),
            ("1e-7", "0.0000001"),
            ("-1.5e-10", "-0.00000000015"),
            ("0.0", "0"),
            ("-0.0", "0"),
            ("1e21", "1e21"),
            ("1e300", "1e300"),
            ("1e-30", "1e-30"),
        ] {
            assert_eq!(plain(number), written);
        }
        assert_eq!(significant("-0.00120e5"), 2);
        assert_eq!(significant("123456789012345680000"), 17);
        assert_eq!(significant("0"), 0);
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn what_a_double_is_written_as_is_kept(value in any::<f64>().prop_filter("a number", |value| value.is_normal())) {
            for written in [json!(value).to_string(), format!("{value}"), format!("{value:e}")] {
                prop_assert!(is_kept(&written), "{}", written);
                prop_assert_eq!(plain(&written).parse::<f64>(), Ok(value));
            }
        }

        #[test]
        fn a_whole_number_that_is_kept_comes_back(whole: i64) {
            let value: f64 = whole.to_string().parse().unwrap_or_default();
            prop_assert_eq!(is_kept(&whole.to_string()), plain(&json!(value).to_string()) == whole.to_string());
        }
    }
}
