//! A form as respondents see and fill it (contract section 5).

use std::sync::Arc;

use serde_json::json;

use crate::base::clock::{self, Time};
use crate::base::error::{Code, Error, Noun, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::secret::{self, Keys};
use crate::base::text::clean;
use crate::fields::links::Found;
use crate::fields::stored;
use crate::fields::values;
use crate::model::entry::{Entry, NewEntry};
use crate::model::form::Form;
use crate::model::settings::Availability;
use crate::ops::availability::{self, Status};
use crate::ops::cache::ParsedForm;
use crate::ops::entries::{Prepared, Stored, accept, read_field_values};
use crate::ops::idempotency::Once;
use crate::ops::respondents::{Claim, Respondent};
use crate::ops::{
    App, Ticket, access_password, after_submission, disk_space, edit_right, entry_shape, links,
    settings,
};
use crate::store::tx::Tx;
use crate::store::{counters, forms};

const MAX_X_FIELD: usize = 255;
// Wrong ones a minute, for one address and form, before the next wrong ones have to wait (S25).
const PASSWORD_TRIES: u32 = 10;
// Wrong ones a minute from which on nothing is looked at any more: a right one that always passed would let
// an address guess without end, and fewer would let one person keep everybody else at the address out.
const MOST_PASSWORD_TRIES: u32 = 100;

/// A published form.
pub struct Published {
    /// The row.
    pub form: Form,
    /// Its parts.
    pub parsed: Arc<ParsedForm>,
    /// Whether they are now.
    pub status: Status,
}

impl Published {
    /// When it takes submissions.
    pub fn availability(&self) -> &Availability {
        &self.parsed.settings.availability
    }

    /// Whether it is behind an access password.
    pub fn has_password(&self) -> bool {
        self.parsed
            .settings
            .access_control
            .access_password
            .is_some()
    }

    /// Whether respondents may read and change their entries.
    pub fn may_edit_later(&self) -> bool {
        let options = &self.parsed.settings.submission_options;
        options.allow_edit_after_submission
    }

    /// Whether its fields are shown.
    pub fn shows_fields(&self) -> bool {
        match self.status {
            Status::Open => true,
            Status::NotOpen => self.availability().show_form_before_open,
            Status::Closed | Status::Full => false,
        }
    }
}

/// Who comes to a published form, and with which password.
#[derive(Clone, Copy)]
pub struct Visitor<'a> {
    /// What was given as the access password, if anything.
    pub password: Option<&'a str>,
    /// The visitor's address; IPv6 as its /64.
    pub address: &'a str,
}

/// Shows a published form.
///
/// # Errors
/// 404 unless it is published, 403 for the password, 429 after too many wrong ones.
pub fn show(app: &App, token: &str, visitor: Visitor) -> Result<Published> {
    let published = app.store.read(|tx| load(app, tx, token))?;
    check_password(app, &published, visitor)?;
    Ok(published)
}

pub(in crate::ops) fn load(app: &App, tx: &Tx, token: &str) -> Result<Published> {
    let form = forms::by_token(tx, token)?
        .filter(|form| form.deleted_at.is_none() && form.published)
        .ok_or(Error::NotFound(Noun::Form))?;
    let parsed = app.cache.parsed(tx, &form)?;
    let status = availability::status(&parsed.settings.availability, form.entries_count, tx.now);
    Ok(Published {
        form,
        parsed,
        status,
    })
}

/// That the form's access password was given, where it has one.
///
/// # Errors
/// 403, 429 after too many wrong ones.
pub(in crate::ops) fn check_password(
    app: &App,
    published: &Published,
    visitor: Visitor,
) -> Result<()> {
    let Some(wanted) = access_password::open(app, &published.parsed.settings)? else {
        return Ok(());
    };
    let Some(given) = visitor.password.filter(|given| !given.is_empty()) else {
        return Err(Error::Refused(
            Code::PasswordRequired,
            "This form needs a password".to_owned(),
        ));
    };
    // Counted whatever `--rate-limits` says (S25).
    let key = (visitor.address, published.form.form_no);
    let now = clock::now();
    let tries = app.password_tries.look(&key, MOST_PASSWORD_TRIES, now);
    if tries.remaining == 0 {
        return Err(Error::TooMany(tries.reset_secs.max(1)));
    }
    // Kept passwords are clean text, however a keyboard composes its letters.
    let given = clean(given.to_owned()).unwrap_or_default();
    if secret::same(given.as_bytes(), wanted.as_bytes()) {
        return Ok(());
    }
    let tries = app.password_tries.hit(&key, PASSWORD_TRIES, now);
    if !tries.is_allowed {
        return Err(Error::TooMany(tries.reset_secs.max(1)));
    }
    Err(Error::Refused(
        Code::PasswordInvalid,
        "The password is wrong".to_owned(),
    ))
}

/// Whether this is the password of a form that has one. It does not count as a try: not for what somebody types.
pub fn opens(app: &App, token: &str, password: &str) -> Result<bool> {
    let published = app.store.read(|tx| load(app, tx, token))?;
    let wanted = access_password::open(app, &published.parsed.settings)?;
    let given = clean(password.to_owned()).unwrap_or_default();
    Ok(wanted.is_some_and(|wanted| secret::same(given.as_bytes(), wanted.as_bytes())))
}

