//! Actions on questions of a draft: adding, moving, copying, removing, undo and redo.

use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::fields::kinds::by_name;
use crate::model::caller::Caller;
use crate::model::draft::parts::PartName;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::drafts::steps::{Stepped, Way};
use crate::ops::forms::drafts::{self, change, fresh, logic, parts, publish, steps};
use crate::web::pages::console::build::{Shown, back, exam, removing, saved, view, wants_json};
use crate::web::pages::console::confirmation::Confirmation;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::{Posted, texts_of};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// The act that copies questions.
const COPY: &str = "copy";
/// The act that removes them.
const REMOVE: &str = "remove";

/// The text id of an act's notice, by the word in the address.
pub fn done(word: &str) -> Option<&'static str> {
    Some(match word {
        "nothing" => "build-no-step",
        "overtaken" => "build-step-overtaken",
        "copied" => "build-copied",
        "discarded" => "build-discarded",
        "restored" => "build-restored",
        "default" => "default-taken",
        "answer" => "answer-taken",
        "picked" => "picked-done",
        "picked-left" => "picked-done-left",
        _ => return None,
    })
}

/// `POST /forms/{form_token}/build/fields`: adds a question of a kind after another one and chooses it.
pub fn add(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, posted) = (call.param("form_token"), Posted::of(call));
    access::check(call.app, caller, token, Right::Manage)?;
    let after = posted.text("after").to_owned();
    let Some(row) = by_name(posted.text("type")) else {
        let shown =
            Shown { adds_after: Some(after), faults: vec![Issue::new("type", Reason::Required)], ..Shown::default() };
        return Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &shown)?.into());
    };
    let locale = drafts::load(call.app, caller, token)?.view.form.locale.clone();
    let body = fresh::at_home(row, fresh::of_kind(row, texts_of(&caller.user)), &locale);
    match change::add(call.app, caller, token, vec![body], &after) {
        Ok(codes) => finish(call, caller, &codes),
        Err(Error::Invalid(faults)) => refused(call, caller, &after, faults),
        Err(other) => Err(other),
    }
}

/// `POST /forms/{form_token}/build/fields/{code}/{act}`
pub fn act(call: &Call, caller: &Caller) -> Result<Reply> {
    let (code, name) = (call.param("code").to_owned(), call.param("act").to_owned());
    let (token, posted) = (call.param("form_token"), Posted::of(call));
    if let Some(question) = asks(call, caller, &name, std::slice::from_ref(&code), &posted)? {
        return Ok(question.into());
    }
    let taken = match name.as_str() {
        "type" => change::set_kind(call.app, caller, token, &code, posted.text("type")).map(|()| vec![code.clone()]),
        "no-default" => change::set_default(call.app, caller, token, &code, Json::Null).map(|()| vec![code.clone()]),
        "exam" => return exam::save(call, caller, &code, &posted),
        "no-answer" => parts::set_answer(call.app, caller, token, &code, Json::Null).map(|()| vec![code.clone()]),
        "keep" | "take" => {
            change::settle(call.app, caller, token, &code, name == "take")?;
            return Ok(session::to_page(&call.app.config, &format!("/forms/{token}/publish")).into());
        }
        _ => perform(call, caller, &name, vec![code.clone()], &posted),
    };
    match taken {
        Ok(codes) if name == COPY => finish_copy(call, caller, &[code], &codes),
        Ok(codes) => finish(call, caller, &codes),
        Err(Error::Invalid(faults)) => refused(call, caller, &code, faults),
        Err(other) => Err(other),
    }
}

/// `POST /forms/{form_token}/build/parts/{part}/{act}`: ends the conflict of a part with the published one.
pub fn settle_part(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, act) = (call.param("form_token"), call.param("act"));
    if !["keep", "take"].contains(&act) {
        return Err(Error::NotFound(Noun::Page));
    }
    parts::settle(call.app, caller, token, call.param("part"), act == "take")?;
    Ok(session::to_page(&call.app.config, &format!("/forms/{token}/publish")).into())
}

/// `POST /forms/{form_token}/build/fields/many`: an act on all ticked questions.
pub fn act_on_many(call: &Call, caller: &Caller) -> Result<Reply> {
    let posted = Posted::of(call);
    let codes: Vec<String> = posted.all("code").map(str::to_owned).collect();
    if codes.is_empty() {
        let shown = Shown { faults: vec![Issue::new("code", Reason::Required)], ..Shown::default() };
        access::check(call.app, caller, call.param("form_token"), Right::Manage)?;
        return Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &shown)?.into());
    }
    if let Some(question) = asks(call, caller, posted.text("act"), &codes, &posted)? {
        return Ok(question.into());
    }
    let first = codes.first().cloned().unwrap_or_default();
    match perform(call, caller, posted.text("act"), codes.clone(), &posted) {
        Ok(copies) if posted.text("act") == COPY => finish_copy(call, caller, &codes, &copies),
        Ok(codes) => finish(call, caller, &codes),
        Err(Error::Invalid(faults)) => refused(call, caller, &first, faults),
        Err(other) => Err(other),
    }
}

/// The question before an act that breaks rules. Scripts that take JSON leave it to the plain post.
fn asks(call: &Call, caller: &Caller, act: &str, codes: &[String], posted: &Posted) -> Result<Option<Answer>> {
    if act != REMOVE || wants_json(call) {
        return Ok(None);
    }
    removing::ask(call, caller, codes, posted)
}

