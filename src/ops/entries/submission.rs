//! The path of a new entry. A form's page and the API hand a submission to `send`, whether a respondent or a
//! collaborator is its author; each row of a bulk request or an import becomes a `Draft` in the same way.
//!
//! A submission is prepared outside the writer, where what only the writer can know is decided: the version of the
//! form, its limits, what is taken. Where the form changed meanwhile, the job prepares it again from the form as it
//! then is.

use std::sync::Arc;

use serde_json::json;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::json::unknown_members::Ignored;
use crate::base::reader::Reader;
use crate::base::secret::{self, Keys as Secrets};
use crate::fields::kind::Cx;
use crate::fields::values::{self, Values, stored};
use crate::model::caller::Caller;
use crate::model::entry::NewEntry;
use crate::model::form::Form;
use crate::model::results::Results;
use crate::ops::app::{App, Ticket};
use crate::ops::capacity::waiting::{self, Search};
use crate::ops::capacity::{self, Asked, Asker, holds};
use crate::ops::delivery::notifications::{self, Cause};
use crate::ops::delivery::outbox::Outbox;
use crate::ops::entries::exact_keys::{self, Keys};
use crate::ops::entries::idempotency::Once;
use crate::ops::entries::respondents::{Claim, Respondent};
use crate::ops::entries::{
    self, Asks, EntryView, Shape, after_submission, edit_right, entry_shape, links, unique_index_build,
};
use crate::ops::exams::time::{self, ExamTime};
use crate::ops::exams::{certificates, verification};
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::published::{self, Published};
use crate::ops::forms::{availability, settings};
use crate::ops::server::disk_space;
use crate::query::form_cache::{Cache, ParsedForm};
use crate::store::capacity::holds as hold_rows;
use crate::store::db::tx::Tx;
use crate::store::entries::{self as rows, counters};
use crate::store::forms;

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
    /// What was wrong in the body, said when the rest was checked: who may not submit is told that alone.
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

    /// Adds what the published form does not take of a respondent's values.
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

/// Who sends a submission.
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

/// What became of a submission.
pub enum Stored {
    /// It is an entry now.
    Now(Box<EntryView>),
    /// It had been stored before: the answer it got then, as it is remembered.
    Before(String),
}

/// Takes the submission of a respondent who was let into the form.
///
/// # Errors
/// 401 where it takes an account, 403 closed, 409 also where there is no room, 422, 503.
pub fn respond(
    app: &App,
    published: &Published,
    who: Respondent,
    submission: Submission,
    once: Option<Once>,
) -> Result<Ticket<Stored>> {
    let (form, parsed) = (published.form.clone(), Arc::clone(&published.parsed));
    send(app, form, parsed, Author::Respondent(who), submission, once)
}

/// Adds an entry on behalf of a collaborator. What nothing takes goes to `ignored`.
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
    send(app, form, parsed, author, submission, once)
}

fn send(
    app: &App,
    form: Form,
    parsed: Arc<ParsedForm>,
    author: Author,
    submission: Submission,
    once: Option<Once>,
) -> Result<Ticket<Stored>> {
    let request = Arc::new(Request {
        author,
        submission,
        once,
        secrets: app.store.shared_keys(),
        cache: Arc::clone(&app.cache),
        outbox: Arc::clone(&app.delivery.outbox),
    });
    if !parsed.is_heavy() {
        return begin(app, &request, form, parsed);
    }
    // The writer has no time to check it again. Reads outside a request's snapshot see the form change.
    let (app, token, before) = (app.share(), form.token.clone(), Arc::clone(&parsed));
    let mut known = Some((form, parsed));
    let attempt = || {
        let (form, parsed) = match known.take() {
            Some(known) => known,
            None => app.store.read(|tx| request.form_again(tx, token.as_str(), &before))?,
        };
        begin(&app, &request, form, parsed)?.wait()
    };
    // It has a thread of its own, unless the form became heavy only now.
    tokio::task::block_in_place(|| app.run_until_stored(token.as_str(), attempt))
        .map(|stored| Ticket::ready(Ok(stored)))
}

