//! What is wrong with an answer, in the words of the form's language. The messages of the API are the
//! keys: one that is not in the table is shown as it is.

use fluent_bundle::FluentValue;

use crate::base::texts::Texts;
use crate::fields::{local_date, local_number};

/// Messages, `{}` standing for what differs, and the ids of their texts; what differs fills `$a`, `$b`.
#[rustfmt::skip] // A table is read by columns.
const MESSAGES: &[(&str, &str)] = &[
    ("can't be blank",                              "fault-blank"),
    ("has already been taken",                      "fault-taken"),
    ("is too long (at most {} characters)",         "fault-too-long"),
    ("is too short (at least {} characters)",       "fault-too-short"),
    ("has the wrong format",                        "fault-format"),
    ("must be a string",                            "fault-text"),
    ("must not contain NUL characters",             "fault-text"),
    ("is not an e-mail address",                    "fault-email"),
    ("must be at {}",                               "fault-domain"),
    ("is not a telephone number of {}",             "fault-phone"),
    ("is not one of the allowed countries",         "fault-country"),
    ("must be a number",                            "fault-number"),
    ("must be {} or less",                          "fault-at-most"),
    ("must be {} or more",                          "fault-at-least"),
    ("must be a date as {}",                        "fault-date"),
    ("must be a string such as {}",                 "fault-date"),
    ("must not be after {}",                        "fault-after"),
    ("must not be before {}",                       "fault-before"),
    ("is not one of the choices",                   "fault-choice"),
    ("may have at most {} choices",                 "fault-many-choices"),
    ("must have at least {} choices",               "fault-few-choices"),
    // choices.
    ("is not a web address such as {}",             "fault-url"),
    ("must be an object with hour and minute",      "fault-time"),
    ("must be a whole number",                      "fault-whole"),
    ("must be {} to {}",                            "fault-from-to"),
    ("must be an object with level_1 and {}",       "fault-cascade"),
    ("must be an object of ranks by choice",        "fault-ranking"),
    ("has the rank of another choice",              "fault-rank-twice"),
    ("must rank from 1 on without a gap",           "fault-rank-gap"),
    ("must rank at least {} choices",               "fault-few-ranks"),
    ("may rank at most {} choices",                 "fault-many-ranks"),
    ("must be a choice's api_code or an object with value", "fault-choice"),
    ("must be a list of choices",                   "fault-choice"),
    // End of choices.
    // grids.
    ("may have at most {} rows",                    "fault-many-rows"),
    ("must have at least {} rows",                  "fault-few-rows"),
    // End of grids.
    // places and files.
    ("must be an ISO 3166-1 alpha-2 code such as {}", "fault-choose-country"),
    ("is not an ISO 3166-2 code of {}",             "fault-state"),
    ("must be an ISO 3166-2 code such as {}",       "fault-state-code"),
    ("is not an uploaded file",                     "fault-not-uploaded"),
    ("may have at most {} files",                   "fault-many-files"),
    ("{} is larger than {} MB",                     "fault-file-large"),
    ("{} is empty",                                 "fault-file-empty"),
    ("{} is not of a kind that is taken here",      "fault-file-kind"),
    ("{} is not what it is said to be",             "fault-file-odd"),
    ("{} has to be chosen again",                   "fault-file-again"),
    ("{} has more than {} pixels a side",           "fault-file-pixels"),
    ("is longer than {} seconds",                   "fault-long-recording"),
    ("has letters that can't be drawn here",        "fault-letters"),
    // End of places and files.
    // shop.
    ("is not one of the goods",                     "fault-goods"),
    ("is not one of the options",                   "fault-option"),
    ("is not one of the items to book",             "fault-item"),
    ("must be an ISO 8601 date-time",               "fault-day"),
    ("is not a day that can be booked",             "fault-day-shut"),
    ("must be a day and the time at which a slot begins", "fault-slot"),
    ("is not the start of a slot on that day",      "fault-slot"),
    ("must be given: several slots begin then",     "fault-slot-end"),
    ("is not the end of a slot that begins then",   "fault-slot-end"),
    ("is booked twice",                             "fault-twice"),
    ("must be 1",                                   "fault-one"),
    ("may have at most {} bookings",                "fault-many-bookings"),
    // End of shop.
    // linked.
    ("is not an entry of the linked form",          "fault-linked"),
    ("must be the token of an entry, or an object with entry_token", "fault-linked"),
    // End of linked.
    // rules and formulas.
    ("makes the computed texts of the entry longer than {}: use shorter answers", "fault-computed"),
    // End of rules and formulas.
];

