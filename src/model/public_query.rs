//! Public queries: pages on which visitors look up entries of a form (spec 2.2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::base::clock::Time;
use crate::base::id::QueryToken;
use crate::base::json::Json;
use crate::base::named::named;
use crate::model::precondition::Etag;
use crate::model::user::UserId;

/// A public query.
#[derive(Clone, Debug)]
pub struct PublicQuery {
    /// The row id.
    pub id: i64,
    pub token: QueryToken,
    /// The form that it reads; `None` once that is gone for good.
    pub form_no: Option<i64>,
    /// The user who made it.
    pub creator: Option<UserId>,
    pub version: i64,
    pub content: Content,
    pub searches_count: i64,
    pub views_count: i64,
    pub created_at: Time,
    pub updated_at: Time,
}

/// Settings that the form's managers can change.
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    pub name: String,
    pub description: Option<String>,
    /// Whether the public page accepts searches.
    pub enabled: bool,
    pub allow_to_export_results: bool,
    pub rules: Rules,
}

/// The fields to search by and to show, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    pub search_button: SearchButton,
    pub messages: Messages,
    pub background_image: Option<BackgroundImage>,
    /// Every group must be satisfied.
    pub search: Vec<SearchGroup>,
    pub display: Vec<DisplayRule>,
    /// Filter conditions that every entry must meet, as they were given.
    pub scope: Vec<Json>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchButton {
    pub text: String,
    /// `#RRGGBB`.
    pub color: String,
}

/// Rich text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Messages {
    /// Shown above results.
    pub has_result: String,
    /// Shown when nothing matches.
    pub no_result: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BackgroundImage {
    /// The image's token.
    pub id: String,
    /// The focal point, in percent from the left.
    pub position_x: Option<f64>,
    /// In percent from the top.
    pub position_y: Option<f64>,
}

named! {
    /// How the fields of a search group go together.
    pub enum Operand {
        /// Every field must be filled in, and match.
        And = "and",
        /// One filled-in field must match.
        Or = "or",
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchGroup {
    #[serde(with = "by_name")]
    pub operand: Operand,
    pub fields: Vec<SearchField>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchField {
    /// Its api_code.
    pub field: String,
    /// Shown instead of the field's own label.
    pub label: Option<String>,
    /// Whether part of the value is enough for a match.
    pub fuzzy: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisplayRule {
    /// Its api_code.
    pub field: String,
    /// Shown instead of the field's own label.
    pub label: Option<String>,
    /// Whether visitors may change the value.
    pub editable: bool,
    /// Whether the value is masked.
    pub protected: bool,
    pub highlight: Option<Highlight>,
}

/// Highlighting of a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Highlight {
    /// `#RRGGBB`.
    pub color: String,
    /// The order among highlighted values.
    pub position: i64,
}

impl Rules {
    /// The fields that are searched, in their order.
    pub fn searched(&self) -> impl Iterator<Item = &SearchField> {
        self.search.iter().flat_map(|group| &group.fields)
    }
}

named! {
    /// Whether a query can be used, and why not (spec 3).
    pub enum Status {
        Active = "active",
        /// The form holds more entries than the plan allows.
        EntriesCountLimited = "entries_count_limited",
        /// The form was deleted.
        FormNotFound = "form_not_found",
    }
}

impl PublicQuery {
    /// Counters and status don't change it.
    pub fn etag(&self) -> Etag {
        Etag(format!("{}-{}", self.token, self.version))
    }
}

/// Operands by their names.
mod by_name {
    use serde::{Deserialize as _, Deserializer, Serializer, de};

    use super::Operand;

    pub fn serialize<S: Serializer>(operand: &Operand, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(operand.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Operand, D::Error> {
        let name = String::deserialize(from)?;
        Operand::by_name(&name).ok_or_else(|| de::Error::custom("unknown operand"))
    }
}
