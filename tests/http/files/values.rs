//! Files of entries: from uploads to values, kept, added and removed, and read by their links.

use std::fs;

use serde_json::{Value, json};
use support::uploads::{files_in, path_of, prepare, send, uploaded};
use support::{Caller, Form, Response, Server, field};

const TEXT: &str = "text/plain";

fn made() -> (Server, Caller, Caller, Form) {
    let server = Server::alone("its data dir is looked at");
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("attachment", json!({"max_count": 3})), field("short_text", json!({})),]));
    (server, owner, anon, form)
}

fn values(files: Value) -> Value {
    json!({"field_values": {"field_1": files}})
}

/// The answer at the link of a file.
fn read(caller: &Caller, file: &Value) -> Response {
    caller.get(path_of(caller, file["url"].as_str().expect("a link")))
}

#[test]
fn an_answer_has_the_files_that_it_names() {
    let (_server, owner, anon, form) = made();
    let one = uploaded(&anon, &form, "报告 1.txt", TEXT, b"first");
    let two = uploaded(&anon, &form, "b.html.txt", TEXT, b"second");
    let sent = anon.post(form.submissions(), values(json!([one, {"upload_id": two}])));
    assert_eq!(sent.status, 201, "{sent}");
    let shown = sent.data()["entry"]["field_1"].clone();
    for shown in [shown, owner.get(form.entry(1)).data()["field_1"].clone()] {
        let first = &shown[0];
        let keys: Vec<&String> = first.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["id", "name", "url", "file_size", "content_type"]);
        assert_eq!(
            (&first["name"], &first["file_size"], &first["content_type"]),
            (&json!("报告 1.txt"), &json!(5), &json!(TEXT))
        );
        assert_eq!(read(&anon, first).text, "first");
        assert_eq!(read(&anon, &shown[1]).text, "second");
    }
    // Each is used once, in the place it was prepared for.
    let again = anon.post(form.submissions(), values(json!([one])));
    assert_eq!(again.faults(), ["field_values.field_1[0]: has already been used"]);
    assert_eq!(again.json()["code"], "upload_used");
    // Collaborators add entries with files, too.
    let three = uploaded(&anon, &form, "c", TEXT, b"third");
    let added = owner.post(form.entries(), values(json!([{"upload_id": three}])));
    assert_eq!(added.status, 201, "{added}");
    assert_eq!(read(&anon, &added.data()["field_1"][0]).text, "third");
}

#[test]
fn an_upload_that_can_not_be_used_says_why() {
    let (_server, owner, anon, form) = made();
    let other = owner.form(json!([field("attachment", json!({}))]));
    let waiting = prepare(&anon, &form, "a", TEXT, 1).data()["upload_id"].clone();
    let elsewhere = uploaded(&anon, &other, "a", TEXT, b"x");
    let image = json!({
        "purpose": "header_image", "file_name": "a.png", "content_type": "image/png", "file_size": 5,
    });
    let image = owner.post("/api/v1/attachments", image).data()["upload_id"].clone();
    let unknown = format!("{}.field_1.{}", form.token, "A".repeat(22));
    for (id, code, said) in [
        (waiting, "upload_incomplete", "has not been uploaded yet"),
        (json!(elsewhere), "upload_purpose_mismatch", "was uploaded for another purpose"),
        (image, "upload_purpose_mismatch", "was uploaded for another purpose"),
        (json!(unknown), "upload_not_found", "is not an uploaded file"),
        (json!("x"), "upload_not_found", "is not an uploaded file"),
    ] {
        for file in [id.clone(), json!({"upload_id": id})] {
            let refused = anon.post(form.submissions(), values(json!([file])));
            assert_eq!(refused.status, 422, "{refused}");
            assert_eq!(refused.json()["code"], code);
            assert_eq!(refused.faults(), [format!("field_values.field_1[0]: {said}")]);
        }
    }
    // An upload that was refused with others may be used later.
    let mine = uploaded(&anon, &form, "a", TEXT, b"mine");
    let refused = anon.post(form.submissions(), values(json!([mine, mine])));
    assert_eq!(refused.faults(), ["field_values.field_1[1]: is listed twice"]);
    assert_eq!(anon.post(form.submissions(), values(json!([mine]))).status, 201);
}

