//! The conditions of a list as rows of controls: a question, an operator and a value. All must hold.

use maud::{Markup, Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::fields::filter::compared::{Compared, option_text};
use crate::fields::filter::cond::Op;
use crate::model::caller::Caller;
use crate::web::pages::console::entries::address::ListAddress;
use crate::web::pages::console::entries::sent_conditions::{ADD, Condition, PASSED, begun};
use crate::web::pages::console::entries::subjects::FilterSubject;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::rules::words;
use crate::web::pages::ui::button::Button;
use crate::web::pages::ui::entries::conditions::{ConditionRow, Conditions, OperatorChoice, OtherCondition, Removal};
use crate::web::pages::ui::field::{Choice, SelectField};
use crate::web::pages::ui::rules::value::Part;
use crate::web::pages::ui::section::Disclosure;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};

/// The most options of a choice: a longer list is searched by a part of the value.
const MOST_OPTIONS: usize = 1_000;

/// The conditions of a page about a form's entries.
pub struct FilterBar<'a> {
    pub frame: &'a FormFrame<'a>,
    pub address: &'a ListAddress,
    /// The page that they lead to.
    pub path: &'a str,
    /// Parameters of that page beside those of lists.
    pub more: &'a [(&'static str, &'a str)],
}

impl<'a> FilterBar<'a> {
    pub fn of(frame: &'a FormFrame<'a>, address: &'a ListAddress, path: &'a str) -> Self {
        Self { frame, address, path, more: &[] }
    }
}

/// The options for a value: each with its words.
fn options(frame: &FormFrame, subject: &FilterSubject) -> Vec<(String, String)> {
    let say = |id: &str| frame.say(id);
    if subject.is_system {
        return match &*subject.name {
            PASSED => vec![("true".to_owned(), say("system-yes")), ("false".to_owned(), say("system-no"))],
            _ => Vec::new(),
        };
    }
    match subject.kind.compared() {
        Compared::Items(items) | Compared::ItemsOrDay(items) if items.len() <= MOST_OPTIONS => {
            items.into_iter().map(|item| (option_text(&item.value), item.label)).collect()
        }
        _ => Vec::new(),
    }
}

fn is_date(subject: &FilterSubject) -> bool {
    subject.kind.operators() == Op::DATE
}

/// Whether its values are days, alone or beside options.
fn takes_days(subject: &FilterSubject) -> bool {
    is_date(subject) || subject.kind.compared().takes_days()
}

/// Whether its values are typed: as a text, a number, a date or a time of day.
fn is_typed(subject: &FilterSubject) -> bool {
    let operators = subject.kind.operators();
    let is_text = operators == Op::TEXT || subject.kind.plain().is_some();
    let is_number = [Op::NUMBER, Op::SCORE].contains(&operators);
    is_text || is_number || is_date(subject) || subject.kind.compared() == Compared::Time || subject.is_system
}

/// The parts of a value.
fn parts(frame: &FormFrame, subject: &FilterSubject, value: &Json) -> Vec<Part> {
    let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let compared = subject.kind.compared();
    let members = compared.members().iter();
    members.map(|(name, words)| Part { name, label: frame.say(words), text: text(name) }).collect()
}

/// The operators that these controls can express.
fn operators(frame: &FormFrame, subject: &FilterSubject) -> Vec<Op> {
    let has_options = !options(frame, subject).is_empty();
    let compared = subject.kind.compared();
    let fits = |op: &Op| match op {
        Op::Null | Op::NotNull => true,
        Op::Like | Op::NotLike => !has_options && !is_date(subject),
        _ => has_options || is_typed(subject) || compared.takes_objects(*op),
    };
    subject.kind.operators().iter().copied().filter(fits).collect()
}

/// The rows, open where there are some; a fault of one is shown at it.
pub fn draw(page: &FilterBar, faults: &[Issue]) -> Markup {
    let frame = &page.frame;
    let mut rows = page.address.conditions();
    let held = rows.len();
    let added = frame.call.pairs().filter(|(name, field)| name == ADD && !field.is_empty());
    rows.extend(added.map(|(_, field)| begun(&field)));
    let list = frame.address(page.path);
    let mut kept = page.address.pairs_without(&["filters"]);
    kept.extend(
        page.more.iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| (*name, (*value).to_owned())),
    );
    let summary = match held {
        0 => frame.say("entries-filter"),
        held => frame.texts.fill("entries-filters", &[("count", i64::try_from(held).unwrap_or(i64::MAX).into())]),
    };
    let removal = |at: usize| {
        let without = page.address.without_condition(at);
        let more: Vec<(&str, &str)> = page.more.iter().copied().chain([("filters", without.as_str())]).collect();
        Removal::Leads(page.address.leads(&list, &more, &["filters"]))
    };
    let content = html! {
        form method="get" action=(list) {
            @for (name, value) in &kept { input type="hidden" name=(name) value=(value); }
            (rows_of(frame, &rows, "filters", faults, Rows { removal: &removal, adds: true }))
            (adding(frame))
            (Button::quiet(&frame.say("entries-filter-apply")))
        }
    };
    Disclosure { summary: &summary, is_open: !rows.is_empty(), content }.render()
}

