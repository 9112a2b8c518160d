//! Requests that want more than their share: of the disk, of memory, of time, of turns. Each is refused by itself,
//! and others are answered meanwhile.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use serde_json::json;
use support::multipart::Body;
use support::uploads::files_in;
use support::{Caller, Form, Server, at_once, field, raw, until};

use crate::store::disk::Disk;

const MB: usize = 1 << 20;
/// As `Body` parts its bodies.
const EDGE: &str = "----form-edge-1";

fn multipart(path: &str, length: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\
         Content-Type: multipart/form-data; boundary={EDGE}\r\n{length}\r\n\r\n"
    )
}

/// A head that says how long the body is, and the body.
fn whole(path: &str, body: &[u8]) -> Vec<u8> {
    let mut request = multipart(path, &format!("Content-Length: {}", body.len())).into_bytes();
    request.extend(body);
    request
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or("none")
}

/// Reads the head of an answer; its status.
fn read_head(socket: &mut TcpStream) -> u16 {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && socket.read(&mut byte).expect("an answer") > 0 {
        head.push(byte[0]);
    }
    status(&String::from_utf8_lossy(&head)).parse().unwrap_or(0)
}

fn submit(caller: &Caller, form: &Form) -> u16 {
    let body = json!({"field_values": {"field_1": "x"}});
    caller.post(form.submissions(), body).status
}

fn text_form(owner: &Caller) -> Form {
    owner.form(json!([field("short_text", json!({}))]))
}

#[test]
fn a_post_of_a_page_has_a_total() {
    let server = Server::alone("its data dir is looked at");
    let owner = server.user();
    let form = owner
        .form(json!([field("short_text", json!({})), field("attachment", json!({"max_size": 1, "max_count": 2})),]));
    // Refused by the announced length, before any of it is there.
    for length in [99_999_999_999, 5 * MB] {
        let head = multipart(&form.page(), &format!("Content-Length: {length}"));
        let answer = raw::exchange(&server.base, head.as_bytes());
        assert_eq!(status(&answer), "413", "{answer}");
    }
    // Or by the bytes received, where no length is announced.
    let long = Body::default().file("nobody", "a", "a/b", &vec![b'x'; 5 * MB]).end();
    let mut request = multipart(&form.page(), "Transfer-Encoding: chunked").into_bytes();
    for chunk in long.chunks(MB) {
        request.extend(format!("{:x}\r\n", chunk.len()).bytes());
        request.extend(chunk);
        request.extend(b"\r\n");
    }
    request.extend(b"0\r\n\r\n");
    let answer = raw::exchange(&server.base, &request);
    assert_eq!(status(&answer), "413", "{answer}");
    // A post within the limits of the fields fits.
    let file = vec![b'x'; MB];
    let body = Body::default()
        .text("field_1", &"x".repeat(1000))
        .file("field_2", "a", "a/b", &file)
        .file("field_2", "b", "a/b", &file)
        .end();
    let answer = raw::exchange(&server.base, &whole(&form.page(), &body));
    assert_eq!(status(&answer), "303", "{answer}");
    // A form without files takes none; nor does the page of an entry.
    let plain = text_form(&owner);
    let body = Body::default().file("field_1", "a", "a/b", &vec![b'x'; 2 * MB]);
    let answer = raw::exchange(&server.base, &whole(&plain.page(), &body.clone().end()));
    assert_eq!(status(&answer), "413", "{answer}");
    let own = format!("{}/entries/abcdefghijklmnopqrstuv", plain.page());
    let answer = raw::exchange(&server.base, &whole(&own, &body.end()));
    assert_eq!(status(&answer), "413", "{answer}");
    assert!(files_in(&server.dir, "tmp").is_empty());
}

#[test]
fn little_is_read_of_what_has_no_name() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({})), field("attachment", json!({})),]));
    let nameless = |length: usize| {
        let part = format!("--{EDGE}\r\nX-Odd: a\r\n\r\n{}\r\n", "x".repeat(length));
        let mut body = part.into_bytes();
        body.extend(Body::default().text("field_1", "a").end());
        raw::exchange(&server.base, &whole(&form.page(), &body))
    };
    assert_eq!(status(&nameless(60_000)), "303");
    assert_eq!(status(&nameless(70_000)), "400");
    let unchosen = Body::default().file("field_2", "", "a/b", &[b'x'; 70_000]);
    let answer = raw::exchange(&server.base, &whole(&form.page(), &unchosen.end()));
    assert_eq!(status(&answer), "400");
    // Bytes after the last part are not waited for.
    let body = Body::default().text("field_1", "a").end();
    let head = multipart(&form.page(), &format!("Content-Length: {}", 5 * MB));
    let mut socket = raw::connect(&server.base);
    socket.write_all(head.as_bytes()).expect("sent");
    socket.write_all(&body).expect("sent");
    socket.write_all(&[b'x'; 100_000]).expect("sent");
    assert_eq!(read_head(&mut socket), 303);
}

