//! Actions on rules: adding, saving, moving, removing, undo and redo.

use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::json::Json;
use crate::fields::form_part::FormPart;
use crate::model::caller::Caller;
use crate::model::draft::parts::PartName;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::drafts::parts::{self, Kept, RuleChange};
use crate::ops::forms::drafts::steps::{self, Stepped, Way};
use crate::ops::forms::drafts::{self, change, check};
use crate::web::pages::console::Posted;
use crate::web::pages::console::rules::narrowed::Narrowed;
use crate::web::pages::console::rules::{Shown, sentence, view};
use crate::web::request::call::Call;
use crate::web::request::reply::Reply;
use crate::web::request::session;

/// The parameter with the number of the rule that is being made.
const OPEN: &str = "open";

/// The text id of an act's notice, by the word in the address.
pub fn done(word: &str) -> Option<&'static str> {
    Some(match word {
        "nothing" => "build-no-step",
        "overtaken" => "build-step-overtaken",
        _ => return None,
    })
}

/// `POST /forms/{form_token}/rules`: adds a rule, blank unless one is given.
pub fn add(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, posted) = (call.param("form_token"), Posted::of(call));
    access::check(call.app, caller, token, Right::Manage)?;
    let given = serde_json::from_str::<Json>(posted.text("rule")).ok().filter(Json::is_object);
    parts::add_rule(call.app, caller, token, given.unwrap_or_else(sentence::blank))?;
    let rules = rules(call, caller)?;
    Ok(rules.last().map_or_else(|| back(call, 0), |rule| back_to_open(call, rules.len(), rule)))
}

/// `POST /forms/{form_token}/rules/{rule}`: saves a rule as it was typed, if it is still as it was shown.
pub fn save(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, seen) = (call.param("form_token"), call.param("rule"));
    access::check(call.app, caller, token, Right::Manage)?;
    let shown = drafts::load(call.app, caller, token)?;
    let checked = check::check(call.app, caller, &shown)?;
    let pairs = call.form();
    let posted = FormPart::tree(pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let rule = sentence::read(&posted, &checked.definition.fields);
    let mut old = parts::rules_of(shown.draft.body(PartName::Rules)).into_iter().enumerate();
    let old = old.find(|(_, old)| parts::rule_name(old) == seen);
    // Typing into a value without a pause is one step of undo.
    let typed = old.filter(|(_, old)| without_values(old) == without_values(&rule));
    let subject = typed.map(|(at, _)| format!("rule {at}")).unwrap_or_default();
    match parts::change_rule(call.app, caller, token, seen, RuleChange::Put(rule.clone()), &subject)? {
        Kept::Stored(_) => {
            let place = rules(call, caller)?.iter().position(|known| *known == rule);
            Ok(back_to_open(call, place.map_or(0, |at| at + 1), &rule))
        }
        Kept::Changed(_) => {
            let shown = Shown { overtaken: Some(rule), ..Shown::default() };
            Ok(view(call, caller, StatusCode::PRECONDITION_FAILED, &shown)?.into())
        }
    }
}

fn without_values(rule: &Json) -> Json {
    let mut rule = rule.clone();
    let items = rule.pointer_mut("/condition/items").and_then(Json::as_array_mut);
    for item in items.into_iter().flatten().filter_map(Json::as_object_mut) {
        item.shift_remove("value");
    }
    rule
}

