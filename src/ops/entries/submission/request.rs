//! The way of a submission into the store. It is prepared outside the writer; inside, everything that only the writer
//! can know is decided: the version of the form, its limits, the amounts taken. Where the form changed meanwhile, the
//! job prepares it again from the form as it then is.

use std::sync::Arc;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::base::secret::{self, Keys as Secrets};
use crate::model::entry::NewEntry;
use crate::model::form::Form;
use crate::model::results::Results;
use crate::model::settings::Settings;
use crate::ops::app::{App, Ticket};
use crate::ops::capacity::Asker;
use crate::ops::capacity::waiting::{self, Search};
use crate::ops::delivery::notifications;
use crate::ops::delivery::outbox::Outbox;
use crate::ops::delivery::respondent_letters::Cause;
use crate::ops::entries::answers::Answers;
use crate::ops::entries::idempotency::Once;
use crate::ops::entries::respondents::Claim;
use crate::ops::entries::submission::{Author, Stored, Submission, answer};
use crate::ops::entries::{self, Asks, EntryView, Shape, exact_keys, links, unique_index_build};
use crate::ops::exams::time::{self, ExamTime};
use crate::ops::exams::verification;
use crate::ops::forms::access::{self, Right};
use crate::ops::forms::{availability, published};
use crate::ops::server::disk_space;
use crate::query::form_cache::{Cache, ParsedForm};
use crate::store::capacity::holds as hold_rows;
use crate::store::db::tx::Tx;
use crate::store::entries::{self as rows, counters};
use crate::store::forms;

/// Checks a submission and stores it. `answers` are its values where a page has read them already.
///
/// # Errors
/// 401 where it takes an account, 403 closed, 409 also where there is no room, 422, 503.
pub fn send(
    app: &App,
    (form, parsed): (Form, Arc<ParsedForm>),
    author: Author,
    submission: Submission,
    answers: Option<&Answers>,
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
        return begin(app, &request, (form, parsed), answers);
    }
    // The writer has no time to check it again. Reads outside a request's snapshot see the form change.
    let (app, token, before) = (app.share(), form.token.clone(), Arc::clone(&parsed));
    let mut known = Some(((form, parsed), answers));
    let attempt = || {
        let (form, answers) = match known.take() {
            Some(known) => known,
            None => (app.store.read(|tx| request.form_again(tx, token.as_str(), &before))?, None),
        };
        begin(&app, &request, form, answers)?.wait()
    };
    // It has a thread of its own, unless the form became heavy only now.
    tokio::task::block_in_place(|| app.run_until_stored(token.as_str(), attempt))
        .map(|stored| Ticket::ready(Ok(stored)))
}

fn begin(
    app: &App,
    request: &Arc<Request>,
    (form, parsed): (Form, Arc<ParsedForm>),
    answers: Option<&Answers>,
) -> Result<Ticket<Stored>> {
    let begun = app.store.read(|tx| {
        if let Some(answer) = request.answered(tx, form.form_no)? {
            return Ok(Begun::Answered(answer));
        }
        if let Author::Respondent(_) = request.author {
            let group = &parsed.settings.availability;
            availability::status(group, form.entries_count, tx.now).check()?;
            disk_space::check(app)?;
        }
        let claim = request.claim(tx, &form, &parsed.settings)?;
        let shape = match answers {
            Some(answers) => Arc::clone(&answers.shape),
            None => request.look_up(tx, &parsed)?,
        };
        Ok(Begun::LetIn { claim, shape, now: tx.now })
    })?;
    let (claim, shape, now) = match begun {
        Begun::Answered(answer) => return Ok(Ticket::ready(Ok(Stored::Before(answer)))),
        Begun::LetIn { claim, shape, now } => (claim, shape, now),
    };
    let prepared = match answers {
        Some(answers) => {
            let mut faults = request.known_faults();
            faults.append(answers.faults.clone());
            request.prepare(form, claim, answers, faults, now)
        }
        None => request.read(form, claim, shape, now),
    };
    match prepared {
        Ok(prepared) => {
            let request = Arc::clone(request);
            Ok(app.store.submit(move |tx| request.store(tx, *prepared)))
        }
        Err(faulty) => Err(app.store.read(|tx| request.refusal(tx, faulty))?),
    }
}

enum Begun {
    Answered(String),
    LetIn { claim: Claim, shape: Arc<Shape>, now: Time },
}

/// A submission on its way, with the data to prepare it once more.
struct Request {
    author: Author,
    submission: Submission,
    once: Option<Once>,
    secrets: Arc<Secrets>,
    cache: Arc<Cache>,
    outbox: Arc<Outbox>,
}

/// The faults of a submission.
struct Faulty {
    form_no: i64,
    at: Issues,
    asks: Box<Asks>,
}

