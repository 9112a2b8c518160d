//! What is wrong with something typed on an account page, in the reader's words. The messages of the API are the keys;
//! where one message is said of several fields, the field decides. One that is not known is shown as it is.

use crate::base::issue::Issue;
use crate::base::texts::Texts;

/// Messages that mean the same wherever they stand.
const KNOWN: [(&str, &str); 10] = [
    ("can't be blank", "account-fault-blank"),
    ("is not an e-mail address", "account-fault-email"),
    (
        "is one of the most common passwords",
        "account-fault-common",
    ),
    (
        "must not be the e-mail address",
        "account-fault-same-as-email",
    ),
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
    (
        "of a folder in it has already been taken one level up",
        "forms-folder-fault-above",
    ),
    ("is the form's owner", "sharing-fault-owner"),
];

/// Messages that mean something else from field to field.
const BY_FIELD: [(&str, &str, &str); 6] = [
    ("email", "has already been taken", "account-fault-taken"),
    ("name", "has already been taken", "forms-folder-fault-taken"),
    (
        "folder_name",
        "has already been taken",
        "forms-folder-fault-taken",
    ),
    ("password", "is wrong", "account-fault-wrong"),
    ("old_password", "is wrong", "account-fault-wrong"),
    ("code", "is wrong", "account-fault-code"),
];

/// The message for a person.
pub fn fault(texts: &Texts, issue: &Issue) -> String {
    let message = issue.message.as_str();
    let by_field = BY_FIELD
        .iter()
        .find(|(field, known, _)| *field == issue.attribute && *known == message);
    if let Some((_, _, id)) = by_field {
        return texts.say(id);
    }
    if let Some((_, id)) = KNOWN.iter().find(|(known, _)| *known == message) {
        return texts.say(id);
    }
    if let Some(levels) = number(message, "is ", " levels deep, and there are no more") {
        return texts.fill("forms-folder-fault-deep", &[("levels", levels.into())]);
    }
    if let Some(least) = number(message, "is too short (at least ", " characters)") {
        return texts.fill("account-fault-short", &[("least", least.into())]);
    }
    if let Some(most) = number(message, "is too long (at most ", " characters)") {
        return texts.fill("account-fault-long", &[("most", most.into())]);
    }
    message.to_owned()
}

fn number(message: &str, before: &str, after: &str) -> Option<i64> {
    let rest = message.strip_prefix(before)?;
    rest.strip_suffix(after)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use crate::base::texts;

    use super::*;

    fn said(attribute: &str, message: &str) -> String {
        let issue = Issue {
            attribute: attribute.to_owned(),
            message: message.to_owned(),
        };
        fault(texts::texts("en"), &issue)
    }

    #[test]
    fn known_messages_have_words() {
        for (message, _) in KNOWN {
            assert_ne!(said("x", message), message);
        }
        for (field, message, _) in BY_FIELD {
            assert_ne!(said(field, message), message);
        }
        assert!(said("x", "is too short (at least 10 characters)").contains("10"));
        assert!(said("x", "is too long (at most 200 characters)").contains("200"));
        assert!(said("x", "is 5 levels deep, and there are no more").contains('5'));
        assert_eq!(said("x", "is odd"), "is odd");
    }

    #[test]
    fn no_field_borrows_the_words_of_another() {
        let taken = "has already been taken";
        assert_ne!(said("email", taken), said("folder_name", taken));
        assert_ne!(said("code", "is wrong"), said("password", "is wrong"));
        assert_eq!(said("other", taken), taken);
    }
}
