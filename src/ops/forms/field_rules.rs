//! Conditional field rules (contract section 5): kept, checked, shown.

use serde_json::json;

use crate::base::clock;
use crate::base::error::Result;
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Reason, Things};
use crate::base::text::phrase::phrase;
use crate::fields::Fields;
use crate::fields::definition::Removal;
use crate::fields::filter::cond::Op;
use crate::fields::filter::condition::Condition;
use crate::fields::filter::subject::Question;
use crate::fields::kind::Cx;
use crate::fields::values::rules::{Action, OUT_OF_ORDER, Rules};
use crate::model::caller::Caller;
use crate::model::form::{FormSection, Parts};
use crate::model::precondition::IfMatch;
use crate::ops::app::App;
use crate::ops::files::images::UsedImages;
use crate::ops::forms::form_sections::{self, PartView};
use crate::ops::forms::rewrites;

const MAX_RULES: usize = 500;
const MAX_ITEMS: usize = 100;
/// Shows the rules.
///
/// # Errors
/// 404.
pub fn show(app: &App, caller: &Caller, token: &str) -> Result<PartView> {
    let (form, parsed) = form_sections::visible(app, caller, token)?;
    Ok(PartView { body: json!({"rules": parsed.parts.field_rules}), etag: form.etag(FormSection::Rules) })
}

/// Replaces the rules. `at` has the faults found in the body so far. Returns the rules, and warnings for their owner.
///
/// # Errors
/// 403, 404, 412, 422.
pub fn replace(
    app: &App,
    caller: &Caller,
    token: &str,
    body: Json,
    if_match: &IfMatch,
    at: Issues,
) -> Result<(PartView, Vec<Issue>)> {
    app.run_until_stored(token, || try_replace(app, caller, token, body.clone(), if_match, at.clone()))
}

fn try_replace(
    app: &App,
    caller: &Caller,
    token: &str,
    body: Json,
    if_match: &IfMatch,
    mut at: Issues,
) -> Result<(PartView, Vec<Issue>)> {
    let (form, parsed) = form_sections::managed(app, caller, token, FormSection::Rules, if_match)?;
    let rules = read(body, &parsed.definition.fields, &parsed.cx(clock::now(), false), &mut at);
    at.into_result()?;
    let mut warnings = unknown_names(&rules, &parsed.definition.fields);
    let recomputes = parsed.derives() && rules != parsed.parts.field_rules;
    let images = UsedImages::default();
    form_sections::keep(app, caller, &form, FormSection::Rules, rules, images, recomputes)?;
    if recomputes && !rewrites::entries_now(app, form.form_no) {
        warnings.push(rewrites::warning("rules"));
    }
    Ok((show(app, caller, token)?, warnings))
}

/// The conditions of the rules, each with its place: `rules[0].condition.items[2]`.
fn conditions(rules: &Json) -> impl Iterator<Item = (String, &Json)> {
    let rules = rules.as_array().into_iter().flatten().enumerate();
    rules.flat_map(|(i, rule)| {
        let items = rule["condition"]["items"].as_array().into_iter().flatten();
        let items = items.enumerate();
        items.map(move |(j, item)| (format!("rules[{i}].condition.items[{j}]"), item))
    })
}

/// Conditions that name values that their field does not have: they are kept, and match nothing.
fn unknown_names(rules: &Json, fields: &Fields) -> Vec<Issue> {
    let mut at = Issues::new();
    for (place, item) in conditions(rules) {
        let field = item["field"].as_str().and_then(|code| Question::find(fields, code)?.asked(fields));
        let op = item["operator"].as_str().and_then(Op::by_name);
        if let (Some(field), Some(op)) = (field, op) {
            at.key(&format!("{place}.value"), |at| field.kind.check_names(op, &item["value"], at));
        }
    }
    at.into_list()
}

