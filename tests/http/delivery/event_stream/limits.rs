//! A token may have 5 streams open; a client that reads too slowly is disconnected; streams end at once when the server
//! stops.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use support::steps::bulk;
use support::world::World;
use support::{Caller, Form, Server, raw, until};

use crate::delivery::event_stream::{Stream, add, fields, path, refused, request};
use crate::delivery::ok;

#[test]
fn a_token_has_5_streams() {
    let World { server, owner, form, .. } = World::with(fields());
    let other = owner.form(fields());
    let mut streams: Vec<Stream> =
        (0..5).map(|n| Stream::open(&owner, if n % 2 == 0 { &form } else { &other })).collect();
    let sixth = refused(&owner, &form, None);
    assert_eq!(sixth.to_string(), r#"429 {"error":"This token has 5 event streams open: close one of them first"}"#);
    let wait: u64 = sixth.header("retry-after").parse().expect("seconds");
    assert!((1..=60).contains(&wait), "{wait}");
    // Everything else is answered as before, and another token has its own streams.
    ok(owner.get(form.path()));
    let token = server.token(&owner.email, "entry:read");
    drop(Stream::open(&token, &form));
    // The place of one that was left is free again.
    drop(streams.pop());
    until("a place is free", || {
        Stream::try_open(&owner, &form, None).is_some_and(|stream| {
            streams.push(stream);
            true
        })
    });
    assert_eq!(refused(&owner, &form, None).status, 429);
    add(&owner, &form, "x");
    assert_eq!(streams[0].event().serial(), 1);
}

/// A stream that is open and is never read.
fn deaf(caller: &Caller, form: &Form) -> TcpStream {
    let mut socket = raw::connect(&caller.base);
    let asked = request(caller, &path(form), None);
    socket.write_all(asked.as_bytes()).expect("sent");
    let mut begun = [0; b"HTTP/1.1 200".len()];
    until("it is answered", || socket.peek(&mut begun).expect("an answer") == begun.len());
    assert_eq!(&begun, b"HTTP/1.1 200");
    socket
}

/// A form of one long text.
fn long(owner: &Caller) -> Form {
    owner.form(json!([{"type": "long_text", "label": "x"}]))
}

/// All streams that a token may have, open and never read.
fn deaf_ones(owner: &Caller, form: &Form) -> Vec<TcpStream> {
    let all = (0..5).map(|_| deaf(owner, form)).collect();
    assert!(is_refused(owner, form), "all are open");
    all
}

/// Whether all places of a token are taken at this moment.
fn is_refused(caller: &Caller, form: &Form) -> bool {
    Stream::try_open(caller, form, None).is_none()
}

/// More events than all buffers of a connection hold.
fn flood(owner: &Caller, form: &Form) {
    let text: Value = json!({"field_1": "x".repeat(9_000)});
    bulk(owner, form, &vec![text; 1_500]);
}

#[test]
fn who_does_not_read_is_dropped_and_holds_up_nobody() {
    // What it takes is measured, and nobody waits for the 30 seconds of the default.
    let server = Server::with(&["--rate-limits", "off", "--request-timeout", "10"]);
    let owner = server.user();
    let form = long(&owner);
    let mut good = Stream::open(&server.token(&owner.email, "entry:read"), &form);
    let deaf_ones = deaf_ones(&owner, &form);
    let before = server.peak_memory();
    let told = std::thread::scope(|scope| {
        let told = scope.spawn(|| good.events(1_500));
        flood(&owner, &form);
        told.join().expect("no panic")
    });
    assert_eq!(told[1_499].serial(), 1_500);
    // They get no more than their connection takes in, and then they are disconnected.
    until("their places are free", || !is_refused(&owner, &form));
    until("all places are free", || {
        let streams: Vec<Stream> = (0..5).map_while(|_| Stream::try_open(&owner, &form, None)).collect();
        streams.len() == 5
    });
    for socket in deaf_ones {
        assert!(raw::is_closed(socket, Duration::from_secs(60)));
    }
    // 13 MB of events were there for each. The requests that made them took memory, too.
    let grown = server.peak_memory() - before;
    assert!(grown < 150 << 20, "{} MB", grown >> 20);
}

#[test]
fn the_end_of_the_server_waits_for_no_stream() {
    let server = Server::alone("it is ended");
    let owner = server.user();
    let form = long(&owner);
    let reader = server.token(&owner.email, "entry:read");
    let mut streams: Vec<Stream> = (0..4).map(|_| Stream::open(&reader, &form)).collect();
    let deaf_ones = deaf_ones(&owner, &form);
    // The reading clients have taken everything; the others have much to take.
    std::thread::scope(|scope| {
        let readers: Vec<_> = streams.iter_mut().map(|stream| scope.spawn(|| stream.events(1_500).len())).collect();
        flood(&owner, &form);
        for reader in readers {
            assert_eq!(reader.join().expect("no panic"), 1_500);
        }
    });
    server.signal("TERM");
    for stream in &mut streams {
        assert_eq!((stream.next(), stream.end), (None, Some(true)), "its proper end");
    }
    assert_eq!(server.wait(), Some(0));
    // The message that would follow after the ten seconds that requests have.
    let said = server.stderr();
    assert!(!said.contains("took too long"), "{said}");
    drop(deaf_ones);
}
