//! Values of entries at the moment at which they are read: as stored, but for formulas that depend on the day.

use std::borrow::Cow;

use crate::base::error::{Error, Result};
use crate::fields::kind::Cx;
use crate::fields::values::{Values, stored};
use crate::query::form_cache::ParsedForm;

/// The values of an entry, from its stored text.
///
/// # Errors
/// Internal, when the stored text is damaged.
pub fn values(parsed: &ParsedForm, stored: &str, cx: &Cx) -> Result<Values> {
    let mut values = stored::values(stored).map_err(Error::internal)?;
    if parsed.rules.has_daily() {
        parsed.rules.refresh(&parsed.definition.fields, &mut values, cx);
    }
    Ok(values)
}

/// Like [`values`], as text in the form in which values are stored.
///
/// # Errors
/// Internal, when the stored text is damaged.
pub fn text<'t>(parsed: &ParsedForm, stored: &'t str, cx: &Cx) -> Result<Cow<'t, str>> {
    if !parsed.rules.has_daily() {
        return Ok(Cow::Borrowed(stored));
    }
    Ok(Cow::Owned(stored::text(&values(parsed, stored, cx)?)))
}

/// Reads the values of some fields of many entries.
pub struct Picker<'p> {
    parsed: &'p ParsedForm,
    codes: Vec<&'p str>,
    is_daily: bool,
}

impl<'p> Picker<'p> {
    /// For these fields.
    pub fn new(parsed: &'p ParsedForm, mut codes: Vec<&'p str>) -> Self {
        let fields = &parsed.definition.fields;
        let is_daily = |code: &&str| {
            let place = fields.position(code);
            place.is_some_and(|place| parsed.rules.is_daily(place))
        };
        let is_daily = codes.iter().any(is_daily);
        if is_daily {
            let needed = parsed.rules.needed_daily().iter();
            codes.extend(needed.filter_map(|place| Some(fields.at(*place)?.api_code.as_str())));
        }
        Self { parsed, codes, is_daily }
    }

    /// The values of an entry, from its stored text; among them may be some of other fields.
    ///
    /// # Errors
    /// Internal, when the stored text is damaged.
    pub fn values(&self, stored: &str, cx: &Cx) -> Result<Values> {
        if self.codes.is_empty() {
            return Ok(Values::new());
        }
        let mut values = stored::pick(stored, &self.codes).map_err(Error::internal)?;
        if self.is_daily {
            let fields = &self.parsed.definition.fields;
            self.parsed.rules.refresh(fields, &mut values, cx);
        }
        Ok(values)
    }
}
