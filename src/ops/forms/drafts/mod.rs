//! Drafts: managers change a form's questions, rules and looks in a draft that saves itself, and respondents see the
//! changes when they are published. A question is the unit of saving and of conflict; the draft also holds faulty
//! questions, since only publishing needs a sound form.

pub mod bring_back;
pub mod change;
pub mod check;
pub mod compare;
pub mod formula;
pub mod fresh;
pub mod logic;
pub mod parts;
pub mod picked;
pub mod presence;
pub mod preview;
pub mod publish;
pub mod steps;
pub mod theme;

use std::collections::HashSet;
use std::sync::Arc;

use crate::base::error::{Error, Noun, Result};
use crate::base::json::Json;
use crate::model::caller::Caller;
use crate::model::draft::parts::{PartName, PublishedParts};
use crate::model::draft::{Draft, DraftQuestion, PublishedQuestions, StepState};
use crate::model::form::Form;
use crate::ops::app::App;
use crate::ops::files::images::UsedImages;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::form_view::{self, FormView};
use crate::query::form_cache::{Cache, ParsedForm};
use crate::store::db::tx::Tx;
use crate::store::forms::drafts;

/// The most steps back that a draft keeps.
const MOST_STEPS: i64 = 500;
/// The most questions of a draft with its removed ones: each can be brought back.
const MOST_QUESTIONS: usize = 5_000;

/// A form with the draft of its questions.
pub struct DraftView {
    pub view: FormView,
    pub draft: Draft,
    /// The questions that respondents see, by code.
    pub published: PublishedQuestions,
    /// Whether the caller can go a step back.
    pub can_undo: bool,
    /// Whether the caller can go forth again.
    pub can_redo: bool,
}

impl DraftView {
    /// Whether the draft has changes to publish.
    pub fn is_changed(&self) -> bool {
        self.draft.is_changed(&self.published)
    }

    /// The published definition of a question.
    pub fn published(&self, code: &str) -> Option<&Json> {
        self.published.iter().find(|(known, _)| known == code).map(|(_, body)| body)
    }
}

/// # Errors
/// 404.
pub fn load(app: &App, caller: &Caller, token: &str) -> Result<DraftView> {
    app.store.read(|tx| {
        let view = form_view::load(app, tx, caller, token, Right::Read)?;
        let (draft, published) = current(tx, &view.form, &view.parsed)?;
        let (can_undo, can_redo) = drafts::ways(tx, view.form.form_no, caller.user.id)?;
        Ok(DraftView { view, draft, published, can_undo, can_redo })
    })
}

/// The questions that respondents see, by code.
fn published_questions(parsed: &ParsedForm) -> PublishedQuestions {
    parsed.definition.fields.iter().map(|field| (field.api_code.clone(), field.to_json())).collect()
}

/// The draft of a form as it is now, and its published questions.
fn current(tx: &Tx, form: &Form, parsed: &ParsedForm) -> Result<(Draft, PublishedQuestions)> {
    let published = published_questions(parsed);
    let next_field = parsed.definition.next_field;
    let draft = match drafts::load(tx, form.form_no)? {
        Some(mut draft) => {
            draft.adopt(&published, next_field);
            draft.adopt_parts(parts::published(parsed));
            draft
        }
        None => Draft::of_published(published.clone(), parts::published(parsed), next_field),
    };
    Ok((draft, published))
}

/// A draft while it is changed, in the writer's transaction.
struct Change {
    /// The version that is stored.
    stored_version: i64,
    draft: Draft,
    published: PublishedQuestions,
    published_parts: PublishedParts,
    /// The questions that the change moves.
    moved: Vec<String>,
    /// The images that it names.
    images: UsedImages,
}

impl Change {
    fn is_there(&self, code: &str) -> Result<()> {
        self.draft.get(code).map(|_| ()).ok_or(Error::NotFound(Noun::Question))
    }
}

