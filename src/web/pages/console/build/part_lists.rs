//! The lists of a question's panel: choices and other parts with a line each, and questions within the question.

use std::collections::HashSet;

use maud::{Markup, Render};

use crate::base::error::Result;
use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::fields::kinds::by_name;
use crate::fields::panel::{self, choice_text};
use crate::web::pages::console::build::properties::{Here, Properties, text_of};
use crate::web::pages::ui::build::parts::{Part, Parts, Rest, folded};

/// Keys of parts that stand at once below their lines.
const MET: [&str; 2] = ["price", "quota_setting"];

/// Most parts that are drawn of a long list.
const MOST_DRAWN: usize = 100;

/// Ready lists of choices, by the ends of their texts' ids.
pub const READY: [&str; 5] = ["yes", "agree", "satisfied", "days", "months"];
/// Stands between a key and a ready list in the value of a button.
const READY_ACT: &str = ".ready.";

/// The choices of a button for a ready list, one a line, and the key that they are for; `None` for other buttons. They
/// follow the typed choices, and replace those that a new question has.
pub fn ready(texts: &Texts, action: &str, body: &Json) -> Option<(String, String)> {
    let (key, list) = action.split_once(READY_ACT)?;
    let list = READY.iter().find(|known| **known == list)?;
    let choices = panel::at_path(body, key).and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    let lines = texts.say(&format!("build-ready-{list}-lines"));
    let is_new = |(at, choice): (usize, &Json)| {
        choice["label"] == texts.fill("build-choice", &[("number", (at + 1).into())]).as_str()
    };
    let text = if choices.iter().enumerate().all(is_new) {
        lines
    } else {
        format!("{}\n{lines}", choice_text::write(panel::at_path(body, key)?))
    };
    Some((key.to_owned(), text))
}

/// The number of parts of a list that are drawn. Behind them is nothing to do: each part has a code by which it is kept, a
/// line and no fault. Lists within parts are drawn whole, since a part without a code does not keep them.
fn drawn(draw: &Properties, list: &str, line: &str, items: &[Json]) -> usize {
    if draw.all.is_empty() || list.contains(['.', '[']) {
        return items.len();
    }
    let place = |path: &str| path.strip_prefix(list)?.strip_prefix('[')?.split(']').next()?.parse::<usize>().ok();
    let faulty: HashSet<usize> = draw.faults.iter().filter_map(|fault| place(&fault.attribute)).collect();
    let mut codes = HashSet::new();
    let mut is_kept = |item: &Json| {
        let code = item["api_code"].as_str().filter(|code| !code.is_empty() && !code.contains(' '));
        code.is_some_and(|code| codes.insert(code.to_owned()))
    };
    let open = items.iter().enumerate().filter(|(at, item)| {
        let is_kept = is_kept(item);
        !is_kept || faulty.contains(at) || text_of(&item[line]).trim().is_empty()
    });
    let last = open.last().map_or(0, |(at, _)| at + 1);
    last.max(MOST_DRAWN).min(items.len())
}

/// Choices and other parts with a line each.
///
/// # Errors
/// 503.
pub fn rows(draw: &Properties, here: &Here, inner: &[panel::Control], value: &Json) -> Result<Markup> {
    let line = inner.iter().map(|control| control.key.as_str()).find(|key| panel::is_line(key)).unwrap_or("label");
    // Choices are labels above all; other parts with properties need them.
    let has_text = inner.iter().any(|inner| inner.key == "quota");
    let items = value.as_array().map_or(&[][..], Vec::as_slice);
    let part = |at: usize, item: &Json| -> Result<Part> {
        let prefix = format!("{}[{at}]", here.name);
        let is_met = |inner: &&panel::Control| MET.contains(&inner.key.as_str());
        let own = inner.iter().filter(|inner| !panel::is_line(&inner.key));
        let drawn = |inner: &panel::Control| draw.property(here.row, inner, &format!("{prefix}."), item);
        Ok(Part {
            code: text_of(&item["api_code"]),
            label: text_of(&item[line]),
            fault: draw.fault(&format!("{prefix}.{line}")) + &draw.fault(&prefix),
            first: own.clone().filter(is_met).map(drawn).collect::<Result<_>>()?,
            more: own.filter(|inner| !is_met(inner)).map(drawn).collect::<Result<_>>()?,
            is_open: draw.faults.iter().any(|fault| fault.attribute.starts_with(&prefix)),
            ..Part::default()
        })
    };
    let (items, rest) = items.split_at(drawn(draw, here.name, line, items));
    let rest = (!rest.is_empty()).then(|| Rest {
        codes: rest.iter().map(|item| text_of(&item["api_code"])).collect::<Vec<_>>().join(" "),
        note: draw.texts.fill("build-part-rest", &[("count", rest.len().into())]),
        all: (format!("{}#{}[{}].{line}", draw.all, here.name, items.len()), draw.texts.say("build-part-all")),
    });
    let parts = Parts {
        name: here.name,
        line,
        label: here.label,
        fault: draw.fault(here.name),
        rows: items.iter().enumerate().map(|(at, item)| part(at, item)).collect::<Result<_>>()?,
        rest,
        template: Some(part(items.len(), &panel::fresh(inner))?),
        words: &draw.words,
        is_sorted: !inner.iter().any(|inner| MET.contains(&inner.key.as_str())),
        kinds: Vec::new(),
        text: has_text.then(|| choice_text::write(value)),
        ready: READY
            .iter()
            .filter(|_| has_text)
            .map(|list| (format!("{}{READY_ACT}{list}", here.name), draw.texts.say(&format!("build-ready-{list}"))))
            .collect(),
    };
    Ok(parts.render())
}

/// Questions within the question: each has the panel of its kind.
///
/// # Errors
/// 503.
pub fn columns(draw: &Properties, here: &Here, kinds: &[String], value: &Json) -> Result<Markup> {
    let items = value.as_array().map_or(&[][..], Vec::as_slice);
    let kind_words = |kind: &str| draw.texts.say(&format!("kind-{kind}"));
    let part = |(at, item): (usize, &Json)| -> Result<Part> {
        let prefix = format!("{}[{at}]", here.name);
        let kind = item["type"].as_str().unwrap_or_default();
        let row = by_name(kind);
        let own: Vec<panel::Control> = row.map(panel::column_controls).unwrap_or_default();
        let own: Vec<panel::Control> = own.into_iter().filter(|control| !panel::is_line(&control.key)).collect();
        let split = row.map(|row| draw.split(row, &own, &format!("{prefix}."), item)).transpose()?;
        let (mut first, more) = split.unwrap_or_default();
        if !more.is_empty() {
            first.push(folded(&draw.words.more, &more));
        }
        let is_wrong = draw.faults.iter().any(|fault| fault.attribute.starts_with(&format!("{prefix}.")));
        Ok(Part {
            code: text_of(&item["api_code"]),
            kind: (kind.to_owned(), kind_words(kind)),
            label: text_of(&item["label"]),
            fault: draw.fault(&format!("{prefix}.label")) + &draw.fault(&prefix),
            first: Vec::new(),
            more: first,
            is_open: is_wrong || item["label"] == "",
        })
    };
    let parts = Parts {
        name: here.name,
        line: "label",
        label: here.label,
        fault: draw.fault(here.name),
        rows: items.iter().enumerate().map(part).collect::<Result<_>>()?,
        rest: None,
        template: None,
        words: &draw.words,
        is_sorted: false,
        kinds: kinds.iter().map(|kind| (format!("{}.add-{kind}", here.name), kind_words(kind))).collect(),
        text: None,
        ready: Vec::new(),
    };
    Ok(parts.render())
}
