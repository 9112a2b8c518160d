//! The contents of the thank-you page of an entry.

use rust_decimal::Decimal;

use crate::base::clock::Time;
use crate::base::error::{Error, Noun, Result};
use crate::base::id::EntryToken;
use crate::base::json::Json;
use crate::fields::Field;
use crate::fields::display::money;
use crate::fields::kind::Cx;
use crate::fields::links::LinkedData;
use crate::fields::values::results::exam::{self, Key, Score};
use crate::fields::values::results::{evaluation, pricing};
use crate::fields::values::{self, stored};
use crate::model::entry::{Entry, FIRST_VERSION};
use crate::model::results::{EvaluationReport, ReservationStatus, Results};
use crate::model::settings::AfterMode;
use crate::ops::app::App;
use crate::ops::entries::answers::Answers;
use crate::ops::entries::{edit_right, respondent_entries};
use crate::ops::forms::published::{self, Published};
use crate::query::form_cache::ParsedForm;
use crate::query::{as_read, linked_entries};
use crate::store::entries::{self, trash};

/// The scene of forms by which people sign up.
const REGISTRATION: &str = "registration";

/// The entry that a thank-you page is about, with its form.
pub struct Receipt {
    /// The form.
    pub published: Published,
    /// The entry; none when it is in the trash.
    pub entry: Option<Entry>,
    /// The entries and files that it links to.
    pub found: LinkedData,
    /// Whether the visitor has the right to edit the entry, and may do so now.
    pub may_edit: bool,
    /// Whether the visitor has the right to edit the entry, and it waits for room.
    pub may_leave: bool,
    /// Whether the entry was moved to the trash from the waiting list.
    pub has_left: bool,
    /// Whether its answers may be shown: while they are as they were sent, or to those who may edit them.
    may_show: bool,
}

/// The outcome of a submission, by the scene of its form and the contents of the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Saved,
    Registered,
    HandedIn,
    Booked,
    Ordered,
}

/// How a scored question was answered.
pub struct Marked {
    pub points: f64,
    /// The most points possible.
    pub most: f64,
    /// The right answer as it would be stored; none where it names a part that the field no longer has.
    pub right: Option<Json>,
}

/// One question with its answer.
pub struct Answer<'r> {
    /// The question.
    pub field: &'r Field,
    /// The stored answer; none where there is none.
    pub value: Option<Json>,
    /// How it was scored, where the right answers are shown.
    pub marked: Option<Marked>,
}

/// The form and the entry that a receipt is for, which `is_signed` knows by its token. With the receipt, no password is
/// needed.
///
/// # Errors
/// 404 unless the form is published and has that entry, perhaps in the trash.
pub fn find(
    app: &App,
    token: &str,
    serial: i64,
    is_signed: impl Fn(&EntryToken) -> bool,
    edit_token: Option<&str>,
) -> Result<Receipt> {
    app.store.read(|tx| {
        let published = published::load(app, tx, token)?;
        let entry = entries::by_serial(tx, published.form.form_no, serial)?;
        let found = linked_entries::of_entries(&app.cache, tx, &published.parsed, &entry)?;
        let trashed = match &entry {
            Some(_) => None,
            None => trash::by_serial(tx, published.form.form_no, serial)?,
        };
        let signed = entry.as_ref().or(trashed.as_ref());
        if !signed.is_some_and(|entry| is_signed(&entry.token)) {
            return Err(Error::NotFound(Noun::Page));
        }
        let opens = |(entry, right): (&Entry, &str)| edit_right::opens(app.keys(), &entry.token, right);
        let is_theirs = entry.as_ref().zip(edit_token).is_some_and(opens);
        let is_waiting = entry.as_ref().is_some_and(|it| it.results.is_waiting);
        let has_right = is_theirs && published.may_edit_later();
        let is_as_sent = entry.as_ref().is_some_and(Entry::is_as_sent);
        Ok(Receipt {
            may_leave: is_theirs && is_waiting,
            has_left: trashed.is_some_and(|entry| entry.results.is_waiting),
            may_edit: has_right && respondent_entries::check_open(&published).is_ok(),
            may_show: is_as_sent || has_right,
            published,
            entry,
            found,
        })
    })
}

impl Receipt {
    /// A receipt of answers that are not stored: those of the preview of a draft, as the form's next entry.
    pub fn of_preview(published: Published, answers: &Answers, now: Time) -> Self {
        let (checked, cx) = (answers.checked(), answers.cx());
        let entry = Entry {
            created_at: now,
            updated_at: now,
            version: FIRST_VERSION,
            values: stored::text(&checked.values),
            results: published.parsed.results(checked, &Results::default(), &cx),
            ..Entry::without_values(published.form.entries_count + 1)
        };
        Self {
            published,
            entry: Some(entry),
            found: LinkedData::default(),
            may_edit: false,
            may_leave: false,
            has_left: false,
            may_show: true,
        }
    }

