//! Links from a form's entries to entries of another form: the settings of a linked field, and the forms and entries
//! loaded for it. Pure: kinds name what they need, and the request's handler loads it.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::Map;

use crate::base::json::Json;
use crate::base::text;
use crate::fields::definition::MAX_FIELDS;
use crate::fields::files::FoundFiles;
use crate::fields::images::Images;
use crate::fields::kind::Cx;
use crate::fields::values::{self, Values};
use crate::fields::{Field, Fields};
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
    pub display_fields: Vec<Shown>,
}

/// A displayed field of the other form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shown {
    pub api_code: String,
    /// Whether respondents see it.
    pub public: bool,
    /// Whether it is masked for them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub protected: bool,
}

/// A form that can be linked to.
pub struct LinkedForm {
    pub fields: Arc<Fields>,
    pub timezone: TimeZone,
    pub locale: String,
    /// Changes whenever the fields do.
    pub fields_mark: u32,
}

/// An entry of such a form.
pub struct LinkedEntry {
    pub entry: Entry,
    /// Its stored values.
    pub values: Values,
}

/// The result of looking up a link.
pub enum Target<'f> {
    /// Not looked up.
    Unknown,
    /// Entry or form are in the trash, or never existed.
    Gone,
    /// The entry and its form.
    There(&'f LinkedForm, &'f LinkedEntry),
}

/// Entries that a control offers for linking.
#[derive(Default)]
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
#[derive(Default)]
pub struct Found {
    forms: BTreeMap<String, Arc<LinkedForm>>,
    entries: BTreeMap<Link, Option<LinkedEntry>>,
    offers: BTreeMap<String, Offer>,
    /// Uploads and files named in values.
    pub files: FoundFiles,
    images: Option<Box<Images>>,
}

/// Nothing was looked up.
pub static NOTHING: Found = Found {
    forms: BTreeMap::new(),
    entries: BTreeMap::new(),
    offers: BTreeMap::new(),
    files: FoundFiles::NONE,
    images: None,
};

