//! Contents and recipients of a receipt and a notice: in the form's language, with `{{field_1}}` and the like, the link
//! to edit the answers, and the link that stops notices.

use serde_json::{Value, json};
use support::peers::mail::Mail;
use support::steps::set;
use support::{Caller, Form, field, until};

use super::{both, form, form_of, listed, notify, receipts, sending, submit, until_delivered};
use crate::delivery::{ok, values};

fn named(owner: &Caller, name: &str, locale: &str, fields: Value) -> Form {
    owner.form_with(json!({"name": name, "locale": locale, "fields": fields}))
}

#[test]
fn a_receipt_thanks_in_the_forms_language() {
    let Some((mail, _server, owner)) = sending() else {
        return;
    };
    for (locale, name, subject, words) in [
        ("en", "Garden <b>party</b>", "Your response to “Garden <b>party</b>”", "have been saved"),
        ("zh-CN", "春游", "您在“春游”中的提交", "您的记录编号是 1。"),
    ] {
        let own = named(&owner, name, locale, json!([field("email", json!({}))]));
        notify(&owner, &own, &receipts());
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
        // A respondent who answered twice and may not edit is given no link.
        assert!(!got.text().contains("edit_token"), "{}", got.text());
    }
}

#[test]
fn a_receipt_has_the_code_of_a_form_that_gives_codes() {
    let Some((mail, _server, owner)) = sending() else {
        return;
    };
    let own = form_of(&owner, json!([field("email", json!({}))]), &receipts());
    set(&owner, &own, json!({"verification_code": {"enabled": true, "length": 8}}));
    let made = submit(&owner, &own, &json!({"field_1": "ada@example.com"}));
    let code = owner.get(own.entry(1)).data()["gen_code"].as_str().expect("a code").to_owned();
    let line = format!("Your verification code: {code}\n");
    let got = mail.mail_to("ada@example.com");
    assert!(got.text().contains(&line), "{made}: {}", got.text());
    // The owner's words place it themselves.
    notify(&owner, &own, &json!({"receipt": {"message": "<p>Thanks</p>"}}));
    submit(&owner, &own, &json!({"field_1": "bob@example.com"}));
    assert!(!mail.mail_to("bob@example.com").text().contains("code"));
}

/// Text that looks like an encoded word (RFC 2047) would be decoded by mail programs.
#[test]
fn an_answer_is_no_encoded_word() {
    let Some((mail, _server, owner)) = sending() else {
        return;
    };
    let word = "=?utf-8?b?WW91IHdvbg==?=";
    let fields = json!([field("email", json!({})), field("short_text", json!({}))]);
    let own = owner.form_with(json!({"name": word, "fields": fields}));
    for (subject, to) in [(Some("Hi {{field_2}} é"), "ada@example.com"), (None, "bob@example.com")] {
        notify(&owner, &own, &json!({"receipt": {"enabled": true, "for_programs": true, "subject": subject}}));
        submit(&owner, &own, &json!({"field_1": to, "field_2": word}));
        let got = mail.mail_to(to);
        assert!(got.subject().contains(word), "{got:?}");
    }
    submit(&owner, &own, &json!({"field_1": format!("{word}@example.com")}));
    until("it is given up", || {
        let all = listed(&owner, &own);
        all.iter().any(|one| one["status"] == "failed" && one["to"] == format!("{word}@example.com"))
    });
}

