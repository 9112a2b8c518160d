//! Letters to respondents besides the thanks: bookings and orders, with calendar files, the waiting list, cancellations
//! and changes.

use jiff::civil::Date;
use jiff::{ToSpan as _, Zoned};
use serde_json::{Value, json};
use support::peers::mail::{Mail, MailServer};
use support::steps::set;
use support::{Caller, Form, field, until};

use super::{OWNER, listed, notify, receipts, sending, submit};
use crate::delivery::{ok, values};

/// A Monday in some weeks.
fn monday() -> Date {
    let days = Zoned::now().date().series(1.day());
    days.skip(21).find(|day| day.weekday() == jiff::civil::Weekday::Monday).expect("a Monday")
}

/// A class of one place on Mondays at 11:15, and a tour on any Monday.
fn bookings() -> Value {
    let slot = |code: &str, from: &str, to: &str| json!({"code": code, "weekday": 1, "start_time": from, "end_time": to, "quota": 1});
    let slots = [slot("am", "11:15", "12:00"), slot("pm", "15:00", "16:00")];
    let class = json!({"kind": "time_range", "daily_time_range_quotas": slots});
    let tour = json!({"kind": "weekly", "weekly_quotas": [{"weekday": 1, "quota": 9}]});
    let items = json!([
        {"api_code": "class", "name": "Yoga, beginners", "quota_setting": class},
        {"api_code": "tour", "name": "Tour", "quota_setting": tour},
    ]);
    let all = json!({"reservation_items": items, "allow_multiple_items": true, "allow_multiple_number": true});
    json!([field("email", json!({"label": "Email"})), field("booking", all)])
}

pub(super) fn booked(owner: &Caller, locale: &str, timezone: &str, notifications: &Value) -> Form {
    let form = json!({"name": "Studio", "locale": locale, "timezone": timezone, "fields": bookings()});
    let form = owner.form_with(form);
    set(owner, &form, json!({"submission_options": {"allow_edit_after_submission": true}}));
    set(owner, &form, json!({"capacity": {"waiting_list": true}}));
    notify(owner, &form, notifications);
    form
}

/// A booking of the class.
pub(super) fn class(to: &str, time: &str) -> Value {
    json!({"field_1": to, "field_2": [{"api_code": "class", "scheduled_at": format!("{}T{time}", monday())}]})
}

/// The mail to an address that came with this subject, or one that begins so.
pub(super) fn mail_of(mail: &MailServer, to: &str, subject: &str) -> Mail {
    let mut found = None;
    until(&format!("{subject} to {to}"), || {
        found = mail.mails().into_iter().find(|it| it.to() == to && it.subject().starts_with(subject));
        found.is_some()
    });
    found.expect("a mail")
}

/// The unfolded lines of a calendar file.
fn lines(file: &Value) -> Vec<String> {
    let text = file["text"].as_str().expect("text").replace("\r\n ", "");
    assert!(text.ends_with("END:VCALENDAR\r\n"), "{text}");
    text.split("\r\n").map(str::to_owned).collect()
}

/// The value of a line.
fn value(file: &Value, name: &str) -> String {
    let all = lines(file);
    let mut found = all.iter().filter_map(|line| line.strip_prefix(name));
    let value = found.next().unwrap_or_else(|| panic!("no {name} in {all:?}"));
    assert!(found.next().is_none(), "{all:?}");
    value.to_owned()
}

