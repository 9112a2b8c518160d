//! Common parts of settings, theme and rules: who may change one, and how the change is stored.

use std::sync::Arc;

use crate::base::error::Result;
use crate::base::json::{Json, schema_builder};
use crate::model::audit::Action;
use crate::model::caller::Caller;
use crate::model::form::{Form, FormSection};
use crate::model::precondition::{Etag, IfMatch};
use crate::ops::accounts::audit::{self, By};
use crate::ops::app::App;
use crate::ops::files::images::UsedImages;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::rewrites;
use crate::ops::forms::versions::record;
use crate::query::form_cache::ParsedForm;
use crate::store::forms;

/// A part of a form as its caller may see it, with its tag.
pub struct PartView {
    /// The read shape.
    pub body: Json,
    /// Its tag.
    pub etag: Etag,
}

/// A form that the caller may see.
///
/// # Errors
/// 404.
pub fn visible(app: &App, caller: &Caller, token: &str) -> Result<(Form, Arc<ParsedForm>)> {
    load(app, caller, token, Right::Read)
}

/// A form that the caller may change, one part of which still has the expected version.
///
/// # Errors
/// 403, 404, 412.
pub fn managed(
    app: &App,
    caller: &Caller,
    token: &str,
    part: FormSection,
    if_match: &IfMatch,
) -> Result<(Form, Arc<ParsedForm>)> {
    let (form, parsed) = load(app, caller, token, Right::Manage)?;
    if_match.check(&form.etag(part))?;
    Ok((form, parsed))
}

fn load(app: &App, caller: &Caller, token: &str, right: Right) -> Result<(Form, Arc<ParsedForm>)> {
    app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, right)?;
        let parsed = app.cache.parsed(tx, &form)?;
        Ok((form, parsed))
    })
}

/// The read schema for the schema of a PATCH: every member that has a default is required, and null only where the
/// default is null.
pub fn shown_schema(mut set: Json, defaults: &Json) -> Json {
    let Some(defaults) = defaults.as_object() else {
        return set;
    };
    for (key, default) in defaults {
        let Some(member) = set["properties"].get_mut(key) else {
            continue;
        };
        if !default.is_null() {
            *member = schema_builder::not_null(member.take());
        }
        *member = shown_schema(member.take(), default);
    }
    set["required"] = defaults.keys().cloned().collect();
    schema_builder::unbounded(set)
}

/// Stores a part that was made from this form, and the images that it uses. `recomputes` tells whether it can change
/// formulas and scores.
///
/// # Errors
/// `Stale` when the form changed meanwhile.
pub fn keep(
    app: &App,
    caller: &Caller,
    form: &Form,
    part: FormSection,
    value: Json,
    images: UsedImages,
    recomputes: bool,
) -> Result<()> {
    let (form_no, version) = (form.form_no, form.version);
    let (by, token) = (By::caller(caller), form.token.clone());
    let action = match part {
        FormSection::Form => Action::FormUpdated,
        FormSection::Settings => Action::SettingsUpdated,
        FormSection::Theme => Action::ThemeUpdated,
        FormSection::Rules => Action::RulesUpdated,
    };
    app.store.write(move |tx| {
        forms::check_version(tx, form_no, version)?;
        images.store(tx)?;
        audit::note_form(tx, by, action, token.as_str())?;
        let before = record::before(tx, form_no)?;
        forms::update_part(tx, form_no, part, &value)?;
        record::keep(tx, form_no, &before, by, None)?;
        if recomputes {
            rewrites::recompute(tx, form_no)?;
        }
        Ok(())
    })
}
