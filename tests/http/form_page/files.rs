//! Files that come with the post of a form's page, without a script: each under its field's rules, what is wrong
//! said beside the field, and what came well kept for the next time.

use std::io::Write as _;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use support::multipart::{Body, EDGE, body, fetched, kept};
use support::steps::{count, newest};
use support::uploads::{files_in, png};
use support::{Form, Server, field, raw, until};

#[test]
fn files_of_a_post_are_stored_with_its_entry() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([
        field("short_text", json!({"required": true})),
        field("attachment", json!({"max_count": 3, "required": true})),
    ]));
    let page = anon.get(form.page());
    assert!(page.text.contains("enctype=\"multipart/form-data\""), "{page}");
    let long = vec![b'x'; 300_000];
    let sent = body()
        .text("field_1", "Ada")
        .file("field_2", "a.txt", "text/plain", b"first")
        .file("field_2", "long.bin", "application/octet-stream", &long)
        .send(&anon, &form.page());
    assert_eq!(sent.status, 303, "{sent}");
    let files = newest(&owner, &form)["field_2"].clone();
    assert_eq!(files.as_array().map(Vec::len), Some(2), "{files}");
    assert_eq!(
        (&files[0]["name"], &files[0]["content_type"], &files[0]["file_size"]),
        (&json!("a.txt"), &json!("text/plain"), &json!(5))
    );
    assert_eq!(fetched(&owner, &files[0]["url"]).text, "first");
    assert_eq!(fetched(&owner, &files[1]["url"]).text.len(), long.len());
    // Nothing was chosen: browsers send an empty part.
    let sent =
        body().text("field_1", "Ada").file("field_2", "", "application/octet-stream", b"").send(&anon, &form.page());
    assert_eq!(sent.status, 422, "{sent}");
    assert!(sent.text.contains("id=\"field_2-fault\""), "{sent}");
}

#[test]
fn every_fault_of_a_file_stands_beside_its_field() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([
        field("short_text", json!({"required": true})),
        field("attachment", json!({"max_count": 9, "max_size": 1})),
        field("attachment", json!({"media_type": "image", "max_count": 2})),
        field("attachment", json!({"required": true})),
    ]));
    let large = vec![0; (1 << 20) + 1];
    let sent = body()
        .file("field_2", "large.bin", "application/x-thing", &large)
        .file("field_2", "page.html", "TEXT/HTML; charset=x", b"<p>")
        .file("field_2", "none.txt", "text/plain", b"")
        .file("field_2", "fine.txt", "text/plain", b"fine")
        .file("field_3", "picture.svg", "image/svg+xml", b"<svg/>")
        .file("field_3", "page.png", "image/png", b"<!doctype html>")
        .file("field_3", "wide.png", "image/png", &png(50_000, 50_000))
        .file("field_4", "one.txt", "text/plain", b"1")
        .file("field_4", "two.txt", "text/plain", b"2")
        .send(&anon, &form.page());
    assert_eq!(sent.status, 422, "{sent}");
    for said in [
        "large.bin is larger than 1 MB.",
        "page.html can’t be used. Choose another file.",
        "none.txt is empty.",
        "picture.svg can’t be used. Choose images.",
        "page.png is damaged, or its content doesn’t match its name.",
        "wide.png is wider or taller than 16384 pixels.",
        "Choose at most one file",
    ] {
        assert!(sent.text.contains(said), "{said}: {sent}");
    }
    assert!(!sent.text.contains("id=\"field_1-fault\">Choose"), "{sent}");
    // What came well is kept, and need not be chosen twice.
    let there = kept(&sent);
    let names: Vec<&str> = there.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["fine.txt", "one.txt"], "{sent}");
    assert_eq!(count(&owner, &form), 0);
    let again = body()
        .text("field_1", "Ada")
        .text("field_2", &there[0].1)
        .text("field_4", &there[1].1)
        .file("field_4", "", "application/octet-stream", b"")
        .send(&anon, &form.page());
    assert_eq!(again.status, 303, "{again}");
    let entry = newest(&owner, &form);
    assert_eq!(entry["field_2"][0]["name"], "fine.txt");
    assert_eq!(fetched(&owner, &entry["field_4"][0]["url"]).text, "1");
    // Each is used once.
    let twice = body().text("field_1", "Ada").text("field_4", &there[1].1).send(&anon, &form.page());
    assert_eq!(twice.status, 422, "{twice}");
    assert!(kept(&twice).is_empty(), "{twice}");
}

