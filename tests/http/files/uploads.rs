//! Preparing uploads and sending their files (contract section 6): every refusal, and the files left on the disk.

use std::fs;
use std::io::{Read as _, Write as _};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use support::sharing::share;
use support::uploads::{files_in, path_of, png, prepare, send, uploaded};
use support::{Server, field, raw, until};

fn attachments(own: Value) -> Value {
    json!([field("attachment", own)])
}

#[test]
fn an_image_of_a_form_is_prepared() {
    let server = Server::shared();
    let owner = server.token(&server.user().email, "form:read");
    let body = json!({
        "purpose": "header_image", "file_name": "a.png", "content_type": "image/png", "file_size": 5 << 20,
    });
    let made = owner.post("/api/v1/attachments", body.clone());
    assert_eq!(made.status, 201, "{made}");
    let data = made.data();
    let keys: Vec<&String> = data.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["upload_id", "upload_url", "expires_at", "purpose"]);
    let id = data["upload_id"].as_str().expect("an id");
    let url = data["upload_url"].as_str().expect("an address");
    assert!(url.starts_with(&format!("{}/uploads/{id}?signature=", owner.base)));
    for purpose in [
        "wallpaper_image",
        "rich_text_image",
        "choice_image",
        "product_image",
        "booking_image",
        "opensearch_header_image",
        "organization_logo",
    ] {
        let mut body = body.clone();
        body["purpose"] = json!(purpose);
        let made = owner.post("/api/v1/attachments", body).data();
        assert_eq!(made["purpose"], purpose);
    }
}

#[test]
fn all_faults_of_an_image_are_told_at_once() {
    let owner = Server::shared().user();
    let types = "content_type: must be one of image/jpeg, image/png, image/webp, image/gif";
    let purposes = "purpose: must be one of header_image, wallpaper_image, rich_text_image, \
                    choice_image, product_image, booking_image, opensearch_header_image, \
                    organization_logo";
    let size = "file_size: must be 1 to 5242880";
    for (body, faults) in [
        (
            json!({}),
            vec![
                "purpose: is required",
                "file_name: can't be blank",
                "content_type: is required",
                "file_size: is required",
            ],
        ),
        (
            json!({"purpose": "avatar", "file_name": "..", "content_type": "text/html", "file_size": (5 << 20) + 1}),
            vec![purposes, "file_name: is not the name of a file", types, size],
        ),
        (
            json!({"purpose": 1, "file_name": "x".repeat(256), "content_type": "image/svg+xml", "file_size": 0}),
            vec![purposes, "file_name: is too long (at most 255 characters)", types, size],
        ),
        (
            json!({"purpose": "header_image", "file_name": 5, "content_type": null, "file_size": "5"}),
            vec!["file_name: must be a string", "content_type: is required", "file_size: must be a whole number"],
        ),
    ] {
        let refused = owner.post("/api/v1/attachments", body.clone());
        assert_eq!(refused.status, 422, "{body}");
        assert_eq!(refused.faults(), faults, "{body}");
    }
}

#[test]
fn a_file_of_an_answer_is_prepared_by_anybody() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([
        field("attachment", json!({})),
        field("table", json!({"dimensions": [field("attachment", json!({}))]})),
    ]));
    let at = format!("{}/entry_attachments", form.published());
    let no_scope = server.token(&owner.email, "integration:read");
    for caller in [&server.anon(), &no_scope] {
        let made = prepare(caller, &form, "a.txt", "text/plain", 5);
        assert_eq!(made.status, 201, "{made}");
        let data = made.data();
        let keys: Vec<&String> = data.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["upload_id", "upload_url", "expires_at", "field_api_code"]);
        let id = data["upload_id"].as_str().expect("an id");
        let parts: Vec<&str> = id.split('.').collect();
        assert_eq!((parts.len(), parts[0], parts[1]), (3, form.token.as_str(), "field_1"));
        let body = json!({
            "field_api_code": "field_2", "dimension_api_code": "field_1", "file_name": "a.txt",
            "content_type": "text/plain", "file_size": 5,
        });
        let made = caller.post(&at, body).data();
        assert_eq!(made["dimension_api_code"], "field_1");
        let id = made["upload_id"].as_str().expect("an id").to_owned();
        assert!(id.starts_with(&format!("{}.field_2.field_1.", form.token)), "{id}");
    }
}

