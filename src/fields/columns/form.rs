//! A whole form as a spreadsheet: its columns, their headers, and an entry's cells.

use std::collections::{HashMap, HashSet};

use crate::base::json::Json;
use crate::base::text;
use crate::base::text::texts::{Texts, texts};
use crate::fields::Fields;
use crate::fields::columns::fill::{Filler, SheetEntry};
use crate::fields::columns::{Cell, labels};
use crate::fields::kind::Cx;
use crate::fields::system::{self, SystemField};
use crate::model::entry::Entry;

/// Columns about the entry itself, in the order that entries show them.
const OWN: [&str; 7] =
    ["serial_number", "token", "created_at", "updated_at", "info_filling_duration", "creator_name", "x_field_1"];
/// How many of these are always included, even if the caller chose some fields.
const FIXED: usize = 4;

/// Content of the header row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Headers {
    /// Labels for people.
    Labels,
    /// Codes of the API.
    ApiCodes,
}

impl Headers {
    /// By their names in requests.
    pub const ALL: [(&'static str, Self); 2] = [("labels", Self::Labels), ("api_codes", Self::ApiCodes)];
}

/// A column of a form.
#[derive(Clone, Debug)]
pub struct Head {
    /// Its name in the API: `field_3.city`.
    pub code: String,
    /// Its label, not necessarily unique.
    pub label: String,
    /// Its unique name in a header row.
    pub shown: String,
    /// The index of its field in the form, and of the column within the field; `None` for a column about the entry
    /// itself.
    pub place: Option<(usize, usize)>,
}

/// The columns of a form.
pub struct Sheet {
    heads: Vec<Head>,
    /// The fields on the sheet, each with its number of columns.
    fields: Vec<(String, usize)>,
    /// The first columns, which are about the entry itself.
    own: Vec<&'static str>,
    /// The results behind them, each with its number of columns.
    results: Vec<(&'static SystemField, usize)>,
}

/// All columns of a form's entries. `results` are the results that they have.
pub fn heads(fields: &Fields, results: &[&SystemField], cx: &Cx) -> Vec<Head> {
    let words = texts(cx.locale);
    let own = OWN.iter().map(|code| Head {
        code: (*code).to_owned(),
        label: own_label(code, words),
        shown: String::new(),
        place: None,
    });
    let mut all: Vec<Head> = own.collect();
    for result in results {
        let columns = result.kind.sheet_columns(cx).into_iter();
        all.extend(columns.map(|column| Head {
            code: format!("{}{}", result.name, column.code),
            label: labels(&result.label(words), &column.label),
            shown: String::new(),
            place: None,
        }));
    }
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

/// Makes labels unique: ambiguous ones get the code appended.
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
    /// All columns of a form whose entries have these results, or the fixed ones and what is wanted.
    pub fn of_form(fields: &Fields, results: &[&'static SystemField], wanted: Option<&[String]>, cx: &Cx) -> Self {
        let mut heads = heads(fields, results, cx);
        let is_wanted = |code: &str| wanted.is_none_or(|codes| codes.iter().any(|wanted| wanted.as_str() == code));
        let own = OWN.into_iter().enumerate();
        let own = own.filter(|(index, code)| *index < FIXED || is_wanted(code));
        let own: Vec<_> = own.map(|(_, code)| code).collect();
        let results = results.iter().filter(|result| is_wanted(result.name));
        let results: Vec<_> = results.map(|result| (*result, result.kind.sheet_columns(cx).len())).collect();
        let is_result = |code: &str| {
            let name = code.split('.').next().unwrap_or_default();
            results.iter().any(|(result, _)| result.name == name)
        };
        heads.retain(|head| match head.place {
            None => own.contains(&head.code.as_str()) || is_result(&head.code),
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
        Self { heads, fields: shown, own, results }
    }

    /// The header row.
    pub fn headers(&self, headers: Headers) -> Vec<String> {
        let name = |head: &Head| match headers {
            Headers::Labels => head.shown.clone(),
            Headers::ApiCodes => head.code.clone(),
        };
        self.heads.iter().map(name).collect()
    }

    /// Whether a column holds the link to the certificate.
    pub fn has_certificate(&self) -> bool {
        self.results.iter().any(|(result, _)| result.is_link())
    }

    pub fn heads(&self) -> &[Head] {
        &self.heads
    }

    /// An entry's cells, one for each column. `fields` must be those that the columns were made from. Fails only on
    /// corrupt stored text.
    pub fn cells(&self, fields: &Fields, entry: &Entry, cx: &Cx) -> Result<Vec<Cell>, serde_json::Error> {
        let mut out = Vec::with_capacity(self.heads.len());
        let row = SheetEntry { entry, stored: &entry.values, certificate: &Json::Null };
        Filler::of(self, fields).row(self, fields, row, cx, &mut out)?;
        Ok(out)
    }

    /// The fields on the sheet, each with its number of columns.
    pub(super) fn fields(&self) -> &[(String, usize)] {
        &self.fields
    }

    /// The first columns, which are about the entry itself.
    pub(super) fn own(&self) -> &[&'static str] {
        &self.own
    }

    /// The results behind them, each with its number of columns.
    pub(super) fn results(&self) -> &[(&'static SystemField, usize)] {
        &self.results
    }
}
