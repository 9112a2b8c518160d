//! The pages on which a file is imported: its columns, the check of its rows, and their coming in as a job.

use std::time::{Duration, Instant};

use serde_json::json;
use support::multipart::Body;
use support::session::{Session, account};
use support::sharing::share;
use support::steps::{add, count};
use support::{Caller, Form, Response, Server, field, until};

pub const ALL: &str = "form:read form:write form:delete entry:read entry:write entry:delete";

/// The note that a required question gets no column.
const NEEDED: &str = "<li data-needs=\"field_1\"><bdi>Your name</bdi></li>";

pub struct Desk {
    pub server: Server,
    pub owner: Caller,
    pub form: Form,
    pub browser: Session,
}

pub fn desk() -> Desk {
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
    pub fn page(&self) -> String {
        format!("/forms/{}/entries/import", self.form.token)
    }

    /// The address of a file's columns.
    fn columns(&self, file: &str) -> String {
        format!("/forms/{}/entries/import/{}", self.form.token, file)
    }

    pub fn send(&self, browser: &Session, name: &str, file: &[u8]) -> Response {
        browser.get("/profile");
        let body = Body::default().text("csrf", &browser.csrf()).file("file", name, "text/csv", file);
        let caller = browser.caller();
        body.send(&caller.header("origin", &caller.base), &self.page())
    }

    /// The page of a job once it is over.
    pub fn over(&self, job: &str) -> Response {
        until("the job is over", || !self.browser.get(job).is(200).text.contains("work-progress"));
        self.browser.get(job)
    }

    pub fn post(&self, path: &str, pairs: &[(&str, &str)]) -> Response {
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
    page.has(["guests.csv", "3 rows", "Ada", "Arlington", NEEDED]);
    page.has(["<option value=\"field_2\" selected>Seat</option>"]);
    // Two columns for one question: both stay as they were chosen, and nothing is missing any more.
    let twice = [("column.0", "field_1"), ("column.1", "field_1")];
    let page = desk.post(&columns, &twice).is(422);
    page.has(["name the same field"]).lacks([NEEDED]);
    assert_eq!(page.text.matches("<option value=\"field_1\" selected>").count(), 2, "{page}");
    let chosen = [("column.0", "field_1"), ("column.1", "field_2"), ("column.2", "field_3.city"), ("column.3", "")];
    let job = desk.post(&columns, &chosen).leads();
    let refused = desk.over(&job);
    refused.has([
        "<h1>Checked \u{2068}guests.csv\u{2069}</h1>",
        "The file has 2 faults",
        "\u{2068}seat!\u{2069}: 1 fault",
        "<bdi>1</bdi>",
        "has already been taken",
        "\u{2068}Who\u{2069}: 1 fault",
        "can't be blank",
    ]);
    assert_eq!(count(&desk.owner, &desk.form), 0);
    // The file comes back with its faults in a column more; corrected, it keeps where the others go.
    let marked = desk.browser.get(&format!("{job}/refused")).is(200);
    assert!(marked.header("content-disposition").contains("guests"), "{marked}");
    let expected = "\u{feff}What is wrong,Who,seat!,Town,Remarks\r\n,Ada,1,London,x\r\n\
                    seat!: has already been taken,Grace,1,,\r\nWho: can't be blank,,3,Arlington,\r\n";
    assert_eq!(marked.text, expected);
    // Other users who see the job get the list of them.
    account(&desk.server, "vic@example.org");
    share(&desk.owner, &desk.form, &desk.server.token("vic@example.org", "form:read"), "viewer");
    let viewer = Session::on(&desk.server).signed_in("vic@example.org");
    let expected = "\u{feff}Row,Column,Value,What is wrong\r\n3,seat!,1,has already been taken\r\n\
                    4,Who,,can't be blank\r\n";
    assert_eq!(viewer.get(&format!("{job}/refused")).is(200).text, expected);
    let file = marked.text.replace("Grace,1", "Grace,2").replace("blank,,3", "blank,Katherine,3");
    let columns = desk.send(&desk.browser, "guests.csv", file.as_bytes()).leads();
    desk.browser.get(&columns).is(200).has(["<option value=\"field_3.city\" selected>"]).lacks([NEEDED]);
    let chosen = [("column.0", ""), ("column.1", "field_1"), ("column.2", "field_2"), ("column.3", "field_3.city")];
    let checked = desk.over(&desk.post(&columns, &chosen).leads());
    checked.has(["All 3 rows are good", "Import 3 rows"]).lacks(["/undo\""]);
    assert_eq!(count(&desk.owner, &desk.form), 0);
    let job = desk.post(&columns, &[("act", "import")]).leads();
    let imported = desk.over(&job);
    imported.has(["<h1>Imported \u{2068}guests.csv\u{2069}</h1>", "3 entries were added", &format!("{job}/undo")]);
    // Its entries are a list of their own, whatever else comes in.
    add(&desk.owner, &desk.form, json!({"field_1": "Charles"}));
    let see = imported.text.split("href=\"").find(|rest| rest.contains("See entries 1 to 3")).expect("a link");
    let see = see.split('"').next().expect("an address").replace("&amp;", "&");
    desk.browser.get(&see).is(200).has(["3 of 4 entries match", "Ada", "Katherine"]).lacks(["Charles"]);
    assert_eq!(desk.owner.get(desk.form.entry(3)).data()["field_3"]["city"], "Arlington");
    // The file is gone with that.
    assert_eq!(desk.browser.get(&columns).leads(), format!("{}?gone=1", desk.page()));
    desk.browser.get(&format!("{}?gone=1", desk.page())).has(["The file is not here any more"]);
    let api = desk.owner.get(format!("/api/v1{job}")).is(200).data();
    assert_eq!((&api["kind"], &api["state"], &api["total"]), (&json!("import"), &json!("done"), &json!(3)));
    let undo = desk.post(&format!("{job}/undo"), &[]).leads();
    desk.over(&undo).has(["<h1>Moved 3 entries to trash</h1>", "3 entries are in the trash"]);
    assert_eq!(count(&desk.owner, &desk.form), 1);
    desk.browser.get(&job).is(200).lacks(["See entries 1 to 3"]);
}

/// Columns go to the only question that their name or their cells ask for, unless it can't read them.
#[test]
fn columns_go_where_their_names_and_cells_lead() {
    let desk = desk();
    let form = desk.owner.form(json!([
        field("short_text", json!({"label": "Town"})),
        field("email", json!({"label": "Where do we write to?", "required": true})),
        field("phone", json!({"label": "Where do we call?", "default_country": "DE"})),
        field("number", json!({"label": "Seat"})),
    ]));
    let other = desk.owner.form(json!([field("email", json!({})), field("email", json!({}))]));
    let desk = Desk { form, ..desk };
    let goes = |file: &str| -> Vec<String> {
        let columns = desk.send(&desk.browser, "guests.csv", file.as_bytes()).leads();
        let page = desk.browser.get(&columns).is(200).text;
        let selects = page.split("<select").skip(1).map(|select| select.split("</select>").next().unwrap_or_default());
        let chosen = selects.map(|select| {
            let before = select.split(" selected").next().unwrap_or_default();
            before.rsplit("value=\"").next().unwrap_or_default().split('"').next().unwrap_or_default().to_owned()
        });
        chosen.collect()
    };
    for (file, expected) in [
        ("town!,E-mail address,Phone\nRye,a@example.org,030 901820\n", ["field_1", "field_2", "field_3"]),
        ("TOWN,Mail,Tel.\nRye,a@example.org,030 901820\n", ["field_1", "field_2", "field_3"]),
        ("Town,邮箱,手机\nRye,a@example.org,030 901820\n", ["field_1", "field_2", "field_3"]),
        // Cells that are faults are left to the check.
        ("Town,E-mail address,x\nRye,a@example.org,\n,b@,\n", ["field_1", "field_2", ""]),
        // All cells are addresses.
        ("Town,Contact,Remarks\nRye,a@example.org,\n,b@example.org,x\n", ["field_1", "field_2", ""]),
        // One is none; a column of another question has taken it.
        ("Town,Contact,Remarks\nRye,a@example.org,\n,later,x\n", ["field_1", "", ""]),
        ("Town,Where do we write to?,Mail\nRye,a@example.org,b@example.org\n", ["field_1", "field_2", ""]),
        // The cells do not match the name's question.
        ("Town,Mail newsletter (email),Age\nRye,yes,7\n", ["field_1", "", "field_4"]),
    ] {
        assert_eq!(goes(file), expected, "{file}");
    }
    // Of two questions for addresses neither is meant.
    let desk = Desk { form: other, ..desk };
    let columns = desk.send(&desk.browser, "guests.csv", b"Mail\na@example.org\n").leads();
    desk.browser.get(&columns).lacks(["value=\"field_1\" selected", "value=\"field_2\" selected"]);
}

/// A text as UTF-16 with its mark.
fn utf_16(text: &str) -> Vec<u8> {
    format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn files_that_cannot_be_read_are_told_at_once() {
    let desk = desk();
    let wide = format!("Who{}\nAda\n", ",x".repeat(9_999)).into_bytes();
    let mut half = utf_16("Who,Seat\nAda,1\n");
    half.pop();
    for (file, words) in [
        // Windows-1252, in which spreadsheets of old write.
        (b"Who\nGr\xfc\xdfe\n".to_vec(), "is not valid UTF-8 (at byte 6): save it as CSV in UTF-8"),
        (half, "is not valid UTF-16"),
        (Vec::new(), "The first row, which names the columns, is missing: the file is empty."),
        ("\u{feff}\r\n".into(), "is missing: the file is empty"),
        (wide, "The file may have at most 500 columns."),
        (b"Guests of the party,\nWho,Seat\nAda,1\n".to_vec(), "has one cell only, but rows below it have more: delete"),
        (b"Who,Seat\nAda,\"1\n".to_vec(), "has a quotation mark that is never closed"),
        (b"PK\x03\x04 no workbook".to_vec(), "The file is not a workbook that can be read."),
    ] {
        desk.send(&desk.browser, "guests.csv", &file).is_for(422, words).has([words]);
    }
    // Any readable file is read, whatever program wrote it; an apostrophe before a formula is not part of the text.
    for file in [
        "Who;Seat\n\"Ada; Countess\";1\n".into(),
        "sep=;\r\nWho;Seat\r\n'=1+1;2\r\n".into(),
        "Who\tSeat\nAda\t1\n".into(),
        utf_16("Who,Seat\nAda,1\n"),
    ] {
        let columns = desk.send(&desk.browser, "guests.csv", &file).leads();
        desk.browser.get(&columns).is(200).has(["1 row", "<bdi>Who</bdi>", "<option value=\"field_2\" selected>"]);
    }
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

/// A user who leaves the page finds the import again, further on; it is undone as a whole. `TEST_SPEED=1`: its progress
/// is new at least each second.
#[test]
fn a_long_import_shows_how_far_it_is() {
    const ROWS: usize = 20_000;
    let is_measured = std::env::var_os("TEST_SPEED").is_some();
    let desk = desk();
    let rows: String = (1..=ROWS).map(|n| format!("Guest {n},{n}\n")).collect();
    let columns = desk.send(&desk.browser, "many.csv", format!("Your name,Seat\n{rows}").as_bytes()).leads();
    let job = desk.post(&columns, &[("column.0", "field_1"), ("column.1", "field_2")]).leads();
    // Each number that is read until a job is over.
    let follow = |job: &str| {
        let state = || desk.browser.caller().header("Accept", "application/json").get(job).is(200).data();
        let (mut read, mut longest, mut last) = (Vec::new(), Duration::ZERO, Instant::now());
        until("the job is over", || {
            let now = state();
            let done = now["done"].as_i64().expect("a number");
            if read.last() != Some(&done) {
                // The list leads back to it.
                if read.len() == 1 && now["is_over"] == false {
                    let page = desk.browser.get(&format!("/forms/{}/entries", desk.form.token));
                    assert!(state()["is_over"] == true || page.text.contains(job), "{page}");
                }
                // A job begins at the next tick of its thread.
                if read.len() > 1 {
                    longest = longest.max(last.elapsed());
                }
                (read, last) = ([&read[..], &[done]].concat(), Instant::now());
            }
            now["is_over"] == true
        });
        assert_eq!(read.last(), Some(&(ROWS as i64)), "{read:?}");
        assert!(!is_measured || longest <= Duration::from_secs(1), "{longest:?}: {read:?}");
        read
    };
    let read = follow(&job);
    assert!(read.is_sorted(), "{read:?}");
    desk.over(&job).has(["All 20,000 rows are good"]);
    let job = desk.post(&columns, &[("act", "import")]).leads();
    // Its rows are staged, and then added.
    let read = follow(&job);
    assert!(read.len() > 2, "{read:?}");
    desk.over(&job).has(["20,000 entries were added"]);
    assert_eq!(count(&desk.owner, &desk.form), ROWS as i64);
    desk.over(&desk.post(&format!("{job}/undo"), &[]).leads()).has(["20,000 entries are in the trash"]);
    assert_eq!(count(&desk.owner, &desk.form), 0);
}

/// An import that was cut off is done once, and no row is lost.
#[test]
fn an_import_survives_the_end_of_the_process() {
    const ROWS: usize = 3_000;
    let desk = desk();
    let rows: String = (1..=ROWS).map(|n| format!("Guest {n},{n}\n")).collect();
    let columns = desk.send(&desk.browser, "many.csv", format!("Your name,Seat\n{rows}").as_bytes()).leads();
    let chosen = [("column.0", "field_1"), ("column.1", "")];
    desk.over(&desk.post(&columns, &chosen).leads()).has(["All 3,000 rows are good"]);
    let job = desk.post(&columns, &[("act", "import")]).leads();
    let progress = || desk.owner.get(format!("/api/v1{job}")).is(200).data();
    until("it has begun", || progress()["state"] != "waiting");
    desk.server.kill();
    let server = Server::over(&desk.server.dir, &[]);
    let owner = support::steps::again(&desk.owner, &server);
    until("it is done", || owner.get(format!("/api/v1{job}")).is(200).data()["state"] == "done");
    assert_eq!(count(&owner, &desk.form), ROWS as i64);
}
