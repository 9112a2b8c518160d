//! Edits of a form keep the fields that its public queries use (contract section 3).

use crate::base::error::{Error, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text::phrase::phrase;
use crate::fields::filter::Filter;
use crate::fields::kind::Cx;
use crate::fields::public_query::{Displayed, QueriedForm, Searched};
use crate::fields::{Fields, system};
use crate::model::public_query::{PublicQuery, Rules};

/// Refuses new fields that lack a field that a query uses and had so far. `cx.found` holds the linked forms.
///
/// # Errors
/// 422 that names the queries.
pub fn still_fit(queries: &[PublicQuery], before: QueriedForm, after: &Fields, cx: &Cx) -> Result<()> {
    let results: Vec<_> = system::results_of(before.scene, before.settings, after).collect();
    let after = QueriedForm { fields: after, results: &results, ..before };
    let mut faults = Vec::new();
    for query in queries {
        let rules = &query.content.rules;
        let (had, has) = (Known::of(before, rules, cx), Known::of(after, rules, cx));
        for (i, code) in had.used.iter().enumerate() {
            if had.fits[i] && !has.fits[i] {
                let (name, code) = (&query.content.name, question(code));
                let message = phrase!("{} is used by the public query {}", code, format!("{name:?}"));
                let fault = Issue::new(attribute(after.fields, code), Reason::other(message));
                if !faults.contains(&fault) {
                    faults.push(fault);
                }
            }
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Error::Invalid(faults)) }
}

/// The fields that a query uses, and whether the form has each.
struct Known {
    used: Vec<String>,
    fits: Vec<bool>,
}

impl Known {
    fn of(form: QueriedForm, rules: &Rules, cx: &Cx) -> Self {
        let searched: Vec<String> = Searched::all(form).iter().map(Searched::code).collect();
        let displayed: Vec<String> = Displayed::all(form).iter().map(Displayed::code).collect();
        let mut known = Self { used: Vec::new(), fits: Vec::new() };
        let search = rules.searched().map(|rule| (&rule.field, &searched));
        let display = rules.display.iter().map(|rule| (&rule.field, &displayed));
        for (code, all) in search.chain(display) {
            known.used.push(code.clone());
            known.fits.push(all.contains(code));
        }
        for condition in &rules.scope {
            let mut at = Issues::new();
            let alone = Json::Array(vec![condition.clone()]);
            Filter::of_conditions(&alone, form.fields, cx, &mut at);
            let code = condition["field"].as_str().unwrap_or_default();
            known.used.push(code.to_owned());
            known.fits.push(at.is_empty());
        }
        known
    }
}

/// The question that a name in a query leads to: `field_3` of `field_3.field_1`, `field_3_associated_field_1` and
/// `field_3_attribute_date_time`; other names as they are.
pub fn question(used: &str) -> &str {
    let number = used.strip_prefix("field_").unwrap_or_default();
    let end = number.find(|c: char| !c.is_ascii_digit());
    match end {
        Some(end) => &used[..used.len() - number.len() + end],
        None => used,
    }
}

/// Where the fault is: at a field that is still there, or at the list that lacks it.
fn attribute(fields: &Fields, code: &str) -> String {
    match fields.position(code) {
        Some(place) => format!("fields[{place}].type"),
        None => "fields".to_owned(),
    }
}
