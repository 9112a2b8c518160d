//! Every field kind, from outside: values that are taken and how they read, values that are refused and
//! where, definitions that are refused and where (spec 2.7, contract 3.1 and 3.3).

mod choices;
mod dates;
mod definitions;
mod fields;
mod files;
mod formula;
mod grid_definitions;
mod grid_pages;
mod grids;
mod key_names;
mod linked;
mod numbers;
mod own_page;
mod places;
mod posted;
mod shop;
mod texts;

use std::borrow::Borrow;
use std::collections::BTreeMap;

use serde_json::{Value, json};
use support::steps::make;
use support::{Caller, Form, Response, Server, field};

/// The faults of a field's definition, without `fields[0]` before each.
fn faults(owner: &Caller, kind: &str, own: impl Borrow<Value>) -> Vec<String> {
    let own = own.borrow();
    let answer = make(owner, &json!([field(kind, own.clone())]));
    assert_eq!(answer.status, 422, "{kind} {own}: {answer}");
    let cut = |fault: &String| fault.strip_prefix("fields[0]").unwrap_or(fault).to_owned();
    answer.faults().iter().map(cut).collect()
}

/// Rows of a written value, and its faults.
fn refuse(faults: &dyn Fn(Value) -> Vec<String>, rows: &[(Value, &[&str])]) {
    for (written, expected) in rows {
        assert_eq!(faults(written.clone()), *expected, "{written}");
    }
}

/// Values of one definition.
struct Group {
    kind: &'static str,
    own: Value,
    /// A written value, and how it reads.
    taken: Vec<(Value, Value)>,
    /// A written value, and the faults: `attribute: message` behind `field_values.field_1`.
    refused: Vec<(Value, Vec<String>)>,
    /// Whose form it must be; none: anybody's.
    owner: Option<Caller>,
}

impl Group {
    fn of(kind: &'static str, own: Value) -> Self {
        Self { kind, own, taken: Vec::new(), refused: Vec::new(), owner: None }
    }

    /// A value that reads as it was written.
    fn keeps(self, values: impl IntoIterator<Item = Value>) -> Self {
        values.into_iter().fold(self, |group, value| group.takes(value.clone(), value))
    }

    fn takes(mut self, written: Value, read: Value) -> Self {
        self.taken.push((written, read));
        self
    }

    /// `fault` is `message`, or `.key: message`, or `[0]: message`.
    fn refuses(self, written: Value, fault: &str) -> Self {
        self.refuses_for(written, &[fault])
    }

    fn refuses_for(mut self, written: Value, faults: &[&str]) -> Self {
        let faults = faults.iter().map(|fault| match fault.split_once(": ") {
            Some((at, message)) if at.starts_with(['.', '[']) => {
                format!("field_values.field_1{at}: {message}")
            }
            _ => format!("field_values.field_1: {fault}"),
        });
        self.refused.push((written, faults.collect()));
        self
    }

    fn owner<'a>(&'a self, other: &'a Caller) -> &'a Caller {
        self.owner.as_ref().unwrap_or(other)
    }

    fn form(&self, owner: &Caller) -> Form {
        owner.form(json!([field(self.kind, self.own.clone())]))
    }
}

fn values(value: &Value) -> Value {
    json!({"field_values": {"field_1": value}})
}

