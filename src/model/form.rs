//! A form: what the store keeps of it.

use crate::base::clock::Time;
use crate::base::id::FormToken;
use crate::base::json::Json;
use crate::model::precondition::Etag;
use crate::model::user::UserId;

/// A form's row, without its fields, settings, theme and rules.
#[derive(Clone, Debug)]
pub struct Form {
    /// Inside the database.
    pub form_no: i64,
    /// Public.
    pub token: FormToken,
    /// Who made it.
    pub owner: UserId,
    /// 1 to 200 characters.
    pub name: String,
    /// Free text.
    pub description: Option<String>,
    /// `survey`, `exam` …
    pub scene: String,
    /// `classic` or `card`.
    pub layout: String,
    /// BCP 47.
    pub locale: String,
    /// IANA.
    pub timezone: String,
    /// Whether respondents reach it.
    pub published: bool,
    /// Counts every change of any part: what is derived from the form is kept by it.
    pub version: i64,
    /// The versions of the parts, for their ETags.
    pub versions: Versions,
    /// When it was made.
    pub created_at: Time,
    /// When form, settings, theme or rules last changed.
    pub updated_at: Time,
    /// When it went to the trash.
    pub deleted_at: Option<Time>,
    /// Entries that are not in the trash.
    pub entries_count: i64,
    /// When the newest entry came.
    pub last_entry_at: Option<Time>,
}

/// The versions of a form's parts.
#[derive(Clone, Copy, Debug)]
pub struct Versions {
    /// Name, fields and the like.
    pub form: i64,
    /// Settings.
    pub settings: i64,
    /// Theme.
    pub theme: i64,
    /// Field rules.
    pub rules: i64,
}

/// The parts of a form that are kept as JSON.
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

/// Which part of a form a tag is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Name, fields and the like.
    Form,
    /// Settings.
    Settings,
    /// Theme.
    Theme,
    /// Field rules.
    Rules,
}

impl Form {
    /// The tag of one of its parts.
    pub fn etag(&self, part: Part) -> Etag {
        let (word, version) = match part {
            Part::Form => ("form", self.versions.form),
            Part::Settings => ("settings", self.versions.settings),
            Part::Theme => ("theme", self.versions.theme),
            Part::Rules => ("rules", self.versions.rules),
        };
        Etag(format!("{word}-{version}"))
    }
}

/// The words of `scene`.
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

/// The words of `layout`.
pub const LAYOUTS: [(&str, &str); 2] = [("classic", "classic"), ("card", "card")];
