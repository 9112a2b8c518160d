//! Messages for faults of answers, in the form's language.

use fluent_bundle::FluentValue;

use crate::base::reason::{Expected, FileFault, Reason, Set, Things, UploadFault};
use crate::base::text;
use crate::base::text::texts::Texts;
use crate::fields::display::{local_date, local_number};
use crate::fields::places::{self, phones};

/// The context of a message besides the reason's own arguments.
#[derive(Clone, Copy)]
pub struct Telling<'a> {
    /// The form's locale: dates and numbers are written as there.
    pub locale: &'a str,
    /// The types of files that the field takes, for people.
    pub types: Option<&'a str>,
    /// The type of the field, such as `email`.
    pub field_type: &'a str,
    /// Whether the link in the respondent's confirmation changes an earlier answer.
    pub has_edit_link: bool,
}

/// The message for a respondent. Reasons that pages don't give rise to are said as by the API.
pub fn message(texts: &Texts, reason: &Reason, telling: Telling) -> String {
    let say = |id: &str| texts.say(id);
    let fill = |id: &str, a: FluentValue| texts.fill(id, &[("a", a)]);
    let count = |id: &str, count: i64| fill(id, count.into());
    let number = |number: &str| local_number::show(number, telling.locale);
    let date = |date: &str| local_date::show(date, texts, telling.locale);
    match reason {
        Reason::Blank => say("fault-blank"),
        Reason::NoCoordinates => say("fault-coordinates"),
        Reason::NoCountry => say("phone-choose-country"),
        Reason::NoDay(item) => fill("fault-day-for", item.as_str().into()),
        Reason::Taken => taken(texts, telling),
        Reason::Full { left: 0 } => say("fault-full"),
        Reason::Full { left } => fill("fault-places-left", (*left).into()),
        Reason::OutOfStock { left: 0 } => say("fault-sold-out"),
        Reason::OutOfStock { left } => fill("fault-stock-left", (*left).into()),
        Reason::Nul => say("fault-text"),
        Reason::TooLong { most } => fill("fault-too-long", (*most).into()),
        Reason::TooShort { least } => fill("fault-too-short", (*least).into()),
        Reason::WrongFormat => say("fault-format"),
        Reason::NotEmail => say("fault-email"),
        Reason::NotUrl => say("fault-url"),
        Reason::NotAtDomain(domains) => fill("fault-domain", domains.as_str().into()),
        Reason::NotPhoneOf(country) => fill("fault-phone", country_in(texts, country).into()),
        Reason::PhoneNotAllowed(country) => fill("fault-phone-country", country_in(texts, country).into()),
        Reason::NotStateOf(country) => fill("fault-state", country_in(texts, country).into()),
        Reason::NotPostalCodeOf { country, example } => {
            texts.fill("fault-postal-code", &[("a", country_in(texts, country).into()), ("b", (*example).into())])
        }
        Reason::TooManyDigits => say("fault-digits"),
        Reason::ShortYear => say("fault-year"),
        Reason::AtLeast(low) => fill("fault-at-least", number(low).into()),
        Reason::AtMost(high) if is_whole(high) => fill("fault-at-most", number(high).into()),
        Reason::AtMost(high) => fill("fault-at-most-decimal", number(high).into()),
        Reason::Between(low, high) => {
            texts.fill("fault-from-to", &[("a", number(low).into()), ("b", number(high).into())])
        }
        Reason::NotBefore(first) => fill("fault-before", date(first).into()),
        Reason::NotAfter(last) => fill("fault-after", date(last).into()),
        Reason::NotOption(_) | Reason::NoOption(_) => say("fault-option"),
        Reason::NotOneOf(set) => say(match set {
            Set::Choices => "fault-choice",
            Set::Countries => "fault-country",
            Set::Goods => "fault-goods",
            Set::BookingItems => "fault-item",
        }),
        Reason::TooMany { most, of } => match of {
            Things::Choices => count("fault-many-choices", *most),
            Things::Rows => count("fault-many-rows", *most),
            Things::Files => count("fault-many-files", *most),
            Things::Bookings => count("fault-many-bookings", *most),
            Things::Other(_) => in_words(texts, reason),
        },
        Reason::TooFew { least, of } => match of {
            Things::Choices => count("fault-few-choices", *least),
            Things::Rows => count("fault-few-rows", *least),
            Things::Files | Things::Bookings | Things::Other(_) => in_words(texts, reason),
        },
        Reason::RankRepeated => say("fault-rank-twice"),
        Reason::RankGap => say("fault-rank-gap"),
        Reason::TooFewRanked { least } => count("fault-few-ranks", *least),
        Reason::TooManyRanked { most } => count("fault-many-ranks", *most),
        Reason::Upload(UploadFault::NotFound) => say("fault-not-uploaded"),
        Reason::File { name, fault } => file(texts, name, *fault, telling).unwrap_or_else(|| in_words(texts, reason)),
        Reason::RecordingTooLong { seconds } => fill("fault-long-recording", (*seconds).into()),
        Reason::Undrawable => say("fault-letters"),
        Reason::Several(reasons) => {
            let all = reasons.iter().map(|reason| message(texts, reason, telling));
            all.collect::<Vec<_>>().join(" ")
        }
        Reason::DayClosed => say("fault-day-shut"),
        Reason::NotSlotStart => say("fault-slot"),
        Reason::NotSlotEnd | Reason::SlotEndMissing => say("fault-slot-end"),
        Reason::SlotBegun => say("fault-slot-begun"),
        Reason::BookedTwice => say("fault-twice"),
        Reason::NotLinkedEntry => say("fault-linked"),
        Reason::ComputedTooLong => say("fault-computed"),
        Reason::MustBe(shape) => match shape {
            Expected::Text => say("fault-text"),
            Expected::Number => say("fault-number"),
            Expected::WholeNumber => say("fault-whole"),
            Expected::One => say("fault-one"),
            Expected::Choice | Expected::Choices => say("fault-choice"),
            Expected::Date(example) | Expected::DateText(example) => fill("fault-date", (*example).into()),
            Expected::DateTime => say("fault-day"),
            Expected::SlotStart => say("fault-slot"),
            Expected::Time => say("fault-time"),
            Expected::Levels => say("fault-cascade"),
            Expected::Ranks => say("fault-ranking"),
            Expected::Country => say("fault-choose-country"),
            Expected::State => say("fault-state-code"),
            Expected::LinkedEntry => say("fault-linked"),
            Expected::Object
            | Expected::List
            | Expected::LanguageTag
            | Expected::TimeZone
            | Expected::Color
            | Expected::Other(_) => in_words(texts, reason),
        },
        Reason::Owners(_)
        | Reason::HoldTooLarge { .. }
        | Reason::Required
        | Reason::NoFieldValues
        | Reason::Empty
        | Reason::MustBeOneOf(_)
        | Reason::NotAllowed
        | Reason::HoldsData { .. }
        | Reason::LessThan(_)
        | Reason::NoFields
        | Reason::NotOneTo { .. }
        | Reason::Repeated
        | Reason::Upload(_)
        | Reason::Wrong
        | Reason::CommonPassword
        | Reason::PasswordIsEmail
        | Reason::NoScope
        | Reason::FolderTooDeep { .. }
        | Reason::FolderTakenAbove
        | Reason::IsFormOwner
        | Reason::NotField
        | Reason::NoTargets
        | Reason::InFormula { .. }
        | Reason::Other(_) => in_words(texts, reason),
    }
}

