//! Numbers as people write them: digits of any script and the separators of a locale. Only pages and imports read these;
//! the API takes JSON numbers.

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

use icu_decimal::DecimalFormatter;
use icu_decimal::input::Decimal as Digits;
use icu_decimal::options::{DecimalFormatterOptions, GroupingStrategy};
use icu_locale_core::Locale;
use regex_syntax::hir::{Class, HirKind};

use crate::base::bounded_map::BoundedMap;
use crate::base::json::{Json, digits};

/// A separator, and what it may separate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separator {
    /// Fraction or groups, depending on the locale.
    Comma,
    /// Fraction or groups, depending on the locale.
    Point,
    /// Only groups.
    Blank,
    /// Only groups.
    Apostrophe,
    /// Only groups: the Arabic thousands separator.
    Thousands,
    /// Only the fraction: the Arabic decimal separator.
    Decimal,
}

impl Separator {
    fn of(c: char) -> Option<Self> {
        Some(match c {
            ',' | '，' | '،' | '﹐' | '､' => Self::Comma,
            '.' | '．' | '。' | '｡' | '﹒' => Self::Point,
            '\'' | '’' | '＇' | 'ʼ' => Self::Apostrophe,
            '٬' => Self::Thousands,
            '٫' => Self::Decimal,
            c if c.is_whitespace() => Self::Blank,
            _ => return None,
        })
    }
}

/// One character of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Digit(u8),
    Between(Separator),
}

/// The value of a decimal digit in any script.
pub(in crate::fields) fn digit(c: char) -> Option<u8> {
    static RUNS: OnceLock<Vec<(u32, u32)>> = OnceLock::new();
    if c.is_ascii() {
        return c.to_digit(10).and_then(|digit| u8::try_from(digit).ok());
    }
    let runs = RUNS.get_or_init(|| {
        let class = regex_syntax::parse(r"\p{Nd}").map(|hir| hir.into_kind());
        match class {
            Ok(HirKind::Class(Class::Unicode(class))) => {
                let ranges = class.ranges().iter();
                ranges.map(|range| (u32::from(range.start()), u32::from(range.end()))).collect()
            }
            _ => Vec::new(),
        }
    });
    let c = u32::from(c);
    let (first, _) = runs.iter().find(|(first, last)| (*first..=*last).contains(&c))?;
    // Digits come in runs from zero to nine.
    u8::try_from((c - first) % 10).ok()
}

/// Direction marks, which some locales put beside signs.
pub(in crate::fields) const fn is_mark(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Parses a number into plain digits, such as `-1234.5`; `None` if it is not a number. Where a separator could mean
/// groups or the fraction, as in `1,234`, the locale decides.
pub fn read(typed: &str, locale: &str) -> Option<String> {
    plain(typed, &|| group_of(locale))
}

/// Parses a number only if its separators are the locale's. In English a page may read `72,5` as a fraction, but in the
/// next row of a file `1,234` would be a thousand.
fn read_own(typed: &str, locale: &str) -> Option<String> {
    let plain = read(typed, locale)?;
    let separators: Vec<Separator> = typed.trim().chars().filter_map(Separator::of).collect();
    let (fraction, groups) = match separators.split_last() {
        Some((last, groups)) if plain.contains('.') => (Some(*last), groups),
        _ => (None, &separators[..]),
    };
    if separators.is_empty() {
        return Some(plain);
    }
    let (own_fraction, own_group) = separators_of(locale);
    let is_own_fraction = |own: Separator| own == Separator::Decimal || Some(own) == own_fraction;
    let could_be_fraction = |own: Separator| matches!(own, Separator::Comma | Separator::Point);
    let is_own_group = |own: &Separator| !could_be_fraction(*own) || Some(*own) == own_group;
    (fraction.is_none_or(is_own_fraction) && groups.iter().all(is_own_group)).then_some(plain)
}

/// Parses a number that is too small to have groups.
fn read_small(typed: &str) -> Option<String> {
    plain(typed, &|| None)
}

/// `group` is the locale's group separator if that could also be a fraction separator.
fn plain(typed: &str, group: &dyn Fn() -> Option<Separator>) -> Option<String> {
    let typed: String = typed.chars().filter(|c| !is_mark(*c)).collect();
    let typed = typed.trim();
    let (sign, rest) = match typed.chars().next()? {
        c @ ('-' | '−' | '－' | '﹣' | '‐' | '–') => ("-", &typed[c.len_utf8()..]),
        c @ ('+' | '＋' | '﹢') => ("", &typed[c.len_utf8()..]),
        _ => ("", typed),
    };
    let rest = rest.trim_start();
    let (body, exponent) = match rest.find(['e', 'E']) {
        Some(at) => (&rest[..at], Some(exponent(&rest[at + 1..])?)),
        None => (rest, None),
    };
    let signs: Option<Vec<Sign>> = body
        .chars()
        .map(|c| {
            let digit = digit(c).map(Sign::Digit);
            digit.or_else(|| Separator::of(c).map(Sign::Between))
        })
        .collect();
    let signs = signs?;
    let point = point(&signs, group)?;
    let (whole, fraction) = match point {
        Some(at) => (&signs[..at], &signs[at + 1..]),
        None => (&signs[..], &[][..]),
    };
    if !are_groups(whole) || !fraction.iter().all(|sign| matches!(sign, Sign::Digit(_))) {
        return None;
    }
    let digits = |signs: &[Sign]| -> String {
        let digits = signs.iter().filter_map(|sign| match sign {
            Sign::Digit(digit) => Some(char::from(b'0' + digit)),
            Sign::Between(_) => None,
        });
        digits.collect()
    };
    let (whole, fraction) = (digits(whole), digits(fraction));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let mut out = sign.to_owned();
    out.push_str(if whole.is_empty() { "0" } else { whole });
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(&fraction);
    }
    if let Some(exponent) = exponent {
        out.push_str(&exponent);
    }
    Some(out)
}

