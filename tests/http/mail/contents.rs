//! What mail about an entry says: receipts and notices, in the form's language, without what nobody may see.

use serde_json::{Value, json};

use super::{form, listed, notify, submit, until_latest};
use crate::support::mail::{Mail, MailServer, serving};
use crate::support::steps::set;
use crate::support::{Caller, Form, Server, field};

fn notices() -> Value {
    json!({"notice": {"enabled": true, "to": ["owner@example.com"], "include_values": true}})
}

fn named(owner: &Caller, name: &str, locale: &str, fields: Value) -> Form {
    owner.form_with(json!({"name": name, "locale": locale, "fields": fields}))
}

#[test]
fn a_receipt_thanks_in_the_forms_language() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let server = serving(&mail);
    let owner = server.user();
    for (locale, name, subject, words) in [
        ("en", "Garden <b>party</b>", "Your response to “Garden <b>party</b>”", "have been saved"),
        ("zh-CN", "春游", "您在“春游”中的提交", "您的记录编号是 1。"),
    ] {
        let own = named(&owner, name, locale, json!([field("email", json!({}))]));
        notify(&owner, &own, &json!({"receipt": {"enabled": true}}));
        let to = format!("{}@example.com", locale.to_lowercase());
        submit(&owner, &own, &json!({"field_1": to}));
        let got = mail.mail_to(&to);
        assert_eq!(got.subject(), subject);
        assert!(got.text().contains(words) && got.text().contains(name), "{}", got.text());
        assert!(got.html().contains(&format!("<html lang=\"{locale}\">")), "{}", got.html());
        assert!(!got.html().contains("<b>party"), "{}", got.html());
        // Both parts, and nothing of other hosts.
        assert!(got.header("Content-Type").starts_with("multipart/alternative"));
        assert!(!got.html().contains("<img") && !got.html().contains("<link"));
        // Who answered twice and may not edit is given no link.
        assert!(!got.text().contains("edit_token"), "{}", got.text());
    }
}

#[test]
fn owners_words_are_filled_in_one_pass_and_hidden_answers_stay() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let server = serving(&mail);
    let owner = server.user();
    let own = owner.form(json!([
        field("email", json!({})),
        field("short_text", json!({})),
        field("short_text", json!({"hidden": true, "default_value": "TOP SECRET"})),
    ]));
    notify(
        &owner,
        &own,
        &json!({"receipt": {
            "enabled": true,
            "subject": "Hi {{field_2}}{{field_3}}, no. {{serial_number}}",
            "message": "<p>Dear <strong>{{field_2}}</strong>: {{field_3}}!<script>x</script></p>\
                        <p><a href=\"https://example.org/{{field_2}}\">More</a></p>",
        }}),
    );
    submit(&owner, &own, &json!({"field_1": "ada@example.com", "field_2": "<i>{{field_3}}</i> {{gen_code}}"}));
    let got = mail.mail_to("ada@example.com");
    assert_eq!(got.subject(), "Hi <i>{{field_3}}</i> {{gen_code}}, no. 1");
    assert!(got.html().contains("<strong>&lt;i&gt;{{field_3}}&lt;/i&gt; {{gen_code}}</strong>: !"), "{}", got.html());
    assert!(got.text().contains("Dear <i>{{field_3}}</i> {{gen_code}}: !\n"), "{}", got.text());
    assert!(got.text().contains("More (https://example.org/"), "{}", got.text());
    for part in [got.text(), got.html(), got.0["raw"].as_str().expect("raw")] {
        assert!(!part.contains("TOP SECRET") && !part.contains("script"), "{part}");
    }
}

#[test]
fn no_answer_and_no_name_adds_a_header_or_a_recipient() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let server = serving(&mail);
    let owner = server.user();
    let evil = "x\r\nBcc: eve@example.org\r\n\r\n<script>\u{2028}\u{202e}y";
    let own = named(
        &owner,
        "Name Bcc: eve@example.org",
        "en",
        json!([field("email", json!({})), field("long_text", json!({"label": "Q\nBcc: eve@example.org"}))]),
    );
    notify(
        &owner,
        &own,
        &json!({
            "receipt": {"enabled": true, "subject": "{{field_2}}\r\nBcc: eve@example.org"},
            "notice": {"enabled": true, "to": ["owner@example.com"], "include_values": true},
        }),
    );
    submit(&owner, &own, &json!({"field_1": "ada@example.com", "field_2": evil}));
    let receipt = mail.mail_to("ada@example.com");
    let notice = mail.mail_to("owner@example.com");
    assert!(receipt.subject().starts_with("x Bcc: eve@example.org <script> y"), "{receipt:?}");
    let usual = |mail: &Mail| {
        let mut names = mail.header_names();
        names.sort();
        names.dedup();
        names
    };
    let expected = ["Auto-Submitted", "Content-Type", "Date", "From", "MIME-Version", "Message-ID", "Subject", "To"];
    let known = |mail: &Mail| {
        let names = usual(mail);
        names.into_iter().filter(|name| !name.starts_with("List-") && !name.starts_with("X-")).collect::<Vec<_>>()
    };
    assert_eq!(known(&receipt), expected);
    assert_eq!(known(&notice), expected);
    for one in [&receipt, &notice] {
        assert_eq!(one.0["to"].as_array().map(Vec::len), Some(1));
        assert!(!one.html().contains("<script"), "{}", one.html());
    }
    // An address that could hold a header is none.
    let anon = server.anon();
    let sent =
        anon.post(own.submissions(), json!({"field_values": {"field_1": "ada@example.com\r\nBcc: eve@example.org"}}));
    assert_eq!(sent.status, 422, "{sent}");
}

