//! `/forms/{form_token}/build`: the questions of a form's draft. Any role reads them, managers change them; each act is
//! a plain post, which answers scripts by JSON.

mod acts;
mod default;
pub mod exam;
pub mod formula;
mod keys;
mod linked;
#[cfg(test)]
mod new_kind_tests;
mod part_lists;
pub mod pasting;
pub mod picking;
pub mod pictures;
mod plans;
pub mod preview;
mod properties;
pub mod publishing;
mod question;
mod removed;
mod removing;
pub mod rich_texts;
mod row_words;
pub mod state;

use maud::{Markup, Render, html};
use serde_json::{Map, json};
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::text::isolated;
use crate::base::text::texts::Texts;
use crate::fields::field::MAX_FIELDS;
use crate::fields::kind::KindRow;
use crate::fields::kinds::GROUPS;
use crate::model::caller::Caller;
use crate::model::draft::DraftQuestion;
use crate::model::draft::parts::PartName;
use crate::model::role::Role;
use crate::ops::forms::drafts::check::{self, Checked};
use crate::ops::forms::drafts::compare::label;
use crate::ops::forms::drafts::{self, DraftView};
use crate::ops::forms::versions::words::key_words;
use crate::web::pages::console;
use crate::web::pages::console::account_messages;
use crate::web::pages::console::build::exam::ExamQuestions;
use crate::web::pages::console::build::linked::Others;
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::ui::build::outline::{
    Builder, BuilderBar, Outline, OutlineActs, OutlineRow, SaveState, presence,
};
use crate::web::pages::ui::build::palette::{Palette, PaletteKind};
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::words::{lead, muted, name, row, small};
use crate::web::request::call::Call;
use crate::web::request::reply::{self, Answer, Reply};
use crate::web::request::session;

pub use acts::{act, act_on_many, add, confirm_discard, discard, done, redo, settle_part, undo};
pub use question::save;

/// The state of the page beside the list.
#[derive(Default)]
struct Shown {
    /// The code of the chosen question.
    field: String,
    /// Whether its long lists are drawn whole.
    all: bool,
    /// The question as typed, where it was not saved.
    typed: Option<Json>,
    /// The question as somebody else has saved it meanwhile.
    theirs: Option<DraftQuestion>,
    /// The question's exam settings as typed, where somebody else has saved others meanwhile.
    exam: Option<Json>,
    /// The code of the question after which the palette adds.
    adds_after: Option<String>,
    /// Faults of an act.
    faults: Vec<Issue>,
    /// The text id of an act's notice.
    done: Option<&'static str>,
}

/// `GET /forms/{form_token}/build`, with `field` for a chosen question, `all` for the whole of its long lists and `add` for
/// the palette. `frame` asks for the page in a frame that nobody sees.
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    if wants_json(call) {
        let shown = drafts::load(call.app, caller, call.param("form_token"))?;
        return Ok(reply::data(&as_json(&shown))?.into());
    }
    let shown = Shown {
        field: call.query("field").unwrap_or_default(),
        all: call.query("all").is_some(),
        adds_after: call.query("add"),
        done: call.query("done").and_then(|done| acts::done(&done)),
        ..Shown::default()
    };
    Ok(view(call, caller, StatusCode::OK, &shown)?.into())
}

fn wants_json(call: &Call) -> bool {
    call.header("accept").is_some_and(|accept| accept.starts_with("application/json"))
}

/// The draft as programs of the page read it.
fn as_json(shown: &DraftView) -> Json {
    let form = &shown.view.form;
    json!({
        "version": shown.draft.version,
        "head": {"name": form.name, "description": form.description, "layout": form.layout},
        "fields": check::fields(&shown.draft),
        "rules": shown.draft.body(PartName::Rules),
        "theme": shown.draft.body(PartName::Theme),
        "exam_questions": shown.draft.body(PartName::ExamQuestions),
    })
}