/// Reads what follows the `e` of a number such as `1e5`.
fn exponent(typed: &str) -> Option<String> {
    let digits = typed.strip_prefix(['+', '-']).unwrap_or(typed);
    let is_one = !digits.is_empty() && digits.len() <= 4 && digits.bytes().all(|b| b.is_ascii_digit());
    is_one.then(|| format!("e{typed}"))
}

/// The position of the fraction separator, if there is one; `None` if the separators contradict each other.
fn point(signs: &[Sign], group: &dyn Fn() -> Option<Separator>) -> Option<Option<usize>> {
    let places = |wanted: &dyn Fn(Separator) -> bool| -> Vec<usize> {
        let signs = signs.iter().enumerate();
        let own = signs.filter(|(_, sign)| matches!(sign, Sign::Between(own) if wanted(*own)));
        own.map(|(at, _)| at).collect()
    };
    let parts_fractions =
        |separator: Separator| matches!(separator, Separator::Comma | Separator::Point | Separator::Decimal);
    let candidates = places(&parts_fractions);
    let Some(last) = candidates.last().copied() else {
        return Some(None);
    };
    let Sign::Between(separator) = signs[last] else {
        return Some(None);
    };
    let is_only_one = candidates.iter().filter(|at| signs[**at] == signs[last]).count() == 1;
    let others = places(&|other| other != separator);
    if separator == Separator::Decimal || !others.is_empty() {
        // After another separator, this one starts the fraction; it can't occur twice.
        return is_only_one.then_some(Some(last));
    }
    if !is_only_one {
        return Some(None);
    }
    let could_group = are_groups(signs) && signs.len() - last == 4;
    let groups = could_group && group() == Some(separator);
    Some((!groups).then_some(last))
}

/// Whether the digits are ungrouped, or in groups of three, or of two before the last three as in India.
fn are_groups(signs: &[Sign]) -> bool {
    let mut separators = signs.iter().filter(|sign| matches!(sign, Sign::Between(_)));
    let Some(first) = separators.next() else {
        return true;
    };
    if separators.any(|other| other != first) {
        return false;
    }
    let groups: Vec<&[Sign]> = signs.split(|sign| sign == first).collect();
    let (Some((head, rest)), Some(last)) = (groups.split_first(), groups.last()) else {
        return false;
    };
    let middle = &rest[..rest.len() - 1];
    let is_head = |most: usize| (1..=most).contains(&head.len()) && head.first() != Some(&Sign::Digit(0));
    let of_three = is_head(3) && middle.iter().all(|group| group.len() == 3);
    let of_two = is_head(2) && middle.iter().all(|group| group.len() == 2);
    last.len() == 3 && (of_three || of_two)
}

/// The group separator of a locale, for numbers in the digits 0 to 9.
fn group_of(locale: &str) -> Option<Separator> {
    let shown = format(&format!("{locale}-u-nu-latn"), "1234567", GroupingStrategy::Always)
        .or_else(|| format(locale, "1234567", GroupingStrategy::Always))?;
    shown.chars().find(|c| digit(*c).is_none() && !is_mark(*c)).and_then(Separator::of)
}

/// The separators of a locale before the fraction and between groups; the rows of a file ask for the same ones.
fn separators_of(locale: &str) -> (Option<Separator>, Option<Separator>) {
    static KNOWN: LazyLock<BoundedMap<(Option<Separator>, Option<Separator>)>> = LazyLock::new(BoundedMap::default);
    KNOWN.change(&locale, |known| known.unwrap_or_else(|| (fraction_of(locale), group_of(locale))))
}

