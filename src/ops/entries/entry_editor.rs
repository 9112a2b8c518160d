//! The data behind a page on which a collaborator changes an entry or adds one: the form, the stored values, the
//! options of the controls, and the effects of rules on the typed values. Saving is that of the API.

use std::sync::Arc;

use serde_json::Map;

use crate::base::clock::Time;
use crate::base::error::{Error, Result};
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::json::unknown_members::Ignored;
use crate::fields::Field;
use crate::fields::kind::Cx;
use crate::fields::links::LinkedData;
use crate::fields::values::{self, Values, stored};
use crate::model::caller::Caller;
use crate::model::entry::Entry;
use crate::model::form::Form;
use crate::model::precondition::IfMatch;
use crate::model::results::Results;
use crate::ops::app::{App, Ticket};
use crate::ops::capacity::occupancy::{self, Own};
use crate::ops::entries::answers::Answers;
use crate::ops::entries::idempotency::Once;
use crate::ops::entries::linked_options::{self, Find, Looks};
use crate::ops::entries::submission::{self, Stored, Submission};
use crate::ops::entries::{EntryView, Shape, change, links, live, recalled};
use crate::ops::forms::access::{self, Right};
use crate::query::form_cache::ParsedForm;

/// The entry that is edited.
#[derive(Clone, Copy)]
pub enum Subject {
    /// An entry that is added.
    New,
    /// The entry of this number, if it can be one.
    Entry(Option<i64>),
}

/// An entry that a collaborator edits on a page.
pub struct EntryEditor {
    pub form: Form,
    pub parsed: Arc<ParsedForm>,
    /// As it is stored; none for a new one.
    pub entry: Option<Entry>,
    /// The values in the controls, read.
    pub answers: Answers,
    /// The stored values.
    before: Values,
    now: Time,
}

impl EntryEditor {
    /// Opens an entry, or a new one.
    ///
    /// # Errors
    /// 403, 404.
    pub fn open(app: &App, caller: &Caller, token: &str, subject: Subject, now: Time) -> Result<Self> {
        let (form, parsed, entry) = app.store.read(|tx| {
            let form = access::form_for(tx, caller, token, Right::Enter)?;
            let parsed = app.cache.parsed(tx, &form)?;
            let entry = match subject {
                Subject::New => None,
                Subject::Entry(serial) => Some(live(tx, &form, serial)?),
            };
            Ok((form, parsed, entry))
        })?;
        let before = match &entry {
            Some(entry) => stored::values(&entry.values).map_err(Error::internal)?,
            None => Values::new(),
        };
        let shape = Shape { parsed: Arc::clone(&parsed), found: LinkedData::default() };
        let answers = Answers::unread(Arc::new(shape), false, now);
        Ok(Self { form, parsed, entry, answers, before, now })
    }

    /// The fields that a collaborator fills in.
    pub fn written(&self) -> impl Iterator<Item = &Field> {
        self.parsed.definition.fields.with_values().filter(|field| is_written(field))
    }