#[test]
fn one_that_is_kept_is_taken_out_or_gives_way() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([
        field("short_text", json!({"required": true})),
        field("attachment", json!({})),
        field("attachment", json!({"max_count": 2})),
    ]));
    let faulty = body()
        .file("field_2", "old.txt", "text/plain", b"old")
        .file("field_3", "a.txt", "text/plain", b"a")
        .file("field_3", "b.txt", "text/plain", b"b")
        .send(&anon, &form.page());
    let there = kept(&faulty);
    assert_eq!(there.len(), 3, "{faulty}");
    let sent = body()
        .text("field_1", "Ada")
        .text("field_2", &there[0].1)
        .file("field_2", "new.txt", "text/plain", b"new")
        .text("field_3", &there[2].1)
        .send(&anon, &form.page());
    assert_eq!(sent.status, 303, "{sent}");
    let entry = newest(&owner, &form);
    assert_eq!(entry["field_2"][0]["name"], "new.txt", "{entry}");
    assert_eq!(entry["field_3"][0]["name"], "b.txt", "{entry}");
    assert_eq!(entry["field_3"][1], Value::Null);
}

#[test]
fn columns_take_files_too() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let columns = json!([field("short_text", json!({})), field("attachment", json!({"max_size": 1}))]);
    let form = owner.form(json!([
        field("table", json!({"dimensions": columns})),
        field("matrix", json!({"dimensions": columns, "statements": [{"api_code": "taste", "label": "T"}]})),
        field("short_text", json!({"required": true})),
    ]));
    let files = |body: Body| {
        body.text("field_1[0].field_1", "x").file("field_1[0].field_2", "row.txt", "text/plain", b"row").file(
            "field_2.taste.field_2",
            "cell.txt",
            "text/plain",
            b"cell",
        )
    };
    let faulty = files(body()).file("field_1[1].field_2", "odd.html", "text/html", b"x").send(&anon, &form.page());
    assert_eq!(faulty.status, 422, "{faulty}");
    assert!(faulty.text.contains("odd.html can’t be used."), "{faulty}");
    let there = kept(&faulty);
    assert_eq!(there.len(), 2, "{faulty}");
    let sent = files(body()).text("field_3", "x").send(&anon, &form.page());
    assert_eq!(sent.status, 303, "{sent}");
    let entry = newest(&owner, &form);
    let file = &entry["field_1"][0]["field_2"][0];
    assert_eq!((&file["name"], fetched(&owner, &file["url"]).text.as_str()), (&json!("row.txt"), "row"));
    let again = body().text("field_3", "x").text("field_2.taste.field_2", &there[1].1).send(&anon, &form.page());
    assert_eq!(again.status, 303, "{again}");
    let entry = newest(&owner, &form);
    let text = entry["field_2"].to_string();
    assert!(text.contains("cell.txt"), "{entry}");
}

#[test]
fn names_are_kept_without_what_deceives() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("attachment", json!({"max_count": 9}))]));
    let long = format!("{}.txt", "n".repeat(300));
    let mut body = body();
    for name in
        ["../../etc/passwd", "a%22b.txt", "a\\\"c.txt", "line%0D%0Aend.txt", "cod\u{202e}txt.exe", "照片 1.txt", &long]
    {
        body = body.file("field_1", name, "text/plain", name.as_bytes());
    }
    let sent = body.send(&anon, &form.page());
    assert_eq!(sent.status, 303, "{sent}");
    let files = newest(&owner, &form)["field_1"].clone();
    let names = files.as_array().expect("files").iter();
    let names: Vec<&str> = names.filter_map(|file| file["name"].as_str()).collect();
    let short = format!("{}.txt", "n".repeat(251));
    assert_eq!(names, ["passwd", "a\"b.txt", "a\"c.txt", "lineend.txt", "codtxt.exe", "照片 1.txt", &short]);
    for file in files.as_array().expect("files") {
        assert_eq!(fetched(&owner, &file["url"]).status, 200, "{file}");
    }
}

