//! What is wrong with something typed on an account page, in the reader's words. The messages of the
//! API are the keys; one that is not known is shown as it is.

use crate::base::texts::Texts;

const KNOWN: [(&str, &str); 10] = [
    ("can't be blank", "account-fault-blank"),
    ("is not an e-mail address", "account-fault-email"),
    ("has already been taken", "account-fault-taken"),
    (
        "is one of the most common passwords",
        "account-fault-common",
    ),
    (
        "must not be the e-mail address",
        "account-fault-same-as-email",
    ),
    ("is wrong", "account-fault-wrong"),
    ("must name at least one scope", "account-fault-scopes"),
    (
        "must be a language tag such as en or zh-CN",
        "account-fault-locale",
    ),
    (
        "must be an IANA time zone such as Europe/Berlin",
        "account-fault-timezone",
    ),
    ("must not contain NUL characters", "account-fault-nul"),
];

/// The message for a person.
pub fn fault(texts: &Texts, message: &str) -> String {
    if let Some((_, id)) = KNOWN.iter().find(|(known, _)| *known == message) {
        return texts.say(id);
    }
    let count = |before: &str| {
        let rest = message.strip_prefix(before)?;
        rest.strip_suffix(" characters)")?.parse::<i64>().ok()
    };
    if let Some(least) = count("is too short (at least ") {
        return texts.fill("account-fault-short", &[("least", least.into())]);
    }
    if let Some(most) = count("is too long (at most ") {
        return texts.fill("account-fault-long", &[("most", most.into())]);
    }
    message.to_owned()
}

#[cfg(test)]
mod tests {
    use crate::base::texts;

    use super::*;

    #[test]
    fn known_messages_have_words() {
        let english = texts::texts("en");
        for (message, _) in KNOWN {
            assert_ne!(fault(english, message), message);
        }
        assert!(fault(english, "is too short (at least 10 characters)").contains("10"));
        assert!(fault(english, "is too long (at most 200 characters)").contains("200"));
        assert_eq!(fault(english, "is odd"), "is odd");
    }
}
