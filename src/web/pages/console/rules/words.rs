//! How conditions compare, in words: the same in rules and in lists of entries.

use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::{Expected, Reason};
use crate::base::text::isolated;
use crate::base::text::texts::Texts;
use crate::fields::filter::cond::Op;
use crate::fields::kind::Kind;
use crate::fields::values::rules::OUT_OF_ORDER;
use crate::ops::forms::renamed_choices::Renamed;
use crate::web::pages::console::account_messages;

/// The words of an operator of a kind.
pub fn operator(texts: &Texts, op: Op, kind: &dyn Kind) -> String {
    let kind = match kind.operators() == Op::DATE {
        true => "date",
        false if kind.takes_several() => "several",
        false => "other",
    };
    texts.fill(&format!("op-{}", op.name().replace('_', "-")), &[("kind", kind.into())])
}

/// A condition in words: its question, operator and the words of these values.
pub fn condition(texts: &Texts, label: &str, op: Op, kind: &dyn Kind, values: &[String]) -> String {
    let values = if [Op::Between, Op::NotBetween].contains(&op) { values.join(" – ") } else { values.join(", ") };
    format!("{label} {} {values}", operator(texts, op, kind)).trim_end().to_owned()
}

/// The effect of a choice's new label on a rule, in words.
pub fn renamed(texts: &Texts, renamed: &Renamed) -> String {
    let words = if renamed.is_met { "rules-renamed-met" } else { "rules-renamed-lost" };
    let args = [("was", &renamed.was), ("now", &renamed.now), ("text", &renamed.text)];
    texts.fill(words, &args.map(|(name, text)| (name, isolated(text).into())))
}

/// Whether a fault of a rule, with its path within it, only says that something is not chosen or typed yet.
pub fn is_unfinished(rule: &Json, fault: &Issue) -> bool {
    if fault.reason == Reason::NoTargets {
        return true;
    }
    let Some((at, key)) = fault.attribute.strip_prefix("condition.items[").and_then(|rest| rest.split_once("]."))
    else {
        return false;
    };
    let item = &rule["condition"]["items"][at.parse().unwrap_or(usize::MAX)];
    let is_blank = |key: &str| item[key].as_str().is_none_or(str::is_empty);
    match key.split(['.', '[']).next() {
        Some("value") => item.get("value").is_none() || item["value"].as_array().is_some_and(Vec::is_empty),
        Some(key) => is_blank(key),
        None => false,
    }
}

/// The message for a fault of this rule, which says what to do about it.
pub fn fault(texts: &Texts, rule: &Json, fault: &Issue) -> String {
    let key = fault.attribute.rsplit('.').next();
    texts.say(match (&fault.reason, key) {
        (Reason::NoTargets, _) => "rules-fault-targets",
        (reason, _) if *reason == OUT_OF_ORDER => "rules-fault-late",
        (Reason::MustBeOneOf(_), Some("operator")) => "rules-fault-operator",
        (Reason::NotField, _) => "rules-fault-gone",
        (Reason::Blank | Reason::Required, Some("field")) => "rules-fault-question",
        (Reason::MustBe(Expected::Number), _) if !is_unfinished(rule, fault) => "rules-fault-number",
        (Reason::Blank | Reason::Required | Reason::MustBe(_), Some("value")) => "rules-fault-value",
        _ => return account_messages::message(texts, fault),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_chosen_yet_is_no_fault_of_what_was_typed() {
        let rule = json!({"condition": {"items": [
            {"field": "", "operator": ""}, {"field": "field_1", "operator": "gt", "value": "x"},
            {"field": "field_1", "operator": "gt"}, {"field": "field_1", "operator": "any_in", "value": []},
        ]}, "fields": []});
        let fault = |path: &str| Issue::new(path, Reason::Required);
        for (path, wanted) in [
            ("condition.items[0].field", true),
            ("condition.items[0].operator", true),
            ("condition.items[1].field", false),
            ("condition.items[1].value", false),
            ("condition.items[2].value", true),
            ("condition.items[3].value", true),
            ("condition.items[3].value[0]", true),
            ("condition.operand", false),
        ] {
            assert_eq!(is_unfinished(&rule, &fault(path)), wanted, "{path}");
        }
        assert!(is_unfinished(&rule, &Issue::new("fields", Reason::NoTargets)));
        assert!(!is_unfinished(&rule, &Issue::new("fields[0]", Reason::NotField)));
    }
}
