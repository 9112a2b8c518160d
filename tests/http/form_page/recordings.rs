//! Signatures and recordings: they come with the form's page alone, and are read as spec 2.4 has them.

use support::multipart::{Body, body, fetched, kept};
use support::uploads::{png, wav};

use super::*;

fn world() -> World {
    asking(json!([
        {"signature": {"required": true}}, {"audio": {"required": true, "max_duration": 2}}, {"short_text": {}}
    ]))
}

fn mine(body: Body) -> Body {
    body.file("field_1", "mine.png", "image/png", &png(30, 20))
}

#[test]
fn signature_reads_as_a_link_and_a_recording_with_its_length() {
    let w = world();
    mine(body()).file("field_2", "a.wav", "audio/wav", &wav(1250)).send(&w.anon, &w.form.page()).is(303);
    let entry = w.newest();
    let signature = fetched(&w.owner, &entry["field_1"]).is(200);
    assert_eq!(signature.header("content-type"), "image/png");
    assert!(signature.header("content-disposition").starts_with("attachment"), "{:?}", signature.headers);
    let audio = &entry["field_2"];
    let keys: Vec<&String> = audio.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["id", "name", "url", "file_size", "content_type", "duration"]);
    let shown = (&audio["name"], &audio["content_type"], &audio["duration"]);
    assert_eq!(shown, (&json!("a.wav"), &json!("audio/wav"), &json!(1.25)));
    fetched(&w.owner, &audio["url"]).is(200);
    // A change of another field leaves them; nobody gives them as values.
    let change = json!({"field_values": {"field_3": "x", "field_1": null, "field_2": null}});
    w.owner.patch(w.form.entry(1), change).is(200);
    let entry = w.newest();
    assert_eq!(entry["field_2"]["duration"], 1.25, "{entry}");
    fetched(&w.owner, &entry["field_1"]).is(200);
}

#[test]
fn page_asks_for_them_and_the_api_does_not() {
    let w = world();
    submit(&w.anon, &w.form, json!({"field_1": "https://example.com/a.png", "field_3": "x"})).is(201);
    let entry = w.newest();
    assert_eq!((&entry["field_1"], &entry["field_2"]), (&Value::Null, &Value::Null));
    let refused = body().text("field_3", "x").send(&w.anon, &w.form.page()).is(422);
    refused.has(["id=\"field_1-fault\"", "id=\"field_2-fault\""]);
    // Nor is a place to send them prepared.
    for code in ["field_1", "field_2"] {
        let body = json!({"field_api_code": code, "file_name": "a.png", "content_type": "image/png", "file_size": 5});
        w.anon.post(format!("{}/entry_attachments", w.form.published()), body).is(422);
    }
}

#[test]
fn recording_has_its_length_and_kind() {
    let w = asking(json!([{"audio": {"max_duration": 2}}]));
    let send = |name, kind, bytes: &[u8], said| {
        body().file("field_1", name, kind, bytes).text("field_1.duration", said).send(&w.anon, &w.form.page())
    };
    send("a.wav", "audio/wav", &wav(3500), "1").is(422).has(["longer than 2 seconds"]);
    send("a.png", "image/png", &png(3, 2), "1").is(422);
    // Where the file says nothing, the page is believed, as far as it may.
    for (said, duration) in [("1.5", 1.5), ("1e9", 2.0), ("-1", 0.0), ("NaN", 0.0), ("", 0.0)] {
        send("a.amr", "audio/amr", b"#!AMR\nsomething", said).is(303);
        assert_eq!(w.newest()["field_1"]["duration"], duration, "{said}");
    }
    send("a.webm", "video/webm", &wav(500), "9").is(303);
    let audio = w.newest()["field_1"].clone();
    assert_eq!((&audio["content_type"], &audio["duration"]), (&json!("audio/webm"), &json!(0.5)));
}

#[test]
fn typed_name_becomes_a_picture() {
    let required = json!({"required": true});
    let w = asking(json!([{"signature": required.clone()}, {"short_text": required}]));
    let send = |body: Body| body.send(&w.anon, &w.form.page());
    let named = |name| body().text("field_1.typed", name);
    w.post(&[("field_1.typed", "Ada Lovelace"), ("field_2", "x")]).is(303);
    let none = named("Ирина Лавлейс").file("field_1", "", "application/octet-stream", b"");
    send(none.text("field_2", "x")).is(303);
    for serial in [1, 2] {
        let entry = w.owner.get(w.form.entry(serial)).data();
        assert_eq!(fetched(&w.owner, &entry["field_1"]).header("content-type"), "image/png", "{entry}");
    }
    // It is there again when something else is wrong; a picture takes precedence.
    let faulty = send(named("Ada")).is(422);
    faulty.has(["value=\"Ada\""]).lacks(["id=\"field_1-fault\""]);
    assert!(kept(&faulty).is_empty(), "{faulty}");
    let both = send(named("Ada").file("field_1", "own.png", "image/png", &png(3, 2)));
    assert_eq!(kept(&both)[0].0, "own.png", "{both}");
    for name in ["爱达", &"long ".repeat(30)] {
        w.post(&[("field_1.typed", name), ("field_2", "x")]).is(422).has(["id=\"field_1-fault\""]);
    }
    // On the way from page to page it is no picture yet.
    send(body().text("_action", "next").text("field_1.typed", "Ada").text("field_2", "x")).is(200);
}

#[test]
fn own_files_are_kept_removed_and_added() {
    let w = asking(json!([{"signature": {"required": true}}, {"attachment": {"max_count": 3}}, {"short_text": {}}]))
        .settings(editable(true));
    let file = |body: Body, name: &str| body.file("field_2", name, "text/plain", b"a");
    let sent = file(file(mine(body()), "a.txt"), "b.txt").text("field_3", "first");
    let thanks = w.anon.get(sent.send(&w.anon, &w.form.page()).leads());
    thanks.has(["a.txt", "b.txt"]).lacks(["/files/"]);
    let way = link(&thanks, "/entries/").expect("a way back");
    let page = w.anon.get(&way);
    let there = kept(&page);
    let names: Vec<&str> = there.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["mine.png", "a.txt", "b.txt"], "{page}");
    let before = w.newest();
    let change = body().text("field_1", &there[0].1).text("field_2", &there[2].1).text("field_3", "second");
    file(change, "c.txt").send(&w.anon, &way).is(303);
    let after = w.newest();
    let files = &after["field_2"];
    let names = (&files[0]["name"], &files[1]["name"], &files[2]);
    assert_eq!(names, (&json!("b.txt"), &json!("c.txt"), &Value::Null), "{after}");
    assert_eq!((&files[0]["id"], &after["field_3"]), (&before["field_2"][1]["id"], &json!("second")));
    fetched(&w.owner, &after["field_1"]).is(200);
    fetched(&w.owner, &before["field_2"][0]["url"]).is(404);
    // A required signature may be replaced, and not taken away.
    body().text("field_2", &there[2].1).send(&w.anon, &way).is(422);
    body().text("field_1", &there[0].1).text("field_1.typed", "Ada").send(&w.anon, &way).is(303);
    fetched(&w.owner, &after["field_1"]).is(404);
    fetched(&w.owner, &w.newest()["field_1"]).is(200);
}