#[test]
fn all_faults_of_a_file_are_told_at_once() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([
        field("attachment", json!({"max_size": 2, "media_type": "image"})),
        field("short_text", json!({})),
        field("attachment", json!({"hidden": true})),
        field("table", json!({"dimensions": [field("attachment", json!({})), field("number", json!({}))]})),
        field("audio", json!({})),
    ]));
    let unknown = "field_api_code: is not an attachment field of this form";
    let column = "dimension_api_code: is not an attachment column of this field";
    let size = "file_size: must be 1 to 2097152";
    for (body, faults) in [
        (
            json!({}),
            vec![
                "field_api_code: can't be blank",
                "file_name: can't be blank",
                "content_type: can't be blank",
                "file_size: is required",
            ],
        ),
        (
            json!({"field_api_code": "field_1", "file_name": "a", "content_type": "TEXT/HTML; charset=x", "file_size": (2 << 20) + 1}),
            vec!["content_type: is not allowed", size],
        ),
        (
            json!({"field_api_code": "field_1", "file_name": "a", "content_type": "image/svg+xml", "file_size": -1}),
            vec!["content_type: is not accepted by this field", size],
        ),
        (
            json!({"field_api_code": "field_1", "dimension_api_code": "field_1", "file_name": "a", "content_type": "png", "file_size": 1}),
            vec![
                "dimension_api_code: is not a column of this field",
                "content_type: must be a content type such as image/png",
            ],
        ),
        (json!({"field_api_code": "field_2", "file_name": "a", "content_type": "a/b", "file_size": 1}), vec![unknown]),
        (json!({"field_api_code": "field_3", "file_name": "a", "content_type": "a/b", "file_size": 1}), vec![unknown]),
        (json!({"field_api_code": "field_5", "file_name": "a", "content_type": "a/b", "file_size": 1}), vec![unknown]),
        (json!({"field_api_code": "field_9", "file_name": "a", "content_type": "a/b", "file_size": 1}), vec![unknown]),
        (
            json!({"field_api_code": "field_4", "file_name": "a", "content_type": "a/b", "file_size": 1}),
            vec!["dimension_api_code: is required"],
        ),
        (
            json!({"field_api_code": "field_4", "dimension_api_code": "field_2", "file_name": "a", "content_type": "a/b", "file_size": 1}),
            vec![column],
        ),
        (
            json!({"field_api_code": "field_4", "dimension_api_code": "field_9", "file_name": "a", "content_type": "a/b", "file_size": 1}),
            vec![column],
        ),
    ] {
        let refused = server.anon().post(format!("{}/entry_attachments", form.published()), body.clone());
        assert_eq!(refused.status, 422, "{body}: {refused}");
        assert_eq!(refused.faults(), faults, "{body}");
    }
}

#[test]
fn a_field_takes_the_files_that_it_says() {
    let server = Server::shared();
    let owner = server.user();
    let custom = json!({"media_type": "custom", "content_types": ["image/*", "application/zip"]});
    for (own, kind, status) in [
        (json!({}), "image/svg+xml", 201),
        (json!({}), "application/x-unheard-of", 201),
        (json!({}), " text/css", 422),
        (json!({}), "text/javascript", 422),
        (json!({}), "application/JavaScript", 422),
        (json!({}), "application/xhtml+xml", 422),
        (json!({}), "application/x-httpd-php", 422),
        (json!({"media_type": "image"}), "IMAGE/PNG", 201),
        (json!({"media_type": "image"}), "application/pdf", 422),
        (json!({"media_type": "video"}), "video/mp4", 201),
        (json!({"media_type": "audio"}), "video/mp4", 422),
        (json!({"media_type": "document"}), "application/pdf", 201),
        (json!({"media_type": "document"}), "image/png", 422),
        (custom.clone(), "image/webp", 201),
        (custom.clone(), "image/svg+xml", 422),
        (custom.clone(), "application/zip", 201),
        (custom, "application/x-zip", 422),
    ] {
        let form = owner.form(attachments(own.clone()));
        let made = prepare(&server.anon(), &form, "a", kind, 1);
        assert_eq!(made.status, status, "{own} {kind}: {made}");
    }
}