    /// The context for reading and showing values.
    pub fn cx(&self, now: Time) -> Cx<'_> {
        self.published.parsed.cx_with(now, true, &self.found)
    }

    pub fn ending(&self) -> Ending {
        let parsed = &self.published.parsed;
        let Some(entry) = &self.entry else {
            return Ending::Saved;
        };
        match parsed.scene.as_str() {
            exam::SCENE => Ending::HandedIn,
            REGISTRATION => Ending::Registered,
            _ if entry.results.reservation_status == Some(ReservationStatus::Reserved) => Ending::Booked,
            _ if has_ordered(parsed, entry) => Ending::Ordered,
            _ => Ending::Saved,
        }
    }

    /// Whether the entry's booking is cancelled.
    pub fn is_cancelled(&self) -> bool {
        let entry = self.entry.as_ref();
        entry.and_then(|entry| entry.results.reservation_status) == Some(ReservationStatus::Cancelled)
    }

    /// Whether the right answers are shown later only: respondents who may still change their answers would use them.
    pub fn withholds_right(&self) -> bool {
        let parsed = &self.published.parsed;
        let shows = parsed.settings.exam.show_answers && parsed.exam_key().is_some();
        let may_change = self.published.may_edit_later();
        shows && may_change && respondent_entries::check_open(&self.published).is_ok()
    }

    /// The questions as the respondent saw them, in their order: none that is hidden, or that rules hide. Empty
    /// where the answers are not shown.
    pub fn answers(&self, cx: &Cx) -> Vec<Answer<'_>> {
        let Some(entry) = self.entry.as_ref().filter(|_| self.may_show) else {
            return Vec::new();
        };
        let parsed = &self.published.parsed;
        let shows_all = parsed.settings.after_submission.show_answers;
        let key = parsed.exam_key().filter(|_| parsed.settings.exam.show_answers && !self.withholds_right());
        let fields = &parsed.definition.fields;
        let stored = as_read::values(parsed, &entry.values, cx).unwrap_or_default();
        let outcome = values::settled(fields, &parsed.rules, &stored, cx).outcome;
        let shown = fields
            .iter()
            .enumerate()
            .filter(|(place, field)| field.kind.has_value() && !field.hidden && !outcome.hides(*place));
        let answers = shown.map(|(_, field)| {
            let value = values::today(field, stored.get(&field.api_code), cx);
            let marked = key.and_then(|key| marked(key, field, value.as_ref()));
            Answer { field, value, marked }
        });
        answers.filter(|answer| shows_all || answer.marked.is_some()).collect()
    }

    /// The score, where the settings show it.
    pub fn score(&self) -> Option<Score> {
        let parsed = &self.published.parsed;
        exam::shown_score(parsed.exam_key(), &parsed.settings.exam, &self.entry.as_ref()?.results)
    }

    /// The report of an evaluation, where the settings show it.
    pub fn report(&self) -> Option<&EvaluationReport> {
        let parsed = &self.published.parsed;
        let is_shown = parsed.settings.after_submission.mode == AfterMode::Report;
        let is_evaluation = parsed.scene == evaluation::SCENE;
        let results = &self.entry.as_ref()?.results;
        let report = results.evaluation_report.as_ref();
        report.filter(|_| is_shown && is_evaluation)
    }

    /// The price of the order before and after the discount.
    pub fn prices(&self) -> Option<(Decimal, Decimal)> {
        let fields = &self.published.parsed.definition.fields;
        let results = &self.entry.as_ref()?.results;
        let total = money::exact(results.total_price.filter(|_| pricing::has_prices(fields))?);
        Some((total, results.preferential_price.map_or(total, money::exact)))
    }
}

/// Whether any goods were ordered, free ones too.
fn has_ordered(parsed: &ParsedForm, entry: &Entry) -> bool {
    let fields = &parsed.definition.fields;
    if !pricing::has_prices(fields) {
        return false;
    }
    let stored = stored::values(&entry.values).unwrap_or_default();
    let mut priced = fields.iter().filter(|field| pricing::is_priced(&*field.kind));
    priced.any(|field| stored.get(&field.api_code).is_some_and(|value| !values::is_blank(value)))
}

fn marked(key: &Key, field: &Field, value: Option<&Json>) -> Option<Marked> {
    let most = key.worth(&field.api_code)?;
    let points = value.and_then(|value| key.points(&(field, value.clone())));
    Some(Marked {
        points: pricing::float(points.unwrap_or_default()),
        most,
        right: key.right(&field.api_code).cloned(),
    })
}
