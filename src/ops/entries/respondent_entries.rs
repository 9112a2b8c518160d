//! Respondents read and change their own entries, where the form's settings allow it (contract section 5).

use std::sync::Arc;

use crate::base::clock::{self, Time};
use crate::base::error::{Error, Noun, Result};
use crate::base::id::EntryToken;
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::json::unknown_members::Ignored;
use crate::base::reader::Reader;
use crate::fields::values::Values;
use crate::model::entry::Entry;
use crate::model::precondition::IfMatch;
use crate::ops::app::{App, Ticket};
use crate::ops::capacity::Asker;
use crate::ops::entries::answers::Answers;
use crate::ops::entries::change::{self, ChangeRequest, ChangedBy, ForChange};
use crate::ops::entries::{self, EntryView, Shape, edit_right, entry_shape, links, read_field_values};
use crate::ops::forms::availability::Status;
use crate::ops::forms::published::{self, Published, Visitor};
use crate::query::form_cache::Cache;
use crate::store::db::tx::Tx;
use crate::store::entries as rows;

/// A respondent's request for an entry, with the right to it.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// The form's token.
    pub form: &'a str,
    /// The entry's token.
    pub entry: &'a str,
    /// The right to it, if any was sent.
    pub edit_token: Option<&'a str>,
    /// The respondent.
    pub visitor: Visitor<'a>,
}

/// A respondent's own entry.
pub struct OwnEntry {
    /// The form.
    pub published: Arc<Published>,
    /// The entry.
    pub entry: Entry,
    /// How it is shown.
    pub shape: Arc<Shape>,
}

/// Checks that entries of a form may be changed now: not before it opens and not after it closed.
///
/// # Errors
/// 403 with the reason.
pub fn check_open(published: &Published) -> Result<()> {
    match published.status {
        // An entry has its place in a full form.
        Status::Open | Status::Full => Ok(()),
        shut @ (Status::NotOpen | Status::Closed) => shut.check(),
    }
}

impl OwnEntry {
    /// The entry and its form as they are now, for a respondent who had access before.
    ///
    /// # Errors
    /// 404, `Stale`.
    pub(in crate::ops) fn again(&self, cache: &Cache, tx: &Tx) -> Result<Self> {
        let (published, entry) = again(cache, tx, &self.published, &self.entry.token)?;
        let found = links::of_write(cache, tx, &published.parsed, None, Some(&entry))?;
        let shape = Arc::new(Shape { parsed: Arc::clone(&published.parsed), found });
        Ok(Self { published: Arc::new(published), entry, shape })
    }

    /// The entry as its respondent sees it, or as it became.
    ///
    /// # Errors
    /// Internal, when the stored text is damaged.
    pub fn for_respondent(shape: &Shape, entry: &Entry, now: Time) -> Result<String> {
        let cx = shape.parsed.cx_with(now, true, &shape.found);
        entry_shape::for_respondent(&shape.parsed, entry, &cx)
    }
}

/// Finds a respondent's own entry.
///
/// # Errors
/// 403 for the password or where the settings don't allow it, 404 without the right to it.
pub fn find(app: &App, ask: &Ask) -> Result<OwnEntry> {
    let own = find_any(app, ask)?;
    if !own.published.may_edit_later() {
        return Err(Error::Forbidden);
    }
    Ok(own)
}

/// The same, whether or not the settings allow respondents to read and change their entries.
///
/// # Errors
/// 403 for the password, 404 without the right to it.
pub fn find_any(app: &App, ask: &Ask) -> Result<OwnEntry> {
    let (published, found) = app.store.read(|tx| {
        let published = published::load(app, tx, ask.form)?;
        let entry = rows::by_token(tx, published.form.form_no, ask.entry)?;
        let found = match entry {
            None => None,
            Some(entry) => {
                let parsed = &published.parsed;
                let found = links::of_write(&app.cache, tx, parsed, None, Some(&entry))?;
                Some((entry, found))
            }
        };
        Ok((published, found))
    })?;
    published::check_password(app, &published, ask.visitor)?;
    // Without the right to it an entry is as good as unknown.
    let is_theirs = |entry: &Entry| {
        let right = ask.edit_token;
        right.is_some_and(|right| edit_right::opens(app.keys(), &entry.token, right))
    };
    let (entry, found) = found.filter(|(entry, _)| is_theirs(entry)).ok_or(Error::NotFound(Noun::Entry))?;
    let shape = Arc::new(Shape { parsed: Arc::clone(&published.parsed), found });
    Ok(OwnEntry { published: Arc::new(published), entry, shape })
}

