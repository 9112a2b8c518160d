//! The conditions of a list as rows of controls: a question, an operator and a value. All must hold. The rows are sent
//! as `f[0].field`, `f[0].operator` and `f[0].value`, repeated for several values.

use maud::{Markup, Render, html};
use serde_json::{Map, json};

use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::fields::filter::compared::{Compared, option_text};
use crate::fields::filter::cond::Op;
use crate::ops::entries::shown_answers::EntryColumn;
use crate::web::pages::console::entries::address::ListAddress;
use crate::web::pages::console::entries::columns;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::rules::words;
use crate::web::pages::ui::button::Button;
use crate::web::pages::ui::entries::conditions::{ConditionRow, OtherCondition, Removal};
use crate::web::pages::ui::field::{Choice, SelectField};
use crate::web::pages::ui::section::Disclosure;
use crate::web::request::call::Call;

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

/// A condition in its controls.
#[derive(Clone, Default)]
struct Condition {
    field: String,
    operator: String,
    values: Vec<String>,
    /// A condition that these controls can't express, as the API takes it.
    other: Option<Json>,
}

/// The conditions that rows of controls were sent with, as the API takes them; none if there were no such rows.
pub fn of_rows(call: &Call, columns: &[EntryColumn]) -> Option<String> {
    let pairs = call.pairs().map(|(key, value)| (key.into_owned(), value.into_owned()));
    let conditions = of_pairs(pairs, columns);
    (!conditions.is_empty()).then(|| Json::Array(conditions).to_string())
}

/// The conditions of the rows of controls among these pairs, as the API takes them.
pub fn of_pairs(pairs: impl Iterator<Item = (String, String)>, columns: &[EntryColumn]) -> Vec<Json> {
    let mut rows: Vec<Condition> = Vec::new();
    for (key, value) in pairs {
        let Some((at, part)) = key.strip_prefix("f[").and_then(|rest| rest.split_once("].")) else {
            continue;
        };
        let Some(at) = at.parse::<usize>().ok().filter(|at| *at <= rows.len()) else {
            continue;
        };
        if at == rows.len() {
            rows.push(Condition::default());
        }
        match part {
            "field" => rows[at].field = value,
            "operator" => rows[at].operator = value,
            "value" if !value.is_empty() => rows[at].values.push(value),
            "other" => rows[at].other = serde_json::from_str(&value).ok(),
            _ => {}
        }
    }
    rows.iter().map(|row| row.to_json(columns)).collect()
}

/// A condition on a field of which nothing is chosen yet.
pub fn begun(field: &str) -> Json {
    json!({"field": field, "operator": ""})
}

impl Condition {
    /// As the API takes it. Several ticked choices are one of several.
    fn to_json(&self, columns: &[EntryColumn]) -> Json {
        if let Some(other) = &self.other {
            return other.clone();
        }
        let column = columns.iter().find(|column| column.name() == self.field);
        let value = |text: &String| typed(column, text);
        let all = || self.values.iter().map(value).collect::<Json>();
        let mut operator = self.operator.as_str();
        let value = match Op::by_name(operator) {
            Some(Op::Null | Op::NotNull) => None,
            Some(Op::AnyIn | Op::NoneIn | Op::Between | Op::NotBetween) => Some(all()),
            Some(Op::Eq | Op::Ne) if self.values.len() > 1 => {
                operator = if operator == Op::Eq.name() { Op::AnyIn.name() } else { Op::NoneIn.name() };
                Some(all())
            }
            _ => self.values.first().map(value),
        };
        let mut out = Map::new();
        out.insert("field".to_owned(), json!(self.field));
        out.insert("operator".to_owned(), json!(operator));
        out.extend(value.map(|value| ("value".to_owned(), value)));
        Json::Object(out)
    }