#[test]
fn a_post_that_drips_has_a_deadline() {
    let server = Server::with(&["--request-timeout", "2"]);
    let owner = server.user();
    let form = owner.form(json!([field("attachment", json!({}))]));
    let mut socket = raw::connect(&server.base);
    let head = multipart(&form.page(), "Content-Length: 20000");
    let begun = format!("{head}--{EDGE}\r\nContent-Disposition: form-data; name=\"field_1\"; filename=\"a\"\r\n\r\n");
    socket.write_all(begun.as_bytes()).expect("sent");
    // Faster than a file has to come at least, slower than a post has to all in all.
    for _ in 0..200 {
        thread::sleep(Duration::from_millis(500));
        if socket.write_all(&[b'x'; 900]).is_err() {
            break;
        }
        socket.set_read_timeout(Some(Duration::from_millis(10))).expect("a time-out");
        if socket.peek(&mut [0]).is_ok() {
            break;
        }
    }
    socket.set_read_timeout(Some(Duration::from_secs(30))).expect("a time-out");
    assert_eq!(read_head(&mut socket), 408);
}

#[test]
fn files_wait_for_the_password() {
    let server = Server::alone("its data dir is looked at");
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("short_text", json!({})), field("attachment", json!({"max_count": 2})),]));
    let secret = json!({"access_control": {"access_password": "open sesame"}});
    let settings = format!("{}/settings", form.path());
    assert_eq!(owner.patch(settings, secret).status, 200);
    let begin = |texts: Body| {
        let body = texts.file("field_2", "a", "a/b", &vec![b'x'; 2 * MB]).end();
        let mut socket = raw::connect(&server.base);
        let request = whole(&form.page(), &body);
        socket.write_all(&request[..request.len() - 100]).expect("sent");
        (socket, request[request.len() - 100..].to_vec())
    };
    let given = |password: &str| Body::default().text("_password", password);
    let mut right = begin(given("open sesame"));
    until("the file is on the disk", || files_in(&server.dir, "tmp").len() == 1);
    for texts in [Body::default(), given("wrong")] {
        let (mut socket, rest) = begin(texts);
        socket.write_all(&rest).expect("sent");
        assert_eq!(read_head(&mut socket), 403);
        assert_eq!(files_in(&server.dir, "tmp").len(), 1);
    }
    right.0.write_all(&right.1).expect("sent");
    assert_eq!(read_head(&mut right.0), 303);
    // A file that stands before the password is not lost in silence.
    let early = Body::default()
        .file("field_2", "early.txt", "a/b", b"early")
        .text("_password", "open sesame")
        .send(&anon, &form.page());
    assert_eq!(early.status, 422, "{early}");
    assert!(early.text.contains("Early.txt was sent before the form's password"), "{early}");
    assert!(files_in(&server.dir, "tmp").is_empty());
    assert_eq!(files_in(&server.dir, "blobs").len(), 1);
}

#[test]
fn files_under_way_leave_half_of_the_room() {
    let Some(disk) = Disk::mount("64m") else {
        return;
    };
    let dir = disk.path().join("data");
    let flags = ["--rate-limits", "off", "--min-free-mb", "8"];
    let server = Server::over(&dir, &flags);
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("attachment", json!({}))]));
    let other = text_form(&owner);
    let begin = || {
        let body = Body::default().file("field_1", "a", "a/b", &vec![b'x'; 9 * MB]).end();
        let mut socket = raw::connect(&server.base);
        let request = whole(&form.page(), &body);
        let cut = request.len() - 10;
        // One that is refused is answered, and its connection closed, before all of it is sent.
        let _ = socket.write_all(&request[..cut]);
        (socket, request[cut..].to_vec())
    };
    let written =
        || -> u64 { files_in(&dir, "tmp").iter().map(|file| file.metadata().map_or(0, |file| file.len())).sum() };
    // The first has its room before the others come: eight that fill it together may all be refused.
    let mut posts = vec![begin()];
    until("the first is there but for its end", || written() > 8 << 20);
    posts.extend((1..8).map(|_| begin()));
    assert_eq!(submit(&anon, &other), 201);
    assert!(written() < 28 << 20, "{}", written());
    // Prepared uploads count with them.
    let wanted = json!({
        "field_api_code": "field_1", "file_name": "a", "content_type": "a/b", "file_size": 9 * MB,
    });
    let path = format!("{}/entry_attachments", form.published());
    assert_eq!(anon.post(&path, wanted.clone()).status, 503);
    let answers = posts.iter_mut().map(|(socket, rest)| {
        let _ = socket.write_all(rest);
        read_head(socket)
    });
    let answers: Vec<u16> = answers.collect();
    assert!(answers.contains(&303) && answers.contains(&503), "{answers:?}");
    drop(posts);
    until("their files are gone", || files_in(&dir, "tmp").is_empty());
    assert_eq!(submit(&anon, &other), 201);
}

