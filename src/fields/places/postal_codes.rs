//! The formats of postal codes by country. The facts are those of the postal services; countries without codes, or with
//! codes of several formats that nobody lists, are left out and take any text.

use unicode_normalization::UnicodeNormalization as _;

/// Formats of codes, an example, and the countries that have them. A `9` means a digit, an `A` a letter, an `X` either,
/// another character itself. Blanks, hyphens and dots make no difference.
#[rustfmt::skip] // A table is read by lines.
const FORMS: &[(&str, &str, &str)] = &[
    ("999", "101", "FO IS MG OM"),
    ("9999", "1010", "AF AL AM AT AU BD BE BG CC CH CV CX CY DK ET GE GL GW HM HU LI LR LU LV MK MZ NE NF NO NZ PH PY SI SJ TN ZA"),
    ("99999", "10115", "AX BA BT CR CU DE DO DZ EE EG ES FI FR GF GP GT HR ID IQ IT JO KE KW LA LK MA MC ME MM MQ MV MX MY NC NP PE PF PK PM RE SD SM SN TH TR UA UY VA WF YT ZM BL MF TF HN KR"),
    ("99999|999999", "11000", "KH MN RS VN"),
    ("999999", "100000", "BY CN CO EC IN KG KZ NG RO RU SG TJ TM UZ"),
    ("99999", "00-950", "PL"),
    ("99999", "110 00", "CZ SK"),
    ("99999", "104 32", "GR"),
    ("99999", "111 20", "SE"),
    ("99999", "01100", "LT"),
    ("99999|999999999", "12211", "SA"),
    ("99999|999999999", "94105", "AS FM GU MH MP PR PW US VI"),
    ("999|99999|999999", "10001", "TW"),
    ("9999999", "100-0001", "JP"),
    ("9999999|99999", "9190500", "IL"),
    ("9999999", "8320000", "CL"),
    ("9999999|9999", "1000-001", "PT"),
    ("99999999", "01001-000", "BR"),
    ("9999999999", "11369-14511", "IR"),
    ("9999|A9999AAA", "C1002", "AR"),
    ("9999AA", "1012 AB", "NL"),
    ("A9A9A9", "K1A 0B1", "CA"),
    ("A99AA|A999AA|AA99AA|AA999AA|A9A9AA|AA9A9AA", "SW1A 1AA", "GB GG IM JE"),
    ("A9XXXXX", "D02 AF30", "IE"),
    ("AAA9999|AAA999", "VLT 1117", "MT"),
    ("AD999", "AD500", "AD"),
    ("9999", "AZ1000", "AZ"),
    ("BB99999", "BB15094", "BB"),
    ("AA9999", "BB3713", "BN"),
    ("KY99999", "KY1-1100", "KY"),
];

/// An example of the country's codes, if `code` is not one of them.
pub fn refused(country: &str, code: &str) -> Option<&'static str> {
    let (forms, example, _) = FORMS.iter().find(|(_, _, all)| all.split(' ').any(|one| one == country))?;
    let plain: String = code.nfkc().filter(|c| !c.is_whitespace() && !is_between(*c)).collect();
    let plain = plain.to_uppercase();
    // `CH-8001`, `D-10115`: the country in front.
    let bare = plain.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let is_prefixed = plain.len() - bare.len() <= 3;
    let fits = |code: &str| forms.split('|').any(|form| has_form(code, form));
    let is_right = fits(&plain) || (is_prefixed && fits(bare));
    (!is_right).then_some(*example)
}

/// Hyphens and dots, of whatever script.
fn is_between(c: char) -> bool {
    matches!(c, '-' | '.' | '\u{ad}' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{200b}'..='\u{200f}')
}

fn has_form(code: &str, form: &str) -> bool {
    let fits = |(c, form): (char, char)| match form {
        '9' => c.is_ascii_digit(),
        'A' => c.is_ascii_uppercase(),
        'X' => c.is_ascii_alphanumeric(),
        other => c == other,
    };
    code.chars().count() == form.len() && code.chars().zip(form.chars()).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::places;

    #[test]
    fn codes_have_the_form_of_their_country() {
        for (country, right, wrong) in [
            (
                "DE",
                &["10115", "01067", "D-10115", "１０１１５", " 10115 "][..],
                &["1011", "101150", "1011A", "SW1A 1AA"][..],
            ),
            ("US", &["94105", "94105-1234", "941051234"], &["9410", "94105-12"]),
            ("GB", &["SW1A 1AA", "sw1a1aa", "M1 1AE", "EC1A 1BB", "W1A 0AX"], &["12345", "SW1A", "SW1A 1A1"]),
            ("CA", &["K1A 0B1", "k1a0b1"], &["K1A", "12345"]),
            ("NL", &["1012 AB", "1012ab"], &["1012", "AB 1012"]),
            ("PL", &["00-950", "00950"], &["0-950"]),
            ("CH", &["8001", "CH-8001"], &["80010"]),
            ("JP", &["100-0001", "1000001"], &["100-001"]),
            ("IE", &["D02 AF30", "D6W XY12"], &["D02"]),
            ("AD", &["AD500"], &["500X"]),
            ("HK", &["anything", "0"], &[]),
            ("AE", &["00000"], &[]),
        ] {
            for code in right {
                assert_eq!(refused(country, code), None, "{country} {code}");
            }
            for code in wrong {
                assert!(refused(country, code).is_some(), "{country} {code}");
            }
        }
    }

    #[test]
    fn each_example_is_right_and_each_country_stands_once() {
        let mut seen = std::collections::HashSet::new();
        for (_, example, countries) in FORMS {
            for country in countries.split(' ') {
                assert!(places::country(country).is_some() && seen.insert(country), "{country}");
                assert_eq!(refused(country, example), None, "{country} {example}");
            }
        }
    }
}