fn begin(app: &App, request: &Arc<Request>, form: Form, parsed: Arc<ParsedForm>) -> Result<Ticket<Stored>> {
    let begun = app.store.read(|tx| {
        if let Some(answer) = request.answered(tx, form.form_no)? {
            return Ok(Begun::Answered(answer));
        }
        if let Author::Respondent(_) = request.author {
            let group = &parsed.settings.availability;
            availability::status(group, form.entries_count, tx.now).check()?;
            disk_space::check(app)?;
        }
        let unchecked = request.look_up(tx, form, parsed)?;
        Ok(Begun::Unchecked(Box::new(unchecked)))
    })?;
    let unchecked = match begun {
        Begun::Answered(answer) => return Ok(Ticket::ready(Ok(Stored::Before(answer)))),
        Begun::Unchecked(unchecked) => *unchecked,
    };
    match request.check(unchecked) {
        Ok(prepared) => {
            let request = Arc::clone(request);
            Ok(app.store.submit(move |tx| request.store(tx, *prepared)))
        }
        Err(faulty) => Err(app.store.read(|tx| request.refusal(tx, faulty))?),
    }
}

enum Begun {
    Answered(String),
    Unchecked(Box<Unchecked>),
}

/// A submission on its way, with what it takes to prepare it once more.
struct Request {
    author: Author,
    submission: Submission,
    once: Option<Once>,
    secrets: Arc<Secrets>,
    cache: Arc<Cache>,
    outbox: Arc<Outbox>,
}

/// A submission with what was read to check it.
struct Unchecked {
    form: Form,
    shape: Shape,
    claim: Claim,
    now: Time,
}

/// What was wrong with a submission.
struct Faulty {
    form_no: i64,
    at: Issues,
    asks: Box<Asks>,
}

/// A checked submission that waits for what only the writer can decide.
struct Prepared {
    form: Form,
    shape: Arc<Shape>,
    claim: Claim,
    /// Fields whose keys, of those that the entry adds, nobody else may have.
    unique: Vec<u32>,
    entry: NewEntry,
}

impl Request {
    fn asker(&self) -> Asker {
        Asker::of(matches!(self.author, Author::Respondent(_)))
    }

    /// The faults of an invalid submission. What its hold keeps, it may take.
    fn refusal(&self, tx: &Tx, mut faulty: Faulty) -> Result<Error> {
        if let Some(token) = self.submission.hold_token.as_deref()
            && let Some(hold) = hold_rows::find(tx, faulty.form_no, &secret::hash(token))?
        {
            faulty.asks.takes_before = hold_rows::takes_of(tx, hold)?;
        }
        entries::refusal(tx, faulty.form_no, faulty.at, &faulty.asks, None)
    }

    /// The answer that the same request got before.
    fn answered(&self, tx: &Tx, form_no: i64) -> Result<Option<String>> {
        match &self.once {
            Some(once) => once.before(tx, &self.secrets, form_no),
            None => Ok(None),
        }
    }

    fn look_up(&self, tx: &Tx, form: Form, parsed: Arc<ParsedForm>) -> Result<Unchecked> {
        let claim = match &self.author {
            Author::Respondent(who) => Claim::of(&self.secrets, &form, &parsed.settings, who)?,
            Author::Collaborator(_) => Claim::Unlimited,
        };
        claim.check(tx, form.form_no)?;
        let given = self.submission.field_values.as_object();
        let mut found = links::of_write(&self.cache, tx, &parsed, given, None)?;
        found.files.by_page = self.submission.by_page;
        Ok(Unchecked { form, shape: Shape { parsed, found }, claim, now: tx.now })
    }

