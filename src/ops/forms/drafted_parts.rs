//! Parts of a draft that are published together with an edit of the fields: rules, theme and the exam's questions.

use std::collections::HashSet;

use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::fields::Fields;
use crate::fields::kind::Cx;
use crate::fields::values::results::exam;
use crate::model::audit::Action;
use crate::model::draft::parts::PartName;
use crate::model::form::FormSection;
use crate::ops::accounts::audit::{self, By};
use crate::ops::forms::drafts::parts;
use crate::ops::forms::settings;
use crate::query::form_cache::ParsedForm;
use crate::store::db::tx::Tx;
use crate::store::forms;

/// A part that is published.
#[derive(Clone)]
pub struct ChangedPart {
    pub name: PartName,
    pub body: Json,
    /// The published body that the change started from; it must not have changed since.
    pub base: Json,
}

/// Parts and codes that a draft publishes with its fields.
#[derive(Clone, Default)]
pub struct DraftedParts {
    /// The codes that it gave to its new fields.
    pub codes: HashSet<String>,
    pub changed: Vec<ChangedPart>,
    /// The name of the published version in the form's history.
    pub version_name: Option<String>,
}

impl DraftedParts {
    /// Checks that nobody changed the parts since the draft was read.
    ///
    /// # Errors
    /// 412.
    pub fn check_bases(&self, parsed: &ParsedForm) -> Result<()> {
        let is_same = |part: &ChangedPart| parts::published_body(parsed, part.name) == part.base;
        if self.changed.iter().all(is_same) { Ok(()) } else { Err(Error::VersionConflict) }
    }

    fn body(&self, name: PartName) -> Option<&Json> {
        self.changed.iter().find(|part| part.name == name).map(|part| &part.body)
    }

    /// The rules as they are published.
    pub fn rules<'p>(&'p self, parsed: &'p ParsedForm) -> &'p Json {
        self.body(PartName::Rules).unwrap_or(&parsed.parts.field_rules)
    }

    /// The settings as they are published.
    ///
    /// # Errors
    /// Internal, when the stored settings are damaged.
    pub fn settings(&self, parsed: &ParsedForm, fields: &Fields, cx: &Cx) -> Result<Json> {
        let stored = &parsed.parts.settings;
        match self.body(PartName::ExamQuestions) {
            Some(questions) => Ok(settings::with_exam_questions(stored, questions, fields, cx)?.0),
            None => Ok(stored.clone()),
        }
    }

    /// Whether entries get other points by them.
    pub fn rescores(&self, parsed: &ParsedForm) -> bool {
        parsed.scene == exam::SCENE && self.body(PartName::ExamQuestions).is_some()
    }

    /// Stores the theme, and notes the other parts that are stored with the fields.
    ///
    /// # Errors
    /// 503.
    pub fn store(&self, tx: &Tx, form_no: i64, by: By, token: &str) -> Result<()> {
        for part in &self.changed {
            let action = match part.name {
                PartName::Rules => Action::RulesUpdated,
                PartName::Theme => Action::ThemeUpdated,
                PartName::ExamQuestions => Action::SettingsUpdated,
            };
            audit::note_form(tx, by, action, token)?;
            if part.name == PartName::Theme {
                forms::update_part(tx, form_no, FormSection::Theme, &part.body)?;
            }
        }
        Ok(())
    }
}
