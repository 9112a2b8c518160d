//! The expected events of any change, told from the forms before and after it as the API shows them. An entry that was
//! not there is created, one with another `updated_at` is updated, and so on.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use support::peers::receiver::Receiver;
use support::{Caller, Form, Server};

use crate::delivery::{FLAGS, KINDS, Webhook, ok, restore, values};

/// An event that is to come.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    pub kind: &'static str,
    pub serial: i64,
    pub entry: Value,
}

/// All entries of a form, by their numbers.
#[derive(Clone, Default)]
struct Shown {
    live: BTreeMap<i64, Value>,
    trash: BTreeMap<i64, Value>,
}

impl Shown {
    fn of(owner: &Caller, form: &Form) -> Self {
        Self { live: all(owner, &form.entries()), trash: all(owner, &form.trash()) }
    }

    /// The changes between this state and `after`.
    fn until(&self, after: &Self) -> Vec<Expected> {
        let event = |kind, serial: &i64, entry: &Value| Expected { kind, serial: *serial, entry: entry.clone() };
        let mut out = Vec::new();
        for (serial, entry) in &after.live {
            match self.live.get(serial) {
                Some(before) if before["updated_at"] == entry["updated_at"] => {}
                Some(_) => out.push(event("entry_updated", serial, entry)),
                None if self.trash.contains_key(serial) => {
                    out.push(event("entry_restored", serial, entry));
                }
                None => out.push(event("entry_created", serial, entry)),
            }
        }
        let gone = self.live.iter().filter(|(serial, _)| !after.live.contains_key(*serial));
        out.extend(gone.map(|(serial, entry)| event("entry_deleted", serial, entry)));
        out
    }
}

/// The entries of a list, by their numbers.
fn all(owner: &Caller, path: &str) -> BTreeMap<i64, Value> {
    let (mut out, mut cursor) = (BTreeMap::new(), String::new());
    loop {
        let page = ok(owner.get(format!("{path}?page_size=100&cursor={cursor}"))).json();
        for entry in page["data"].as_array().expect("rows") {
            let serial = entry["serial_number"].as_i64().expect("a number");
            out.insert(serial, entry.clone());
        }
        let next = page["pagination"]["next_cursor"].as_str();
        cursor = next.expect("a cursor").to_owned();
        if cursor.is_empty() {
            return out;
        }
    }
}

/// A webhook, its address and the kinds that it wants.
struct Wanting {
    webhook: Webhook,
    path: String,
    kinds: Vec<&'static str>,
    /// So many changes of the form were there before it.
    since: usize,
}

/// A form that is watched.
struct Watched {
    form: Form,
    shown: Shown,
    /// By change; within one, the order is not told.
    changes: Vec<Vec<Expected>>,
    wanting: Vec<Wanting>,
}

impl Watched {
    /// The events that a webhook is to get, by change.
    fn wanted(&self, wanting: &Wanting) -> Vec<Vec<Expected>> {
        let wanted = |change: &Vec<Expected>| {
            let events = change.iter();
            let events = events.filter(|event| wanting.kinds.contains(&event.kind));
            events.cloned().collect()
        };
        self.changes[wanting.since..].iter().map(wanted).collect()
    }
}

/// Forms of one owner, their changes, and the expected receivers.
pub struct Oracle {
    pub owner: Caller,
    pub receiver: Receiver,
    watched: Vec<Watched>,
    log: Vec<String>,
}

impl Oracle {
    pub fn new(owner: Caller) -> Self {
        Self { owner, receiver: Receiver::start(), watched: Vec::new(), log: Vec::new() }
    }

    /// One of a form with a webhook for everything, on the server that tests share.
    pub fn of(fields: Value) -> Self {
        let mut oracle = Self::new(Server::shared_with(&FLAGS).user());
        let form = oracle.owner.form(fields);
        oracle.watch(form);
        oracle.want(0, &KINDS);
        oracle
    }

    /// Watches a form; its place.
    pub fn watch(&mut self, form: Form) -> usize {
        self.watched.push(Watched {
            shown: Shown::of(&self.owner, &form),
            form,
            changes: Vec::new(),
            wanting: Vec::new(),
        });
        self.watched.len() - 1
    }