#[test]
fn a_receipt_says_what_was_booked_and_when_and_carries_it_for_the_calendar() {
    let Some((mail, server, owner)) = sending() else {
        return;
    };
    let day = monday();
    let english = day.strftime("%A, %-d %B %Y").to_string();
    let chinese = day.strftime("%Y年%-m月%-d日星期一").to_string();
    for (locale, timezone, subject, booked_lines, places, utc) in [
        ("en", "Europe/Berlin", "Your booking: “Studio”", ["11:15–12:00 (GMT+", english.as_str()], "2 places", None),
        (
            "zh-CN",
            "Asia/Shanghai",
            "预约成功：“Studio”",
            ["11:15–12:00（北京时间）", chinese.as_str()],
            "2 个名额",
            Some(("T031500Z", "T040000Z")),
        ),
    ] {
        let form = booked(&owner, locale, timezone, &receipts());
        let to = format!("{}@example.com", locale.to_lowercase());
        let tour = json!({"api_code": "tour", "scheduled_at": day.to_string(), "number": 2});
        let mut answers = class(&to, "11:15");
        answers["field_2"].as_array_mut().expect("a list").push(tour);
        let made = submit(&owner, &form, &answers);
        let got = mail_of(&mail, &to, subject);
        assert_eq!(got.subject(), subject);
        for line in ["Yoga, beginners", "Tour", places].into_iter().chain(booked_lines) {
            assert!(got.text().contains(line) && got.html().contains(line), "{line}: {}", got.text());
        }
        // Both ways out: to change it, and to cancel it.
        let entry = made["entry"]["token"].as_str().expect("a token");
        for part in [format!("/f/{}/entries/{entry}?edit_token=", form.token), format!("/entries/{entry}/cancel?")] {
            assert!(got.text().contains(&part), "{part}: {}", got.text());
        }
        let cancel = got.text().split_whitespace().find(|word| word.contains("/cancel?")).expect("a link");
        server.anon().get(cancel.strip_prefix(&server.base).expect("ours")).is(200);
        // A file for each booking.
        let files = got.files();
        let said: Vec<[&str; 2]> =
            files.iter().map(|file| ["name", "type"].map(|key| file[key].as_str().expect("text"))).collect();
        assert_eq!(said, [["booking.ics", "text/calendar"], ["booking-2.ics", "text/calendar"]]);
        for file in &files {
            assert_eq!(file["method"], "PUBLISH");
            assert_eq!([value(file, "METHOD:"), value(file, "STATUS:")], ["PUBLISH", "CONFIRMED"]);
            assert_eq!(value(file, "ORGANIZER:"), "mailto:forms@example.org");
        }
        assert_eq!(value(&files[0], "SUMMARY:"), "Yoga\\, beginners – Studio");
        assert_eq!(value(&files[1], "SUMMARY:"), "2 × Tour – Studio");
        assert_eq!(value(&files[1], "DTSTART;VALUE=DATE:"), day.strftime("%Y%m%d").to_string());
        let uids = [0, 1].map(|nth| value(&files[nth], "UID:"));
        assert_ne!(uids[0], uids[1]);
        assert!(uids[0].starts_with(entry) && uids[0].ends_with("@127.0.0.1"), "{uids:?}");
        if let Some((from, to)) = utc {
            let day = day.strftime("%Y%m%d");
            assert_eq!(value(&files[0], "DTSTART:"), format!("{day}{from}"));
            assert_eq!(value(&files[0], "DTEND:"), format!("{day}{to}"));
        }
    }
}

#[test]
fn a_receipt_says_what_was_ordered_and_what_is_to_pay() {
    let Some((mail, _server, owner)) = sending() else {
        return;
    };
    let sizes = json!([{"api_code": "s", "name": "small"}, {"api_code": "l", "name": "large"}]);
    let goods = json!([
        {"api_code": "tea", "name": "Tea", "price": 3.5},
        {"api_code": "cake", "name": "Cake", "price": 12,
            "dimensions": [{"api_code": "size", "name": "Size", "options": sizes}]},
    ]);
    let fields = json!([field("email", json!({})), field("product", json!({ "goods_items": goods }))]);
    let order = |to: &str, number: i64| {
        json!({"field_1": to, "field_2": [
            {"api_code": "tea", "number": number},
            {"api_code": "cake", "number": 1, "specification": {"size": "l"}},
        ]})
    };
    for (locale, subject, lines) in [
        (
            "en",
            "Your order: “Shop”",
            ["2 × Tea: €7.00", "1 × Cake (large): €12.00", "Subtotal: €19.00", "Discount: −€1.90", "To pay: €17.10"],
        ),
        (
            "zh-CN",
            "订单已收到：“Shop”",
            ["2 × Tea：€7.00", "1 × Cake (large)：€12.00", "小计：€19.00", "优惠：−€1.90", "应付：€17.10"],
        ),
    ] {
        let form = owner.form_with(json!({"name": "Shop", "locale": locale, "fields": fields}));
        let discount = json!({"min_total": 15, "percent_off": 10});
        set(&owner, &form, json!({"pricing": {"currency": "EUR", "discounts": [discount]}}));
        notify(&owner, &form, &receipts());
        let to = format!("{}@example.com", locale.to_lowercase());
        submit(&owner, &form, &order(&to, 2));
        let got = mail_of(&mail, &to, subject);
        assert!(got.text().contains(&lines.join("\n")), "{}", got.text());
        let amounts = ["€7.00", "€12.00", "€19.00", "−€1.90", "€17.10"];
        assert!(amounts.iter().all(|amount| got.html().contains(amount)), "{}", got.html());
        assert_eq!(got.files(), [] as [Value; 0]);
        // Without a discount there is one sum.
        let to = format!("little-{to}");
        set(&owner, &form, json!({"pricing": {"discounts": []}}));
        submit(&owner, &form, &order(&to, 1));
        let got = mail_of(&mail, &to, subject);
        assert!(got.text().contains(lines[1]) && got.text().contains("€15.50"), "{}", got.text());
        assert!(!got.text().contains("−"), "{}", got.text());
    }
}

