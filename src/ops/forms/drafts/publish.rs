//! Publishing a draft, and throwing it away.

use std::sync::Arc;

use serde_json::json;

use crate::base::error::{Code, Error, Result};
use crate::base::issue::{Issue, Issues};
use crate::model::caller::Caller;
use crate::model::draft::parts::PartName;
use crate::model::draft::{Draft, PublishedQuestions};
use crate::model::form::FormSection;
use crate::model::precondition::IfMatch;
use crate::ops::app::App;
use crate::ops::forms;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::drafted_parts::{ChangedPart, DraftedParts};
use crate::ops::forms::drafts::check::Checked;
use crate::ops::forms::drafts::{DraftView, check, load, published_questions, store, stored_and_current};
use crate::ops::forms::field_edits;
use crate::store::forms::drafts;

/// The number of tries when others change the form at the same time.
const TRIES: usize = 5;

/// The outcome of publishing.
pub enum Published {
    /// Respondents see the draft, with these warnings.
    Done(Vec<Issue>),
    /// The draft is not as it was shown: it has another version, or the form was changed over the API.
    Changed,
    /// Answers would be deleted, which was not confirmed: where, and how many.
    Loses(Vec<Issue>),
    /// The draft is not sound.
    Faulty,
}

/// The answers that publishing a draft would delete, by question and part.
///
/// # Errors
/// 503.
pub fn losses(app: &App, shown: &DraftView, checked: &Checked) -> Result<Vec<Issue>> {
    field_edits::losses(app, &shown.view, &checked.removals)
}

/// Publishes a draft of this version, and the form with it. `name` becomes the name of the version in the form's
/// history, unless it is empty.
///
/// # Errors
/// 403, 404, 422 for a form that can't take these questions together.
pub fn publish(
    app: &App,
    caller: &Caller,
    token: &str,
    version: i64,
    confirmed: bool,
    name: &str,
) -> Result<Published> {
    for _ in 0..TRIES {
        access::check(app, caller, token, Right::Manage)?;
        let shown = load(app, caller, token)?;
        let has_conflicts = !shown.conflicts().is_empty() || !shown.part_conflicts().is_empty();
        if shown.draft.version != version || has_conflicts {
            return Ok(Published::Changed);
        }
        let checked = check::check(app, caller, &shown)?;
        if !checked.is_sound() {
            return Ok(Published::Faulty);
        }
        let mut body = json!({"published": true, "confirm_data_loss": confirmed});
        if shown.is_changed() {
            body["fields"] = check::fields(&shown.draft);
        }
        let is_unchanged = IfMatch::Tags(vec![shown.view.form.etag(FormSection::Form).0]);
        let drafted = DraftedParts {
            codes: check::drafted(&shown.draft).codes,
            changed: changed_parts(&shown, &checked),
            version_name: Some(name.trim().to_owned()).filter(|name| !name.is_empty()),
        };
        match forms::update_drafted(app, caller, token, body, &drafted, &is_unchanged, Issues::new()) {
            Ok((view, warnings)) => {
                settle(app, caller, token, shown.draft, published_questions(&view.parsed))?;
                return Ok(Published::Done(warnings));
            }
            Err(Error::InvalidFor(Code::DataLoss, _, losses)) => return Ok(Published::Loses(losses)),
            Err(Error::VersionConflict) => {}
            Err(other) => return Err(other),
        }
    }
    Ok(Published::Changed)
}

/// The parts that publishing changes, each as the draft has it and as it has to be until then.
fn changed_parts(shown: &DraftView, checked: &Checked) -> Vec<ChangedPart> {
    let changed = shown.draft.parts.iter().filter(|part| part.is_changed());
    let changed = changed.map(|part| ChangedPart {
        name: part.name,
        body: match part.name {
            PartName::ExamQuestions => check::exam_questions(&shown.draft, &checked.definition),
            PartName::Rules | PartName::Theme => part.body.clone(),
        },
        base: part.base.clone(),
    });
    changed.collect()
}

/// Ends a draft that equals the published form; one that was changed meanwhile continues from there. `sent` is the
/// draft that became `published`.
fn settle(app: &App, caller: &Caller, token: &str, sent: Draft, published: PublishedQuestions) -> Result<()> {
    let (cache, caller, token) = (Arc::clone(&app.cache), caller.clone(), token.to_owned());
    app.store.write(move |tx| {
        let form = access::form_for(tx, &caller, &token, Right::Manage)?;
        let (stored, mut draft, now) = stored_and_current(&cache, tx, &form)?;
        draft.settle(&sent, &published);
        // Changes that the API has made since then.
        let next_field = draft.next_field;
        draft.adopt(&now, next_field);
        if !draft.is_changed(&now) {
            return drafts::remove(tx, form.form_no);
        }
        drafts::forget_steps(tx, form.form_no)?;
        store(tx, &form, &stored, draft)
    })
}

/// Throws a draft away.
///
/// # Errors
/// 403, 404.
pub fn discard(app: &App, caller: &Caller, token: &str) -> Result<()> {
    let (caller, token) = (caller.clone(), token.to_owned());
    app.store.write(move |tx| {
        let form = access::form_for(tx, &caller, &token, Right::Manage)?;
        drafts::remove(tx, form.form_no)
    })
}
