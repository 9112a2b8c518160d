//! Help for a formula in the panel: the questions and functions for it, and its faults while it is typed.

use maud::{Markup, Render};
use serde_json::json;

use crate::base::error::Result;
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text::isolated;
use crate::base::text::texts::Texts;
use crate::fields::definition::depends::ON_ITSELF;
use crate::fields::form_part::FormPart;
use crate::fields::kinds::by_name;
use crate::fields::values::formula::function_names;
use crate::model::caller::Caller;
use crate::model::draft::{Draft, DraftQuestion};
use crate::ops::forms::drafts::compare::label;
use crate::ops::forms::drafts::formula::{self, Outcome, Typed};
use crate::web::pages::console::build::Drawing;
use crate::web::pages::console::{Posted, account_messages, texts_of};
use crate::web::pages::ui::build::formula::{FormulaHelp, FormulaOption};
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Reply};

/// The key of a formula in definitions.
const EXPRESSION: &str = "expression";

/// `POST /forms/{form_token}/build/formula`: `{"data": {"faults", "result_type", "sample"}}`. Besides `code`,
/// `expression` and `result_type` the post has the answers in the preview.
pub fn look(call: &Call, caller: &Caller) -> Result<Reply> {
    let (posted, pairs) = (Posted::of(call), call.form());
    let answers = FormPart::tree(
        pairs.iter().filter(|(name, _)| name.starts_with("field_")).map(|(name, value)| (&**name, &**value)),
    );
    let typed = Typed {
        code: posted.text("code"),
        expression: posted.text(EXPRESSION),
        result: posted.text("result_type"),
        answers: &answers,
    };
    let outcome = formula::look(call.app, caller, call.param("form_token"), &typed, call.now)?;
    let texts = texts_of(&caller.user);
    let faults = outcome.faults.iter().map(|fault| {
        let (position, length) = formula::place_of(fault, typed.expression);
        json!({"position": position, "length": length, "message": message(texts, fault, &outcome.circle)})
    });
    let body = json!({
        "faults": faults.collect::<Vec<_>>(),
        "result_type": outcome.result_type,
        "sample": sample(texts, &outcome),
    });
    Ok(reply::data(&body)?.into())
}

/// A fault in words; of a formula that depends on itself with the questions on the way.
fn message(texts: &Texts, fault: &Issue, circle: &[String]) -> String {
    let is_circle = matches!(&fault.reason, Reason::InFormula { text, .. } if text.is(ON_ITSELF));
    if circle.is_empty() || !is_circle {
        return account_messages::message(texts, fault);
    }
    let way: Vec<String> = circle.iter().map(|label| isolated(label)).collect();
    texts.fill("formula-circle", &[("way", way.join(" → ").into())])
}

/// The faults of a question as its panel says them.
pub fn told(texts: &Texts, draft: &Draft, code: &str, faults: &[Issue]) -> Vec<Issue> {
    let circle = formula::circle(draft, code);
    let told = |fault: &Issue| match fault.attribute == EXPRESSION {
        true => Issue::new(EXPRESSION, Reason::Owners(message(texts, fault, &circle))),
        false => fault.clone(),
    };
    faults.iter().map(told).collect()
}

fn sample(texts: &Texts, outcome: &Outcome) -> Option<String> {
    let sample = outcome.sample.as_ref()?;
    let result = sample.result.as_str();
    if sample.read.is_empty() {
        return Some(texts.fill("formula-result", &[("result", result.into())]));
    }
    let read: Vec<String> = sample
        .read
        .iter()
        .map(|(label, value)| {
            texts.fill("formula-value", &[("label", isolated(label).into()), ("value", value.as_str().into())])
        })
        .collect();
    Some(texts.fill("formula-sample", &[("values", read.join(" · ").into()), ("result", result.into())]))
}

/// The fields and functions for the formula of the chosen question; nothing for other questions, and for users who can
/// only read.
pub(super) fn help(drawing: &Drawing, question: &DraftQuestion, body: &Json) -> Markup {
    if !drawing.can_change || body.get(EXPRESSION).is_none() {
        return Markup::default();
    }
    let texts = drawing.frame.texts;
    let questions = drawing.draft.draft.present().filter(|(other, _)| other.code != question.code);
    let questions = questions.filter_map(|(other, body)| {
        let kind = body["type"].as_str().and_then(by_name)?;
        let field = drawing.checked.definition.fields.get(&other.code)?;
        let is_read = field.kind.operand().is_some() || field.kind.scores().is_some();
        is_read.then(|| FormulaOption {
            code: other.code.clone(),
            parameters: None,
            name: label(body).to_owned(),
            more: texts.say(&format!("kind-{}", kind.name)),
        })
    });
    let functions = function_names().map(|name| {
        let id = format!("function-{}", name.to_lowercase().replace('_', "-"));
        FormulaOption {
            code: name.to_owned(),
            parameters: Some(texts.say(&format!("{id}-parameters"))),
            name: String::new(),
            more: texts.say(&id),
        }
    });
    FormulaHelp {
        area: EXPRESSION,
        address: &drawing.frame.address("build/formula"),
        csrf: &drawing.frame.csrf,
        code: &question.code,
        title: &texts.say("formula-help"),
        questions: (&texts.say("build-questions"), questions.collect()),
        functions: (&texts.say("formula-functions"), functions.collect()),
    }
    .render()
}