fn groups() -> Vec<Group> {
    [
        texts::groups(),
        numbers::groups(),
        places::groups(),
        files::groups(),
        dates::groups(),
        choices::groups(),
        linked::groups(),
        grids::groups(),
        shop::groups(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The kinds that there are, as the service itself lists them.
fn kinds(owner: &Caller) -> Vec<String> {
    let refused = owner.post("/api/v1/forms", json!({"name": "x", "fields": [{"type": "?", "label": "x"}]}));
    let faults = refused.faults();
    let list = faults[0].strip_prefix("fields[0].type: must be one of ").expect("the list");
    list.split(", ").map(str::to_owned).collect()
}

#[test]
fn every_kind_has_enough_cases() {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for group in groups() {
        let count = counts.entry(group.kind).or_default();
        count.0 += group.taken.len();
        count.1 += group.refused.len();
    }
    for kind in kinds(&Server::shared().user()) {
        // Nobody writes these.
        if ["formula", "audio", "signature", "page_break", "description"].contains(&kind.as_str()) {
            continue;
        }
        let (taken, refused) = counts.get(kind.as_str()).copied().unwrap_or_default();
        assert!(taken >= 5 && refused >= 8, "{kind}: {taken} taken, {refused} refused");
    }
}

#[test]
fn values_are_taken_and_read_as_they_should() {
    let server = Server::shared();
    let (owner, respondent) = (server.user(), server.anon());
    for group in groups() {
        let owner = group.owner(&owner);
        let form = group.form(owner);
        for (written, read) in &group.taken {
            let at = |answer: &Response| format!("{} {}: {written}: {answer}", group.kind, group.own);
            let made = owner.post(form.entries(), values(written));
            assert_eq!(made.status, 201, "{}", at(&made));
            assert_eq!(made.data()["field_1"], *read, "{}", at(&made));
            let serial = made.data()["serial_number"].as_i64().expect("a number");
            let again = owner.get(form.entry(serial));
            assert_eq!(again.data(), made.data(), "{}", at(&again));
            // A value that was read may be written back.
            let same = owner.patch(form.entry(serial), values(read));
            assert_eq!((same.status, &same.data()["field_1"]), (200, read), "{}", at(&same));
            assert_eq!(same.json().get("warnings"), None, "{}", at(&same));
            let sent = respondent.post(form.submissions(), values(written));
            assert_eq!(sent.status, 201, "{}", at(&sent));
            assert_eq!(sent.data()["entry"]["field_1"], *read, "{}", at(&sent));
        }
    }
}

#[test]
fn values_are_refused_where_they_are_wrong() {
    let server = Server::shared();
    let (owner, respondent) = (server.user(), server.anon());
    for group in groups() {
        let owner = group.owner(&owner);
        let form = group.form(owner);
        assert_eq!(owner.post(form.entries(), json!({"field_values": {}})).status, 201);
        for (written, faults) in &group.refused {
            for answer in [
                owner.post(form.entries(), values(written)),
                owner.patch(form.entry(1), values(written)),
                respondent.post(form.submissions(), values(written)),
            ] {
                let at = format!("{} {}: {written}", group.kind, group.own);
                assert_eq!(answer.status, 422, "{at}: {answer}");
                assert_eq!(answer.faults(), *faults, "{at}");
            }
        }
        assert_eq!(owner.get(form.entries()).json()["pagination"]["total"], 1);
    }
}

#[test]
fn null_clears_and_blank_is_none_in_every_kind() {
    let owner = Server::shared().user();
    for group in groups() {
        let owner = group.owner(&owner);
        let form = group.form(owner);
        let (written, read) = &group.taken[0];
        assert_eq!(owner.post(form.entries(), values(written)).status, 201);
        let lists = ["checkbox", "image_checkbox", "product", "booking", "table", "attachment"];
        let empty = if lists.contains(&group.kind) { json!([]) } else { json!(null) };
        let cleared = owner.patch(form.entry(1), values(&json!(null)));
        assert_eq!(cleared.data()["field_1"], empty, "{}: {cleared}", group.kind);
        let absent = owner.post(form.entries(), json!({"field_values": {}}));
        assert_eq!(absent.data()["field_1"], empty, "{}: {absent}", group.kind);
        let mut own = group.own.clone();
        own["required"] = json!(true);
        let required = owner.form(json!([field(group.kind, own)]));
        for body in [values(&json!(null)), json!({"field_values": {}})] {
            let refused = owner.post(required.entries(), body);
            assert_eq!(refused.faults(), ["field_values.field_1: can't be blank"], "{}", group.kind);
        }
        if *read == empty {
            continue;
        }
        assert_eq!(owner.post(required.entries(), values(written)).status, 201, "{}", group.kind);
    }
}