/// A checked submission that waits for the checks that only the writer can do.
struct Prepared {
    form: Form,
    shape: Arc<Shape>,
    claim: Claim,
    /// Fields whose keys, of those that the entry adds, no other entry may have.
    unique: Vec<u32>,
    entry: NewEntry,
}

impl Request {
    fn is_respondents(&self) -> bool {
        matches!(self.author, Author::Respondent(_))
    }

    fn asker(&self) -> Asker {
        Asker::of(self.is_respondents())
    }

    /// The faults of an invalid submission, which may take the amounts kept by its hold.
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

    fn claim(&self, tx: &Tx, form: &Form, settings: &Settings) -> Result<Claim> {
        let claim = match &self.author {
            Author::Respondent(who) => Claim::of(&self.secrets, form, settings, who)?,
            Author::Collaborator(_) => Claim::Unlimited,
        };
        claim.check(tx, form.form_no)?;
        Ok(claim)
    }

    fn look_up(&self, tx: &Tx, parsed: &Arc<ParsedForm>) -> Result<Arc<Shape>> {
        let given = self.submission.field_values.as_object();
        let mut found = links::of_write(&self.cache, tx, parsed, given, None)?;
        found.files.by_page = self.submission.by_page;
        Ok(Arc::new(Shape { parsed: Arc::clone(parsed), found }))
    }

    /// The faults that the request came with.
    fn known_faults(&self) -> Issues {
        let mut at = Issues::new();
        at.extend(self.submission.faults.iter().cloned());
        at
    }

    /// Reads the answers. That may take long, so it needs no transaction.
    fn read(
        &self,
        form: Form,
        claim: Claim,
        shape: Arc<Shape>,
        now: Time,
    ) -> std::result::Result<Box<Prepared>, Faulty> {
        let raw = self.submission.field_values.clone();
        let mut answers = Answers::of_new(shape, raw, self.is_respondents(), now, self.known_faults());
        let faults = std::mem::take(&mut answers.faults);
        self.prepare(form, claim, &answers, faults, now)
    }

    /// Makes the entry of answers that were read; `at` are all their faults.
    fn prepare(
        &self,
        form: Form,
        claim: Claim,
        answers: &Answers,
        mut at: Issues,
        now: Time,
    ) -> std::result::Result<Box<Prepared>, Faulty> {
        let (submission, shape, draft) = (&self.submission, &answers.shape, &answers.draft);
        let (parsed, cx) = (&shape.parsed, answers.cx());
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
            // A respondent who may wait for room is asked whether to, once the rest is right.
            let takes_after = match parsed.settings.capacity.waiting_list {
                true => Vec::new(),
                false => draft.demands(parsed, &Results::default()),
            };
            let unique = draft.unique(parsed, &cx);
            let asks = Asks { unique, asker: self.asker(), takes_before: Vec::new(), takes_after };
            return Err(Faulty { form_no: form.form_no, at, asks: Box::new(asks) });
        }
        let caller = self.author.caller();
        let secs = submission.started_at.map(|start| now.secs_since(start));
        let respondent = caller.filter(|_| self.is_respondents());
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
            shape: Arc::clone(shape),
        }))
    }

    /// The form as it is now, for a sender who had access to it before.
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

    /// The same as [`Self::read`] for a form that changed since.
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
        let claim = self.claim(tx, &form, &parsed.settings)?;
        let shape = self.look_up(tx, &parsed)?;
        match self.read(form, claim, shape, tx.now) {
            Ok(prepared) => Ok(*prepared),
            Err(faulty) => Err(self.refusal(tx, faulty)?),
        }
    }

    /// Stores the entry, if there is still room for it and its amounts, and no unique value is taken.
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
        let writes_later = shape.parsed.settings.notifications.writes_later();
        entry.results.is_by_program = is_by_program && (entry.results.is_waiting || writes_later);
        verification::assign(tx, form_no, &shape.parsed.settings.verification_code, &mut entry)?;
        let entry = rows::insert(tx, form_no, entry)?;
        let view = EntryView { entry, shape };
        if let Author::Respondent(who) = &self.author {
            // The sender is recorded only for respondents without an account.
            let sender = who.caller.is_none().then_some(who.sender.as_str());
            let cause = Cause { is_by_program, sender };
            notifications::of_new_entry(&self.outbox, tx, &prepared.form, &view, cause)?;
        }
        if let Some(once) = &self.once {
            let answer = match self.author {
                Author::Respondent(_) => answer::text(&self.secrets, &view, tx.now)?,
                Author::Collaborator(_) => entries::remembered(&view, tx.now)?,
            };
            once.remember(tx, &self.secrets, form_no, &answer)?;
        }
        Ok(Stored::Now(Box::new(view)))
    }
}
