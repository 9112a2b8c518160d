//! The answer to every kind of failure, in one snapshot; errors tell nothing they should not.

use std::io::Write as _;

use serde_json::{Value, json};
use support::steps;
use support::store::database;
use support::uploads::{files_in, path_of, prepare, send as send_file, uploaded};
use support::{Caller, Response, Server, field, raw, until};

/// The headers that belong to some errors alone.
const TELLING: &[&str] = &["www-authenticate", "allow", "retry-after"];

/// Requests and their answers, with the headers that matter.
struct Log(String);

impl Log {
    fn note(&mut self, what: &str, answer: &Response) {
        let body: Value = answer.json();
        let error = body["error"].as_str().unwrap_or_default();
        assert!(!error.is_empty(), "{what}: {answer}");
        assert!(
            body.as_object()
                .expect("an object")
                .keys()
                .all(|key| ["error", "code", "error_details"].contains(&key.as_str())),
            "{what}: {answer}"
        );
        assert_eq!(answer.header("content-type"), "application/json", "{what}");
        assert_eq!(
            answer.status == 401,
            !answer.header("www-authenticate").is_empty() && answer.status != 403,
            "{what}"
        );
        self.0.push_str(&format!("{what}\n  {answer}\n"));
        for name in TELLING {
            let mut value = answer.header(name);
            // Until the next request may come: that is less on a slow machine.
            if answer.status == 429 && value.parse::<u32>().is_ok() {
                value = "[seconds]";
            }
            if !value.is_empty() {
                self.0.push_str(&format!("  {name}: {value}\n"));
            }
        }
    }
}

fn send(caller: &Caller, method: &str, path: &str, kind: &str, body: &[u8]) -> Response {
    caller.send(method, path, (!kind.is_empty()).then_some(kind), body)
}

