//! Links from a form's entries to entries of another form: the settings of a linked field, and the forms and entries
//! loaded for it. Pure: kinds name what they need, and the request's handler loads it.

pub mod associated;
pub mod linked;
#[cfg(test)]
pub(in crate::fields) mod test_links;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::tz::TimeZone;
use serde::Serialize;

use crate::base::json::Json;
use crate::fields::Fields;
use crate::fields::files::FoundFiles;
use crate::fields::images::Images;
use crate::fields::kind::Cx;
use crate::fields::schedule::occupancy::Occupancy;
use crate::fields::values::stored::Values;
use crate::model::entry::Entry;

/// Refers to an entry of a form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// The form's token.
    pub form: String,
    /// The entry's token.
    pub entry: String,
}

/// The settings of a linked field (contract 3.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LinkRules {
    pub form_token: String,
    /// The fields that its entries are searched and labelled by.
    pub search_fields: Vec<String>,
    /// The fields shown with a link.
    pub display_fields: Vec<DisplayedField>,
}

/// A displayed field of the other form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DisplayedField {
    pub api_code: String,
    /// Whether respondents see it.
    pub public: bool,
    /// Whether respondents see it masked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub protected: bool,
}

/// A form that can be linked to.
pub struct LinkedForm {
    pub fields: Arc<Fields>,
    pub timezone: TimeZone,
    pub locale: String,
    /// Changes with what its entries show, unless they change themselves.
    pub mark: u32,
}

/// An entry of such a form.
#[derive(Clone)]
pub struct LinkedEntry {
    pub entry: Entry,
    /// Its stored values.
    pub values: Values,
}

/// The result of looking up a link.
pub enum LinkTarget<'f> {
    /// Not looked up.
    Unknown,
    /// Entry or form are in the trash, or never existed.
    Gone,
    /// The entry and its form.
    There(&'f LinkedForm, &'f LinkedEntry),
}

/// Entries that a control offers for linking.
#[derive(Clone, Default)]
pub struct Offer {
    /// The keyword searched for; empty to browse everything.
    pub keyword: String,
    pub entries: Vec<LinkedEntry>,
    /// Whether there are more entries.
    pub more: bool,
    /// Whether the other form's owner allows browsing.
    pub may_browse: bool,
}

/// Everything loaded for a request.
#[derive(Clone, Default)]
pub struct LinkedData {
    forms: BTreeMap<String, Arc<LinkedForm>>,
    entries: BTreeMap<Link, Option<LinkedEntry>>,
    offers: BTreeMap<String, Offer>,
    /// Uploads and files named in values.
    pub files: FoundFiles,
    /// Amounts taken from the fields' counters, as far as the page shows them.
    pub occupancy: Occupancy,
    images: Option<Arc<Images>>,
}

/// Nothing was looked up.
pub static NOTHING: LinkedData = LinkedData {
    forms: BTreeMap::new(),
    entries: BTreeMap::new(),
    offers: BTreeMap::new(),
    files: FoundFiles::NONE,
    occupancy: Occupancy::NONE,
    images: None,
};

impl LinkedData {
    /// Adds the images named in a definition or in settings.
    pub fn add_images(&mut self, images: Images) {
        self.images = Some(Arc::new(images));
    }

    pub fn images(&self) -> &Images {
        self.images.as_deref().unwrap_or_default()
    }

    pub fn add_form(&mut self, token: String, form: Arc<LinkedForm>) {
        self.forms.insert(token, form);
    }

    /// Adds the result of looking up a link.
    pub fn add_entry(&mut self, link: Link, entry: Option<LinkedEntry>) {
        self.entries.insert(link, entry);
    }

    /// Adds the entries that a field's control offers.
    pub fn add_offer(&mut self, api_code: String, offer: Offer) {
        self.offers.insert(api_code, offer);
    }

    pub fn form(&self, token: &str) -> Option<&LinkedForm> {
        self.forms.get(token).map(Arc::as_ref)
    }

    pub fn remove_form(&mut self, token: &str) {
        self.forms.remove(token);
    }

    /// A copy with nothing but the forms.
    pub fn forms_alone(&self) -> Self {
        Self { forms: self.forms.clone(), ..Self::default() }
    }

    /// The number of links looked up.
    pub fn links_known(&self) -> usize {
        self.entries.len()
    }

    /// Whether a link was looked up.
    pub fn knows(&self, link: &Link) -> bool {
        self.entries.contains_key(link)
    }

    /// The entry that a link leads to.
    pub fn target(&self, link: &Link) -> LinkTarget<'_> {
        match self.entries.get(link) {
            None => LinkTarget::Unknown,
            Some(None) => LinkTarget::Gone,
            Some(Some(entry)) => self.form(&link.form).map_or(LinkTarget::Gone, |form| LinkTarget::There(form, entry)),
        }
    }

    /// The entries that a field's control offers.
    pub fn offer(&self, api_code: &str) -> Option<&Offer> {
        self.offers.get(api_code)
    }
}

impl LinkRules {
    /// The fields by which entries are searched: for respondents only those visible to them and not masked (S42).
    pub fn searched(&self, respondent: bool) -> impl Iterator<Item = &str> {
        let codes = self.search_fields.iter().map(String::as_str);
        codes.filter(move |code| {
            !respondent || self.shown_as(code).is_some_and(|shown| shown.public && !shown.protected)
        })
    }

    /// The fields shown with a link.
    pub fn displayed(&self, respondent: bool) -> impl Iterator<Item = &str> {
        let shown = self.display_fields.iter();
        shown.filter(move |shown| shown.public || !respondent).map(|shown| shown.api_code.as_str())
    }

    /// How a field of the other form is displayed, if it is.
    pub fn shown_as(&self, code: &str) -> Option<&DisplayedField> {
        self.display_fields.iter().find(|s| s.api_code == code)
    }
}

impl LinkedForm {
    /// The context for reading this form's values. Links of the linked entries are not followed.
    pub fn cx<'a>(&'a self, outer: &Cx<'a>) -> Cx<'a> {
        Cx {
            timezone: &self.timezone,
            locale: &self.locale,
            found: &NOTHING,
            pass_score: None,
            has_waiting_list: false,
            ..*outer
        }
    }
}

/// The entry token of a write shape: the token alone, or a read shape sent back.
pub fn token_of(raw: &Json) -> Option<&str> {
    raw.as_str().or_else(|| raw["entry_token"].as_str())
}