#[test]
fn a_change_keeps_adds_and_removes() {
    let (server, owner, anon, form) = made();
    let ids: Vec<String> = ["one", "two"].map(|text| uploaded(&anon, &form, text, TEXT, text.as_bytes())).to_vec();
    let entry = owner.post(form.entries(), values(json!(ids))).data();
    let [one, two] = [0, 1].map(|i| entry["field_1"][i].clone());
    // A field that is not named stays.
    let other = json!({"field_values": {"field_2": "x"}});
    let changed = owner.patch(form.entry(1), other).data();
    assert_eq!(changed["field_1"].as_array().map(Vec::len), Some(2));
    let three = uploaded(&anon, &form, "three", TEXT, b"three");
    let kept = json!([two["id"], {"upload_id": three}]);
    let changed = owner.patch(form.entry(1), values(kept));
    assert_eq!(changed.status, 200, "{changed}");
    let changed = changed.data();
    let names: Vec<&Value> = changed["field_1"].as_array().expect("files").iter().map(|file| &file["name"]).collect();
    assert_eq!(names, ["two", "three"]);
    assert_eq!(changed["field_1"][0]["id"], two["id"]);
    let gone = read(&anon, &one);
    assert_eq!(gone.to_string(), r#"404 {"error":"File not found"}"#);
    assert_eq!(read(&anon, &two).text, "two");
    // A file of another entry is none of this one's.
    owner.post(form.entries(), values(json!([])));
    let stolen = owner.patch(form.entry(2), values(json!([{"id": two["id"]}])));
    assert_eq!(stolen.json()["code"], "upload_not_found", "{stolen}");
    // A value that is sent back as it was read changes nothing.
    let same = owner.patch(form.entry(1), values(changed["field_1"].clone()));
    assert_eq!(same.data()["field_1"][1]["id"], changed["field_1"][1]["id"]);
    let none = owner.patch(form.entry(1), values(json!(null))).data();
    assert_eq!(none["field_1"], json!([]));
    assert_eq!(read(&anon, &two).status, 404);
    let swept = server.run(&["jobs", "run-once"]);
    assert!(swept.status.success());
    assert!(files_in(&server.dir, "blobs").is_empty());
}

#[test]
fn files_stand_in_cells_too() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let column = field("attachment", json!({}));
    let statements = json!([{"api_code": "mon", "label": "Monday"}]);
    let form = owner.form(json!([
        field("table", json!({"dimensions": [column]})),
        field("matrix", json!({"dimensions": [column], "statements": statements})),
    ]));
    let upload = |field: &str, text: &str| {
        let body = json!({
            "field_api_code": field, "dimension_api_code": "field_1", "file_name": text,
            "content_type": TEXT, "file_size": text.len(),
        });
        let at = format!("{}/entry_attachments", form.published());
        let prepared = anon.post(at, body).data();
        assert_eq!(send(&anon, &prepared, TEXT, text.as_bytes()).status, 200);
        prepared["upload_id"].clone()
    };
    let body = json!({"field_values": {
        "field_1": [{"field_1": [upload("field_1", "cell")]}],
        "field_2": {"mon": {"field_1": [{"upload_id": upload("field_2", "monday")}]}},
    }});
    let sent = anon.post(form.submissions(), body);
    assert_eq!(sent.status, 201, "{sent}");
    let entry = owner.get(form.entry(1)).data();
    let cell = &entry["field_1"][0]["field_1"][0];
    assert_eq!(read(&anon, cell).text, "cell");
    let monday = &entry["field_2"]["mon"]["field_1"][0];
    assert_eq!(read(&anon, monday).text, "monday");
    let wrong = json!({"field_values": {"field_1": [{"field_1": [upload("field_2", "other")]}]}});
    let wrong = anon.post(form.submissions(), wrong);
    assert_eq!(wrong.faults(), ["field_values.field_1[0].field_1[0]: was uploaded for another purpose"]);
    let kept = json!({"field_values": {"field_1": [
        {"field_1": [{"id": cell["id"]}]}, {"field_1": [upload("field_1", "more")]},
    ]}});
    let changed = owner.patch(form.entry(1), kept);
    assert_eq!(changed.status, 200, "{changed}");
    assert_eq!(read(&anon, &changed.data()["field_1"][1]["field_1"][0]).text, "more");
    assert_eq!(read(&anon, cell).text, "cell");
}