    fn of_json(json: &Json) -> Self {
        let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let member = |name: &str| json.get(name).map(text).unwrap_or_default();
        let values = match json.get("value") {
            None | Some(Json::Null) => Vec::new(),
            Some(Json::Array(values)) => values.iter().map(text).collect(),
            Some(value) => vec![text(value)],
        };
        Self { field: member("field"), operator: member("operator"), values, other: Some(json.clone()) }
    }
}

/// A value as programs write it.
fn typed(column: Option<&EntryColumn>, text: &str) -> Json {
    let is_flag = column.is_some_and(|column| column.name() == "exam_passed");
    match (text, column) {
        ("true", _) if is_flag => json!(true),
        ("false", _) if is_flag => json!(false),
        (_, Some(column)) => column.kind().compared().value_of(text),
        (_, None) => json!(text),
    }
}

/// The options for a value: each with its words.
fn options(frame: &FormFrame, column: &EntryColumn) -> Vec<(String, String)> {
    let say = |id: &str| frame.say(id);
    match column {
        EntryColumn::Question(field) => match field.kind.compared() {
            Compared::Items(items) | Compared::ItemsOrDay(items) if items.len() <= MOST_OPTIONS => {
                items.into_iter().map(|item| (option_text(&item.value), item.label)).collect()
            }
            _ => Vec::new(),
        },
        EntryColumn::System(field) => match field.name {
            "exam_passed" => vec![("true".to_owned(), say("system-yes")), ("false".to_owned(), say("system-no"))],
            "reservation_status_fsf_field" => ["reserved", "cancelled", "completed"]
                .map(|word| (word.to_owned(), say(&format!("system-status-{word}"))))
                .into(),
            _ => Vec::new(),
        },
    }
}

fn is_compared_as_number(column: &EntryColumn) -> bool {
    [Op::NUMBER, Op::SCORE].contains(&column.kind().operators())
}

fn is_date(column: &EntryColumn) -> bool {
    column.kind().operators() == Op::DATE
}

/// Whether its values are days, alone or beside options.
fn takes_days(column: &EntryColumn) -> bool {
    is_date(column) || column.kind().compared().takes_days()
}

/// Whether its values are typed: as a text, a number or a date.
fn is_typed(column: &EntryColumn) -> bool {
    let is_text = column.kind().operators() == Op::TEXT || column.kind().plain().is_some();
    is_text || is_compared_as_number(column) || is_date(column) || matches!(column, EntryColumn::System(_))
}

/// The operators that these controls can express.
fn operators(frame: &FormFrame, column: &EntryColumn) -> Vec<Op> {
    let has_options = !options(frame, column).is_empty();
    let fits = |op: &Op| match op {
        Op::Null | Op::NotNull => true,
        Op::Like | Op::NotLike => !has_options && !is_date(column),
        _ => has_options || is_typed(column),
    };
    column.kind().operators().iter().copied().filter(fits).collect()
}

/// The rows, open where there are some; a fault of one is shown at it.
pub fn draw(page: &FilterBar, faults: &[Issue]) -> Markup {
    let frame = &page.frame;
    let mut rows = page.address.conditions();
    let held = rows.len();
    if let Some(field) = frame.call.query("add").filter(|field| !field.is_empty()) {
        rows.push(begun(&field));
    }
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
            (rows_of(frame, &rows, "filters", faults, &removal))
            (adding(frame))
            (Button::quiet(&frame.say("entries-filter-apply")))
        }
    };
    Disclosure { summary: &summary, is_open: !rows.is_empty(), content }.render()
}

/// Rows of controls for conditions, as the API takes them; `list` is the name of their list in faults.
pub fn rows_of(
    frame: &FormFrame,
    conditions: &[Json],
    list: &str,
    faults: &[Issue],
    removal: &dyn Fn(usize) -> Removal,
) -> Markup {
    let all = EntryColumn::all(&frame.view.parsed);
    let rows = conditions.iter().map(Condition::of_json).enumerate().map(|(at, row)| {
        let prefix = format!("{list}[{at}]");
        let own = faults.iter().filter(|issue| issue.attribute.starts_with(&prefix));
        let fault = own.map(Issue::message).collect::<Vec<_>>().join(" · ");
        let column = all.iter().find(|column| column.name() == row.field);
        one(frame, column.filter(|column| can_express(frame, column, &row)), at, &row, &fault, removal(at))
    });
    html! { @for row in rows { (row) } }
}

