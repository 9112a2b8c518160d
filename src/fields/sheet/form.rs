//! A whole form as a spreadsheet: its columns, what they are called, and an entry's cells.

use std::collections::{HashMap, HashSet};

use crate::base::text;
use crate::base::texts::{Texts, texts};
use crate::fields::kind::Cx;
use crate::fields::sheet::fill::Filler;
use crate::fields::sheet::{Cell, labels};
use crate::fields::{Fields, system};
use crate::model::entry::Entry;

/// What every entry has of itself, in the order that entries show it.
const OWN: [&str; 7] = [
    "serial_number",
    "token",
    "created_at",
    "updated_at",
    "info_filling_duration",
    "creator_name",
    "x_field_1",
];
/// Of these, what comes also where fields were asked for.
const FIXED: usize = 4;

/// How columns are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Headers {
    /// As people call them.
    Labels,
    /// By the API's names.
    ApiCodes,
}

impl Headers {
    /// By the words that ask for them.
    pub const ALL: [(&'static str, Self); 2] =
        [("labels", Self::Labels), ("api_codes", Self::ApiCodes)];
}

/// A column of a form.
#[derive(Clone, Debug)]
pub struct Head {
    /// Its name in the API: `field_3.city`.
    pub code: String,
    /// What people call it; another may be called the same.
    pub label: String,
    /// What it is called in a header row: no other is called so.
    pub shown: String,
    /// Where its field stands in the form, and which of the field's columns it is; none where it is
    /// something that every entry has of itself.
    pub place: Option<(usize, usize)>,
}

/// The columns of a form.
pub struct Sheet {
    heads: Vec<Head>,
    /// The fields whose columns these are, each with how many it has.
    fields: Vec<(String, usize)>,
    /// What its first columns say of the entry itself.
    own: Vec<&'static str>,
}

/// All columns that entries of a form fill.
pub fn heads(fields: &Fields, cx: &Cx) -> Vec<Head> {
    let words = texts(cx.locale);
    let own = OWN.iter().map(|code| Head {
        code: (*code).to_owned(),
        label: own_label(code, words),
        shown: String::new(),
        place: None,
    });
    let mut all: Vec<Head> = own.collect();
    for (place, field) in fields.iter().enumerate() {
        if !field.kind.has_value() {
            continue;
        }
        let columns = field.kind.sheet_columns(cx).into_iter().enumerate();
        all.extend(columns.map(|(part, column)| Head {
            code: format!("{}{}", field.api_code, column.code),
            label: labels(&field.label, &column.label),
            shown: String::new(),
            place: Some((place, part)),
        }));
    }
    name_all(&mut all);
    all
}

fn own_label(code: &str, words: &Texts) -> String {
    match system::by_name(code) {
        Some(field) => field.label(words),
        None => words.say(&format!("system-{code}")),
    }
}

/// Labels that say which column is meant: with the code behind those that alone would not.
fn name_all(heads: &mut [Head]) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for head in heads.iter() {
        *counts.entry(head.label.trim().to_owned()).or_default() += 1;
    }
    let codes: HashSet<String> = heads.iter().map(|head| head.code.clone()).collect();
    let plain: HashSet<String> = counts.keys().cloned().collect();
    for head in heads {
        let label = head.label.trim();
        let is_telling = counts.get(label) == Some(&1) && !codes.contains(label);
        let with_code = format!("{label} ({})", head.code);
        head.shown = if is_telling && !text::is_blank(label) {
            label.to_owned()
        } else if text::is_blank(label) || plain.contains(&with_code) {
            head.code.clone()
        } else {
            with_code
        };
    }
}

impl Sheet {
    /// The columns of a form, or the fixed ones and what is asked for.
    pub fn of_form(fields: &Fields, wanted: Option<&[String]>, cx: &Cx) -> Self {
        let mut heads = heads(fields, cx);
        let is_wanted = |code: &str| {
            wanted.is_none_or(|codes| codes.iter().any(|wanted| wanted.as_str() == code))
        };
        let own = OWN.into_iter().enumerate();
        let own = own.filter(|(index, code)| *index < FIXED || is_wanted(code));
        let own: Vec<_> = own.map(|(_, code)| code).collect();
        heads.retain(|head| match head.place {
            None => own.contains(&head.code.as_str()),
            Some((place, _)) => {
                let field = fields.at(place);
                field.is_some_and(|field| is_wanted(&field.api_code))
            }
        });
        let mut shown: Vec<(String, usize)> = Vec::new();
        let mut last = None;
        for (place, _) in heads.iter().filter_map(|head| head.place) {
            match shown.last_mut().filter(|_| last == Some(place)) {
                Some((_, count)) => *count += 1,
                None => {
                    let code = fields.at(place).map(|field| field.api_code.clone());
                    shown.push((code.unwrap_or_default(), 1));
                }
            }
            last = Some(place);
        }
        Self {
            heads,
            fields: shown,
            own,
        }
    }

    /// The header row.
    pub fn headers(&self, headers: Headers) -> Vec<String> {
        let name = |head: &Head| match headers {
            Headers::Labels => head.shown.clone(),
            Headers::ApiCodes => head.code.clone(),
        };
        self.heads.iter().map(name).collect()
    }

    /// The columns.
    pub fn heads(&self) -> &[Head] {
        &self.heads
    }

    /// An entry's cells, one for each column. `fields` are those that the columns were made of.
    ///
    /// # Errors
    /// When the stored text is not the JSON object that it was written as.
    pub fn cells(
        &self,
        fields: &Fields,
        entry: &Entry,
        cx: &Cx,
    ) -> Result<Vec<Cell>, serde_json::Error> {
        let mut out = Vec::with_capacity(self.heads.len());
        let row = (entry, entry.values.as_str());
        Filler::of(self, fields).row(self, fields, row, cx, &mut out)?;
        Ok(out)
    }

    /// The fields whose columns these are, each with how many it has.
    pub(super) fn fields(&self) -> &[(String, usize)] {
        &self.fields
    }

    /// What the first columns say of the entry itself.
    pub(super) fn own(&self) -> &[&'static str] {
        &self.own
    }
}
