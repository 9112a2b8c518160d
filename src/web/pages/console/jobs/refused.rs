//! The refusals of a job: entries with the reasons, or faults of a file by its columns; on the page and as a file.

use std::collections::BTreeMap;

use maud::{Markup, Render, html};
use serde::Deserialize;
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::json::Json;
use crate::base::text::phrase::Phrase;
use crate::base::text::texts::Texts;
use crate::http::net;
use crate::model::caller::Caller;
use crate::model::entry::jobs::{EntryJob, JobKind, RefusedEntry};
use crate::ops::entries::jobs::{self, JobView};
use crate::ops::transfer::import_files;
use crate::ops::transfer::imports::row_faults;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::jobs::ImportedFile;
use crate::web::pages::console::widgets;
use crate::web::pages::form::faults::name_of;
use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::list::{Row, list, plain_list};
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::section::{Disclosure, Section};
use crate::web::pages::ui::table::{Column, Narrow, Table};
use crate::web::pages::ui::words::{name, row};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};

/// Columns whose faults are unfolded: with more columns, people open those that they look for.
const MOST_OPEN: usize = 3;

/// A stored reason. A fault of a file has its row, column and cell besides.
#[derive(Deserialize)]
struct Detail {
    attribute: String,
    message: String,
    row: Option<usize>,
    column: Option<String>,
    value: Option<String>,
    /// The phrase that pages say in their language; older reasons have their English words alone.
    #[serde(default)]
    words: Json,
    fault: Option<String>,
}

impl Detail {
    /// The reason, to be shown beside row and column, or after the question.
    fn fault(&self, texts: &Texts) -> String {
        let words = || Phrase::from(self.fault.as_ref().unwrap_or(&self.message).clone());
        texts.phrase(&Phrase::of_json(&self.words).unwrap_or_else(words))
    }

    fn row_text(&self) -> String {
        self.row.map(|row| row.to_string()).unwrap_or_default()
    }
}

fn details(refused: &RefusedEntry) -> Result<Vec<Detail>> {
    serde_json::from_str(&refused.details).map_err(Error::internal)
}

fn all_details(view: &JobView) -> Result<Vec<Detail>> {
    let all = view.refused.iter().map(details).collect::<Result<Vec<_>>>()?;
    Ok(all.into_iter().flatten().collect())
}

/// `GET /forms/{form_token}/jobs/{job_id}/refused`: as CSV. After an import it is the file itself, with its faults in a
/// column, to correct and to send again.
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    let view = jobs::show(call.app, caller, call.param("form_token"), call.param("job_id"))?;
    let (base, content) = match view.job.kind {
        JobKind::Import => {
            let file = ImportedFile::of(&view.job);
            let base = file.name.rsplit_once('.').map_or(file.name.as_str(), |(base, _)| base).to_owned();
            (base, of_file(&frame, &view, &file)?)
        }
        JobKind::Trash | JobKind::Update | JobKind::Restore => {
            (frame.view.form.name.clone(), of_entries(&frame, &view)?)
        }
    };
    let mut answer = Answer::empty(StatusCode::OK);
    answer.body = content.into();
    answer.content_type = Some("text/csv; charset=utf-8");
    let name = format!("{base} – {}.csv", frame.say("job-refused-file-name"));
    Ok(answer.header(warp::http::header::CONTENT_DISPOSITION, &net::attachment(&name)).into())
}

