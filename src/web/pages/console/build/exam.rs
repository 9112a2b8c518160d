//! The exam settings of questions: whether each is scored, its points and the right answer.

use maud::{Markup, Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text::texts::Texts;
use crate::fields::Field;
use crate::fields::display::local_number;
use crate::fields::values::results::exam::{MAX_SCORE, Partial, SCENE, points_text};
use crate::model::caller::Caller;
use crate::model::draft::DraftQuestion;
use crate::model::draft::parts::PartName;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::drafts::check::{self, Checked};
use crate::ops::forms::drafts::parts::{self, Kept};
use crate::ops::forms::drafts::{self, DraftView};
use crate::ops::forms::settings_edit::version_of;
use crate::web::pages::console::Posted;
use crate::web::pages::console::account_messages;
use crate::web::pages::console::build::{Drawing, Shown, back, default, view, wants_json};
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::ui::build::default::TakenValue;
use crate::web::pages::ui::build::exam::ExamQuestion;
use crate::web::pages::ui::build::publishing::Versions;
use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::field::Choice;
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::settings::control::{Control, Input};
use crate::web::pages::ui::words::{facts, muted};
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Reply};

const SCORED: &str = "exam.scored";
const SCORE: &str = "exam.score";
const PARTIAL: &str = "exam.partial";
/// The name of the input with the version of the question's settings that the page shows.
const SEEN: &str = "_seen";

/// The questions of an exam, as its draft has them.
pub struct ExamQuestions<'a> {
    pub frame: &'a FormFrame<'a>,
    pub draft: &'a DraftView,
    pub checked: &'a Checked,
}

impl<'a> ExamQuestions<'a> {
    /// `None` for a form that is no exam.
    pub fn of(frame: &'a FormFrame<'a>, draft: &'a DraftView, checked: &'a Checked) -> Option<Self> {
        (draft.view.form.scene == SCENE).then_some(Self { frame, draft, checked })
    }

    /// The questions that an exam can score, in their order.
    pub fn fields(&self) -> impl Iterator<Item = &'a Field> {
        let (draft, checked) = (self.draft, self.checked);
        let present = draft.draft.present().filter_map(move |(it, _)| checked.definition.fields.get(&it.code));
        present.filter(|field| field.kind.grading().is_some() && field.takes_default())
    }

    /// A question that an exam can score.
    pub fn field(&self, code: &str) -> Option<&'a Field> {
        self.fields().find(|field| field.api_code == code)
    }

    /// The stored settings of a question; null without any.
    pub fn question(&self, code: &str) -> &'a Json {
        &self.draft.draft.body(PartName::ExamQuestions)[code]
    }

    pub fn is_scored(&self, code: &str) -> bool {
        let question = self.question(code);
        question.is_object() && question["scored"] != false
    }

    /// The points that a question can bring. Nobody is asked a hidden one.
    fn points(&self, field: &Field) -> Option<f64> {
        let is_asked = self.is_scored(&field.api_code) && !field.hidden;
        is_asked.then(|| self.question(&field.api_code)["score"].as_f64()).flatten()
    }

    fn told(&self, points: f64) -> String {
        points_text(points, &self.frame.caller.user.locale)
    }

    /// The points of a question in words; empty where it brings none.
    pub fn points_words(&self, code: &str) -> String {
        let points = self.field(code).and_then(|field| self.points(field));
        points.map(|points| self.in_words("exam-worth", points)).unwrap_or_default()
    }

    /// The points of all questions in words.
    pub fn total_words(&self) -> String {
        // The sum of nothing would be a negative zero.
        let all = self.fields().filter_map(|field| self.points(field));
        self.in_words("exam-total", all.fold(0.0, |sum, points| sum + points))
    }

    fn in_words(&self, id: &str, points: f64) -> String {
        self.frame.texts.fill(id, &[("points", self.told(points).into())])
    }

    /// The right answer as people read it; empty without one.
    pub fn answer_words(&self, field: &Field) -> String {
        let answer = &self.question(&field.api_code)["answer"];
        let cx = self.draft.view.parsed.cx(self.frame.call.now, false);
        if answer.is_null() { String::new() } else { default::told(field, answer.clone(), &cx) }
    }

    /// The scoring of an answer that is partly right, in words.
    pub fn partial_words(&self, code: &str) -> String {
        let word = self.question(code)["partial"].as_str().unwrap_or(Partial::ALL[0].0);
        partial_words(self.frame.texts, word)
    }

    /// Faults of the question's settings: paths within them, and messages.
    pub fn faults(&self, code: &str) -> Vec<(String, String)> {
        let faults = self.checked.of_exam_question(code);
        faults.map(|fault| (fault.attribute.clone(), fault_words(self.frame.texts, &fault))).collect()
    }

    /// The message for the fault at a path; empty if there is none.
    fn fault(&self, code: &str, path: &str) -> String {
        let is_at =
            |at: &str| at.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        let found = self.faults(code).into_iter().find(|(at, _)| is_at(at));
        found.map(|(_, words)| words).unwrap_or_default()
    }
}

