//! Reminders: a day before each booking, once, and with the booking as it then is.

use std::path::Path;

use jiff::Timestamp;
use serde_json::{Value, json};
use support::clock::Clock;
use support::peers::mail::{Mail, MailServer, flags};
use support::steps::again;
use support::{Caller, Form, Server, field, until};

use super::{listed, notify};
use crate::delivery::{ok, values};

/// A form whose bookings respondents are reminded of, in Shanghai.
fn reminding(owner: &Caller) -> Form {
    let slot = |code: &str, weekday: i64, from: &str, to: &str| json!({"code": code, "weekday": weekday, "start_time": from, "end_time": to, "quota": 99});
    let slots = [slot("a", 3, "11:15", "12:00"), slot("b", 3, "15:00", "16:00"), slot("c", 4, "11:15", "12:00")];
    let class = json!({"kind": "time_range", "daily_time_range_quotas": slots});
    let tour = json!({"kind": "weekly", "weekly_quotas": [{"weekday": 3, "quota": 99}]});
    let items = json!([
        {"api_code": "class", "name": "Class", "quota_setting": class},
        {"api_code": "tour", "name": "Tour", "quota_setting": tour},
    ]);
    let fields = json!([
        field("email", json!({})),
        field("booking", json!({"reservation_items": items, "allow_multiple_items": true})),
    ]);
    let form =
        owner.form_with(json!({"name": "Studio", "locale": "en", "timezone": "Asia/Shanghai", "fields": fields}));
    notify(owner, &form, &json!({"receipt": {"for_programs": true}, "reminder": {"enabled": true}}));
    form
}

fn at(text: &str) -> Timestamp {
    text.parse().expect("a moment")
}

/// The server again, at this moment: jobs run when it starts.
fn later(clock: &Clock, server: Server, dir: &Path, mail: &MailServer, moment: &str) -> Server {
    server.signal("TERM");
    server.wait();
    clock.stands_at(at(moment));
    clock.server(dir, &flags(&mail.url()))
}

fn reminders(owner: &Caller, form: &Form) -> Vec<Value> {
    let all = listed(owner, form).into_iter().filter(|row| row["kind"] == "reminder");
    let mut told: Vec<Value> = all.map(|row| row["entry_serial_number"].clone()).collect();
    told.reverse();
    told
}

#[test]
fn respondents_are_reminded_once_a_day_before_of_what_the_booking_then_is() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let (clock, dir) = (Clock::on_time(), tempfile::tempdir().expect("a folder"));
    // A Sunday; bookings are on Wednesday the 2nd, and on Thursday.
    clock.stands_at(at("2026-11-29T04:00:00Z"));
    let server = clock.server(dir.path(), &flags(&mail.url()));
    let owner = server.user();
    let form = reminding(&owner);
    let book = |server: &Server, to: &str, bookings: &[(&str, &str)]| {
        let lines: Vec<Value> =
            bookings.iter().map(|(item, at)| json!({"api_code": item, "scheduled_at": at})).collect();
        let answers = json!({"field_1": format!("{to}@example.com"), "field_2": lines});
        server.anon().post(form.submissions(), values(answers)).is(201);
    };
    let (early, late, thursday) = ("2026-12-02T11:15", "2026-12-02T15:00", "2026-12-03T11:15");
    book(&server, "stays", &[("class", early)]);
    book(&server, "cancelled", &[("class", early)]);
    book(&server, "deleted", &[("class", early)]);
    book(&server, "moved", &[("class", early)]);
    book(&server, "several", &[("class", late), ("class", early), ("class", thursday)]);
    book(&server, "day", &[("tour", "2026-12-02")]);
    ok(owner.patch(format!("{}/reservation_status", form.entry(2)), json!({"status": "cancelled"})));
    ok(owner.delete(form.entry(3)));
    ok(owner.patch(form.entry(4), values(json!({"field_2": [{"api_code": "class", "scheduled_at": thursday}]}))));

    // Two minutes too early; the day with no time is reminded of the morning before.
    let server = later(&clock, server, dir.path(), &mail, "2026-12-01T03:13:00Z");
    let owner = again(&owner, &server);
    until("the day", || reminders(&owner, &form) == [json!(6)]);
    let server = later(&clock, server, dir.path(), &mail, "2026-12-01T03:15:30Z");
    until("those of Wednesday", || reminders(&again(&owner, &server), &form) == [json!(6), json!(1), json!(5)]);
    let got = mail.mail_to("stays@example.com");
    assert_eq!(got.subject(), "Reminder: “Studio” on Wednesday, 2 December 2026");
    let line = "Class\nWednesday, 2 December 2026\n11:15–12:00 (Beijing time)";
    assert!(got.text().contains(line) && got.files().is_empty(), "{}", got.text());
    // All of a day in one letter.
    let got = mail.mail_to("several@example.com");
    assert!(got.text().contains("11:15–12:00") && got.text().contains("15:00–16:00"), "{}", got.text());
    assert!(!got.text().contains("3 December"), "{}", got.text());
    let got = mail.mail_to("day@example.com");
    assert!(got.text().contains("Tour\nWednesday, 2 December 2026\n"), "{}", got.text());
    // A new booking has just been confirmed, and gets no reminder; each reminder is sent once, whatever restarts.
    book(&server, "now", &[("class", early)]);
    book(&server, "afternoon", &[("class", late)]);
    let server = later(&clock, server, dir.path(), &mail, "2026-12-01T08:00:00Z");
    until("that of the afternoon", || reminders(&again(&owner, &server), &form).last() == Some(&json!(8)));
    let server = later(&clock, server, dir.path(), &mail, "2026-12-02T03:16:00Z");
    let owner = again(&owner, &server);
    until("those of Thursday", || reminders(&owner, &form).len() == 6);
    assert_eq!(reminders(&owner, &form)[4..], [json!(4), json!(5)]);
    let to = |to: &str| mail.mails().iter().filter(|it: &&Mail| it.to() == format!("{to}@example.com")).count();
    until("all went", || mail.mails().len() == 6);
    assert_eq!([to("stays"), to("several"), to("now"), to("cancelled"), to("deleted")], [1, 2, 0, 0, 0]);
}
