//! Mail about a new entry: the receipt for its respondent, and notices for those who run the form. Both are in the
//! form's language.

use crate::base::text::texts::{self, Texts};
use crate::fields::display::money;
use crate::fields::kind::Cx;
use crate::fields::{Field, values};
use crate::model::entry::Entry;
use crate::model::form::Form;
use crate::model::settings::ReceiptMail;
use crate::ops::delivery::mail_templates::{Letter, MailPart, site};
use crate::ops::entries::after_submission;
use crate::query::as_read;
use crate::query::form_cache::ParsedForm;

/// Answers in a notice are cut at so many bytes.
const MAX_ANSWERS: usize = 64 << 10;

/// A new entry, with what is needed to tell of it.
pub struct NewEntryCx<'a> {
    pub form: &'a Form,
    pub parsed: &'a ParsedForm,
    pub entry: &'a Entry,
    pub cx: Cx<'a>,
    pub base_url: &'a str,
}

impl NewEntryCx<'_> {
    fn texts(&self) -> &'static Texts {
        texts::texts(&self.form.locale)
    }

    /// A text about the form.
    fn of_form(&self, id: &str) -> String {
        let form = self.form.name.as_str();
        self.texts().fill(id, &[("form", form.into())])
    }

    fn moment(&self) -> String {
        let zone = self.parsed.timezone.clone();
        let local = self.entry.created_at.timestamp().to_zoned(zone);
        local.strftime(&self.texts().say("form-moment")).to_string()
    }

    fn filled(&self, template: &str) -> String {
        after_submission::line(self.parsed, self.entry, &self.cx, template)
    }

    fn answer(&self, field: &Field, stored: &values::Values) -> Option<(String, Vec<String>)> {
        let value = values::today(field, stored.get(&field.api_code), &self.cx)?;
        let mut lines = field.kind.lines(&value, &self.cx);
        if let Some(total) = field.kind.total(&value) {
            let currency = &self.parsed.settings.pricing.currency;
            let price = money::price(total, currency, self.cx.locale);
            lines.push(self.texts().fill("shop-total", &[("price", price.into())]));
        }
        let question = if field.label.is_empty() { self.texts().say("form-unnamed") } else { field.label.clone() };
        Some((question, lines))
    }
}

/// The receipt; `edit` is the address of the page that edits the entry, where that is allowed.
pub fn receipt(new: &NewEntryCx, own: &ReceiptMail, edit: Option<String>) -> Letter {
    let texts = new.texts();
    let filled = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let subject = match filled(&own.subject) {
        Some(subject) => new.filled(&subject),
        None => new.of_form("mail-receipt-subject"),
    };
    let message = match filled(&own.message) {
        Some(rich) => MailPart::Rich(after_submission::rich(new.parsed, new.entry, &new.cx, &rich)),
        None => MailPart::Paragraph(new.of_form("mail-receipt-text")),
    };
    let serial = new.entry.serial.to_string();
    let serial = texts.fill("done-serial", &[("serial", serial.into())]);
    let mut parts = vec![message, MailPart::Paragraph(serial)];
    if let Some(address) = edit {
        parts.push(MailPart::Link(texts.say("mail-receipt-edit"), address));
        parts.push(MailPart::Note(texts.say("mail-receipt-edit-text")));
    }
    let (form, site) = (new.form.name.as_str(), site(new.base_url));
    let why = [("form", form.into()), ("site", site.into())];
    parts.push(MailPart::Note(texts.fill("mail-receipt-why", &why)));
    Letter { texts, subject, parts, unsubscribe: None }
}

/// The question whether an address wants notices of a form; `confirm` is the address of the page that says so.
pub fn consent(form: &Form, base_url: &str, confirm: String) -> Letter {
    let texts = texts::texts(&form.locale);
    let (name, site) = (form.name.as_str(), site(base_url));
    let of_form = |id| texts.fill(id, &[("form", name.into()), ("site", site.into())]);
    Letter {
        texts,
        subject: of_form("mail-consent-subject"),
        parts: vec![
            MailPart::Paragraph(of_form("mail-consent-text")),
            MailPart::Link(texts.say("mail-consent-button"), confirm),
            MailPart::Note(texts.say("mail-consent-note")),
        ],
        unsubscribe: None,
    }
}

/// What was answered, for notices: every question with its lines, and whether some were left out.
pub struct Answers {
    all: Vec<(String, Vec<String>)>,
    is_cut: bool,
}

/// The answers of an entry, hidden fields included.
pub fn answers(new: &NewEntryCx) -> Answers {
    let stored = as_read::values(new.parsed, &new.entry.values, &new.cx).unwrap_or_default();
    let fields = new.parsed.definition.fields.with_values();
    let mut room = MAX_ANSWERS;
    let mut out = Answers { all: Vec::new(), is_cut: false };
    for (question, lines) in fields.filter_map(|field| new.answer(field, &stored)) {
        let length = question.len() + lines.iter().map(String::len).sum::<usize>();
        match room.checked_sub(length) {
            Some(left) => {
                room = left;
                out.all.push((question, lines));
            }
            None => out.is_cut = true,
        }
    }
    out
}

/// A notice; `stop` is the address of the page that ends them.
pub fn notice(new: &NewEntryCx, answers: Option<&Answers>, stop: String) -> Letter {
    let texts = new.texts();
    let (form, serial) = (new.form.name.as_str(), new.entry.serial.to_string());
    let subject = [("form", form.into()), ("serial", serial.as_str().into())];
    let facts = [("serial", serial.as_str().into()), ("when", new.moment().into())];
    let mut parts = vec![
        MailPart::Paragraph(new.of_form("mail-notice-text")),
        MailPart::Paragraph(texts.fill("mail-notice-facts", &facts)),
    ];
    if let Some(answers) = answers {
        parts.push(MailPart::Answers(answers.all.clone()));
        if answers.is_cut {
            parts.push(MailPart::Note(texts.say("mail-notice-cut")));
        }
    }
    let forms = format!("{}/forms", new.base_url);
    parts.push(MailPart::Link(texts.say("mail-notice-open"), forms));
    parts.push(MailPart::NoteLink(texts.say("mail-notice-stop"), stop.clone()));
    Letter { texts, subject: texts.fill("mail-notice-subject", &subject), parts, unsubscribe: Some(stop) }
}