#[test]
fn a_letter_has_the_answers_that_its_respondent_may_see() {
    let Some((mail, _server, owner)) = sending() else {
        return;
    };
    let fields = json!([
        field("email", json!({"label": "Email"})),
        field("short_text", json!({"label": "Name <b>"})),
        field("short_text", json!({"label": "Note", "hidden": true, "default_value": "TOP SECRET"})),
        field("date", json!({"label": "When"})),
        bookings()[1],
    ]);
    let form = owner.form_with(json!({"name": "Trip", "locale": "en", "fields": fields}));
    let send = |to: &str, receipt: Value| {
        let mut group = receipts();
        group["receipt"].as_object_mut().expect("a group").extend(receipt.as_object().expect("members").clone());
        notify(&owner, &form, &group);
        let mut answers = json!({"field_1": to, "field_2": "<i>Ada", "field_4": "2026-11-23"});
        answers["field_5"] = json!([{"api_code": "tour", "scheduled_at": monday().to_string()}]);
        submit(&owner, &form, &answers);
        mail.mail_to(to)
    };
    let got = send("ada@example.com", json!({"include_values": true}));
    for part in ["Email\n  ada@example.com", "Name <b>\n  <i>Ada", "When\n  23 November 2026"] {
        assert!(got.text().contains(part), "{part}: {}", got.text());
    }
    assert!(got.html().contains("scope=\"row\"") && got.html().contains("&lt;i&gt;Ada"), "{}", got.html());
    // The booking is mentioned once, and hidden answers not at all.
    assert_eq!(got.text().matches("Tour").count(), 1, "{}", got.text());
    assert!(!got.text().contains("TOP SECRET") && !got.html().contains("TOP SECRET"), "{}", got.text());
    // The owner's own words are all of the letter, with the answers.
    let got = send("bob@example.com", json!({"message": "<p>Dear {{field_2}}</p>"}));
    assert!(got.text().starts_with("Dear <i>Ada\n") && got.text().matches("Tour").count() == 1, "{}", got.text());
    assert_eq!(got.files().len(), 1);
    let got = send("cem@example.com", json!({"include_values": false}));
    assert!(!got.text().contains("Tour") && !got.text().contains("November"), "{}", got.text());
}

#[test]
fn who_waits_is_told_the_place_and_so_is_the_owner_and_who_moves_up_has_one() {
    let Some((mail, server, owner)) = sending() else {
        return;
    };
    for (locale, waiting, first, notice, notice_text, moved_up) in [
        (
            "en",
            "You’re number 1 on the waiting list: “Studio”",
            "You’re number 1 on the waiting list for “Studio”.",
            "New response to “Studio”: entry 2 (waiting list, place 1)",
            "“Studio” has a new response (waiting list, place 1).\n",
            "You have a place: “Studio”",
        ),
        (
            "zh-CN",
            "您在候补名单中排第 1 位：“Studio”",
            "您在“Studio”的候补名单中排第 1 位",
            "“Studio”收到新的提交：第 2 条数据（候补第 1 位）",
            "“Studio”收到了新的提交（候补第 1 位）。\n",
            "候补成功：“Studio”",
        ),
    ] {
        let mut group = receipts();
        group["notice"] = json!({"enabled": true, "to": [OWNER]});
        let form = booked(&owner, locale, "Asia/Shanghai", &group);
        submit(&owner, &form, &class("has@example.com", "11:15"));
        let to = format!("{}@example.com", locale.to_lowercase());
        let mut body = values(class(&to, "11:15"));
        body["waiting_list"] = json!(true);
        server.anon().post(form.submissions(), body).is(201);
        let got = mail_of(&mail, &to, waiting);
        assert!(got.text().starts_with(first), "{}", got.text());
        assert!(got.text().contains("Yoga, beginners") && got.files().is_empty(), "{}", got.text());
        // The link leads to the place, and out of the list.
        let page = server.anon().get(got.link(&server.base, &format!("/f/{}/done?", form.token)));
        page.is(200).has(["/waiting?edit_token="]);
        let told = mail_of(&mail, OWNER, notice);
        assert!(told.text().starts_with(notice_text), "{}", told.text());
        assert_eq!(owner.delete(form.entry(1)).status, 200);
        let got = mail_of(&mail, &to, moved_up);
        assert_eq!([value(&got.files()[0], "STATUS:"), value(&got.files()[0], "SEQUENCE:")], ["CONFIRMED", "2"]);
        let kinds: Vec<Value> = listed(&owner, &form).iter().rev().map(|row| row["kind"].clone()).collect();
        assert_eq!(kinds, ["receipt", "notice", "waiting", "notice", "moved_up"]);
    }
}

