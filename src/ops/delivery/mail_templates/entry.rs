//! The common ground of letters about an entry: the entry in the form's language, the owner's words filled in, and the
//! answers.

use std::sync::Arc;

use crate::base::text::texts::{self, Texts};
use crate::fields::display::{moment, money};
use crate::fields::kind::Cx;
use crate::fields::{Field, values};
use crate::model::entry::Entry;
use crate::model::form::Form;
use crate::model::user::OrganizationSettings;
use crate::ops::delivery::mail_templates::look::Look;
use crate::ops::delivery::mail_templates::{MailPart, site};
use crate::ops::entries::after_submission;
use crate::query::as_read;
use crate::query::form_cache::ParsedForm;

/// Answers in a letter are cut at so many bytes.
const MAX_ANSWERS: usize = 64 << 10;

/// An entry, with what is needed to tell of it.
pub struct LetterCx<'a> {
    pub form: &'a Form,
    pub parsed: &'a ParsedForm,
    pub entry: &'a Entry,
    pub cx: Cx<'a>,
    pub organization: Arc<OrganizationSettings>,
    pub base_url: &'a str,
    /// The address that letters come from.
    pub sender: &'a str,
}

impl LetterCx<'_> {
    pub fn texts(&self) -> &'static Texts {
        texts::texts(&self.form.locale)
    }

    pub fn look(&self) -> Look {
        Look::of_form(&self.organization, &self.parsed.parts.theme)
    }

    /// The moment of the submission.
    pub fn moment(&self) -> String {
        let at = self.entry.created_at.timestamp();
        moment::show(at, &self.parsed.timezone, self.texts(), &self.form.locale)
    }

    /// A line of the owner's, its placeholders filled.
    pub fn filled(&self, template: &str) -> String {
        after_submission::line(self.parsed, self.entry, &self.cx, template)
    }

    /// Rich text of the owner's, its placeholders filled.
    pub fn rich(&self, template: &str) -> String {
        after_submission::rich(self.parsed, self.entry, &self.cx, template)
    }

    /// The service's name, without port and path.
    pub fn host(&self) -> &str {
        let site = site(self.base_url);
        let host = site.split('/').next().unwrap_or(site);
        host.rsplit_once(':').map_or(host, |(host, _)| host)
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

/// The readers of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    Respondent,
    /// The people who run the form; they see hidden fields too.
    Owner,
}

/// The answers: every question with its lines, and whether some were left out.
pub struct Answers {
    all: Vec<(String, Vec<String>)>,
    is_cut: bool,
}

/// The answers of an entry to the questions that are `wanted`.
pub fn answers(letter: &LetterCx, audience: Audience, wanted: impl Fn(&Field) -> bool) -> Answers {
    let stored = as_read::values(letter.parsed, &letter.entry.values, &letter.cx).unwrap_or_default();
    let fields = letter.parsed.definition.fields.with_values();
    let fields = fields.filter(|field| (audience == Audience::Owner || !field.hidden) && wanted(field));
    let mut room = MAX_ANSWERS;
    let mut out = Answers { all: Vec::new(), is_cut: false };
    for (question, lines) in fields.filter_map(|field| letter.answer(field, &stored)) {
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

impl Answers {
    pub fn parts(self, texts: &Texts) -> Vec<MailPart> {
        let mut parts = Vec::new();
        if !self.all.is_empty() {
            parts.push(MailPart::Answers(self.all));
        }
        if self.is_cut {
            parts.push(MailPart::Note(texts.say("mail-notice-cut")));
        }
        parts
    }
}
