//! Files that come with the post of a form's page, without a script: each under its field's rules, faults beside the
//! field, and good files kept for the next time.

use std::io::Write as _;
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use support::multipart::{Body, EDGE, body, fetched, kept};
use support::uploads::{files_in, png};
use support::{raw, until};

use super::*;

/// Files of a field: a text, and the part that browsers send where nothing was chosen.
trait Files {
    fn txt(self, field: &str, name: &str, text: &str) -> Self;
    fn none(self, field: &str) -> Self;
}

impl Files for Body {
    fn txt(self, field: &str, name: &str, text: &str) -> Self {
        self.file(field, name, "text/plain", text.as_bytes())
    }

    fn none(self, field: &str) -> Self {
        self.file(field, "", "application/octet-stream", b"")
    }
}

fn send(w: &World, body: Body) -> Response {
    body.send(&w.anon, &w.form.page())
}

fn names(kept: &[(String, String)]) -> Vec<&str> {
    kept.iter().map(|(name, _)| name.as_str()).collect()
}

#[test]
fn files_of_a_post_are_stored_with_its_entry() {
    let w = asking(json!([{"short_text": {"required": true}}, {"attachment": {"max_count": 3, "required": true}}]));
    w.page().has(["enctype=\"multipart/form-data\""]);
    let long = vec![b'x'; 300_000];
    let ada = || body().text("field_1", "Ada");
    let files = ada().txt("field_2", "a.txt", "first").file("field_2", "long.bin", "application/octet-stream", &long);
    send(&w, files).is(303);
    let files = w.newest()["field_2"].clone();
    let shown = (&files[0]["name"], &files[0]["content_type"], &files[0]["file_size"], files.as_array().map(Vec::len));
    assert_eq!(shown, (&json!("a.txt"), &json!("text/plain"), &json!(5), Some(2)), "{files}");
    assert_eq!(fetched(&w.owner, &files[0]["url"]).text, "first");
    assert_eq!(fetched(&w.owner, &files[1]["url"]).text.len(), long.len());
    send(&w, ada().none("field_2")).is(422).has(["id=\"field_2-fault\""]);
}

#[test]
fn every_fault_of_a_file_stands_beside_its_field() {
    let w = asking(json!([
        {"short_text": {"required": true}}, {"attachment": {"max_count": 9, "max_size": 1}},
        {"attachment": {"media_type": "image", "max_count": 2}}, {"attachment": {"required": true}}
    ]));
    let large = vec![0; (1 << 20) + 1];
    let files = body().txt("field_2", "none.txt", "").txt("field_2", "fine.txt", "fine");
    let files = files.file("field_2", "large.bin", "application/x-thing", &large);
    // One byte less is what the field takes.
    let files = files.file("field_2", "whole.bin", "application/x-thing", &large[1..]);
    let files = files.file("field_2", "page.html", "TEXT/HTML; charset=x", b"<p>");
    let files = files.file("field_3", "picture.svg", "image/svg+xml", b"<svg/>");
    let files = files.file("field_3", "page.png", "image/png", b"<!doctype html>");
    let files = files.file("field_3", "wide.png", "image/png", &png(50_000, 50_000));
    let sent = send(&w, files.txt("field_4", "one.txt", "1").txt("field_4", "two.txt", "2")).is(422);
    sent.has([
        "large.bin is larger than 1 MB.",
        "page.html can’t be used. Choose another file.",
        "none.txt is empty.",
        "picture.svg can’t be used. Choose images.",
        "page.png is damaged, or its content doesn’t match its name.",
        "wide.png is wider or taller than 16384 pixels.",
        "Choose at most one file",
    ])
    .lacks(["id=\"field_1-fault\">Choose"]);
    // A file that uploaded well is kept, and need not be chosen twice.
    let there = kept(&sent);
    assert_eq!(names(&there), ["fine.txt", "whole.bin", "one.txt"], "{sent}");
    assert_eq!(w.count(), 0);
    let [fine, one] = [&there[0].1, &there[2].1];
    let ada = || body().text("field_1", "Ada").text("field_4", one);
    send(&w, ada().text("field_2", fine).none("field_4")).is(303);
    let entry = w.newest();
    assert_eq!(entry["field_2"][0]["name"], "fine.txt");
    assert_eq!(fetched(&w.owner, &entry["field_4"][0]["url"]).text, "1");
    // Each is used once.
    let twice = send(&w, ada()).is(422);
    assert!(kept(&twice).is_empty(), "{twice}");
}

#[test]
fn kept_files_are_taken_out_or_give_way() {
    let w = asking(json!([{"short_text": {"required": true}}, {"attachment": {}}, {"attachment": {"max_count": 2}}]));
    let old = body().txt("field_2", "old.txt", "old");
    let faulty = send(&w, old.txt("field_3", "a.txt", "a").txt("field_3", "b.txt", "b"));
    let there = kept(&faulty);
    assert_eq!(names(&there), ["old.txt", "a.txt", "b.txt"], "{faulty}");
    let again = body().text("field_1", "Ada").text("field_2", &there[0].1).text("field_3", &there[2].1);
    send(&w, again.txt("field_2", "new.txt", "new")).is(303);
    let entry = w.newest();
    let names = (&entry["field_2"][0]["name"], &entry["field_3"][0]["name"], &entry["field_3"][1]);
    assert_eq!(names, (&json!("new.txt"), &json!("b.txt"), &Value::Null), "{entry}");
}

