//! The pages on which a file is imported: its columns, the check of its rows, and their coming in as a job.

use serde_json::json;
use support::multipart::Body;
use support::session::{Session, account};
use support::sharing::share;
use support::steps::count;
use support::{Caller, Form, Response, Server, field, until};

const ALL: &str = "form:read form:write form:delete entry:read entry:write entry:delete";

struct Desk {
    server: Server,
    owner: Caller,
    form: Form,
    browser: Session,
}

fn desk() -> Desk {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, "ann@example.org");
    let owner = server.token("ann@example.org", ALL);
    let form = owner.form(json!([
        field("short_text", json!({"label": "Your name", "required": true})),
        field("number", json!({"label": "Seat", "unique": true})),
        field("address", json!({"label": "Home"})),
    ]));
    let browser = Session::on(&server).signed_in("ann@example.org");
    Desk { server, owner, form, browser }
}

impl Desk {
    fn page(&self) -> String {
        format!("/forms/{}/entries/import", self.form.token)
    }

    /// The address of a file's columns.
    fn columns(&self, file: &str) -> String {
        format!("/forms/{}/entries/import/{}", self.form.token, file)
    }

    fn send(&self, browser: &Session, name: &str, file: &[u8]) -> Response {
        browser.get("/profile");
        let body = Body::default().text("csrf", &browser.csrf()).file("file", name, "text/csv", file);
        let caller = browser.caller();
        body.send(&caller.header("origin", &caller.base), &self.page())
    }

    /// The page of a job once it is over.
    fn over(&self, job: &str) -> Response {
        until("the job is over", || !self.browser.get(job).is(200).text.contains("work-progress"));
        self.browser.get(job)
    }

    fn post(&self, path: &str, pairs: &[(&str, &str)]) -> Response {
        self.browser.get("/profile");
        self.browser.post(path, pairs)
    }
}

#[test]
fn a_file_is_mapped_checked_imported_and_undone() {
    let desk = desk();
    desk.browser.get(&desk.page()).is(200).has(["Import entries", "Download a template", "type=\"file\""]);
    let file = "Who,seat!,Town,Remarks\nAda,1,London,x\nGrace,1,,\n,3,Arlington,\n";
    let columns = desk.send(&desk.browser, "guests.csv", file.as_bytes()).leads();
    let page = desk.browser.get(&columns).is(200);
    // Similar names are found; others are left out, and required questions without a column are reported.
    page.has(["guests.csv", "3 rows", "Ada", "Arlington", "No column goes to what has to be answered: Your name"]);
    page.has(["<option value=\"field_2\" selected>Seat</option>"]);
    // Two columns for one question.
    let twice = [("column.0", "field_1"), ("column.1", "field_1")];
    desk.post(&columns, &twice).is(422).has(["name the same field", "<option value=\"field_1\" selected>"]);
    let chosen = [("column.0", "field_1"), ("column.1", "field_2"), ("column.2", "field_3.city"), ("column.3", "")];
    let job = desk.post(&columns, &chosen).leads();
    let refused = desk.over(&job);
    refused.has([
        "The file has faults",
        "2 faults",
        "line 3, seat!: has already been taken",
        "line 4, Who: can't be blank",
    ]);
    assert_eq!(count(&desk.owner, &desk.form), 0);
    // The corrected file keeps where its columns go.
    let file = "Who,seat!,Town,Remarks\nAda,1,London,x\nGrace,2,,\nKatherine,3,Arlington,\n";
    let columns = desk.send(&desk.browser, "guests.csv", file.as_bytes()).leads();
    desk.browser.get(&columns).is(200).has(["<option value=\"field_3.city\" selected>"]).lacks(["No column goes to"]);
    let checked = desk.over(&desk.post(&columns, &chosen).leads());
    checked.has(["All 3 rows are good", "Import 3 rows"]).lacks(["/undo\""]);
    assert_eq!(count(&desk.owner, &desk.form), 0);
    let job = desk.post(&columns, &[("act", "import")]).leads();
    desk.over(&job).has(["3 entries were added", &format!("{job}/undo")]);
    assert_eq!(desk.owner.get(desk.form.entry(3)).data()["field_3"]["city"], "Arlington");
    // The file is gone with that.
    assert_eq!(desk.browser.get(&columns).leads(), format!("{}?gone=1", desk.page()));
    desk.browser.get(&format!("{}?gone=1", desk.page())).has(["The file is not here any more"]);
    let api = desk.owner.get(format!("/api/v1{job}")).is(200).data();
    assert_eq!((&api["kind"], &api["state"], &api["total"]), (&json!("import"), &json!("done"), &json!(3)));
    let undo = desk.post(&format!("{job}/undo"), &[]).leads();
    desk.over(&undo).has(["3 entries are in the trash"]);
    assert_eq!(count(&desk.owner, &desk.form), 0);
}