/// A change before it is looked at.
pub struct OwnChange {
    /// Write shapes by api_code.
    pub field_values: Json,
    /// The access password.
    pub password: Option<String>,
    /// The pseudonym of the respondent's network.
    pub sender: Option<String>,
    /// Faults of the body, reported with those of the check. A respondent who may not change the entry gets that error
    /// alone.
    faults: Issues,
}

impl OwnChange {
    /// Of these values.
    fn new(field_values: Json) -> Self {
        Self { field_values, password: None, sender: None, faults: Issues::new() }
    }

    /// Of these values of the form's own page, with the faults of its files.
    pub fn of_page(field_values: Json, faults: Vec<Issue>) -> Self {
        let mut at = Issues::new();
        at.extend(faults);
        Self { faults: at, ..Self::new(field_values) }
    }

    /// Reads the body of contract section 5.
    pub fn read(body: Json) -> Self {
        let mut at = Issues::new();
        let change = Self::read_from(&mut Reader::new(body, &mut at));
        Self { faults: at, ..change }
    }

    /// Adds the values that the published form does not read.
    pub fn note_ignored(&mut self, published: &Published, ignored: &mut Ignored) {
        entries::add_ignored(ignored, &published.parsed, &self.field_values, true);
        self.faults.append(std::mem::take(&mut ignored.faults));
    }

    fn read_from(reader: &mut Reader) -> Self {
        Self { password: reader.opt_text("password", 256), ..Self::new(read_field_values(reader)) }
    }

    /// The JSON Schema of the body.
    pub fn schema() -> Json {
        Reader::describe(|reader| {
            Self::read_from(reader);
        })
    }
}

/// Changes the named fields of an entry that [`find`] gave its respondent. `answers` are its values where a page has read
/// them.
///
/// # Errors
/// 403 while the form takes no submissions, 412, 422.
pub fn update(
    app: &App,
    published: &Arc<Published>,
    entry: Entry,
    change: OwnChange,
    answers: Option<&Answers>,
    if_match: IfMatch,
) -> Result<Ticket<EntryView>> {
    check_open(published)?;
    // A page has read the answers, with the data looked up for them.
    let by_page = answers.is_some_and(|answers| answers.shape.found.files.by_page);
    let OwnChange { field_values: raw, sender, mut faults, .. } = change;
    let by = ChangedBy { is_program: answers.is_none(), sender };
    let now = clock::now();
    let (cache, before, token) = (Arc::clone(&app.cache), Arc::clone(published), entry.token.clone());
    let look_up = move |tx: &Tx, request: &ChangeRequest| {
        let (published, entry) = again(&cache, tx, &before, &token)?;
        check_open(&published)?;
        let shape = shape_of(&cache, tx, &published, &entry, (request.raw.as_object(), by_page))?;
        request.if_match.check(&shape.etag(&entry, tx.now)?)?;
        Ok(ForChange { form: published.form, shape, entry })
    };
    let shape = match answers {
        Some(answers) => Arc::clone(&answers.shape),
        None => app.store.read(|tx| shape_of(&app.cache, tx, published, &entry, (raw.as_object(), by_page)))?,
    };
    if_match.check(&shape.etag(&entry, now)?)?;
    let request = ChangeRequest { asker: Asker::Respondent, raw, respondent: true, if_match, by };
    let found = ForChange { form: published.form.clone(), shape, entry };
    match answers {
        Some(answers) => {
            faults.append(answers.faults.clone());
            change::change(app, found, answers, faults, request, look_up)
        }
        None => {
            let answers = request.read(&found.shape, &found.entry, now, faults)?;
            change::change(app, found, &answers, answers.faults.clone(), request, look_up)
        }
    }
}

/// The context of a change to these values, which may come with files if a page sends them.
fn shape_of(
    cache: &Cache,
    tx: &Tx,
    published: &Published,
    entry: &Entry,
    (given, by_page): (Option<&Values>, bool),
) -> Result<Arc<Shape>> {
    let parsed = Arc::clone(&published.parsed);
    let mut found = links::of_write(cache, tx, &parsed, given, Some(entry))?;
    found.files.by_page = by_page;
    Ok(Arc::new(Shape { parsed, found }))
}

/// A respondent's entry and its form as they are now.
fn again(cache: &Cache, tx: &Tx, before: &Published, token: &EntryToken) -> Result<(Published, Entry)> {
    let published = published::again(cache, tx, before)?;
    let entry = rows::by_token(tx, published.form.form_no, token.as_str())?;
    Ok((published, entry.ok_or(Error::NotFound(Noun::Entry))?))
}