    /// Reads the answers and runs the rules. That may take long, so it needs no transaction.
    fn check(&self, unchecked: Unchecked) -> std::result::Result<Box<Prepared>, Faulty> {
        let Unchecked { form, shape, claim, now } = unchecked;
        let (submission, parsed) = (&self.submission, &shape.parsed);
        let is_respondent = matches!(self.author, Author::Respondent(_));
        let cx = parsed.cx_with(now, is_respondent, &shape.found);
        let mut at = Issues::new();
        at.extend(submission.faults.iter().cloned());
        let draft = Draft::of(parsed, submission.field_values.clone(), &cx, &mut at);
        let time = match &self.author {
            Author::Respondent(_) => ExamTime::of_form(&form, &parsed.settings),
            Author::Collaborator(_) => None,
        };
        let token = submission.start_token.as_deref();
        let timing = time.map(|time| time.timing(&self.secrets, form.token.as_str(), token, now));
        if timing.is_some_and(|timing| timing.is_over(now)) {
            at.retain(|issue| !time::is_unanswered(issue));
        }
        if !at.is_empty() {
            // Who may wait for room is asked whether to, once the rest is right.
            let takes_after = match parsed.settings.capacity.waiting_list {
                true => Vec::new(),
                false => capacity::demands(parsed, &draft.stored, &Results::default(), &draft.asked),
            };
            let unique = draft.unique(parsed, &cx);
            let asks = Asks { unique, asker: self.asker(), takes_before: Vec::new(), takes_after };
            return Err(Faulty { form_no: form.form_no, at, asks: Box::new(asks) });
        }
        let caller = self.author.caller();
        let secs = submission.started_at.map(|start| now.secs_since(start));
        let respondent = caller.filter(|_| is_respondent);
        let entry = draft.entry(parsed, &cx, caller.map(|caller| caller.user.name.clone()));
        let entry = NewEntry {
            duration_secs: secs.filter(|secs| *secs >= 0),
            x_field_1: submission.x_field_1.clone(),
            respondent: respondent.map(|caller| caller.user.id),
            results: Results {
                due_at: timing.and_then(|timing| timing.due_at),
                is_late: timing.is_some_and(|timing| timing.is_late(now)),
                ..entry.results
            },
            ..entry
        };
        Ok(Box::new(Prepared {
            claim,
            unique: unique_index_build::unique_numbers(&parsed.definition),
            entry,
            form,
            shape: Arc::new(shape),
        }))
    }

    /// The form as it is now, for a sender who was let into it as it was before.
    ///
    /// # Errors
    /// 403, 404, `Stale` where others are let in.
    fn form_again(&self, tx: &Tx, token: &str, before: &ParsedForm) -> Result<(Form, Arc<ParsedForm>)> {
        let form = match &self.author {
            Author::Respondent(_) => published::form(tx, token)?,
            Author::Collaborator(caller) => access::form_for(tx, caller, token, Right::Enter)?,
        };
        let parsed = self.cache.parsed(tx, &form)?;
        if let Author::Respondent(_) = self.author {
            published::check_same_access(&before.settings, &parsed.settings)?;
        }
        Ok((form, parsed))
    }

    /// The same as [`Self::check`] for a form that changed since.
    ///
    /// # Errors
    /// `Stale` where checking takes long, or where others are let in than before.
    fn prepare_again(&self, tx: &Tx, old: &Prepared) -> Result<Prepared> {
        let before = &old.shape.parsed;
        let (form, parsed) = match before.is_heavy() {
            true => return Err(Error::Stale),
            false => self.form_again(tx, old.form.token.as_str(), before)?,
        };
        if parsed.is_heavy() {
            return Err(Error::Stale);
        }
        if let Author::Respondent(_) = self.author {
            let entries = counters::of_form(tx, form.form_no)?.live_count;
            availability::status(&parsed.settings.availability, entries, tx.now).check()?;
        }
        let unchecked = self.look_up(tx, form, parsed)?;
        match self.check(unchecked) {
            Ok(prepared) => Ok(*prepared),
            Err(faulty) => Err(self.refusal(tx, faulty)?),
        }
    }

    /// Stores the entry, if there is still room for it and for what it takes, and nothing unique is taken.
    fn store(&self, tx: &Tx, prepared: Prepared) -> Result<Stored> {
        let form_no = prepared.form.form_no;
        if let Some(answer) = self.answered(tx, form_no)? {
            return Ok(Stored::Before(answer));
        }
        let prepared = match forms::check_version(tx, form_no, prepared.form.version) {
            Ok(()) => prepared,
            Err(Error::Stale) => self.prepare_again(tx, &prepared)?,
            Err(error) => return Err(error),
        };
        let shape = prepared.shape;
        if let Author::Respondent(_) = self.author {
            let entries = counters::of_form(tx, form_no)?.live_count;
            let group = &shape.parsed.settings.availability;
            availability::status(group, entries, tx.now).check()?;
            prepared.claim.check(tx, form_no)?;
        }
        let keys = prepared.entry.keys.iter();
        let unique = keys.filter(|(field, _)| prepared.unique.contains(field));
        exact_keys::refuse_taken(tx, form_no, unique, None)?;
        let mut entry = prepared.entry;
        let search = Search {
            asker: self.asker(),
            hold_token: self.submission.hold_token.as_deref(),
            waits: self.submission.waits,
            sender: match &self.author {
                Author::Respondent(who) => &who.sender,
                Author::Collaborator(_) => "",
            },
        };
        waiting::find_room(tx, &shape.parsed, &search, &mut entry)?;
        let is_by_program = !self.submission.by_page && self.author.caller().is_none();
        entry.results.is_by_program = is_by_program && entry.results.is_waiting;
        verification::assign(tx, form_no, &shape.parsed.settings.verification_code, &mut entry)?;
        let entry = rows::insert(tx, form_no, entry)?;
        let view = EntryView { entry, shape };
        if let Author::Respondent(who) = &self.author {
            // Who has a token answers for it.
            let sender = who.caller.is_none().then_some(who.sender.as_str());
            let cause = Cause { is_by_program, sender };
            notifications::of_new_entry(&self.outbox, tx, &prepared.form, &view, cause)?;
        }
        if let Some(once) = &self.once {
            let answer = match self.author {
                Author::Respondent(_) => answer(&self.secrets, &view, tx.now)?,
                Author::Collaborator(_) => entries::remembered(&view, tx.now)?,
            };
            once.remember(tx, &self.secrets, form_no, &answer)?;
        }
        Ok(Stored::Now(Box::new(view)))
    }
}

