//! The settings of receipts and notices, the list of sent mail (`…/notifications`), and the settings of the mail
//! server.

use serde_json::{Value, json};
use support::peers::mail::flags;
use support::sharing::share;
use support::{Server, field, text};

use super::{CLOSED, both, form, listed, notify, submit};
use crate::delivery::ok;

#[test]
fn the_group_is_read_as_it_is_written() {
    let owner = Server::shared().user();
    let own = owner.form(json!([field("email", json!({}))]));
    let read = || owner.get(own.part("settings")).data()["notifications"].clone();
    let letter = json!({"enabled": false, "subject": null, "message": null, "include_values": false});
    let letters = |mut group: Value| {
        for name in ["waiting", "moved_up", "cancelled", "changed", "reminder"] {
            group[name] = letter.clone();
        }
        group
    };
    let defaults = letters(json!({
        "receipt": {"enabled": false, "field": null, "subject": null, "message": null, "include_values": false,
            "for_programs": false},
        "notice": {"enabled": false, "to": [], "subject": null, "message": null, "include_values": false},
    }));
    assert_eq!(read(), defaults);
    let words = json!({"field": "field_1", "subject": "Hi", "message": "<p>Bye<script>x</script></p>"});
    notify(&owner, &own, &json!({"receipt": words, "notice": {"to": ["a@example.com"], "include_values": true}}));
    let set = letters(json!({
        "receipt": {"enabled": false, "field": "field_1", "subject": "Hi", "message": "<p>Bye</p>",
            "include_values": false, "for_programs": false},
        "notice": {"enabled": false, "to": ["a@example.com"], "subject": null, "message": null, "include_values": true},
    }));
    assert_eq!(read(), set);
    // Settings that were read may be written back.
    notify(&owner, &own, &set);
    notify(&owner, &own, &json!({"receipt": {"subject": null}}));
    assert_eq!(read()["receipt"]["subject"], Value::Null);
    notify(&owner, &own, &Value::Null);
    assert_eq!(read(), defaults);
    // The letters about a place follow the receipt, as long as they are not set themselves.
    let switches = || {
        let group = read();
        ["waiting", "moved_up", "cancelled", "changed", "reminder"].map(|name| group[name]["enabled"] == true)
    };
    notify(&owner, &own, &json!({"receipt": {"enabled": true}}));
    assert_eq!(switches(), [true, true, true, false, false]);
    notify(&owner, &own, &json!({"waiting": {"enabled": false}, "changed": {"enabled": true}}));
    assert_eq!(switches(), [false, true, true, true, false]);
    notify(&owner, &own, &json!({"receipt": {"enabled": false}, "waiting": {"enabled": null}}));
    assert_eq!(switches(), [false, false, false, true, false]);
}

#[test]
fn all_faults_are_told_at_once() {
    let owner = Server::shared().user();
    let own = owner.form(json!([field("email", json!({})), field("short_text", json!({}))]));
    let mut to: Vec<Value> = (0..11).map(|n| json!(format!("a{n}@example.com"))).collect();
    to.extend([json!("none"), json!("A1@example.com"), json!("a\r\nb@example.com")]);
    let refused = owner.patch(
        own.part("settings"),
        json!({"notifications": {
            "receipt": {"enabled": 1, "field": "field_2", "subject": "x".repeat(201), "for_programs": 1},
            "notice": {"to": to, "include_values": "yes"},
            "reminder": {"enabled": "soon", "subject": 5},
        }}),
    );
    assert_eq!(refused.status, 422, "{refused}");
    assert_eq!(
        refused.faults(),
        [
            "notifications.receipt.enabled: must be true or false",
            "notifications.receipt.field: is not an email field of this form",
            "notifications.receipt.subject: is too long (at most 200 characters)",
            "notifications.receipt.for_programs: must be true or false",
            "notifications.notice.to[11]: is not an email address",
            "notifications.notice.to[12]: is in the list already",
            "notifications.notice.to[13]: is not an email address",
            "notifications.notice.to: may have at most 10 addresses",
            "notifications.notice.include_values: must be true or false",
            "notifications.reminder.enabled: must be true or false",
            "notifications.reminder.subject: must be a string",
        ]
    );
    for (notifications, attributes) in [
        (
            json!({"notice": {"enabled": true}, "receipt": {"field": "field_9"}}),
            vec!["notifications.receipt.field", "notifications.notice.to"],
        ),
        (json!({"notice": {"enabled": true}}), vec!["notifications.notice.to"]),
    ] {
        let refused = owner.patch(own.part("settings"), json!({ "notifications": notifications })).is(422);
        assert_eq!(refused.attributes(), attributes, "{refused}");
    }
}

#[test]
fn what_has_no_effect_is_warned_of() {
    let warned = |server: &Server, fields: Value| {
        let owner = server.user();
        let own = owner.form(fields);
        let body = notify(&owner, &own, &both(&owner.email)).json();
        let warnings = body["warnings"].as_array().cloned().unwrap_or_default();
        let line = |it: &Value| format!("{} {}", it["attribute"], it["message"]).replace('"', "");
        warnings.iter().map(line).collect::<Vec<_>>()
    };
    let email = || json!([field("email", json!({}))]);
    let without = Server::shared();
    let reason = "has no effect until the service has a mail server (--smtp-url)";
    assert_eq!(
        warned(without, email()),
        [format!("notifications.receipt.enabled {reason}"), format!("notifications.notice.enabled {reason}"),]
    );
    let with = Server::shared_with(&flags(CLOSED));
    assert_eq!(warned(with, email()), [""; 0]);
    assert_eq!(
        warned(with, json!([field("short_text", json!({}))])),
        ["notifications.receipt.enabled has no effect: the form has no email field"]
    );
    // Without a mail server nothing is queued.
    let owner = without.user();
    let own = form(&owner, &both("a@example.com"));
    submit(&owner, &own, &json!({"field_1": "ada@example.com"}));
    assert!(listed(&owner, &own).is_empty());
}

