//! `/forms/{form_token}/jobs/{job_id}`: long work on entries, during and after it.

pub mod refused;

use maud::{Markup, Render, html};
use serde_json::json;
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::json::Json;
use crate::model::caller::Caller;
use crate::model::entry::jobs::{EntryJob, JobKind, JobState};
use crate::ops::entries::jobs::{self, JobView};
use crate::ops::transfer::import_jobs;
use crate::web::pages::console;
use crate::web::pages::console::entries::address::ListAddress;
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::widgets;
use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::entries::progress::WorkProgress;
use crate::web::pages::ui::form::{PostForm, hidden};
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::list::{Row, list};
use crate::web::pages::ui::notice::{Notice, Tone};
use crate::web::pages::ui::section::Section;
use crate::web::pages::ui::words::row;
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// Seconds until the page loads itself again without a script.
const REFRESH: u32 = 2;

/// `GET /forms/{form_token}/jobs/{job_id}`: the page, or its state for the script.
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    let view = jobs::show(call.app, caller, call.param("form_token"), call.param("job_id"))?;
    if call.header("accept").is_some_and(|accept| accept.starts_with("application/json")) {
        let job = &view.job;
        let words = progress_words(&frame, job);
        let body = json!({"data": {"done": job.done, "is_over": job.state.is_over(), "words": words}});
        return Ok(Answer::json_text(StatusCode::OK, body.to_string()).into());
    }
    Ok(page(&frame, &view)?.into())
}

/// `POST /forms/{form_token}/jobs/{job_id}/stop`
pub fn stop(call: &Call, caller: &Caller) -> Result<Reply> {
    let (form, job) = (call.param("form_token"), call.param("job_id"));
    jobs::stop(call.app, caller, form, job)?.wait()?;
    Ok(session::to_page(&call.app.config, &of_list(call, &address(form, job))).into())
}

/// `POST /forms/{form_token}/jobs/{job_id}/undo`: leads to the job that undoes it.
pub fn undo(call: &Call, caller: &Caller) -> Result<Reply> {
    let (form, job) = (call.param("form_token"), call.param("job_id"));
    match jobs::undo(call.app, caller, form, job)?.wait() {
        Ok(view) => {
            let undoing = of_list(call, &address(form, &view.job.token));
            Ok(session::to_page(&call.app.config, &undoing).into())
        }
        // The entries have changed since the page was shown: the page shows so.
        Err(Error::Conflict(..)) => Ok(session::to_page(&call.app.config, &of_list(call, &address(form, job))).into()),
        Err(other) => Err(other),
    }
}

/// The path of a job's page.
pub fn address(form: &str, job: &str) -> String {
    format!("/forms/{form}/jobs/{job}")
}

/// A page about a job that keeps the list from which it was begun.
fn of_list(call: &Call, page: &str) -> String {
    ListAddress::of(call, None).leads(page, &[], &[])
}

/// The jobs of a form that go on, each with the way to its page, above the list of its entries.
///
/// # Errors
/// 404.
pub fn open_jobs(frame: &FormFrame) -> Result<Markup> {
    let open = jobs::open_of(frame.call.app, frame.caller, frame.view.form.token.as_str())?;
    let notices = open.iter().map(|job| {
        let go = Button {
            label: &frame.say("job-see"),
            press: Press::Go(&of_list(frame.call, &frame.address(&format!("jobs/{}", job.token)))),
            is_small: true,
            ..Button::default()
        };
        Notice {
            tone: Tone::Note,
            title: &heading(frame, job),
            text: &progress_words(frame, job),
            content: go.render(),
        }
        .render()
    });
    Ok(html! { @for notice in notices { (notice) } })
}

/// The latest imports of a form, each with the way to its page: whoever left one finds its result, and its undoing.
///
/// # Errors
/// 404.
pub fn recent_imports(frame: &FormFrame) -> Result<Markup> {
    let recent = jobs::recent_imports(frame.call.app, frame.caller, frame.view.form.token.as_str())?;
    let rows = recent.iter().map(|(job, by)| {
        let words = if job.state.is_over() { outcome(frame, job) } else { progress_words(frame, job) };
        Row {
            title: html! { a href=(address(frame.view.form.token.as_str(), &job.token)) { (heading(frame, job)) } },
            facts: vec![html! { (words) }, html! { (begun(frame, job, by)) }],
            ..Row::default()
        }
    });
    if recent.is_empty() {
        return Ok(Markup::default());
    }
    let title = html! { (frame.say("import-recent")) };
    Ok(Section { id: "recent", title, content: list(rows), ..Section::default() }.render())
}