/// `POST /forms/{form_token}/rules/{rule}/{act}`
pub fn act(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, seen) = (call.param("form_token"), call.param("rule"));
    access::check(call.app, caller, token, Right::Manage)?;
    let before = rules(call, caller)?;
    let place = before.iter().position(|rule| parts::rule_name(rule) == seen);
    let change = match call.param("act") {
        "remove" => RuleChange::Remove,
        "up" => RuleChange::Up,
        "down" => RuleChange::Down,
        "before" => {
            let rule = place.and_then(|at| before.get(at)).ok_or(Error::NotFound(Noun::Page))?;
            move_before(call, caller, rule)?;
            return Ok(back(call, place.map_or(0, |at| at + 1)));
        }
        _ => return Err(Error::NotFound(Noun::Page)),
    };
    let is_removed = change == RuleChange::Remove;
    let rule = place.and_then(|at| before.get(at)).cloned();
    match parts::change_rule(call.app, caller, token, seen, change, "")? {
        Kept::Stored(_) if is_removed => Ok(back(call, place.unwrap_or(0))),
        Kept::Stored(_) => {
            let place = rules(call, caller)?.iter().position(|known| rule.as_ref() == Some(known));
            Ok(back(call, place.map_or(0, |at| at + 1)))
        }
        Kept::Changed(_) => Ok(session::to_page(&call.app.config, &page(call, "?done=overtaken")).into()),
    }
}

/// Moves a question before the first one that a rule is about.
fn move_before(call: &Call, caller: &Caller, rule: &Json) -> Result<()> {
    let token = call.param("form_token");
    let posted = Posted::of(call);
    let code = posted.text("before").to_owned();
    let draft = drafts::load(call.app, caller, token)?.draft;
    let is_target = |code: &str| rule["fields"].as_array().is_some_and(|all| all.iter().any(|it| it == code));
    let mut after = String::new();
    for (question, _) in draft.present() {
        if is_target(&question.code) {
            break;
        }
        after.clone_from(&question.code);
    }
    change::move_after(call.app, caller, token, vec![code], &after)
}

/// The rules of the draft.
fn rules(call: &Call, caller: &Caller) -> Result<Vec<Json>> {
    let shown = drafts::load(call.app, caller, call.param("form_token"))?;
    Ok(parts::rules_of(shown.draft.body(PartName::Rules)))
}

fn page(call: &Call, rest: &str) -> String {
    format!("/forms/{}/rules{rest}", call.param("form_token"))
}

/// Back to the page, at a rule by its number.
fn back(call: &Call, number: usize) -> Reply {
    let place = if number == 0 { String::new() } else { format!("#rule-{number}") };
    let query = Narrowed::of(call).query();
    session::to_page(&call.app.config, &page(call, &format!("{query}{place}"))).into()
}

/// Back to the page, at a rule with parts that may be missing: they are reported once somebody has left it.
fn back_to_open(call: &Call, number: usize, rule: &Json) -> Reply {
    let items = rule["condition"]["items"].as_array().into_iter().flatten();
    let is_whole = |item: &Json| {
        let takes_none = matches!(item["operator"].as_str(), Some("null" | "not_null"));
        item["field"] != "" && (takes_none || item.get("value").is_some_and(|value| *value != json!([])))
    };
    let lacks_nothing = items.into_iter().all(is_whole) && rule["fields"] != json!([]);
    if number == 0 || lacks_nothing {
        return back(call, number);
    }
    let query = Narrowed::of(call).query();
    let sign = if query.is_empty() { '?' } else { '&' };
    let to = page(call, &format!("{query}{sign}{OPEN}={number}#rule-{number}"));
    session::to_page(&call.app.config, &to).into()
}

/// The place of the rule that the address names as being made.
pub fn open_rule(call: &Call) -> Option<usize> {
    call.query(OPEN)?.parse::<usize>().ok()?.checked_sub(1)
}

/// `POST /forms/{form_token}/rules/undo`
pub fn undo(call: &Call, caller: &Caller) -> Result<Reply> {
    step(call, caller, Way::Back)
}

/// `POST /forms/{form_token}/rules/redo`
pub fn redo(call: &Call, caller: &Caller) -> Result<Reply> {
    step(call, caller, Way::Forth)
}

fn step(call: &Call, caller: &Caller, way: Way) -> Result<Reply> {
    let rest = match steps::step(call.app, caller, call.param("form_token"), way)? {
        Stepped::Done(_) => "",
        Stepped::Nothing => "?done=nothing",
        Stepped::Changed => "?done=overtaken",
    };
    Ok(session::to_page(&call.app.config, &page(call, rest)).into())
}