/// A submission before it is looked at.
pub struct Submission {
    /// Write shapes by api_code.
    pub field_values: Json,
    /// The access password.
    pub password: Option<String>,
    /// From the form's address.
    pub x_field_1: Option<String>,
    /// When the respondent began.
    pub started_at: Option<Time>,
    /// What was wrong in the body, said when the rest was checked: who may not submit is told that alone.
    pub faults: Vec<Issue>,
    /// Whether the form's own page sends it.
    pub by_page: bool,
}

impl Submission {
    /// Reads the body of contract section 5.
    pub fn read(body: Json) -> Self {
        let mut at = Issues::new();
        let submission = Self::read_from(&mut Reader::new(body, &mut at));
        Self {
            faults: at.into_list(),
            ..submission
        }
    }

    fn read_from(reader: &mut Reader) -> Self {
        Self {
            field_values: read_field_values(reader),
            password: reader.opt_text("password", 256),
            x_field_1: reader.opt_text("x_field_1", MAX_X_FIELD),
            started_at: reader.opt_time("started_at"),
            faults: Vec::new(),
            by_page: false,
        }
    }

    /// The JSON Schema of the body.
    pub fn schema() -> Json {
        Reader::describe(|reader| {
            Self::read_from(reader);
        })
    }
}

/// What is shown after a submission.
pub struct Accepted {
    /// The form it went to.
    pub published: Arc<Published>,
    /// The entry, when it is on disk.
    pub ticket: Ticket<Stored>,
    /// What it links to.
    pub found: Arc<Found>,
}

/// Takes a submission.
///
/// # Errors
/// 401 where it takes an account, 403 closed or without password, 404, 409, 422, 503.
pub fn submit(
    app: &App,
    who: &Respondent,
    token: &str,
    submission: Submission,
    once: Option<Once>,
) -> Result<Accepted> {
    let (published, found, before) = app.store.read(|tx| {
        let published = load(app, tx, token)?;
        let given = submission.field_values.as_object();
        let mut found = links::of_write(&app.cache, tx, &published.parsed, given, None)?;
        found.files.by_page = submission.by_page;
        let before = match &once {
            Some(once) => once.before(tx, app.keys(), published.form.form_no)?,
            None => None,
        };
        Ok((Arc::new(published), Arc::new(found), before))
    })?;
    let visitor = Visitor {
        password: submission.password.as_deref(),
        address: who.address,
    };
    check_password(app, &published, visitor)?;
    if let Some(answer) = before {
        let ticket = Ticket::ready(Ok(Stored::Before(answer)));
        return Ok(Accepted {
            published,
            ticket,
            found,
        });
    }
    published.status.check()?;
    disk_space::check(app)?;
    let claim = Claim::of(app.keys(), &published.form, &published.parsed.settings, who)?;
    if claim != Claim::Unlimited {
        app.store
            .read(|tx| claim.check(tx, published.form.form_no))?;
    }
    let now = clock::now();
    let mut at = Issues::new();
    at.put_in(submission.faults);
    let parsed = &published.parsed;
    let fields = &parsed.definition.fields;
    let stored = values::create(
        fields,
        &parsed.rules,
        submission.field_values,
        &parsed.cx_with(now, true, &found),
        &mut at,
    );
    accept(app, &published.form, parsed, &stored, at)?;
    let entry = NewEntry {
        creator_name: who.caller.map(|caller| caller.user.name.clone()),
        duration_secs: submission
            .started_at
            .map(|start| now.secs_since(start))
            .filter(|secs| *secs >= 0),
        x_field_1: submission.x_field_1,
        respondent: who.caller.map(|caller| caller.user.id),
        values: stored::text(&stored),
        keys: Vec::new(),
        uploads: found.files.taken(&stored),
    };
    let prepared = Prepared::new(&published.form, parsed, &stored, entry, now);
    let (keys, job) = (app.store.shared_keys(), Arc::clone(&published));
    let links = Arc::clone(&found);
    let ticket = app.store.submit(move |tx| {
        let form_no = job.form.form_no;
        if let Some(once) = &once
            && let Some(answer) = once.before(tx, &keys, form_no)?
        {
            return Ok(Stored::Before(answer));
        }
        // The version is compared first: a form that was closed meanwhile is read again.
        forms::still(tx, form_no, job.form.version)?;
        let entries = counters::of_form(tx, form_no)?.live_count;
        availability::status(job.availability(), entries, tx.now).check()?;
        claim.check(tx, form_no)?;
        let entry = prepared.store(tx)?;
        if let Some(once) = &once {
            once.remember(
                tx,
                &keys,
                form_no,
                &answer(&keys, &job, &entry, &links, tx.now)?,
            )?;
        }
        Ok(Stored::Now(entry))
    });
    Ok(Accepted {
        published,
        ticket,
        found,
    })
}

/// The JSON Schema of the answer to a submission.
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
        },
        "required": ["entry", "after_submission"],
    })
}

/// The answer to a submission, as JSON text.
pub fn answer(
    keys: &Keys,
    published: &Published,
    entry: &Entry,
    found: &Found,
    now: Time,
) -> Result<String> {
    let cx = published.parsed.cx_with(now, true, found);
    let shown = entry_shape::for_respondent(&published.parsed, entry, &cx)?;
    let after = after_submission::text(&published.parsed, entry, &cx);
    let edit = match published.may_edit_later() {
        true => format!(
            ",\"edit_token\":\"{}\"",
            edit_right::token(keys, &entry.token)
        ),
        false => String::new(),
    };
    Ok(format!(
        "{{\"entry\":{shown},\"after_submission\":{after}{edit}}}"
    ))
}
