//! Letters to a respondent about the entry, in the form's language: bookings and orders, the place in the waiting list,
//! and the way to change or cancel it.

use crate::fields::values::results::exam;
use crate::model::entry::Entry;
use crate::model::notification_settings::Letter as OwnWords;
use crate::model::outbox::MessageKind;
use crate::model::results::ReservationStatus;
use crate::ops::delivery::mail_templates::entry::{Audience, LetterCx, answers};
use crate::ops::delivery::mail_templates::facts::{self, Facts};
use crate::ops::delivery::mail_templates::{Letter, MailPart, site};

/// The pages that a letter links to; `None` if the form or the entry does not allow it.
#[derive(Default)]
pub struct Links {
    /// The page that edits the entry.
    pub edit: Option<String>,
    /// The page that cancels the booking.
    pub cancel: Option<String>,
    /// The page that shows the place in the waiting list, and leads out of it.
    pub place: Option<String>,
    /// The page that has the certificate.
    pub certificate: Option<String>,
}

/// The main subject of an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    Booking,
    Order,
    Response,
}

/// The ids of the words: subject and first sentence.
fn words(kind: MessageKind, subject: Subject) -> (&'static str, &'static str) {
    use MessageKind::{Cancelled, Changed, MovedUp, Reminder, Waiting};
    match (kind, subject) {
        (Waiting, _) => ("mail-waiting-subject", "mail-waiting-text"),
        (MovedUp, _) => ("mail-moved-up-subject", "mail-moved-up-text"),
        (Cancelled, _) => ("mail-cancelled-subject", "mail-cancelled-text"),
        (Reminder, _) => ("mail-reminder-subject", "mail-reminder-text"),
        (Changed, Subject::Booking) => ("mail-changed-subject-booking", "mail-changed-text-booking"),
        (Changed, Subject::Order) => ("mail-changed-subject-order", "mail-changed-text-order"),
        (Changed, Subject::Response) => ("mail-changed-subject", "mail-changed-text"),
        (_, Subject::Booking) => ("mail-receipt-subject-booking", "mail-receipt-text-booking"),
        (_, Subject::Order) => ("mail-receipt-subject-order", "mail-receipt-text-order"),
        (_, Subject::Response) => ("mail-receipt-subject", "mail-receipt-text"),
    }
}

/// A letter of this kind. `before` is the entry before the change that the letter is about; for a reminder, `reminded`
/// are the bookings that it is about.
pub fn letter(
    kind: MessageKind,
    cx: &LetterCx,
    own: &OwnWords,
    links: Links,
    before: Option<&Entry>,
    about: Option<Facts>,
) -> Letter {
    let texts = cx.texts();
    let facts = about.unwrap_or_else(|| Facts::of(cx, cx.entry));
    let is_waiting = cx.entry.results.is_waiting;
    let subject = match (facts.has_bookings(), facts.has_orders()) {
        // Nothing is booked or ordered so far.
        _ if is_waiting => Subject::Response,
        (true, _) => Subject::Booking,
        (false, true) => Subject::Order,
        (false, false) => Subject::Response,
    };
    let place = cx.entry.waiting_position.unwrap_or_default();
    let day = facts.first().map(|booked| facts::day(booked, cx)).unwrap_or_default();
    let args = [("form", cx.form.name.as_str().into()), ("place", place.into()), ("day", day.into())];
    let (subject_id, text_id) = words(kind, subject);
    let line = match own.subject {
        Some(line) => cx.filled(line),
        None => texts.fill(subject_id, &args),
    };
    let mut parts = match own.message {
        Some(rich) => vec![MailPart::Rich(cx.rich(rich))],
        None => standard(cx, &facts, texts.fill(text_id, &args)),
    };
    if own.include_values {
        // The standard words have already named the bookings and orders.
        let said = own.message.is_none();
        let answers = answers(cx, Audience::Respondent, |field| !(said && Facts::has(field)));
        parts.extend(answers.parts(texts));
    }
    let serial = cx.entry.serial.to_string();
    parts.push(MailPart::Fact(texts.fill("done-serial", &[("serial", serial.into())])));
    parts.extend(score(cx).map(MailPart::Fact));
    parts.extend(code(cx, own).map(MailPart::Fact));
    parts.extend(ways(cx, links, subject));
    let (form, site) = (cx.form.name.as_str(), site(cx.base_url));
    parts.push(MailPart::Note(texts.fill("mail-receipt-why", &[("form", form.into()), ("site", site.into())])));
    // An earlier letter already had the file of a booking that is near.
    let files = match kind == MessageKind::Reminder || is_waiting {
        true => Vec::new(),
        false => facts.files(cx, before.map(|before| Facts::of(cx, before)).as_ref()),
    };
    Letter { look: cx.look(), texts, subject: line, parts, unsubscribe: None, files }
}