/// Values that were checked, as they would be stored.
pub(in crate::ops) struct Draft {
    /// By api_code.
    pub stored: Values,
    /// What was asked for, by the lines of the request.
    asked: Asked,
}

impl Draft {
    /// From write shapes by api_code; what is wrong with them goes to `at`.
    pub fn of(parsed: &ParsedForm, raw: Json, cx: &Cx, at: &mut Issues) -> Self {
        let fields = &parsed.definition.fields;
        Self { asked: Asked::of(fields, raw.as_object()), stored: values::create(fields, &parsed.rules, raw, cx, at) }
    }

    /// The keys that no other live entry may have.
    pub fn unique(&self, parsed: &ParsedForm, cx: &Cx) -> Keys {
        exact_keys::unique(parsed, &self.stored, cx)
    }

    /// The entry.
    pub fn entry(&self, parsed: &ParsedForm, cx: &Cx, creator_name: Option<String>) -> NewEntry {
        let results = parsed.results(&self.stored, &Results::default(), cx);
        NewEntry {
            creator_name,
            duration_secs: None,
            x_field_1: None,
            respondent: None,
            values: stored::text(&self.stored),
            takes: capacity::demands(parsed, &self.stored, &results, &self.asked),
            results,
            keys: exact_keys::of(parsed, &self.stored, cx),
            uploads: cx.found.files.taken(&self.stored),
        }
    }
}

/// The answer to a respondent's submission, as JSON text.
pub fn answer(secrets: &Secrets, view: &EntryView, now: Time) -> Result<String> {
    let (entry, parsed) = (&view.entry, &view.shape.parsed);
    let cx = parsed.cx_with(now, true, &view.shape.found);
    let shown = entry_shape::for_respondent(parsed, entry, &cx)?;
    let after = after_submission::text(parsed, entry, &cx);
    let edit = match edit_right::given(secrets, &parsed.settings, entry) {
        Some(token) => format!(",\"edit_token\":\"{token}\""),
        None => String::new(),
    };
    let results = entry_shape::told(parsed, entry, &cx);
    Ok(format!("{{\"entry\":{shown},\"after_submission\":{after}{edit}{results}}}"))
}

/// The JSON Schema of that answer.
pub fn answer_schema() -> Json {
    json!({
        "type": "object",
        "properties": {
            "entry": entry_shape::respondent_schema(),
            "after_submission": settings::after_submission_schema(),
            "edit_token": {
                "type": "string",
                "description": "Gives access to read and edit the entry, if the form allows that. Returned only here.",
            },
            "exam_score": {
                "type": "number",
                "description": "The points, where the form's settings show them.",
            },
            "evaluation_report": {
                "type": "object",
                "properties": {
                    "score": {"type": "number"},
                    "comment": {"type": ["string", "null"]},
                },
                "required": ["score", "comment"],
                "description": "The result of an evaluation, where the form's settings show it.",
            },
            "gen_code": {
                "type": ["string", "null"],
                "description": "The entry's verification code, if the form gives codes.",
            },
            "x_field_certificate": certificates::schema(),
        },
        "required": ["entry", "after_submission"],
    })
}