#[test]
fn who_cancels_or_changes_a_booking_gets_a_letter_that_the_calendar_understands() {
    let Some((mail, server, owner)) = sending() else {
        return;
    };
    for (locale, confirmed, changed, cancelled) in [
        ("en", "Your booking: ", "Your booking has changed: “Studio”", "Booking cancelled: “Studio”"),
        ("zh-CN", "预约成功：", "预约已更改：“Studio”", "预约已取消：“Studio”"),
    ] {
        let mut group = receipts();
        group["changed"] = json!({"enabled": true});
        let form = booked(&owner, locale, "Asia/Shanghai", &group);
        let to = format!("{}@example.com", locale.to_lowercase());
        let made = submit(&owner, &form, &class(&to, "11:15"));
        let uid = value(&mail_of(&mail, &to, confirmed).files()[0], "UID:");
        // Moved by its owner.
        let moved = json!({"field_2": class(&to, "15:00")["field_2"]});
        ok(owner.patch(form.entry(1), values(moved)));
        let got = mail_of(&mail, &to, changed);
        assert!(got.text().contains("15:00–16:00") && !got.text().contains("11:15"), "{}", got.text());
        let file = &got.files()[0];
        assert_eq!(
            [value(file, "UID:"), value(file, "SEQUENCE:"), value(file, "STATUS:")],
            [uid.as_str(), "2", "CONFIRMED"]
        );
        assert!(value(file, "DTSTART:").ends_with("T070000Z"), "{file}");
        // Cancelled by the respondent.
        let right = made["edit_token"].as_str().expect("a right");
        let own = format!("{}/{}", form.submissions(), made["entry"]["token"].as_str().expect("a token"));
        ok(server.anon().header("x-edit-token", right).post(format!("{own}/cancel_booking"), json!({})));
        let got = mail_of(&mail, &to, cancelled);
        assert!(got.html().contains("line-through") && got.text().contains("15:00–16:00"), "{}", got.text());
        assert!(!got.text().contains("/cancel?"), "{}", got.text());
        // The booking is over: only the other answers can be edited.
        let ways = ["Change your booking", "更改预约"];
        assert!(!ways.iter().any(|way| got.text().contains(way)), "{}", got.text());
        let file = &got.files()[0];
        assert_eq!(file["method"], "CANCEL");
        assert_eq!(
            [value(file, "UID:"), value(file, "SEQUENCE:"), value(file, "STATUS:")],
            [uid.as_str(), "3", "CANCELLED"]
        );
        // An unchanged answer, or one that the respondent does not see, is no change; nor is one of many that an import
        // or a bulk edit makes.
        let kinds = || -> Vec<Value> { listed(&owner, &form).iter().rev().map(|row| row["kind"].clone()).collect() };
        ok(owner.patch(form.entry(1), values(json!({"field_1": to}))));
        assert_eq!(kinds(), ["receipt", "changed", "cancelled"]);
    }
}