/// Whether a number is written without a fraction: of those, people say fewer and not less.
pub fn is_whole(number: &str) -> bool {
    !number.contains(['.', 'e'])
}

/// The message for a unique value that is registered already: with a way to change the earlier answers, where there is
/// one.
fn taken(texts: &Texts, telling: Telling) -> String {
    let words = |id: &str| texts.fill(id, &[("type", telling.field_type.into())]);
    let text = words("fault-taken");
    if telling.has_edit_link { format!("{text}{}", words("fault-taken-change")) } else { text }
}

/// A country, which reasons name in English, as the page's own lists name it. Some have telephones and no ISO code.
fn country_in(texts: &Texts, name: &str) -> String {
    let place = places::countries().iter().find(|country| country.name == name);
    let place = place.map(|country| country.name_in(texts));
    let phone = || phones::countries().iter().find(|country| country.name == name);
    place.or_else(|| phone().map(|country| country.name_in(texts))).unwrap_or_else(|| name.to_owned())
}

fn file(texts: &Texts, name: &str, fault: FileFault, telling: Telling) -> Option<String> {
    let name = || ("a", FluentValue::from(name.to_owned()));
    Some(match fault {
        FileFault::TooLarge { megabytes } => texts.fill("fault-file-large", &[name(), ("b", megabytes.into())]),
        FileFault::Empty => texts.fill("fault-file-empty", &[name()]),
        FileFault::OtherType => match telling.types {
            Some(types) => texts.fill("fault-file-kind-types", &[name(), ("types", types.into())]),
            None => texts.fill("fault-file-kind", &[name()]),
        },
        FileFault::Damaged => texts.fill("fault-file-odd", &[name()]),
        FileFault::TooManyPixels { most } => texts.fill("fault-file-pixels", &[name(), ("b", most.into())]),
        FileFault::ChooseAgain => texts.fill("fault-file-again", &[name()]),
        FileFault::BeforePassword => return None,
    })
}