#[test]
fn columns_take_files_too() {
    let columns = fields(json!([{"short_text": {}}, {"attachment": {"max_size": 1}}]));
    let w = asking(json!([
        {"table": {"dimensions": columns}},
        {"matrix": {"dimensions": columns, "statements": [{"api_code": "taste", "label": "T"}]}},
        {"short_text": {"required": true}}
    ]));
    let row = || body().text("field_1[0].field_1", "x").txt("field_1[0].field_2", "row.txt", "row");
    let files = || row().txt("field_2.taste.field_2", "cell.txt", "cell");
    let faulty = send(&w, files().file("field_1[1].field_2", "odd.html", "text/html", b"x")).is(422);
    faulty.has(["odd.html can’t be used."]);
    let there = kept(&faulty);
    assert_eq!(there.len(), 2, "{faulty}");
    send(&w, files().text("field_3", "x")).is(303);
    let file = w.newest()["field_1"][0]["field_2"][0].clone();
    assert_eq!((&file["name"], fetched(&w.owner, &file["url"]).text.as_str()), (&json!("row.txt"), "row"));
    send(&w, body().text("field_3", "x").text("field_2.taste.field_2", &there[1].1)).is(303);
    let cells = w.newest()["field_2"].to_string();
    assert!(cells.contains("cell.txt"), "{cells}");
}

#[test]
fn names_are_kept_without_what_deceives() {
    let w = asking(json!([{"attachment": {"max_count": 9}}]));
    let [long, short] = [300, 251].map(|length| format!("{}.txt", "n".repeat(length)));
    let cases = [
        ("../../etc/passwd", "passwd"),
        ("a%22b.txt", "a\"b.txt"),
        ("a\\\"c.txt", "a\"c.txt"),
        ("line%0D%0Aend.txt", "lineend.txt"),
        ("cod\u{202e}txt.exe", "codtxt.exe"),
        ("照片 1.txt", "照片 1.txt"),
        (&long, &short),
    ];
    send(&w, cases.iter().fold(body(), |body, (sent, _)| body.txt("field_1", sent, sent))).is(303);
    let files = w.newest()["field_1"].clone();
    for (at, (sent, stored)) in cases.iter().enumerate() {
        assert_eq!(files[at]["name"], *stored, "{sent}");
        fetched(&w.owner, &files[at]["url"]).is(200);
    }
}

#[test]
fn two_clicks_with_files_store_one_entry() {
    let w = asking(json!([{"attachment": {}}]));
    let click = |text| send(&w, body().text("_once", "the-same-every-time").txt("field_1", "a.txt", text));
    assert_eq!(click("a").leads(), click("a").leads());
    assert_eq!(w.count(), 1);
    let asked = click("b").is(409);
    assert_eq!(names(&kept(&asked)), ["a.txt"], "{asked}");
}

#[test]
fn who_may_not_send_leaves_no_file() {
    let server = Server::alone("its data dir is looked at");
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(fields(json!([{"attachment": {}}])));
    let left = || ["blobs", "tmp"].map(|folder| files_in(&server.dir, folder).len());
    let post =
        |given: &str, path: &str| body().text("_password", given).txt("field_1", "a.txt", "mine").send(&anon, path);
    set(&owner, &form, password("open sesame"));
    for given in ["", "wrong"] {
        post(given, &form.page()).is(403);
    }
    assert_eq!(left(), [0, 0]);
    post("open sesame", &form.page()).is(303);
    assert_eq!(left(), [1, 0]);
    let shut = json!({"access_control": {"access_password": null}, "availability": {"manually_closed": true}});
    set(&owner, &form, shut);
    let another = |path: &str| body().txt("field_1", "b.txt", "another").send(&anon, path);
    another(&form.page()).is(403);
    another("/f/nowhere000").is(404);
    assert_eq!(left(), [1, 0]);
}