#[test]
fn a_file_stands_in_one_place() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let column = field("attachment", json!({"max_count": 2}));
    let statements = json!([
        {"api_code": "mon", "label": "Monday"}, {"api_code": "tue", "label": "Tuesday"},
    ]);
    let form = owner.form(json!([
        field("attachment", json!({"max_count": 2})),
        field("attachment", json!({})),
        field("table", json!({"dimensions": [column]})),
        field("matrix", json!({"dimensions": [column], "statements": statements})),
    ]));
    let upload = |field: &str, column: Option<&str>| {
        let body = json!({
            "field_api_code": field, "dimension_api_code": column, "file_name": "a",
            "content_type": TEXT, "file_size": 1,
        });
        let at = format!("{}/entry_attachments", form.published());
        let prepared = anon.post(at, body).data();
        assert_eq!(send(&anon, &prepared, TEXT, b"x").status, 200);
        prepared["upload_id"].clone()
    };
    let (one, more) = (upload("field_1", None), upload("field_1", None));
    let cell = upload("field_3", Some("field_1"));
    let statement = upload("field_4", Some("field_1"));
    let body = |values: Value| json!({"field_values": values});
    for (values, faults) in [
        (
            json!({"field_1": [one], "field_2": [one]}),
            vec!["field_values.field_2[0]: was uploaded for another purpose"],
        ),
        (
            json!({"field_3": [{"field_1": [cell]}, {"field_1": [{"upload_id": cell}]}]}),
            vec!["field_values.field_3[1].field_1[0]: is listed twice"],
        ),
        (
            json!({"field_4": {"mon": {"field_1": [statement]}, "tue": {"field_1": [statement]}}}),
            vec!["field_values.field_4.tue.field_1[0]: is listed twice"],
        ),
    ] {
        for refused in
            [anon.post(form.submissions(), body(values.clone())), owner.post(form.entries(), body(values.clone()))]
        {
            assert_eq!(refused.status, 422, "{values}: {refused}");
            assert_eq!(refused.faults(), faults, "{values}");
        }
    }
    let two = json!({"entries": [body(json!({"field_1": [more]})), body(json!({"field_1": [more]}))]});
    let refused = owner.post(format!("{}/bulk", form.entries()), two);
    assert_eq!(refused.faults(), ["entries[1].field_values.field_1: has already been used"]);
    // Nothing was used up by that; and an entry's own files stay in place.
    let all = json!({
        "field_1": [one, more], "field_3": [{"field_1": [cell]}],
        "field_4": {"mon": {"field_1": [statement]}},
    });
    let entry = owner.post(form.entries(), body(all));
    assert_eq!(entry.status, 201, "{entry}");
    let entry = entry.data();
    let (first, cell) = (&entry["field_1"][0]["id"], &entry["field_3"][0]["field_1"]);
    for (values, fault) in [
        (json!({"field_2": [first]}), "field_values.field_2[0]: is not an uploaded file"),
        (
            json!({"field_3": [{"field_1": cell}, {"field_1": cell}]}),
            "field_values.field_3[1].field_1[0]: is listed twice",
        ),
    ] {
        let refused = owner.patch(form.entry(1), body(values));
        assert_eq!(refused.faults(), [fault]);
    }
}

#[test]
fn files_of_what_was_removed_go_with_its_values() {
    let server = Server::alone("its jobs run now");
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([
        field("attachment", json!({})),
        field("short_text", json!({})),
        field("table", json!({"dimensions": [field("attachment", json!({})), field("number", json!({}))]})),
    ]));
    let submit = |text: &str| {
        let cell = json!({
            "field_api_code": "field_3", "dimension_api_code": "field_1", "file_name": "a",
            "content_type": TEXT, "file_size": 4,
        });
        let at = format!("{}/entry_attachments", form.published());
        let prepared = anon.post(at, cell).data();
        assert_eq!(send(&anon, &prepared, TEXT, b"cell").status, 200);
        let own = uploaded(&anon, &form, "a", TEXT, text.as_bytes());
        let body = json!({"field_values": {
            "field_1": [own], "field_3": [{"field_1": [prepared["upload_id"]], "field_2": 5}],
        }});
        let made = owner.post(form.entries(), body);
        assert_eq!(made.status, 201, "{made}");
    };
    submit("first");
    submit("second");
    let contents = || {
        assert!(server.run(&["jobs", "run-once"]).status.success());
        files_in(&server.dir, "blobs").len()
    };
    assert_eq!(contents(), 3);
    let fields = json!([
        {"api_code": "field_2", "type": "short_text", "label": "b"},
        {"api_code": "field_3", "type": "table", "label": "c", "dimensions": [
            {"api_code": "field_2", "type": "number", "label": "n"},
        ]},
    ]);
    let lost = owner.patch(form.path(), json!({"fields": fields}));
    assert_eq!(lost.json()["code"], "data_loss", "{lost}");
    let lost = owner.patch(form.path(), json!({"fields": fields, "confirm_data_loss": true}));
    assert_eq!(lost.status, 200, "{lost}");
    // The files of both entries go, and with them the column's cells.
    assert_eq!(contents(), 0);
    let left = owner.get(form.entry(1)).data();
    assert_eq!(left["field_1"], Value::Null);
    assert_eq!(left["field_3"], json!([{"field_2": 5}]));
}