#[test]
fn a_form_that_takes_no_submissions_takes_no_files() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(attachments(json!({})));
    let settings = format!("{}/settings", form.path());
    let closed = json!({"availability": {"manually_closed": true}});
    assert_eq!(owner.patch(&settings, closed).status, 200);
    let refused = prepare(&anon, &form, "a", "a/b", 1);
    assert_eq!((refused.status, &refused.json()["code"]), (403, &json!("form_closed")));
    let locked = json!({
        "availability": {"manually_closed": false},
        "access_control": {"access_password": "sesame"},
    });
    assert_eq!(owner.patch(&settings, locked).status, 200);
    let refused = prepare(&anon, &form, "a", "a/b", 1);
    assert_eq!((refused.status, &refused.json()["code"]), (403, &json!("password_required")));
    let wrong = prepare(&anon.header("X-Form-Password", "no"), &form, "a", "a/b", 1);
    assert_eq!((wrong.status, &wrong.json()["code"]), (403, &json!("password_invalid")));
    let right = prepare(&anon.header("X-Form-Password", "sesame"), &form, "a", "a/b", 1);
    assert_eq!(right.status, 201, "{right}");
    let unknown = anon.post("/api/v1/f/AAAAAAAAAA/entry_attachments", json!({}));
    assert_eq!(unknown.status, 404);
    let unpublished = owner.patch(form.path(), json!({"published": false}));
    assert_eq!(unpublished.status, 200);
    assert_eq!(prepare(&anon, &form, "a", "a/b", 1).status, 404);
}

#[test]
fn editors_send_files_to_any_form_and_hidden_question() {
    let server = Server::shared();
    let (owner, editor, viewer) = (server.user(), server.user(), server.user());
    let hidden = json!({"hidden": true});
    let columns = json!({"dimensions": [field("attachment", hidden.clone()), field("short_text", json!({}))]});
    let form =
        owner.form(json!([field("attachment", hidden), field("table", columns), field("short_text", json!({}))]));
    share(&owner, &form, &editor, "editor");
    share(&owner, &form, &viewer, "viewer");
    let reads = server.token(&owner.email, "form:read form:write entry:read form:respond");
    let entry = owner.post(form.entries(), json!({"field_values": {}})).is(201);
    assert_eq!(entry.data()["field_1"], json!([]));
    let settings = json!({
        "availability": {"manually_closed": true},
        "access_control": {"access_password": "sesame"},
    });
    assert_eq!(owner.patch(format!("{}/settings", form.path()), settings).status, 200);
    let column = json!({
        "field_api_code": "field_2", "dimension_api_code": "field_1",
        "file_name": "a", "content_type": "a/b", "file_size": 1,
    });
    let path = format!("/api/v1/f/{}/entry_attachments", form.token);
    for is_published in [true, false] {
        assert_eq!(owner.patch(form.path(), json!({ "published": is_published })).status, 200);
        for caller in [&owner, &editor] {
            let file = uploaded(caller, &form, "a", "a/b", b"x");
            let cell = caller.post(&path, column.clone()).is(201).data();
            assert_eq!(send(caller, &cell, "a/b", b"y").status, 200);
            let values = json!({"field_1": [file], "field_2": [{"field_1": [cell["upload_id"]]}]});
            let changed = caller.patch(form.entry(1), json!({ "field_values": values })).is(200).data();
            assert_eq!(changed["field_1"][0]["name"], "a");
            assert_eq!(changed["field_2"][0]["field_1"][0]["name"], "a");
            assert_eq!(prepare(caller, &form, "a", "text/html", 1).status, 422);
        }
        for caller in [&viewer, &reads, &server.anon(), &server.user()] {
            let refused = prepare(caller, &form, "a", "a/b", 1);
            if is_published {
                assert_eq!((refused.status, &refused.json()["code"]), (403, &json!("password_required")));
            } else {
                assert_eq!(refused.status, 404, "{refused}");
            }
        }
    }
    assert_eq!(owner.delete(form.path()).status, 200);
    assert_eq!(prepare(&owner, &form, "a", "a/b", 1).status, 404);
}

#[test]
fn a_file_is_sent_once() {
    let server = Server::alone("its data dir is looked at");
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(attachments(json!({})));
    let prepared = prepare(&anon, &form, "a.txt", "text/plain", 3).data();
    let sent = send(&anon, &prepared, "text/plain", b"abc");
    assert_eq!(sent.status, 200, "{sent}");
    let sha = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(sent.data(), json!({"upload_id": prepared["upload_id"], "file_size": 3, "sha256": sha}));
    let again = send(&anon, &prepared, "text/plain", b"abc");
    assert_eq!(again.to_string(), r#"410 {"error":"This upload has already been used"}"#);
    // Equal content lies there once, for nobody else to read.
    uploaded(&anon, &form, "b.txt", "text/plain", b"abc");
    let kept = files_in(&server.dir, "blobs");
    assert_eq!(kept.len(), 1);
    assert!(kept[0].ends_with(format!("ba/{sha}")), "{kept:?}");
    let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(&kept[0]).expect("a file"));
    assert_eq!(mode & 0o777, 0o600);
    assert!(files_in(&server.dir, "tmp").is_empty());
}

