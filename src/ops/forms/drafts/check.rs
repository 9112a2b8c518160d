//! Whether a draft can be published, question by question and part by part.

use std::collections::{HashMap, HashSet};

use serde_json::json;

use crate::base::clock;
use crate::base::error::Result;
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text::texts::{self, Texts};
use crate::fields::Field;
use crate::fields::definition::{Definition, Drafted, Edit, Removal};
use crate::model::caller::Caller;
use crate::model::draft::Draft;
use crate::model::draft::parts::PartName;
use crate::ops::app::App;
use crate::ops::forms::drafts::{DraftView, load};
use crate::ops::forms::renamed_choices::{Renamed, renamed};
use crate::ops::forms::{cx_of, field_rules, head_of, look_up, settings};

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
    /// Fields and parts of fields that publishing would remove.
    pub removals: Vec<Removal>,
    /// Faults of the rules, with paths within their list, and of the exam's questions.
    pub part_faults: Vec<(PartName, Issue)>,
    /// The rules whose conditions new labels of choices change.
    pub renamed: Vec<Renamed>,
    /// The places of the rules that can't be read with these questions.
    pub unread_rules: HashSet<usize>,
}

impl Checked {
    /// Whether the draft can be published.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty() && self.form_faults.is_empty() && self.part_faults.is_empty()
    }

    /// The faults of the rule at a place, with paths within it.
    pub fn of_rule(&self, place: usize) -> impl Iterator<Item = Issue> {
        let rules = self.part_faults.iter().filter(|(part, _)| *part == PartName::Rules);
        rules.filter_map(move |(_, issue)| {
            let (at, path) = indexed(&issue.attribute, "rules")?;
            (at == place).then(|| Issue::new(path, issue.reason.clone()))
        })
    }

    /// The faults of a question's exam settings, with paths within them.
    pub fn of_exam_question(&self, code: &str) -> impl Iterator<Item = Issue> {
        let faults = self.part_faults.iter().filter(|(part, _)| *part == PartName::ExamQuestions);
        faults.filter_map(move |(_, issue)| {
            let (named, path) = exam_path(&issue.attribute)?;
            (named == code).then(|| Issue::new(path, issue.reason.clone()))
        })
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
    let texts = texts::texts(&shown.view.form.locale);
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
            match indexed(&issue.attribute, "fields").and_then(|(at, path)| Some((codes.get(at)?, at, path))) {
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
            return with_parts(shown, edit, faults, form_faults);
        }
        for at in wrong {
            raw[at] = stand_in(&raw[at], texts);
            // What was published has another kind, which could not become one without answers.
            if let Some(code) = codes.get(at).filter(|code| shown.published(code).is_none()) {
                raw[at]["api_code"] = json!(code);
            }
        }
        checked = read(app, caller, shown, raw.clone())?;
    }
    with_parts(shown, checked.0, faults, form_faults)
}

/// A draft whose questions were checked, with the faults of its parts.
fn with_parts(
    shown: &DraftView,
    edit: Edit,
    faults: HashMap<String, Vec<Issue>>,
    form_faults: Vec<Issue>,
) -> Result<Checked> {
    let Edit { definition, removals, .. } = edit;
    let (draft, parsed) = (&shown.draft, &shown.view.parsed);
    let cx = parsed.cx(clock::now(), false);
    let (mut part_faults, mut unread_rules) = (Vec::new(), HashSet::new());
    let rules = draft.body(PartName::Rules);
    for fault in field_rules::faults(rules, &definition.fields, &cx) {
        let at = indexed(&fault.attribute, "rules");
        unread_rules.extend(at.map(|(at, _)| at));
        // A rule is not wrong because a question that it names is not complete.
        let named = at.and_then(|(at, path)| named_at(&rules[at], path));
        // Nor does it lack more than its question before that is chosen.
        let follows = named == Some("") && fault.attribute.ends_with(".operator");
        if !follows && named.is_none_or(|code| !faults.contains_key(code)) {
            part_faults.push((PartName::Rules, fault));
        }
    }
    let questions = exam_questions(draft, &definition);
    let (_, found) = settings::with_exam_questions(&parsed.parts.settings, &questions, &definition.fields, &cx)?;
    let found = found
        .into_iter()
        .filter(|issue| exam_path(&issue.attribute).is_none_or(|(code, _)| !faults.contains_key(code)));
    part_faults.extend(found.map(|issue| (PartName::ExamQuestions, issue)));
    let renamed = renamed(rules, &parsed.parts.field_rules, &parsed.definition.fields, &definition.fields);
    Ok(Checked { definition, faults, form_faults, removals, part_faults, renamed, unread_rules })
}

/// The question that a path of settings is about, and the path within its exam settings.
pub fn exam_path(attribute: &str) -> Option<(&str, &str)> {
    let path = attribute.strip_prefix("exam.questions.")?;
    Some(path.split_once('.').unwrap_or((path, "")))
}

/// The exam's entries for the questions that the draft has.
pub fn exam_questions(draft: &Draft, definition: &Definition) -> Json {
    let mut questions = draft.body(PartName::ExamQuestions).clone();
    if let Some(questions) = questions.as_object_mut() {
        questions.retain(|code, _| draft.get(code).is_some() || definition.fields.get(code).is_some());
    }
    questions
}

/// The code of the question that a fault of a rule is about.
fn named_at<'r>(rule: &'r Json, path: &str) -> Option<&'r str> {
    let code = match indexed(path, "fields") {
        Some((at, _)) => &rule["fields"][at],
        None => &rule["condition"]["items"][indexed(path.strip_prefix("condition.")?, "items")?.0]["field"],
    };
    code.as_str()?.split('.').next()
}

/// A place in a list, and the path from there: `fields[3].choices[0].label` → 3, `choices[0].label`.
fn indexed<'p>(attribute: &'p str, list: &str) -> Option<(usize, &'p str)> {
    let (at, rest) = attribute.strip_prefix(list)?.strip_prefix('[')?.split_once(']')?;
    Some((at.parse().ok()?, rest.trim_start_matches('.')))
}

/// Shown instead of a question that is not sound yet.
fn stand_in(body: &Json, texts: &Texts) -> Json {
    let label = match body["label"].as_str().unwrap_or_default() {
        label if label.trim().is_empty() => texts.say("build-untitled"),
        label if label.chars().count() > 500 => "…".to_owned(),
        label => label.to_owned(),
    };
    json!({"type": "description", "label": label})
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

/// Questions that are asked for something else than an entry: none is required. `None` while one of them is not sound.
///
/// # Errors
/// 503.
pub fn apart(app: &App, caller: &Caller, shown: &DraftView, mut bodies: Vec<Json>) -> Result<Option<Definition>> {
    for body in bodies.iter_mut().filter_map(Json::as_object_mut) {
        body.shift_remove("required");
    }
    let (edit, faults) = read(app, caller, shown, bodies.into())?;
    Ok(faults.is_empty().then_some(edit.definition))
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
