//! The settings group `notifications`: which mail about entries is sent, and in whose words.

use serde::{Deserialize, Serialize};

use crate::model::outbox::MessageKind;

/// The mail about entries: letters to respondents, and notices to the people who run the form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Notifications {
    pub receipt: ReceiptMail,
    pub notice: NoticeMail,
    /// The entry joined the waiting list.
    pub waiting: LetterMail,
    /// The entry moved up from the waiting list.
    pub moved_up: LetterMail,
    /// The booking was cancelled.
    pub cancelled: LetterMail,
    /// The entry was changed.
    pub changed: LetterMail,
    /// A booking is a day away.
    pub reminder: LetterMail,
}

impl Notifications {
    /// The letters to respondents besides the receipt.
    pub const LETTERS: [MessageKind; 5] = [
        MessageKind::Waiting,
        MessageKind::MovedUp,
        MessageKind::Cancelled,
        MessageKind::Changed,
        MessageKind::Reminder,
    ];

    fn own(&self, kind: MessageKind) -> Option<&LetterMail> {
        match kind {
            MessageKind::Waiting => Some(&self.waiting),
            MessageKind::MovedUp => Some(&self.moved_up),
            MessageKind::Cancelled => Some(&self.cancelled),
            MessageKind::Changed => Some(&self.changed),
            MessageKind::Reminder => Some(&self.reminder),
            _ => None,
        }
    }

    /// True if a letter was switched on by itself.
    pub fn is_switched_on(&self, kind: MessageKind) -> bool {
        self.own(kind).is_some_and(|own| own.enabled == Some(true))
    }

    /// The settings of a kind of mail about entries. Respondents who get a receipt also get mail about later changes of
    /// their place, unless the form's owner decides otherwise.
    pub fn letter(&self, kind: MessageKind) -> Option<Letter<'_>> {
        match kind {
            MessageKind::Receipt => return Some(self.receipt.letter()),
            MessageKind::Notice => return Some(self.notice.letter()),
            _ => {}
        }
        let own = self.own(kind)?;
        let follows = matches!(kind, MessageKind::Waiting | MessageKind::MovedUp | MessageKind::Cancelled);
        Some(Letter {
            enabled: own.enabled.unwrap_or(follows && self.receipt.enabled),
            subject: filled(own.subject.as_ref()),
            message: filled(own.message.as_ref()),
            include_values: own.include_values,
        })
    }

    pub fn sends(&self, kind: MessageKind) -> bool {
        self.letter(kind).is_some_and(|letter| letter.enabled)
    }

    /// True if a respondent may get a letter about an entry later on.
    pub fn writes_later(&self) -> bool {
        [MessageKind::Cancelled, MessageKind::Changed, MessageKind::Reminder].into_iter().any(|kind| self.sends(kind))
    }
}

/// The settings of a mail; a text of blanks alone is none.
#[derive(Clone, Copy, Debug)]
pub struct Letter<'s> {
    pub enabled: bool,
    pub subject: Option<&'s str>,
    /// Rich text.
    pub message: Option<&'s str>,
    pub include_values: bool,
}

impl Letter<'_> {
    /// True if the letter may contain answers: listed, or inserted in the owner's words.
    pub fn tells_answers(&self) -> bool {
        self.include_values || self.subject.is_some() || self.message.is_some()
    }
}

fn filled(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str).filter(|text| !text.trim().is_empty())
}

/// The receipt, and where the other letters to the respondent go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReceiptMail {
    pub enabled: bool,
    /// The field that holds the address; `None` for the first that can.
    pub field: Option<String>,
    pub subject: Option<String>,
    /// Rich text.
    pub message: Option<String>,
    pub include_values: bool,
    /// Whether submissions through the API without a token send letters too (S97).
    pub for_programs: bool,
}

impl ReceiptMail {
    fn letter(&self) -> Letter<'_> {
        Letter {
            enabled: self.enabled,
            subject: filled(self.subject.as_ref()),
            message: filled(self.message.as_ref()),
            include_values: self.include_values,
        }
    }
}

/// A letter to the respondent about a change of the entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LetterMail {
    /// `None` where nothing was said.
    pub enabled: Option<bool>,
    pub subject: Option<String>,
    /// Rich text.
    pub message: Option<String>,
    pub include_values: bool,
}

/// Mail to the people who run the form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NoticeMail {
    pub enabled: bool,
    pub to: Vec<String>,
    pub subject: Option<String>,
    /// Rich text.
    pub message: Option<String>,
    pub include_values: bool,
}

impl NoticeMail {
    pub fn letter(&self) -> Letter<'_> {
        Letter {
            enabled: self.enabled,
            subject: filled(self.subject.as_ref()),
            message: filled(self.message.as_ref()),
            include_values: self.include_values,
        }
    }
}