    /// The context in which collaborators read and write values.
    pub fn cx(&self) -> Cx<'_> {
        self.parsed.cx_with(self.now, false, &self.answers.shape.found)
    }

    /// Looks up the entries and files that these values name, and the options of the controls. A linked field with a
    /// search offers the matches.
    ///
    /// # Errors
    /// 503 while no reader is free.
    pub fn look_up(&mut self, app: &App, given: &Values, finds: &[Find]) -> Result<()> {
        let parsed = &self.parsed;
        let mut found = app.store.read(|tx| {
            let mut found = links::of_write(&app.cache, tx, parsed, Some(given), self.entry.as_ref())?;
            let fields = parsed.definition.fields.linking();
            linked_options::offer_all(app, tx, parsed, fields, finds, Looks::COLLABORATOR, &mut found)?;
            Ok(found)
        })?;
        found.files.by_page = true;
        let none = Results::default();
        let own = Own::Entry(&self.before, self.entry.as_ref().map_or(&none, |entry| &entry.results));
        found.occupancy = occupancy::for_collaborator(app, parsed, &own, self.now)?;
        let shape = Shape { parsed: Arc::clone(parsed), found };
        self.answers = Answers::unread(Arc::new(shape), false, self.now);
        Ok(())
    }

    /// The value in each control before anything is typed: the stored one, or the default of a new entry.
    pub fn shown_values(&self) -> Map<String, Json> {
        let cx = self.cx();
        let shown = |field: &Field| match &self.entry {
            Some(_) => values::on_page(field, self.before.get(&field.api_code), &cx),
            None => values::default_of(field, &cx),
        };
        self.written().map(|field| (field.api_code.clone(), shown(field))).collect()
    }

    /// Reads the values of the controls: of a stored entry the changed fields, of a new one all of them.
    pub fn read(&mut self, given: Values) {
        let (shape, raw) = (Arc::clone(&self.answers.shape), Json::Object(given));
        self.answers = match &self.entry {
            Some(_) => Answers::of_change(shape, self.before.clone(), raw, false, self.now, Issues::new()),
            None => Answers::of_new(shape, raw, false, self.now, Issues::new()),
        };
    }

    /// True if two values of a field are stored as the same.
    pub fn is_same(&self, field: &Field, one: &Json, other: &Json) -> bool {
        let cx = self.cx();
        let cx = cx.of_field(field);
        let read = |value: &Json| {
            let mut at = Issues::new();
            let parsed = if value.is_null() { Json::Null } else { field.kind.parse(value.clone(), &cx, &mut at) };
            at.is_empty().then(|| if values::is_blank(&parsed) { Json::Null } else { parsed })
        };
        one == other || read(one).is_some_and(|one| read(other) == Some(one))
    }

    /// The tag of the stored entry, which changes with it.
    ///
    /// # Errors
    /// Internal, when the stored text is damaged.
    pub fn tag(&self) -> Result<Option<String>> {
        let tag = |entry| self.answers.shape.etag(entry, self.now);
        Ok(self.entry.as_ref().map(tag).transpose()?.map(|tag| tag.0))
    }

    /// Saves these values as the API does. `faults` are those of the files that came with them.
    ///
    /// # Errors
    /// 403, 404, 409 where there is no room or for a key that was used for other values, 412 if the entry is not the
    /// one of this tag any more, 422.
    pub fn save(&self, app: &App, caller: &Caller, change: Change) -> Result<Saved> {
        let Change { values, faults, tag, once } = change;
        let token = self.form.token.as_str();
        if let Some(entry) = &self.entry {
            let if_match = tag.map_or(IfMatch::Absent, |tag| IfMatch::Tags(vec![tag]));
            let mut at = Issues::new();
            at.extend(faults);
            let change = (values, at);
            return change::update_by_page(app, caller, token, Some(entry.serial), change, if_match)
                .map(Saved::Changed);
        }
        let field_values = Json::Object(values);
        let submission = Submission { faults, ..Submission::of_console(field_values) };
        let mut ignored = Ignored::default();
        submission::create(app, caller, token, submission, once, &mut ignored).map(Saved::Added)
    }
}

/// The values that a page sends to be saved.
pub struct Change {
    pub values: Values,
    /// The faults of its files.
    pub faults: Vec<Issue>,
    /// Of the entry that it was made from.
    pub tag: Option<String>,
    /// Keeps a second click from adding a second entry.
    pub once: Option<Once>,
}

/// An entry about to be stored.
pub enum Saved {
    Changed(Ticket<EntryView>),
    Added(Ticket<Stored>),
}

impl Saved {
    /// Waits until it is on disk, and returns its number.
    ///
    /// # Errors
    /// As for `save`.
    pub fn wait(self) -> Result<i64> {
        let stored = match self {
            Self::Changed(ticket) => return Ok(ticket.wait()?.entry.serial),
            Self::Added(ticket) => ticket.wait()?,
        };
        match stored {
            Stored::Now(view) => Ok(view.entry.serial),
            Stored::Before(answer) => {
                let (_, body) = recalled(&answer);
                let body: Json = serde_json::from_str(body).map_err(Error::internal)?;
                body["serial_number"].as_i64().ok_or_else(|| Error::internal("an entry without a number"))
            }
        }
    }
}

fn is_written(field: &Field) -> bool {
    field.kind.is_written() || field.kind.comes_by_page()
}
