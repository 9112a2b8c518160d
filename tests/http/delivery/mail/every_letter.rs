//! Common parts of all letters: the sender's name, one heading, words in one language, colours for light and dark, and
//! the same content as text.

use serde_json::json;
use support::peers::mail::{Mail, MailServer, flags, serving};
use support::session::{Session, account};
use support::steps::set;
use support::{Caller, Server, field, until};

use super::letters::{booked, class, mail_of};
use super::{OWNER, form_of, notify, receipts, sending, submit};
use crate::delivery::{ok, values};

const STUDIO: &str = "Studio <North>";

/// As the HTML writes it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Checks the common parts of all letters.
fn is_whole(got: &Mail, locale: &str) {
    let (text, html) = (got.text(), got.html());
    let name = format!("{} to {}", got.subject(), got.to());
    assert!(html.contains(&format!("<html lang=\"{locale}\">")), "{name}: {html}");
    assert_eq!(html.matches("<h1").count(), 1, "{name}: {html}");
    assert!(html.contains(&format!("<title>{}</title>", escaped(&got.subject()))), "{name}: {html}");
    for part in ["name=\"color-scheme\" content=\"light dark\"", "prefers-color-scheme: dark"] {
        assert!(html.contains(part), "{name}: {part}: {html}");
    }
    // Nothing is fetched from anywhere.
    for part in ["<img", "<link", "<script", "url(", "@import"] {
        assert!(!html.contains(part), "{name}: {part}: {html}");
    }
    // No word is missing.
    for part in ["mail-", "done-", "{ $", "{$"] {
        assert!(!text.contains(part), "{name}: {part}: {text}");
    }
    // Each line of the text is in the HTML: a price and its label in cells of their own, an address in a link.
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let whole = escaped(line);
        let parts: Vec<String> = match line.rsplit_once(": ").or_else(|| line.rsplit_once('：')) {
            Some((label, amount)) => vec![escaped(label), escaped(amount)],
            None => vec![escaped(line.trim_end_matches([':', '：']))],
        };
        let is_there = html.contains(&whole) || parts.iter().all(|part| html.contains(part));
        assert!(is_there, "{name}: {line}: {html}");
    }
}

fn name_organization(owner: &Caller) {
    ok(owner.patch("/api/v1/organization", json!({"name": STUDIO})));
}