/// Leads back to the builder, with a question chosen.
fn back(call: &Call, field: &str) -> Reply {
    let token = call.param("form_token");
    let field = if field.is_empty() { String::new() } else { format!("?field={field}") };
    session::to_page(&call.app.config, &format!("/forms/{token}/build{field}")).into()
}

fn view(call: &Call, caller: &Caller, status: StatusCode, shown: &Shown) -> Result<Answer> {
    let frame = FormFrame::load(call, caller)?;
    let texts = frame.texts;
    let draft = drafts::load(call.app, caller, call.param("form_token"))?;
    let checked = check::check(call.app, caller, &draft)?;
    let can_change = draft.view.role >= Role::Manager;
    let chosen = draft.draft.get(&shown.field).filter(|_| shown.adds_after.is_none());
    let is_empty = draft.draft.present().next().is_none();
    let adds = can_change && (shown.adds_after.is_some() || is_empty);
    // The options in the panel of a question that links to another form.
    let linked = chosen.filter(|question| question.body.as_ref().is_some_and(|body| body.get("form_token").is_some()));
    let others = match linked.and_then(|question| question.body.as_ref()) {
        Some(body) => Others::load(call.app, caller, body["form_token"].as_str().unwrap_or_default())?,
        None => Others::default(),
    };
    let drawing = Drawing { frame: &frame, draft: &draft, checked: &checked, can_change, shown, others };
    let panel = match chosen {
        _ if adds => drawing.palette(shown.adds_after.as_deref().unwrap_or_default()),
        Some(question) => question::draw(call, caller, &drawing, question)?,
        None => drawing.overview(),
    };
    let title = frame.title(&texts.say("build-title"));
    if call.query("frame").is_some() {
        // A script takes parts of it.
        let parts = html! { (drawing.bar(chosen)) (drawing.outline(chosen)) (panel) };
        return Ok(console::unseen_page(call, texts, &title).answer(status, &parts));
    }
    let content = html! {
        (frame.head(FormPage::Build, true))
        @if !can_change { (message(Tone::Note, &texts.say("build-reader"), &texts.say("build-reader-text"))) }
        @if let Some(done) = shown.done { (message(Tone::Good, &texts.say(done), "")) }
        @for fault in &shown.faults {
            (message(Tone::Bad, &account_messages::message(texts, fault), ""))
        }
        @if can_change { (drawing.bar(chosen)) }
        @if can_change { (pasting::ready(&frame, chosen.map_or(drawing.last(), |chosen| chosen.code.as_str()))) }
        (Builder {
            outline: drawing.outline(chosen),
            preview: &frame.address(&format!("preview?canvas=1&field={}", shown.field)),
            preview_title: &texts.say("build-preview"),
            skip: &texts.say("build-skip-preview"),
            panel,
            panel_label: &texts.say("build-panel"),
            shows_panel: chosen.is_some() || adds,
        })
        @if can_change { (keys::help(&frame)) }
    };
    let mut page = console::page(call, &caller.user, &frame.csrf, texts, &title).framing();
    if can_change {
        page = page.script("paste.js").script("keys.js").script("outline.js").script("palette.js");
        page = page.script("rich.js").script("panel.js").script("choices.js").script("default.js").script("formula.js");
        page = page.script("points.js");
    }
    Ok(page.answer(status, &content))
}

/// The data that the parts of the page are drawn from.
struct Drawing<'a> {
    frame: &'a FormFrame<'a>,
    draft: &'a DraftView,
    checked: &'a Checked,
    can_change: bool,
    shown: &'a Shown,
    others: Others,
}

