//! Displayed values of an entry of the other form, and the links in the values of a form.

use std::collections::HashSet;

use serde_json::Map;

use crate::base::json::Json;
use crate::base::text;
use crate::fields::field::MAX_FIELDS;
use crate::fields::filter::cond::Key;
use crate::fields::kind::Cx;
use crate::fields::links::{Link, LinkRules, LinkedEntry, LinkedForm, token_of};
use crate::fields::values::{self, Values};
use crate::fields::{Field, Fields};

impl LinkRules {
    /// The fields that an entry is called by.
    fn naming(&self, respondent: bool) -> impl Iterator<Item = &str> {
        let codes = self.search_fields.iter().map(String::as_str);
        codes.filter(move |code| !respondent || self.shown_as(code).is_some_and(|s| s.public))
    }

    fn is_masked(&self, field: &Field, respondent: bool) -> bool {
        respondent && field.row.facets.protectable && self.shown_as(&field.api_code).is_some_and(|s| s.protected)
    }

    /// `associated_fields`: the values that label the entry, in their own read shapes.
    pub fn associated(&self, form: &LinkedForm, entry: &LinkedEntry, cx: &Cx) -> Json {
        self.read(self.naming(cx.respondent), form, entry, cx)
    }

    /// `display_fields`: the displayed values, in their own read shapes.
    pub fn display(&self, form: &LinkedForm, entry: &LinkedEntry, cx: &Cx) -> Json {
        self.read(self.displayed(cx.respondent), form, entry, cx)
    }

    fn read<'r>(&self, codes: impl Iterator<Item = &'r str>, form: &LinkedForm, entry: &LinkedEntry, cx: &Cx) -> Json {
        let cx = form.cx(cx);
        let members: Map<String, Json> = codes
            .filter_map(|code| form.fields.get(code))
            .map(|field| {
                let stored = entry.values.get(&field.api_code);
                let value = match values::today(field, stored, &cx) {
                    Some(stored) if self.is_masked(field, cx.respondent) => field.kind.masked(&stored, &cx),
                    Some(stored) => field.kind.read(&stored, &cx),
                    None => field.kind.empty(),
                };
                (field.api_code.clone(), value)
            })
            .collect();
        Json::Object(members)
    }

    /// The label of an entry: the texts of visible search fields, otherwise of displayed ones, otherwise its serial
    /// number.
    pub fn label(&self, form: &LinkedForm, entry: &LinkedEntry, cx: &Cx) -> String {
        let names: Vec<String> = self.texts(self.naming(cx.respondent), form, entry, cx);
        if !names.is_empty() {
            return names.join(" · ");
        }
        let shown = self.texts(self.displayed(cx.respondent), form, entry, cx);
        shown.into_iter().next().unwrap_or_else(|| number_text(entry.entry.serial))
    }

    /// The details shown with the label: label and text of each displayed field that has a value and is not part of the
    /// entry's label.
    pub fn details(&self, form: &LinkedForm, entry: &LinkedEntry, cx: &Cx) -> Vec<(String, String)> {
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
                    form.display_text(field, &entry.values, cx).unwrap_or(text)
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
        codes.filter_map(|code| self.text_of(form.fields.get(code)?, form, entry, cx)).collect()
    }

    /// The text of one field of the entry, masked if necessary; `None` if it is blank.
    fn text_of(&self, field: &Field, form: &LinkedForm, entry: &LinkedEntry, cx: &Cx) -> Option<String> {
        let text = form.text(field, &entry.values, cx)?;
        Some(if self.is_masked(field, cx.respondent) { field.kind.mask(&text) } else { text })
    }

    /// Whether a folded keyword occurs in one of the search fields that the caller may search. Only these values are
    /// read.
    pub fn matches(&self, form: &LinkedForm, values: &Values, keyword: &str, cx: &Cx) -> bool {
        self.searched(cx.respondent).any(|code| {
            let Some(field) = form.fields.get(code) else {
                return false;
            };
            let text = form.text(field, values, cx);
            text.is_some_and(|text| text::fold(&text).contains(keyword)) || form.is_in_key(field, values, keyword, cx)
        })
    }
}

impl LinkedForm {
    /// The text of a field of one of its entries; `None` if it is blank.
    pub fn text(&self, field: &Field, values: &Values, cx: &Cx) -> Option<String> {
        let cx = self.cx(cx);
        let stored = values::today(field, values.get(&field.api_code), &cx)?;
        Some(field.kind.text(&stored, &cx)).filter(|text| !text::is_blank(text))
    }

    /// Whether a folded keyword occurs in what a field's text is found by besides, such as a phone number without groups.
    fn is_in_key(&self, field: &Field, values: &Values, keyword: &str, cx: &Cx) -> bool {
        let cx = self.cx(cx);
        let stored = values::today(field, values.get(&field.api_code), &cx);
        let keys = stored.map_or_else(Vec::new, |stored| field.kind.keys(&stored, &cx));
        keys.iter().any(|key| matches!(key, Key::Text(text) if text.contains(keyword)))
    }

    /// The text of a field with dates and numbers in the locale of the linking form.
    fn display_text(&self, field: &Field, values: &Values, outer: &Cx) -> Option<String> {
        let cx = Cx { locale: outer.locale, ..self.cx(outer) };
        let stored = values::today(field, values.get(&field.api_code), &cx)?;
        Some(field.kind.lines(&stored, &cx).join(", "))
    }
}

/// The label of an entry without a better one.
pub fn number_text(serial: i64) -> String {
    format!("#{serial}")
}

/// The forms and entries named in the fields of a request.
pub struct Named {
    /// The forms that they link to.
    pub forms: Vec<String>,
    /// The entries that are their defaults.
    pub defaults: Vec<Link>,
}

impl Named {
    /// Collects them from the raw list of fields.
    pub fn of(fields: &Json) -> Self {
        let (mut forms, mut defaults) = (Vec::new(), Vec::new());
        for item in fields.as_array().into_iter().flatten().take(MAX_FIELDS) {
            let Some(form) = item["form_token"].as_str() else {
                continue;
            };
            forms.push(form.to_owned());
            defaults.extend(
                token_of(&item["default_value"]).map(|entry| Link { form: form.to_owned(), entry: entry.to_owned() }),
            );
        }
        Self { forms, defaults }
    }

    /// Whether nothing has to be looked up.
    pub fn is_nothing(&self) -> bool {
        self.forms.is_empty()
    }
}

/// The links to look up for an entry's write shapes; omitted fields use their default.
pub fn links_to_look_up(fields: &Fields, given: Option<&Values>, with_defaults: bool) -> Vec<Link> {
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

/// The links in an entry's stored values.
pub fn of_stored(fields: &Fields, stored: &Values) -> Vec<Link> {
    fields.linking().filter_map(|field| Some(field.kind.links(stored.get(&field.api_code)?))).flatten().collect()
}