/// Who began a job, and when.
fn begun(frame: &FormFrame, job: &EntryJob, by: &str) -> String {
    let time = console::moment_text(&frame.caller.user, job.created_at);
    let args = [("name", widgets::isolated(by).into()), ("time", time.into())];
    frame.texts.fill("job-begun", &args)
}

/// The title of a job: what it does, or what it did.
fn heading(frame: &FormFrame, job: &EntryJob) -> String {
    let is_over = job.state.is_over();
    let words = match job.kind {
        JobKind::Trash => ["job-trash", "job-trash-over"],
        JobKind::Update => ["job-update", "job-update-over"],
        JobKind::Restore => ["job-restore", "job-restore-over"],
        JobKind::Import => {
            let file = ImportedFile::of(job);
            let has_faults = job.problem.as_deref() == Some(import_jobs::FAULTS);
            let words = match (file.is_check, job.state == JobState::Done) {
                _ if !is_over => ["job-import", "job-check"][usize::from(file.is_check)],
                (true, is_done) if is_done || has_faults => "job-checked",
                (true, _) => "job-check-ended",
                (false, true) => "job-imported",
                (false, false) => "job-import-ended",
            };
            return frame.texts.fill(words, &[("name", widgets::isolated(&file.name).into())]);
        }
    };
    let count = if is_over { job.changed } else { job.total };
    frame.texts.fill(words[usize::from(is_over)], &[("count", count.into())])
}

/// The file of an import.
struct ImportedFile {
    token: String,
    name: String,
    /// Whether the file is only checked.
    is_check: bool,
}

impl ImportedFile {
    fn of(job: &EntryJob) -> Self {
        let payload: Json = serde_json::from_str(&job.payload).unwrap_or_default();
        let text = |key: &str| payload[key].as_str().unwrap_or_default().to_owned();
        Self { token: text("file"), name: text("name"), is_check: payload["is_check"] == json!(true) }
    }
}

fn progress_words(frame: &FormFrame, job: &EntryJob) -> String {
    if job.state == JobState::Waiting {
        return frame.say("job-waiting");
    }
    let words = if job.kind == JobKind::Import { "job-progress-rows" } else { "job-progress" };
    frame.texts.fill(words, &[("done", job.done.into()), ("total", job.total.into())])
}

fn page(frame: &FormFrame, view: &JobView) -> Result<Answer> {
    let (call, user, job) = (frame.call, &frame.caller.user, &view.job);
    let heading = heading(frame, job);
    let title = frame.title(&heading);
    let is_over = job.state.is_over();
    let is_all = ListAddress::of(call, None).is_all();
    let content = html! {
        (frame.head(FormPage::Entries, false))
        (PageHead {
            back: Some(Back {
                address: &of_list(call, &frame.address("entries")),
                label: &frame.say(if is_all { "entries-back" } else { "entries-back-filtered" }),
            }),
            title: html! { (heading) },
            lead: html! { (begun(frame, job, &view.begun_by)) },
            ..PageHead::default()
        })
        @if is_over { (result(frame, view)) } @else { (progress(frame, view, &heading)) }
        (refused::section(frame, view)?)
    };
    let mut page = console::page(call, user, &frame.csrf, frame.texts, &title);
    if !is_over {
        page = page.script("jobs.js").refreshing(REFRESH);
    }
    Ok(page.answer(StatusCode::OK, &content))
}

fn progress(frame: &FormFrame, view: &JobView, heading: &str) -> Markup {
    let job = &view.job;
    let own = frame.address(&format!("jobs/{}", job.token));
    let stop = of_list(frame.call, &format!("{own}/stop"));
    let words = progress_words(frame, job);
    let stop = PostForm {
        action: &stop,
        csrf: &frame.csrf,
        content: Button::quiet(&frame.say("job-stop")).render(),
        ..PostForm::default()
    };
    Section {
        content: html! {
            (WorkProgress { label: heading, done: job.done, total: job.total, words: &words, state: Some(&own) })
            @if view.may_act { (stop) }
        },
        text: &frame.say("job-leave"),
        ..Section::default()
    }
    .render()
}

