//! The form's certificate in its public queries: a query that masks values of the certificate's texts does not offer
//! it.

use crate::base::error::Result;
use crate::base::issue::Issue;
use crate::base::reason::Reason;
use crate::base::text::phrase::phrase;
use crate::fields::public_query::{Displayed, QueriedForm};
use crate::fields::system::{self, SystemField};
use crate::fields::texts::placeholders;
use crate::model::public_query::{Content, DisplayRule, Rules};
use crate::model::settings::{Certificate, Settings};
use crate::ops::queries::fit::question;
use crate::query::form_cache::{Cache, ParsedForm};
use crate::query::linked_entries;
use crate::store::db::tx::Tx;
use crate::store::queries;

/// Whether a query withholds the certificate that its rules show, since that would reveal masked values.
pub fn is_withheld(form: QueriedForm, rules: &Rules) -> bool {
    let Certificate { title, body, .. } = &form.settings.certificate;
    [title, body].into_iter().any(|text| !revealing_placeholders(form, rules, text).is_empty())
}

/// A warning that the query does not offer the certificate.
pub fn warning(form: QueriedForm, rules: &Rules) -> Option<Issue> {
    let Certificate { title, body, .. } = &form.settings.certificate;
    let told = revealing_placeholders(form, rules, &format!("{title} {body}"));
    let place = rules.display.iter().position(is_certificate)?;
    let reason = phrase!(
        "is not offered to visitors, because the form's certificate shows what this query masks: remove {} from its \
         texts, or do not mask it",
        listed(&told),
    );
    (!told.is_empty()).then(|| Issue::new(format!("display_field_rules[{place}].field"), Reason::other(reason)))
}

/// Warnings that queries of a form with these settings do not offer the certificate.
///
/// # Errors
/// Internal, when the stored data is damaged.
pub fn warnings_of_settings(cache: &Cache, tx: &Tx, parsed: &ParsedForm, settings: &Settings) -> Result<Vec<Issue>> {
    let fields = &parsed.definition.fields;
    let results: Vec<_> = system::results_of(&parsed.scene, settings, fields).collect();
    let found = linked_entries::forms_of(cache, tx, parsed)?;
    let queries = queries::of_form(tx, parsed.form_no)?;
    let form = QueriedForm { fields, scene: &parsed.scene, settings, results: &results, found: &found };
    let texts = [("title", &settings.certificate.title), ("body", &settings.certificate.body)];
    let of_query = |content: &Content| {
        let told = texts.map(|(key, text)| (key, revealing_placeholders(form, &content.rules, text)));
        told.into_iter()
            .filter(|(_, told)| !told.is_empty())
            .map(|(key, told)| {
                let reason = phrase!(
                    "has {}, which the public query {} masks: that query does not offer the certificate",
                    listed(&told),
                    format!("{:?}", content.name),
                );
                Issue::new(format!("certificate.{key}"), Reason::other(reason))
            })
            .collect::<Vec<_>>()
    };
    Ok(queries.iter().flat_map(|query| of_query(&query.content)).collect())
}

fn is_certificate(rule: &DisplayRule) -> bool {
    system::by_name(&rule.field).is_some_and(SystemField::is_link)
}

/// The codes as a list in a sentence.
fn listed(codes: &[String]) -> String {
    let placeholders: Vec<String> = codes.iter().map(|code| format!("{{{{{code}}}}}")).collect();
    placeholders.join(", ")
}

/// The placeholders of a text of the certificate that reveal values that a query masks, where it shows the certificate.
fn revealing_placeholders(form: QueriedForm, rules: &Rules, text: &str) -> Vec<String> {
    if !form.settings.certificate.enabled || !rules.display.iter().any(is_certificate) {
        return Vec::new();
    }
    let shown = Displayed::all(form);
    // The question of each, and whether the form masks it itself: then a placeholder of the question has it masked too.
    let masked = rules.display.iter().filter_map(|rule| {
        let shown = shown.iter().find(|it| it.code() == rule.field)?;
        shown.is_masked(rule.protected).then(|| (question(&rule.field), shown.is_masked(false)))
    });
    let masked: Vec<(&str, bool)> = masked.collect();
    let is_hidden = |code: &str| form.fields.get(code).is_some_and(|field| field.hidden);
    let tells = |named: &str| {
        let is_told = |code: &str| masked.iter().any(|(of, by_form)| *of == code && !(*by_form && code == named));
        behind(form, named).into_iter().any(is_told)
    };
    let mut named = placeholders::named(text);
    named.retain(|code| !is_hidden(code) && tells(code));
    named
}

/// A field and those that its formula computes it from.
fn behind<'c>(form: QueriedForm<'c>, code: &'c str) -> Vec<&'c str> {
    let mut all = vec![code];
    let mut next = 0;
    while let Some(code) = all.get(next).copied() {
        next += 1;
        let computed = form.fields.get(code).and_then(|field| field.kind.computed());
        for used in computed.map_or_else(Vec::new, |computed| computed.formula.fields()) {
            if !all.contains(&used) {
                all.push(used);
            }
        }
    }
    all
}