fn of_file(frame: &FormFrame, view: &JobView, file: &ImportedFile) -> Result<Vec<u8>> {
    let (heading, colon) = (frame.say("job-fault-wrong"), frame.say("label-colon"));
    let faults = all_details(view)?;
    if has_file(frame, &view.job, file)? {
        let mut by_row: BTreeMap<usize, String> = BTreeMap::new();
        for fault in &faults {
            let Some(row) = fault.row else { continue };
            let text = match &fault.column {
                Some(column) => format!("{column}{colon}{}", fault.fault(frame.texts)),
                None => fault.fault(frame.texts),
            };
            let all = by_row.entry(row).or_default();
            if !all.is_empty() {
                all.push_str("; ");
            }
            all.push_str(&text);
        }
        let token = frame.view.form.token.as_str();
        return import_files::marked(frame.call.app, frame.caller, token, &file.token, &heading, &by_row);
    }
    let heads = ["job-fault-row", "import-column", "job-fault-value"].map(|words| frame.say(words));
    let rows: Vec<[String; 4]> = faults
        .into_iter()
        .map(|fault| {
            let (row, wrong) = (fault.row_text(), fault.fault(frame.texts));
            [row, fault.column.unwrap_or_default(), fault.value.unwrap_or_default(), wrong]
        })
        .collect();
    let [row, column, value] = heads;
    let head = [row, column, value, heading];
    Ok(row_faults::table(std::iter::once(&head).chain(&rows).map(|row| row.iter().map(String::as_str))))
}

fn of_entries(frame: &FormFrame, view: &JobView) -> Result<Vec<u8>> {
    let mut rows = vec![["job-refused-entry", "job-refused-question", "job-fault-wrong"].map(|words| frame.say(words))];
    for refused in &view.refused {
        for detail in details(refused)? {
            let question = question(frame, &detail).unwrap_or_default();
            rows.push([refused.serial.to_string(), question, detail.fault(frame.texts)]);
        }
    }
    Ok(row_faults::table(rows.iter().map(|row| row.iter().map(String::as_str))))
}

/// Whether the caller's file of an import waits still.
fn has_file(frame: &FormFrame, job: &EntryJob, file: &ImportedFile) -> Result<bool> {
    if job.user != frame.caller.user.id {
        return Ok(false);
    }
    match import_files::waits(frame.call.app, frame.caller, frame.view.form.token.as_str(), &file.token) {
        Err(Error::Forbidden | Error::NotFound(Noun::Form)) => Ok(false),
        other => other,
    }
}

/// The entries that were refused, each with the reasons, or the faults of a file.
pub fn section(frame: &FormFrame, view: &JobView) -> Result<Markup> {
    let job = &view.job;
    if view.refused.is_empty() {
        return Ok(Markup::default());
    }
    if job.kind == JobKind::Import {
        return faults(frame, view);
    }
    let rows = view.refused.iter().map(|refused| refused_row(frame, job, refused)).collect::<Result<Vec<Row>>>()?;
    let content = html! {
        (first(frame, job, rows.len()))
        (row(download(frame, job, "job-refused-list")))
        (list(rows))
    };
    let title = html! { (frame.texts.fill("job-refused", &[("count", job.refused.into())])) };
    Ok(Section { id: "refused", title, content, ..Section::default() }.render())
}

/// Says that more were refused than are listed.
fn first(frame: &FormFrame, job: &EntryJob, listed: usize) -> Markup {
    let is_cut = job.refused > i64::try_from(listed).unwrap_or(i64::MAX);
    let first = frame.texts.fill("job-refused-first", &[("count", listed.into())]);
    html! { @if is_cut { (message(Tone::Note, &first, "")) } }
}

fn download(frame: &FormFrame, job: &EntryJob, words: &str) -> Markup {
    let (label, address) = (frame.say(words), frame.address(&format!("jobs/{}/refused", job.token)));
    Button { label: &label, press: Press::Go(&address), ..Button::default() }.render()
}

/// The faults of a file, by their columns.
fn faults(frame: &FormFrame, view: &JobView) -> Result<Markup> {
    let job = &view.job;
    let mut groups: Vec<(Option<String>, Vec<Detail>)> = Vec::new();
    for fault in all_details(view)? {
        match groups.iter_mut().find(|(column, _)| *column == fault.column) {
            Some((_, faults)) => faults.push(fault),
            None => groups.push((fault.column.clone(), vec![fault])),
        }
    }
    let is_open = groups.len() <= MOST_OPEN;
    let has_file = has_file(frame, job, &ImportedFile::of(job))?;
    let text = if has_file { frame.say("job-fault-file-text") } else { String::new() };
    let content = html! {
        (row(download(frame, job, if has_file { "job-fault-file" } else { "job-refused-list" })))
        @for (column, faults) in &groups { (group(frame, column.as_deref(), faults, is_open)) }
    };
    let title = html! { (frame.say("job-fault-wrong")) };
    Ok(Section { id: "refused", title, text: &text, content }.render())
}