/// The result of a job in a sentence.
fn outcome(frame: &FormFrame, job: &EntryJob) -> String {
    let (words, count) = match job.kind {
        JobKind::Trash => ("job-trash-done", job.changed),
        JobKind::Update => ("job-update-done", job.changed),
        JobKind::Restore => ("job-restore-done", job.changed),
        JobKind::Import if job.state == JobState::Done && ImportedFile::of(job).is_check => {
            ("job-check-done", job.total)
        }
        JobKind::Import if job.problem.as_deref() == Some(import_jobs::FAULTS) => ("job-fault-count", job.refused),
        JobKind::Import => ("job-import-done", job.changed),
    };
    frame.texts.fill(words, &[("count", count.into())])
}

/// The result of a job, and of its undoing.
fn result(frame: &FormFrame, view: &JobView) -> Markup {
    let job = &view.job;
    let file = ImportedFile::of(job);
    let title = outcome(frame, job);
    let counts = [("done", job.done.into()), ("total", job.total.into())];
    let stopped = if job.kind == JobKind::Import { "job-stopped-rows" } else { "job-stopped" };
    let (tone, text) = match (job.state, job.problem.as_deref()) {
        (JobState::Stopped, _) => (Tone::Warn, frame.texts.fill(stopped, &counts)),
        (JobState::Failed, Some(jobs::LOST_ACCESS)) => (Tone::Bad, frame.say("job-lost-access")),
        (JobState::Failed, Some(import_jobs::FAULTS)) => (Tone::Bad, frame.say("job-faults")),
        (JobState::Failed, Some(import_jobs::FILE_GONE)) => (Tone::Bad, frame.say("import-gone")),
        (JobState::Failed, _) => (Tone::Bad, frame.say("job-failed")),
        _ if job.refused > 0 => (Tone::Warn, String::new()),
        _ => (Tone::Good, String::new()),
    };
    let undo = PostForm {
        action: &of_list(frame.call, &frame.address(&format!("jobs/{}/undo", job.token))),
        csrf: &frame.csrf,
        content: Button::quiet(&frame.say("entries-undo")).render(),
        ..PostForm::default()
    };
    let undone = job.undone_by.as_ref().map(|by| of_list(frame.call, &frame.address(&format!("jobs/{by}"))));
    let content = html! {
        @if job.kind == JobKind::Import && job.user == frame.caller.user.id && job.changed == 0 { (import_acts(frame, job, &file)) }
        @let may_undo = view.may_act && view.is_undoable();
        @if may_undo || view.imported.is_some() {
            (row(html! {
                @if let Some(imported) = view.imported { (see_imported(frame, imported)) }
                @if may_undo { (undo) }
            }))
        }
        @if let Some(address) = &undone {
            (Button { label: &frame.say("job-see-undo"), press: Press::Go(address), ..Button::default() })
        }
    };
    Notice { tone, title: &title, text: &text, content }.render()
}

/// The way to the entries of an import, by the first and the last of their numbers.
fn see_imported(frame: &FormFrame, (first, last): (i64, i64)) -> Markup {
    let filters = json!([{"field": "serial_number", "operator": "between", "value": [first, last]}]).to_string();
    let list = frame.address("entries");
    let address = ListAddress::of_query("").leads(&list, &[("filters", &filters)], &[]);
    let args =
        [("count", (last - first + 1).into()), ("first", first.to_string().into()), ("last", last.to_string().into())];
    Button { label: &frame.texts.fill("job-import-see", &args), press: Press::Go(&address), ..Button::default() }
        .render()
}

/// The actions on a file that was checked.
fn import_acts(frame: &FormFrame, job: &EntryJob, file: &ImportedFile) -> Markup {
    let columns = frame.address(&format!("entries/import/{}", file.token));
    let import = PostForm {
        action: &columns,
        csrf: &frame.csrf,
        content: html! {
            (hidden("act", "import"))
            (hidden("job", &job.token))
            (Button::main(&frame.texts.fill("import-run", &[("count", job.total.into())])))
        },
        ..PostForm::default()
    };
    row(html! {
        @if file.is_check && job.state == JobState::Done { (import) }
        @if job.problem.as_deref() != Some(import_jobs::FILE_GONE) {
            (Button { label: &frame.say("import-columns-back"), press: Press::Go(&columns), ..Button::default() })
        }
        (Button { label: &frame.say("import-another"), press: Press::Go(&frame.address("entries/import")), ..Button::default() })
    })
}