/// Rows of controls for conditions, as the API takes them; `list` is the name of their list in faults.
pub fn rows_of(frame: &FormFrame, conditions: &[Json], list: &str, faults: &[Issue], drawn: Rows) -> Markup {
    let all = FilterSubject::all(frame);
    let questions = questions(frame, &all);
    let rows = conditions.iter().map(Condition::of_json).enumerate().map(|(at, row)| {
        let prefix = format!("{list}[{at}]");
        let own = faults.iter().filter(|issue| issue.attribute.starts_with(&prefix));
        let words = |issue: &Issue| match issue.reason {
            Reason::MustBe(_) if row.values.is_empty() => frame.say("rules-fault-value"),
            _ => frame.texts.phrase(&issue.reason.phrase()),
        };
        let fault = own.map(words).collect::<Vec<_>>().join(" · ");
        let subject = all.iter().find(|subject| subject.name == row.field);
        let subject = subject.filter(|subject| can_express(frame, subject, &row));
        one(frame, &questions, subject, at, &row, &fault, (drawn.removal)(at))
    });
    let blank = ConditionRow {
        name: "new",
        question_label: &frame.say("entries-filter-question"),
        questions: &questions,
        operator_label: &frame.say("entries-filter-operator"),
        value_label: &frame.say("entries-filter-value"),
        choices: vec![Choice::new("", "", false)],
        is_typed: true,
        objects: vec![vec![Part::default()]],
        input: "text",
        remove_label: &frame.say("grid-remove"),
        ..ConditionRow::default()
    };
    let ask = frame.address("entries/condition");
    Conditions { ask: &ask, rows: html! { @for row in rows { (row) } }, blank, adds: drawn.adds }.render()
}

/// How rows of controls are taken away, and whether a script adds some.
pub struct Rows<'a> {
    pub removal: &'a dyn Fn(usize) -> Removal,
    pub adds: bool,
}

/// The questions that can be compared.
fn questions<'a>(frame: &FormFrame, all: &'a [FilterSubject<'a>]) -> Vec<Choice<'a>> {
    let comparable = all.iter().filter(|subject| !operators(frame, subject).is_empty());
    let choices = comparable
        .map(|subject| Choice { lang: subject.lang, ..Choice::new(&subject.name, html! { (subject.label) }, false) });
    choices.collect()
}

/// `GET /forms/{form_token}/entries/condition`: how a question is compared, for the script of the conditions.
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    let (all, name) = (FilterSubject::all(&frame), call.query("field").unwrap_or_default());
    let subject =
        all.iter().find(|subject| subject.name == name).filter(|subject| !operators(&frame, subject).is_empty());
    let subject = subject.ok_or(Error::NotFound(Noun::Page))?;
    let compared = operator_choices(&frame, subject, "").into_iter();
    let compared = compared.map(|op| json!({"value": op.value, "label": op.label, "takes": op.takes}));
    let options = options(&frame, subject);
    let is_typed = options.is_empty() || takes_days(subject);
    let choices = options.iter().map(|(value, label)| json!({"value": value, "label": label}));
    let parts = parts(&frame, subject, &Json::Null).into_iter();
    let parts = parts.map(|part| json!({"name": part.name, "label": part.label}));
    let body = json!({"data": {
        "label": subject.label,
        "lang": subject.lang,
        "operators": compared.collect::<Json>(),
        "choices": choices.collect::<Json>(),
        "parts": parts.collect::<Json>(),
        "input": is_typed.then(|| input_of(subject)),
    }});
    Ok(Answer::json_text(StatusCode::OK, body.to_string()).into())
}

/// The operators of a subject, with how many values each takes.
fn operator_choices(frame: &FormFrame, subject: &FilterSubject, chosen: &str) -> Vec<OperatorChoice> {
    let compared = subject.kind.compared();
    let choice = |op: Op| OperatorChoice {
        value: op.name(),
        label: words::operator(frame.texts, op, subject.kind),
        is_chosen: op.name() == chosen,
        takes: match op {
            Op::Null | Op::NotNull => "none",
            Op::Between | Op::NotBetween => "two",
            Op::AnyIn | Op::NoneIn if compared.takes_objects(op) => "objects",
            Op::AnyIn | Op::NoneIn => "many",
            _ if compared.takes_objects(op) => "object",
            _ => "one",
        },
    };
    operators(frame, subject).into_iter().map(choice).collect()
}

