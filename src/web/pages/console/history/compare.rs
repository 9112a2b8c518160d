//! A version beside the current form: question by question, each text with the words that the other has not.

use maud::{Markup, Render, html};

use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::base::text::word_diff;
use crate::model::form_version::FormContent;
use crate::ops::forms::versions::VersionView;
use crate::ops::forms::versions::compare::{self, RuleDifference, code, keys, label, list};
use crate::ops::forms::versions::words::key_words;
use crate::web::pages::console::build::value_words;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::rules::sentence::{Questions, RuleWords};
use crate::web::pages::ui::build::history::{Mark, marked};
use crate::web::pages::ui::table::{Column, Narrow, Table};
use crate::web::pages::ui::words::{muted, name};

/// A difference: its subject, the version's text and the current text.
struct Row {
    about: Markup,
    then: String,
    now: String,
}

/// The table of differences; a sentence without any.
pub fn table(frame: &FormFrame, shown: &VersionView) -> Markup {
    let texts = frame.texts;
    let rows = rows(texts, shown);
    if rows.is_empty() {
        return muted(texts.say("history-same"));
    }
    let number = texts.fill("history-number", &[("number", shown.version.number.into())]);
    let headings = [texts.say("history-about"), number, texts.say("history-now")];
    let cells = rows.iter().map(|row| {
        let [then, now] = word_diff::pieces(&row.then, &row.now);
        let absent = html! { (value_words(texts, &Json::Null)) };
        let cell = |pieces: &[_], mark| if pieces.is_empty() { absent.clone() } else { marked(pieces, mark) };
        vec![row.about.clone(), cell(&then, Mark::Deleted), cell(&now, Mark::Inserted)]
    });
    Table {
        caption: &texts.say("history-compare-title"),
        columns: headings.iter().map(|heading| Column { heading, ..Column::default() }).collect(),
        rows: cells.collect(),
        narrow: Narrow::Stack,
    }
    .render()
}

fn rows(texts: &Texts, shown: &VersionView) -> Vec<Row> {
    let (then, now) = (&shown.content, &shown.now);
    let mut rows = Vec::new();
    let mut head = |id: &str, then: &str, now: &str| {
        if then != now {
            rows.push(Row { about: html! { (texts.say(id)) }, then: then.to_owned(), now: now.to_owned() });
        }
    };
    head("history-name", &then.name, &now.name);
    let description = |content: &FormContent| content.description.clone().unwrap_or_default();
    head("history-description", &description(then), &description(now));
    let (old, new) = (list(&then.fields), list(&now.fields));
    for field in old {
        match new.iter().find(|other| code(other) == code(field)) {
            Some(other) => rows.extend(differences(texts, field, other)),
            None => rows.push(Row { about: about(texts, field), then: whole(texts, field), now: String::new() }),
        }
    }
    let added = new.iter().filter(|field| old.iter().all(|other| code(other) != code(field)));
    rows.extend(added.map(|field| Row { about: about(texts, field), then: String::new(), now: whole(texts, field) }));
    rows.extend(rule_rows(texts, shown));
    for key in keys(&then.theme, &now.theme) {
        rows.push(Row {
            about: html! { (texts.say("history-theme")) " – " (key_words(texts, &key)) },
            then: plain(texts, &then.theme[&key]),
            now: plain(texts, &now.theme[&key]),
        });
    }
    rows
}

/// The rules that differ, as sentences. Where only their order does, all of them in both orders.
fn rule_rows(texts: &Texts, shown: &VersionView) -> Vec<Row> {
    let (then, now) = (&shown.content.field_rules, &shown.now.field_rules);
    if then == now {
        return Vec::new();
    }
    let words =
        RuleWords { texts, questions: Questions::List(&shown.content.fields), fields: &shown.definition.fields };
    let words_now = RuleWords {
        texts,
        questions: Questions::List(&shown.now.fields),
        fields: &shown.view.parsed.definition.fields,
    };
    let differences = compare::rules(then, now);
    if differences.is_empty() {
        let all = |words: &RuleWords, rules: &Json| {
            list(rules).iter().map(|rule| words.sentence(rule)).collect::<Vec<_>>().join(" · ")
        };
        let about = html! { (texts.say("history-rules")) };
        return vec![Row { about, then: all(&words, then), now: all(&words_now, now) }];
    }
    let told = |words: &RuleWords, rule: Option<(usize, &Json)>| {
        rule.map(|(_, rule)| words.sentence(rule)).unwrap_or_default()
    };
    let row = |difference: &RuleDifference| {
        let place = difference.now.or(difference.then).map_or(0, |(at, _)| at + 1);
        let rule = texts.fill("publish-rule", &[("number", place.into())]);
        Row { about: html! { (rule) }, then: told(&words, difference.then), now: told(&words_now, difference.now) }
    };
    differences.iter().map(row).collect()
}

/// The keys in which two definitions of a question differ.
fn differences(texts: &Texts, then: &Json, now: &Json) -> Vec<Row> {
    let row = |key: String| {
        let (was, is) = (&then[&key], &now[&key]);
        let words = (value_words(texts, was), value_words(texts, is));
        // Choices of the same names can differ in more than those.
        let (old, new) = if words.0 == words.1 { (plain(texts, was), plain(texts, is)) } else { words };
        Row { about: html! { (about(texts, now)) " – " (key_words(texts, &key)) }, then: old, now: new }
    };
    keys(then, now).into_iter().map(row).collect()
}

/// A question by its label.
fn about(texts: &Texts, field: &Json) -> Markup {
    match label(field).trim() {
        "" => html! { (texts.say("build-untitled")) },
        label => name(label),
    }
}

/// A question that only one of the two has.
fn whole(texts: &Texts, field: &Json) -> String {
    let kind = field["type"].as_str().map(|kind| texts.say(&format!("kind-{kind}"))).unwrap_or_default();
    match &field["choices"] {
        Json::Null => kind,
        choices => texts.labelled(&kind, &value_words(texts, choices)),
    }
}

/// A value with all its members.
fn plain(texts: &Texts, value: &Json) -> String {
    match value {
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| plain(texts, item)).collect();
            items.join(" · ")
        }
        Json::Object(members) => {
            let members =
                members.iter().map(|(key, value)| texts.labelled(&key_words(texts, key), &plain(texts, value)));
            members.collect::<Vec<_>>().join(", ")
        }
        other => value_words(texts, other),
    }
}
