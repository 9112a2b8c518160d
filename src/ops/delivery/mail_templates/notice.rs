//! Mail to the people who run a form, in its language: notices of new entries, and the question whether an address
//! wants them.

use crate::base::text::texts;
use crate::fields::Field;
use crate::model::form::Form;
use crate::model::notification_settings::Letter as OwnWords;
use crate::ops::delivery::mail_templates::entry::{Audience, LetterCx, answers};
use crate::ops::delivery::mail_templates::facts::Facts;
use crate::ops::delivery::mail_templates::look::Look;
use crate::ops::delivery::mail_templates::{Letter, MailPart, site};

/// The question whether an address wants notices of a form; `confirm` is the address of the page for agreeing.
pub fn consent(form: &Form, base_url: &str, confirm: String) -> Letter {
    let texts = texts::texts(&form.locale);
    let (name, site) = (form.name.as_str(), site(base_url));
    let of_form = |id| texts.fill(id, &[("form", name.into()), ("site", site.into())]);
    Letter {
        look: Look::default(),
        texts,
        subject: of_form("mail-consent-subject"),
        parts: vec![
            MailPart::Lead(of_form("mail-consent-subject")),
            MailPart::Paragraph(of_form("mail-consent-text")),
            MailPart::Paragraph(texts.say("mail-consent-then")),
            MailPart::Ways(vec![(texts.say("mail-consent-button"), confirm)]),
            MailPart::Note(texts.say("mail-consent-note")),
        ],
        unsubscribe: None,
        files: Vec::new(),
    }
}

/// A notice. `own` is what its owner says of it, where its reader agreed to answers; `entry` is the address of the
/// entry, for a reader who may see it; `stop` is the address of the page that ends such mail.
pub fn notice(cx: &LetterCx, own: Option<&OwnWords>, entry: Option<String>, stop: String) -> Letter {
    let texts = cx.texts();
    let (form, serial) = (cx.form.name.as_str(), cx.entry.serial.to_string());
    let place = cx.entry.waiting_position;
    let args = [("form", form.into()), ("serial", serial.as_str().into()), ("place", place.unwrap_or_default().into())];
    let (subject, text) = match place {
        Some(_) => ("mail-notice-subject-waiting", "mail-notice-text-waiting"),
        None => ("mail-notice-subject", "mail-notice-text"),
    };
    let subject = match own.and_then(|own| own.subject) {
        Some(line) => cx.filled(line),
        None => texts.fill(subject, &args),
    };
    let facts = [("serial", serial.as_str().into()), ("when", cx.moment().into())];
    let mut parts = match own.and_then(|own| own.message) {
        Some(rich) => vec![MailPart::Rich(cx.rich(rich))],
        None => vec![MailPart::Lead(texts.fill(text, &args))],
    };
    parts.push(MailPart::Fact(texts.fill("mail-notice-facts", &facts)));
    if own.is_some_and(|own| own.include_values) {
        // What is booked or ordered comes first, as in the letter to the respondent.
        parts.extend(Facts::of(cx, cx.entry).parts(cx, place.is_none()));
        let others = |field: &Field| field.hidden || !Facts::has(field);
        parts.extend(answers(cx, Audience::Owner, others).parts(texts));
    }
    parts.extend(entry.map(|address| MailPart::Ways(vec![(texts.say("mail-notice-open"), address)])));
    parts.push(MailPart::NoteLink(texts.say("mail-notice-stop"), stop.clone()));
    Letter { look: cx.look(), texts, subject, parts, unsubscribe: Some(stop), files: Vec::new() }
}
