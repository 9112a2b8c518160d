//! A form, as it is stored.

use crate::base::clock::Time;
use crate::base::id::FormToken;
use crate::base::json::Json;
use crate::model::precondition::Etag;
use crate::model::user::UserId;

/// A form without its fields, settings, theme and rules.
#[derive(Clone, Debug)]
pub struct Form {
    /// The row id.
    pub form_no: i64,
    pub token: FormToken,
    pub owner: UserId,
    /// 1 to 200 characters.
    pub name: String,
    pub description: Option<String>,
    /// `survey`, `exam` …
    pub scene: String,
    /// `classic` or `card`.
    pub layout: String,
    /// BCP 47.
    pub locale: String,
    /// IANA.
    pub timezone: String,
    /// Whether respondents can open it.
    pub published: bool,
    /// Counts the changes of all parts. Data derived from the form is cached by it.
    pub version: i64,
    /// The versions of the parts, for their ETags.
    pub versions: Versions,
    pub created_at: Time,
    /// When its head or fields last changed.
    pub updated_at: Time,
    /// When it was moved to the trash.
    pub deleted_at: Option<Time>,
    /// Entries that are not in the trash.
    pub entries_count: i64,
    pub last_entry_at: Option<Time>,
}

/// The versions of a form's parts.
#[derive(Clone, Copy, Debug)]
pub struct Versions {
    /// Name, fields and the like.
    pub form: i64,
    pub settings: i64,
    pub theme: i64,
    /// Field rules.
    pub rules: i64,
}

/// The parts of a form that are stored as JSON.
#[derive(Clone, Debug)]
pub struct Parts {
    /// `fields/definition.rs` reads and writes it.
    pub fields: Json,
    /// Groups of spec 2.10 and contract 5 as they were set.
    pub settings: Json,
    /// Contract 5.
    pub theme: Json,
    /// Contract 5.
    pub field_rules: Json,
}

/// A part of a form with a version of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormSection {
    /// Name, fields and the like.
    Form,
    Settings,
    Theme,
    /// Field rules.
    Rules,
}

impl Form {
    /// The ETag of a part.
    pub fn etag(&self, part: FormSection) -> Etag {
        let (name, version) = match part {
            FormSection::Form => ("form", self.versions.form),
            FormSection::Settings => ("settings", self.versions.settings),
            FormSection::Theme => ("theme", self.versions.theme),
            FormSection::Rules => ("rules", self.versions.rules),
        };
        Etag(format!("{name}-{version}"))
    }
}

/// The values of `scene`.
pub const SCENES: [(&str, &str); 8] = [
    ("form", "form"),
    ("survey", "survey"),
    ("registration", "registration"),
    ("vote", "vote"),
    ("exam", "exam"),
    ("evaluation", "evaluation"),
    ("booking", "booking"),
    ("order", "order"),
];

/// The values of `layout`.
pub const LAYOUTS: [(&str, &str); 2] = [("classic", "classic"), ("card", "card")];