/// What a message is filled with besides its own numbers.
#[derive(Clone, Copy)]
pub struct Telling<'a> {
    /// The form's locale: dates and numbers are written as there.
    pub locale: &'a str,
    /// The types of files that the field takes, for people.
    pub types: Option<&'a str>,
}

/// The message for a respondent.
pub fn fault(texts: &Texts, message: &str, telling: Telling) -> String {
    let locale = telling.locale;
    for (pattern, id) in MESSAGES {
        if let Some(found) = captures(pattern, message) {
            let found = found.into_iter().map(|text| match *id {
                "fault-after" | "fault-before" => local_date::show(text, texts, locale).into(),
                "fault-at-most" | "fault-at-least" | "fault-from-to" => {
                    local_number::show(text, locale).into()
                }
                _ => value(text),
            });
            let mut args: Vec<(&str, FluentValue)> =
                ["a", "b", "c"].into_iter().zip(found).collect();
            if let (&"fault-file-kind", Some(types)) = (id, telling.types) {
                args.push(("types", types.into()));
                return texts.fill("fault-file-kind-types", &args);
            }
            return texts.fill(id, &args);
        }
    }
    let mut letters = message.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// The same for several messages, a line each.
pub fn faults(texts: &Texts, messages: &str, telling: Telling) -> String {
    let lines: Vec<String> = messages
        .lines()
        .map(|line| fault(texts, line, telling))
        .collect();
    lines.join(" ")
}

/// A number is one to the texts, so that they can tell one from many.
fn value(text: &str) -> FluentValue<'_> {
    match text.parse::<i64>() {
        Ok(number) if number.to_string() == text => number.into(),
        _ => text.into(),
    }
}

/// What stands at each `{}`; none when the message is another.
fn captures<'m>(pattern: &str, message: &'m str) -> Option<Vec<&'m str>> {
    let mut parts = pattern.split("{}");
    let mut rest = message.strip_prefix(parts.next()?)?;
    let mut found = Vec::new();
    for part in parts {
        let at = if part.is_empty() {
            rest.len()
        } else {
            rest.find(part)?
        };
        found.push(&rest[..at]);
        rest = &rest[at + part.len()..];
    }
    rest.is_empty().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::texts::{locales, texts};

    fn of(locale: &str) -> Telling<'_> {
        Telling {
            locale,
            types: None,
        }
    }

    #[test]
    fn finds_what_differs() {
        assert_eq!(captures("a {} b {}", "a 1 b 2"), Some(vec!["1", "2"]));
        assert_eq!(captures("a {} b", "a 1 c"), None);
        assert_eq!(captures("same", "same"), Some(vec![]));
        assert_eq!(captures("same", "same again"), None);
    }

    #[test]
    fn one_is_not_many() {
        let said = |message: &str| fault(texts("en"), message, of("en"));
        assert_eq!(
            said("may have at most 1 choices"),
            "Choose at most one option"
        );
        assert_eq!(
            said("may have at most 2 choices"),
            "Choose at most 2 options"
        );
        assert_eq!(
            said("is too long (at most 10000 characters)"),
            "Use at most 10000 characters"
        );
        assert_eq!(said("must be 007 or less"), "Enter 007 or less");
        let said = |message: &str, locale: &str| fault(texts(locale), message, of(locale));
        assert_eq!(
            said("must not be before 2026-11-23", "en"),
            "Choose 23 November 2026 or later"
        );
        assert_eq!(said("must be -7.5 or more", "de"), "Enter -7,5 or more");
        assert_eq!(
            said("must be 1 to 1000000", "en"),
            "Enter a number from 1 to 1,000,000"
        );
    }

    #[test]
    fn every_message_has_words_in_every_language() {
        for locale in locales() {
            let texts = texts(locale);
            for (pattern, id) in MESSAGES {
                let said = fault(texts, &pattern.replace("{}", "7"), of(locale));
                assert!(said != *id && !said.contains("{$"), "{locale} {id}: {said}");
            }
            assert_eq!(fault(texts, "is odd", of(locale)), "Is odd");
        }
    }
}