impl Found {
    /// Adds the images named in a definition or in settings.
    pub fn add_images(&mut self, images: Images) {
        self.images = Some(Box::new(images));
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
        Self {
            forms: self.forms.clone(),
            ..Self::default()
        }
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
    pub fn target(&self, link: &Link) -> Target<'_> {
        match self.entries.get(link) {
            None => Target::Unknown,
            Some(None) => Target::Gone,
            Some(Some(entry)) => self
                .form(&link.form)
                .map_or(Target::Gone, |form| Target::There(form, entry)),
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
            !respondent
                || self
                    .shown_as(code)
                    .is_some_and(|shown| shown.public && !shown.protected)
        })
    }

    /// The fields shown with a link.
    pub fn displayed(&self, respondent: bool) -> impl Iterator<Item = &str> {
        let shown = self.display_fields.iter();
        shown
            .filter(move |shown| shown.public || !respondent)
            .map(|shown| shown.api_code.as_str())
    }

    /// The fields that an entry is called by.
    fn naming(&self, respondent: bool) -> impl Iterator<Item = &str> {
        let codes = self.search_fields.iter().map(String::as_str);
        codes.filter(move |code| !respondent || self.shown_as(code).is_some_and(|s| s.public))
    }

    /// How a field of the other form is shown; none where it is not.
    pub fn shown_as(&self, code: &str) -> Option<&Shown> {
        self.display_fields.iter().find(|s| s.api_code == code)
    }

    fn is_masked(&self, field: &Field, respondent: bool) -> bool {
        respondent
            && field.row.facets.protectable
            && self.shown_as(&field.api_code).is_some_and(|s| s.protected)
    }

    /// `associated_fields`: the values that the entry is called by, in their own read shapes.
    pub fn associated(&self, form: &LinkedForm, entry: &LinkedEntry, cx: &Cx) -> Json {
        self.read(self.naming(cx.respondent), form, entry, cx)
    }

    /// `display_fields`: the values that are shown beside, in their own read shapes.
    pub fn display(&self, form: &LinkedForm, entry: &LinkedEntry, cx: &Cx) -> Json {
        self.read(self.displayed(cx.respondent), form, entry, cx)
    }

    fn read<'r>(
        &self,
        codes: impl Iterator<Item = &'r str>,
        form: &LinkedForm,
        entry: &LinkedEntry,
        cx: &Cx,
    ) -> Json {
        let cx = form.cx(cx);
        let members: Map<String, Json> = codes
            .filter_map(|code| form.fields.get(code))
            .map(|field| {
                let stored = entry.values.get(&field.api_code);
                let value = match values::today(field, stored, &cx) {
                    Some(stored) if self.is_masked(field, cx.respondent) => {
                        field.kind.masked(&stored, &cx)
                    }
                    Some(stored) => field.kind.read(&stored, &cx),
                    None => field.kind.empty(),
                };
                (field.api_code.clone(), value)
            })
            .collect();
        Json::Object(members)
    }

    /// What people call the entry: the texts of the search fields that they may see, else of what is
    /// displayed, else its number.
    pub fn label(&self, form: &LinkedForm, entry: &LinkedEntry, cx: &Cx) -> String {
        let names: Vec<String> = self.texts(self.naming(cx.respondent), form, entry, cx);
        if !names.is_empty() {
            return names.join(" · ");
        }
        let shown = self.texts(self.displayed(cx.respondent), form, entry, cx);
        shown
            .into_iter()
            .next()
            .unwrap_or_else(|| number_text(entry.entry.serial))
    }

    /// What stands beside the label, for people: label and text of each displayed field that has a value
    /// and is not what the entry is called by.
    pub fn details(
        &self,
        form: &LinkedForm,
        entry: &LinkedEntry,
        cx: &Cx,
    ) -> Vec<(String, String)> {
        let named: HashSet<&str> = self.naming(cx.respondent).collect();
        let codes = self.displayed(cx.respondent);
        codes
            .filter(|code| !named.contains(code))
            .filter_map(|code| {
                let field = form.fields.get(code)?;
                let text = self.text_of(field, form, entry, cx)?;
                let text = if self.is_masked(field, cx.respondent) {
                    text
                } else {
                    form.shown(field, &entry.values, cx).unwrap_or(text)
                };
                Some((field.label.clone(), text))
            })
            .collect()
    }

    fn texts<'r>(
        &self,
        codes: impl Iterator<Item = &'r str>,
        form: &LinkedForm,
        entry: &LinkedEntry,
        cx: &Cx,
    ) -> Vec<String> {
        codes
            .filter_map(|code| self.text_of(form.fields.get(code)?, form, entry, cx))
            .collect()
    }

    /// The text of one field of the entry, masked where it must be; none where it is blank.
    fn text_of(
        &self,
        field: &Field,
        form: &LinkedForm,
        entry: &LinkedEntry,
        cx: &Cx,
    ) -> Option<String> {
        let text = form.text(field, &entry.values, cx)?;
        Some(if self.is_masked(field, cx.respondent) {
            field.kind.mask(&text)
        } else {
            text
        })
    }

    /// Whether a keyword, folded, stands in one of the search fields that the caller may search. Of the
    /// values, only those are looked at.
    pub fn matches(&self, form: &LinkedForm, values: &Values, keyword: &str, cx: &Cx) -> bool {
        self.searched(cx.respondent).any(|code| {
            form.fields
                .get(code)
                .and_then(|field| form.text(field, values, cx))
                .is_some_and(|text| text::fold(&text).contains(keyword))
        })
    }
}

impl LinkedForm {
    /// The context for reading this form's values. Links of the linked entries are not followed.
    pub fn cx<'a>(&'a self, outer: &Cx<'a>) -> Cx<'a> {
        Cx {
            timezone: &self.timezone,
            locale: &self.locale,
            found: &NOTHING,
            ..*outer
        }
    }

    /// The text of one of its entries' fields; none where it is blank.
    pub fn text(&self, field: &Field, values: &Values, cx: &Cx) -> Option<String> {
        let cx = self.cx(cx);
        let stored = values::today(field, values.get(&field.api_code), &cx)?;
        Some(field.kind.text(&stored, &cx)).filter(|text| !text::is_blank(text))
    }

    /// The same with dates and numbers as the form that links here writes them.
    fn shown(&self, field: &Field, values: &Values, outer: &Cx) -> Option<String> {
        let cx = Cx {
            locale: outer.locale,
            ..self.cx(outer)
        };
        let stored = values::today(field, values.get(&field.api_code), &cx)?;
        Some(field.kind.lines(&stored, &cx).join(", "))
    }
}

/// What an entry without a better name is called.
pub fn number_text(serial: i64) -> String {
    format!("#{serial}")
}

/// What the fields of a request name in other forms.
pub struct Named {
    /// The forms that they link to.
    pub forms: Vec<String>,
    /// The entries that are their defaults.
    pub defaults: Vec<Link>,
}

