//! Each event of a stream has its `id`, its kind as `event`, and as `data` the JSON that webhooks get; every reader
//! gets every event.

use std::io::{Read as _, Write as _};

use serde_json::json;
use support::world::World;
use support::{Server, at_once, raw, text};

use crate::delivery::event_stream::{Event, Stream, add, fields, path, request, simple};
use crate::delivery::{has, keys, ok, restore, values};

#[test]
fn events_come_with_id_kind_and_the_body_of_webhooks() {
    let World { owner, form, .. } = World::with(fields());
    // Earlier events are not sent.
    add(&owner, &form, "before");
    let mut stream = Stream::open(&owner, &form);
    add(&owner, &form, "Ada\nLovelace \u{2028} \u{1f600}");
    let created = stream.event();
    assert_eq!((created.kind.as_str(), &created.data["entry"]), ("entry_created", &owner.get(form.entry(2)).data()));
    ok(owner.patch(form.entry(2), values(json!({"field_1": "Grace"}))));
    let updated = stream.event();
    assert_eq!((updated.kind.as_str(), &updated.data["entry"]), ("entry_updated", &owner.get(form.entry(2)).data()));
    ok(owner.delete(form.entry(2)));
    let deleted = stream.event();
    assert_eq!((deleted.kind.as_str(), &deleted.data["entry"]["field_1"]), ("entry_deleted", &json!("Grace")));
    ok(restore(&owner, &form, 2));
    assert_eq!(stream.event().kind, "entry_restored");
    let sent = owner.post(form.submissions(), values(json!({"field_1": "Mary"})));
    assert_eq!(sent.status, 201, "{sent}");
    let submitted = stream.event();
    assert_eq!((submitted.kind.as_str(), submitted.serial()), ("entry_created", 3));
    for event in [&created, &updated, &deleted, &submitted] {
        assert_eq!(keys(&event.data), ["id", "event", "created_at", "form", "entry"]);
        has(&event.data, json!({"id": event.id, "event": event.kind}));
        has(&event.data, json!({"form": {"token": form.token, "name": "A form"}}));
        assert!(event.id.starts_with("evt_"), "{}", event.id);
    }
}

#[test]
fn nothing_between_holds_it_back() {
    let World { server, owner, form, .. } = World::with(fields());
    let mut stream = Stream::open(&owner, &form);
    for (name, value) in [
        ("content-type", "text/event-stream"),
        ("cache-control", "no-store"),
        ("x-accel-buffering", "no"),
        ("access-control-allow-origin", "*"),
    ] {
        assert_eq!(stream.headers.get(name).map(String::as_str), Some(value), "{name}");
    }
    assert_eq!(stream.headers.get("content-encoding"), None);
    assert_eq!(stream.headers.get("content-length"), None);
    add(&owner, &form, "x");
    assert_eq!(stream.event().serial(), 1);
    // When to come back after a lost connection.
    let retry = stream.retry.expect("a hint");
    assert!((1_000..10_000).contains(&retry), "{retry}");
    let asked = server.anon().send("OPTIONS", &path(&form), None, b"");
    let allowed = asked.header("access-control-allow-headers");
    assert!(allowed.contains("Last-Event-ID"), "{allowed}");
}

#[test]
fn a_comment_comes_each_15_seconds() {
    let World { owner, form, .. } = World::with(fields());
    let begun = std::time::Instant::now();
    let mut stream = Stream::open(&owner, &form);
    stream.comment();
    // Not sooner, whatever the machine does beside it.
    assert!(begun.elapsed().as_secs() >= 14, "{:?}", begun.elapsed());
    add(&owner, &form, "still there");
    assert_eq!(stream.event().serial(), 1);
}

#[test]
fn each_of_many_readers_gets_every_event_of_its_form() {
    let World { server, owner, form, .. } = World::with(fields());
    let other = owner.form(fields());
    let tokens = at_once(4, |_| server.token(&owner.email, "entry:read"));
    let streams: Vec<Stream> = tokens.iter().flat_map(|token| (0..5).map(|_| Stream::open(token, &form))).collect();
    assert_eq!(streams.len(), 20);
    let all = std::thread::scope(|scope| {
        let readers: Vec<_> = streams.into_iter().map(|mut stream| scope.spawn(move || stream.events(50))).collect();
        at_once(5, |writer| {
            for n in 0..10 {
                add(&owner, &form, &format!("{writer} {n}"));
                add(&owner, &other, "of another form");
            }
        });
        let all = readers.into_iter().map(|it| it.join().expect("no panic"));
        all.collect::<Vec<Vec<Event>>>()
    });
    for events in &all {
        assert_eq!(events, &all[0]);
    }
    let serials: Vec<i64> = all[0].iter().map(Event::serial).collect();
    assert_eq!(serials, (1..=50).collect::<Vec<i64>>());
    assert!(all[0].iter().all(|event| event.data["form"]["token"] == form.token.as_str()));
}

#[test]
fn what_commands_change_is_told_too() {
    let World { server, owner, form, .. } = World::with(fields());
    let mut stream = Stream::open(&owner, &form);
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), "field_1\nAda\nGrace\n").expect("written");
    let path = file.path().to_str().expect("a name");
    let done = server.run(&["entries", "import", &form.token, path]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let told = stream.events(2);
    let told: Vec<(&str, i64)> = told.iter().map(|it| (it.kind.as_str(), it.serial())).collect();
    assert_eq!(told, [("entry_created", 1), ("entry_created", 2)]);
}

#[test]
fn head_answers_as_get_without_a_stream() {
    let World { owner, form, .. } = World::with(fields());
    let head = owner.send("HEAD", &path(&form), None, b"");
    assert_eq!((head.status, head.text.as_str()), (200, ""));
    assert_eq!(head.header("content-type"), "text/event-stream");
}

#[test]
fn the_connection_is_used_for_one_stream() {
    let server = Server::alone("its connections are counted");
    let (owner, form) = simple(&server);
    let stream = Stream::open(&owner, &form);
    assert_eq!(stream.headers.get("connection").map(String::as_str), Some("close"));
    // A client that sends a second request behind the first gets no second answer.
    let asked = request(&owner, &path(&form), None);
    let mut socket = raw::connect(&owner.base);
    let both = format!("{asked}{asked}");
    socket.write_all(both.as_bytes()).expect("a request");
    let mut both = vec![0; 12];
    socket.read_exact(&mut both).expect("an answer");
    // The stream is open: it ends with the form.
    assert_eq!(both, b"HTTP/1.1 200");
    ok(owner.delete(form.path()));
    socket.read_to_end(&mut both).expect("an end");
    let both = String::from_utf8_lossy(&both);
    assert_eq!(raw::answers(&both), 1, "{both}");
}