/// The choice of the question for a further condition.
pub fn adding(frame: &FormFrame) -> Markup {
    let all = EntryColumn::all(&frame.view.parsed);
    let add = all.iter().filter(|column| !operators(frame, column).is_empty());
    let add = add.map(|column| Choice {
        lang: columns::lang_of(frame, column),
        ..Choice::new(column.name(), html! { (columns::label(frame, column)) }, false)
    });
    let none = Choice::new("", frame.say("entries-filter-choose"), true);
    SelectField {
        id: "add",
        name: "add",
        label: &frame.say("entries-filter-add"),
        choices: std::iter::once(none).chain(add).collect(),
        ..SelectField::default()
    }
    .render()
}

/// Whether the controls show all of a condition: one of another operator would become another by being sent.
fn can_express(frame: &FormFrame, column: &EntryColumn, row: &Condition) -> bool {
    let is_new = row.operator.is_empty();
    let options = options(frame, column);
    let is_shown = |value: &String| {
        let is_day = takes_days(column) && value.starts_with(|first: char| first.is_ascii_digit());
        options.is_empty() || is_day || options.iter().any(|(own, _)| own == value)
    };
    is_new || row.values.iter().all(is_shown) && operators(frame, column).iter().any(|op| op.name() == row.operator)
}

/// A condition; without a column, one that the controls can't express.
fn one(
    frame: &FormFrame,
    column: Option<&EntryColumn>,
    at: usize,
    row: &Condition,
    fault: &str,
    remove: Removal,
) -> Markup {
    let name = format!("f[{at}]");
    let Some(column) = column else {
        let other = row.other.as_ref().map(Json::to_string).unwrap_or_default();
        return OtherCondition { name: &name, text: &other, fault, remove, remove_label: &frame.say("grid-remove") }
            .render();
    };
    let operators = operators(frame, column).into_iter();
    let operators = operators.map(|op| {
        let words = words::operator(frame.texts, op, column.kind());
        Choice::new(op.name(), words, op.name() == row.operator)
    });
    let options = options(frame, column);
    let lang = columns::lang_of(frame, column);
    let chosen = |value: &str| row.values.iter().any(|own| own == value);
    let typed: Vec<String> = match takes_days(column) && !options.is_empty() {
        true => row.values.iter().filter(|value| options.iter().all(|(own, _)| own != *value)).cloned().collect(),
        false => row.values.clone(),
    };
    ConditionRow {
        name: &name,
        field: column.name(),
        label: html! { bdi lang=[lang] { (columns::label(frame, column)) } },
        operator_label: &frame.say("entries-filter-operator"),
        operators: operators.collect(),
        value_label: &frame.say("entries-filter-value"),
        choices: options
            .iter()
            .map(|(value, label)| Choice { lang, ..Choice::new(value, label, chosen(value)) })
            .collect(),
        values: &typed,
        is_typed: options.is_empty() || takes_days(column),
        takes_two: column.kind().operators().contains(&Op::Between),
        input: if takes_days(column) { "date" } else { "text" },
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
    let all = EntryColumn::all(&frame.view.parsed);
    let words = conditions.iter().map(|condition| {
        let row = Condition::of_json(condition);
        let (column, op) = (all.iter().find(|column| column.name() == row.field), Op::by_name(&row.operator));
        let (Some(column), Some(op)) = (column, op) else {
            return condition.to_string();
        };
        let options = options(frame, column);
        let shown =
            |value: &String| options.iter().find(|(own, _)| own == value).map_or(value, |(_, label)| label).clone();
        let values: Vec<String> = row.values.iter().map(shown).collect();
        words::condition(frame.texts, &columns::label(frame, column), op, column.kind(), &values)
    });
    words.collect()
}
