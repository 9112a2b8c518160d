//! The user's mapping of a file's columns: to a question, to a part of one, or to nothing. Columns that a mapping does
//! not name are matched by their names.

use serde_json::Map;

use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::base::json::{self, Json};
use crate::base::reason::{Expected, Reason};
use crate::base::text;

/// The columns that a mapping names, each with the code of its field or part (`field_4.city`); `None` leaves it out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    columns: Vec<(String, Option<String>)>,
}

impl Mapping {
    /// Reads a mapping from JSON, as an address or a flag contains it: `{"Mail": "field_2", "Remarks": null}`.
    ///
    /// # Errors
    /// 400 for text that is not JSON.
    pub fn of_text(text: Option<&str>, at: &mut Issues) -> Result<Self> {
        let Some(text) = text.filter(|text| !text.is_empty()) else {
            return Ok(Self::default());
        };
        let fault = |fault| Error::BadRequest(format!("columns is not valid JSON: {fault}").into());
        match json::read(text.as_bytes()).map_err(fault)? {
            Json::Object(members) => Ok(Self::of_members(members, at)),
            _ => {
                at.push_at("columns", Reason::MustBe(Expected::Object));
                Ok(Self::default())
            }
        }
    }

    fn of_members(members: Map<String, Json>, at: &mut Issues) -> Self {
        let mut columns = Vec::new();
        at.key("columns", |at| {
            for (name, code) in members {
                match code {
                    Json::Null => columns.push((cleaned(&name), None)),
                    Json::String(code) => columns.push((cleaned(&name), Some(code))),
                    _ => at.push_at(&name, Reason::MustBe(Expected::Other("a text or null"))),
                }
            }
        });
        Self { columns }
    }

    /// A mapping of columns by their names.
    pub fn of_columns(columns: impl IntoIterator<Item = (String, Option<String>)>) -> Self {
        Self { columns: columns.into_iter().map(|(name, code)| (cleaned(&name), code)).collect() }
    }

    /// Its columns.
    pub fn columns(&self) -> &[(String, Option<String>)] {
        &self.columns
    }
}

/// A column's name as headers are read.
pub(super) fn cleaned(name: &str) -> String {
    text::clean(name.to_owned()).unwrap_or_default().trim().to_owned()
}
