//! New entries. A form's page and the API hand a submission to `send`, whether a respondent or a collaborator is its
//! author; each row of a bulk request or an import becomes a `Draft` in the same way.

pub mod answer;
mod request;

use std::sync::Arc;

use crate::base::clock::Time;
use crate::base::error::Result;
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::json::unknown_members::Ignored;
use crate::base::reader::Reader;
use crate::model::caller::Caller;
use crate::ops::app::{App, Ticket};
use crate::ops::capacity::holds;
use crate::ops::entries::answers::Answers;
use crate::ops::entries::idempotency::Once;
use crate::ops::entries::respondents::Respondent;
use crate::ops::entries::submission::request::send;
use crate::ops::entries::{self, EntryView};
use crate::ops::exams::time;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::published::Published;

const MAX_X_FIELD: usize = 255;

/// A submission before it is looked at.
pub struct Submission {
    /// Write shapes by api_code.
    pub field_values: Json,
    /// From the form's address.
    pub x_field_1: Option<String>,
    /// When the respondent began.
    pub started_at: Option<Time>,
    /// When they were given the form, signed: the time of an exam runs from then.
    pub start_token: Option<String>,
    /// Of the hold that it uses up.
    pub hold_token: Option<String>,
    /// Whether it waits where there is no room.
    pub waits: bool,
    /// Faults of the body, reported with those of the check. A respondent who may not submit gets that error alone.
    pub faults: Vec<Issue>,
    /// Whether the form's own page sends it.
    pub by_page: bool,
}

impl Submission {
    /// Reads a respondent's body (contract section 5), and the access password in it.
    pub fn read(body: Json) -> (Self, Option<String>) {
        let mut at = Issues::new();
        let (submission, password) = Self::read_from(&mut Reader::new(body, &mut at));
        let faults = at.into_list();
        (Self { faults, ..submission }, password)
    }

    fn read_from(reader: &mut Reader) -> (Self, Option<String>) {
        let field_values = entries::read_field_values(reader);
        let password = reader.opt_text("password", 256);
        let submission = Self {
            field_values,
            x_field_1: reader.opt_text("x_field_1", MAX_X_FIELD),
            started_at: reader.opt_time("started_at"),
            start_token: reader.opt_text("start_token", time::MAX_TOKEN),
            hold_token: reader.opt_text("hold_token", holds::MAX_TOKEN),
            waits: reader.bool("waiting_list", false),
            faults: Vec::new(),
            by_page: false,
        };
        (submission, password)
    }

    /// Reads a collaborator's body (contract section 4).
    pub fn read_collaborators(body: Json) -> Self {
        let mut at = Issues::new();
        Self {
            field_values: entries::field_values(body, &mut at),
            x_field_1: None,
            started_at: None,
            start_token: None,
            hold_token: None,
            waits: false,
            faults: at.into_list(),
            by_page: false,
        }
    }

    /// Of a page of the console, whose posts bring files with them.
    pub fn of_console(field_values: Json) -> Self {
        Self {
            field_values,
            x_field_1: None,
            started_at: None,
            start_token: None,
            hold_token: None,
            waits: false,
            faults: Vec::new(),
            by_page: true,
        }
    }

    /// Adds the respondent's values that the published form does not read.
    pub fn note_ignored(&mut self, published: &Published, ignored: &mut Ignored) {
        entries::add_ignored(ignored, &published.parsed, &self.field_values, true);
        self.faults.extend(std::mem::take(&mut ignored.faults).into_list());
    }

    /// The JSON Schema of a respondent's body.
    pub fn schema() -> Json {
        Reader::describe(|reader| {
            Self::read_from(reader);
        })
    }
}

/// The sender of a submission.
pub enum Author {
    /// Somebody who fills in the published form.
    Respondent(Respondent),
    /// Somebody who may add entries to the form.
    Collaborator(Caller),
}

impl Author {
    fn caller(&self) -> Option<&Caller> {
        match self {
            Self::Respondent(who) => who.caller.as_ref(),
            Self::Collaborator(caller) => Some(caller),
        }
    }
}

/// The outcome of a submission.
pub enum Stored {
    /// It is an entry now.
    Now(Box<EntryView>),
    /// It had been stored before: the remembered answer to it.
    Before(String),
}

/// Takes the submission of a respondent with access to the form. `answers` are its values where a page has read them.
///
/// # Errors
/// 401 where it takes an account, 403 closed, 409 also where there is no room, 422, 503.
pub fn respond(
    app: &App,
    published: &Published,
    who: Respondent,
    submission: Submission,
    answers: Option<&Answers>,
    once: Option<Once>,
) -> Result<Ticket<Stored>> {
    let form = (published.form.clone(), Arc::clone(&published.parsed));
    send(app, form, Author::Respondent(who), submission, answers, once)
}

/// Adds an entry on behalf of a collaborator. Keys that no field reads go to `ignored`.
///
/// # Errors
/// 403, 404, 409 for a key that was used for another request and where there is no room, 422.
pub fn create(
    app: &App,
    caller: &Caller,
    token: &str,
    mut submission: Submission,
    once: Option<Once>,
    ignored: &mut Ignored,
) -> Result<Ticket<Stored>> {
    let (form, parsed) = app.store.read(|tx| {
        let form = access::form_for(tx, caller, token, Right::Enter)?;
        let parsed = app.cache.parsed(tx, &form)?;
        Ok((form, parsed))
    })?;
    entries::add_ignored(ignored, &parsed, &submission.field_values, false);
    submission.faults.extend(std::mem::take(&mut ignored.faults).into_list());
    let author = Author::Collaborator(caller.clone());
    send(app, (form, parsed), author, submission, None, once)
}
