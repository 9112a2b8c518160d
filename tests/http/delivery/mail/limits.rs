//! The most mail that strangers may cause by submissions (handbook: mail.md), and addresses that are asked first.

use jiff::Timestamp;
use serde_json::{Value, json};
use support::clock::Clock;
use support::peers::mail::{MailServer, flags};
use support::session::Session;
use support::steps::count;
use support::{Caller, Form, Server, field, until};

use super::{OWNER, both, form, form_of, listed, notify, receipts, sending, submit, until_shown};
use crate::delivery::ok;

/// Posts of the form's page with this address and text.
fn post(anon: &Caller, form: &Form, address: &str, text: &str) {
    let page = [("field_1", address), ("field_2", text)];
    anon.post_form(form.page(), &page).is(303);
}

/// The counters beside the list: waiting, and held back.
fn delayed(owner: &Caller, form: &Form) -> [Value; 2] {
    let page = ok(owner.get(format!("{}/notifications", form.path()))).json();
    [page["waiting"].clone(), page["held_back"].clone()]
}

#[test]
fn programs_without_a_token_bring_about_receipts_where_the_form_says_so() {
    let Some((_mail, server, owner)) = sending() else {
        return;
    };
    let own = form(&owner, &json!({"receipt": {"enabled": true}}));
    submit(&owner, &own, &json!({"field_1": "ada@example.com"}));
    assert_eq!(listed(&owner, &own), [] as [Value; 0]);
    let token = server.token(&owner.email, "form:respond");
    token.post(own.submissions(), json!({"field_values": {"field_1": "bob@example.com"}})).is(201);
    post(&server.anon(), &own, "cem@example.com", "");
    notify(&owner, &own, &receipts());
    submit(&owner, &own, &json!({"field_1": "dea@example.com"}));
    let to: Vec<Value> = listed(&owner, &own).iter().rev().map(|row| row["to"].clone()).collect();
    assert_eq!(to, ["bob@example.com", "cem@example.com", "dea@example.com"]);
}

/// An entry that moves up the waiting list gets its letter, unless a program sent it and the form sends programs
/// nothing.
#[test]
fn who_moves_up_the_waiting_list_gets_what_the_submission_would_have_brought() {
    let Some((_mail, server, owner)) = sending() else {
        return;
    };
    let fields =
        json!([field("email", json!({})), field("radio", json!({"choices": [{"label": "Seat", "quota": 1}]})),]);
    let own = form_of(&owner, fields, &json!({"receipt": {"enabled": true}}));
    ok(owner.patch(own.part("settings"), json!({"capacity": {"waiting_list": true}})));
    let seat = own.body["fields"][1]["choices"][0]["api_code"].clone();
    let values = |address: &str| json!({"field_1": address, "field_2": seat});
    submit(&owner, &own, &values("first@example.com"));
    let waits = json!({"field_values": values("program@example.com"), "waiting_list": true});
    server.anon().post(own.submissions(), waits).is(201);
    let waits = json!({"field_values": values("member@example.com"), "waiting_list": true});
    server.token(&owner.email, "form:respond").post(own.submissions(), waits).is(201);
    for serial in [1, 2] {
        owner.delete(own.entry(serial)).is(200);
    }
    let to: Vec<Value> = listed(&owner, &own).iter().map(|row| row["to"].clone()).collect();
    assert_eq!(to, ["member@example.com", "member@example.com"]);
}

#[test]
fn an_address_gets_three_receipts_an_hour_of_a_form_and_ten_a_day() {
    let Some((mail, server, owner)) = sending() else {
        return;
    };
    let anon = server.anon();
    let words = json!({"receipt": {"enabled": true, "message": "<p>Hi {{field_2}}</p>"}});
    let forms: Vec<Form> = (0..5).map(|_| form(&owner, &words)).collect();
    for n in 0..60 {
        // However it is spelt.
        let address = if n % 2 == 0 { "victim@example.net" } else { "Victim@EXAMPLE.net" };
        post(&anon, &forms[0], address, "https://evil.example/ now");
    }
    assert_eq!(count(&owner, &forms[0]), 60);
    assert_eq!(delayed(&owner, &forms[0]), [json!(0), json!(57)]);
    let row = &listed(&owner, &forms[0])[0];
    let shown = [&row["status"], &row["attempts"], &row["error"], &row["next_attempt_at"]];
    let why = "it was held back: its address or its form had enough of them";
    assert_eq!(shown, [&json!("failed"), &json!(0), &json!(why), &Value::Null]);
    forms[1..].iter().for_each(|form| (0..3).for_each(|_| post(&anon, form, "victim@example.net", "")));
    let taken: Vec<usize> = forms.iter().map(|form| 60.min(listed(&owner, form).len())).collect();
    assert_eq!(taken, [60, 3, 3, 3, 3]);
    let held: Vec<Value> = forms.iter().map(|form| delayed(&owner, form)[1].clone()).collect();
    assert_eq!(held, [57, 0, 0, 2, 3]);
    until("ten letters", || mail.mails().len() == 10);
    // Another address is not concerned, and an answer makes no link.
    post(&anon, &forms[0], "ada@example.net", "https://evil.example/ <a href='https://evil.example/'>x</a>");
    let got = mail.mail_to("ada@example.net");
    assert!(!got.html().contains("<a ") && got.text().contains("https://evil.example/"), "{}", got.html());
    assert_eq!(mail.mails().len(), 11);
    until("it is logged", || server.stderr().contains("mail held back: its limit is reached"));
}

