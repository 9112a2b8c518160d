//! `/forms/{form_token}/checkin`: people are let in by their verification codes, once.

use serde_json::{Value, json};
use support::session::{Session, account};
use support::sharing::share;
use support::steps::{add, set};
use support::store::database;
use support::{Caller, Form, Server, field};

const ANN: &str = "ann@example.org";
const SCOPES: &str = "form:read form:write entry:read entry:write entry:delete";

/// A fair with codes, whose visitors book a seat, and as many entries of names.
fn fair(owner: &Caller, names: &[&str]) -> Form {
    let form = owner.form(json!([
        field("name", json!({"label": "Your name"})),
        field(
            "booking",
            json!({"label": "When", "reservation_items": [{"api_code": "hall", "name": "Hall", "quota_setting":
            {"kind": "weekly", "weekly_quotas": [{"weekday": 1, "quota": 3}]}}]})
        ),
    ]));
    set(owner, &form, json!({"verification_code": {"enabled": true}, "capacity": {"waiting_list": true}}));
    for name in names {
        let seat = json!([{"api_code": "hall", "scheduled_at": "2090-01-09"}]);
        add(owner, &form, json!({"field_1": name, "field_2": seat}));
    }
    form
}

fn code(owner: &Caller, form: &Form, serial: i64) -> String {
    owner.get(form.entry(serial)).data()["gen_code"].as_str().expect("a code").to_owned()
}

#[test]
fn a_code_lets_its_entry_in_once_and_back_out() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, SCOPES);
    let form = fair(&owner, &["Ada <i>", "Ben"]);
    let page = format!("/forms/{}/checkin", form.token);
    let browser = Session::on(&server).signed_in(ANN);
    browser.get(&format!("/forms/{}/entries", form.token)).has([&format!("{page}\"")]);
    browser.get(&page).is(200).has(["0 of 2 checked in", "name=\"code\"", "autofocus"]);
    let before = owner.get(form.entry(1)).text;
    // However it is typed, and as the link that a QR code says.
    let typed = format!(" {} ", code(&owner, &form, 1).to_lowercase());
    let done = browser.post_on(&page, &[("code", &typed)]).is(200);
    done.has([
        "Ada &lt;i&gt;",
        "is checked in",
        "Since ",
        "by ",
        "Ann &lt;b&gt;Lee&lt;/b&gt;",
        "Hall",
        "1 of 2 checked in",
    ]);
    done.lacks(["was already checked in"]);
    let link = format!("{}{}/verify?code={}", server.base, form.page(), code(&owner, &form, 1));
    browser.post_on(&page, &[("code", &link)]).has(["was already checked in", "1 of 2 checked in"]);
    let rows = || {
        let count = database(&server.dir).query_row("SELECT count(*) FROM check_ins", [], |row| row.get::<_, i64>(0));
        count.expect("a count")
    };
    assert_eq!(rows(), 1);
    // The entry says so, on its page and the day's; programs get the entry that they had.
    browser.get(&format!("/forms/{}/entries/1", form.token)).has(["Since ", "Undo check-in"]);
    browser.get(&format!("/forms/{}/entries/2", form.token)).lacks(["Undo check-in"]);
    browser.get(&format!("/forms/{}/bookings?day=2090-01-09", form.token)).has(["Since "]);
    assert_eq!(owner.get(form.entry(1)).text, before);
    let (token, serial) = (&form.token, 1);
    let undo = format!("/forms/{token}/checkin/{serial}/undo");
    browser.post_on(&undo, &[]).has(["Check-in of ", " undone", "0 of 2 checked in"]);
    browser.post_on(&undo, &[]).is(200);
    assert_eq!(rows(), 0);
    // The mark is deleted with its entry, for good.
    browser.post_on(&page, &[("code", &typed)]);
    owner.delete(form.entry(1)).is(200);
    browser.get(&page).has(["0 of 1 checked in"]);
    assert_eq!(rows(), 1);
    browser.post(&format!("/forms/{}/trash/1/delete", form.token), &[]);
    assert_eq!(rows(), 0);
}

#[test]
fn codes_of_nobody_who_may_come_are_refused_in_words() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, SCOPES);
    let form = fair(&owner, &["Ada", "Ben", "Cyd"]);
    let seat = json!([{"api_code": "hall", "scheduled_at": "2090-01-09"}]);
    let waits: Value = json!({"field_values": {"field_1": "Dan", "field_2": seat}, "waiting_list": true});
    server.anon().post(form.submissions(), waits).is(201);
    let codes: Vec<String> = (1..=4).map(|serial| code(&owner, &form, serial)).collect();
    let cancel = format!("/api/v1/forms/{}/entries/2/reservation_status", form.token);
    let page = format!("/forms/{}/checkin", form.token);
    let browser = Session::on(&server).signed_in(ANN);
    browser.get(&page).has(["0 of 3 checked in"]);
    browser.post(&page, &[("code", &codes[3])]).is(422).has(["on the waiting list", &codes[3]]);
    owner.patch(cancel, json!({"status": "cancelled"})).is(200);
    owner.delete(form.entry(3)).is(200);
    browser.get(&page);
    for (typed, words) in [
        (codes[1].as_str(), "is cancelled"),
        (&codes[2], "in the trash"),
        ("ACDE34", "No entry of this form has this code"),
        ("<b>", "No entry of this form has this code"),
        ("", "Enter a code"),
    ] {
        browser.post(&page, &[("code", typed)]).is_for(422, typed).has([words, "aria-invalid=\"true\""]);
    }
    assert_eq!(support::store::count(&server.dir, "SELECT count(*) FROM check_ins"), 0);
}

#[test]
fn editors_check_in_and_nobody_else_does() {
    let server = Server::alone("its accounts sign in with a password");
    for email in [ANN, "eve@example.org", "vic@example.org", "bob@example.org"] {
        account(&server, email);
    }
    let owner = server.token(ANN, SCOPES);
    let form = fair(&owner, &["Ada"]);
    let code = code(&owner, &form, 1);
    share(&owner, &form, &server.token("eve@example.org", "form:read"), "editor");
    share(&owner, &form, &server.token("vic@example.org", "form:read"), "viewer");
    let page = format!("/forms/{}/checkin", form.token);
    let undo = format!("{page}/1/undo");
    for (email, status) in [("vic@example.org", 403), ("bob@example.org", 404)] {
        let browser = Session::on(&server).signed_in(email);
        browser.get(&page).is_for(status, email);
        browser.get("/profile");
        browser.post(&page, &[("code", &code)]).is_for(status, email);
        browser.post(&undo, &[]).is_for(status, email);
    }
    let vic = Session::on(&server).signed_in("vic@example.org");
    vic.get(&format!("/forms/{}/entries", form.token)).is(200).lacks(["/checkin"]);
    let eve = Session::on(&server).signed_in("eve@example.org");
    eve.get(&page).is(200);
    eve.post_on(&page, &[("code", &code)]).has(["is checked in"]);
    vic.get(&format!("/forms/{}/entries/1", form.token)).has(["Since "]).lacks(["Undo check-in"]);
    assert_eq!(Session::on(&server).get(&page).status, 303);
    // A form without codes has no check-in.
    set(&owner, &form, json!({"verification_code": {"enabled": false}}));
    eve.get(&page).is(404);
    eve.get("/profile");
    eve.post(&page, &[("code", &code)]).is(404);
}
