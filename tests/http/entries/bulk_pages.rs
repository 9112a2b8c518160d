//! The pages on which many entries are trashed or get a value, and the page of a job.

use serde_json::{Value, json};
use support::session::{Session, account};
use support::sharing::share;
use support::steps::{bulk, count};
use support::{Caller, Form, Response, Server, field, until};

const ALL: &str = "form:read form:write form:delete entry:read entry:write entry:delete";

struct Desk {
    server: Server,
    owner: Caller,
    form: Form,
    browser: Session,
}

/// A form of a text, a unique number and a file, with these many entries.
fn desk(entries: i64) -> Desk {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, "ann@example.org");
    let owner = server.token("ann@example.org", ALL);
    let form = owner.form(json!([
        field("short_text", json!({"label": "Town <b>"})),
        field("number", json!({"label": "Seat", "unique": true, "max": 9000})),
        field("attachment", json!({"label": "Photo"})),
    ]));
    let values: Vec<Value> = (1..=entries).map(|n| json!({"field_1": "Oddham", "field_2": n})).collect();
    bulk(&owner, &form, &values);
    let browser = Session::on(&server).signed_in("ann@example.org");
    Desk { server, owner, form, browser }
}

impl Desk {
    fn bulk(&self) -> String {
        format!("/forms/{}/entries/bulk", self.form.token)
    }

    /// The page of a job once it is over.
    fn over(&self, job: &str) -> Response {
        until("the job is over", || !self.browser.get(job).is(200).text.contains("work-progress"));
        self.browser.get(job)
    }

    fn begin(&self, pairs: &[(&str, &str)]) -> String {
        self.browser.get(&self.bulk());
        self.browser.post(&self.bulk(), pairs).leads()
    }
}

#[test]
fn all_that_match_go_to_the_trash_and_are_brought_back() {
    let desk = desk(60);
    let list = format!("/forms/{}/entries?keyword=odd", desk.form.token);
    let page = desk.browser.get(&list).is(200);
    page.has(["All 60 that match…", &format!("{}?keyword=odd", desk.bulk()), "Set a value…"]);
    let page = desk.browser.get(&format!("{}?keyword=odd", desk.bulk())).is(200);
    page.has(["60 entries", "All entries that match the conditions of the list", "Move 60 entries to trash"]);
    page.lacks(["Type 60"]);
    let job = desk.begin(&[("act", "trash"), ("expected_total", "60")]);
    assert!(job.starts_with(&format!("/forms/{}/jobs/", desk.form.token)), "{job}");
    let done = desk.over(&job);
    done.has(["60 entries are in the trash", "Started by ", &format!("{job}/undo")]);
    done.lacks(["http-equiv", "/stop\""]);
    assert_eq!(count(&desk.owner, &desk.form), 0);
    let back = desk.browser.post(&format!("{job}/undo"), &[]).leads();
    desk.over(&back).has(["60 entries are back"]).lacks(["/undo\""]);
    assert_eq!(count(&desk.owner, &desk.form), 60);
    // The job says that it was undone, and by which; asked again, it leads there.
    desk.browser.get(&job).has([&back]).lacks(["/undo\""]);
    assert_eq!(desk.browser.post(&format!("{job}/undo"), &[]).leads(), back);
    assert_eq!(desk.browser.post(&format!("/forms/{}/jobs/{}/stop", desk.form.token, "AAAA"), &[]).status, 404);
    assert_eq!(desk.browser.post(&format!("/forms/{}/jobs/{}/undo", desk.form.token, "AAAA"), &[]).status, 404);
    assert_eq!(desk.browser.get(&format!("/forms/{}/jobs/{}", desk.form.token, "AAAA")).status, 404);
    assert_eq!(desk.browser.get(&format!("/forms/{}/jobs/{}/refused", desk.form.token, "AAAA")).status, 404);
}

/// The list that a job was begun from is led back to, from its page and that of the job that undoes it.
#[test]
fn a_job_leads_back_to_its_list() {
    let desk = desk(4);
    let bulk = format!("{}?keyword=odd&sort=field_2", desk.bulk());
    desk.browser.get(&bulk).is(200);
    let job = desk.browser.post(&bulk, &[("act", "trash"), ("expected_total", "4")]).leads();
    assert!(job.ends_with("?keyword=odd&sort=field_2"), "{job}");
    let list = format!("href=\"/forms/{}/entries?keyword=odd&amp;sort=field_2\"", desk.form.token);
    let done = desk.over(&job);
    done.has([&*list, "Back to the filtered entries"]).lacks(["All entries"]);
    let undo = done.text.split("/undo?").nth(1).and_then(|rest| rest.split('"').next()).expect("a way back");
    assert_eq!(undo, "keyword=odd&amp;sort=field_2");
    let back = desk.browser.post(&job.replace('?', "/undo?"), &[]).leads();
    desk.over(&back).has([&list]);
    // From the list of all, it is the list of all.
    let job = desk.begin(&[("act", "trash"), ("expected_total", "4")]);
    desk.over(&job).has(["All entries"]);
}

