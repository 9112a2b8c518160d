//! Undo and redo: each change of a draft can be undone by the user who made it, also after a reload and from another
//! device.

use std::sync::Arc;

use crate::base::error::Result;
use crate::base::json::Json;
use crate::model::caller::Caller;
use crate::model::draft::parts::{PartName, merged};
use crate::model::draft::{Draft, DraftStep, StepState};
use crate::model::user::UserId;
use crate::ops::app::App;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::drafts::{MOST_STEPS, store, stored_and_current};
use crate::store::db::tx::Tx;
use crate::store::forms::drafts;

/// Typing that pauses for less than this is one step.
const PAUSE_MILLIS: i64 = 5_000;

/// The direction of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Back,
    Forth,
}

/// The outcome of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stepped {
    /// Done; the codes of the questions that it changed.
    Done(Vec<String>),
    /// There is no such step.
    Nothing,
    /// Somebody changed the same question or rule since, so that nothing was done.
    Changed,
}

/// Notes a step, or lengthens the last one where the same text is still being typed.
pub fn note(tx: &Tx, form_no: i64, user: UserId, subject: &str, (before, after): (StepState, StepState)) -> Result<()> {
    if !subject.is_empty()
        && let Some(last) = drafts::last_step(tx, form_no, user)?
        && last.subject == subject
        && last.after == before
        && tx.now.millis() - last.created_at.millis() < PAUSE_MILLIS
        && drafts::is_latest(tx, form_no, last.number)?
    {
        return drafts::extend_step(tx, form_no, last.number, &after);
    }
    drafts::add_step(tx, form_no, user, subject, (&before, &after), MOST_STEPS)
}

/// Takes the caller's latest step back, or the one that was taken back last forth again.
///
/// # Errors
/// 403, 404.
pub fn step(app: &App, caller: &Caller, token: &str, way: Way) -> Result<Stepped> {
    let (cache, caller, token) = (Arc::clone(&app.cache), caller.clone(), token.to_owned());
    app.store.write(move |tx| {
        let form = access::form_for(tx, &caller, &token, Right::Manage)?;
        let form_no = form.form_no;
        let found = match way {
            Way::Back => drafts::last_step(tx, form_no, caller.user.id)?,
            Way::Forth => drafts::undone_step(tx, form_no, caller.user.id)?,
        };
        let Some(DraftStep { number, before, after, .. }) = found else {
            return Ok(Stepped::Nothing);
        };
        let (from, to) = match way {
            Way::Back => (after, before),
            Way::Forth => (before, after),
        };
        let (stored, mut draft, _) = stored_and_current(&cache, tx, &form)?;
        let parts = stands(&draft, &from).then(|| parts_after(&draft, &from, &to)).flatten();
        let Some(parts) = parts else {
            return Ok(Stepped::Changed);
        };
        let mut codes = exam_questions(&from, &to);
        codes.extend(put(&mut draft, to));
        parts.into_iter().for_each(|(name, body)| draft.set_body(name, body));
        store(tx, &form, &stored, draft)?;
        drafts::set_undone(tx, form_no, number, way == Way::Back)?;
        Ok(Stepped::Done(codes))
    })
}

/// Whether the questions of a step are as it left them.
fn stands(draft: &Draft, state: &StepState) -> bool {
    state.bodies.iter().all(|(code, body)| draft.any(code).is_some_and(|question| question.body == *body))
}

/// The parts of a draft after a step; `None` where somebody changed the same thing in one.
fn parts_after(draft: &Draft, from: &StepState, to: &StepState) -> Option<Vec<(PartName, Json)>> {
    let both = from.parts.iter().zip(&to.parts);
    both.map(|((name, from), (_, to))| Some((*name, merged(from, to, draft.body(*name))?))).collect()
}

/// The questions of which the exam says something else after a step.
fn exam_questions(from: &StepState, to: &StepState) -> Vec<String> {
    let of = |state: &StepState| {
        let part = state.parts.iter().find(|(name, _)| *name == PartName::ExamQuestions);
        part.and_then(|(_, body)| body.as_object()).cloned().unwrap_or_default()
    };
    let (from, to) = (of(from), of(to));
    let codes = from.keys().chain(to.keys().filter(|code| !from.contains_key(*code)));
    codes.filter(|code| from.get(*code) != to.get(*code)).cloned().collect()
}

fn put(draft: &mut Draft, state: StepState) -> Vec<String> {
    let mut codes = Vec::new();
    for (code, body) in state.bodies {
        if let Some(question) = draft.any_mut(&code) {
            question.body = body;
        }
        codes.push(code);
    }
    for (code, before) in state.places {
        draft.move_after(std::slice::from_ref(&code), &before);
        codes.push(code);
    }
    codes
}