#[test]
fn where_answers_may_be_edited_the_receipt_leads_there() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let server = serving(&mail);
    let owner = server.user();
    let own = form(&owner, &json!({"receipt": {"enabled": true}}));
    set(&owner, &own, json!({"submission_options": {"allow_edit_after_submission": true}}));
    let made = submit(&owner, &own, &json!({"field_1": "ada@example.com", "field_2": "first"}));
    let got = mail.mail_to("ada@example.com");
    let link = got.link(&server.base, &format!("/f/{}/entries/", own.token));
    assert!(link.ends_with(made["edit_token"].as_str().expect("a token")), "{link}");
    let page = server.anon().get(&link);
    assert_eq!(page.status, 200);
    assert!(page.text.contains("first"));
}

#[test]
fn the_chosen_field_gets_the_receipt_and_a_blank_one_none() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let server = serving(&mail);
    let owner = server.user();
    let own =
        owner.form(json!([field("email", json!({})), field("email", json!({})), field("short_text", json!({})),]));
    notify(&owner, &own, &json!({"receipt": {"enabled": true, "field": "field_2"}}));
    submit(&owner, &own, &json!({"field_1": "first@example.com"}));
    assert!(listed(&owner, &own).is_empty());
    submit(&owner, &own, &json!({"field_1": "first@example.com", "field_2": "second@example.com"}));
    mail.mail_to("second@example.com");
    notify(&owner, &own, &json!({"receipt": {"field": null}}));
    submit(&owner, &own, &json!({"field_1": "first@example.com", "field_2": "other@example.com"}));
    mail.mail_to("first@example.com");
    assert_eq!(listed(&owner, &own).len(), 2);
}

#[test]
fn the_first_address_that_is_asked_for_gets_the_receipt() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let server = serving(&mail);
    let owner = server.user();
    let own = owner.form(json!([
        field("email", json!({"hidden": true, "default_value": "hidden@example.com"})),
        field("email", json!({})),
    ]));
    let receipt = json!({"receipt": {"enabled": true}});
    notify(&owner, &own, &receipt);
    submit(&owner, &own, &json!({"field_2": "shown@example.com"}));
    mail.mail_to("shown@example.com");
    // One that is named is meant.
    notify(&owner, &own, &json!({"receipt": {"field": "field_1"}}));
    submit(&owner, &own, &json!({"field_2": "shown@example.com"}));
    mail.mail_to("hidden@example.com");
    assert_eq!(listed(&owner, &own).len(), 2);
    let none = owner.form(json!([field("email", json!({"hidden": true}))]));
    let set = notify(&owner, &none, &receipt);
    assert_eq!(set.json()["warnings"][0]["message"], "has no effect: the form has no email field");
}