#[test]
fn two_clicks_with_files_store_one_entry() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("attachment", json!({}))]));
    let click = |text: &[u8]| {
        body()
            .text("_once", "the-same-every-time")
            .file("field_1", "a.txt", "text/plain", text)
            .send(&anon, &form.page())
    };
    let (first, second) = (click(b"a"), click(b"a"));
    assert_eq!((first.status, second.status), (303, 303), "{second}");
    assert_eq!(first.header("location"), second.header("location"));
    assert_eq!(count(&owner, &form), 1);
    let asked = click(b"b");
    assert_eq!(asked.status, 409, "{asked}");
    assert_eq!(kept(&asked).len(), 1, "{asked}");
}

#[test]
fn who_may_not_send_leaves_no_file() {
    let server = Server::alone("its data dir is looked at");
    let (owner, anon) = (server.user(), server.anon());
    let dir = &server.dir;
    let form = owner.form(json!([field("attachment", json!({}))]));
    let blobs = || files_in(dir, "blobs").len();
    let secret = json!({"access_control": {"access_password": "open sesame"}});
    assert_eq!(owner.patch(format!("{}/settings", form.path()), secret).status, 200);
    let file = |body: Body| body.file("field_1", "a.txt", "text/plain", b"mine");
    for password in ["", "wrong"] {
        let refused = file(body().text("_password", password)).send(&anon, &form.page());
        assert_eq!(refused.status, 403, "{refused}");
    }
    assert_eq!((blobs(), files_in(dir, "tmp").len()), (0, 0));
    let sent = file(body().text("_password", "open sesame")).send(&anon, &form.page());
    assert_eq!(sent.status, 303, "{sent}");
    assert_eq!(blobs(), 1);
    let shut = json!({"access_control": {"access_password": null}, "availability": {"manually_closed": true}});
    assert_eq!(owner.patch(format!("{}/settings", form.path()), shut).status, 200);
    let refused = body().file("field_1", "b.txt", "text/plain", b"another").send(&anon, &form.page());
    assert_eq!(refused.status, 403, "{refused}");
    let nowhere = body().file("field_1", "b.txt", "text/plain", b"another").send(&anon, "/f/nowhere000");
    assert_eq!(nowhere.status, 404, "{nowhere}");
    assert_eq!((blobs(), files_in(dir, "tmp").len()), (1, 0));
}

#[test]
fn odd_bodies_are_refused_and_leave_nothing() {
    let server = Server::alone("its data dir is looked at");
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("short_text", json!({})), field("attachment", json!({}))]));
    let whole = body().file("field_2", "a.txt", "text/plain", &[b'x'; 100_000]);
    let cut = whole.clone().end();
    let send = |kind: &str, body: &[u8]| anon.send("POST", &form.page(), Some(kind), body).status;
    let own = format!("multipart/form-data; boundary={EDGE}");
    assert_eq!(send(&own, &cut[..60_000]), 400);
    assert_eq!(send(&own, b""), 400);
    assert_eq!(send("multipart/form-data; boundary=other", &cut), 400);
    assert_eq!(send("multipart/form-data", &cut), 400);
    assert_eq!(send(&format!("multipart/form-data; boundary={}", "b".repeat(71)), &cut), 400);
    // A head without an end, a text without one, a field twice.
    let head = format!("--{EDGE}\r\nContent-Disposition: form-data; name=\"{}", "n".repeat(1 << 20));
    assert_eq!(send(&own, head.as_bytes()), 400);
    let text = body().text("field_1", &"t".repeat(1 << 20)).end();
    assert_eq!(send(&own, &text), 413);
    let twice = body().text("field_1", "a").text("field_1", "b").end();
    assert_eq!(send(&own, &twice), 400);
    let many = (0..1001).fold(Body::default(), |body, n| body.text(&format!("f{n}"), "x"));
    assert_eq!(send(&own, &many.end()), 400);
    assert_eq!(count(&owner, &form), 0);
    assert!(files_in(&server.dir, "tmp").is_empty());
    assert!(files_in(&server.dir, "blobs").is_empty());
}