/// A school: 400 pupils behind one address register within five minutes.
#[test]
fn what_one_network_causes_beyond_200_an_hour_is_sent_in_the_next() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let (clock, dir) = (Clock::on_time(), tempfile::tempdir().expect("a folder"));
    clock.stands_at("2026-03-02T10:20:00Z".parse::<Timestamp>().expect("a time"));
    let url = mail.url();
    let server = clock.server(dir.path(), &flags(&url));
    let owner = server.user();
    let own = form(&owner, &receipts());
    for n in 0..400 {
        submit(&owner, &own, &json!({"field_1": format!("pupil{n}@example.org")}));
    }
    assert_eq!(count(&owner, &own), 400);
    assert_eq!(delayed(&owner, &own), [json!(200), json!(0)]);
    until("the first half", || mail.mails().len() == 200);
    let last = &listed(&owner, &own)[0];
    assert_eq!([&last["status"], &last["next_attempt_at"]], ["pending", "2026-03-02T11:00:00.000Z"]);
    clock.stands_at("2026-03-02T11:00:01Z".parse::<Timestamp>().expect("a time"));
    // Queued mail wakes the sender.
    let other = form(&owner, &receipts());
    submit(&owner, &other, &json!({"field_1": "ada@example.org"}));
    until("all of them", || mail.mails().len() == 401);
    assert_eq!(delayed(&owner, &own), [json!(0), json!(0)]);
}

/// A shop's Friday: 200 orders in an hour, each with a receipt and a notice.
#[test]
fn an_hour_of_200_orders_loses_no_letter_and_none_waits() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let (clock, dir) = (Clock::on_time(), tempfile::tempdir().expect("a folder"));
    clock.stands_at("2026-11-27T18:30:00Z".parse::<Timestamp>().expect("a time"));
    let url = mail.url();
    let server = clock.server(dir.path(), &flags(&url));
    let owner = server.user_named(OWNER, "Ada Lovelace");
    let own = form(&owner, &both(OWNER));
    for n in 0..200 {
        submit(&owner, &own, &json!({"field_1": format!("customer{n}@example.org")}));
    }
    assert_eq!(delayed(&owner, &own), [json!(0), json!(0)]);
    until("all of them", || mail.mails().len() == 400);
}

#[test]
fn forms_and_organizations_have_limits_that_can_be_set() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let url = mail.url();
    let limits = ["--mail-per-recipient", "1", "--mail-per-sender", "2", "--mail-per-form", "3", "--mail-per-day", "4"];
    let (clock, dir) = (Clock::on_time(), tempfile::tempdir().expect("a folder"));
    clock.stands_at("2026-03-02T10:20:00Z".parse::<Timestamp>().expect("a time"));
    let proxies = ["--trusted-proxies", "127.0.0.1/32"];
    let server = clock.server(dir.path(), &[&flags(&url)[..], &limits, &proxies].concat());
    let owner = server.user();
    let forms = [form(&owner, &receipts()), form(&owner, &receipts())];
    let mut dues = Vec::new();
    for (place, from, to) in [
        (0, "192.0.2.1", "a"),
        (0, "192.0.2.1", "b"),
        // The third of a network, the second of an address.
        (0, "192.0.2.1", "c"),
        (0, "192.0.2.2", "a"),
        (0, "192.0.2.2", "d"),
        // The fourth of a form; the fifth of an organisation.
        (0, "192.0.2.2", "e"),
        (1, "192.0.2.3", "f"),
    ] {
        let from = server.anon().header("x-forwarded-for", from);
        let values = json!({"field_values": {"field_1": format!("{to}@example.org")}});
        from.post(forms[place].submissions(), values).is(201);
        let row = listed(&owner, &forms[place])[0].clone();
        let due = row["next_attempt_at"].as_str().unwrap_or_default().get(..13).unwrap_or_default().to_owned();
        dues.push(if row["error"].is_null() { due } else { "held back".to_owned() });
    }
    let waits: Vec<&str> =
        dues.iter().map(String::as_str).filter(|due| !due.is_empty() && *due != "2026-03-02T10").collect();
    assert_eq!(waits, ["2026-03-02T11", "held back", "2026-03-03T00", "2026-03-03T00"], "{dues:?}");
    assert_eq!(delayed(&owner, &forms[0]), [json!(2), json!(1)]);
    for (flag, value) in [("--mail-per-day", "0"), ("--mail-per-form", "x")] {
        let refused = server.run(&["config", "show", flag, value]);
        assert!(!refused.status.success());
    }
}