#[test]
fn a_notice_tells_of_every_answer_in_the_forms_language() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let server = serving(&mail);
    let owner = server.user();
    for (locale, subject, words) in [
        ("en", "New response to “Trip”: entry 1", "“Trip” has a new response."),
        ("zh-CN", "“Trip”收到新的提交：第 1 号记录", "“Trip”收到了新的提交。"),
    ] {
        let own = named(
            &owner,
            "Trip",
            locale,
            json!([
                field("short_text", json!({"label": "Who <you>?"})),
                field("checkbox", json!({"label": "Days", "choices": [{"label": "Mon"}, {"label": "Tue"}]})),
                field("number", json!({"label": "Left out"})),
                field("date", json!({"label": "When"})),
            ]),
        );
        let to = format!("owner-{}@example.com", locale.to_lowercase());
        notify(
            &owner,
            &own,
            &json!({"notice": {"enabled": true, "to": [to, "plain@example.com"], "include_values": true}}),
        );
        let days = own.body["fields"][1]["choices"].clone();
        submit(
            &owner,
            &own,
            &json!({
                "field_1": "Ada & <b>co</b>\nlast",
                "field_2": [days[0]["api_code"], days[1]["api_code"]],
                "field_4": "2026-11-23",
            }),
        );
        let got = mail.mail_to(&to);
        assert_eq!(got.subject(), subject);
        for part in [words, "Who <you>?\n  Ada & <b>co</b>", "Days\n  Mon\n  Tue", "2026"] {
            assert!(got.text().contains(part), "{part}: {}", got.text());
        }
        assert!(!got.text().contains("Left out"));
        assert!(got.html().contains("Ada &amp; &lt;b&gt;co&lt;/b&gt;"), "{}", got.html());
        let rows = listed(&owner, &own);
        assert!(rows.iter().all(|row| row["kind"] == "notice"), "{rows:?}");
        assert_eq!(rows.len(), 2);
    }
    // Without values the mail says nothing of them.
    let own = form(&owner, &json!({"notice": {"enabled": true, "to": ["bare@example.com"]}}));
    submit(&owner, &own, &json!({"field_2": "do not tell"}));
    let got = mail.mail_to("bare@example.com");
    assert!(!got.text().contains("do not tell") && !got.html().contains("do not tell"));
}

#[test]
fn long_answers_are_left_out_of_notices() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let server = serving(&mail);
    let owner = server.user();
    let own = owner
        .form(json!([field("long_text", json!({"label": "Long"})), field("short_text", json!({"label": "Short"}))]));
    notify(&owner, &own, &notices());
    submit(&owner, &own, &json!({"field_1": "word ".repeat(20_000), "field_2": "brief"}));
    let got = mail.mail_to("owner@example.com");
    assert!(got.text().contains("Short\n  brief") && got.text().len() < 5_000);
    assert!(got.text().contains("doesn’t contain all answers"), "{}", got.text());
}

#[test]
fn a_notice_can_be_ended_by_whoever_gets_it() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let server = serving(&mail);
    let owner = server.user();
    let own = form(&owner, &json!({"notice": {"enabled": true, "to": ["Owner+x@example.com", "other@example.com"]}}));
    submit(&owner, &own, &json!({"field_2": "x"}));
    let got = mail.mail_to("Owner+x@example.com");
    let header = got.header("List-Unsubscribe");
    let link = header.trim_start_matches('<').trim_end_matches('>');
    let link = link.strip_prefix(&server.base).expect("our address").to_owned();
    assert_eq!(link, got.link(&server.base, &format!("/f/{}/notices", own.token)));
    assert_eq!(got.header("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
    let anon = server.anon();
    let to = || owner.get(own.part("settings")).data()["notifications"]["notice"]["to"].clone();
    // Looking ends nothing, and neither does a link that was changed.
    let page = anon.get(&link);
    assert_eq!((page.status, page.header("x-robots-tag")), (200, "noindex"), "{page}");
    assert!(page.text.contains("Owner+x@example.com"));
    let other = link.replace("Owner%2Bx", "other");
    assert_ne!(other, link);
    assert_eq!(anon.get(&other).status, 404);
    assert_eq!(anon.post_form(&other, &[]).status, 404);
    assert_eq!(anon.get(format!("/f/{}/notices", own.token)).status, 404);
    assert_eq!(to(), json!(["Owner+x@example.com", "other@example.com"]));
    // As mail programs do it (RFC 8058), and once more by the button.
    let pairs: [&[(&str, &str)]; 2] = [&[("List-Unsubscribe", "One-Click")], &[]];
    for pairs in pairs {
        let ended = anon.post_form(&link, pairs);
        assert_eq!(ended.status, 200, "{ended}");
        assert_eq!(to(), json!(["other@example.com"]));
    }
    submit(&owner, &own, &json!({"field_2": "y"}));
    let latest = until_latest(&owner, &own, "delivered", |row| row["status"] == "delivered");
    assert_eq!(latest["to"], "other@example.com");
    let link = mail.mail_to("other@example.com").header("List-Unsubscribe");
    let link = link.trim_matches(['<', '>']).strip_prefix(&server.base).expect("ours").to_owned();
    assert_eq!(anon.post_form(&link, &[]).status, 200);
    let group = owner.get(own.part("settings")).data()["notifications"]["notice"].clone();
    assert_eq!((&group["enabled"], &group["to"]), (&json!(false), &json!([])));
}

#[test]
fn a_page_of_the_form_brings_a_receipt_too() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let server: Server = serving(&mail);
    let owner = server.user();
    let own = form(&owner, &json!({"receipt": {"enabled": true}}));
    let sent = server.anon().post_form(own.page(), &[("field_1", "page@example.com")]);
    assert_eq!(sent.status, 303, "{sent}");
    mail.mail_to("page@example.com");
}
