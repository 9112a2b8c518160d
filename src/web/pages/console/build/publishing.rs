//! `/forms/{form_token}/publish`: the changes of a draft, the faults that prevent publishing, and the data that it
//! would delete.

use maud::{Markup, Render, html};
use warp::http::StatusCode;

use crate::base::error::Result;
use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::Reason;
use crate::base::text::isolated;
use crate::base::text::texts::Texts;
use crate::model::caller::Caller;
use crate::model::draft::parts::{DraftPart, PartName};
use crate::model::form_version::FormChange;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::drafts::check::{self, Checked};
use crate::ops::forms::drafts::compare::{self, Conflict};
use crate::ops::forms::drafts::publish::{self, Published};
use crate::ops::forms::drafts::{self, DraftView};
use crate::ops::forms::renamed_choices::Renamed;
use crate::ops::forms::versions::compare::{RuleDifference, rules};
use crate::ops::forms::versions::words::{self, key_words};
use crate::web::pages::console::build::{exam, row_words, value_words};
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::rules::sentence::{Questions, RuleWords};
use crate::web::pages::console::rules::words as rule_words;
use crate::web::pages::console::{self, Posted, account_messages};
use crate::web::pages::ui::build::publishing::{ChangeLine, Changes, Hindrances, Versions};
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::field::{Choice, LineField, TickField, line_field};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::notice::{Notice, Tone, message};
use crate::web::pages::ui::section::Section;
use crate::web::pages::ui::words::{muted, name, row};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// The input with the version's name.
const VERSION_NAME: &str = "version_name";
const LONGEST_NAME: usize = 100;

/// The outcome of a post.
#[derive(Default)]
struct Outcome {
    /// Answers that would be deleted.
    losses: Vec<Issue>,
    /// The text id of the reason why it was refused.
    told: Option<&'static str>,
    /// The version's name as it was typed.
    version_name: String,
    is_name_long: bool,
}

/// `GET /forms/{form_token}/publish`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    access::check(call.app, caller, call.param("form_token"), Right::Manage)?;
    Ok(view(call, caller, StatusCode::OK, &Outcome::default())?.into())
}

/// `POST /forms/{form_token}/publish`: leads to the share page.
pub fn publish(call: &Call, caller: &Caller) -> Result<Reply> {
    let (token, posted) = (call.param("form_token"), Posted::of(call));
    let version = posted.text("draft_version").parse().unwrap_or(-1);
    let confirmed = posted.text("confirm_data_loss") == "true";
    let version_name = posted.text(VERSION_NAME).to_owned();
    if version_name.chars().count() > LONGEST_NAME {
        access::check(call.app, caller, token, Right::Manage)?;
        let outcome = Outcome { version_name, is_name_long: true, ..Outcome::default() };
        return Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &outcome)?.into());
    }
    let outcome = match publish::publish(call.app, caller, token, version, confirmed, &version_name)? {
        Published::Done(_) => {
            return Ok(session::to_page(&call.app.config, &format!("/forms/{token}/share?done=published")).into());
        }
        Published::Changed => Outcome { told: Some("publish-changed"), version_name, ..Outcome::default() },
        Published::Faulty => Outcome { version_name, ..Outcome::default() },
        Published::Loses(losses) => Outcome { losses, told: Some("publish-loses"), version_name, ..Outcome::default() },
    };
    Ok(view(call, caller, StatusCode::UNPROCESSABLE_ENTITY, &outcome)?.into())
}