/// Removed parts of fields that the rules still name: their conditions are kept, and match nothing any more.
pub fn naming_removed(rules: &Json, removals: &[Removal]) -> Vec<Issue> {
    let named = removals.iter().filter_map(|removal| {
        let code = removal.item.as_deref()?.rsplit('.').next()?;
        let (place, _) = conditions(rules).find(|(_, item)| {
            let field = item["field"].as_str().unwrap_or_default();
            let field = field.split('.').next().unwrap_or_default();
            field == removal.api_code && names(&item["value"], code)
        })?;
        Some(Issue::new(
            removal.attribute.clone(),
            Reason::other(phrase!("is named by {} of the field rules, which matches nothing now", place)),
        ))
    });
    named.collect()
}

/// Whether a condition's value names an item, alone or among others.
fn names(value: &Json, code: &str) -> bool {
    match value {
        Json::String(text) => text == code,
        Json::Array(items) => items.iter().any(|item| names(item, code)),
        Json::Object(members) => members.values().any(|member| names(member, code)),
        _ => false,
    }
}

/// The faults that the API would report for these rules, at paths such as `rules[0].condition.items[2].field`.
pub fn faults(rules: &Json, fields: &Fields, cx: &Cx) -> Vec<Issue> {
    let mut at = Issues::new();
    read(json!({"rules": rules}), fields, cx, &mut at);
    at.into_list()
}

pub(in crate::ops::forms) fn read(body: Json, fields: &Fields, cx: &Cx, at: &mut Issues) -> Json {
    let rules = read_rules(&mut Reader::new(body, at), fields, cx);
    if at.is_empty() {
        // Faults that only the rules taken together show.
        for fault in Rules::read(&rules, fields, cx).1 {
            at.key("rules", |at| {
                at.index(fault.rule, |at| {
                    at.push_at(&fault.issue.attribute, fault.issue.reason);
                });
            });
        }
    }
    rules
}

/// The JSON Schema of the rules, as they are read and as they are shown.
pub fn schema() -> Json {
    let cx = Cx::of_none();
    Reader::describe(|reader| {
        read_rules(reader, &Fields::new(Vec::new()), &cx);
    })
}

fn read_rules(reader: &mut Reader, fields: &Fields, cx: &Cx) -> Json {
    reader.note("rules", || json!({"maxItems": MAX_RULES}));
    let rules = reader.objects("rules", |rule| read_rule(rule, fields, cx)).unwrap_or_default();
    if rules.len() > MAX_RULES {
        reader.fault("rules", Reason::too_many(MAX_RULES, Things::Other("rules")));
    }
    Json::Array(rules)
}

fn read_rule(rule: &mut Reader, fields: &Fields, cx: &Cx) -> Json {
    let faults = rule.issues().count();
    rule.note("fields", || json!({"minItems": 1}));
    rule.mark_required("fields");
    let targets = rule
        .opt_texts("fields", 64, |code| match fields.get(code) {
            None => Err(Reason::NotField),
            // Pages follow from their questions: one without a visible question is skipped.
            Some(field) if field.kind.page_break().is_some() => {
                Err(Reason::other("must not be a page break: name the fields of the page"))
            }
            Some(_) => Ok(()),
        })
        .unwrap_or_default();
    if targets.is_empty() && rule.issues().count() == faults {
        rule.fault("fields", Reason::NoTargets);
    }
    // Conditions see only fields before their targets: so there are no cycles either.
    let first = targets.iter().filter_map(|code| fields.position(code)).min();
    let words = Action::ALL.map(|(word, _)| (word, word));
    let action = rule.word("action", &words);
    let condition = rule.object("condition", |condition| {
        condition.note("items", || json!({"minItems": 1, "maxItems": MAX_ITEMS}));
        let operand = condition.word("operand", &[("and", "and"), ("or", "or")]).unwrap_or_default();
        let items = condition.objects("items", |item| read_item(item, fields, first, cx)).unwrap_or_default();
        if items.is_empty() || items.len() > MAX_ITEMS {
            condition.fault("items", Reason::not_one_to(MAX_ITEMS, Things::Other("conditions")));
        }
        json!({"operand": operand, "items": items})
    });
    json!({"condition": condition, "action": action, "fields": targets})
}

