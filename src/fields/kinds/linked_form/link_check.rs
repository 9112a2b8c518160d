//! Checks the forms and fields that a definition names.

use std::collections::HashSet;

use crate::base::issue::Issues;
use crate::base::reason::{Expected, Reason};
use crate::fields::links::{LinkRules, LinkedData, LinkedForm};

const MAX_FIELDS: usize = 50;

/// Checks that the named form exists, and the named fields in it.
pub fn check(rules: &LinkRules, found: &LinkedData, at: &mut Issues) {
    if rules.form_token.is_empty() {
        return;
    }
    let Some(form) = found.form(&rules.form_token) else {
        at.push_at("form_token", Reason::MustBe(Expected::Other("a form that you manage")));
        return;
    };
    let mut list = |key: &str, own: &str, codes: &mut dyn Iterator<Item = &String>| {
        let mut seen = HashSet::new();
        for (i, code) in codes.enumerate() {
            let fault = if i >= MAX_FIELDS {
                Some(Reason::other("is one too many"))
            } else {
                fault_of(form, code, seen.insert(code.clone()))
            };
            if let Some(fault) = fault {
                at.key(&format!("{key}[{i}]{own}"), |at| at.push(fault));
            }
        }
    };
    list("search_fields", "", &mut rules.search_fields.iter());
    let codes = &mut rules.display_fields.iter().map(|shown| &shown.api_code);
    list("display_fields", ".api_code", codes);
}

fn fault_of(form: &LinkedForm, code: &str, is_new: bool) -> Option<Reason> {
    let field = form.fields.get(code).filter(|field| field.kind.has_value());
    match field {
        None if code.is_empty() => None,
        None => Some(Reason::other("is not a field of the linked form")),
        Some(field) if field.kind.link_rules().is_some() => {
            Some(Reason::other("links to another form itself and can't be shown here"))
        }
        Some(_) if !is_new => Some(Reason::Repeated),
        Some(_) => None,
    }
}
