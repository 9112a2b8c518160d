//! How conditions compare, in words: the same in rules and in lists of entries.

use crate::base::issue::Issue;
use crate::base::reason::Reason;
use crate::base::text::texts::Texts;
use crate::fields::filter::cond::Op;
use crate::fields::kind::Kind;
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

/// The message for a fault of a rule, which says what to do about it.
pub fn fault(texts: &Texts, fault: &Issue) -> String {
    let key = fault.attribute.rsplit('.').next();
    texts.say(match (&fault.reason, key) {
        (Reason::NoTargets, _) => "rules-fault-targets",
        (Reason::NotField, _) => "rules-fault-gone",
        (Reason::Blank | Reason::Required, Some("field")) => "rules-fault-question",
        (Reason::Blank | Reason::Required | Reason::MustBe(_), Some("value")) => "rules-fault-value",
        _ => return account_messages::message(texts, fault),
    })
}