fn view(call: &Call, caller: &Caller, status: StatusCode, outcome: &Outcome) -> Result<Answer> {
    let frame = FormFrame::load(call, caller)?;
    let texts = frame.texts;
    let shown = drafts::load(call.app, caller, call.param("form_token"))?;
    let checked = check::check(call.app, caller, &shown)?;
    // Said before anybody asks to publish.
    let losses = match outcome.losses.is_empty() && checked.is_sound() {
        true => publish::losses(call.app, &shown, &checked)?,
        false => outcome.losses.clone(),
    };
    let drawing = Drawing { frame: &frame, shown: &shown, checked: &checked, outcome, losses: &losses };
    let is_published = frame.view.form.published;
    let has_news = shown.is_changed() || !is_published;
    let conflicts = shown.conflicts();
    let part_conflicts = shown.part_conflicts();
    let can_publish = has_news && checked.is_sound() && conflicts.is_empty() && part_conflicts.is_empty();
    let title = texts.say("publish-title");
    let page_title = frame.title(&title);
    let content = html! {
        (frame.head(FormPage::Build, false))
        (PageHead {
            back: Some(Back { address: &frame.address("build"), label: &texts.say("publish-back") }),
            title: html! { (title) },
            lead: html! { (texts.say(if is_published { "publish-lead" } else { "publish-lead-first" })) },
            actions: Button {
                label: &texts.say("history-title"),
                press: Press::Go(&frame.address("history")),
                ..Button::default()
            }
            .render(),
            ..PageHead::default()
        })
        @if let Some(told) = outcome.told { (message(Tone::Warn, &texts.say(told), "")) }
        (drawing.faults())
        (drawing.renamed())
        @for conflict in &conflicts { (drawing.conflict(conflict)) }
        @for part in &part_conflicts { (drawing.part_conflict(part)) }
        (Section {
            id: "changes",
            title: html! { (texts.say("publish-changes")) },
            content: html! {
                @if has_news { (drawing.changes()) } @else { (muted(texts.say("publish-nothing"))) }
                @if can_publish { (drawing.button()) }
            },
            ..Section::default()
        })
        @if shown.is_changed() { (drawing.discard()) }
    };
    let page = console::page(call, &caller.user, &frame.csrf, texts, &page_title);
    Ok(page.answer(status, &content))
}

struct Drawing<'a> {
    frame: &'a FormFrame<'a>,
    shown: &'a DraftView,
    checked: &'a Checked,
    outcome: &'a Outcome,
    /// Answers that publishing would delete.
    losses: &'a [Issue],
}