#[test]
fn files_that_cannot_be_read_are_told_at_once() {
    let desk = desk();
    desk.send(&desk.browser, "guests.csv", b"Who\n\xff\n").is(422).has(["is not valid UTF-8"]);
    desk.send(&desk.browser, "guests.csv", b"").is(422).has(["is missing: the file is empty"]);
    desk.post(&desk.page(), &[("x", "y")]).is(422).has(["Choose a file"]);
    let nowhere = desk.columns("AAAAAAAAAAAAAAAAAAAAAA");
    assert_eq!(desk.browser.get(&nowhere).leads(), format!("{}?gone=1", desk.page()));
    assert_eq!(desk.post(&nowhere, &[]).leads(), format!("{}?gone=1", desk.page()));
}

#[test]
fn files_are_for_those_who_may_add_entries_and_their_own() {
    let desk = desk();
    for (name, role) in [("vic@example.org", "viewer"), ("ed@example.org", "editor")] {
        account(&desk.server, name);
        share(&desk.owner, &desk.form, &desk.server.token(name, "form:read"), role);
    }
    let viewer = Session::on(&desk.server).signed_in("vic@example.org");
    assert_eq!(viewer.get(&desk.page()).status, 403);
    assert_eq!(desk.send(&viewer, "a.csv", b"Who\nAda\n").status, 403);
    let list = format!("/forms/{}/entries", desk.form.token);
    viewer.get(&list).is(200).lacks([&desk.page()]);
    desk.browser.get(&list).is(200).has([&desk.page()]);
    let columns = desk.send(&desk.browser, "a.csv", b"Who\nAda\n").leads();
    let editor = Session::on(&desk.server).signed_in("ed@example.org");
    assert_eq!(editor.get(&columns).leads(), format!("{}?gone=1", desk.page()));
}

/// An import that was cut off is done once, and no row is lost.
#[test]
fn an_import_survives_the_end_of_the_process() {
    const ROWS: usize = 3_000;
    let desk = desk();
    let rows: String = (1..=ROWS).map(|n| format!("Guest {n},{n}\n")).collect();
    let columns = desk.send(&desk.browser, "many.csv", format!("Your name,Seat\n{rows}").as_bytes()).leads();
    let chosen = [("column.0", "field_1"), ("column.1", "")];
    desk.over(&desk.post(&columns, &chosen).leads()).has(["All 3000 rows are good"]);
    let job = desk.post(&columns, &[("act", "import")]).leads();
    let progress = || desk.owner.get(format!("/api/v1{job}")).is(200).data();
    until("it has begun", || progress()["state"] != "waiting");
    desk.server.kill();
    let server = Server::over(&desk.server.dir, &[]);
    let owner = support::steps::again(&desk.owner, &server);
    until("it is done", || owner.get(format!("/api/v1{job}")).is(200).data()["state"] == "done");
    assert_eq!(count(&owner, &desk.form), ROWS as i64);
}