/// The separator of a locale before the fraction, for numbers in the digits 0 to 9.
fn fraction_of(locale: &str) -> Option<Separator> {
    let shown = format(&format!("{locale}-u-nu-latn"), "1.5", GroupingStrategy::Never)
        .or_else(|| format(locale, "1.5", GroupingStrategy::Never))?;
    shown.chars().find(|c| digit(*c).is_none() && !is_mark(*c)).and_then(Separator::of)
}

/// The ambiguous group separator of the locale, for page scripts: `,`, `.` or nothing.
pub fn group_mark(locale: &str) -> &'static str {
    match group_of(locale) {
        Some(Separator::Comma) => ",",
        Some(Separator::Point) => ".",
        _ => "",
    }
}

/// A number posted by a page's control, as a JSON number; text that is not a number is passed on, so that parsing
/// reports it and the page shows it again.
pub fn of_form(typed: &str, locale: &str) -> Json {
    as_json(read(typed, locale)).unwrap_or_else(|| Json::from(typed))
}

/// A number in a cell of a file that other programs wrote, as [`of_form`] passes it on.
pub fn of_sheet(typed: &str, locale: &str) -> Json {
    as_json(read_own(typed, locale)).unwrap_or_else(|| Json::from(typed))
}

/// A number that was given as such or as text.
pub fn plain_number(given: &Json, locale: &str) -> Json {
    match given {
        Json::String(typed) => of_form(typed, locale),
        other => other.clone(),
    }
}

/// The same for a number too small to have groups, such as degrees.
pub fn small_of_form(typed: &str) -> Json {
    as_json(read_small(typed)).unwrap_or_else(|| Json::from(typed))
}

/// A number that no double keeps stays its digits, which parsing reports.
fn as_json(plain: Option<String>) -> Option<Json> {
    let plain = plain?;
    if !digits::is_kept(&plain) {
        return Some(Json::String(plain));
    }
    let whole = plain.parse::<i64>().ok().map(Json::from);
    whole.or_else(|| {
        let value: f64 = plain.parse().ok()?;
        serde_json::Number::from_f64(value).map(Json::Number)
    })
}

/// A JSON number in the digits and separators of a locale, without groups, as the value of a control.
pub fn in_control(number: &str, locale: &str) -> String {
    format(locale, number, GroupingStrategy::Never).unwrap_or_else(|| number.to_owned())
}

/// A JSON number for people. Groups start at five digits, because years have four.
pub fn show(number: &str, locale: &str) -> String {
    format(locale, number, GroupingStrategy::Min2).unwrap_or_else(|| number.to_owned())
}

