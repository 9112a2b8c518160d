//! Mail of the service itself: invitations, and links for users who forgot their password.

use crate::base::text::texts;
use crate::model::user::User;
use crate::ops::delivery::mail_templates::look::Look;
use crate::ops::delivery::mail_templates::{Letter, MailPart, site};

/// An invitation, in the inviter's language.
pub fn invitation(inviter: &User, base_url: &str, link: &str) -> Letter {
    let texts = texts::texts(&inviter.locale);
    let organization = inviter.organization.name.as_str();
    let subject = [("organization", organization.into())];
    let text = [("name", inviter.name.as_str().into()), ("organization", organization.into())];
    Letter {
        look: Look::of_organization(&inviter.organization),
        texts,
        subject: texts.fill("mail-invitation-subject", &subject),
        parts: vec![
            MailPart::Lead(texts.fill("mail-invitation-text", &text)),
            MailPart::Paragraph(texts.fill("mail-invitation-then", &[("site", site(base_url).into())])),
            MailPart::Ways(vec![(texts.say("mail-invitation-button"), link.to_owned())]),
            MailPart::Note(texts.say("mail-invitation-note")),
        ],
        unsubscribe: None,
        files: Vec::new(),
    }
}

/// A link to set another password, in the account's language.
pub fn password_reset(user: &User, base_url: &str, link: &str) -> Letter {
    let texts = texts::texts(&user.locale);
    Letter {
        look: Look::of_organization(&user.organization),
        texts,
        subject: texts.say("mail-reset-subject"),
        parts: vec![
            MailPart::Lead(texts.fill("mail-reset-text", &[("site", site(base_url).into())])),
            MailPart::Paragraph(texts.fill("mail-reset-then", &[("email", user.email.as_str().into())])),
            MailPart::Ways(vec![(texts.say("mail-reset-button"), link.to_owned())]),
            MailPart::Note(texts.say("mail-reset-note")),
        ],
        unsubscribe: None,
        files: Vec::new(),
    }
}
