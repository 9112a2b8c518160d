//! What the thank-you page shows of an entry.

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::base::json::Json;
use crate::fields::Field;
use crate::fields::kind::Cx;
use crate::fields::links::Found;
use crate::fields::values::Values;
use crate::fields::{stored, values};
use crate::model::entry::{self, Entry};
use crate::ops::published::{self, Published};
use crate::ops::{App, edit_right, links, respondent_entries};
use crate::store::entries;

/// What a thank-you page is about.
pub struct Receipt {
    /// The form.
    pub published: Published,
    /// The entry; none when it is in the trash.
    pub entry: Option<Entry>,
    /// What it links to.
    pub found: Found,
    /// Whether whoever asks has the right to edit the entry, and may do so now.
    pub may_edit: bool,
    /// Whether its answers are shown: as they were sent, or to whom may edit them.
    shows_answers: bool,
}

/// One question with its answer.
pub struct Answer<'r> {
    /// The question.
    pub field: &'r Field,
    /// What is stored of the answer; none where there is none.
    pub value: Option<Json>,
}

/// The form and the entry that a receipt is for. The receipt stands for the password.
///
/// # Errors
/// 404 unless the form is published.
pub fn find(app: &App, token: &str, serial: i64, edit_token: Option<&str>) -> Result<Receipt> {
    app.store.read(|tx| {
        let published = published::load(app, tx, token)?;
        let entry = entries::by_serial(tx, published.form.form_no, serial)?;
        let found = links::of_entries(&app.cache, tx, &published.parsed, &entry)?;
        let settings = &published.parsed.settings;
        let has_right = entry
            .as_ref()
            .zip(edit_token)
            .is_some_and(|(entry, right)| {
                published.may_edit_later() && edit_right::opens(app.keys(), &entry.token, right)
            });
        let is_as_sent = entry
            .as_ref()
            .is_some_and(|entry| entry.version == entry::FIRST_VERSION);
        Ok(Receipt {
            may_edit: has_right && respondent_entries::check_open(&published).is_ok(),
            shows_answers: settings.after_submission.show_answers && (is_as_sent || has_right),
            published,
            entry,
            found,
        })
    })
}

impl Receipt {
    /// What reading and showing values needs to know.
    pub fn cx(&self, now: Time) -> Cx<'_> {
        self.published.parsed.cx_with(now, true, &self.found)
    }

    /// The questions as the respondent saw them, in their order: none that is hidden, or that rules hide. Empty
    /// where the answers are not shown.
    pub fn answers(&self, cx: &Cx) -> Vec<Answer<'_>> {
        let Some(entry) = self.entry.as_ref().filter(|_| self.shows_answers) else {
            return Vec::new();
        };
        let parsed = &self.published.parsed;
        let fields = &parsed.definition.fields;
        let stored = stored::values(&entry.values).unwrap_or_default();
        let (_, outcome) = values::look(fields, &parsed.rules, Some(&stored), &Values::new(), cx);
        let shown = fields.iter().enumerate().filter(|(place, field)| {
            field.kind.has_value() && !field.hidden && !outcome.hides(*place)
        });
        shown
            .map(|(_, field)| Answer {
                field,
                value: values::today(field, stored.get(&field.api_code), cx),
            })
            .collect()
    }
}
