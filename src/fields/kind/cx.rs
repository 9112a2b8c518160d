//! Context for kinds: the form, the moment and the definition.

use jiff::tz::TimeZone;

use crate::base::clock::Time;
use crate::fields::Field;
use crate::fields::files::links::FilesCx;
use crate::fields::images::Images;
use crate::fields::kind::{Kind, KindRow};
use crate::fields::links::{LinkedData, NOTHING};

/// Context for reading and writing values: the form and the moment.
pub struct Cx<'a> {
    /// The form's timezone.
    pub timezone: &'a TimeZone,
    /// The form's locale, such as `en` or `zh-CN`.
    pub locale: &'a str,
    /// When the request began.
    pub now: Time,
    /// Whether a respondent writes or reads, rather than a collaborator.
    pub respondent: bool,
    /// Data loaded from other forms.
    pub found: &'a LinkedData,
    /// Context for files.
    pub files: FilesCx<'a>,
    /// The points needed to pass; `None` where the form is no exam or sets none.
    pub pass_score: Option<f64>,
    /// Whether respondents may wait if nothing is left.
    pub has_waiting_list: bool,
}

impl<'a> Cx<'a> {
    /// The same, for a value of this field.
    pub fn of_field(&self, field: &'a Field) -> Self {
        let files = FilesCx { field: &field.api_code, ..self.files };
        Self { files, ..*self }
    }

    /// The same, for a cell of this column of the field.
    pub fn of_column(&self, column: &'a Field) -> Self {
        let files = FilesCx { column: Some(&column.api_code), ..self.files };
        Self { files, ..*self }
    }
}

impl Cx<'static> {
    /// No form at all, at no time: for descriptions.
    pub fn of_none() -> Self {
        static UTC: TimeZone = TimeZone::UTC;
        Self {
            timezone: &UTC,
            locale: "en",
            now: Time::default(),
            respondent: false,
            found: &NOTHING,
            files: FilesCx::default(),
            pass_score: None,
            has_waiting_list: false,
        }
    }
}

#[cfg(test)]
impl Cx<'static> {
    /// A form in UTC, at noon of 20 November 2026.
    pub fn of_a_test(respondent: bool) -> Self {
        static UTC: TimeZone = TimeZone::UTC;
        Self {
            timezone: &UTC,
            locale: "en",
            now: Time::parse("2026-11-20T12:00:00Z").expect("a time"),
            respondent,
            found: LinkedData::of_a_test(),
            files: FilesCx::default(),
            pass_score: None,
            has_waiting_list: false,
        }
    }
}

/// Context for reading a definition.
#[derive(Clone, Copy, Default)]
pub struct BuildCx<'a> {
    /// All kinds, for kinds made of others.
    pub kinds: &'static [&'static KindRow],
    /// Item names that this field has, or once had and lost: the latter are never used again.
    pub known: &'a [String],
    /// Of these, the ones that it lost.
    pub retired: &'a [String],
    /// The kind that the field has had so far.
    pub old: Option<&'a dyn Kind>,
    /// Whether the definition comes from the store, where it has what `Kind::to_stored` adds.
    pub is_stored: bool,
    /// Data loaded from other forms; `None` for a definition that was checked earlier.
    pub found: Option<&'a LinkedData>,
    /// The loaded images.
    pub images: &'a Images,
}