/// The faults of a column.
fn group(frame: &FormFrame, column: Option<&str>, faults: &[Detail], is_open: bool) -> Markup {
    let named = column.map_or_else(|| frame.say("job-fault-no-column"), str::to_owned);
    let told = [("name", widgets::isolated(&named).into()), ("count", faults.len().into())];
    let summary = frame.texts.fill("job-fault-group", &told);
    let head = |heading| Column { heading, ..Column::default() };
    let [line, value, wrong] = ["job-fault-row", "job-fault-value", "job-fault-wrong"].map(|words| frame.say(words));
    let rows = faults.iter().map(|fault| {
        let cell = match fault.value.as_deref() {
            Some(cell) if !cell.trim().is_empty() => name(cell),
            Some(_) => html! { (frame.say("job-fault-blank")) },
            None => Markup::default(),
        };
        let row = fault.row.map(|row| frame.texts.fill("job-fault-row-number", &[("row", row.into())]));
        vec![html! { (row.unwrap_or_default()) }, cell, html! { (fault.fault(frame.texts)) }]
    });
    let table = Table {
        caption: &summary,
        columns: vec![head(&line), head(&value), head(&wrong)],
        rows: rows.collect(),
        narrow: Narrow::Stack,
    };
    Disclosure { summary: &summary, is_open, content: table.render() }.render()
}

/// The question that a reason is about.
fn question(frame: &FormFrame, detail: &Detail) -> Option<String> {
    let code = detail.attribute.strip_prefix("field_values.").unwrap_or(&detail.attribute);
    let code = code.split(['.', '[']).next().unwrap_or_default();
    let field = frame.view.parsed.definition.fields.get(code);
    field.map(|field| name_of(frame.texts, field))
}

fn refused_row(frame: &FormFrame, job: &EntryJob, refused: &RefusedEntry) -> Result<Row> {
    let reasons = details(refused)?;
    let reasons = reasons.iter().map(|detail| {
        html! {
            @if let Some(name) = question(frame, detail) { bdi lang=[frame.owners_lang()] { (name) } " – " }
            (detail.fault(frame.texts))
        }
    });
    let page = match job.kind {
        // There it lies still.
        JobKind::Restore => "trash".to_owned(),
        JobKind::Trash | JobKind::Update | JobKind::Import => format!("entries/{}", refused.serial),
    };
    let name = frame.texts.fill("entries-entry", &[("serial", refused.serial.into())]);
    Ok(Row {
        title: html! { a href=(frame.address(&page)) { (name) } },
        details: plain_list(reasons),
        ..Row::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::texts::texts;

    fn said(detail: &str, locale: &str) -> String {
        serde_json::from_str::<Detail>(detail).expect("a reason").fault(texts(locale))
    }

    #[test]
    fn reasons_are_said_in_the_language_of_the_reader_and_old_ones_as_they_were_stored() {
        let words = r#"{"attribute": "", "message": "line 2: has only 3 left", "words": ["has only {} left", "3"]}"#;
        assert_eq!(said(words, "en"), "has only 3 left");
        assert_eq!(said(words, "zh-CN"), "仅剩 3 个名额");
        let old = r#"{"attribute": "", "message": "line 2: is odd", "fault": "is {odd}"}"#;
        assert_eq!(said(old, "zh-CN"), "is {odd}");
        assert_eq!(said(r#"{"attribute": "", "message": "is full"}"#, "zh-CN"), "名额已满");
    }
}
