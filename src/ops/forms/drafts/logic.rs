//! Analysis of a draft's rules: how many entries each holds for, which can never hold, which contradict one another.

use std::sync::Arc;

use crate::base::clock;
use crate::base::error::Result;
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::fields::Fields;
use crate::fields::filter::Filter;
use crate::fields::filter::condition::Condition;
use crate::fields::filter::contradiction::{holds_for_blank, impossible};
use crate::fields::kind::Cx;
use crate::model::caller::Caller;
use crate::ops::app::App;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::drafts::DraftView;
use crate::ops::forms::drafts::check::Checked;
use crate::ops::forms::drafts::parts::rules_of;
use crate::query;
use crate::query::request::{EntrySet, Query};
use crate::store::entries::Table;

/// The most rules that are counted for one page.
const MOST_COUNTED: usize = 100;

/// The reason why a rule can never hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Never {
    /// Its conditions on this question exclude one another.
    Excluded(String),
    /// It asks for an answer to this question, which respondents don't see.
    Hidden(String),
}

/// The findings on a rule that need no entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleSense {
    pub never: Option<Never>,
    /// The place of a rule that does the opposite under the same conditions.
    pub contradicts: Option<usize>,
}

/// The findings on each rule; none for one that can't be read.
pub fn senses(rules: &Json, checked: &Checked, shown: &DraftView) -> Vec<RuleSense> {
    let rules = rules_of(rules);
    let fields = &checked.definition.fields;
    let cx = shown.view.parsed.cx(clock::now(), false);
    let is_read = |at: usize| !checked.unread_rules.contains(&at);
    let sense = |(at, rule): (usize, &Json)| {
        let opposite = |(other, rule_there): (usize, &Json)| {
            (other != at && is_read(other) && is_opposite(rule, rule_there)).then_some(other)
        };
        RuleSense {
            never: is_read(at).then(|| never(rule, fields, &cx)).flatten(),
            contradicts: is_read(at).then(|| rules.iter().enumerate().find_map(opposite)).flatten(),
        }
    };
    rules.iter().enumerate().map(sense).collect()
}

fn items(rule: &Json) -> &[Json] {
    rule["condition"]["items"].as_array().map_or(&[], Vec::as_slice)
}

fn is_any(rule: &Json) -> bool {
    rule["condition"]["operand"] == "or"
}

/// Whether a condition of a rule is on one of these questions.
pub fn look_at(rules: &Json, codes: &[String]) -> bool {
    let rules = rules.as_array().into_iter().flatten();
    let mut asked = rules.flat_map(items).filter_map(|item| item["field"].as_str()?.split('.').next());
    asked.any(|code| codes.iter().any(|known| known == code))
}

/// Whether a rule shows or hides a question.
pub fn is_ruled(rules: &Json, code: &str) -> bool {
    let is_target = |rule: &Json| rule["fields"].as_array().is_some_and(|targets| targets.iter().any(|it| it == code));
    rules.as_array().into_iter().flatten().any(|rule| rule["action"] != "require" && is_target(rule))
}

/// Whether one rule shows and the other hides the same question under the same conditions.
fn is_opposite(one: &Json, other: &Json) -> bool {
    let shows = |rule: &Json| rule["action"] == "show";
    let hides = |rule: &Json| rule["action"] == "hide";
    let targets = |rule: &Json| rule["fields"].as_array().cloned().unwrap_or_default();
    let same = items(one).len() == items(other).len() && items(one).iter().all(|item| items(other).contains(item));
    let has_one_way = items(one).len() < 2 || is_any(one) == is_any(other);
    let is_shared = targets(one).iter().any(|code| targets(other).contains(code));
    (shows(one) && hides(other) || hides(one) && shows(other)) && same && has_one_way && is_shared
}

fn never(rule: &Json, fields: &Fields, cx: &Cx) -> Option<Never> {
    let read = |item: &Json| {
        let text = |key: &str| item[key].as_str().unwrap_or_default();
        Condition::read(fields, text("field"), text("operator"), &item["value"], cx).ok()
    };
    let conditions: Vec<Condition> = items(rule).iter().map(read).collect::<Option<_>>()?;
    let alone = |condition: &Condition| why(&[condition], fields);
    if is_any(rule) {
        let each: Vec<Never> = conditions.iter().map(alone).collect::<Option<_>>()?;
        return each.into_iter().next();
    }
    why(&conditions.iter().collect::<Vec<_>>(), fields)
}

/// The reason why these conditions can't hold together.
fn why(conditions: &[&Condition], fields: &Fields) -> Option<Never> {
    let field = |condition: &Condition| fields.at(condition.question.place);
    // A hidden question has an answer only where it has a default.
    let is_unseen = |condition: &&&Condition| {
        let is_blank = field(condition).is_some_and(|field| field.hidden && field.default_value.is_none());
        is_blank && !holds_for_blank(condition)
    };
    if let Some(hidden) = conditions.iter().find(is_unseen).and_then(|condition| field(condition)) {
        return Some(Never::Hidden(hidden.api_code.clone()));
    }
    let place = impossible(conditions, fields)?;
    fields.at(place).map(|field| Never::Excluded(field.api_code.clone()))
}

/// How many entries each rule holds for, by the published form; `None` for rules that look at other questions.
///
/// # Errors
/// 404, 503.
pub fn counts(app: &App, caller: &Caller, token: &str, rules: &Json) -> Result<Vec<Option<i64>>> {
    let (cache, caller, token) = (Arc::clone(&app.cache), caller.clone(), token.to_owned());
    let rules = rules_of(rules);
    let count = app.store.search(move |tx| {
        let form = access::form_for(tx, &caller, &token, Right::Read)?;
        let parsed = cache.parsed(tx, &form)?;
        let set = EntrySet { form_no: form.form_no, table: Table::Live };
        let mut counts = Vec::new();
        for rule in rules.iter().take(MOST_COUNTED) {
            let mut at = Issues::new();
            let cx = parsed.cx(tx.now, false);
            let conditions = Json::Array(items(rule).to_vec());
            let mut filter = Filter::of_conditions(&conditions, &parsed.definition.fields, &cx, &mut at);
            if is_any(rule) {
                filter.any_of.push(std::mem::take(&mut filter.clauses));
            }
            let is_read = at.is_empty() && !items(rule).is_empty();
            counts.push(match is_read {
                true => Some(query::matching(&cache, tx, set, &Query::of(&parsed, filter))?.len()),
                false => None,
            });
        }
        Ok(counts)
    });
    count.wait()
}