#[test]
fn preparations_are_counted_by_address_and_form() {
    let server = Server::with(&["--trusted-proxies", "127.0.0.0/8"]);
    let owner = server.user();
    let made = || owner.form(json!([field("attachment", json!({}))]));
    let (form, other) = (made(), made());
    let prepare = |address: &str, form: &Form| {
        let wanted = json!({
            "field_api_code": "field_1", "file_name": "a", "content_type": "a/b", "file_size": 1,
        });
        let caller = server.anon().header("X-Forwarded-For", address);
        let path = format!("{}/entry_attachments", form.published());
        caller.post(path, wanted).status
    };
    for _ in 0..300 {
        assert_eq!(prepare("192.0.2.1", &form), 201);
    }
    assert_eq!(prepare("192.0.2.1", &form), 429);
    assert_eq!(prepare("192.0.2.1", &other), 201);
    assert_eq!(prepare("192.0.2.2", &form), 201);
    assert_eq!(prepare("2001:db8::1", &form), 201);
    // The sender's address is not to be read in the database.
    for file in ["formsvc.db", "formsvc.db-wal"] {
        let bytes = std::fs::read(server.dir.join(file)).expect("a database");
        assert!(memchr::memmem::find(&bytes, b"192.0.2.").is_none(), "{file}");
    }
}

#[test]
fn a_body_holds_so_many_values() {
    let server = Server::shared();
    let owner = server.user();
    let form = text_form(&owner);
    let body = |values: usize| format!("{{\"field_values\":{{}},\"x\":[0{}]}}", ",0".repeat(values));
    let send = |path: &str, body: &str| {
        let kind = Some("application/json");
        owner.send("POST", path, kind, body.as_bytes()).status
    };
    assert_eq!(send(&form.submissions(), &body(49_990)), 201);
    assert_eq!(send(&form.submissions(), &body(50_000)), 400);
    assert_eq!(send("/api/v1/forms", &body(50_000)), 400);
    let bulk = format!("{{\"entries\":[{}]}}", body(50_000));
    assert_eq!(send(&format!("{}/bulk", form.entries()), &bulk), 400);
    let list = format!("[0{}]", ",0".repeat(60_000));
    assert_eq!(send(&format!("{}/bulk", form.entries()), &list), 400);
    // The same for pairs.
    let pairs = "a&".repeat(6000);
    let kind = Some("application/x-www-form-urlencoded");
    for path in [&form.page(), "/sign-in", "/api/v1/oauth/token"] {
        let sent = server.anon().send("POST", path, kind, pairs.as_bytes());
        assert_eq!(sent.status, 400, "{path} {sent}");
    }
}

#[test]
fn many_large_bodies_share_little_memory() {
    let server = Server::alone("what it takes is measured");
    let (owner, anon) = (server.user(), server.anon());
    let form = text_form(&owner);
    let body = format!("[{}[]]", "[],".repeat(MB / 3 - 10));
    let send = |path: &str, kind: &str| {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: {kind}\r\n\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        raw::exchange(&server.base, (head + &body).as_bytes())
    };
    // Slow ones, which keep their sent bytes in memory.
    let slow: Vec<_> = (0..100)
        .map(|_| {
            let mut socket = raw::connect(&server.base);
            let head = format!(
                "POST /api/v1/oauth/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\
                 Content-Length: {MB}\r\n\r\n"
            );
            socket.set_nonblocking(true).expect("a socket");
            let _ = socket.write(&(head + &body).as_bytes()[..MB - 1000]);
            socket
        })
        .collect();
    let paths = ["/api/v1/oauth/token".to_owned(), form.submissions()];
    let answers = at_once(64, |n| {
        let path = &paths[n % 2];
        let many: Vec<String> = (0..4).map(|_| send(path, "application/json")).collect();
        // A usual submission waits for none of them.
        assert_eq!(submit(&anon, &form), 201);
        many
    });
    for answer in answers.iter().flatten() {
        assert!(["400", "401", "503"].contains(&status(answer)), "{answer}");
    }
    let peak = server.peak_memory() >> 20;
    assert!(peak < 300, "{peak} MB");
    drop(slow);
}