#[test]
fn a_booking_that_a_change_takes_away_leaves_the_calendar() {
    let Some((mail, server, owner)) = sending() else {
        return;
    };
    let group = json!({"receipt": {"enabled": false, "for_programs": true}, "changed": {"enabled": true}});
    let form = booked(&owner, "en", "UTC", &group);
    let mut answers = class("ada@example.com", "11:15");
    let tour = json!({"api_code": "tour", "scheduled_at": monday().to_string()});
    answers["field_2"].as_array_mut().expect("a list").push(tour);
    submit(&owner, &form, &answers);
    ok(owner.patch(form.entry(1), values(json!({"field_2": class("", "11:15")["field_2"]}))));
    let files = mail_of(&mail, "ada@example.com", "Your booking has changed").files();
    let said: Vec<[String; 2]> =
        files.iter().map(|file| ["SUMMARY:", "STATUS:"].map(|name| value(file, name))).collect();
    assert_eq!(said, [["Yoga\\, beginners – Studio", "CONFIRMED"], ["Tour – Studio", "CANCELLED"]]);
    // A waiting respondent who changes the answers has booked nothing.
    let mut body = values(class("bob@example.com", "11:15"));
    body["waiting_list"] = json!(true);
    server.anon().post(form.submissions(), body).is(201);
    let mut two = class("", "11:15")["field_2"].clone();
    two[0]["number"] = json!(2);
    ok(owner.patch(form.entry(2), values(json!({ "field_2": two }))));
    let got = mail_of(&mail, "bob@example.com", "Your answers have changed: “Studio”");
    assert!(
        got.text().contains("You asked for:\n\nYoga, beginners\n") && got.text().contains("2 places"),
        "{}",
        got.text()
    );
    assert!(got.files().is_empty(), "{got:?}");
}

#[test]
fn each_letter_has_its_switch_and_its_own_words() {
    let Some((mail, server, owner)) = sending() else {
        return;
    };
    let words = |name: &str| {
        let subject = format!("{name} {{{{serial_number}}}}");
        json!({"enabled": true, "subject": subject, "message": format!("<p>{name}!</p>")})
    };
    let on = json!({
        "receipt": {"enabled": false, "for_programs": true}, "waiting": words("waiting"), "moved_up": words("moved_up"),
        "cancelled": words("cancelled"), "changed": words("changed"),
    });
    let off = json!({"enabled": false});
    let mut none = receipts();
    for name in ["waiting", "moved_up", "cancelled"] {
        none[name] = off.clone();
    }
    for (group, expected) in [
        (on, &["waiting", "moved_up", "changed", "cancelled"][..]),
        // Letters that are not switched off follow the receipt, but for changes.
        (receipts(), &["receipt", "waiting", "moved_up", "cancelled"][..]),
        (none, &["receipt"][..]),
        (json!({"receipt": {"for_programs": true}}), &[][..]),
    ] {
        let form = booked(&owner, "en", "UTC", &group);
        let (first, second) = (class("first@example.com", "11:15"), class("second@example.com", "11:15"));
        submit(&owner, &form, &first);
        let mut body = values(second);
        body["waiting_list"] = json!(true);
        server.anon().post(form.submissions(), body).is(201);
        ok(owner.delete(form.entry(1)));
        // An address gets three letters an hour.
        ok(owner.patch(form.entry(2), values(class("third@example.com", "15:00"))));
        ok(owner.patch(format!("{}/reservation_status", form.entry(2)), json!({"status": "cancelled"})));
        let kinds: Vec<Value> = listed(&owner, &form).iter().rev().map(|row| row["kind"].clone()).collect();
        assert_eq!(kinds, expected, "{group}");
        for name in expected.iter().filter(|name| group[**name]["message"].is_string()) {
            let is_it = |it: &Mail| it.subject() == format!("{name} 2") && it.text().starts_with(&format!("{name}!\n"));
            until(name, || mail.mails().iter().any(is_it));
        }
    }
}

#[test]
fn programs_without_a_token_bring_about_no_later_letters_either() {
    let Some((_mail, server, owner)) = sending() else {
        return;
    };
    let form = booked(&owner, "en", "UTC", &json!({"receipt": {"enabled": true}, "changed": {"enabled": true}}));
    server.anon().post(form.submissions(), values(class("victim@example.com", "11:15"))).is(201);
    ok(owner.patch(form.entry(1), values(json!({"field_2": class("", "15:00")["field_2"]}))));
    ok(owner.patch(format!("{}/reservation_status", form.entry(1)), json!({"status": "cancelled"})));
    // Nor when a program gives the entry of a page another address.
    let token = server.token(&owner.email, "form:respond");
    let made = token.post(form.submissions(), values(class("ada@example.com", "11:15"))).is(201).data();
    let own = format!("{}/{}", form.submissions(), made["entry"]["token"].as_str().expect("a token"));
    let right = made["edit_token"].as_str().expect("a right");
    ok(server.anon().header("x-edit-token", right).patch(own, values(json!({"field_1": "victim@example.com"}))));
    let told: Vec<[Value; 2]> =
        listed(&owner, &form).iter().map(|row| ["kind", "to"].map(|key| row[key].clone())).collect();
    assert_eq!(told, [["receipt", "ada@example.com"]]);
}