/// The `type` of typed values.
fn input_of(subject: &FilterSubject) -> &'static str {
    if takes_days(subject) { "date" } else { "text" }
}

/// The choice of the question for a further condition.
pub fn adding(frame: &FormFrame) -> Markup {
    let all = FilterSubject::all(frame);
    let add = questions(frame, &all);
    let none = Choice::new("", frame.say("entries-filter-choose"), true);
    SelectField {
        id: ADD,
        name: ADD,
        label: &frame.say("entries-filter-add"),
        choices: std::iter::once(none).chain(add).collect(),
        ..SelectField::default()
    }
    .render()
}

/// Whether the controls show all of a condition: one of another operator would become another by being sent.
fn can_express(frame: &FormFrame, subject: &FilterSubject, row: &Condition) -> bool {
    let is_new = row.operator.is_empty();
    let options = options(frame, subject);
    let compared = subject.kind.compared();
    let takes_objects = Op::by_name(&row.operator).is_some_and(|op| compared.takes_objects(op));
    let is_part =
        |(name, text): (&String, &Json)| text.is_string() && compared.members().iter().any(|(own, _)| own == name);
    let is_shown = |value: &Json| {
        if takes_objects {
            return value.as_object().is_some_and(|given| given.iter().all(is_part));
        }
        let value = option_text(value);
        let is_day = takes_days(subject) && value.starts_with(|first: char| first.is_ascii_digit());
        options.is_empty() || is_day || options.iter().any(|(own, _)| *own == value)
    };
    is_new || row.values.iter().all(is_shown) && operators(frame, subject).iter().any(|op| op.name() == row.operator)
}

/// A condition; without a subject, one that the controls can't express.
fn one(
    frame: &FormFrame,
    questions: &[Choice],
    subject: Option<&FilterSubject>,
    at: usize,
    row: &Condition,
    fault: &str,
    remove: Removal,
) -> Markup {
    let name = format!("f[{at}]");
    let Some(subject) = subject else {
        let other = row.other.as_ref().map(Json::to_string).unwrap_or_default();
        return OtherCondition { name: &name, text: &other, fault, remove, remove_label: &frame.say("grid-remove") }
            .render();
    };
    let options = options(frame, subject);
    let lang = subject.lang;
    let mut typed: Vec<String> = row.values.iter().map(option_text).collect();
    let chosen: Vec<bool> = options.iter().map(|(value, _)| typed.contains(value)).collect();
    if takes_days(subject) && !options.is_empty() {
        typed.retain(|value| options.iter().all(|(own, _)| own != value));
    }
    let mut objects = Vec::new();
    if !subject.kind.compared().members().is_empty() {
        typed = row.values.iter().filter_map(Json::as_str).take(1).map(str::to_owned).collect();
        // A further one of several, too.
        let given = row.values.iter().filter(|value| value.is_object()).chain([&Json::Null]);
        objects = given.map(|value| parts(frame, subject, value)).collect();
    }
    ConditionRow {
        name: &name,
        field: &subject.name,
        label: html! { bdi lang=[lang] { (subject.label) } },
        question_label: &frame.say("entries-filter-question"),
        questions,
        operator_label: &frame.say("entries-filter-operator"),
        operators: operator_choices(frame, subject, &row.operator),
        value_label: &frame.say("entries-filter-value"),
        choices: options
            .iter()
            .zip(chosen)
            .map(|((value, label), is_chosen)| Choice { lang, ..Choice::new(value, label, is_chosen) })
            .collect(),
        values: &typed,
        is_typed: options.is_empty() || takes_days(subject),
        objects,
        takes_two: subject.kind.operators().contains(&Op::Between),
        input: input_of(subject),
        fault,
        remove,
        remove_label: &frame.say("grid-remove"),
    }
    .render()
}

/// Each condition in words: its question, operator and value.
pub fn in_words(page: &FilterBar) -> Vec<String> {
    told(page.frame, &page.address.conditions())
}

/// The same for conditions as the API takes them.
pub fn told(frame: &FormFrame, conditions: &[Json]) -> Vec<String> {
    let all = FilterSubject::all(frame);
    let words = conditions.iter().map(|condition| {
        let row = Condition::of_json(condition);
        let (subject, op) = (all.iter().find(|subject| subject.name == row.field), Op::by_name(&row.operator));
        let (Some(subject), Some(op)) = (subject, op) else {
            return condition.to_string();
        };
        let (options, compared) = (options(frame, subject), subject.kind.compared());
        let shown = |value: &Json| {
            let option = options.iter().find(|(own, _)| *own == option_text(value));
            option.map_or_else(|| compared.words(value, frame.texts), |(_, label)| label.clone())
        };
        let values: Vec<String> = row.values.iter().map(shown).collect();
        words::condition(frame.texts, &subject.label, op, subject.kind, &values)
    });
    words.collect()
}