impl Named {
    /// Looks through the list of fields as it came.
    pub fn of(fields: &Json) -> Self {
        let (mut forms, mut defaults) = (Vec::new(), Vec::new());
        for item in fields.as_array().into_iter().flatten().take(MAX_FIELDS) {
            let Some(form) = item["form_token"].as_str() else {
                continue;
            };
            forms.push(form.to_owned());
            defaults.extend(token_of(&item["default_value"]).map(|entry| Link {
                form: form.to_owned(),
                entry: entry.to_owned(),
            }));
        }
        Self { forms, defaults }
    }

    /// Whether there is nothing to look up.
    pub fn is_nothing(&self) -> bool {
        self.forms.is_empty()
    }
}

/// The entry token of a write shape: the token alone, or a read shape sent back.
pub fn token_of(raw: &Json) -> Option<&str> {
    raw.as_str().or_else(|| raw["entry_token"].as_str())
}

/// What the write shapes of an entry want to know; a field that is left out wants it of its default.
pub fn wanted(fields: &Fields, given: Option<&Values>, with_defaults: bool) -> Vec<Link> {
    fields
        .linking()
        .flat_map(|field| {
            let default = field.default_value.as_ref().filter(|_| with_defaults);
            let given = given.and_then(|given| given.get(&field.api_code));
            let raw = given.or(default);
            raw.map_or_else(Vec::new, |raw| field.kind.wants(raw))
        })
        .collect()
}

/// What the stored values of an entry point to.
pub fn of_stored(fields: &Fields, stored: &Values) -> Vec<Link> {
    fields
        .linking()
        .filter_map(|field| Some(field.kind.links(stored.get(&field.api_code)?)))
        .flatten()
        .collect()
}

#[cfg(test)]
mod of_a_test {
    //! A form that samples of linked fields point to.

    use std::sync::OnceLock;

    use serde_json::json;

    use super::*;
    use crate::base::clock::Time;
    use crate::base::id::EntryToken;
    use crate::base::issue::Issues;
    use crate::fields::definition::Definition;

    impl Found {
        /// The form `LinkedForm` (a name, a telephone number, a text, a link of its own) with two entries,
        /// the second of which is empty; a third one is gone.
        pub fn of_a_test() -> &'static Self {
            static FOUND: OnceLock<Found> = OnceLock::new();
            FOUND.get_or_init(|| {
                let cx = Cx {
                    timezone: &TimeZone::UTC,
                    locale: "en",
                    now: Time::from_millis(0),
                    respondent: false,
                    found: &NOTHING,
                    files: crate::fields::files::links::FilesCx::default(),
                };
                let raw = json!([
                    {"type": "name", "label": "Name"},
                    {"type": "phone", "label": "Phone"},
                    {"type": "number", "label": "Age"},
                    {"type": "description", "label": "A word", "content": "x"},
                ]);
                let mut at = Issues::new();
                let definition = Definition::create(raw, &cx, &mut at);
                assert!(at.is_empty(), "{:?}", at.into_list());
                let form = Arc::new(LinkedForm {
                    fields: definition.fields,
                    timezone: TimeZone::UTC,
                    locale: "en".to_owned(),
                    fields_mark: 0,
                });
                let mut found = Found::default();
                found.add_form("LinkedForm".to_owned(), form);
                let values = [
                    json!({
                        "field_1": "Ada Lovelace",
                        "field_2": {"country_id": "CN", "country_code": "86", "number": "13800138000"},
                        "field_3": 36,
                    }),
                    json!({}),
                ];
                for (serial, values) in (1..).zip(values) {
                    found.add_entry(link(serial), Some(entry(serial, &values)));
                }
                found.add_entry(link(3), None);
                found
            })
        }
    }

    pub fn link(serial: i64) -> Link {
        Link {
            form: "LinkedForm".to_owned(),
            entry: format!("{serial:022}"),
        }
    }

    fn entry(serial: i64, values: &Json) -> LinkedEntry {
        LinkedEntry {
            entry: Entry {
                serial,
                token: EntryToken::new(link(serial).entry),
                created_at: Time::from_millis(0),
                updated_at: Time::from_millis(0),
                version: 1,
                creator_name: None,
                duration_secs: None,
                x_field_1: None,
                values: values.to_string(),
            },
            values: values.as_object().cloned().unwrap_or_default(),
        }
    }
}