#[test]
fn files_go_with_their_entry() {
    let (server, owner, anon, form) = made();
    let id = uploaded(&anon, &form, "a", TEXT, b"text");
    let file = owner.post(form.entries(), values(json!([id]))).data()["field_1"][0].clone();
    assert_eq!(owner.delete(form.entry(1)).status, 200);
    assert_eq!(read(&anon, &file).status, 404);
    let restore = format!("{}/restore", form.trashed(1));
    assert_eq!(owner.post(restore, json!({})).status, 200);
    assert_eq!(read(&anon, &file).text, "text");
    assert_eq!(owner.delete(form.path()).status, 200);
    assert_eq!(read(&anon, &file).status, 404);
    let restore = format!("{}/restore", form.path());
    assert_eq!(owner.post(restore, json!({})).status, 200);
    assert_eq!(read(&anon, &file).status, 200);
    owner.delete(form.entry(1));
    assert_eq!(owner.delete(form.trashed(1)).status, 200);
    assert_eq!(read(&anon, &file).status, 404);
    assert!(server.run(&["jobs", "run-once"]).status.success());
    assert!(files_in(&server.dir, "blobs").is_empty());
}

#[test]
fn many_entries_at_once_have_files_each() {
    let (_server, owner, anon, form) = made();
    let ids = ["a", "b"].map(|text| uploaded(&anon, &form, text, TEXT, text.as_bytes()));
    let bulk = format!("{}/bulk", form.entries());
    let twice = json!({"entries": [values(json!([ids[0]])), values(json!([ids[0]]))]});
    let refused = owner.post(&bulk, twice);
    assert_eq!((refused.status, &refused.json()["code"]), (422, &json!("upload_used")));
    let body = json!({"entries": [values(json!([ids[0]])), values(json!([ids[1]]))]});
    assert_eq!(owner.post(&bulk, body).status, 201);
    assert_eq!(read(&anon, &owner.get(form.entry(2)).data()["field_1"][0]).text, "b");
}

#[test]
fn a_link_is_read_whole_and_in_parts() {
    let (_server, owner, anon, form) = made();
    let bytes: Vec<u8> = (0..600_000_u32).map(|i| (i % 251) as u8).collect();
    let id = uploaded(&anon, &form, "a.bin", "application/x-any", &bytes);
    let file = owner.post(form.entries(), values(json!([id]))).data()["field_1"][0].clone();
    let whole = read(&anon, &file);
    assert_eq!((whole.status, whole.bytes == bytes), (200, true));
    for (name, value) in [
        ("content-type", "application/octet-stream"),
        ("content-length", "600000"),
        ("accept-ranges", "bytes"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "no-store"),
        ("x-robots-tag", "noindex"),
    ] {
        assert_eq!(whole.header(name), value);
    }
    assert!(whole.header("content-disposition").starts_with("attachment; filename=\"a.bin\""));
    let policy = whole.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'") && policy.ends_with("sandbox"));
    let path = path_of(&anon, file["url"].as_str().expect("a link")).to_owned();
    let head = anon.send("HEAD", &path, None, b"");
    assert_eq!((head.status, head.header("content-length")), (200, "600000"));
    let etag = whole.header("etag").to_owned();
    for (range, shown, part) in [
        ("bytes=0-9", "bytes 0-9/600000", &bytes[..10]),
        ("bytes=300000-", "bytes 300000-599999/600000", &bytes[300_000..]),
        ("bytes=-5", "bytes 599995-599999/600000", &bytes[599_995..]),
    ] {
        let got = anon.header("Range", range).get(&path);
        assert_eq!((got.status, got.header("content-range")), (206, shown));
        assert!(got.bytes == part, "{range}");
    }
    let outside = anon.header("Range", "bytes=600000-").get(&path);
    assert_eq!((outside.status, outside.header("content-range")), (416, "bytes */600000"));
    let part = anon.header("Range", "bytes=0-9").get(&path);
    let known = anon.header("If-None-Match", &etag).get(&path);
    let unknown = anon.get("/files/AAAAAAAAAA/a.bin");
    for (answer, status) in [(&outside, 416), (&part, 206), (&known, 304), (&unknown, 403)] {
        assert_eq!(answer.status, status);
        assert_eq!(answer.header("cache-control"), "no-store", "{status}");
        assert_eq!(answer.header("x-robots-tag"), "noindex", "{status}");
    }
    let same = anon.header("Range", "bytes=0-0").header("If-Range", &etag).get(&path);
    assert_eq!((same.status, same.bytes.len()), (206, 1));
    let other = anon.header("Range", "bytes=0-0").header("If-Range", "\"x\"").get(&path);
    assert_eq!((other.status, other.bytes.len()), (200, 600_000));
    let seen = anon.header("If-None-Match", &etag).get(&path);
    assert_eq!((seen.status, seen.text.as_str(), seen.header("etag")), (304, "", etag.as_str()));
}