fn partial_words(texts: &Texts, word: &str) -> String {
    texts.find(&format!("settings-partial-{}", word.replace('_', "-"))).unwrap_or_else(|| word.to_owned())
}

/// A fault of a question's exam settings, with its path within them, in words.
fn fault_words(texts: &Texts, fault: &Issue) -> String {
    let key = fault.attribute.split(['.', '[']).next().unwrap_or_default();
    match (key, &fault.reason) {
        ("answer", Reason::Required | Reason::Blank) => texts.say("exam-fault-no-answer"),
        ("answer", _) => texts.say("exam-fault-answer"),
        ("score", _) => texts.fill("exam-fault-score", &[("most", i64::from(MAX_SCORE).into())]),
        ("scored", _) => texts.say("exam-fault-kind"),
        _ => account_messages::message(texts, fault),
    }
}

/// A fault of the exam for the page of publishing: its question, and the message.
pub fn told_fault<'f>(texts: &Texts, fault: &'f Issue) -> (Option<&'f str>, String) {
    match check::exam_path(&fault.attribute) {
        Some((code, path)) => (Some(code), fault_words(texts, &Issue::new(path, fault.reason.clone()))),
        None if fault.attribute == "exam.pass_score" => (None, texts.say("exam-fault-pass")),
        None => (None, account_messages::message(texts, fault)),
    }
}

/// Of a question of an exam that can be scored.
pub(super) fn draw(drawing: &Drawing, question: &DraftQuestion) -> Markup {
    let (frame, code) = (drawing.frame, question.code.as_str());
    let texts = frame.texts;
    let Some(exam) = ExamQuestions::of(frame, drawing.draft, drawing.checked) else {
        return Markup::default();
    };
    let Some(field) = exam.field(code) else {
        return Markup::default();
    };
    let stored = exam.question(code);
    let shown = drawing.shown.exam.as_ref().unwrap_or(stored);
    let is_scored = exam.is_scored(code);
    let answer = exam.answer_words(field);
    let content = if drawing.can_change {
        html! {
            @if let Some(mine) = &drawing.shown.exam { (overtaken(drawing, code, mine, stored)) }
            (controls(&exam, field, shown))
        }
    } else if is_scored {
        facts(&[
            (&texts.say("settings-questions-points"), html! { (exam.points_words(code)) }),
            (&texts.say("settings-questions-answer"), html! { bdi lang=[frame.owners_lang()] { (answer) } }),
        ])
    } else {
        muted(texts.say("exam-not-scored"))
    };
    let take = html! {
        @if drawing.can_change && is_scored {
            (TakenValue {
                id: "answer",
                title: &texts.say("settings-questions-answer"),
                text: &answer,
                lang: frame.owners_lang(),
                none: &texts.say("answer-none"),
                notes: &texts.say("answer-notes"),
                fault: &exam.fault(code, "answer"),
                code,
                take: (&frame.address(&format!("preview?answer={code}")), &texts.say("answer-take")),
                remove: (&frame.address(&format!("build/fields/{code}/no-answer")), &texts.say("answer-remove")),
                csrf: &frame.csrf,
            })
        }
    };
    ExamQuestion {
        title: &texts.say("scene-exam"),
        total: &exam.total_words(),
        action: drawing.can_change.then(|| frame.address(&format!("build/fields/{code}/exam"))),
        csrf: &frame.csrf,
        seen: (SEEN, &version_of(stored)),
        content,
        save: &texts.say("build-save"),
        after: take,
    }
    .render()
}

