//! Whether a draft can be published, question by question.

use std::collections::{HashMap, HashSet};

use serde_json::json;

use crate::base::error::Result;
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::fields::Field;
use crate::fields::definition::{Definition, Drafted, Edit, Removal};
use crate::model::caller::Caller;
use crate::model::draft::Draft;
use crate::ops::app::App;
use crate::ops::forms::drafts::{DraftView, load};
use crate::ops::forms::{cx_of, head_of, look_up};

/// How often faults that follow from others are looked for.
const ROUNDS: usize = 4;

/// The outcome of a check.
pub struct Checked {
    /// The draft's fields, with a note in place of each that is not sound.
    pub definition: Definition,
    /// By question: paths within it.
    pub faults: HashMap<String, Vec<Issue>>,
    /// Faults of the form as a whole, under `fields`.
    pub form_faults: Vec<Issue>,
    /// What publishing would take away.
    pub removals: Vec<Removal>,
}

impl Checked {
    /// Whether the draft can be published.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty() && self.form_faults.is_empty()
    }

    /// The faults of a question.
    pub fn of(&self, code: &str) -> &[Issue] {
        self.faults.get(code).map_or(&[], Vec::as_slice)
    }
}

/// The draft's questions as the `fields` of a request.
pub fn fields(draft: &Draft) -> Json {
    draft.present().map(|(_, body)| body.clone()).collect()
}

/// The codes of a draft's new questions.
pub fn drafted(draft: &Draft) -> Drafted {
    let new = draft.present().filter(|(question, _)| question.base.is_none());
    let codes: HashSet<String> = new.map(|(question, _)| question.code.clone()).collect();
    Drafted { codes, next_field: draft.next_field }
}

/// Checks all questions of a draft.
///
/// # Errors
/// 503.
pub fn check(app: &App, caller: &Caller, shown: &DraftView) -> Result<Checked> {
    let codes: Vec<&str> = shown.draft.present().map(|(question, _)| question.code.as_str()).collect();
    let mut raw = fields(&shown.draft);
    let mut faults: HashMap<String, Vec<Issue>> = HashMap::new();
    let mut form_faults = Vec::new();
    if codes.is_empty() {
        form_faults.push(Issue::new("fields", Reason::NoFields));
    }
    let mut checked = read(app, caller, shown, raw.clone())?;
    for round in 0..ROUNDS {
        let (edit, found) = checked;
        let mut wrong = HashSet::new();
        for issue in found {
            match place(&issue.attribute).and_then(|(at, path)| Some((codes.get(at)?, at, path))) {
                Some((code, at, path)) => {
                    wrong.insert(at);
                    // A formula is not wrong because a question that it names is not complete.
                    if round == 0 {
                        faults.entry((*code).to_owned()).or_default().push(Issue::new(path, issue.reason));
                    }
                }
                None if round == 0 => form_faults.push(issue),
                None => {}
            }
        }
        if wrong.is_empty() {
            let Edit { definition, removals, .. } = edit;
            return Ok(Checked { definition, faults, form_faults, removals });
        }
        for at in wrong {
            raw[at] = stand_in(&raw[at]);
        }
        checked = read(app, caller, shown, raw.clone())?;
    }
    let Edit { definition, removals, .. } = checked.0;
    Ok(Checked { definition, faults, form_faults, removals })
}

/// A place in the list of fields: `fields[3].choices[0].label` → 3, `choices[0].label`.
fn place(attribute: &str) -> Option<(usize, &str)> {
    let (at, rest) = attribute.strip_prefix("fields[")?.split_once(']')?;
    Some((at.parse().ok()?, rest.trim_start_matches('.')))
}

/// Shown instead of a question that is not sound yet.
fn stand_in(body: &Json) -> Json {
    let label = body["label"].as_str().filter(|label| !label.trim().is_empty() && label.chars().count() <= 500);
    json!({"type": "description", "label": label.unwrap_or("…")})
}

fn read(app: &App, caller: &Caller, shown: &DraftView, raw: Json) -> Result<(Edit, Vec<Issue>)> {
    let view = &shown.view;
    let found = look_up(app, caller, &json!({"fields": raw}))?;
    let head = head_of(&view.form);
    let cx = cx_of(&head, &view.parsed.timezone, &found);
    let mut at = Issues::new();
    let edit = view.parsed.definition.replace_drafted(raw, &drafted(&shown.draft), &cx, &mut at);
    Ok((edit, at.into_list()))
}

/// A question as it is stored in the draft: a sound one as the API shows it, with the codes of its new parts, another one
/// as it was typed.
///
/// # Errors
/// 404.
pub fn settled(app: &App, caller: &Caller, token: &str, code: &str, mut body: Json) -> Result<Json> {
    let shown = load(app, caller, token)?;
    body["api_code"] = json!(code);
    let (edit, faults) = read(app, caller, &shown, json!([body]))?;
    // Formulas that refer to other questions have faults here, and none of their parts needs a code.
    let sound = edit.definition.fields.get(code).filter(|_| faults.is_empty());
    let known = shown.view.parsed.definition.fields.get(code);
    Ok(sound.map_or(body, |field| without_new_columns(field, known)))
}

/// The field as the API shows it, but for the codes of columns that are not published: no edit knows them.
fn without_new_columns(field: &Field, known: Option<&Field>) -> Json {
    let mut shown = field.to_json();
    let known = known.map_or(&[][..], |field| field.kind.sub_fields());
    if let Some(Json::Array(columns)) = shown.get_mut("dimensions").filter(|_| !field.kind.sub_fields().is_empty()) {
        for column in columns.iter_mut().filter_map(Json::as_object_mut) {
            if !known.iter().any(|old| column.get("api_code").is_some_and(|code| *code == old.api_code.as_str())) {
                column.shift_remove("api_code");
            }
        }
    }
    shown
}
