//! Signatures and recordings: they come with the form's page alone, and are read as spec 2.4 has them.

use serde_json::{Value, json};
use support::multipart::{body, fetched, kept};
use support::steps::newest;
use support::uploads::{png, wav};
use support::{Caller, Form, Server, field};

fn form(owner: &Caller) -> Form {
    owner.form(json!([
        field("signature", json!({"required": true})),
        field("audio", json!({"required": true, "max_duration": 2})),
        field("short_text", json!({})),
    ]))
}

#[test]
fn a_signature_reads_as_a_link_and_a_recording_with_its_length() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = form(&owner);
    let sent = body()
        .file("field_1", "mine.png", "image/png", &png(30, 20))
        .file("field_2", "a.wav", "audio/wav", &wav(1250))
        .send(&anon, &form.page());
    assert_eq!(sent.status, 303, "{sent}");
    let entry = newest(&owner, &form);
    let signature = fetched(&owner, &entry["field_1"]);
    assert_eq!(signature.status, 200, "{signature}");
    assert_eq!(signature.header("content-type"), "image/png");
    assert!(signature.header("content-disposition").starts_with("attachment"));
    let audio = &entry["field_2"];
    let keys: Vec<&String> = audio.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["id", "name", "url", "file_size", "content_type", "duration"]);
    assert_eq!(
        (&audio["name"], &audio["content_type"], &audio["duration"]),
        (&json!("a.wav"), &json!("audio/wav"), &json!(1.25))
    );
    assert_eq!(fetched(&owner, &audio["url"]).status, 200);
    // A change of another field leaves them; nobody gives them as values.
    let change = json!({"field_values": {"field_3": "x", "field_1": null, "field_2": null}});
    let changed = owner.patch(form.entry(1), change);
    assert_eq!(changed.status, 200, "{changed}");
    let entry = newest(&owner, &form);
    assert_eq!(entry["field_2"]["duration"], 1.25, "{entry}");
    assert_eq!(fetched(&owner, &entry["field_1"]).status, 200);
}

#[test]
fn the_page_asks_for_them_and_the_api_does_not() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = form(&owner);
    let values = json!({"field_values": {"field_1": "https://example.com/a.png", "field_3": "x"}});
    let made = anon.post(form.submissions(), values);
    assert_eq!(made.status, 201, "{made}");
    let entry = newest(&owner, &form);
    assert_eq!((&entry["field_1"], &entry["field_2"]), (&Value::Null, &Value::Null));
    let refused = body().text("field_3", "x").send(&anon, &form.page());
    assert_eq!(refused.status, 422, "{refused}");
    for code in ["field_1", "field_2"] {
        assert!(refused.text.contains(&format!("id=\"{code}-fault\"")), "{refused}");
    }
    // Nor is a place to send them prepared.
    for code in ["field_1", "field_2"] {
        let body = json!({"field_api_code": code, "file_name": "a.png", "content_type": "image/png", "file_size": 5});
        let refused = anon.post(format!("{}/entry_attachments", form.published()), body);
        assert_eq!(refused.status, 422, "{refused}");
    }
}

#[test]
fn a_recording_has_its_length_and_kind() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("audio", json!({"max_duration": 2}))]));
    let send = |name: &str, kind: &str, bytes: &[u8], said: &str| {
        body().file("field_1", name, kind, bytes).text("field_1.duration", said).send(&anon, &form.page())
    };
    let long = send("a.wav", "audio/wav", &wav(3500), "1");
    assert_eq!(long.status, 422, "{long}");
    assert!(long.text.contains("longer than 2 seconds"), "{long}");
    let odd = send("a.png", "image/png", &png(3, 2), "1");
    assert_eq!(odd.status, 422, "{odd}");
    // Where the file says nothing, the page is believed, as far as it may.
    for (said, duration) in [("1.5", 1.5), ("1e9", 2.0), ("-1", 0.0), ("NaN", 0.0), ("", 0.0)] {
        let sent = send("a.amr", "audio/amr", b"#!AMR\nsomething", said);
        assert_eq!(sent.status, 303, "{sent}");
        assert_eq!(newest(&owner, &form)["field_1"]["duration"], duration, "{said}");
    }
    let sent = send("a.webm", "video/webm", &wav(500), "9");
    assert_eq!(sent.status, 303, "{sent}");
    let audio = newest(&owner, &form)["field_1"].clone();
    assert_eq!((&audio["content_type"], &audio["duration"]), (&json!("audio/webm"), &json!(0.5)));
}

