//! The other form of a linked question: the choice of it, and its searched and shown questions.

use std::collections::HashSet;

use maud::{Markup, Render};

use crate::base::error::Result;
use crate::base::json::Json;
use crate::model::caller::Caller;
use crate::model::page::PageRequest;
use crate::model::role::Role;
use crate::ops::app::App;
use crate::ops::forms;
use crate::ops::forms::form_lists::{self, ListRequest};
use crate::web::pages::console::build::properties::{Here, Properties, text_of};
use crate::web::pages::ui::build::linked::{OtherForm, OtherQuestion, OtherQuestions};
use crate::web::pages::ui::field::Choice;

const AT_ONCE: usize = 100;
/// So many forms are offered, the newest first.
const MOST: usize = 1_000;

/// The forms that somebody may link to, and the questions of the chosen one.
#[derive(Default)]
pub struct Others {
    /// Tokens and names.
    forms: Vec<(String, String)>,
    /// Codes and labels.
    questions: Vec<(String, String)>,
}

impl Others {
    /// The forms and questions for a question that links to the form `chosen`, or to none yet.
    ///
    /// # Errors
    /// 503.
    pub fn load(app: &App, caller: &Caller, chosen: &str) -> Result<Self> {
        let mut forms = Vec::new();
        let mut after = None;
        let sort = form_lists::sort_by_name(Some("updated_at"))?;
        loop {
            let page = PageRequest { size: AT_ONCE, after };
            let request = ListRequest { name: None, folder: None, sort, is_trashed: false, page };
            let found = form_lists::list(app, caller, request)?;
            let managed = found.rows.into_iter().filter(|item| item.role >= Role::Manager);
            forms.extend(managed.map(|item| (item.form.token.to_string(), item.form.name)));
            after = found.next;
            if after.is_none() || forms.len() >= MOST {
                break;
            }
        }
        // Questions that link to other forms can't be shown.
        let questions = match forms::show(app, caller, chosen) {
            Ok(view) if view.role >= Role::Manager => {
                let fields = view.parsed.definition.fields.iter();
                let fields = fields.filter(|field| field.kind.has_value() && field.kind.link_rules().is_none());
                fields.map(|field| (field.api_code.clone(), field.label.clone())).collect()
            }
            _ => Vec::new(),
        };
        Ok(Self { forms, questions })
    }

    fn label<'c>(&'c self, code: &'c str) -> &'c str {
        self.questions.iter().find(|(known, _)| known == code).map_or(code, |(_, label)| label.as_str())
    }
}

/// The choice of the form.
pub fn form(draw: &Properties, here: &Here, value: &Json) -> Markup {
    let chosen = value.as_str().unwrap_or_default();
    let is_known = draw.others.forms.iter().any(|(token, _)| token == chosen);
    let unknown = draw.texts.say("build-other-unknown");
    let none = std::iter::once(Choice::new("", "–", chosen.is_empty()));
    let lost = (!is_known && !chosen.is_empty()).then(|| Choice::new(chosen, unknown, true));
    let forms = draw.others.forms.iter().map(|(token, name)| Choice::new(token, name, token == chosen));
    OtherForm {
        name: here.name,
        label: here.label,
        notes: here.notes,
        fault: draw.fault(here.name),
        choices: none.chain(lost).chain(forms).collect(),
        show: &draw.texts.say("build-other-show"),
    }
    .render()
}