#[test]
fn a_changed_link_opens_nothing() {
    let (_server, owner, anon, form) = made();
    let ids = ["a.txt", "b.txt"].map(|name| uploaded(&anon, &form, name, TEXT, name.as_bytes()));
    let files = owner.post(form.entries(), values(json!(ids))).data()["field_1"].clone();
    let url = files[0]["url"].as_str().expect("a link");
    let path = path_of(&anon, url);
    let (place, query) = path.split_once('?').expect("a query");
    let (expires, signature) = query.split_once("&signature=").expect("a signature");
    let later = format!("expires=9{}", expires.trim_start_matches("expires="));
    let mut flipped = signature.to_owned();
    let last = if flipped.pop() == Some('A') { 'Q' } else { 'A' };
    flipped.push(last);
    let (id, name) = (files[1]["id"].as_str().expect("an id"), "a%2Etxt");
    let other = format!("/files/{id}/{name}?{query}");
    for altered in [
        place.to_owned(),
        format!("{place}?{expires}"),
        format!("{place}?{later}&signature={signature}"),
        format!("{place}?{expires}&signature={flipped}"),
        format!("{place}x?{query}"),
        format!("{}?{query}", place.replace("a%2Etxt", "a.html")),
        other,
        format!("{place}?expires=x&signature={signature}"),
    ] {
        let refused = anon.get(&altered);
        assert_eq!(
            refused.to_string(),
            r#"403 {"error":"This link has expired or was changed. Open the page it came from again."}"#,
            "{altered}"
        );
        let browser = anon.header("Accept", "text/html,application/xhtml+xml,*/*;q=0.8");
        for (language, title, words) in [
            ("en", "This link no longer works", "It has expired or was changed. Open the page it came from again."),
            ("zh-CN", "此链接已失效", "链接已过期或被改动。请重新打开它所在的页面。"),
        ] {
            let page = browser.header("Accept-Language", language).get(&altered);
            assert_eq!(page.status, 403, "{page}");
            assert!(page.header("content-type").starts_with("text/html"), "{page}");
            assert_eq!(page.header("x-robots-tag"), "noindex");
            for part in [title, words] {
                assert!(page.text.contains(part), "{part}: {page}");
            }
        }
        // Programs that take anything get JSON.
        let program = anon.header("Accept", "*/*").get(&altered);
        assert!(program.text.starts_with('{'), "{program}");
        let part = anon.header("Range", "bytes=0-0").get(&altered);
        assert_eq!(part.status, 403);
        assert_eq!(anon.send("HEAD", &altered, None, b"").status, 403);
    }
    assert_eq!(anon.get(path).status, 200);
}