#[test]
fn a_typed_name_becomes_a_picture() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner
        .form(json!([field("signature", json!({"required": true})), field("short_text", json!({"required": true})),]));
    let fields = [("field_1.typed", "Ada Lovelace"), ("field_2", "x")];
    let plain = anon.post_form(form.page(), &fields);
    assert_eq!(plain.status, 303, "{plain}");
    let sent = body()
        .text("field_1.typed", "Ирина Лавлейс")
        .file("field_1", "", "application/octet-stream", b"")
        .text("field_2", "x")
        .send(&anon, &form.page());
    assert_eq!(sent.status, 303, "{sent}");
    for entry in owner.get(form.entries()).data().as_array().expect("entries") {
        let picture = fetched(&owner, &entry["field_1"]);
        assert_eq!(picture.header("content-type"), "image/png", "{entry}");
    }
    // It stands there again when something else is wrong; a picture goes before it.
    let faulty = body().text("field_1.typed", "Ada").send(&anon, &form.page());
    assert_eq!(faulty.status, 422, "{faulty}");
    assert!(faulty.text.contains("value=\"Ada\"") && kept(&faulty).is_empty(), "{faulty}");
    assert!(!faulty.text.contains("id=\"field_1-fault\""), "{faulty}");
    let both = body()
        .text("field_1.typed", "Ada")
        .file("field_1", "own.png", "image/png", &png(3, 2))
        .send(&anon, &form.page());
    assert_eq!(kept(&both)[0].0, "own.png", "{both}");
    for name in ["爱达", &"long ".repeat(30)] {
        let refused = anon.post_form(form.page(), &[("field_1.typed", name), ("field_2", "x")]);
        assert_eq!(refused.status, 422, "{refused}");
        assert!(refused.text.contains("id=\"field_1-fault\""), "{refused}");
    }
    // On the way from page to page it is no picture yet.
    let next = body().text("_action", "next").text("field_1.typed", "Ada").text("field_2", "x");
    assert_eq!(next.send(&anon, &form.page()).status, 200);
}

#[test]
fn own_files_are_kept_removed_and_added() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([
        field("signature", json!({"required": true})),
        field("attachment", json!({"max_count": 3})),
        field("short_text", json!({})),
    ]));
    let options = json!({"submission_options": {"allow_edit_after_submission": true}});
    let set = owner.patch(format!("{}/settings", form.path()), options);
    assert_eq!(set.status, 200, "{set}");
    let done = body()
        .file("field_1", "mine.png", "image/png", &png(30, 20))
        .file("field_2", "a.txt", "text/plain", b"a")
        .file("field_2", "b.txt", "text/plain", b"b")
        .text("field_3", "first")
        .send(&anon, &form.page());
    assert_eq!(done.status, 303, "{done}");
    let thanks = anon.get(done.header("location"));
    for name in ["a.txt", "b.txt"] {
        assert!(thanks.text.contains(name), "{thanks}");
    }
    assert!(!thanks.text.contains("/files/"), "{thanks}");
    let way = thanks.text.split("href=\"").find(|part| part.contains("/entries/"));
    let way = way.and_then(|part| part.split('"').next()).expect("a way back").replace("&amp;", "&");
    let page = anon.get(&way);
    let there = kept(&page);
    let names: Vec<&str> = there.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["mine.png", "a.txt", "b.txt"], "{page}");
    let before = newest(&owner, &form);
    let sent = body()
        .text("field_1", &there[0].1)
        .text("field_2", &there[2].1)
        .file("field_2", "c.txt", "text/plain", b"c")
        .text("field_3", "second")
        .send(&anon, &way);
    assert_eq!(sent.status, 303, "{sent}");
    let after = newest(&owner, &form);
    let names: Vec<&Value> = after["field_2"].as_array().expect("files").iter().map(|file| &file["name"]).collect();
    assert_eq!(names, [&json!("b.txt"), &json!("c.txt")]);
    assert_eq!(after["field_2"][0]["id"], before["field_2"][1]["id"]);
    assert_eq!((&after["field_3"], fetched(&owner, &after["field_1"]).status), (&json!("second"), 200));
    assert_eq!(fetched(&owner, &before["field_2"][0]["url"]).status, 404);
    // A required signature may be replaced, and not taken away.
    let none = body().text("field_2", &there[2].1).send(&anon, &way);
    assert_eq!(none.status, 422, "{none}");
    let new = body().text("field_1", &there[0].1).text("field_1.typed", "Ada").send(&anon, &way);
    assert_eq!(new.status, 303, "{new}");
    assert_eq!(fetched(&owner, &after["field_1"]).status, 404);
    assert_eq!(fetched(&owner, &newest(&owner, &form)["field_1"]).status, 200);
}