#[test]
fn texts_of_posts_share_it_too() {
    let server = Server::alone("what it takes is measured");
    let (owner, anon) = (server.user(), server.anon());
    let form = text_form(&owner);
    let body = Body::default().text("field_1", &"x".repeat(MB - 2000)).end();
    let before = server.peak_memory() >> 20;
    let slow: Vec<_> = (0..200)
        .map(|_| {
            let mut socket = raw::connect(&server.base);
            let request = whole(&form.page(), &body);
            let _ = socket.write_all(&request[..request.len() - 100]);
            socket
        })
        .collect();
    assert_eq!(submit(&anon, &form), 201);
    let peak = server.peak_memory() >> 20;
    assert!(peak - before < 130, "{before} to {peak} MB");
    drop(slow);
}

#[test]
fn a_heavy_form_holds_up_no_other() {
    let server = Server::alone("what it takes is measured");
    let (owner, anon) = (server.user(), server.anon());
    let hard = json!({"pattern": "[01]*1[01]{90}", "max_length": 50_000});
    let heavy = owner.form(json!([field("short_text", hard)]));
    let other = owner.form(json!([field("long_text", json!({}))]));
    // Of a larger body the sender is asked for first, which is a short turn on a thread for each.
    let hard = json!({"field_values": {"field_1": "01".repeat(7_500)}}).to_string();
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        heavy.submissions(),
        hard.len()
    );
    let threads = || {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", server.pid()));
        tasks.expect("it runs").count()
    };
    let request = (head + &hard).into_bytes();
    // A form that is in use is known to be heavy.
    assert_eq!(anon.get(heavy.page()).status, 200);
    let before = threads();
    const MANY: usize = 60;
    let sent = (0..MANY).map(|_| {
        let mut socket = raw::connect(&server.base);
        socket.write_all(&request).expect("sent");
        socket
    });
    let sent: Vec<_> = sent.collect();
    let long = json!({"field_values": {"field_1": "long ".repeat(10_000)}});
    assert_eq!(anon.post(other.submissions(), long).status, 201);
    assert_eq!(anon.get(other.page()).status, 200);
    assert_eq!(anon.get("/f/abcdefghij").status, 404);
    let mut stored = 0;
    for mut socket in sent {
        let mut answer = String::new();
        socket.read_to_string(&mut answer).expect("an answer");
        // The last ones may have waited too long.
        let is_busy = status(&answer) == "503" && answer.to_lowercase().contains("\r\nretry-after: ");
        assert!(status(&answer) == "201" || is_busy, "{answer}");
        stored += usize::from(!is_busy);
    }
    assert!(stored > 0, "all were refused");
    // Were each of them worked on at once, there would be one more thread for each, which stays for some seconds.
    let after = threads();
    assert!(after < before + MANY / 2, "{before} threads, then {after}");
}

#[test]
fn answers_that_nobody_takes_are_few() {
    let server = Server::alone("what it takes is measured");
    let owner = server.user();
    let form = owner.form(json!([field("long_text", json!({}))]));
    let quotes = "\"".repeat(1_000_000);
    let body = format!("_page=0&_action=more&field_1={quotes}");
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n",
        form.page(),
        body.len()
    );
    let request = (head + &body).into_bytes();
    let unread: Vec<_> = (0..150)
        .map(|_| {
            let mut socket = raw::connect(&server.base);
            socket.write_all(&request).expect("sent");
            socket
        })
        .collect();
    assert_eq!(submit(&server.anon(), &form), 201);
    until("large answers are refused", || {
        let kind = Some("application/x-www-form-urlencoded");
        server.anon().send("POST", &form.page(), kind, body.as_bytes()).status == 503
    });
    let peak = server.peak_memory() >> 20;
    assert!(peak < 300, "{peak} MB");
    drop(unread);
    until("there is room again", || {
        let kind = Some("application/x-www-form-urlencoded");
        server.anon().send("POST", &form.page(), kind, body.as_bytes()).status == 200
    });
}

#[test]
fn a_wrong_password_counts_once_however_many_files_come_with_it() {
    let server = Server::alone("floods hold up others");
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("attachment", json!({"max_count": 20}))]));
    let secret = json!({"access_control": {"access_password": "open sesame"}});
    let settings = format!("{}/settings", form.path());
    assert_eq!(owner.patch(settings, secret).status, 200);
    let post = |password: &str| {
        let texts = Body::default().text("_password", password);
        let body = (0..15).fold(texts, |body, _| body.file("field_1", "a", "a/b", b"a"));
        body.send(&anon, &form.page()).status
    };
    assert_eq!(post("wrong"), 403);
    assert_eq!(post("wrong too"), 403);
    assert_eq!(post("open sesame"), 303);
}