#[test]
fn every_error_has_its_shape() {
    let server = Server::shared();
    let owner = server.user();
    let anon = server.anon();
    let form = owner.form(json!([field("short_text", json!({"unique": true}))]));
    let values = |text: &str| json!({"field_values": {"field_1": text}});
    assert_eq!(owner.post(form.entries(), values("a")).status, 201);
    let settings = format!("{}/settings", form.path());
    let set = |group: Value| assert_eq!(owner.patch(&settings, group).status, 200);
    let json_type = "application/json";
    let mut log = Log(String::new());

    let sort = owner.get("/api/v1/forms?sort=name");
    log.note("an unknown sort", &sort);
    log.note("a page of nothing", &owner.get("/api/v1/forms?page_size=0"));
    log.note("a garbled cursor", &owner.get("/api/v1/forms?cursor=x"));
    let odd = owner.header("If-Match", "x").patch(form.path(), json!({}));
    log.note("an odd If-Match", &odd);
    let blank = owner.header("Idempotency-Key", "a b").post(form.entries(), values("b"));
    log.note("an odd Idempotency-Key", &blank);
    for (what, body) in [
        ("no JSON", &b"{"[..]),
        ("an empty body", b""),
        ("a key twice", br#"{"name":1,"name":2}"#),
        ("a lone surrogate", br#"{"name":"\ud800"}"#),
        ("a number beyond all", b"1e999"),
        ("bytes that are no UTF-8", b"\"\xff\""),
    ] {
        log.note(what, &send(&owner, "POST", "/api/v1/forms", json_type, body));
    }
    let twice = owner.header("Authorization", "Bearer x").get("/api/v1/me");
    log.note("two Authorization headers", &twice);

    log.note("no token", &anon.get("/api/v1/me"));
    log.note("another scheme", &anon.header("Authorization", "Basic YTpi").get("/api/v1/me"));
    log.note("a token that is none", &anon.with_token("fsv_x").get("/api/v1/me"));
    log.note("the same where nobody needs one", &anon.with_token("fsv_x").get(form.published()));

    let reader = server.token(&owner.email, "form:read");
    log.note("a scope too few", &reader.patch(form.path(), json!({})));
    set(json!({"access_control": {"access_password": "sesame"}}));
    log.note("no password", &anon.get(form.published()));
    log.note("a wrong password", &anon.header("X-Form-Password", "x").get(form.published()));
    set(json!({"access_control": null, "availability": {"manually_closed": true}}));
    log.note("a closed form", &anon.post(form.submissions(), values("c")));
    set(json!({"availability": {"manually_closed": false, "schedule": {"start_at": "2100-01-01T00:00:00Z"}}}));
    log.note("a form not yet open", &anon.post(form.submissions(), values("c")));
    set(json!({"availability": {"schedule": null, "entries_limit": 2}}));
    assert_eq!(anon.post(form.submissions(), values("b")).status, 201);
    log.note("a full form", &anon.post(form.submissions(), values("c")));
    set(json!({"availability": null}));

    log.note("an unknown path", &owner.get("/api/v1/nothing"));
    log.note("an unknown form", &owner.get("/api/v1/forms/AAAAAAAAAA"));
    log.note("an unknown entry", &owner.get(form.entry(99)));
    log.note("an unknown folder", &owner.get("/api/v1/forms?folder_token=AAAAAAAAAA"));
    log.note("another method", &owner.put(form.entries(), json!({})));

    let once = owner.header("Idempotency-Key", "key");
    assert_eq!(once.post(form.entries(), values("d")).status, 201);
    log.note("a key used twice", &once.post(form.entries(), values("e")));
    let late = owner.header("If-Match", "\"x\"").patch(form.path(), json!({}));
    log.note("a version that is gone", &late);
    let big = vec![b' '; (1 << 20) + 1];
    log.note("a large body", &send(&owner, "POST", "/api/v1/forms", json_type, &big));
    log.note("another type", &send(&owner, "POST", "/api/v1/forms", "text/plain", b"{}"));
    log.note("no type", &send(&owner, "POST", "/api/v1/forms", "", b"{}"));
    let latin = "application/json; charset=latin1";
    log.note("another charset", &send(&owner, "POST", "/api/v1/forms", latin, b"{}"));
    let packed = owner.header("Content-Encoding", "gzip");
    log.note("a compressed body", &packed.post("/api/v1/forms", json!({})));

    log.note("no object", &owner.post("/api/v1/forms", json!([])));
    log.note("what is missing", &owner.post("/api/v1/forms", json!({})));
    log.note("a value taken", &anon.post(form.submissions(), values("A")));
    let edit = json!({"fields": [{"type": "number", "label": "n"}]});
    log.note("a loss of data", &owner.patch(form.path(), edit));
    insta::assert_snapshot!("errors", log.0);
}

/// Ways to fail that need a server, files or an answer of their own.
#[test]
fn rarer_errors_have_their_shape_too() {
    let server = Server::alone("its data dir is looked at");
    let (owner, anon) = (server.user(), server.anon());
    let mut log = Log(String::new());

    let form = owner.form(json!([field("attachment", json!({}))]));
    let submit = |id: &str| anon.post(form.submissions(), json!({"field_values": {"field_1": [{"upload_id": id}]}}));
    let id = |prepared: &Value| prepared["upload_id"].as_str().expect("an id").to_owned();
    let prepared = || prepare(&anon, &form, "a", "a/b", 1).data();
    let coming = prepared();
    log.note("an unknown upload", &submit("AAAAAAAAAAAAAAAAAAAAAA"));
    log.note("an upload without its file", &submit(&id(&coming)));
    let mut socket = raw::connect(&anon.base);
    let path = path_of(&anon, coming["upload_url"].as_str().expect("an address"));
    let head = format!("PUT {path} HTTP/1.1\r\nHost: a\r\nContent-Type: a/b\r\nContent-Length: 1\r\n\r\n");
    socket.write_all(head.as_bytes()).expect("sent");
    until("it begins", || files_in(&server.dir, "tmp").len() == 1);
    log.note("two files at once", &send_file(&anon, &coming, "a/b", b"x"));
    drop(socket);
    let used = uploaded(&anon, &form, "a", "a/b", b"x");
    assert_eq!(submit(&used).status, 201);
    log.note("a used upload", &submit(&used));
    let late = prepared();
    let moved = database(&server.dir)
        .execute("UPDATE uploads SET expires_at = 0 WHERE token = ?1", [id(&late)])
        .expect("written");
    assert_eq!(moved, 1);
    log.note("an upload that is too late", &submit(&id(&late)));
    let theme = owner.post(
        "/api/v1/attachments",
        json!({"purpose": "choice_image", "file_name": "a.png", "content_type": "image/png", "file_size": 1}),
    );
    log.note("an upload for something else", &submit(&id(&theme.data())));
    let sent = prepared();
    assert_eq!(send_file(&anon, &sent, "a/b", b"x").status, 200);
    log.note("a file sent again", &send_file(&anon, &sent, "a/b", b"x"));

    let single = owner.form(json!([field("short_text", json!({}))]));
    let bulk = json!({"serial_numbers": [9], "field_values": {"field_1": "a"}, "expected_total": 0});
    let job = owner.post(format!("{}/bulk_update", single.entries()), bulk).data();
    let undo = format!("{}/jobs/{}/undo", single.path(), job["id"].as_str().expect("an id"));
    log.note("a job that can't be undone", &owner.post(undo, json!({})));
    let settings = format!("{}/settings", single.path());
    let options = json!({"submission_options": {"one_per_respondent": "account"}});
    assert_eq!(owner.patch(settings, options).status, 200);
    let answer = || owner.post(single.submissions(), json!({"field_values": {"field_1": "a"}}));
    assert_eq!(answer().status, 201);
    log.note("a second answer", &answer());

    let choices = json!([{"api_code": "a", "label": "A", "quota": 0}]);
    let goods = json!([{"api_code": "tea", "name": "Tea", "price": 3, "stock": 2}]);
    let few = owner
        .form(json!([field("radio", json!({"choices": choices})), field("product", json!({"goods_items": goods})),]));
    let submit = |values: Value| {
        let anon = Caller::new(&owner.base, None, "");
        anon.post(few.submissions(), json!({ "field_values": values }))
    };
    log.note("a full choice", &submit(json!({"field_1": "a"})));
    let order = json!({"field_2": [{"api_code": "tea", "number": 3}]});
    log.note("too little in stock", &submit(order));
    steps::set(&owner, &few, json!({"capacity": {"hold_minutes": 5, "waiting_list": true}}));
    let order = json!({"field_values": {"field_2": [{"api_code": "tea", "number": 2}]}});
    log.note("too much for a hold", &anon.post(format!("{}/holds", few.published()), order));
    let waits = || anon.post(few.submissions(), json!({"field_values": {"field_1": "a"}, "waiting_list": true}));
    for _ in 0..20 {
        assert_eq!(waits().status, 201);
    }
    log.note("too many who wait", &waits());

    let limited = Server::with(&["--limit-api", "1"]);
    let caller = limited.user();
    assert_eq!(caller.get("/api/v1/me").status, 200);
    log.note("too many requests", &caller.get("/api/v1/me"));
    let full = Server::with(&["--min-free-mb", "1048576", "--rate-limits", "off"]);
    let caller = full.user();
    let form = caller.form(json!([field("short_text", json!({}))]));
    let values = json!({"field_values": {"field_1": "a"}});
    log.note("a full disk", &full.anon().post(form.submissions(), values));
    let broken = Server::alone("its data dir is looked at");
    let caller = broken.user();
    database(&broken.dir).execute_batch("DROP TABLE folders").expect("dropped");
    log.note("a fault of the service", &caller.get("/api/v1/folders"));
    insta::assert_snapshot!("rarer_errors", log.0);
}

/// Every code and status of the contract is in one of the snapshots, except for those that no route answers yet.
#[test]
fn the_snapshots_hold_every_code_and_status() {
    let all = [
        include_str!("snapshots/http__api__errors__errors.snap"),
        include_str!("snapshots/http__api__errors__rarer_errors.snap"),
    ]
    .concat();
    let document = Server::shared().anon().get("/api/v1/openapi.json").json();
    let schema = document.pointer("/components/schemas/Error/properties/code/enum");
    let codes = schema.and_then(Value::as_array).expect("the codes");
    let later = ["plan_required"];
    for code in codes.iter().filter_map(Value::as_str) {
        let is_there = all.contains(&format!("\"code\":\"{code}\""));
        assert_eq!(is_there, !later.contains(&code), "{code}");
    }
    for status in [400, 401, 403, 404, 405, 409, 410, 412, 413, 415, 422, 429, 500, 503] {
        assert!(all.contains(&format!("\n  {status} {{")), "{status}");
    }
}

#[test]
fn a_path_is_known_before_a_caller_and_a_caller_before_the_body() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("short_text", json!({}))]));
    let reader = server.token(&owner.email, "form:read");
    let status = |caller: &Caller, method: &str, path: &str, kind: &str, body: &[u8]| {
        send(caller, method, path, kind, body).status
    };
    let unknown = "/api/v1/forms/AAAAAAAAAA";
    assert_eq!(status(&anon, "PUT", "/api/v1/nothing", "", b""), 404);
    assert_eq!(status(&anon, "PUT", &form.entries(), "", b""), 405);
    assert_eq!(status(&anon, "PATCH", unknown, "text/plain", b"{"), 401);
    assert_eq!(status(&reader, "PATCH", unknown, "text/plain", b"{"), 403);
    assert_eq!(status(&owner, "PATCH", unknown, "text/plain", b"{"), 415);
    assert_eq!(status(&owner, "PATCH", unknown, "application/json", b"{"), 400);
    assert_eq!(status(&owner, "PATCH", unknown, "application/json", b"[]"), 404);
    assert_eq!(status(&owner, "PATCH", &form.path(), "application/json", b"[]"), 422);
}