#[test]
fn odd_bodies_are_refused_and_leave_nothing() {
    let server = Server::alone("its data dir is looked at");
    let (owner, anon) = (server.user(), server.anon());
    // A server that refuses a body before its end closes the connection, which must not be used again.
    let anon = anon.header("connection", "close");
    let forms = [json!([{"short_text": {}}]), json!([{"short_text": {}}, {"attachment": {}}])];
    let forms = forms.map(|of| owner.form(fields(of)));
    let whole = body().file("field_2", "a.txt", "text/plain", &[b'x'; 100_000]).end();
    let head = format!("--{EDGE}\r\nContent-Disposition: form-data; name=\"{}", "n".repeat(1 << 20));
    let text = body().text("field_1", &"t".repeat(1 << 20)).end();
    let twice = body().text("field_1", "a").text("field_1", "b").end();
    let many = (0..1001).fold(Body::default(), |body, n| body.text(&format!("f{n}"), "x")).end();
    let long = "b".repeat(71);
    let of_long = format!("--{long}\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\nx\r\n--{long}--\r\n");
    let form = "multipart/form-data";
    let [own, long] = [EDGE, &long].map(|edge| format!("{form}; boundary={edge}"));
    for (what, kind, body, status) in [
        ("half of a file", own.as_str(), &whole[..60_000], 400),
        ("nothing", &own, b"", 400),
        ("no parts", &own, b"x", 400),
        ("another boundary", "multipart/form-data; boundary=other", &whole, 400),
        ("no boundary", form, &whole, 400),
        ("a long boundary", &long, of_long.as_bytes(), 400),
        ("a head without an end", &own, head.as_bytes(), 400),
        ("no head", &own, format!("--{EDGE}\r\nnothing").as_bytes(), 400),
        ("a long text", &own, &text, 413),
        ("a field twice", &own, &twice, 400),
        ("many fields", &own, &many, 400),
    ] {
        for form in &forms {
            let refused = anon.send("POST", &form.page(), Some(kind), body);
            assert_eq!(refused.status, status, "{what}: {refused}");
            assert!(refused.header("content-type").starts_with("text/html"), "{what}: {:?}", refused.headers);
            assert_eq!(count(&owner, form), 0, "{what}");
        }
    }
    assert_eq!(["tmp", "blobs"].map(|folder| files_in(&server.dir, folder).len()), [0, 0]);
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
    let w = asking(json!([{"attachment": {}}]));
    let whole = body().file("field_1", "a.txt", "text/plain", b"in pieces").end();
    for size in [1, 7, 50, 4096] {
        let mut request = chunked(&w.form).into_bytes();
        for piece in whole.chunks(size) {
            request.extend([format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat());
        }
        request.extend(b"0\r\n\r\n");
        let got = raw::exchange(&w.owner.base, &request);
        assert!(got.starts_with("HTTP/1.1 303"), "{size} {got}");
    }
    assert_eq!(w.count(), 4);
    assert_eq!(fetched(&w.owner, &w.newest()["field_1"][0]["url"]).text, "in pieces");
}

#[test]
fn a_kill_amid_a_post_leaves_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &[]);
    let owner = server.user();
    let form = owner.form(fields(json!([{"attachment": {"max_count": 5}}])));
    let [a, b] = ["x", "y"].map(|letter| letter.repeat(200_000));
    let begun = &body().txt("field_1", "a.txt", &a).txt("field_1", "b.txt", &b).end()[..350_000];
    let left = |folder| files_in(dir.path(), folder).len();
    let begin = |server: &Server| -> TcpStream {
        let mut socket = raw::connect(&server.base);
        socket.write_all(format!("{}{:x}\r\n", chunked(&form), begun.len()).as_bytes()).expect("sent");
        socket.write_all(begun).expect("sent");
        until("files are aside", || left("tmp") == 2);
        socket
    };
    let socket = begin(&server);
    server.kill();
    drop(socket);
    let server = Server::over(dir.path(), &[]);
    assert_eq!((left("tmp"), left("blobs")), (0, 0));
    // One that breaks off without a kill leaves as little.
    drop(begin(&server));
    until("they are gone", || left("tmp") == 0);
    thread::sleep(Duration::from_millis(50));
    assert_eq!(left("blobs"), 0);
}

#[test]
fn page_says_that_there_is_no_room_and_keeps_what_was_typed() {
    let server = Server::with(&["--min-free-mb", "1048576"]);
    let form = server.user().form(fields(json!([{"short_text": {}}, {"attachment": {}}])));
    let sent = body().text("field_1", "typed all the same").txt("field_2", "a.txt", "a");
    let refused = sent.send(&server.anon(), &form.page()).is(503);
    refused.has(["typed all the same"]);
    assert!(!refused.header("retry-after").is_empty(), "{:?}", refused.headers);
    assert_eq!(["tmp", "blobs"].map(|folder| files_in(&server.dir, folder).len()), [0, 0]);
}

#[test]
fn cards_carry_their_files_from_page_to_page() {
    let fields = fields(json!([{"attachment": {"required": true}}, {"short_text": {"required": true}}]));
    let w = World::of(json!({"name": "F", "layout": "card", "fields": fields}));
    let first = send(&w, body().text("_action", "next").txt("field_1", "a.txt", "a")).is(200);
    let there = kept(&first);
    assert_eq!(names(&there), ["a.txt"], "{first}");
    let last = |body: Body| send(&w, body.text("field_1", &there[0].1).text("field_2", "x"));
    let trapped = last(body().text("_homepage", "https://spam.example/")).is(422);
    assert_eq!(kept(&trapped), there, "{trapped}");
    last(Body::default().text("_page", "1")).is(303);
    assert_eq!(w.newest()["field_1"][0]["name"], "a.txt");
}