impl Drawing<'_> {
    fn say(&self, id: &str) -> String {
        self.frame.texts.say(id)
    }

    /// The faults that prevent publishing, each with a link to its question.
    fn faults(&self) -> Markup {
        let texts = self.frame.texts;
        let base = self.frame.address("build?field=");
        let mut number = 0;
        let of_questions = self.shown.draft.present().flat_map(|(question, body)| {
            number += i32::from(row_words::has_number(self.checked, &question.code, body));
            let told = move |fault| row_words::fault(texts, body, number, fault);
            let faults = self.checked.of(&question.code).iter();
            faults.map(move |fault| (question.code.as_str(), told(fault)))
        });
        let lines: Vec<(String, String)> = of_questions
            .map(|(code, told)| (format!("{base}{code}"), told))
            .chain(self.checked.form_faults.iter().map(|fault| {
                let is_empty = self.shown.draft.present().next().is_none();
                let told = if is_empty { self.say("publish-empty") } else { account_messages::message(texts, fault) };
                (self.frame.address("build"), told)
            }))
            .chain(self.part_faults())
            .collect();
        Hindrances { title: &self.say("publish-faults"), lines }.render()
    }

    /// The faults of the draft's parts, each with the page on which it is corrected.
    fn part_faults(&self) -> impl Iterator<Item = (String, String)> {
        self.checked.part_faults.iter().map(|(part, fault)| {
            let (code, told) = exam::told_fault(self.frame.texts, fault);
            match (part, code) {
                (PartName::Rules, _) => {
                    let place = fault.attribute.split(['[', ']']).nth(1).and_then(|at| at.parse::<usize>().ok());
                    let number = place.map_or(0, |place| place + 1);
                    let title = self.frame.texts.fill("publish-rule", &[("number", number.into())]);
                    let rule = &self.shown.draft.body(PartName::Rules)[place.unwrap_or(usize::MAX)];
                    let path = fault.attribute.split_once("].").map_or("", |(_, path)| path);
                    let told = rule_words::fault(self.frame.texts, rule, &Issue::new(path, fault.reason.clone()));
                    (self.frame.address(&format!("rules#rule-{number}")), self.frame.texts.labelled(&title, &told))
                }
                (PartName::ExamQuestions, Some(code)) => {
                    let label = self.shown.draft.get(code).and_then(|question| question.body.as_ref());
                    let label = label.map_or_else(|| code.to_owned(), |body| isolated(compare::label(body)));
                    (self.frame.address(&format!("build?field={code}")), self.frame.texts.labelled(&label, &told))
                }
                (PartName::ExamQuestions, None) => (self.frame.address("settings#exam"), told),
                (PartName::Theme, _) => (self.frame.address("theme"), told),
            }
        })
    }

    /// Rules that look for a text which a choice's label had, or has now: the owner decides.
    fn renamed(&self) -> Markup {
        let texts = self.frame.texts;
        let renamed = &self.checked.renamed;
        if renamed.is_empty() {
            return Markup::default();
        }
        let line = |renamed: &Renamed| {
            let number = renamed.rule + 1;
            let title = texts.fill("publish-rule", &[("number", number.into())]);
            let address = self.frame.address(&format!("rules#rule-{number}"));
            html! { li { a href=(address) { (title) } (texts.colon(&title)) (rule_words::renamed(texts, renamed)) } }
        };
        Notice {
            tone: Tone::Warn,
            title: &self.say("publish-renamed-choices"),
            text: "",
            content: html! { ul { @for one in renamed { (line(one)) } } },
        }
        .render()
    }

    /// A part that the draft and the API changed.
    fn part_conflict(&self, part: &DraftPart) -> Markup {
        let act = |name: &str| self.frame.address(&format!("build/parts/{}/{name}", part.name.name()));
        Notice {
            tone: Tone::Warn,
            title: &self.say(&format!("publish-both-{}", part.name.name())),
            text: &self.say("publish-both-text"),
            content: row(html! {
                (self.post(&act("keep"), &self.say("publish-keep")))
                (self.post(&act("take"), &self.say("publish-take")))
            }),
        }
        .render()
    }

    fn changes(&self) -> Markup {
        let mut lines = Vec::new();
        for change in self.shown.differences() {
            lines.push(change_line(self.frame.texts, &change));
            if change == (FormChange::Part { part: PartName::Rules }) {
                lines.extend(self.rules());
            }
        }
        if !self.frame.view.form.published {
            let text = html! { (self.say("publish-goes-live")) };
            lines.push(ChangeLine { sign: "added", text, details: String::new() });
        }
        Changes { lines }.render()
    }

    /// The rules that change, as sentences.
    fn rules(&self) -> Vec<ChangeLine> {
        let texts = self.frame.texts;
        let Some(part) = self.shown.draft.part(PartName::Rules) else {
            return Vec::new();
        };
        let questions = Questions::Draft(&self.shown.draft);
        let then = RuleWords { texts, questions, fields: &self.shown.view.parsed.definition.fields };
        let now = RuleWords { texts, questions, fields: &self.checked.definition.fields };
        let line = |sign, text: String, details: String| ChangeLine { sign, text: html! { (text) }, details };
        let told = |difference: RuleDifference| match (difference.then, difference.now) {
            (Some((_, was)), Some((_, is))) => {
                let was = texts.fill("publish-rule-was", &[("sentence", then.sentence(was).into())]);
                Some(line("changed", now.sentence(is), was))
            }
            (Some((_, was)), None) => Some(line("removed", then.sentence(was), String::new())),
            (None, Some((_, is))) => Some(line("added", now.sentence(is), String::new())),
            (None, None) => None,
        };
        rules(&part.base, &part.body).into_iter().filter_map(told).collect()
    }

    fn button(&self) -> Markup {
        let texts = self.frame.texts;
        let losses = self.losses;
        let most = i64::try_from(LONGEST_NAME).unwrap_or_default();
        let long = texts.fill("publish-name-long", &[("most", most.into())]);
        let content = html! {
            input type="hidden" name="draft_version" value=(self.shown.draft.version);
            @if !losses.is_empty() {
                (Notice {
                    tone: Tone::Bad,
                    title: &self.say("publish-losses"),
                    text: &self.say("publish-losses-text"),
                    content: Changes { lines: losses.iter().map(|loss| self.loss(loss)).collect() }.render(),
                })
                (TickField {
                    name: "confirm_data_loss",
                    label: &self.say("publish-confirm-label"),
                    fault: "",
                    choices: vec![Choice::new("true", self.say("publish-confirm"), false)],
                })
            }
            (line_field(&LineField {
                name: VERSION_NAME,
                label: &self.say("publish-name"),
                notes: &self.say("publish-name-notes"),
                value: &self.outcome.version_name,
                fault: if self.outcome.is_name_long { &long } else { "" },
                ..LineField::default()
            }))
            (Button {
                label: &texts.say("publish-button"),
                weight: if losses.is_empty() { Weight::Main } else { Weight::Sure },
                ..Button::default()
            })
        };
        let action = self.frame.address("publish");
        PostForm { action: &action, csrf: &self.frame.csrf, content, ..PostForm::default() }.render()
    }

    /// A part that would be deleted: `fields.field_3.choices.abcd`.
    fn loss(&self, loss: &Issue) -> ChangeLine {
        let mut parts = loss.attribute.split('.').skip(1);
        let code = parts.next().unwrap_or_default();
        let item = parts.nth(1);
        let body = self.shown.published(code);
        let label = body.map(compare::label).unwrap_or_default();
        let text = match item.zip(body).and_then(|(item, body)| compare::item_label(body, item)) {
            Some(item) => html! { (name(label)) " – " (name(item)) },
            None => html! { (name(label)) },
        };
        ChangeLine { sign: "removed", text, details: self.loss_words(loss) }
    }

    fn loss_words(&self, loss: &Issue) -> String {
        match loss.reason {
            Reason::HoldsData { entries, trashed } => {
                let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX).into();
                let args = [("count", number(entries)), ("trashed", number(trashed))];
                self.frame.texts.fill("publish-loss", &args)
            }
            _ => account_messages::message(self.frame.texts, loss),
        }
    }

    fn conflict(&self, conflict: &Conflict) -> Markup {
        let body = conflict.question.body.as_ref().unwrap_or(&Json::Null);
        let published = conflict.published.unwrap_or(&Json::Null);
        let texts = self.frame.texts;
        let keys = match conflict.published {
            Some(_) => compare::keys(published, body),
            None => vec!["label".to_owned()],
        };
        let told = |value: &Json| value_words(texts, value);
        let pairs = keys.iter().map(|key| (key_words(texts, key), told(&body[key]), told(&published[key])));
        let act = |name: &str| self.frame.address(&format!("build/fields/{}/{name}", conflict.question.code));
        let actions = html! {
            (self.post(&act("keep"), &self.say("publish-keep")))
            (self.post(&act("take"), &self.say("publish-take")))
        };
        Versions {
            title: html! { (name(compare::label(body))) },
            pairs: pairs.collect(),
            mine: &texts.labelled(&texts.say("publish-mine"), ""),
            theirs: &texts.labelled(&texts.say("publish-theirs"), ""),
            actions,
        }
        .render()
    }

    fn post(&self, action: &str, label: &str) -> Markup {
        let content = Button::quiet(label).render();
        PostForm { action, csrf: &self.frame.csrf, content, ..PostForm::default() }.render()
    }

    fn discard(&self) -> Markup {
        let question = self.frame.address("build/discard");
        Section {
            id: "discard",
            title: html! { (self.say("publish-discard")) },
            text: &self.say("publish-discard-text"),
            content: row(html! {
                (Button {
                    label: &self.say("publish-discard-button"),
                    press: Press::Go(&question),
                    weight: Weight::Danger,
                    ..Button::default()
                })
                (Button { label: &self.say("publish-keep-on"), press: Press::Go(&self.frame.address("build")), ..Button::default() })
            }),
        }
        .render()
    }
}

/// A change in words.
pub(in crate::web::pages::console) fn change_line(texts: &Texts, change: &FormChange) -> ChangeLine {
    let told = words::told(texts, change);
    let sign = match change {
        FormChange::Added { .. } => "added",
        FormChange::Removed { .. } => "removed",
        _ => "changed",
    };
    ChangeLine { sign, text: html! { (told.text) }, details: told.details }
}
