//! `/forms/{form_token}/entries/import`: a file is chosen, its columns are looked at, and the rest is jobs: all rows are
//! checked, and come in.

use maud::{Markup, Render, html};
use warp::http::StatusCode;

use crate::base::error::{Error, Noun, Result};
use crate::base::issue::Issue;
use crate::fields::columns::mapping::Mapping;
use crate::model::caller::Caller;
use crate::ops::forms::access::{self, Right};
use crate::ops::transfer::import_files::{self, Step, Waiting};
use crate::ops::transfer::imports::outline::OutlineColumn;
use crate::web::files::posted_sheet::{FILE_NAME, INPUT};
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::{self, Posted, jobs as job_page};
use crate::web::pages::form::faults::name_of;
use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::entries::missing::Missing;
use crate::web::pages::ui::field::{Choice, FileField, SelectField};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::head::{Back, PageHead};
use crate::web::pages::ui::notice::{Tone, message};
use crate::web::pages::ui::section::Section;
use crate::web::pages::ui::table::{Column, Holds, Narrow, Table};
use crate::web::pages::ui::words::{name, row};
use crate::web::request::call::Call;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// The file types offered by the browser's dialog.
const TYPES: &str = ".csv,.xlsx,text/csv";
/// The parameter that says that a file was not there any more.
const GONE: &str = "gone";

/// `GET /forms/{form_token}/entries/import`
pub fn show_file(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    access::check(call.app, caller, call.param("form_token"), Right::Enter)?;
    let notice =
        if call.query(GONE).is_some() { message(Tone::Warn, &frame.say("import-gone"), "") } else { Markup::default() };
    file_page(&frame, StatusCode::OK, "", &notice)
}

/// `POST /forms/{form_token}/entries/import`: keeps the file and leads to its columns.
pub fn submit_file(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    let (token, posted) = (call.param("form_token"), Posted::of(call));
    access::check(call.app, caller, token, Right::Enter)?;
    let refused = |text: &str| file_page(&frame, StatusCode::UNPROCESSABLE_ENTITY, text, &Markup::default());
    if posted.text(FILE_NAME).is_empty() {
        return refused(&frame.say("import-none"));
    }
    match import_files::put(call.app, caller, token, posted.text(FILE_NAME), call.body.to_vec()) {
        Ok(file) => Ok(session::to_page(&call.app.config, &format!("/forms/{token}/entries/import/{file}")).into()),
        Err(Error::BadRequest(text)) => refused(&frame.texts.phrase(&text)),
        Err(Error::Invalid(issues)) => refused(&file_words(&frame, &issues)),
        Err(other) => Err(other),
    }
}

/// `GET /forms/{form_token}/entries/import/{import_token}`
pub fn show_columns(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    match import_files::show(call.app, caller, call.param("form_token"), call.param("import_token"), None) {
        Ok(waiting) => Ok(columns_page(&frame, &waiting, StatusCode::OK, &[]).into()),
        Err(Error::NotFound(Noun::File)) => Ok(gone(call)),
        Err(other) => Err(other),
    }
}

/// `POST /forms/{form_token}/entries/import/{import_token}`: begins to check the file, or to import it.
pub fn submit_columns(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    let (form, token) = (call.param("form_token"), call.param("import_token"));
    let posted = Posted::of(call);
    let begin = |step: Step| {
        let job = import_files::begin(call.app, caller, form, token, step)?;
        Ok(session::to_page(&call.app.config, &job_page::address(form, &job)).into())
    };
    let begun = if posted.text("act") == "import" {
        begin(Step::Import(posted.text("job")))
    } else {
        let columns = |waiting: &Waiting| {
            let chosen = waiting.outline.columns.iter().enumerate().map(|(i, column)| {
                let code = posted.text(&input(i)).to_owned();
                (column.name.clone(), Some(code).filter(|code| !code.is_empty()))
            });
            Mapping::of_columns(chosen)
        };
        import_files::show(call.app, caller, form, token, None).and_then(|waiting| {
            let mapping = columns(&waiting);
            let waiting = import_files::show(call.app, caller, form, token, Some(mapping.clone()))?;
            if waiting.outline.faults.is_empty() {
                return begin(Step::Check(&mapping));
            }
            let faults = &waiting.outline.faults;
            Ok(columns_page(&frame, &waiting, StatusCode::UNPROCESSABLE_ENTITY, faults).into())
        })
    };
    match begun {
        Err(Error::NotFound(Noun::File)) => Ok(gone(call)),
        begun => begun,
    }
}

/// Leads back to the choice of a file.
fn gone(call: &Call) -> Reply {
    let form = call.param("form_token");
    session::to_page(&call.app.config, &format!("/forms/{form}/entries/import?{GONE}=1")).into()
}

/// The name of the control of a column.
fn input(at: usize) -> String {
    format!("column.{at}")
}

/// The message for a file that can't be read as a table.
fn file_words(frame: &FormFrame, issues: &[Issue]) -> String {
    let said = issues.iter().map(|issue| {
        let words = if issue.attribute.starts_with("header") { "import-fault-header" } else { "import-fault-file" };
        frame.texts.fill(words, &[("message", frame.texts.phrase(&issue.reason.phrase()).into())])
    });
    said.collect::<Vec<_>>().join(" · ")
}

