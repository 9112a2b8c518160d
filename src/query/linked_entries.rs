//! Loads the entries that linked fields lead to, with one SQL query for each linked form however many entries are shown.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::fields::links::{Link, LinkTarget, LinkedData, LinkedEntry, LinkedForm, linked};
use crate::fields::values::stored;
use crate::model::entry::Entry;
use crate::model::form::Form;
use crate::model::precondition::Etag;
use crate::query::as_read;
use crate::query::form_cache::{Cache, ParsedForm};
use crate::store::db::tx::Tx;
use crate::store::{entries, forms};

/// Loads the entries that these entries link to.
pub fn of_entries<'e>(
    cache: &Cache,
    tx: &Tx,
    parsed: &ParsedForm,
    entries: impl IntoIterator<Item = &'e Entry>,
) -> Result<LinkedData> {
    let mut found = LinkedData::default();
    if parsed.links {
        let mut wanted = Vec::new();
        for entry in entries {
            wanted.extend(of_entry(parsed, entry)?);
        }
        look_up(cache, tx, wanted, &mut found)?;
    }
    Ok(found)
}

pub fn of_entry(parsed: &ParsedForm, entry: &Entry) -> Result<Vec<Link>> {
    let stored = stored::values(&entry.values).map_err(Error::internal)?;
    Ok(linked::of_stored(&parsed.definition.fields, &stored))
}

/// An entry's tag: it covers the form's fields, the day if formulas depend on it, and the displayed values of the
/// linked entries.
///
/// # Errors
/// Internal, when the stored text is damaged.
pub fn etag(found: &LinkedData, parsed: &ParsedForm, entry: &Entry, now: Time) -> Result<Etag> {
    let mark = parsed.entry_mark(now);
    if !parsed.links {
        return Ok(entry.etag(mark));
    }
    let mut mark = crc32fast::Hasher::new_with_initial(mark);
    for link in of_entry(parsed, entry)? {
        match found.target(&link) {
            LinkTarget::There(form, linked) => {
                mark.update(&linked.entry.version.to_be_bytes());
                mark.update(&form.mark.to_be_bytes());
            }
            LinkTarget::Gone | LinkTarget::Unknown => mark.update(b"gone"),
        }
    }
    Ok(entry.etag(mark.finalize()))
}

/// The forms that this form's fields link to, also those in the trash: conditions on their fields stay valid, though no
/// entry there is live.
pub fn forms_of(cache: &Cache, tx: &Tx, parsed: &ParsedForm) -> Result<LinkedData> {
    let mut found = LinkedData::default();
    for field in parsed.definition.fields.linking() {
        if let Some(rules) = field.kind.link_rules()
            && found.form(&rules.form_token).is_none()
            && let Some(form) = forms::by_token(tx, &rules.form_token)?
        {
            found.add_form(rules.form_token.clone(), linked(cache, tx, &form)?);
        }
    }
    Ok(found)
}

/// Loads the entries that these links lead to.
pub fn look_up(cache: &Cache, tx: &Tx, wanted: Vec<Link>, found: &mut LinkedData) -> Result<()> {
    let mut by_form: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for link in wanted {
        by_form.entry(link.form).or_default().push(link.entry);
    }
    for (token, wanted) in by_form {
        let mut rows = Vec::new();
        if let Some(form) = live(tx, &token)? {
            found.add_form(token.clone(), linked(cache, tx, &form)?);
            let parsed = cache.parsed(tx, &form)?;
            for entry in entries::by_tokens(tx, form.form_no, wanted.iter().map(String::as_str))? {
                rows.push(read(tx, &parsed, entry)?);
            }
        }
        for entry in wanted {
            let form = token.clone();
            found.add_entry(Link { form, entry }, None);
        }
        for linked in rows {
            let link = Link { form: token.clone(), entry: linked.entry.token.to_string() };
            found.add_entry(link, Some(linked));
        }
    }
    Ok(())
}

/// A form that is not in the trash.
pub fn live(tx: &Tx, token: &str) -> Result<Option<Form>> {
    Ok(forms::by_token(tx, token)?.filter(|form| form.deleted_at.is_none()))
}

/// The parts of a form that linked fields need.
pub fn linked(cache: &Cache, tx: &Tx, form: &Form) -> Result<Arc<LinkedForm>> {
    let parsed = cache.parsed(tx, form)?;
    Ok(Arc::new(LinkedForm {
        fields: Arc::clone(&parsed.definition.fields),
        timezone: parsed.timezone.clone(),
        locale: form.locale.clone(),
        mark: parsed.entry_mark(tx.now),
    }))
}

/// An entry of a linked form with its values read.
///
/// # Errors
/// Internal, when the stored text is damaged.
pub fn read(tx: &Tx, parsed: &ParsedForm, entry: Entry) -> Result<LinkedEntry> {
    let values = as_read::values(parsed, &entry.values, &parsed.cx(tx.now, false))?;
    Ok(LinkedEntry { entry, values })
}