fn format(locale: &str, number: &str, grouping: GroupingStrategy) -> Option<String> {
    let has_exponent = |number: &str| number.contains(['e', 'E']);
    let number = if has_exponent(number) { digits::plain(number) } else { Cow::Borrowed(number) };
    // Written out, one that still has an exponent could have hundreds of digits.
    if has_exponent(&number) {
        return None;
    }
    let locale: Locale = locale.parse().ok()?;
    let mut options = DecimalFormatterOptions::default();
    options.grouping_strategy = Some(grouping);
    let formatter = DecimalFormatter::try_new(locale.into(), options).ok()?;
    let digits: Digits = number.parse().ok()?;
    Some(formatter.format(&digits).to_string())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;

    /// Locales that cover all separators, groupings and digits.
    const LOCALES: [&str; 64] = [
        "en", "en-IN", "en-ZA", "en-CH", "de", "de-AT", "de-CH", "de-LI", "fr", "fr-CH", "fr-CA", "it", "it-CH", "es",
        "es-MX", "pt", "pt-PT", "nl", "da", "sv", "nb", "fi", "is", "et", "lv", "lt", "pl", "cs", "sk", "hu", "ro",
        "bg", "el", "hr", "sl", "sr", "uk", "ru", "be", "ka", "hy", "az", "kk", "uz", "tr", "he", "ar", "ar-EG",
        "ar-MA", "fa", "ps", "ur", "ckb", "hi", "bn", "mr", "ne", "my", "dz", "ta", "th", "ja", "zh-CN", "ko",
    ];

    #[test]
    fn digits_of_all_scripts_stand_in_tens() {
        assert_eq!(digit('٧'), Some(7));
        assert_eq!(digit('۲'), Some(2));
        assert_eq!(digit('９'), Some(9));
        assert_eq!(digit('०'), Some(0));
        assert_eq!(digit('𝟙'), Some(1));
        assert_eq!(digit('½'), None);
        assert_eq!(digit('七'), None);
    }

    #[test]
    fn reads_what_people_write() {
        for (locale, typed, plain) in [
            ("de", "72,5", "72.5"),
            ("en", "72,5", "72.5"),
            ("de", "72.5", "72.5"),
            ("zh-CN", "７２．５", "72.5"),
            ("ar", "٧٢٫٥", "72.5"),
            ("en", "٧٢٫٥", "72.5"),
            ("fa", "۷۲٫۵", "72.5"),
            ("hi", "७२.५", "72.5"),
            ("fr", "1 234,5", "1234.5"),
            ("fr", "1\u{a0}234,5", "1234.5"),
            ("fr", "1\u{202f}234,5", "1234.5"),
            ("en", "1\u{2009}234", "1234"),
            ("de-CH", "1’234.5", "1234.5"),
            ("de-CH", "1'234'567", "1234567"),
            ("de", "1.234,5", "1234.5"),
            ("en", "1.234,5", "1234.5"),
            ("de", "1,234.5", "1234.5"),
            ("en", "1,234", "1234"),
            ("de", "1,234", "1.234"),
            ("de", "1.234", "1234"),
            ("en", "1.234", "1.234"),
            ("fr", "1.234", "1.234"),
            ("en", "0,123", "0.123"),
            ("en", "1234,567", "1234.567"),
            ("en", "1,234,567", "1234567"),
            ("de", "1.234.567,891", "1234567.891"),
            ("en", "12,34,567.5", "1234567.5"),
            ("ar", "١٬٢٣٤٫٥", "1234.5"),
            ("en", "−3", "-3"),
            ("en", "－３", "-3"),
            ("en", "- 3", "-3"),
            ("fa", "\u{200e}\u{2212}۳", "-3"),
            ("en", "+5", "5"),
            ("en", "007", "7"),
            ("en", ".5", "0.5"),
            ("de", ",5", "0.5"),
            ("en", "5.", "5."),
            ("en", "1e3", "1e3"),
            ("en", " 5 ", "5"),
        ] {
            let plain = plain.trim_end_matches('.');
            assert_eq!(read(typed, locale).as_deref(), Some(plain), "{locale} {typed}");
        }
    }

    #[test]
    fn a_file_is_read_as_its_locale_writes() {
        for (locale, typed, plain) in [
            ("de", "72,5", Some("72.5")),
            ("de", "1.234,5", Some("1234.5")),
            ("de", "1.234.567", Some("1234567")),
            ("de", "1,234", Some("1.234")),
            ("de", "1,234.5", None),
            ("de", "1 234,5", Some("1234.5")),
            ("de-CH", "1’234.5", Some("1234.5")),
            ("en", "1,234", Some("1234")),
            ("en", "1,234.5", Some("1234.5")),
            ("en", "72,5", None),
            ("en", "1.234,5", None),
            ("en", "1.234.567", None),
            ("fr", "1\u{202f}234,5", Some("1234.5")),
            ("ar-EG", "٧٢٫٥", Some("72.5")),
        ] {
            assert_eq!(read_own(typed, locale).as_deref(), plain, "{locale} {typed}");
        }
    }

    #[test]
    fn degrees_have_no_groups() {
        assert_eq!(small_of_form("48.137"), 48.137);
        assert_eq!(small_of_form("48,137"), 48.137);
        assert_eq!(small_of_form("north"), "north");
    }

    #[test]
    fn refuses_nonsense() {
        for typed in [
            "",
            "-",
            ",",
            ".",
            "1,2,3",
            "12,34,56",
            "1,23,45",
            "1.2.3",
            "1,234,56",
            "1 2",
            "72 5",
            "1,234.5,6",
            "1.234,567.8",
            "1'23",
            "1 234'567",
            "0,123,456",
            "five",
            "5 kg",
            "1e",
            "e5",
            "1e99999",
            "--5",
            "5-",
            "٫",
            "1,,234",
            ",234,567",
            "½",
            "0x10",
            "inf",
            "NaN",
            "1_000",
        ] {
            for locale in ["en", "de", "hi", "fr"] {
                assert_eq!(read(typed, locale), None, "{locale} {typed}");
            }
        }
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn what_is_shown_is_read_again(
            at in 0..LOCALES.len(), whole in 0_u64..10_000_000_000, scale in 0_u32..7, is_negative: bool,
        ) {
            let locale = LOCALES[at];
            let digits = format!("{whole:0width$}", width = scale as usize + 1);
            let (head, tail) = digits.split_at(digits.len() - scale as usize);
            let mut plain = format!("{}{head}", if is_negative && whole > 0 { "-" } else { "" });
            if scale > 0 {
                plain.push('.');
                plain.push_str(tail);
            }
            for shown in [in_control(&plain, locale), show(&plain, locale)] {
                prop_assert_eq!(read(&shown, locale), Some(plain.clone()), "{} {}", locale, shown);
            }
        }

        #[test]
        fn nothing_typed_is_too_odd(typed in ".{0,40}", at in 0..LOCALES.len()) {
            if let Some(plain) = read(&typed, LOCALES[at]) {
                prop_assert!(plain.parse::<f64>().is_ok(), "{}", plain);
            }
        }
    }
}
