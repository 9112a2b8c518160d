//! Messages that leave the service: waiting, delivered and failed ones.

use serde::{Deserialize, Serialize};

use crate::base::clock::Time;
use crate::base::named::named;
use crate::model::user::OrganizationId;

named! {
    /// Purpose of a message.
    pub enum MessageKind {
        /// To a respondent: the entry arrived.
        Receipt = "receipt",
        /// To the people who run a form: there is a new entry.
        Notice = "notice",
        /// To a respondent: the entry waits for room.
        Waiting = "waiting",
        /// To a respondent: the entry has room now.
        MovedUp = "moved_up",
        /// To a respondent: the booking is cancelled.
        Cancelled = "cancelled",
        /// To a respondent: the entry was changed.
        Changed = "changed",
        /// To a respondent: a booking is a day away.
        Reminder = "reminder",
        /// An invitation into an organisation.
        Invitation = "invitation",
        /// A link to set another password.
        PasswordReset = "password_reset",
        /// An event, to a webhook.
        Webhook = "webhook",
    }
}

impl MessageKind {
    /// Kinds about entries of a form.
    pub const OF_ENTRIES: [Self; 7] =
        [Self::Receipt, Self::Notice, Self::Waiting, Self::MovedUp, Self::Cancelled, Self::Changed, Self::Reminder];
    /// Kinds that tell a respondent when a booking is.
    pub const OF_BOOKINGS: [Self; 3] = [Self::Receipt, Self::MovedUp, Self::Changed];
}

/// Subject of mail. Each lane has slots of its own for mails sent at the same time, so that neither waits for the other
/// (S98).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailLane {
    /// Accounts: strangers can cause little of this mail.
    Accounts,
    /// Entries of forms.
    Forms,
}

impl MailLane {
    /// The one that goes first, first.
    pub const ALL: [Self; 2] = [Self::Accounts, Self::Forms];

    /// How many of its mails are sent at the same time.
    pub fn places(self) -> usize {
        match self {
            Self::Accounts => 1,
            Self::Forms => 4,
        }
    }
}

named! {
    pub enum DeliveryStatus {
        /// It will be tried, or tried again.
        Pending = "pending",
        /// The receiving server has it.
        Delivered = "delivered",
        /// It is not tried any more.
        Failed = "failed",
    }
}

named! {
    /// Why a delivery did not succeed, in words of our own: a server's may hold anything.
    pub enum DeliveryFault {
        HeldBack = "it was held back: its address or its form had enough of them",
        Restored = "it was waiting when the backup was made that the service was restored from",
        Unreachable = "the mail server can't be reached",
        TimedOut = "the mail server took too long",
        Broken = "the connection to the mail server broke",
        Untrusted = "the mail server's certificate is not trusted",
        NoTls = "the mail server offers no encryption, so the password was not sent",
        SignIn = "the mail server refused the user or the password",
        SignInNeeded = "the mail server takes no mail without a user and encryption",
        NotReady = "the mail server is not ready",
        Deferred = "the mail server put the message off",
        Refused = "the mail server refused the message",
        BadAddress = "the address can't be written to through this mail server",
        Unreadable = "the stored message can't be read",
        WebhookDisabled = "the webhook was disabled",
        NotPublic = "the receiver's address is not public",
        Unresolved = "the receiver's name can't be resolved",
        ReceiverUnreachable = "the receiver can't be reached",
        ReceiverUntrusted = "the receiver's certificate is not trusted",
        ReceiverTimedOut = "the receiver took too long",
        ReceiverBroken = "the connection to the receiver broke",
        NotHttp = "the receiver's answer is not valid HTTP",
        Redirected = "the receiver answered with a redirect, which is not followed",
        Gone = "the receiver is gone (410), so the webhook was disabled",
        NotAccepted = "the receiver answered with an error",
    }
}

/// A mail, with its content as of the event that it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// One line.
    pub subject: String,
    pub text: String,
    pub html: String,
    /// The address of the page that ends mail of this kind.
    pub unsubscribe: Option<String>,
    #[serde(default)]
    pub files: Vec<MailFile>,
}

/// A calendar file that a mail carries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailFile {
    /// In ASCII.
    pub name: String,
    /// The method of the calendar (RFC 5546), in capitals.
    pub method: String,
    pub text: String,
}

/// A message as the outbox keeps it.
pub struct NewMessage<'a> {
    pub kind: MessageKind,
    pub target: &'a str,
    /// The sealed message, and the time from which it may be sent; `None` if it is held back.
    pub sent: Option<(&'a [u8], Time)>,
    /// `None` for mail of the service itself.
    pub about: Option<AboutForm<'a>>,
}

/// The form that mail counts against.
pub struct AboutForm<'a> {
    pub form_no: i64,
    /// The entry that it tells of.
    pub serial: Option<i64>,
    pub organization: OrganizationId,
    /// The pseudonym of the network whose submission caused it.
    pub sender: Option<&'a str>,
    /// The folded address.
    pub recipient: &'a str,
    /// The hour that it was planned for, since 1970.
    pub hour: Option<i64>,
}

/// Mail about a form that was not sent at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delayed {
    /// Sent once the hour or the day has room for it.
    pub waiting: i64,
    /// Never sent, within the last day.
    pub held_back: i64,
}

/// A message that was taken out to be sent.
#[derive(Clone, Debug)]
pub struct ClaimedMessage {
    pub id: i64,
    pub kind: MessageKind,
    pub target: String,
    /// The number of the form and of its entry that it tells of; none for mail of the service itself.
    pub entry: Option<(i64, i64)>,
    /// The sealed message. Empty if it is to be written again.
    pub body: Vec<u8>,
    /// This attempt included.
    pub attempts: u32,
    pub created_at: Time,
}

/// A message about an entry as it is shown.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Ascending.
    pub id: i64,
    pub kind: MessageKind,
    pub target: String,
    pub serial: Option<i64>,
    pub status: DeliveryStatus,
    pub attempts: u32,
    pub error: Option<DeliveryFault>,
    pub created_at: Time,
    /// `None` if it is not tried again.
    pub next_attempt_at: Option<Time>,
}