#[test]
fn pages_of_other_origins_send_files_too() {
    let server = Server::shared();
    let form = server.user().form(attachments(json!({})));
    let elsewhere = server.anon().header("Origin", "https://elsewhere.example");
    let prepared = prepare(&elsewhere, &form, "a", "application/pdf", 3);
    assert_eq!(prepared.header("access-control-allow-origin"), "*");
    let prepared = prepared.data();
    let url = prepared["upload_url"].as_str().expect("an address");
    let preflight = elsewhere
        .header("Access-Control-Request-Method", "PUT")
        .header("Access-Control-Request-Headers", "content-type")
        .send("OPTIONS", path_of(&elsewhere, url), None, b"");
    assert_eq!((preflight.status, preflight.text.as_str()), (204, ""));
    assert_eq!(preflight.header("access-control-allow-origin"), "*");
    let allowed = preflight.header("access-control-allow-methods");
    assert_eq!(allowed, "PUT, OPTIONS");
    let headers = preflight.header("access-control-allow-headers");
    assert!(headers.contains("Content-Type"), "{headers}");
    let short = send(&elsewhere, &prepared, "application/pdf", b"%P");
    let sent = send(&elsewhere, &prepared, "application/pdf", b"%PD");
    let again = send(&elsewhere, &prepared, "application/pdf", b"%PD");
    for (answer, status) in [(short, 422), (sent, 200), (again, 410)] {
        assert_eq!(answer.status, status, "{answer}");
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        assert_eq!(answer.header("access-control-allow-credentials"), "");
        let csp = answer.header("content-security-policy");
        assert!(csp.ends_with("; sandbox"), "{csp}");
    }
}

#[test]
fn what_was_not_said_is_refused_and_may_be_sent_again() {
    let server = Server::alone("its data dir is looked at");
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(attachments(json!({})));
    let prepared = prepare(&anon, &form, "a.txt", "text/plain", 5).data();
    for (kind, bytes, status) in [
        ("text/csv", &b"abcde"[..], 415),
        ("text/plain", b"abcdef", 413),
        ("text/plain", b"abcd", 422),
        ("text/plain", b"", 422),
    ] {
        let refused = send(&anon, &prepared, kind, bytes);
        assert_eq!(refused.status, status, "{kind} {bytes:?}: {refused}");
    }
    let url = prepared["upload_url"].as_str().expect("an address");
    let path = path_of(&anon, url);
    assert_eq!(anon.send("PUT", path, None, b"").status, 415);
    // Nothing is unpacked (S6).
    for coding in ["gzip", "br", "identity, gzip", "x"] {
        let encoded = anon.header("Content-Encoding", coding);
        let refused = send(&encoded, &prepared, "text/plain", b"abcde");
        assert_eq!(refused.status, 415, "{coding}: {refused}");
    }
    let encoded = anon.header("Content-Encoding", "identity").header("Content-Encoding", "gzip");
    assert_eq!(send(&encoded, &prepared, "text/plain", b"abcde").status, 415);
    let doubled = anon.header("Content-Type", "text/plain");
    assert_eq!(send(&doubled, &prepared, "text/plain", b"abcde").status, 400);
    // Cut off where no length was announced.
    let chunked = format!(
        "PUT {path} HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nConnection: close\r\n\
         Transfer-Encoding: chunked\r\n\r\n6\r\nabcdef\r\n0\r\n\r\n"
    );
    let answer = raw::exchange(&anon.base, chunked.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    // Broken off: nothing is left.
    let mut socket = raw::connect(&anon.base);
    let head = format!("PUT {path} HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nab");
    socket.write_all(head.as_bytes()).expect("sent");
    until("it begins", || files_in(&server.dir, "tmp").len() == 1);
    let beside = send(&anon, &prepared, "text/plain", b"abcde");
    assert_eq!((beside.status, &beside.json()["code"]), (409, &json!("upload_in_progress")));
    drop(socket);
    until("it is gone", || files_in(&server.dir, "tmp").is_empty());
    assert!(files_in(&server.dir, "blobs").is_empty());
    let plain = anon.header("Content-Encoding", "identity");
    assert_eq!(send(&plain, &prepared, "Text/Plain", b"abcde").status, 200);
    assert_eq!(files_in(&server.dir, "blobs").len(), 1);
}

#[test]
fn a_signature_opens_its_own_upload_alone() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(attachments(json!({})));
    let one = prepare(&anon, &form, "a", "a/b", 3).data();
    let other = prepare(&anon, &form, "a", "a/b", 3).data();
    let url = one["upload_url"].as_str().expect("an address");
    let path = path_of(&anon, url).to_owned();
    let (plain, signature) = path.split_once("?signature=").expect("signed");
    let others = other["upload_url"].as_str().expect("an address");
    let others = others.split_once("?signature=").expect("signed").1;
    let flipped = |at: usize| {
        let mut bytes = signature.as_bytes().to_vec();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        String::from_utf8(bytes).expect("text")
    };
    for altered in [
        String::new(),
        flipped(0),
        flipped(signature.len() / 2),
        format!("{signature}A"),
        signature[1..].to_owned(),
        others.to_owned(),
    ] {
        let refused = anon.send("PUT", &format!("{plain}?signature={altered}"), Some("a/b"), b"abc");
        assert_eq!(
            refused.to_string(),
            r#"403 {"error":"This upload address has expired or was changed: prepare the upload again"}"#,
            "{altered}"
        );
    }
    assert_eq!(anon.send("PUT", plain, Some("a/b"), b"abc").status, 403);
    let unknown = anon.send("PUT", &format!("/uploads/x?signature={signature}"), Some("a/b"), b"abc");
    assert_eq!(unknown.status, 403);
    assert_eq!(anon.send("PUT", &path, Some("a/b"), b"abc").status, 200);
}

