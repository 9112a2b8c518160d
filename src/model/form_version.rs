//! Versions of a form: its content after each change, and a description of the change.

use serde::{Deserialize, Serialize};

use crate::base::clock::Time;
use crate::base::json::Json;
use crate::base::named::named;
use crate::model::audit::Actor;
use crate::model::draft::parts::PartName;

named! {
    /// The way by which a version came.
    pub enum Origin {
        /// Published or renamed on the form's pages.
        Console = "console",
        /// A program changed it, or the command line.
        Api = "api",
    }
}

/// Parts of a form that a version keeps, in their stored shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FormContent {
    pub name: String,
    pub description: Option<String>,
    /// The list of the fields.
    pub fields: Json,
    pub field_rules: Json,
    pub theme: Json,
}

/// A change of a form, told without a language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum FormChange {
    Name,
    Description,
    Added {
        code: String,
        label: String,
    },
    Removed {
        code: String,
        label: String,
    },
    /// The keys of the definition that differ.
    Changed {
        code: String,
        label: String,
        keys: Vec<String>,
    },
    /// Existing fields changed their order.
    Reordered,
    /// The rules, the theme, or the exam's questions, which no version keeps.
    Part {
        part: PartName,
    },
}

/// A version in a list.
#[derive(Clone, Debug)]
pub struct FormVersion {
    /// Counts from 1 for each form.
    pub number: i64,
    pub created_at: Time,
    pub origin: Origin,
    /// `None` for the command line, and for content from before versions were kept.
    pub user: Option<Actor>,
    /// A name that a user gave the version.
    pub name: Option<String>,
    /// How it differs from the version before; empty for the first one that is kept.
    pub changes: Vec<FormChange>,
}