/// Carries out the named act. Returns the codes of the questions that it leaves.
fn perform(call: &Call, caller: &Caller, act: &str, codes: Vec<String>, posted: &Posted) -> Result<Vec<String>> {
    let (app, token) = (call.app, call.param("form_token"));
    let left = codes.clone();
    match act {
        "up" | "down" => change::shift(app, caller, token, codes, act == "down")?,
        "move" => change::move_after(app, caller, token, codes, posted.text("after"))?,
        COPY => return change::copy(app, caller, token, codes),
        REMOVE => {
            change::remove(app, caller, token, codes)?;
            return Ok(Vec::new());
        }
        "required" | "hidden" => {
            let key = if act == "required" { "required" } else { "hidden" };
            // On for all, unless it is on for all of them already.
            let draft = drafts::load(app, caller, token)?.draft;
            let is_on =
                |code: &String| draft.get(code).is_some_and(|it| it.body.as_ref().is_some_and(|it| it[key] == true));
            let all = codes.iter().all(is_on);
            change::set(app, caller, token, codes, key, !all)?;
        }
        _ => return Err(Error::NotFound(Noun::Page)),
    }
    Ok(left)
}

fn refused(call: &Call, caller: &Caller, field: &str, faults: Vec<Issue>) -> Result<Reply> {
    if wants_json(call) {
        return Err(Error::Invalid(faults));
    }
    let shown = Shown { field: field.to_owned(), faults, ..Shown::default() };
    Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &shown)?.into())
}

/// The same after copying: says that rules which look at the copied questions don't look at the copies.
fn finish_copy(call: &Call, caller: &Caller, codes: &[String], copies: &[String]) -> Result<Reply> {
    let token = call.param("form_token");
    let draft = drafts::load(call.app, caller, token)?.draft;
    let are_looked_at = logic::look_at(draft.body(PartName::Rules), codes);
    let Some(first) = copies.first().filter(|_| are_looked_at && !wants_json(call)) else {
        return finish(call, caller, copies);
    };
    Ok(session::to_page(&call.app.config, &format!("/forms/{token}/build?field={first}&done=copied")).into())
}

/// Back to the page, with the first of these questions chosen; scripts get the draft's version and the order.
fn finish(call: &Call, caller: &Caller, codes: &[String]) -> Result<Reply> {
    if wants_json(call) {
        let shown = drafts::load(call.app, caller, call.param("form_token"))?;
        let order: Vec<&str> = shown.draft.present().map(|(question, _)| question.code.as_str()).collect();
        let body = json!({
            "codes": codes,
            "order": order,
            "can_undo": shown.can_undo,
            "can_redo": shown.can_redo,
            "is_changed": shown.is_changed(),
        });
        return Ok(saved(shown.draft.version, body)?.into());
    }
    if let Some(page) = other_page(call, "").filter(|_| codes.is_empty()) {
        return Ok(page);
    }
    Ok(back(call, codes.first().map_or("", String::as_str)))
}

/// Back to the page of the look, if the step began there.
fn other_page(call: &Call, more: &str) -> Option<Reply> {
    let is_there = call.query("page").is_some_and(|page| page == "theme");
    let path = || format!("/forms/{}/theme{more}", call.param("form_token"));
    is_there.then(|| session::to_page(&call.app.config, &path()).into())
}

/// `POST /forms/{form_token}/build/undo`
pub fn undo(call: &Call, caller: &Caller) -> Result<Reply> {
    step(call, caller, Way::Back)
}

/// `POST /forms/{form_token}/build/redo`
pub fn redo(call: &Call, caller: &Caller) -> Result<Reply> {
    step(call, caller, Way::Forth)
}

fn step(call: &Call, caller: &Caller, way: Way) -> Result<Reply> {
    let token = call.param("form_token");
    let word = match steps::step(call.app, caller, token, way)? {
        Stepped::Done(codes) => {
            let draft = drafts::load(call.app, caller, token)?.draft;
            let there: Vec<String> = codes.into_iter().filter(|code| draft.get(code).is_some()).collect();
            return finish(call, caller, &there);
        }
        Stepped::Nothing => "nothing",
        Stepped::Changed => "overtaken",
    };
    Ok(other_page(call, &format!("?done={word}"))
        .unwrap_or_else(|| session::to_page(&call.app.config, &format!("/forms/{token}/build?done={word}")).into()))
}

/// `GET /forms/{form_token}/build/discard`
pub fn confirm_discard(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    access::check(call.app, caller, call.param("form_token"), Right::Manage)?;
    let confirmation = Confirmation {
        title: frame.say("publish-discard-title"),
        text: frame.say("publish-discard-text"),
        button: frame.say("publish-discard-button"),
        back: &format!("/forms/{}/publish", frame.view.form.token),
    };
    Ok(frame.ask(&confirmation).into())
}

/// `POST /forms/{form_token}/build/discard`
pub fn discard(call: &Call, caller: &Caller) -> Result<Reply> {
    let token = call.param("form_token");
    publish::discard(call.app, caller, token)?;
    Ok(session::to_page(&call.app.config, &format!("/forms/{token}/build?done=discarded")).into())
}