#[test]
fn of_many_that_send_at_once_one_succeeds() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(attachments(json!({})));
    let bytes = vec![7; 1 << 20];
    let prepared = prepare(&anon, &form, "a", "a/b", bytes.len()).data();
    let statuses: Vec<u16> = thread::scope(|scope| {
        let senders: Vec<_> = (0..8).map(|_| scope.spawn(|| send(&anon, &prepared, "a/b", &bytes).status)).collect();
        let joined = senders.into_iter();
        joined.map(|sender| sender.join().expect("no panic")).collect()
    });
    let won = statuses.iter().filter(|status| **status == 200).count();
    let refused = statuses.iter().filter(|status| [409, 410].contains(*status)).count();
    assert_eq!((won, refused), (1, 7), "{statuses:?}");
}

#[test]
fn images_are_what_they_say() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(attachments(json!({})));
    let page = b"<html><script>alert(1)</script></html>".to_vec();
    let polyglot = b"GIF89a/*\x01\x00\x01\x00*/=1;alert(1)".to_vec();
    for (kind, bytes, status) in [
        ("image/png", png(20, 10), 200),
        ("image/gif", polyglot.clone(), 200),
        ("image/png", page.clone(), 422),
        ("image/jpeg", page.clone(), 422),
        ("image/webp", page.clone(), 422),
        ("image/gif", page, 422),
        ("image/png", polyglot, 422),
        ("image/jpeg", png(20, 10), 422),
        ("image/png", png(50_000, 50_000), 422),
        ("image/png", png(16_385, 1), 422),
        ("image/png", b"\x89PNG\r\n\x1a\n".to_vec(), 422),
    ] {
        let prepared = prepare(&anon, &form, "a.png", kind, bytes.len()).data();
        let sent = send(&anon, &prepared, kind, &bytes);
        assert_eq!(sent.status, status, "{kind}: {sent}");
    }
    // A public image has fewer pixels.
    for (width, height, status) in [(8_000, 5_000, 200), (8_000, 5_001, 422)] {
        let bytes = png(width, height);
        let body = json!({
            "purpose": "choice_image", "file_name": "a.png", "content_type": "image/png",
            "file_size": bytes.len(),
        });
        let prepared = owner.post("/api/v1/attachments", body).data();
        assert_eq!(send(&anon, &prepared, "image/png", &bytes).status, status);
    }
}

