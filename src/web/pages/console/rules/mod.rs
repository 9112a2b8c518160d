//! `/forms/{form_token}/rules`: the rules of a form's draft as sentences. Any role reads them, managers change them;
//! each change is a plain post that saves one rule.

mod acts;
mod drawing;
mod keys;
mod narrowed;
pub mod of_question;
pub mod sentence;
pub mod words;

use maud::{Markup, Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::json::Json;
use crate::model::caller::Caller;
use crate::model::draft::parts::PartName;
use crate::model::role::Role;
use crate::ops::forms::drafts::{self, check, logic};
use crate::web::pages::console;
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::rules::drawing::Drawing;
use crate::web::pages::console::rules::narrowed::Narrowed;
use crate::web::pages::console::rules::sentence::{Questions, RuleWords};
use crate::web::pages::ui::build::outline::BuilderBar;
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::notice::{Notice, Tone, message};
use crate::web::pages::ui::rules::sentence::Sentences;
use crate::web::pages::ui::section::Section;
use crate::web::pages::ui::words::{lead, muted};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};

pub use acts::{act, add, redo, save, undo};

/// The state of the page beside the rules.
#[derive(Default)]
struct Shown {
    /// A rule as it was typed, which somebody else changed or removed meanwhile.
    overtaken: Option<Json>,
    /// The text id of an act's notice.
    done: Option<&'static str>,
}

/// `GET /forms/{form_token}/rules`, with `field` for the rules of a question and `q` for those with some words.
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let done = call.query("done").and_then(|word| acts::done(&word));
    Ok(view(call, caller, StatusCode::OK, &Shown { done, ..Shown::default() })?.into())
}

fn view(call: &Call, caller: &Caller, status: StatusCode, shown: &Shown) -> Result<Answer> {
    let frame = FormFrame::load(call, caller)?;
    let texts = frame.texts;
    let token = call.param("form_token");
    let draft = drafts::load(call.app, caller, token)?;
    let checked = check::check(call.app, caller, &draft)?;
    let rules = draft.draft.body(PartName::Rules).clone();
    let counts = match frame.view.form.entries_count {
        0 => Vec::new(),
        _ => logic::counts(call.app, caller, token, &rules)?,
    };
    let senses = logic::senses(&rules, &checked, &draft);
    let can_change = draft.view.role >= Role::Manager;
    let words = RuleWords { texts, questions: Questions::Draft(&draft.draft), fields: &checked.definition.fields };
    let narrowed = Narrowed::of(call);
    let query = narrowed.query();
    let open = acts::open_rule(call);
    let drawing = Drawing { frame: &frame, words, checked: &checked, can_change, senses, counts, query, open };
    let list = rules.as_array().map_or(&[][..], Vec::as_slice);
    let is_shown = |rule: &&Json| narrowed.holds(rule, &drawing.words.sentence(rule));
    let shown_count = list.iter().filter(is_shown).count();
    let has_questions = draft.draft.present().count() > 1;
    let weight = if list.is_empty() { Weight::Main } else { Weight::Quiet };
    let adding = html! {
        @if can_change && has_questions {
            (PostForm {
                action: &frame.address("rules"),
                csrf: &frame.csrf,
                content: Button { label: &texts.say("rules-add"), weight, ..Button::default() }.render(),
                ..PostForm::default()
            })
        }
    };
    let content = html! {
        (frame.head(FormPage::Logic, true))
        @if !can_change { (message(Tone::Note, &texts.say("build-reader"), &texts.say("rules-reader-text"))) }
        @if can_change { (bar(&frame, &draft)) }
        (Sentences {
            saves: can_change,
            content: html! {
                @if let Some(done) = shown.done { (message(Tone::Note, &texts.say(done), "")) }
                @if let Some(mine) = &shown.overtaken { (overtaken(&drawing, mine)) }
                @if list.is_empty() {
                    (Section {
                        content: html! {
                            (lead(texts.say(if has_questions { "rules-none" } else { "rules-no-questions" })))
                            (adding)
                        },
                        ..Section::default()
                    })
                } @else {
                    (muted(texts.say("rules-lead")))
                    (narrowed.draw(&drawing, list, shown_count))
                    @for (at, rule) in list.iter().enumerate().filter(|(_, rule)| is_shown(rule)) {
                        (drawing.rule(at, rule, list))
                    }
                    (adding)
                }
            },
        })
        @if can_change { (keys::help(&frame)) }
    };
    let title = frame.title(&texts.say("rules-title"));
    let mut page = console::page(call, &caller.user, &frame.csrf, texts, &title);
    if can_change {
        page = page.script("keys.js").script("sentences.js");
    }
    Ok(page.answer(status, &content))
}

fn bar(frame: &FormFrame, draft: &drafts::DraftView) -> Markup {
    let texts = frame.texts;
    let has_news = draft.is_changed() || !frame.view.form.published;
    let go = |words: &str, page: &str, weight: Weight| {
        let (label, address) = (texts.say(words), frame.address(page));
        Button { label: &label, press: Press::Go(&address), is_small: true, weight, ..Button::default() }.render()
    };
    BuilderBar {
        start: Markup::default(),
        csrf: &frame.csrf,
        steps: [
            (frame.address("rules/undo"), texts.say("build-undo"), draft.can_undo),
            (frame.address("rules/redo"), texts.say("build-redo"), draft.can_redo),
        ],
        end: html! {
            (go("build-open-preview", "preview", Weight::Quiet))
            (go("build-publish", "publish", if has_news { Weight::Main } else { Weight::Quiet }))
        },
    }
    .render()
}

/// A rule that could not be saved, with a button to add it beside the other user's version.
fn overtaken(drawing: &Drawing, mine: &Json) -> Markup {
    let frame = drawing.frame;
    let (texts, address) = (frame.texts, frame.address("rules"));
    let content = html! {
        p { (drawing.words.sentence(mine)) }
        (PostForm {
            action: &address,
            csrf: &frame.csrf,
            content: html! {
                input type="hidden" name="rule" value=(json!(mine).to_string());
                (Button::quiet(&texts.say("rules-overtaken-add")))
            },
            ..PostForm::default()
        })
    };
    let (title, text) = (texts.say("rules-overtaken"), texts.say("rules-overtaken-text"));
    Notice { tone: Tone::Warn, title: &title, text: &text, content }.render()
}
