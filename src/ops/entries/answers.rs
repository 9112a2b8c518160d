//! The answers of one submission, read once: with the data looked up to read them, the effects of the rules, the values
//! as they would be stored, and all faults. The page of a form is drawn from them, and a write takes them as they are;
//! it reads them again only where the form or the entry changed meanwhile.

use std::sync::Arc;

use crate::base::clock::Time;
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::fields::kind::Cx;
use crate::fields::schedule::occupancy::Occupancy;
use crate::fields::values::results::pricing;
use crate::fields::values::{self, Checked, Values};
use crate::ops::entries::Shape;
use crate::ops::entries::draft::Draft;

/// Answers that were read.
pub struct Answers {
    /// The form, and the data looked up for the answers.
    pub shape: Arc<Shape>,
    /// The faults found in the answers.
    pub faults: Issues,
    /// The stored values that they change; none for a new entry.
    pub(in crate::ops) before: Values,
    pub(in crate::ops) draft: Draft,
    respondent: bool,
    now: Time,
}

impl Answers {
    /// None yet.
    pub fn unread(shape: Arc<Shape>, respondent: bool, now: Time) -> Self {
        let (before, draft) = (Values::new(), Draft::default());
        Self { shape, faults: Issues::new(), before, draft, respondent, now }
    }

    /// Reads the answers of a new entry: write shapes by api_code. Their faults are added to `faults`.
    pub fn of_new(shape: Arc<Shape>, raw: Json, respondent: bool, now: Time, faults: Issues) -> Self {
        let mut own = Self { faults, ..Self::unread(shape, respondent, now) };
        let cx = own.shape.parsed.cx_with(now, respondent, &own.shape.found);
        own.draft = Draft::of_new(&own.shape.parsed, raw, &cx, &mut own.faults);
        own
    }

    /// Reads the answers that change an entry whose values were `before`: the changed fields.
    pub fn of_change(
        shape: Arc<Shape>,
        before: Values,
        raw: Json,
        respondent: bool,
        now: Time,
        faults: Issues,
    ) -> Self {
        let mut own = Self { faults, before, ..Self::unread(shape, respondent, now) };
        let cx = own.shape.parsed.cx_with(now, respondent, &own.shape.found);
        own.draft = Draft::of_change(&own.shape.parsed, &own.before, raw, &cx, &mut own.faults);
        own
    }

    /// The answers of a page that nobody has sent yet. They are not read where nothing on it depends on them.
    pub fn of_fresh_page(shape: Arc<Shape>, raw: Json, now: Time) -> Self {
        let (fields, rules) = (&shape.parsed.definition.fields, &shape.parsed.rules);
        if !rules.is_idle() || pricing::has_prices(fields) {
            return Self::of_new(shape, raw, true, now, Issues::new());
        }
        let checked = values::settled(fields, rules, &Values::new(), &shape.parsed.cx(now, true));
        let mut own = Self::unread(shape, true, now);
        own.draft.checked = checked;
        own
    }

    /// The context for reading and showing values.
    pub fn cx(&self) -> Cx<'_> {
        self.shape.parsed.cx_with(self.now, self.respondent, &self.shape.found)
    }

    /// The values as they would be stored, and the effects of the rules.
    pub fn checked(&self) -> &Checked {
        &self.draft.checked
    }

    /// Notes the amounts taken of the options of the controls.
    pub fn set_occupancy(&mut self, occupancy: Occupancy) {
        Arc::make_mut(&mut self.shape).found.occupancy = occupancy;
    }
}