#[test]
fn a_slow_one_holds_no_others_up() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(attachments(json!({})));
    let mut slow = Vec::new();
    for _ in 0..100 {
        let prepared = prepare(&anon, &form, "a", "a/b", 100_000).data();
        let url = prepared["upload_url"].as_str().expect("an address");
        let head = format!(
            "PUT {} HTTP/1.1\r\nHost: a\r\nContent-Type: a/b\r\nContent-Length: 100000\r\n\r\nab",
            path_of(&anon, url)
        );
        let mut socket = raw::connect(&anon.base);
        socket.write_all(head.as_bytes()).expect("sent");
        slow.push(socket);
    }
    uploaded(&anon, &form, "a", "a/b", &vec![1; 1 << 20]);
    // The slow uploads go on where they were.
    let mut socket = slow.pop().expect("one");
    thread::sleep(Duration::from_millis(50));
    socket.write_all(&[b'x'; 99_998]).expect("sent");
    let mut answer = [0; 12];
    socket.read_exact(&mut answer).expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 200");
}

#[test]
fn a_network_has_so_many_open() {
    let server = Server::alone("uploads of a network are counted");
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(attachments(json!({})));
    for _ in 0..300 {
        assert_eq!(prepare(&anon, &form, "a", "a/b", 1).status, 201);
    }
    let refused = prepare(&anon, &form, "a", "a/b", 1);
    assert_eq!(refused.status, 429);
    assert_ne!(refused.header("retry-after"), "");
}

#[test]
fn a_network_brings_so_much_in_an_hour() {
    let server = Server::with(&["--trusted-proxies", "127.0.0.0/8", "--max-upload-mb", "1024"]);
    let owner = server.user();
    let form = owner.form(attachments(json!({"max_size": 1024})));
    let from = |address: &str| server.anon().header("X-Forwarded-For", address);
    let gigabyte = 1 << 30;
    // As far as the disk has room for twice that.
    for _ in 0..2 {
        let made = prepare(&from("192.0.2.1"), &form, "a", "a/b", gigabyte);
        assert!([201, 503].contains(&made.status), "{made}");
        if made.status == 503 {
            return;
        }
    }
    assert_eq!(prepare(&from("192.0.2.1"), &form, "a", "a/b", 1).status, 429);
    let other = prepare(&from("198.51.100.1"), &form, "a", "a/b", 1);
    assert_eq!(other.status, 201, "{other}");
}

#[test]
fn too_little_room_refuses_what_comes_in_and_shows_what_is_there() {
    let server = Server::with(&["--min-free-mb", "1048576"]);
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(attachments(json!({})));
    let image = json!({
        "purpose": "header_image", "file_name": "a.png", "content_type": "image/png", "file_size": 5,
    });
    for refused in [
        prepare(&anon, &form, "a", "a/b", 1),
        owner.post("/api/v1/attachments", image),
        anon.post(form.submissions(), json!({"field_values": {}})),
    ] {
        let said = r#"503 {"error":"Service unavailable: there is too little free space on the disk"}"#;
        assert_eq!(refused.to_string(), said);
        assert_eq!(refused.header("retry-after"), "60");
    }
    assert_eq!(anon.get(form.published()).status, 200);
    assert_eq!(owner.get(form.entries()).status, 200);
}

#[test]
fn what_a_crash_left_is_swept() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::over(dir.path(), &["--rate-limits", "off"]);
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(attachments(json!({})));
    uploaded(&anon, &form, "a", "a/b", b"kept");
    let prepared = prepare(&anon, &form, "a", "a/b", 100).data();
    let url = prepared["upload_url"].as_str().expect("an address");
    let mut socket = raw::connect(&anon.base);
    let head = format!(
        "PUT {} HTTP/1.1\r\nHost: a\r\nContent-Type: a/b\r\nContent-Length: 100\r\n\r\nab",
        path_of(&anon, url)
    );
    socket.write_all(head.as_bytes()).expect("sent");
    until("it begins", || files_in(dir.path(), "tmp").len() == 1);
    server.kill();
    drop(server);
    let unknown = dir.path().join("blobs/00").join("0".repeat(64));
    fs::create_dir_all(unknown.parent().expect("a folder")).expect("made");
    fs::write(&unknown, "x").expect("written");
    let server = Server::over(dir.path(), &["--rate-limits", "off"]);
    assert!(files_in(dir.path(), "tmp").is_empty());
    until("the unknown file is gone", || !unknown.exists());
    assert_eq!(files_in(dir.path(), "blobs").len(), 1);
    let anon = server.anon();
    let path = url.rsplit_once("/uploads/").expect("an address").1;
    let again = anon.send("PUT", &format!("/uploads/{path}"), Some("a/b"), &[1; 100]);
    assert_eq!(again.status, 200, "{again}");
}