fn told(frame: &FormFrame, issues: &[Issue]) -> String {
    let told = issues.iter().map(|issue| frame.texts.phrase(&issue.reason.phrase()));
    told.collect::<Vec<_>>().join(" · ")
}

fn file_page(frame: &FormFrame, status: StatusCode, fault: &str, notice: &Markup) -> Result<Reply> {
    let heading = frame.say("import-title");
    let file = FileField {
        name: INPUT,
        label: &frame.say("import-file"),
        notes: &frame.say("import-file-notes"),
        fault,
        accept: TYPES,
    };
    let filters = r#"[{"field":"serial_number","operator":"lt","value":0}]"#;
    let filters: String = url::form_urlencoded::byte_serialize(filters.as_bytes()).collect();
    let template = frame.address(&format!("entries/export?format=xlsx&filters={filters}"));
    let form = PostForm {
        csrf: &frame.csrf,
        has_file: true,
        content: html! {
            (file)
            (row(html! {
                (Button::main(&frame.say("import-next")))
                (Button { label: &frame.say("import-template"), press: Press::Go(&template), ..Button::default() })
            }))
        },
        ..PostForm::default()
    };
    let content = html! {
        (notice)
        (Section { content: form.render(), ..Section::default() })
        (job_page::recent_imports(frame)?)
    };
    Ok(page(frame, status, &heading, &frame.say("import-lead"), &content).into())
}

fn columns_page(frame: &FormFrame, waiting: &Waiting, status: StatusCode, faults: &[Issue]) -> Answer {
    let outline = &waiting.outline;
    let rows = frame.texts.fill("import-rows", &[("count", outline.rows.into())]);
    let heads = ["import-column", "import-samples", "import-goes-to"].map(|words| frame.say(words));
    let columns = heads.iter().map(|heading| Column { heading, holds: Holds::Text, ..Column::default() });
    let lines = outline.columns.iter().enumerate().map(|(i, column)| column_row(frame, waiting, i, column));
    let table = Table {
        caption: &frame.say("import-columns"),
        columns: columns.collect(),
        rows: lines.collect(),
        narrow: Narrow::Stack,
    };
    let another = frame.address("entries/import");
    let form = PostForm {
        csrf: &frame.csrf,
        content: html! {
            (table)
            (row(html! {
                (Button::main(&frame.say("import-check")))
                (Button { label: &frame.say("import-another"), press: Press::Go(&another), ..Button::default() })
            }))
        },
        ..PostForm::default()
    };
    let content = html! {
        @if !faults.is_empty() { (message(Tone::Bad, &frame.say("import-columns-wrong"), &told(frame, faults))) }
        (missing(frame, &outline.columns))
        (Section { id: "columns", title: html! { (name(&waiting.name)) }, text: &rows, content: form.render() })
    };
    page(frame, status, &frame.say("import-title"), &frame.say("import-columns-lead"), &content)
}

fn column_row(frame: &FormFrame, waiting: &Waiting, at: usize, column: &OutlineColumn) -> Vec<Markup> {
    // The question may have been removed since.
    let is_there = |code: &&str| waiting.outline.targets.iter().any(|(target, _)| target == code);
    let goes_to = column.goes_to.as_deref().filter(is_there);
    let out = Choice::new("", frame.say("import-leave-out"), goes_to.is_none());
    let targets = waiting.outline.targets.iter().map(|(code, label)| Choice {
        lang: frame.owners_lang(),
        ..Choice::new(code, label.as_str(), goes_to == Some(code))
    });
    let input = input(at);
    let select = SelectField {
        id: &input,
        name: &input,
        label: &frame.say("import-goes-to"),
        choices: std::iter::once(out).chain(targets).collect(),
        about: html! { (column.name) },
    };
    let samples = column.samples.iter().map(|sample| name(sample));
    vec![
        html! { (name(&column.name)) },
        html! { @for (i, sample) in samples.enumerate() { @if i > 0 { ", " } (sample) } },
        select.render(),
    ]
}

/// Required questions that no column goes to.
fn missing(frame: &FormFrame, columns: &[OutlineColumn]) -> Markup {
    let has_column = |code: &str| {
        columns.iter().filter_map(|column| column.goes_to.as_deref()).any(|goes| goes.split('.').next() == Some(code))
    };
    let fields = frame.view.parsed.definition.fields.with_values();
    let required = fields.filter(|field| field.required && field.kind.is_written());
    let questions = required.map(|field| {
        let code = field.api_code.as_str();
        (code, name_of(frame.texts, field), has_column(code))
    });
    let questions = questions.collect();
    Missing { title: &frame.say("import-missing"), lang: frame.owners_lang(), questions }.render()
}

fn page(frame: &FormFrame, status: StatusCode, heading: &str, lead: &str, content: &Markup) -> Answer {
    let content = html! {
        (frame.head(FormPage::Entries, false))
        (PageHead {
            back: Some(Back { address: &frame.address("entries"), label: &frame.say("entries-back") }),
            title: html! { (heading) },
            lead: html! { (lead) },
            ..PageHead::default()
        })
        (content)
    };
    let title = frame.title(heading);
    let page = console::page(frame.call, &frame.caller.user, &frame.csrf, frame.texts, &title);
    page.script("import.js").answer(status, &content)
}
