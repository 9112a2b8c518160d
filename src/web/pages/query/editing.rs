//! Visitors edit a row: on its own page, or in place, where the search found it. Both post to the row's signed address,
//! and one way leads from there to the stored entry, or back to the page with all that was typed.

use warp::http::{StatusCode, header};

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::fields::files::links::QueryRow;
use crate::ops::queries::edit::{self, Edit};
use crate::ops::queries::links;
use crate::ops::queries::search::Results;
use crate::web::pages::form::form_post::Action;
use crate::web::pages::query::edit_form::{EditForm, Posted};
use crate::web::pages::query::typed::Typed;
use crate::web::pages::query::{detail, in_place, states};
use crate::web::request::call::Call;
use crate::web::request::rates::{self, Visit};
use crate::web::request::reply::{Answer, Reply};

/// A row whose form is on the page, and the outcome of its last post.
pub struct Editing {
    /// The row alone, with the data for its controls.
    pub results: Results,
    pub posted: Option<Posted>,
    pub status: StatusCode,
    /// The text id of the notice above the form.
    pub notice: Option<&'static str>,
    /// Seconds until it may be sent again.
    pub wait: u64,
}

/// Where the form stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum EditFormPlace {
    /// On the row's own page.
    Alone,
    /// In the results of a search.
    InPlace,
}

/// Among the parameters of a post: the form is within the results.
pub const IN_PLACE: &str = "in=results";

impl EditFormPlace {
    pub fn of(call: &Call) -> Self {
        match call.query("in").as_deref() {
            Some("results") => Self::InPlace,
            _ => Self::Alone,
        }
    }
}

impl Editing {
    /// Of a row that was found.
    ///
    /// # Errors
    /// 403, 404 if visitors can't find it any more.
    pub fn of(call: &Call, entry: &str) -> Result<Self> {
        let query = call.param("query_token");
        Ok(Self {
            results: edit::open(call.app, query, entry, call.now)?,
            posted: None,
            status: StatusCode::OK,
            notice: None,
            wait: 0,
        })
    }

    /// The values of the controls before anything is typed.
    ///
    /// # Errors
    /// Internal, when the stored text is damaged.
    pub fn shown_values(&self, now: Time) -> Result<Vec<Option<Json>>> {
        self.results.page_values(now)
    }

    /// Whether the typed values have faults.
    pub fn is_wrong(&self) -> bool {
        let posted = self.posted.as_ref();
        posted.is_some_and(|posted| !posted.issues.is_empty())
    }

    /// The answer, with when to come again.
    pub fn answer(&self, mut answer: Answer) -> Answer {
        answer.status = self.status;
        if self.wait > 0 { answer.header(header::RETRY_AFTER, &self.wait.to_string()) } else { answer }
    }
}

/// `POST /q/{query_token}/entries/{entry_token}`
pub fn submit(call: &Call) -> Result<Reply> {
    states::or_page(call, take(call)).map(Reply::from)
}

/// Checks that the link leads to the row.
///
/// # Errors
/// 403.
pub fn check_link(call: &Call) -> Result<()> {
    let (query, entry) = (call.param("query_token"), call.param("entry_token"));
    let expires = call.query("expires").unwrap_or_default();
    let signature = call.query("signature").unwrap_or_default();
    let row = QueryRow { query, entry };
    if links::opens_view(call.app.keys(), row, &expires, &signature, call.now) { Ok(()) } else { Err(Error::BadLink) }
}

fn take(call: &Call) -> Result<Answer> {
    check_link(call)?;
    let entry = call.param("entry_token");
    let mut editing = Editing::of(call, entry)?;
    let shown = editing.shown_values(call.now)?;
    let mut posted = EditForm::of(&editing.results, &shown, call.now).read(call);
    let open = &editing.results.open;
    edit::check_right(call.app, open, entry, &posted.edit_token, call.now)?;
    let action = posted.sent.intent(&posted.values);
    let counted = match action {
        Action::Submit => rates::count_visit(call, Visit::Search),
        Action::Find => rates::count_visit(call, Visit::LinkedSearch),
        _ => Ok(()),
    };
    if action == Action::Find && wants_json(call) {
        counted?;
        let find = posted.sent.finds.first().cloned().unwrap_or_default();
        let options = edit::options(call.app, &editing.results, &find)?;
        return Ok(Answer::json_text(StatusCode::OK, options.to_string()));
    }
    let finds = match counted {
        Ok(()) => posted.sent.open_finds(&posted.values),
        Err(_) => Vec::new(),
    };
    let results = &mut editing.results;
    edit::look_up(call.app, results, &posted.values, &finds, call.now)?;
    // The results around the form are a search, which the edit counts as.
    let mut may_search = action == Action::Submit;
    let done = counted.and_then(|()| match action {
        Action::Submit => store(call, &editing, &posted),
        _ => {
            may_search =
                EditFormPlace::of(call) == EditFormPlace::InPlace && rates::count_visit(call, Visit::Search).is_ok();
            Ok(false)
        }
    });
    match done {
        Ok(true) => return Ok(Answer::see_other(&saved_address(call, &editing))),
        Ok(false) => {}
        Err(Error::Invalid(issues)) => {
            editing.status = StatusCode::UNPROCESSABLE_ENTITY;
            posted.issues = issues;
        }
        Err(Error::NoRoom(issues)) => {
            editing.status = StatusCode::CONFLICT;
            posted.issues = issues;
        }
        Err(Error::TooMany(secs)) => {
            editing.status = StatusCode::TOO_MANY_REQUESTS;
            (editing.notice, editing.wait) = (Some("not-saved"), secs);
            may_search = false;
        }
        Err(Error::Busy(_, secs)) => {
            editing.status = StatusCode::SERVICE_UNAVAILABLE;
            (editing.notice, editing.wait) = (Some("not-saved"), secs);
            may_search = false;
        }
        Err(other) => return Err(other),
    }
    editing.posted = Some(posted);
    match EditFormPlace::of(call) {
        EditFormPlace::Alone => detail::draw(call, &editing),
        EditFormPlace::InPlace => in_place::again(call, &editing, may_search),
    }
}

/// Stores the changes.
fn store(call: &Call, editing: &Editing, posted: &Posted) -> Result<bool> {
    if let Some(refusal) = posted.sent.refusal {
        return Err(refusal.error());
    }
    let shown = editing.shown_values(call.now)?;
    let changed = EditForm::of(&editing.results, &shown, call.now).changed(posted);
    let mut faults = Issues::new();
    faults.extend(posted.sent.file_faults.clone());
    let edit = Edit {
        query: call.param("query_token"),
        entry: call.param("entry_token"),
        edit_token: &posted.edit_token,
        field_values: Json::Object(changed),
        by_page: true,
        sender: call.origin().sender,
        faults,
    };
    edit::update(call.app, edit, call.now)?;
    Ok(true)
}

fn saved_address(call: &Call, editing: &Editing) -> String {
    match EditFormPlace::of(call) {
        EditFormPlace::Alone => format!("{}&{}=1", detail::address(call, editing), detail::SAVED),
        EditFormPlace::InPlace => {
            let typed = Typed::of_address(call, &editing.results.open);
            let row = call.param("entry_token");
            in_place::address(call, &typed, &format!("{}={row}#saved", detail::SAVED))
        }
    }
}

/// Whether the script of the page asks.
fn wants_json(call: &Call) -> bool {
    call.header("accept").is_some_and(|accept| accept.starts_with("application/json"))
}
