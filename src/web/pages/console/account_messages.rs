//! Messages for faults on account pages, in the reader's language. Where one reason is given for several fields, the
//! field decides.

use crate::base::issue::Issue;
use crate::base::reason::{Expected, FileFault, Reason};
use crate::base::text::texts::Texts;

/// The message for a person; that of the API in the reader's language where pages have no own words.
pub fn message(texts: &Texts, issue: &Issue) -> String {
    let id = match (&issue.reason, issue.attribute.as_str()) {
        (Reason::Taken, "email") => "account-fault-taken",
        (Reason::Taken, "name" | "folder_name") => "forms-folder-fault-taken",
        (Reason::Taken, "view_name") => "view-fault-taken",
        (Reason::FolderTakenAbove, _) => "forms-folder-fault-above",
        (Reason::FolderTooDeep { levels }, _) => {
            return texts.fill("forms-folder-fault-deep", &[("levels", (*levels).into())]);
        }
        (Reason::Wrong, "password" | "old_password") => "account-fault-wrong",
        (Reason::Wrong, "code") => "account-fault-code",
        (Reason::Blank, "image") => "organization-fault-no-file",
        (Reason::Blank, "file") => "new-form-fault-no-file",
        (Reason::Blank, "label") => "build-fault-label",
        (Reason::Blank | Reason::Required, _) => "account-fault-blank",
        (Reason::Nul, _) => "account-fault-nul",
        (Reason::TooShort { least }, _) => {
            return texts.fill("account-fault-short", &[("least", (*least).into())]);
        }
        (Reason::InFormula { text, position, .. }, _) => {
            let args = [("text", texts.phrase(text).into()), ("character", (position + 1).into())];
            return texts.fill("formula-fault", &args);
        }
        (Reason::TooLong { most }, _) => {
            return texts.fill("account-fault-long", &[("most", (*most).into())]);
        }
        (Reason::NotEmail, _) => "account-fault-email",
        (Reason::CommonPassword, _) => "account-fault-common",
        (Reason::PasswordIsEmail, _) => "account-fault-same-as-email",
        (Reason::NoScope, _) => "account-fault-scopes",
        (Reason::MustBe(Expected::LanguageTag), _) => "account-fault-locale",
        (Reason::MustBe(Expected::TimeZone), _) => "account-fault-timezone",
        (Reason::MustBe(Expected::Color), _) => "organization-fault-color",
        (Reason::File { fault, .. }, _) => match fault {
            FileFault::TooLarge { megabytes } => {
                let megabytes = i64::try_from(*megabytes).unwrap_or(i64::MAX);
                return texts.fill("organization-fault-large", &[("megabytes", megabytes.into())]);
            }
            FileFault::TooManyPixels { .. } => "organization-fault-pixels",
            _ => "organization-fault-kind",
        },
        (Reason::NotAllowed, "default_value") => "default-unsound",
        (Reason::NotAllowed, "right_answer") => "answer-unsound",
        (Reason::NoFields, _) => "publish-empty",
        (Reason::IsFormOwner, _) => "sharing-fault-owner",
        (reason, _) => return texts.phrase(&reason.phrase()),
    };
    texts.say(id)
}

/// A fault behind its path.
pub fn with_place(texts: &Texts, issue: &Issue) -> String {
    format!("{} {}", issue.attribute, texts.phrase(&issue.reason.phrase())).trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use crate::base::text::texts;

    use super::*;

    fn said(attribute: &str, reason: Reason) -> String {
        message(texts::texts("en"), &Issue::new(attribute, reason))
    }

    #[test]
    fn no_field_borrows_the_words_of_another() {
        assert_ne!(said("email", Reason::Taken), said("folder_name", Reason::Taken));
        assert_ne!(said("code", Reason::Wrong), said("password", Reason::Wrong));
        assert_eq!(said("other", Reason::Taken), "has already been taken");
    }

    #[test]
    fn messages_say_their_numbers() {
        assert!(said("x", Reason::TooShort { least: 10 }).contains("10"));
        assert!(said("x", Reason::TooLong { most: 200 }).contains("200"));
        assert!(said("x", Reason::FolderTooDeep { levels: 5 }).contains('5'));
        assert_eq!(said("x", Reason::other("is odd")), "is odd");
    }
}