    /// A new webhook of a form; its place.
    pub fn want(&mut self, at: usize, kinds: &[&'static str]) -> usize {
        let watched = &mut self.watched[at];
        let path = format!("/{at}/{}", watched.wanting.len());
        let url = self.receiver.url(&path);
        watched.wanting.push(Wanting {
            webhook: Webhook::new(&self.owner, &watched.form, &url, kinds),
            path,
            kinds: kinds.to_vec(),
            since: watched.changes.len(),
        });
        watched.wanting.len() - 1
    }

    pub fn form(&self, at: usize) -> &Form {
        &self.watched[at].form
    }

    pub fn webhook(&self, at: usize, which: usize) -> &Webhook {
        &self.watched[at].wanting[which].webhook
    }

    /// The numbers of a form's live entries, and of those in its trash.
    pub fn serials(&self, at: usize) -> (Vec<i64>, Vec<i64>) {
        let shown = &self.watched[at].shown;
        let numbers = |list: &BTreeMap<i64, Value>| list.keys().copied().collect();
        (numbers(&shown.live), numbers(&shown.trash))
    }

    /// A live entry as it is shown.
    pub fn entry(&self, at: usize, serial: i64) -> &Value {
        &self.watched[at].shown.live[&serial]
    }

    /// Notes the effects of the last change on all forms; returns the kinds and numbers of the expected events.
    pub fn noted(&mut self, what: impl Into<String>) -> Vec<(&'static str, i64)> {
        self.log.push(what.into());
        let mut out = Vec::new();
        for watched in &mut self.watched {
            let after = Shown::of(&self.owner, &watched.form);
            let events = watched.shown.until(&after);
            out.extend(events.iter().map(|event| (event.kind, event.serial)));
            watched.shown = after;
            watched.changes.push(events);
        }
        out
    }

    /// Makes a last change of each kind in each form, and compares all arrived events with the expected ones.
    pub fn settle(&mut self) {
        for at in 0..self.watched.len() {
            let form = &self.watched[at].form;
            let (owner, path) = (self.owner.clone(), form.entries());
            let made = owner.post(path, values(json!({"field_1": "the last"})));
            assert_eq!(made.status, 201, "{made}");
            let serial = made.data()["serial_number"].as_i64().expect("a number");
            let entry = form.entry(serial);
            self.noted("the last is made");
            ok(owner.patch(&entry, values(json!({"field_1": "the end"}))));
            self.noted("the last is changed");
            ok(owner.delete(&entry));
            self.noted("the last is moved to the trash");
            ok(restore(&owner, &self.watched[at].form, serial));
            self.noted("the last is restored");
        }
        for watched in &self.watched {
            for wanting in &watched.wanting {
                self.compare(watched, wanting);
            }
        }
    }

    /// Waits until all noted events have arrived: those of entries deleted for good are not sent any more.
    pub fn delivered(&self) {
        for watched in &self.watched {
            for wanting in &watched.wanting {
                let count = watched.wanted(wanting).iter().map(Vec::len).sum();
                self.receiver.first_taken(&wanting.path, count);
            }
        }
    }

    fn compare(&self, watched: &Watched, wanting: &Wanting) {
        let log = || self.log.join("\n");
        let changes = watched.wanted(wanting);
        let count = changes.iter().map(Vec::len).sum();
        let first = self.receiver.first_taken(&wanting.path, count);
        let mut came = first.iter();
        for mut change in changes {
            for _ in 0..change.len() {
                let got = came.next().expect("so many came");
                let same = |event: &Expected| (event.kind, event.serial) == (got.kind(), got.serial());
                let place = change.iter().position(same);
                let place = place.unwrap_or_else(|| {
                    let (kind, serial) = (got.kind(), got.serial());
                    panic!("{}: {kind} of {serial}, not {change:?}\n{}", wanting.path, log())
                });
                let event = change.swap_remove(place);
                assert_eq!(got.body["entry"], event.entry, "{}\n{}", wanting.path, log());
                wanting.webhook.check(&watched.form, got);
            }
        }
        let more: Vec<&Value> = came.map(|got| &got.body).collect();
        assert!(more.is_empty(), "{}: {more:?}\n{}", wanting.path, log());
    }

    /// How many changes of each kind there were.
    pub fn counts(&self) -> BTreeMap<&'static str, usize> {
        let mut counts: BTreeMap<&'static str, usize> = KINDS.map(|kind| (kind, 0)).into();
        for watched in &self.watched {
            for event in watched.changes.iter().flatten() {
                *counts.entry(event.kind).or_default() += 1;
            }
        }
        counts
    }
}