#[test]
fn a_field_that_goes_takes_its_mention_along() {
    let owner = Server::shared().user();
    let own = owner.form(json!([field("email", json!({})), field("email", json!({})), field("short_text", json!({}))]));
    let named = || {
        let settings = owner.get(own.part("settings")).data();
        settings["notifications"]["receipt"]["field"].clone()
    };
    notify(&owner, &own, &json!({"receipt": {"field": "field_1"}}));
    let fields = own.body["fields"].as_array().expect("fields").clone();
    ok(owner.patch(own.path(), json!({"fields": [fields[1], fields[2]]})));
    assert_eq!(named(), Value::Null);
    // A field that becomes a text holds no addresses any more.
    notify(&owner, &own, &json!({"receipt": {"field": "field_2"}}));
    let mut second = fields[1].clone();
    second["type"] = json!("short_text");
    ok(owner.patch(own.path(), json!({"fields": [second, fields[2]]})));
    assert_eq!(named(), Value::Null);
}

#[test]
fn managers_page_through_what_was_sent() {
    let server = Server::shared_with(&flags(CLOSED));
    let owner = server.user();
    let own = form(&owner, &both(&owner.email));
    for n in 0..3 {
        submit(&owner, &own, &json!({"field_1": format!("a{n}@example.com")}));
    }
    let path = format!("{}/notifications", own.path());
    let first = owner.get(format!("{path}?page_size=4")).json();
    assert_eq!(first["pagination"]["total"], 6);
    let cursor = first["pagination"]["next_cursor"].as_str().expect("a cursor");
    let second = owner.get(format!("{path}?page_size=4&cursor={cursor}")).json();
    assert_eq!(second["pagination"]["next_cursor"], "");
    let ids = |page: &Value| -> Vec<i64> {
        let rows = page["data"].as_array().expect("rows").iter();
        rows.map(|row| row["id"].as_i64().expect("a number")).collect()
    };
    let all = [ids(&first), ids(&second)].concat();
    assert!(all.len() == 6 && all.is_sorted_by(|a, b| a > b), "{all:?}");
    assert_eq!(owner.get(format!("{path}?cursor=x")).status, 400);
    let (viewer, stranger) = (server.user(), server.user());
    share(&owner, &own, &viewer, "editor");
    for (who, caller, status) in [("editor", viewer, 403), ("stranger", stranger, 404), ("nobody", server.anon(), 401)]
    {
        let refused = caller.get(&path);
        assert_eq!(refused.status, status, "{who}: {refused}");
    }
}

#[test]
fn settings_of_mail_that_cannot_be_meant_are_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let junk = dir.path().join("junk.pem");
    std::fs::write(&junk, "no certificate").expect("written");
    let junk = junk.display().to_string();
    let from = ["--mail-from", "forms@example.org"];
    for (args, code, says) in [
        (vec!["--smtp-url", "smtp://a:b@mail.test"], 2, "FORMSVC_SMTP_PASSWORD"),
        (vec!["--smtp-url", "http://mail.test"], 2, "smtp://user@host:port"),
        (vec!["--smtp-url", "smtp://mail.test"], 2, "mail-from"),
        (vec!["--mail-from", "nobody"], 2, "must be an address"),
        ([&["--smtp-url", "smtp://ann@mail.test"][..], &from].concat(), 2, "FORMSVC_SMTP_PASSWORD"),
        ([&["--smtp-url", "smtp://mail.test", "--smtp-ca", &junk][..], &from].concat(), 3, "no certificates"),
        ([&["--smtp-url", "smtp://mail.test", "--smtp-ca", "/none"][..], &from].concat(), 3, "can't be read"),
    ] {
        let shown = support::formsvc(dir.path(), &[&["config", "show"][..], &args].concat(), "");
        assert_eq!(shown.status.code(), Some(code), "{args:?}: {}", text(&shown.stderr));
        assert!(text(&shown.stderr).contains(says), "{args:?}: {}", text(&shown.stderr));
    }
    let shown = std::process::Command::new(&*support::PROGRAM)
        .args(["config", "show", "--json", "--data-dir"])
        .arg(dir.path())
        .env("FORMSVC_SMTP_URL", "smtps://ann%40example.org@mail.test")
        .env("FORMSVC_SMTP_PASSWORD", "s3cret")
        .env("FORMSVC_MAIL_FROM", "Forms <forms@example.org>")
        .output()
        .expect("runs");
    let said = text(&shown.stdout);
    assert!(shown.status.success() && !said.contains("s3cret"), "{said}");
    let said: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(said["smtp_password"]["value"], "********");
    assert_eq!(said["mail_from"]["value"], "Forms <forms@example.org>");
}