/// The searched and shown questions of the form, a row for each of its questions.
pub fn questions(draw: &Properties, here: &Here, owner: &Json) -> Markup {
    const FOUND: &str = "search_fields";
    let texts = draw.texts;
    let found: HashSet<&str> = owner[FOUND].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let shown = owner[here.name].as_array().map_or(&[][..], Vec::as_slice);
    let shown_as = |code: &str| shown.iter().find(|shown| shown["api_code"] == code);
    // A question that was removed from the other form is still shown, so that it can be unticked.
    let gone = found.iter().copied().chain(shown.iter().filter_map(|shown| shown["api_code"].as_str()));
    let is_gone = |code: &&str| !draw.others.questions.iter().any(|(known, _)| known == code);
    let mut gone: Vec<&str> = gone.filter(is_gone).collect();
    gone.sort_unstable();
    gone.dedup();
    let known = draw.others.questions.iter().map(|(code, label)| (code.as_str(), label.as_str()));
    let all = known.chain(gone.into_iter().map(|code| (code, code)));
    let row = |(at, (code, label)): (usize, (&str, &str))| {
        let prefix = format!("{}[{at}]", here.name);
        let is_on = |key: &str| shown_as(code).is_some_and(|shown| shown[key] == true);
        let tick = |name: String, value: &str, words: &str, is_on: bool| {
            (name, value.to_owned(), texts.say(&format!("build-other-{words}")), is_on)
        };
        OtherQuestion {
            label: label.to_owned(),
            ticks: vec![
                tick(FOUND.to_owned(), code, "find", found.contains(code)),
                tick(format!("{prefix}.api_code"), code, "show-tick", shown_as(code).is_some()),
                tick(format!("{prefix}.public"), "true", "public", is_on("public")),
                tick(format!("{prefix}.protected"), "true", "masked-tick", is_on("protected")),
            ],
        }
    };
    let rows: Vec<OtherQuestion> = all.enumerate().map(row).collect();
    let (told, warnings) = said(draw, owner, &found, shown);
    let faults =
        draw.faults.iter().filter(|fault| fault.attribute.starts_with(FOUND) || fault.attribute.starts_with(here.name));
    OtherQuestions {
        name: here.name,
        label: here.label,
        faults: faults
            .map(|fault| {
                format!(
                    "{} {}",
                    label_at(draw, owner, &fault.attribute),
                    super::properties::message(texts, owner, fault)
                )
            })
            .collect(),
        told: if rows.is_empty() { vec![texts.say("build-other-none")] } else { told },
        rows,
        warnings,
    }
    .render()
}

/// The label of the question that a fault is about.
fn label_at(draw: &Properties, owner: &Json, path: &str) -> String {
    let item = crate::fields::panel::at_path(owner, path.split(']').next().unwrap_or_default());
    let code =
        item.map(|item| item["api_code"].as_str().map_or_else(|| text_of(item), str::to_owned)).unwrap_or_default();
    draw.others.label(&code).to_owned()
}

/// Notes on who finds and sees which answers, and warnings.
fn said(draw: &Properties, owner: &Json, found: &HashSet<&str>, shown: &[Json]) -> (Vec<String>, Vec<String>) {
    let texts = draw.texts;
    let names = |codes: Vec<&str>| codes.iter().map(|code| draw.others.label(code)).collect::<Vec<_>>().join(", ");
    let code = |shown: &'_ Json| shown["api_code"].as_str().unwrap_or_default().to_owned();
    let is = |shown: &Json, key: &str| shown[key] == true;
    let sees = |is_masked: bool| -> Vec<String> {
        let own = shown.iter().filter(|it| is(it, "public") && is(it, "protected") == is_masked);
        own.map(code).collect()
    };
    let order = owner["search_fields"].as_array().into_iter().flatten().filter_map(Json::as_str);
    let open = sees(false);
    let finds: Vec<&str> = order.filter(|code| open.iter().any(|open| open == code)).collect();
    let team: Vec<String> = shown.iter().filter(|it| !is(it, "public")).map(code).collect();
    let borrowed = |codes: &[String]| names(codes.iter().map(String::as_str).collect());
    let mut told = Vec::new();
    let mut say = |id: &str, names: String| {
        if !names.is_empty() {
            told.push(texts.fill(id, &[("names", names.into())]));
        }
    };
    say("build-other-finds", names(finds));
    say("build-other-sees", borrowed(&open));
    say("build-other-sees-masked", borrowed(&sees(true)));
    say("build-other-team", borrowed(&team));
    if sees(false).is_empty() && sees(true).is_empty() {
        told.insert(0, texts.say("build-other-sees-nothing"));
    }
    let masked: Vec<String> = sees(true).into_iter().filter(|code| found.contains(code.as_str())).collect();
    let warnings =
        (!masked.is_empty()).then(|| texts.fill("build-other-masked", &[("names", borrowed(&masked).into())]));
    (told, warnings.into_iter().collect())
}