#[test]
fn a_value_is_set_by_the_control_of_its_question() {
    let desk = desk(3);
    let chosen = format!("/forms/{}/entries/chosen", desk.form.token);
    desk.browser.get(&desk.bulk());
    let ticked = desk.browser.post(&chosen, &[("act", "set"), ("serial", "1"), ("serial", "3")]).leads();
    let page = desk.browser.get(&ticked).is(200);
    page.has(["2 entries", "Town &lt;b&gt;", "Seat"]).lacks(["Photo"]);
    let page = desk.browser.get(&format!("{ticked}&field=field_2")).is(200);
    page.has(["name=\"field_2\"", "Set it in 2 entries"]);
    let set = |value: &str| {
        let pairs = [("act", "set"), ("field", "field_2"), ("expected_total", "2"), ("_page", "0"), ("field_2", value)];
        desk.browser.get(&ticked);
        desk.browser.post(&ticked, &pairs)
    };
    // A value that no entry takes is refused before anything begins, and stays typed.
    set("9001").is(422).has(["value=\"9001\"", "9000"]);
    let job = set("77").leads();
    let done = desk.over(&job);
    let job = job.split('?').next().expect("an address");
    done.has(["1 entry has the value", "1 entry was refused", "Entry 3", "Seat", "has already been taken"]);
    done.lacks(["/undo\""]).has([&format!("{job}/refused")]);
    let list = desk.browser.get(&format!("{job}/refused")).is(200);
    assert_eq!(list.text, "\u{feff}Entry,Question,What is wrong\r\n3,Seat,has already been taken\r\n");
    assert_eq!(desk.owner.get(desk.form.entry(1)).data()["field_2"], 77);
    assert_eq!(desk.owner.get(desk.form.entry(2)).data()["field_2"], 2);
    assert_eq!(desk.owner.get(desk.form.entry(3)).data()["field_2"], 3);
    // A blank value takes the answer away.
    desk.over(&set("").leads()).has(["2 entries have the value"]);
    assert_eq!(desk.owner.get(desk.form.entry(3)).data()["field_2"], Value::Null);
    assert_eq!(desk.browser.post(&ticked, &[("act", "set"), ("field", "field_3")]).status, 400);
}

#[test]
fn the_number_of_many_entries_is_typed() {
    let desk = desk(1_001);
    desk.browser.get(&desk.bulk()).has(["Type 1001 to confirm", "Move 1,001 entries to trash"]);
    // So many that the work is not over before it is looked at.
    let more: Vec<Value> = (1_002..=8_000).map(|n| json!({"field_1": "Oddham", "field_2": n})).collect();
    bulk(&desk.owner, &desk.form, &more);
    let trash = |total: &str, typed: &str| {
        let pairs = [("act", "trash"), ("expected_total", total), ("typed_total", typed)];
        desk.browser.post(&desk.bulk(), &pairs)
    };
    trash("8000", "7999").is(422).has(["Type 8000, the number of entries", "value=\"7999\""]);
    // Meanwhile somebody answered.
    desk.owner.post(desk.form.entries(), json!({"field_values": {"field_1": "Evenford"}})).is(201);
    trash("8000", "8000").is(412).has(["Entries were added or changed meanwhile", "Type 8001 to confirm"]);
    assert_eq!(count(&desk.owner, &desk.form), 8_001);
    let job = trash("8001", "8,001").leads();
    let list = format!("/forms/{}/entries", desk.form.token);
    // While it runs: its page loads itself again without a script, the list leads to it, and it is stopped.
    let page = desk.browser.get(&job).is(200);
    page.has(["<noscript><meta http-equiv=\"refresh\" content=\"2\">", "work-progress", &format!("{job}/stop")]);
    desk.browser.get(&list).has(["Moving 8,001 entries to trash", &job]);
    let state = desk.browser.caller().header("Accept", "application/json").get(&job).is(200).data();
    assert_eq!(state["is_over"], false);
    assert_eq!(desk.browser.post(&format!("{job}/stop"), &[]).leads(), job);
    desk.over(&job).has(["Stopped after "]);
    desk.browser.get(&list).lacks(["Moving 8,001 entries"]);
}

#[test]
fn who_may_only_read_sees_jobs_and_begins_none() {
    let desk = desk(2);
    account(&desk.server, "vic@example.org");
    share(&desk.owner, &desk.form, &desk.server.token("vic@example.org", "form:read"), "viewer");
    let viewer = Session::on(&desk.server).signed_in("vic@example.org");
    let job = desk.begin(&[("act", "trash"), ("expected_total", "2")]);
    desk.over(&job);
    viewer.get(&job).is(200).has(["2 entries are in the trash"]).lacks(["/undo\"", "/stop\""]);
    assert_eq!(viewer.get(&desk.bulk()).status, 403);
    assert_eq!(viewer.post(&desk.bulk(), &[("act", "trash"), ("expected_total", "0")]).status, 403);
    assert_eq!(viewer.post(&format!("{job}/undo"), &[]).status, 403);
    let list = viewer.get(&format!("/forms/{}/entries", desk.form.token)).is(200);
    list.lacks(["Set a value…", "that match…"]);
}