#[test]
fn owners_words_are_filled_in_one_pass_and_hidden_answers_stay() {
    let Some((mail, _server, owner)) = sending() else {
        return;
    };
    let fields = json!([
        field("email", json!({})),
        field("short_text", json!({})),
        field("short_text", json!({"hidden": true, "default_value": "TOP SECRET"})),
    ]);
    let words = json!({
        "enabled": true,
        "for_programs": true,
        "subject": "Hi {{field_2}}{{field_3}}, no. {{serial_number}}",
        "message": "<p>Dear <strong>{{field_2}}</strong>: {{field_3}}!<script>x</script></p>\
                    <p><a href=\"https://example.org/{{field_2}}\">More</a></p>",
    });
    let own = form_of(&owner, fields, &json!({ "receipt": words }));
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
    let Some((mail, server, owner)) = sending() else {
        return;
    };
    let evil = "x\r\nBcc: eve@example.org\r\n\r\n<script>\u{2028}\u{202e}y";
    let own = named(
        &owner,
        "Name Bcc: eve@example.org",
        "en",
        json!([field("email", json!({})), field("long_text", json!({"label": "Q\nBcc: eve@example.org"}))]),
    );
    notify(&owner, &own, &both("owner@example.com"));
    notify(&owner, &own, &json!({"receipt": {"subject": "{{field_2}}\r\nBcc: eve@example.org"}}));
    submit(&owner, &own, &json!({"field_1": "ada@example.com", "field_2": evil}));
    let receipt = mail.mail_to("ada@example.com");
    let notice = mail.mail_to("owner@example.com");
    assert!(receipt.subject().starts_with("x Bcc: eve@example.org <script> y"), "{receipt:?}");
    let expected = ["Auto-Submitted", "Content-Type", "Date", "From", "MIME-Version", "Message-ID", "Subject", "To"];
    let known = |mail: &Mail| {
        let mut names = mail.header_names();
        names.sort();
        names.dedup();
        names.retain(|name| !name.starts_with("List-") && !name.starts_with("X-"));
        names
    };
    for one in [&receipt, &notice] {
        assert_eq!(known(one), expected);
        assert_eq!(one.0["to"].as_array().map(Vec::len), Some(1));
        assert!(!one.html().contains("<script"), "{}", one.html());
    }
    // An address that could hold a header is none.
    let bad = values(json!({"field_1": "ada@example.com\r\nBcc: eve@example.org"}));
    let sent = server.anon().post(own.submissions(), bad);
    assert_eq!(sent.status, 422, "{sent}");
}