fn controls(exam: &ExamQuestions, field: &Field, shown: &Json) -> Markup {
    let (frame, code) = (exam.frame, field.api_code.as_str());
    let texts = frame.texts;
    let is_scored = shown.is_object() && shown["scored"] != false;
    let score = match &shown["score"] {
        Json::Number(number) => {
            let text = number.to_string();
            local_number::in_control(text.strip_suffix(".0").unwrap_or(&text), &frame.caller.user.locale)
        }
        Json::String(text) => text.clone(),
        _ => String::new(),
    };
    let chosen = shown["partial"].as_str().unwrap_or(Partial::ALL[0].0);
    let choices = Partial::ALL.map(|(word, _)| Choice::new(word, partial_words(texts, word), word == chosen));
    let has_parts = field.kind.grading().is_some_and(|grading| grading.has_parts());
    let hidden = if field.hidden { texts.say("exam-hidden") } else { String::new() };
    let control = |name, label: &str, notes: &str, path: &str, input| {
        Control { name, label, notes, fault: &exam.fault(code, path), news: "", input }.render()
    };
    html! {
        (control(SCORED, &texts.say("exam-scored"), &hidden, "scored", Input::Tick { is_on: is_scored }))
        (control(SCORE, &texts.say("settings-questions-points"), "", "score", Input::Line {
            value: &score,
            mode: "decimal",
            list: "",
        }))
        @if has_parts {
            (control(PARTIAL, &texts.say("settings-questions-partial"), "", "partial", Input::Select {
                choices: choices.into(),
            }))
        }
    }
}

/// Shows the settings that somebody else has saved meanwhile, beside the typed ones.
fn overtaken(drawing: &Drawing, code: &str, mine: &Json, theirs: &Json) -> Markup {
    let frame = drawing.frame;
    let texts = frame.texts;
    let told = |of: &Json, key: &str| match key {
        "scored" => texts.say(if of.is_object() && of["scored"] != false { "build-on" } else { "build-off" }),
        "score" => of["score"].as_f64().map(|score| points_text(score, &frame.caller.user.locale)).unwrap_or_default(),
        _ => partial_words(texts, of["partial"].as_str().unwrap_or(Partial::ALL[0].0)),
    };
    let keys =
        [("scored", "exam-scored"), ("score", "settings-questions-points"), ("partial", "settings-questions-partial")];
    let pairs = keys.iter().map(|(key, words)| (texts.say(words), told(mine, key), told(theirs, key)));
    html! {
        (message(Tone::Warn, &texts.say("build-overtaken"), &texts.say("build-overtaken-text")))
        (Versions {
            title: html! { (texts.say("build-differs")) },
            pairs: pairs.filter(|(_, mine, theirs)| mine != theirs).collect(),
            mine: &texts.labelled(&texts.say("build-mine"), ""),
            theirs: &texts.labelled(&texts.say("build-theirs"), ""),
            actions: Button {
                label: &texts.say("build-take"),
                press: Press::Go(&drawing.address_of(code)),
                ..Button::default()
            }
            .render(),
        })
    }
}