/// The words of the API, or the owner's, as a sentence of its own: each line begins with a capital letter.
fn in_words(texts: &Texts, reason: &Reason) -> String {
    let said = texts.phrase(&reason.phrase());
    let lines: Vec<String> = said.lines().map(text::capitalized).collect();
    lines.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::texts::{locales, texts};

    fn said(reason: Reason, locale: &str) -> String {
        let telling = Telling { locale, types: None, field_type: "number", has_edit_link: true };
        message(texts(locale), &reason, telling)
    }

    #[test]
    fn addresses_that_are_registered_are_changed_by_the_confirmation() {
        let said = |field_type, has_edit_link, locale| {
            let telling = Telling { locale, types: None, field_type, has_edit_link };
            message(texts(locale), &Reason::Taken, telling)
        };
        let change = "Use the link in your confirmation to change it.";
        assert_eq!(said("email", true, "en"), format!("This email is registered already. {change}"));
        assert_eq!(said("email", false, "en"), "This email is registered already.");
        assert_eq!(said("phone", true, "en"), format!("This phone number is registered already. {change}"));
        assert_eq!(said("short_text", true, "en"), "This has already been used");
        assert_eq!(said("email", true, "zh-CN"), "此邮箱已登记。如需修改，请使用确认页面或邮件中的链接。");
    }

    #[test]
    fn one_is_not_many() {
        let choices = |most| Reason::TooMany { most, of: Things::Choices };
        for (reason, expected) in [
            (choices(1), "Choose at most one option"),
            (choices(2), "Choose at most 2 options"),
            (Reason::TooLong { most: 10_000 }, "Use at most 10000 characters"),
            (Reason::at_most("007"), "Enter 007 or fewer"),
            (Reason::at_most("7.5"), "Enter a number up to 7.5"),
            (Reason::NotBefore("2026-11-23".to_owned()), "Choose 23 November 2026 or later"),
            (Reason::between(1, 1_000_000), "Enter a number from 1 to 1,000,000"),
            (Reason::Owners("ask us\nfor it".to_owned()), "Ask us For it"),
        ] {
            assert_eq!(said(reason, "en"), expected);
        }
        assert_eq!(said(Reason::at_least("-7.5"), "de"), "Enter -7,5 or more");
    }

    #[test]
    fn every_message_has_words_in_every_language() {
        let of = |of| Reason::TooMany { most: 7, of };
        let few = |of| Reason::TooFew { least: 7, of };
        let file = |fault| Reason::file("a.png", fault);
        let text = || "7".to_owned();
        let reasons = [
            Reason::Blank,
            Reason::NoCoordinates,
            Reason::NoCountry,
            Reason::Taken,
            Reason::Full { left: 0 },
            Reason::Full { left: 7 },
            Reason::OutOfStock { left: 0 },
            Reason::OutOfStock { left: 7 },
            Reason::Nul,
            Reason::TooLong { most: 7 },
            Reason::TooShort { least: 7 },
            Reason::WrongFormat,
            Reason::NotEmail,
            Reason::NotUrl,
            Reason::NotAtDomain(text()),
            Reason::NotPhoneOf("Chile"),
            Reason::PhoneNotAllowed("Chile"),
            Reason::TooManyDigits,
            Reason::ShortYear,
            Reason::NotStateOf("Chile"),
            Reason::NotPostalCodeOf { country: "Chile", example: "8320000" },
            Reason::at_least(7),
            Reason::at_most(7),
            Reason::between(7, 8),
            Reason::NotBefore(text()),
            Reason::NotAfter(text()),
            of(Things::Choices),
            of(Things::Rows),
            of(Things::Files),
            of(Things::Bookings),
            few(Things::Choices),
            few(Things::Rows),
            Reason::NotOption(text()),
            Reason::NoOption(text()),
            Reason::RankRepeated,
            Reason::RankGap,
            Reason::TooFewRanked { least: 7 },
            Reason::TooManyRanked { most: 7 },
            UploadFault::NotFound.into(),
            file(FileFault::TooLarge { megabytes: 7 }),
            file(FileFault::Empty),
            file(FileFault::OtherType),
            file(FileFault::Damaged),
            file(FileFault::TooManyPixels { most: 7 }),
            file(FileFault::ChooseAgain),
            Reason::RecordingTooLong { seconds: 7 },
            Reason::Undrawable,
            Reason::DayClosed,
            Reason::NotSlotStart,
            Reason::NotSlotEnd,
            Reason::SlotEndMissing,
            Reason::SlotBegun,
            Reason::BookedTwice,
            Reason::NotLinkedEntry,
            Reason::ComputedTooLong,
        ];
        let sets = [Set::Choices, Set::Countries, Set::Goods, Set::BookingItems];
        let shapes = [
            Expected::Text,
            Expected::Number,
            Expected::WholeNumber,
            Expected::One,
            Expected::Choice,
            Expected::Choices,
            Expected::Date("7"),
            Expected::DateText("7"),
            Expected::DateTime,
            Expected::SlotStart,
            Expected::Time,
            Expected::Levels,
            Expected::Ranks,
            Expected::Country,
            Expected::State,
            Expected::LinkedEntry,
        ];
        let sets = sets.map(Reason::NotOneOf).into_iter();
        let shapes = shapes.map(Reason::MustBe).into_iter();
        let all: Vec<Reason> = reasons.into_iter().chain(sets).chain(shapes).collect();
        for locale in locales() {
            for reason in &all {
                let said = said(reason.clone(), locale);
                let is_missing = said.starts_with("fault-") || said.contains("{$");
                assert!(!is_missing, "{locale} {reason:?}: {said}");
                assert_ne!(said, in_words(texts("en"), reason), "{locale} {reason:?}");
            }
        }
        assert_eq!(said(Reason::other("is odd"), "zh-CN"), "Is odd");
    }

    #[test]
    fn countries_are_named_in_the_language_of_the_page() {
        let iran = "Iran (Islamic Republic of)";
        let kosovo = phones::country("XK").map_or("", |country| country.name);
        for (reason, locale, expected) in [
            (Reason::NotPhoneOf("Germany"), "zh-CN", "请输入德国的电话号码"),
            (Reason::NotPhoneOf(kosovo), "zh-CN", "请输入科索沃的电话号码"),
            (Reason::NotStateOf("Japan"), "zh-CN", "请选择日本的省份"),
            (
                Reason::NotPostalCodeOf { country: "Germany", example: "10115" },
                "zh-CN",
                "请填写德国的邮政编码，例如 10115",
            ),
            (Reason::NotPhoneOf(iran), "en", "Enter a valid phone number for Iran"),
            (Reason::NotPhoneOf("Nowhere"), "zh-CN", "请输入Nowhere的电话号码"),
        ] {
            assert_eq!(said(reason, locale), expected);
        }
        let said = said(Reason::PhoneNotAllowed("Germany"), "zh-CN");
        assert!(said.contains("德国"), "{said}");
    }
}