/// Text of strangers goes to nobody who did not ask for it.
#[test]
fn an_address_confirms_once_before_it_gets_answers() {
    let Some((mail, server, owner)) = sending() else {
        return;
    };
    let notice = json!({"notice": {"enabled": true, "to": ["boss@example.net", OWNER], "include_values": true}});
    let own = owner.form(json!([field("short_text", json!({}))]));
    let warned = notify(&owner, &own, &notice).json();
    assert_eq!(
        warned["warnings"],
        json!([{"attribute": "notifications.notice.to[0]",
            "message": "gets no answers until its reader confirms it by the link in an email that is sent once"}])
    );
    for _ in 0..5 {
        submit(&owner, &own, &json!({"field_1": "mk-answer"}));
    }
    notify(&owner, &own, &notice);
    until("all mail", || mail.mails().len() == 6);
    let asked = mail.mail_to("boss@example.net");
    assert!(!asked.text().contains("mk-answer") && asked.subject().starts_with("Confirm emails"), "{asked:?}");
    let link = asked.link(&server.base, &format!("/f/{}/notices/confirm", own.token));
    let anon = server.anon();
    // Looking is no answer, and the link is of one address and one purpose.
    anon.get(&link).is(200).has(["boss@example.net", "Get emails"]);
    for wrong in [link.replace("boss", "other"), link.replace("/notices/confirm", "/notices")] {
        anon.post_form(&wrong, &[]).is(404);
        anon.get(&wrong).is(404);
    }
    submit(&owner, &own, &json!({"field_1": "before"}));
    anon.post_form(&link, &[]).is(200).has(["You’ll get emails"]);
    anon.post_form(&link, &[]).is(200);
    submit(&owner, &own, &json!({"field_1": "mk-after"}));
    until("a notice", || mail.mails().iter().filter(|got| got.to() == "boss@example.net").count() == 2);
    let rows = listed(&owner, &own);
    let to = rows.iter().filter(|row| row["to"] == "boss@example.net");
    let serials: Vec<Value> = to.map(|row| row["entry_serial_number"].clone()).collect();
    assert_eq!(serials, [json!(7), Value::Null]);
    // For all forms of the organisation, and as many as there are.
    let other = owner.form(json!([field("short_text", json!({}))]));
    assert_eq!(notify(&owner, &other, &notice).json()["warnings"], Value::Null);
    for _ in 0..12 {
        submit(&owner, &other, &json!({"field_1": "x"}));
    }
    assert_eq!(listed(&owner, &other).len(), 24);
    assert_eq!(delayed(&owner, &other), [json!(0), json!(0)]);
}

/// An address that never agreed gets notices without answers like any stranger gets receipts.
#[test]
fn notices_without_answers_are_bounded_for_who_did_not_confirm() {
    let Some((_mail, _server, owner)) = sending() else {
        return;
    };
    let own = owner.form(json!([field("short_text", json!({}))]));
    notify(&owner, &own, &json!({"notice": {"enabled": true, "to": ["boss@example.net", OWNER]}}));
    for _ in 0..5 {
        submit(&owner, &own, &json!({"field_1": "x"}));
    }
    assert_eq!(delayed(&owner, &own), [json!(0), json!(2)]);
}

/// Mail about accounts does not wait behind mail that strangers cause (S98).
#[test]
fn a_reset_goes_before_the_receipts_of_a_slow_server() {
    let Some(mail) = MailServer::with(&json!({"delay": 2.0})) else {
        return;
    };
    let url = mail.url();
    let server = Server::with(&flags(&url));
    let owner = server.user();
    let own = form(&owner, &receipts());
    for n in 0..150 {
        submit(&owner, &own, &json!({"field_1": format!("a{n}@example.org")}));
    }
    until("receipts are on their way", || !mail.mails().is_empty());
    let browser = Session::on(&server);
    browser.get("/forgot-password");
    ok(browser.post("/forgot-password", &[("email", &owner.email)]));
    let before = mail.mails().len();
    until_shown("the reset", || mail.mails().iter().any(|got| got.to() == owner.email), |is| *is);
    // Most of the receipts still wait.
    let (after, waiting) = (mail.mails().len() - before, 150 - before);
    assert!(after < waiting / 2, "{after} of {waiting}");
}