#[test]
fn names_are_names_and_types_are_harmless() {
    let (_server, owner, anon, form) = made();
    for (name, kept) in [
        ("../../etc/passwd", "passwd"),
        ("C:\\x\\a.txt", "a.txt"),
        ("a\"b;c.txt", "a\"b;c.txt"),
        ("a\r\nX-Evil: 1", "aX-Evil: 1"),
        ("报告\u{202e}fdp.exe", "报告fdp.exe"),
        ("%2e%2e%2fx ?#&", "%2e%2e%2fx ?#&"),
    ] {
        let id = uploaded(&anon, &form, name, TEXT, b"x");
        let file = owner.post(form.entries(), values(json!([id]))).data()["field_1"][0].clone();
        assert_eq!(file["name"], kept, "{name:?}");
        let got = read(&anon, &file);
        assert_eq!(got.status, 200, "{got}");
        let shown = got.header("content-disposition");
        assert!(shown.starts_with("attachment; filename=\"") && !shown.contains(['\r', '\n']));
        assert_eq!(got.header("x-evil"), "");
    }
    for kind in ["image/svg+xml", "text/xml", "application/x-shockwave-flash", "text/vbscript"] {
        let id = uploaded(&anon, &form, "a", kind, b"<svg onload=alert(1)>");
        let file = owner.post(form.entries(), values(json!([id]))).data()["field_1"][0].clone();
        assert_eq!(file["content_type"], kind);
        assert_eq!(read(&anon, &file).header("content-type"), "application/octet-stream");
    }
    // The files on the disk have none of these names.
    let plain = |path: &std::path::PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.len() == 64 && name.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    assert!(files_in(&_server.dir, "blobs").iter().all(plain));
}

#[test]
fn two_changes_at_once_lose_no_file() {
    let (server, owner, anon, form) = made();
    owner.post(form.entries(), values(json!([])));
    let ids: Vec<String> =
        (0..8).map(|i| uploaded(&anon, &form, &i.to_string(), TEXT, i.to_string().as_bytes())).collect();
    let (patcher, entry) = (&owner, form.entry(1));
    let entry = &entry;
    std::thread::scope(|scope| {
        for id in &ids {
            scope.spawn(move || {
                let changed = patcher.patch(entry, values(json!([id])));
                assert_eq!(changed.status, 200, "{changed}");
            });
        }
    });
    let left = owner.get(form.entry(1)).data()["field_1"].clone();
    assert_eq!(left.as_array().map(Vec::len), Some(1));
    let name = left[0]["name"].as_str().expect("a name");
    assert_eq!(read(&anon, &left[0]).text, name);
    assert!(server.run(&["jobs", "run-once"]).status.success());
    let kept = files_in(&server.dir, "blobs");
    assert_eq!(kept.len(), 1);
    assert_eq!(fs::read_to_string(&kept[0]).expect("text"), name);
}

#[test]
fn doctor_finds_what_is_missing_altered_or_nobodys() {
    let (server, owner, anon, form) = made();
    let ids = ["one", "two"].map(|text| uploaded(&anon, &form, text, TEXT, text.as_bytes()));
    owner.post(form.entries(), values(json!(ids)));
    let looked = |flags: &[&str]| {
        let args = [&["doctor", "--json"], flags].concat();
        let printed = server.run(&args);
        let found: Value = serde_json::from_slice(&printed.stdout).expect("JSON");
        let all = found.as_array().expect("checks").clone();
        let own = all.into_iter().find(|check| check["check"] == "files");
        let own = own.expect("a check of files");
        let text = |key: &str| own[key].as_str().expect("text").to_owned();
        let detail = own["detail"].as_str().map(|detail| format!(" ({detail})"));
        (text("state"), text("text") + &detail.unwrap_or_default())
    };
    assert_eq!(looked(&[]), ("OK".to_owned(), "every stored file is whole (2 files compared)".to_owned()));
    let stray = server.dir.join("blobs/00").join("0".repeat(64));
    fs::create_dir_all(stray.parent().expect("a folder")).expect("made");
    fs::write(&stray, "x").expect("written");
    let (state, text) = looked(&[]);
    assert_eq!(state, "WARN");
    assert!(text.starts_with("1 stored file is unused"), "{text}");
    assert!(stray.exists());
    looked(&["--fix"]);
    assert!(!stray.exists());
    let kept = files_in(&server.dir, "blobs");
    fs::write(&kept[0], "owt").expect("written");
    let (state, text) = looked(&[]);
    assert_eq!(state, "FAIL");
    assert!(text.starts_with("1 of 2 stored files missing or altered"), "{text}");
    let name = kept[0].file_name().and_then(|name| name.to_str()).expect("a name");
    assert!(text.contains(name), "{text}");
    fs::remove_file(&kept[0]).expect("removed");
    assert_eq!(looked(&["--fix"]).0, "FAIL");
    // An upload of the same content heals it.
    for text in ["one", "two"] {
        uploaded(&anon, &form, "again", TEXT, text.as_bytes());
    }
    assert_eq!(looked(&[]).0, "OK");
}