fn read_item(item: &mut Reader, fields: &Fields, first: Option<usize>, cx: &Cx) -> Json {
    item.note("operator", || json!({"type": "string", "enum": Op::ALL.map(Op::name)}));
    let code = item.text("field", 200);
    let operator = item.text("operator", 20);
    let value = item.raw("value").unwrap_or_default();
    if !code.is_empty() {
        match Condition::read(fields, &code, &operator, &value, cx) {
            _ if is_late(fields, &code, first) => item.fault("field", OUT_OF_ORDER),
            Ok(_) => {}
            Err(fault) => item.fault(&fault.attribute, fault.reason),
        }
    }
    let mut out = json!({"field": code, "operator": operator});
    if !value.is_null() {
        out["value"] = value;
    }
    out
}

fn is_late(fields: &Fields, code: &str, first: Option<usize>) -> bool {
    Question::find(fields, code).zip(first).is_some_and(|(question, first)| question.place >= first)
}

/// Checks that an edit of the fields leaves the meaning of the rules: a field in a condition may not move behind the
/// targets, nor become of a type that the condition does not fit.
///
/// # Errors
/// 422, at the fields of the edit.
pub fn still_fit(rules: &Json, fields: &Fields, cx: &Cx) -> Result<()> {
    let rules = without(rules, fields);
    let mut at = Issues::new();
    for fault in Rules::read(&rules, fields, cx).1 {
        let number = fault.rule + 1;
        let issue = fault.issue;
        let message = match (fault.condition, issue.attribute.as_str()) {
            (None, _) => phrase!("makes what field rule {} looks at, which is about it", number),
            (_, "field") => phrase!("doesn't fit field rule {}, which looks at it: {}", number, issue.reason.phrase()),
            (_, part) => phrase!("doesn't fit field rule {}, whose {} {}", number, part, issue.reason.phrase()),
        };
        at.key("fields", |at| match fault.field {
            Some(place) => at.index(place, |at| at.push(Reason::other(message))),
            None => at.push(Reason::other(message)),
        });
    }
    at.into_result()
}

/// The rules without fields that are not there; a rule that then asks or does nothing goes.
pub fn without(rules: &Json, fields: &Fields) -> Json {
    let is_there = |code: &Json| code.as_str().is_some_and(|code| Question::find(fields, code).is_some());
    let rules = rules.as_array().into_iter().flatten();
    rules
        .filter_map(|rule| {
            let mut rule = rule.clone();
            let items = rule.pointer_mut("/condition/items")?.as_array_mut()?;
            items.retain(|item| is_there(&item["field"]));
            let asks = !items.is_empty();
            let targets = rule["fields"].as_array_mut()?;
            targets.retain(is_there);
            (asks && !targets.is_empty()).then_some(rule)
        })
        .collect()
}

/// The rules as a respondent may see them: none with a hidden field in a condition, and of the targets only those that
/// are shown (S43).
pub fn for_respondent(parts: &Parts, fields: &Fields) -> Json {
    let is_shown = |code: &Json| {
        code.as_str().and_then(|code| fields.at(Question::find(fields, code)?.place)).is_some_and(|field| !field.hidden)
    };
    let rules = parts.field_rules.as_array().into_iter().flatten();
    rules
        .filter_map(|rule| {
            let mut rule = rule.clone();
            let mut items = rule["condition"]["items"].as_array()?.iter();
            if !items.all(|item| is_shown(&item["field"])) {
                return None;
            }
            let targets = rule["fields"].as_array_mut()?;
            targets.retain(is_shown);
            (!targets.is_empty()).then_some(rule)
        })
        .collect()
}
