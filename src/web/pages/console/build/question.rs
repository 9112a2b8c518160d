//! The chosen question: its properties, and the actions on it.

use maud::{Markup, Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::fields::form_part::FormPart;
use crate::fields::kinds::by_name;
use crate::fields::panel::{self, choice_text};
use crate::model::caller::Caller;
use crate::model::draft::DraftQuestion;
use crate::model::draft::parts::PartName;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::drafts::change::{self, Saved};
use crate::ops::forms::drafts::{self, check, compare, fresh, logic};
use crate::web::pages::console::build::part_lists::ready;
use crate::web::pages::console::build::properties::{self, Properties};
use crate::web::pages::console::build::rich_texts::RichTexts;
use crate::web::pages::console::build::{Drawing, Shown, back, key_words, saved, value_words, view, wants_json};
use crate::web::pages::console::build::{default, exam, formula, removed, row_words};
use crate::web::pages::console::rules::of_question;
use crate::web::pages::console::texts_of;
use crate::web::pages::ui::build::panel::{ACTION, Panel, PanelHead, TAG};
use crate::web::pages::ui::build::publishing::Versions;
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::field::{Choice, SelectField};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::section::Disclosure;
use crate::web::pages::ui::words::{row, small};
use crate::web::request::call::Call;
use crate::web::request::rates;
use crate::web::request::reply::{self, Reply};

/// `POST /forms/{form_token}/build/fields/{code}`: saves a question as it was typed.
pub fn save(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, code) = (call.param("form_token"), call.param("code"));
    access::check(call.app, caller, token, Right::Manage)?;
    rates::count_save(call, caller)?;
    let shown = drafts::load(call.app, caller, token)?;
    let Some(old) = shown.draft.any(code) else {
        return Err(Error::NotFound(Noun::Question));
    };
    // Of a question that somebody else removed the last text is the one to type over.
    let body = old.body.clone().or_else(|| old.base.clone()).unwrap_or_else(|| json!({}));
    let pairs = call.form();
    let posted = FormPart::tree(pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let tag = posted.member(TAG).and_then(FormPart::first).and_then(|tag| tag.parse().ok()).unwrap_or(-1);
    let mut typed = read(texts_of(&caller.user), &body, &posted);
    let brought = posted.member(ACTION).and_then(FormPart::first).and_then(|act| act.strip_prefix(removed::ACTION));
    if let Some((part, published)) = brought.zip(old.base.as_ref()) {
        removed::bring_back(&mut typed, published, part);
    }
    let acts = posted.member(ACTION).and_then(FormPart::first).is_some();
    let subject = match compare::keys(&body, &typed).as_slice() {
        [key] => format!("{code} {key}"),
        _ => String::new(),
    };
    let subject = if acts { String::new() } else { subject };
    match change::put(call.app, caller, token, code, tag, typed.clone(), &subject)? {
        Saved::Stored(version) if wants_json(call) => {
            let shown = drafts::load(call.app, caller, token)?;
            let checked = check::check(call.app, caller, &shown)?;
            let shown_body = shown.draft.get(code).and_then(|question| question.body.as_ref()).unwrap_or(&Json::Null);
            let faults = formula::told(texts_of(&caller.user), &shown.draft, code, checked.of(code));
            let faults = faults.iter().map(|fault| told(caller, shown_body, fault));
            let body = json!({
                "field": shown.draft.get(code).and_then(|question| question.body.as_ref()),
                "tag": version,
                "issues": faults.collect::<Vec<_>>(),
                "faults": row_words::faults(texts_of(&caller.user), &shown, &checked, code),
                "removed": removed::codes(&checked, code).collect::<Vec<_>>().join(" "),
                "can_undo": shown.can_undo,
                "can_redo": shown.can_redo,
                "is_changed": shown.is_changed(),
            });
            Ok(saved(shown.draft.version, body)?.into())
        }
        Saved::Stored(_) => Ok(back(call, code)),
        Saved::Changed(theirs) if wants_json(call) => {
            let body = json!({
                "field": theirs.as_ref().and_then(|question| question.body.as_ref()),
                "tag": theirs.as_ref().map(|question| question.version),
            });
            let answer = reply::data_with(StatusCode::PRECONDITION_FAILED, &body)?;
            Ok(answer.into())
        }
        Saved::Changed(theirs) => {
            let shown = Shown { field: code.to_owned(), typed: Some(typed), theirs, ..Shown::default() };
            Ok(view(call, caller, StatusCode::PRECONDITION_FAILED, &shown)?.into())
        }
    }
}

fn told(caller: &Caller, body: &Json, fault: &Issue) -> Json {
    let texts = texts_of(&caller.user);
    json!({"attribute": fault.attribute, "message": properties::message(texts, body, fault)})
}

/// The question as it was typed, after a button of its lists was carried out.
fn read(texts: &Texts, old: &Json, posted: &FormPart) -> Json {
    let Some(row) = old["type"].as_str().and_then(by_name) else {
        return old.clone();
    };
    let mut body = panel::read(row, old, posted);
    let Some(action) = posted.member(ACTION).and_then(FormPart::first) else {
        return body;
    };
    let is_list = |list: &&str| panel::is_list(row, &body, list);
    let typed = action.strip_suffix(".text").filter(is_list).map(|list| {
        let text = posted.at(&format!("_text.{list}")).and_then(FormPart::first);
        (list.to_owned(), text.unwrap_or_default().to_owned())
    });
    let filled = ready(texts, action, &body).filter(|(list, _)| panel::is_list(row, &body, list));
    match typed.or(filled) {
        Some((list, text)) => {
            if let Some(choices) = panel::list_at(&mut body, &list) {
                *choices = choice_text::read(&text, choices);
            }
        }
        None => {
            if panel::act(row, &mut body, action) {
                fresh::complete_column(&mut body, action, texts);
            }
        }
    }
    body
}

/// The properties of the chosen question.
pub fn draw(call: &Call, caller: &Caller, drawing: &Drawing, question: &DraftQuestion) -> Result<Markup> {
    let frame = drawing.frame;
    let texts = frame.texts;
    let body = question.body.as_ref().unwrap_or(&Json::Null);
    let shown = drawing.shown.typed.as_ref().unwrap_or(body);
    let faults = drawing.checked.of(&question.code);
    let mut faults = formula::told(texts, &drawing.draft.draft, &question.code, faults);
    // A question that was just added is allowed to have no text yet.
    if question.base.is_none() && compare::label(shown).trim().is_empty() {
        faults.retain(|fault| fault.attribute != "label");
    }
    let pictures = frame.address(&format!("build/fields/{}/pictures", question.code));
    let mut properties = Properties::new(shown, &faults, &drawing.others, pictures, RichTexts::of(frame));
    // What is typed over somebody else's text is not in the draft.
    if !drawing.shown.all && drawing.shown.typed.is_none() {
        properties.all = format!("{}&all=1", drawing.address_of(&question.code));
    }
    properties.is_ruled = logic::is_ruled(drawing.draft.draft.body(PartName::Rules), &question.code);
    Ok(html! {
        (PanelHead {
            back: &frame.address("build"),
            back_label: &texts.say("build-back"),
            title: &row_words::kind(drawing.frame.texts, body),
        })
        @if let Some(typed) = &drawing.shown.typed { (overtaken(drawing, question, typed)) }
        @if let Some(row) = body["type"].as_str().and_then(by_name) {
            @let (mut properties, more) = properties.draw(row)?;
            @if drawing.can_change { @let () = properties.push(removed::draw(call, caller, drawing, question)?); }
            (Panel {
                action: &frame.address(&format!("build/fields/{}", question.code)),
                csrf: &frame.csrf,
                code: &question.code,
                tag: question.version,
                is_fixed: !drawing.can_change,
                properties,
                more: (&texts.say("build-more"), more),
                save: &texts.say("build-save"),
            })
            (formula::help(drawing, question, shown))
            (exam::draw(drawing, question))
            (default::draw(drawing, question))
            (small(texts.fill("build-code", &[("code", question.code.as_str().into())])))
        }
        (of_question::draw(frame, drawing.draft, drawing.checked, &question.code))
        @if drawing.can_change { (acts(drawing, question, body)) }
    })
}

/// Shows the question that somebody else has saved meanwhile, beside the typed one.
fn overtaken(drawing: &Drawing, question: &DraftQuestion, typed: &Json) -> Markup {
    let texts = drawing.frame.texts;
    let theirs = drawing.shown.theirs.as_ref().and_then(|question| question.body.as_ref()).unwrap_or(&Json::Null);
    let told = |value: &Json| value_words(texts, value);
    let keys = compare::keys(theirs, typed);
    let pairs = keys.iter().map(|key| (key_words(texts, key), told(&typed[key]), told(&theirs[key])));
    html! {
        (message(Tone::Warn, &texts.say("build-overtaken"), &texts.say("build-overtaken-text")))
        (Versions {
            title: html! { (texts.say("build-differs")) },
            pairs: pairs.collect(),
            mine: &texts.labelled(&texts.say("build-mine"), ""),
            theirs: &texts.labelled(&texts.say("build-theirs"), ""),
            actions: Button {
                label: &texts.say("build-take"),
                press: Press::Go(&drawing.address_of(&question.code)),
                ..Button::default()
            }
            .render(),
        })
    }
}

/// The actions on the question as a whole.
fn acts(drawing: &Drawing, question: &DraftQuestion, body: &Json) -> Markup {
    let frame = drawing.frame;
    let texts = frame.texts;
    let address = |act: &str| frame.address(&format!("build/fields/{}/{act}", question.code));
    let button = |act: &str, words: &str| {
        let address = address(act);
        Button { label: &texts.say(words), press: Press::SubmitTo(&address), is_small: true, ..Button::default() }
            .render()
    };
    let content = row(html! {
        (button("up", "build-up"))
        (button("down", "build-down"))
        (button("copy", "build-copy"))
    });
    let kinds = fresh::kinds_for(question.base.as_ref());
    let kind = body["type"].as_str().unwrap_or_default();
    html! {
        (PostForm { action: &address("up"), csrf: &frame.csrf, content, ..PostForm::default() })
        (move_to(drawing, question, &address("move")))
        @if kinds.len() > 1 {
            (Disclosure {
                summary: &texts.say("build-kind"),
                is_open: false,
                content: PostForm {
                    action: &address("type"),
                    csrf: &frame.csrf,
                    content: html! {
                        (SelectField {
                            id: "question-type",
                            name: "type",
                            label: &texts.say("build-kind-label"),
                            choices: kinds
                                .iter()
                                .map(|row| Choice::new(row.name, texts.say(&format!("kind-{}", row.name)), row.name == kind))
                                .collect(),
                            ..SelectField::default()
                        })
                        (Button::quiet(&texts.say("build-kind-button")))
                    },
                    ..PostForm::default()
                }
                .render(),
            })
        }
        (removal(drawing, question, &address("remove"), &address("hidden")))
    }
}

fn move_to(drawing: &Drawing, question: &DraftQuestion, action: &str) -> Markup {
    let texts = drawing.frame.texts;
    let others = drawing.draft.draft.present().filter(|(other, _)| other.code != question.code);
    let before = drawing.draft.draft.present().take_while(|(other, _)| other.code != question.code).last();
    let before = before.map_or("", |(other, _)| other.code.as_str());
    let first = Choice::new("", texts.say("build-move-first"), before.is_empty());
    let others = others.map(|(other, body)| {
        let label: String = row_words::label(texts, body).chars().take(60).collect();
        Choice::new(&other.code, label, other.code == before)
    });
    let content = html! {
        (SelectField {
            id: "question-after",
            name: "after",
            label: &texts.say("build-move-after"),
            choices: std::iter::once(first).chain(others).collect(),
            ..SelectField::default()
        })
        (Button::quiet(&texts.say("build-move-button")))
    };
    Disclosure {
        summary: &texts.say("build-move"),
        is_open: false,
        content: PostForm { action, csrf: &drawing.frame.csrf, content, ..PostForm::default() }.render(),
    }
    .render()
}

/// Removing a question; for one with answers, its losses are shown, and hiding is offered first.
fn removal(drawing: &Drawing, question: &DraftQuestion, remove: &str, hide: &str) -> Markup {
    let frame = drawing.frame;
    let texts = frame.texts;
    let has_entries = question.base.is_some() && drawing.draft.view.form.entries_count > 0;
    let button = |address: &str, words: &str, weight: Weight| {
        Button { label: &texts.say(words), press: Press::SubmitTo(address), weight, ..Button::default() }.render()
    };
    let is_hidden = question.body.as_ref().is_some_and(|body| body["hidden"] == true);
    let content = html! {
        @if has_entries { p { (texts.say("build-remove-loses")) } }
        (row(html! {
            @if has_entries && !is_hidden { (button(hide, "build-hide-instead", Weight::Quiet)) }
            (button(remove, "build-remove", Weight::Danger))
        }))
    };
    let form = PostForm { action: remove, csrf: &frame.csrf, content, ..PostForm::default() };
    if has_entries {
        Disclosure { summary: &texts.say("build-remove"), is_open: false, content: form.render() }.render()
    } else {
        form.render()
    }
}