#[test]
fn every_letter_of_a_form_says_whose_it_is_and_reads_alike_as_text() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    // One address gets four letters about a form.
    let server = Server::with(&[&flags(&mail.url())[..], &["--mail-per-recipient", "99"]].concat());
    let owner = server.user_named(OWNER, "Ada Lovelace");
    name_organization(&owner);
    let goods = json!([{"api_code": "tea", "name": "Tea", "price": 1234.5}]);
    for (locale, order, response, cancelled, price) in [
        ("en", "Your order: “Untitled”", "Your response to “Untitled”", "Booking cancelled", "US$1,234.50"),
        ("zh-CN", "订单已收到", "您在“", "预约已取消", "US$1,234.50"),
    ] {
        let lang = locale.to_lowercase();
        let to = |who: &str| format!("{who}-{lang}@example.com");
        // Bookings: confirmed, waiting, moved up, changed and cancelled; and the notices of them.
        let mut group = receipts();
        group["changed"] = json!({"enabled": true});
        group["notice"] = json!({"enabled": true, "to": [OWNER], "include_values": true});
        let form = booked(&owner, locale, "Asia/Shanghai", &group);
        submit(&owner, &form, &class(&to("has"), "11:15"));
        let mut waits = values(class(&to("waits"), "11:15"));
        waits["waiting_list"] = json!(true);
        server.anon().post(form.submissions(), waits).is(201);
        ok(owner.delete(form.entry(1)));
        ok(owner.patch(form.entry(2), values(json!({"field_2": class("", "15:00")["field_2"]}))));
        ok(owner.patch(form.part("entries/2/reservation_status"), json!({"status": "cancelled"})));
        mail_of(&mail, &to("waits"), cancelled);
        // A notice says what was booked as the letter to the respondent does.
        let notice = mail.mail_to(OWNER);
        assert!(notice.text().contains("Yoga, beginners\n") && notice.text().contains("\n11:15–12:00"), "{notice:?}");
        // An order, a response, and the question whether somebody wants notices.
        let fields = json!([field("email", json!({})), field("product", json!({ "goods_items": goods }))]);
        let shop = owner.form_with(json!({"name": "Untitled", "locale": locale, "fields": fields}));
        set(&owner, &shop, json!({"pricing": {"currency": "USD"}}));
        notify(&owner, &shop, &receipts());
        let bought = json!([{"api_code": "tea", "number": 1}]);
        submit(&owner, &shop, &json!({"field_1": to("shop"), "field_2": bought}));
        let got = mail_of(&mail, &to("shop"), order);
        let price = if locale == "en" { price.trim_start_matches("US") } else { price };
        assert_eq!(got.text().matches(price).count(), 2, "{}", got.text());
        let plain =
            owner.form_with(json!({"name": "Untitled", "locale": locale, "fields": [field("email", json!({}))]}));
        let mut group = receipts();
        group["notice"] = json!({"enabled": true, "to": [to("asked")], "include_values": true});
        notify(&owner, &plain, &group);
        submit(&owner, &plain, &json!({"field_1": to("plain")}));
        mail_of(&mail, &to("plain"), response);
        mail.mail_to(&to("asked"));
        let of_locale = format!("<html lang=\"{locale}\">");
        let letters =
            || -> Vec<Mail> { mail.mails().into_iter().filter(|got| got.html().contains(&of_locale)).collect() };
        until("all letters", || letters().len() == 10);
        let letters = letters();
        for got in &letters {
            is_whole(got, locale);
            if got.to() != to("asked") {
                assert!(got.text().starts_with(&format!("{STUDIO}\n\n")), "{}", got.text());
            }
        }
    }
}

#[test]
fn a_notice_leads_whoever_may_see_it_to_the_entry() {
    let Some((mail, server, owner)) = sending() else {
        return;
    };
    account(&server, "other@example.com");
    let notice = json!({"notice": {"enabled": true, "to": [OWNER, "other@example.com", "plain@example.com"]}});
    let form = form_of(&owner, json!([field("short_text", json!({}))]), &notice);
    submit(&owner, &form, &json!({"field_1": "x"}));
    let page = format!("{}/forms/{}/entries/1", server.base, form.token);
    let leads = |to: &str| mail.mail_to(to).text().contains(&page);
    // Neither a member without the form nor a stranger is led to a page that refuses them.
    assert!(leads(OWNER) && !leads("other@example.com") && !leads("plain@example.com"));
}

#[test]
fn a_button_has_the_forms_own_colour() {
    let Some((mail, _server, owner)) = sending() else {
        return;
    };
    let form = form_of(&owner, json!([field("email", json!({}))]), &receipts());
    set(&owner, &form, json!({"submission_options": {"allow_edit_after_submission": true}}));
    ok(owner.patch(form.part("theme"), json!({"primary_color": "#0F766E"})));
    submit(&owner, &form, &json!({"field_1": "ada@example.com"}));
    let html = mail.mail_to("ada@example.com").html().to_uppercase();
    assert!(html.contains("BACKGROUND:#0F766E"), "{html}");
}

#[test]
fn letters_of_accounts_are_whole_too() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let server = serving(&mail);
    account(&server, "ann@example.org");
    let session = Session::on(&server).signed_in("ann@example.org");
    for locale in ["en", "zh-CN"] {
        let to = format!("{}@example.org", locale.to_lowercase());
        ok(server.token("ann@example.org", "form:read form:write").patch("/api/v1/me", json!({"locale": locale})));
        session.post_on("/members/invitations", &[("role", "member"), ("email", &to)]);
        is_whole(&mail.mail_to(&to), locale);
        let before = mail.mails().len();
        let browser = Session::on(&server);
        browser.get("/forgot-password");
        ok(browser.post("/forgot-password", &[("email", "ann@example.org")]));
        until("a letter", || mail.mails().len() > before);
        is_whole(mail.mails().last().expect("a letter"), locale);
    }
}