/// The words of the service.
fn standard(cx: &LetterCx, facts: &Facts, first: String) -> Vec<MailPart> {
    let (texts, is_waiting) = (cx.texts(), cx.entry.results.is_waiting);
    let mut parts = vec![MailPart::Lead(first)];
    if is_waiting {
        parts.push(MailPart::Paragraph(texts.say("mail-waiting-not-yet")));
        if facts.has_bookings() || facts.has_orders() {
            parts.push(MailPart::Paragraph(texts.say("mail-waiting-what")));
        }
    }
    parts.extend(facts.parts(cx, !is_waiting));
    if is_waiting && cx.parsed.settings.notifications.sends(MessageKind::MovedUp) {
        parts.push(MailPart::Paragraph(texts.say("mail-waiting-then")));
    }
    parts
}

/// The score of an exam, as the thank-you page shows it.
fn score(cx: &LetterCx) -> Option<String> {
    let score = exam::shown_score(cx.parsed.exam_key(), &cx.parsed.settings.exam, &cx.entry.results)?;
    let shown = |points: f64| exam::points_text(points, cx.cx.locale);
    let args = [("score", shown(score.points).into()), ("most", shown(score.most).into())];
    let line = cx.texts().fill("exam-score", &args);
    Some(match score.is_passed {
        Some(is_passed) => {
            cx.texts().labelled(&line, &cx.texts().say(if is_passed { "exam-passed" } else { "exam-failed" }))
        }
        None => line,
    })
}

/// The entry's verification code, where the form gives codes and the owner's words do not place it.
fn code(cx: &LetterCx, own: &OwnWords) -> Option<String> {
    let gives_codes = cx.parsed.settings.verification_code.enabled && own.message.is_none();
    // The code of a waiting entry is not valid yet.
    let code = cx.entry.results.gen_code.as_ref().filter(|_| gives_codes && !cx.entry.results.is_waiting)?;
    let label = cx.texts().say("done-code");
    Some(format!("{label}{}{code}", cx.texts().colon(&label)))
}

fn ways(cx: &LetterCx, links: Links, subject: Subject) -> Vec<MailPart> {
    let texts = cx.texts();
    // A cancelled booking can't be changed: the other answers can.
    let is_cancelled = cx.entry.results.reservation_status == Some(ReservationStatus::Cancelled);
    let change = match subject {
        Subject::Booking if !is_cancelled => "mail-receipt-change",
        Subject::Order => "mail-receipt-change-order",
        Subject::Booking | Subject::Response => "mail-receipt-edit",
    };
    let own = [("mail-waiting-place", links.place), (change, links.edit), ("mail-receipt-cancel", links.cancel)];
    let may_change = own.iter().any(|(_, address)| address.is_some());
    let all = std::iter::once(("mail-receipt-certificate", links.certificate)).chain(own);
    let ways: Vec<_> = all.filter_map(|(words, address)| Some((texts.say(words), address?))).collect();
    let ways = (!ways.is_empty()).then_some(MailPart::Ways(ways));
    let note = may_change.then(|| MailPart::Note(texts.say("mail-receipt-edit-text")));
    ways.into_iter().chain(note).collect()
}