impl Drawing<'_> {
    fn say(&self, id: &str) -> String {
        self.frame.texts.say(id)
    }

    /// The address of the page with a question chosen.
    fn address_of(&self, code: &str) -> String {
        self.frame.address(&format!("build?field={code}"))
    }

    /// The label of a question, or the text in place of one.
    fn label(&self, body: &Json) -> Markup {
        let words = row_words::label(self.frame.texts, body);
        match label(body).trim() {
            "" => html! { (words) },
            _ => html! { span lang=[self.frame.owners_lang()] { (name(&words)) } },
        }
    }

    fn outline(&self, chosen: Option<&DraftQuestion>) -> Markup {
        let texts = self.frame.texts;
        let exam = ExamQuestions::of(self.frame, self.draft, self.checked);
        let mut number = 0;
        let rows = self.draft.draft.present().map(|(question, body)| {
            let has_value = row_words::has_number(self.checked, &question.code, body);
            number += i32::from(has_value);
            let said = |key: &str, id: &str| (body[key] == true).then(|| self.say(id));
            OutlineRow {
                code: &question.code,
                address: self.address_of(&question.code),
                number: if has_value { number.to_string() } else { String::new() },
                label: self.label(body),
                is_untitled: row_words::is_untitled(body),
                kind: row_words::kind_below(texts, body),
                is_chosen: chosen.is_some_and(|chosen| chosen.code == question.code),
                is_break: self
                    .checked
                    .definition
                    .fields
                    .get(&question.code)
                    .is_some_and(|it| it.kind.page_break().is_some()),
                marks: [said("required", "build-required"), said("hidden", "build-hidden")]
                    .into_iter()
                    .flatten()
                    .collect(),
                points: exam.as_ref().map(|exam| exam.points_words(&question.code)).unwrap_or_default(),
                faults: row_words::faults(texts, self.draft, self.checked, &question.code),
                tick: texts.fill("build-tick", &[("label", isolated(&row_words::label(texts, body)).into())]),
            }
        });
        let rows: Vec<OutlineRow> = rows.collect();
        let count = rows.len();
        let labels = ACTS.map(|(act, words)| (act, self.say(words)));
        let acts = OutlineActs {
            action: &self.frame.address("build/fields/many"),
            csrf: &self.frame.csrf,
            label: &self.say("build-many"),
            count: &self.say("build-many-count"),
            acts: labels.iter().map(|(act, label)| (*act, label.as_str())).collect(),
            moved: &self.say("build-moved"),
            moved_to_page: &self.say("build-moved-to-page"),
            add_here: &self.say("build-add-here"),
            state: &self.frame.address("build/state"),
            version: self.draft.draft.version,
        };
        let total = exam.as_ref().map(ExamQuestions::total_words).unwrap_or_default();
        html! {
            (Outline { label: &self.say("build-questions"), total: &total, rows, acts: self.can_change.then_some(acts) })
            @if count * 10 > MAX_FIELDS * 9 {
                (small(texts.fill("build-room", &[("count", count.into()), ("most", MAX_FIELDS.into())])))
            }
        }
    }

    /// The actions on the draft as a whole.
    fn bar(&self, chosen: Option<&DraftQuestion>) -> Markup {
        let after = chosen.map_or(self.last(), |chosen| chosen.code.as_str());
        let has_news = self.draft.is_changed() || !self.draft.view.form.published;
        let go = |label: &str, address: &str, weight: Weight| {
            let address = self.frame.address(address);
            Button { label, press: Press::Go(&address), is_small: true, weight, ..Button::default() }.render()
        };
        BuilderBar {
            start: go(&self.say("build-add"), &format!("build?add={after}"), Weight::Quiet),
            csrf: &self.frame.csrf,
            steps: [
                (self.frame.address("build/undo"), self.say("build-undo"), self.draft.can_undo),
                (self.frame.address("build/redo"), self.say("build-redo"), self.draft.can_redo),
            ],
            end: html! {
                (presence())
                (self.save_state())
                (go(&self.say("build-open-preview"), "preview", Weight::Quiet))
                (go(&self.say("build-publish"), "publish", if has_news { Weight::Main } else { Weight::Quiet }))
            },
        }
        .render()
    }

    /// The code of the last question; empty without any.
    fn last(&self) -> &str {
        self.draft.draft.present().last().map_or("", |(question, _)| question.code.as_str())
    }

    fn save_state(&self) -> Markup {
        let words = ["saving", "saved", "unsaved", "refused", "offline"];
        let words = words.map(|word| (word, self.say(&format!("build-{word}"))));
        SaveState { text: &self.say("build-saves-itself"), words: words.into_iter().collect() }.render()
    }

    fn palette(&self, after: &str) -> Markup {
        if self.draft.draft.present().count() >= MAX_FIELDS {
            return html! {
                h2 { (self.say("build-add-title")) }
                (lead(self.frame.texts.fill("build-full", &[("most", MAX_FIELDS.into())])))
            };
        }
        let kind = |row: &&'static KindRow| PaletteKind {
            name: row.name,
            label: self.say(&format!("kind-{}", row.name)),
            search: self.say(&format!("kind-{}-search", row.name)),
        };
        let groups = GROUPS
            .iter()
            .map(|(group, rows)| (self.say(&format!("kinds-{group}")), rows.iter().map(kind).collect::<Vec<_>>()));
        let palette = Palette {
            action: &self.frame.address("build/fields"),
            csrf: &self.frame.csrf,
            after,
            search: &self.say("build-find-kind"),
            none: &self.say("build-find-none"),
            groups: groups.collect(),
        };
        html! {
            h2 { (self.say("build-add-title")) }
            @if self.draft.draft.present().next().is_none() { (lead(self.say("build-empty"))) }
            (row(html! {
                (Button {
                    label: &self.say("paste-title"),
                    press: Press::Go(&self.frame.address(&format!("build/paste?after={after}"))),
                    is_small: true,
                    ..Button::default()
                })
                (Button {
                    label: &self.say("picked-title"),
                    press: Press::Go(&self.frame.address(&format!("build/from?after={after}"))),
                    is_small: true,
                    ..Button::default()
                })
            }))
            (palette)
        }
    }

    /// Shown while no question is chosen.
    fn overview(&self) -> Markup {
        let texts = self.frame.texts;
        let form = &self.draft.view.form;
        let count = self.draft.draft.present().count();
        html! {
            h2 lang=[self.frame.owners_lang()] { (name(&form.name)) }
            @if let Some(description) = &form.description { p lang=[self.frame.owners_lang()] { (name(description)) } }
            (muted(texts.fill("build-count", &[("count", count.into())])))
            (muted(self.say("build-choose")))
            (row(html! {
                (Button {
                    label: &self.say("build-head"),
                    press: Press::Go(&self.frame.address("settings#general")),
                    ..Button::default()
                })
            }))
        }
    }
}

/// The actions on ticked questions: the value of `act`, and its text id.
const ACTS: [(&str, &str); 6] = [
    ("up", "build-up"),
    ("down", "build-down"),
    ("copy", "build-copy"),
    ("required", "build-require"),
    ("hidden", "build-hide"),
    ("remove", "build-remove"),
];

/// The members of an answer to a script: the draft's version, and more.
fn saved(version: i64, more: Json) -> Result<Answer> {
    let mut body = Map::new();
    body.insert("version".to_owned(), json!(version));
    if let Json::Object(more) = more {
        body.extend(more);
    }
    reply::data(&Json::Object(body))
}

/// A value of a definition, for people who compare two.
pub(in crate::web::pages::console) fn value_words(texts: &Texts, value: &Json) -> String {
    match value {
        Json::Null => texts.say("publish-absent"),
        Json::Bool(is_on) => texts.say(if *is_on { "build-on" } else { "build-off" }),
        Json::String(text) => text.clone(),
        Json::Array(items) if items.iter().all(|item| !label(item).is_empty()) => {
            items.iter().map(label).collect::<Vec<_>>().join(" · ")
        }
        other => other.to_string(),
    }
}