/// The head of a post with a chunked body.
fn chunked(form: &Form) -> String {
    format!(
        "POST {} HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary={EDGE}\r\n\
         Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
        form.page()
    )
}

#[test]
fn chunks_of_any_size_make_a_post() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([field("attachment", json!({}))]));
    let whole = body().file("field_1", "a.txt", "text/plain", b"in pieces").end();
    for size in [1, 7, 50, 4096] {
        let mut request = chunked(&form).into_bytes();
        for piece in whole.chunks(size) {
            request.extend(format!("{:x}\r\n", piece.len()).bytes());
            request.extend(piece);
            request.extend(b"\r\n");
        }
        request.extend(b"0\r\n\r\n");
        let got = raw::exchange(&owner.base, &request);
        assert!(got.starts_with("HTTP/1.1 303"), "{size} {got}");
    }
    assert_eq!(count(&owner, &form), 4);
    let file = newest(&owner, &form)["field_1"][0].clone();
    assert_eq!(fetched(&owner, &file["url"]).text, "in pieces");
}

#[test]
fn a_kill_amid_a_post_leaves_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &[]);
    let owner = server.user();
    let form = owner.form(json!([field("attachment", json!({"max_count": 5}))]));
    let mut socket = raw::connect(&owner.base);
    let begun = body().file("field_1", "a.txt", "text/plain", &[b'x'; 200_000]).file(
        "field_1",
        "b.txt",
        "text/plain",
        &[b'y'; 200_000],
    );
    let begun = &begun.end()[..350_000];
    let head = format!("{}{:x}\r\n", chunked(&form), begun.len());
    socket.write_all(head.as_bytes()).expect("sent");
    socket.write_all(begun).expect("sent");
    until("files are aside", || files_in(dir.path(), "tmp").len() == 2);
    server.kill();
    drop(socket);
    let server = Server::over(dir.path(), &[]);
    assert!(files_in(dir.path(), "tmp").is_empty());
    assert!(files_in(dir.path(), "blobs").is_empty());
    // One that breaks off without a kill leaves as little.
    let mut socket = raw::connect(&server.base);
    socket.write_all(head.as_bytes()).expect("sent");
    socket.write_all(begun).expect("sent");
    until("files are aside", || files_in(dir.path(), "tmp").len() == 2);
    drop(socket);
    until("they are gone", || files_in(dir.path(), "tmp").is_empty());
    thread::sleep(Duration::from_millis(50));
    assert!(files_in(dir.path(), "blobs").is_empty());
}

#[test]
fn without_room_the_page_says_so_and_keeps_what_was_typed() {
    let server = Server::with(&["--min-free-mb", "1048576"]);
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("short_text", json!({})), field("attachment", json!({})),]));
    let refused = body()
        .text("field_1", "typed all the same")
        .file("field_2", "a.txt", "text/plain", b"a")
        .send(&anon, &form.page());
    assert_eq!(refused.status, 503, "{refused}");
    assert!(!refused.header("retry-after").is_empty());
    assert!(refused.text.contains("typed all the same"), "{refused}");
    assert!(files_in(&server.dir, "tmp").is_empty());
    assert!(files_in(&server.dir, "blobs").is_empty());
}

#[test]
fn cards_carry_their_files_from_page_to_page() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form_with(json!({"name": "F", "layout": "card", "fields": [
        field("attachment", json!({"required": true})),
        field("short_text", json!({"required": true})),
    ]}));
    let first = body().text("_action", "next").file("field_1", "a.txt", "text/plain", b"a").send(&anon, &form.page());
    assert_eq!(first.status, 200, "{first}");
    let there = kept(&first);
    assert_eq!(there.len(), 1, "{first}");
    let trapped = body()
        .text("_homepage", "https://spam.example/")
        .text("field_1", &there[0].1)
        .text("field_2", "x")
        .send(&anon, &form.page());
    assert_eq!(trapped.status, 422, "{trapped}");
    assert_eq!(kept(&trapped), there, "{trapped}");
    let sent =
        Body::default().text("_page", "1").text("field_1", &there[0].1).text("field_2", "x").send(&anon, &form.page());
    assert_eq!(sent.status, 303, "{sent}");
    assert_eq!(newest(&owner, &form)["field_1"][0]["name"], "a.txt");
}
