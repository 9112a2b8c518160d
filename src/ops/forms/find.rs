//! Goes straight to a form, a question or an entry by a typed text, as far as the caller's role reaches.

use crate::base::error::{Error, Result};
use crate::base::text::fold;
use crate::model::caller::Caller;
use crate::model::page::PageRequest;
use crate::ops::app::App;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::form_lists::{self, ListRequest};
use crate::store::entries;
use crate::store::forms::form_lists::Sort;

/// The most that is found.
pub const MOST: usize = 20;
/// Of these, questions of the form at hand.
const MOST_QUESTIONS: usize = 10;
/// Forms that have the text in their names, of which those are told that fit best.
const MOST_READ: usize = 200;
/// Longer texts are not looked for.
const LONGEST: usize = 200;

/// One match.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    Form { token: String, name: String },
    Question { form: String, code: String, label: String },
    Entry { form: String, serial: i64 },
}

/// Matches of a text, at most [`MOST`]: `#123` finds an entry of the form at hand, other texts find its questions and
/// forms by name.
///
/// # Errors
/// 503.
pub fn find(app: &App, caller: &Caller, text: &str, at_hand: Option<&str>) -> Result<Vec<Found>> {
    let text = text.trim();
    if text.is_empty() || text.len() > LONGEST {
        return Ok(Vec::new());
    }
    let own = match at_hand {
        Some(form) => in_form(app, caller, text, form)?,
        None => Vec::new(),
    };
    let page = PageRequest { size: MOST_READ, after: None };
    let request =
        ListRequest { name: Some(text.to_owned()), folder: None, sort: Sort::UpdatedAt, is_trashed: false, page };
    let mut forms: Vec<_> = form_lists::list(app, caller, request)?.rows.into_iter().map(|item| item.form).collect();
    let wanted = fold(text);
    forms.sort_by_key(|form| fit(&fold(&form.name), &wanted));
    let forms = forms.into_iter().take(MOST - own.len());
    let forms = forms.map(|form| Found::Form { token: form.token.to_string(), name: form.name });
    Ok(forms.chain(own).collect())
}

/// How well a name fits: 0 where it is the text, 1 where it begins with it, 2 where one of its words does, else 3.
fn fit(name: &str, text: &str) -> usize {
    let fits = [name == text, name.starts_with(text), name.contains(&format!(" {text}"))];
    fits.iter().position(|fits| *fits).unwrap_or(fits.len())
}

/// Matches within a form; none if the caller can't see the form.
fn in_form(app: &App, caller: &Caller, text: &str, token: &str) -> Result<Vec<Found>> {
    app.store.read(|tx| {
        let form = match access::form_for(tx, caller, token, Right::Read) {
            Err(Error::NotFound(_) | Error::Forbidden) => return Ok(Vec::new()),
            other => other?,
        };
        let token = form.token.to_string();
        if let Some(serial) = serial_of(text) {
            let entry = entries::by_serial(tx, form.form_no, serial)?;
            return Ok(entry.map(|entry| Found::Entry { form: token, serial: entry.serial }).into_iter().collect());
        }
        let parsed = app.cache.parsed(tx, &form)?;
        let wanted = fold(text);
        let fields = parsed.definition.fields.iter().map(|field| (fold(&field.label), field));
        let mut fields: Vec<_> = fields.filter(|(label, _)| label.contains(&wanted)).collect();
        fields.sort_by_key(|(label, _)| fit(label, &wanted));
        let question = |field: &crate::fields::Field| Found::Question {
            form: token.clone(),
            code: field.api_code.clone(),
            label: field.label.clone(),
        };
        Ok(fields.into_iter().take(MOST_QUESTIONS).map(|(_, field)| question(field)).collect())
    })
}

/// The number in `#123`, however it is typed.
fn serial_of(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['#', '＃'])?.trim();
    digits.parse().ok().filter(|serial| *serial > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_begin_with_a_text_fit_best() {
        for (name, expected) in [("party", 0), ("party games", 1), ("summer party", 2), ("garden-party", 3)] {
            assert_eq!(fit(name, "party"), expected, "{name}");
        }
    }

    #[test]
    fn numbers_of_entries_begin_with_a_mark() {
        for (text, serial) in
            [("#12", Some(12)), ("＃12", Some(12)), ("# 12", Some(12)), ("12", None), ("#0", None), ("#x", None)]
        {
            assert_eq!(serial_of(text), serial, "{text}");
        }
    }
}
