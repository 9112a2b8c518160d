//! Conditional field rules (contract section 5): kept, checked, shown.

use serde_json::json;

use crate::base::clock;
use crate::base::error::Result;
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::fields::Fields;
use crate::fields::cond::Op;
use crate::fields::kind::Cx;
use crate::model::caller::Caller;
use crate::model::form::{Part, Parts};
use crate::model::precondition::IfMatch;
use crate::ops::App;
use crate::ops::parts::{self, PartView};

const MAX_RULES: usize = 500;
const MAX_ITEMS: usize = 100;

/// Shows the rules.
///
/// # Errors
/// 404.
pub fn show(app: &App, caller: &Caller, token: &str) -> Result<PartView> {
    let (form, parsed) = parts::visible(app, caller, token)?;
    Ok(PartView {
        body: json!({"rules": parsed.parts.field_rules}),
        etag: form.etag(Part::Rules),
    })
}

/// Replaces the rules.
///
/// # Errors
/// 403, 404, 412, 422.
pub fn replace(
    app: &App,
    caller: &Caller,
    token: &str,
    body: Json,
    if_match: &IfMatch,
) -> Result<PartView> {
    let (form, parsed) = parts::managed(app, caller, token, Part::Rules, if_match)?;
    let mut at = Issues::new();
    let rules = read(
        body,
        &parsed.definition.fields,
        &parsed.cx(clock::now(), false),
        &mut at,
    );
    at.into_result()?;
    parts::keep(app, &form, Part::Rules, rules)?;
    show(app, caller, token)
}

fn read(body: Json, fields: &Fields, cx: &Cx, at: &mut Issues) -> Json {
    let mut reader = Reader::new(body, at);
    if !reader.has("rules") {
        reader.fault("rules", "is required");
    }
    let rules = reader
        .opt_objects("rules", |rule| read_rule(rule, fields, cx))
        .unwrap_or_default();
    if rules.len() > MAX_RULES {
        reader.fault("rules", format!("may have at most {MAX_RULES} rules"));
    }
    Json::Array(rules)
}

fn read_rule(rule: &mut Reader, fields: &Fields, cx: &Cx) -> Json {
    let place = |code: &str| fields.iter().position(|field| field.api_code == code);
    let faults = rule.issues().count();
    let targets = rule
        .opt_texts("fields", 64, |code| {
            place(code).map(|_| ()).ok_or("is not a field of this form")
        })
        .unwrap_or_default();
    if targets.is_empty() && rule.issues().count() == faults {
        rule.fault("fields", "must name at least one field");
    }
    // Conditions see only fields before their targets: so there are no cycles either.
    let first = targets.iter().filter_map(|code| place(code)).min();
    let words = [("show", "show"), ("hide", "hide"), ("require", "require")];
    let action = rule.word("action", &words);
    if !rule.has("condition") {
        rule.fault("condition", "is required");
    }
    let condition = rule.opt_object("condition", |condition| {
        let operand = condition
            .word("operand", &[("and", "and"), ("or", "or")])
            .unwrap_or_default();
        let items = condition
            .opt_objects("items", |item| read_item(item, fields, first, cx))
            .unwrap_or_default();
        if items.is_empty() || items.len() > MAX_ITEMS {
            condition.fault("items", format!("must have 1 to {MAX_ITEMS} conditions"));
        }
        json!({"operand": operand, "items": items})
    });
    json!({"condition": condition, "action": action, "fields": targets})
}

fn read_item(item: &mut Reader, fields: &Fields, first: Option<usize>, cx: &Cx) -> Json {
    let code = item.text("field", 200);
    let operator = item.text("operator", 20);
    let value = item.raw("value").unwrap_or_default();
    let found = fields.iter().position(|field| field.api_code == code);
    match found.zip(fields.get(&code)) {
        None if code.is_empty() => {}
        None => item.fault("field", "is not a field of this form"),
        Some((at, _)) if first.is_some_and(|first| at >= first) => {
            item.fault(
                "field",
                "must stand before the fields that the rule is about",
            );
        }
        Some((_, field)) => {
            let allowed = field.kind.operators();
            match Op::by_name(&operator).filter(|op| allowed.contains(op)) {
                None if allowed.is_empty() => item.fault("field", "can't be used in a condition"),
                None => {
                    let names: Vec<_> = allowed.iter().map(|op| op.name()).collect();
                    item.fault("operator", format!("must be one of {}", names.join(", ")));
                }
                Some(op) => {
                    if let Err(fault) = field.kind.condition(op, &value, cx) {
                        item.fault(&fault.attribute, fault.message);
                    }
                }
            }
        }
    }
    let mut out = json!({"field": code, "operator": operator});
    if !value.is_null() {
        out["value"] = value;
    }
    out
}

/// The rules without removed fields; a rule that then asks or does nothing goes.
pub fn without(rules: &Json, removed: &[String]) -> Json {
    let is_gone = |code: &Json| removed.iter().any(|gone| code == gone);
    let rules = rules.as_array().into_iter().flatten();
    rules
        .filter_map(|rule| {
            let mut rule = rule.clone();
            let items = rule.pointer_mut("/condition/items")?.as_array_mut()?;
            items.retain(|item| !is_gone(&item["field"]));
            let asks = !items.is_empty();
            let targets = rule["fields"].as_array_mut()?;
            targets.retain(|code| !is_gone(code));
            (asks && !targets.is_empty()).then_some(rule)
        })
        .collect()
}

/// The rules as a respondent may see them: none that mention a hidden field (S43).
pub fn for_respondent(parts: &Parts, fields: &Fields) -> Json {
    let is_shown = |code: &Json| {
        code.as_str()
            .and_then(|code| code.split('.').next())
            .and_then(|code| fields.get(code))
            .is_some_and(|field| !field.hidden)
    };
    let rules = parts.field_rules.as_array().into_iter().flatten();
    rules
        .filter(|rule| {
            let items = rule["condition"]["items"].as_array();
            let targets = rule["fields"].as_array();
            items
                .into_iter()
                .flatten()
                .all(|item| is_shown(&item["field"]))
                && targets.into_iter().flatten().all(is_shown)
        })
        .cloned()
        .collect()
}