/// Changes a draft by `f` in one write, and notes the way back under a subject. Returns the outcome of `f`.
fn write<T: Send + 'static>(
    app: &App,
    caller: &Caller,
    token: &str,
    subject: &str,
    f: impl FnOnce(&mut Change) -> Result<T> + Send + 'static,
) -> Result<T> {
    let (cache, caller) = (Arc::clone(&app.cache), caller.clone());
    let (token, subject) = (token.to_owned(), subject.to_owned());
    app.store.write(move |tx| {
        let form = access::form_for(tx, &caller, &token, Right::Manage)?;
        let (stored, draft, published) = stored_and_current(&cache, tx, &form)?;
        let published_parts = parts::published(cache.parsed(tx, &form)?.as_ref());
        let before = draft.clone();
        let mut change = Change {
            stored_version: stored.version,
            draft,
            published,
            published_parts,
            moved: Vec::new(),
            images: UsedImages::default(),
        };
        let outcome = f(&mut change)?;
        let Change { draft, moved, images, .. } = change;
        let step = (state_of(&before, &draft, &moved), state_of(&draft, &before, &moved));
        if draft.questions != before.questions || draft.parts != before.parts {
            images.store(tx)?;
            store(tx, &form, &stored, draft)?;
        }
        if step.0 != step.1 {
            steps::note(tx, form.form_no, caller.user.id, &subject, step)?;
        }
        Ok(outcome)
    })
}

fn stored_and_current(cache: &Cache, tx: &Tx, form: &Form) -> Result<(Draft, Draft, PublishedQuestions)> {
    let parsed = cache.parsed(tx, form)?;
    let stored = drafts::load(tx, form.form_no)?.unwrap_or_default();
    let (draft, published) = current(tx, form, &parsed)?;
    Ok((stored, draft, published))
}

/// Stores the differences from the stored draft, as the next version.
fn store(tx: &Tx, form: &Form, stored: &Draft, mut draft: Draft) -> Result<()> {
    draft.version = stored.version + 1;
    let version = draft.version;
    let mut codes = Vec::new();
    for question in &mut draft.questions {
        let known = stored.any(&question.code);
        // A page that was loaded before the first change shows the same questions.
        let before = known.map_or(&question.base, |known| &known.body);
        if *before != question.body {
            question.version = version;
        }
        if known != Some(&*question) {
            codes.push(question.code.clone());
        }
    }
    let mut names: Vec<PartName> = Vec::new();
    for part in &mut draft.parts {
        let known = stored.part(part.name);
        if known.map_or(&part.base, |known| &known.body) != &part.body {
            part.version = version;
        }
        if known != Some(&*part) && (known.is_some() || part.is_changed()) {
            names.push(part.name);
        }
    }
    drafts::save(tx, form.form_no, &draft, &codes, &names)
}

/// The state in `here` of the questions that differ, and of those that were moved.
fn state_of(here: &Draft, there: &Draft, moved: &[String]) -> StepState {
    let all: Vec<&str> = {
        let mut seen = HashSet::new();
        let both = here.questions.iter().chain(&there.questions).map(|question| question.code.as_str());
        both.filter(|code| seen.insert(*code)).collect()
    };
    let body = |draft: &Draft, code: &str| draft.any(code).and_then(|question| question.body.clone());
    let mut bodies: Vec<(String, Option<Json>)> = all
        .into_iter()
        .filter(|code| body(here, code) != body(there, code))
        .map(|code| (code.to_owned(), body(here, code)))
        .collect();
    bodies.sort_by(|one, other| one.0.cmp(&other.0));
    let places = here.questions.iter().filter(|question| moved.contains(&question.code));
    let places = places.map(|question| (question.code.clone(), here.before(&question.code).to_owned()));
    let parts = here.parts.iter().filter(|part| there.body(part.name) != &part.body);
    let parts = parts.map(|part| (part.name, part.body.clone()));
    StepState { bodies, places: places.collect(), parts: parts.collect() }
}

/// A new question of a draft.
fn new_question(code: String, body: Json) -> DraftQuestion {
    DraftQuestion { code, version: 0, body: Some(body), base: None }
}