#[test]
fn a_bulk_comes_to_so_much() {
    let server = Server::alone("floods hold up others");
    let owner = server.user();
    let formulas = (0..100).map(|_| {
        json!({
            "type": "formula", "label": "f", "expression": "CONCAT(field_1, field_1)",
            "result_type": "text",
        })
    });
    let fields: Vec<_> = [field("short_text", json!({}))].into_iter().chain(formulas).collect();
    let form = owner.form(json!(fields));
    let entry = json!({"field_values": {"field_1": "x".repeat(2500)}});
    let bulk = |count: usize| {
        let entries = json!({"entries": vec![&entry; count]});
        owner.post(format!("{}/bulk", form.entries()), entries)
    };
    assert_eq!(bulk(50).status, 201);
    let refused = bulk(200);
    assert_eq!(refused.attributes(), ["entries"], "{refused}");
}

#[test]
fn slow_bodies_keep_no_turns() {
    let server = Server::alone("floods hold up others");
    let owner = server.user();
    let stranger = server.user();
    let form = text_form(&owner);
    let bulk = format!("{}/bulk", form.entries());
    let head = |caller: &Caller, path: &str| {
        let token = caller.token.as_deref().expect("a token");
        format!(
            "POST {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: 5000000\r\n\r\n{{\"entries\":"
        )
    };
    // A caller without any right to the form is told so at once, whatever else would come.
    for path in [&bulk, &bulk.replace("bulk", "import")] {
        for (caller, path, told) in
            [(&stranger, path.clone(), 404), (&owner, path.replace(&form.token, "abcdefghij"), 404)]
        {
            let mut socket = raw::connect(&server.base);
            let head = head(caller, &path);
            socket.write_all(head.as_bytes()).expect("sent");
            assert_eq!(read_head(&mut socket), told);
        }
    }
    // A sender takes a turn only when the whole body is there.
    let slow: Vec<_> = (0..12)
        .map(|_| {
            let mut socket = raw::connect(&server.base);
            let head = head(&owner, &bulk);
            socket.write_all(head.as_bytes()).expect("sent");
            socket
        })
        .collect();
    let entries = json!({"entries": [{"field_values": {"field_1": "x".repeat(20_000)}}]});
    assert_eq!(owner.post(&bulk, entries).status, 201);
    drop(slow);
}

#[test]
fn exports_that_nobody_reads_are_few() {
    let server = Server::alone("what it takes is measured");
    let owner = server.user();
    let form = owner.form(json!([field("long_text", json!({}))]));
    let entry = json!({"field_values": {"field_1": "long ".repeat(2000)}});
    let entries = json!({"entries": vec![entry; 1000]});
    for _ in 0..3 {
        let made = owner.post(format!("{}/bulk", form.entries()), entries.clone());
        assert_eq!(made.status, 201, "{made}");
    }
    let open = |caller: &Caller, format: &str| {
        let mut socket = raw::connect(&server.base);
        let token = caller.token.as_deref().expect("a token");
        let path = format!("{}/export?format={format}", form.entries());
        let head = format!("GET {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n\r\n");
        socket.write_all(head.as_bytes()).expect("sent");
        let status = read_head(&mut socket);
        (status, socket)
    };
    // Exports that nobody reads end after a while: only they take time from here on.
    let others: Vec<_> = (0..4).map(|_| server.token(&owner.email, "entry:read")).collect();
    let mut held: Vec<_> = ["csv", "json", "csv", "json"].iter().map(|format| open(&owner, format)).collect();
    assert!(held.iter().all(|(status, _)| *status == 200));
    let refused = owner.get(format!("{}/export?format=xlsx", form.entries()));
    assert_eq!(refused.status, 429, "{refused}");
    assert_ne!(refused.header("retry-after"), "");
    // Another token of the same user has its own exports, up to the limit for all.
    let (last, others) = others.split_last().expect("some");
    for other in others {
        held.extend((0..4).map(|_| open(other, "csv")));
    }
    assert!(held.iter().all(|(status, _)| *status == 200));
    assert_eq!(open(last, "csv").0, 429);
    drop(held);
    until("one is over", || open(last, "csv").0 == 200);
    let peak = server.peak_memory() >> 20;
    assert!(peak < 200, "{peak} MB");
}