#[test]
fn where_answers_may_be_edited_the_receipt_leads_there() {
    let Some((mail, server, owner)) = sending() else {
        return;
    };
    let own = form(&owner, &receipts());
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
fn the_receipt_goes_to_the_first_email_field_that_is_not_hidden_or_to_the_named_one() {
    let Some((mail, _server, owner)) = sending() else {
        return;
    };
    let email = || field("email", json!({}));
    let shown = json!([email(), email(), field("short_text", json!({}))]);
    let hidden = json!([field("email", json!({"hidden": true, "default_value": "hidden@example.com"})), email()]);
    let (first, both) =
        (json!({"field_1": "1@example.com"}), json!({"field_1": "2@example.com", "field_2": "3@example.com"}));
    let second = json!({"field_2": "4@example.com"});
    for (case, fields, named, answers, to) in [
        ("the second is named, and blank", &shown, json!("field_2"), &first, None),
        ("the second is named", &shown, json!("field_2"), &both, Some("3@example.com")),
        ("none is named", &shown, Value::Null, &both, Some("2@example.com")),
        ("the first is hidden", &hidden, Value::Null, &second, Some("4@example.com")),
        ("a hidden one is named", &hidden, json!("field_1"), &second, Some("hidden@example.com")),
    ] {
        let own = form_of(
            &owner,
            fields.clone(),
            &json!({"receipt": {"enabled": true, "for_programs": true, "field": named}}),
        );
        submit(&owner, &own, answers);
        let listed: Vec<Value> = listed(&owner, &own).iter().map(|row| row["to"].clone()).collect();
        assert_eq!(listed, to.map(|to| json!(to)).into_iter().collect::<Vec<_>>(), "{case}");
        to.map(|to| mail.mail_to(to));
    }
    // The settings may be changed back to none.
    let own = form_of(&owner, shown, &json!({"receipt": {"enabled": true, "for_programs": true, "field": "field_2"}}));
    notify(&owner, &own, &json!({"receipt": {"field": null}}));
    submit(&owner, &own, &json!({"field_1": "5@example.com", "field_2": "other@example.com"}));
    mail.mail_to("5@example.com");
    let none = owner.form(json!([field("email", json!({"hidden": true}))]));
    let set = notify(&owner, &none, &receipts());
    assert_eq!(set.json()["warnings"][0]["message"], "has no effect: the form has no email field");
}

#[test]
fn a_notice_tells_of_every_answer_in_the_forms_language() {
    let Some((mail, server, owner)) = sending() else {
        return;
    };
    for to in ["owner-en@example.com", "owner-zh-cn@example.com", "plain@example.com"] {
        server.user_named(to, "Olga");
    }
    for (locale, subject, words) in [
        ("en", "New response to “Trip”: entry 1", "“Trip” has a new response."),
        ("zh-CN", "“Trip”收到新的提交：第 1 条数据", "“Trip”收到了新的提交。"),
    ] {
        let fields = json!([
            field("short_text", json!({"label": "Who <you>?"})),
            field("checkbox", json!({"label": "Days", "choices": [{"label": "Mon"}, {"label": "Tue"}]})),
            field("number", json!({"label": "Left out"})),
            field("date", json!({"label": "When"})),
        ]);
        let own = named(&owner, "Trip", locale, fields);
        let to = format!("owner-{}@example.com", locale.to_lowercase());
        let notice = json!({"enabled": true, "to": [to, "plain@example.com"], "include_values": true});
        notify(&owner, &own, &json!({ "notice": notice }));
        let days: Vec<&Value> = (0..2).map(|n| &own.body["fields"][1]["choices"][n]["api_code"]).collect();
        let answers = json!({"field_1": "Ada & <b>co</b>\nlast", "field_2": days, "field_4": "2026-11-23"});
        submit(&owner, &own, &answers);
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
    let Some((mail, _server, owner)) = sending() else {
        return;
    };
    let fields = json!([field("long_text", json!({"label": "Long"})), field("short_text", json!({"label": "Short"}))]);
    let own = form_of(&owner, fields, &both("owner@example.com"));
    submit(&owner, &own, &json!({"field_1": "word ".repeat(20_000), "field_2": "brief"}));
    let got = mail.mail_to("owner@example.com");
    assert!(got.text().contains("Short\n  brief") && got.text().len() < 5_000);
    assert!(got.text().contains("doesn’t contain all answers"), "{}", got.text());
}

#[test]
fn a_notice_can_be_ended_by_whoever_gets_it() {
    let Some((mail, server, owner)) = sending() else {
        return;
    };
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
    let bare = format!("/f/{}/notices", own.token);
    for wrong in [anon.get(&other), anon.post_form(&other, &[]), anon.get(bare)] {
        assert_eq!(wrong.status, 404, "{wrong}");
    }
    assert_eq!(to(), json!(["Owner+x@example.com", "other@example.com"]));
    // As mail programs do it (RFC 8058), and once more by the button.
    let pairs: [&[(&str, &str)]; 2] = [&[("List-Unsubscribe", "One-Click")], &[]];
    for pairs in pairs {
        ok(anon.post_form(&link, pairs));
        assert_eq!(to(), json!(["other@example.com"]));
    }
    submit(&owner, &own, &json!({"field_2": "y"}));
    let latest = until_delivered(&owner, &own);
    assert_eq!(latest["to"], "other@example.com");
    let link = mail.mail_to("other@example.com").header("List-Unsubscribe");
    let link = link.trim_matches(['<', '>']).strip_prefix(&server.base).expect("ours").to_owned();
    assert_eq!(anon.post_form(&link, &[]).status, 200);
    let group = owner.get(own.part("settings")).data()["notifications"]["notice"].clone();
    assert_eq!((&group["enabled"], &group["to"]), (&json!(false), &json!([])));
}
