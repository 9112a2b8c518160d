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
    let mut found = match at_hand {
        Some(form) => in_form(app, caller, text, form)?,
        None => Vec::new(),
    };
    let page = PageRequest { size: MOST - found.len(), after: None };
    let request =
        ListRequest { name: Some(text.to_owned()), folder: None, sort: Sort::UpdatedAt, is_trashed: false, page };
    let forms = form_lists::list(app, caller, request)?.rows.into_iter().map(|item| item.form);
    found.extend(forms.map(|form| Found::Form { token: form.token.to_string(), name: form.name }));
    Ok(found)
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
        let fields = parsed.definition.fields.iter().filter(|field| fold(&field.label).contains(&wanted));
        let question = |field: &crate::fields::Field| Found::Question {
            form: token.clone(),
            code: field.api_code.clone(),
            label: field.label.clone(),
        };
        Ok(fields.take(MOST_QUESTIONS).map(question).collect())
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
    fn numbers_of_entries_begin_with_a_mark() {
        for (text, serial) in
            [("#12", Some(12)), ("＃12", Some(12)), ("# 12", Some(12)), ("12", None), ("#0", None), ("#x", None)]
        {
            assert_eq!(serial_of(text), serial, "{text}");
        }
    }
}