/// `POST /forms/{form_token}/build/fields/{code}/exam`: saves the typed settings, if the stored ones are still as they
/// were shown.
pub(super) fn save(call: &Call, caller: &Caller, code: &str, posted: &Posted) -> Result<Reply> {
    let token = call.param("form_token");
    access::check(call.app, caller, token, Right::Manage)?;
    let shown = drafts::load(call.app, caller, token)?;
    if shown.draft.get(code).is_none() || shown.view.form.scene != SCENE {
        return Err(Error::NotFound(Noun::Question));
    }
    let before = &shown.draft.body(PartName::ExamQuestions)[code];
    let question = read(before, posted, &caller.user.locale);
    let subject = format!("{code} exam");
    match parts::change_exam_question(call.app, caller, token, code, posted.text(SEEN), question.clone(), &subject)? {
        Kept::Stored(_) if wants_json(call) => Ok(reply::data(&json!({ "seen": version_of(&question) }))?.into()),
        Kept::Stored(_) => Ok(back(call, code)),
        Kept::Changed(_) => {
            let shown = Shown { field: code.to_owned(), exam: Some(question), ..Shown::default() };
            Ok(view(call, caller, StatusCode::PRECONDITION_FAILED, &shown)?.into())
        }
    }
}

/// The exam settings of a question after a post: null where it has none. A question that comes to be scored is worth a
/// point unless its points are typed.
fn read(before: &Json, posted: &Posted, locale: &str) -> Json {
    let mut question = before.as_object().cloned().unwrap_or_default();
    let was_scored = before.is_object() && before["scored"] != false;
    let is_scored = posted.text(SCORED) == "true";
    question.insert("scored".to_owned(), json!(is_scored));
    let typed = posted.text(SCORE).trim();
    let score = local_number::of_form(typed, locale);
    // Numbers as settings store them.
    let score = score.as_f64().map_or(score, |number| json!(number));
    match typed.is_empty() {
        false => question.insert("score".to_owned(), score),
        true if is_scored && !was_scored => question.insert("score".to_owned(), json!(1.0)),
        true => question.shift_remove("score"),
    };
    match posted.text(PARTIAL) {
        "" => {}
        word if word == Partial::ALL[0].0 => drop(question.shift_remove("partial")),
        word => drop(question.insert("partial".to_owned(), json!(word))),
    }
    let says_nothing = !is_scored && question.len() == 1;
    if says_nothing { Json::Null } else { Json::Object(question) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posted(pairs: &[(&str, &str)]) -> Posted {
        Posted(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn what_is_typed_is_kept_and_what_says_nothing_is_not() {
        let stored = json!({"scored": true, "score": 2.0, "answer": "a", "partial": "per_choice"});
        type Pairs = &'static [(&'static str, &'static str)];
        let cases: [(Json, Pairs, Json); 6] = [
            (Json::Null, &[(SCORED, "true"), (SCORE, "")], json!({"scored": true, "score": 1.0})),
            (Json::Null, &[(SCORE, "")], Json::Null),
            (Json::Null, &[(SCORED, "true"), (SCORE, "many")], json!({"scored": true, "score": "many"})),
            (
                stored.clone(),
                &[(SCORED, "true"), (SCORE, "2.5"), (PARTIAL, "none")],
                json!({"scored": true, "score": 2.5, "answer": "a"}),
            ),
            (
                stored.clone(),
                &[(SCORED, "true"), (SCORE, " ")],
                json!({"scored": true, "answer": "a", "partial": "per_choice"}),
            ),
            (stored, &[(SCORE, "2")], json!({"scored": false, "score": 2.0, "answer": "a", "partial": "per_choice"})),
        ];
        for (before, pairs, wanted) in cases {
            assert_eq!(read(&before, &posted(pairs), "en"), wanted, "{before} {pairs:?}");
        }
        assert_eq!(read(&Json::Null, &posted(&[(SCORED, "true"), (SCORE, "2,5")]), "de")["score"], 2.5);
    }
}
