//! Numbers and ids given after a backup: restored, the service gives the same serial numbers again, and no link, right,
//! cookie or id from before may lead to somebody else's entry, or hide an event of one.

use serde_json::{Value, json};
use support::steps::{add, again, set};
use support::uploads::{path_of, prepare, uploaded};
use support::{Caller, Form, Response, Server, field, text};

use crate::backups::{backup, restore};
use crate::delivery::event_stream::{self, Stream};

/// The service as the backup has it.
fn restored(server: &Server, file: &std::path::Path) -> (tempfile::TempDir, Server) {
    server.kill();
    let home = tempfile::tempdir().expect("a folder");
    let out = restore(home.path(), file);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let kept = Server::over(home.path(), &["--rate-limits", "off"]);
    (home, kept)
}

fn submitted(answer: &Response) -> String {
    assert_eq!(answer.status, 303, "{answer}");
    answer.header("location").to_owned()
}

fn cookie(answer: &Response) -> String {
    let line = answer.header("set-cookie");
    line.split(';').next().unwrap_or_default().to_owned()
}

/// A submission over the API: its token and the right to it.
fn respond(caller: &Caller, form: &Form, values: Value) -> (String, String) {
    let made = caller.post(form.submissions(), json!({"field_values": values}));
    assert_eq!(made.status, 201, "{made}");
    let data = made.data();
    let word = |it: &Value| it.as_str().expect("text").to_owned();
    (word(&data["entry"]["token"]), word(&data["edit_token"]))
}

#[test]
fn links_to_lost_entries_open_nothing_of_those_that_get_their_numbers() {
    let server = Server::alone("its data dir is looked at");
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("short_text", json!({"label": "Name"}))]));
    let options = json!({"allow_edit_after_submission": true, "one_per_respondent": "browser"});
    let settings = json!({
        "submission_options": options, "after_submission": {"show_answers": true},
    });
    set(&owner, &form, settings);
    let send = |caller: &Caller, name: &str| caller.post_form(form.page(), &[("field_1", name)]);
    let old = submitted(&send(&anon, "Ada"));
    let file = backup(&server.dir);
    let sent = send(&anon, "Lost Ben");
    let (lost, mark) = (submitted(&sent), cookie(&sent));
    assert!(lost.contains("n=2&"), "{lost}");
    assert!(anon.get(&lost).text.contains("Lost Ben"));
    let (token, right) = respond(&anon, &form, json!({"field_1": "Lost Cy"}));
    let (_home, kept) = restored(&server, &file);
    let new = kept.anon();
    // A respondent whose answer is lost may answer again.
    let ben = submitted(&send(&new.header("cookie", &mark), "Somebody else"));
    assert!(ben.contains("n=2&"), "{ben}");
    let (other, other_right) = respond(&new, &form, json!({"field_1": "Else too"}));
    assert_ne!(token, other);
    let page = new.get(&lost);
    assert_eq!(page.status, 404, "{page}");
    assert!(!page.text.contains("Somebody else"), "{page}");
    assert!(new.get(&old).text.contains("Ada"));
    assert!(new.get(&ben).text.contains("Somebody else"));
    // The right to a lost entry opens neither it nor that with its number.
    let own = |entry: &str, right: &str| {
        let page = new.get(format!("/f/{}/entries/{entry}?edit_token={right}", form.token));
        let api = new.header("x-edit-token", right);
        let api = api.get(format!("/api/v1/f/{}/entries/{entry}", form.token));
        (page.status, api.status)
    };
    assert_eq!(own(&token, &right), (404, 404));
    assert_eq!(own(&other, &right), (404, 404));
    assert_eq!(own(&other, &other_right), (200, 200));
    // The mark of a lost answer is none of the answer that has its number.
    assert_eq!(send(&new.header("cookie", &mark), "Again").status, 303);
}

#[test]
fn files_rows_and_keys_from_after_the_backup_are_as_good_as_unknown() {
    let server = Server::alone("its data dir is looked at");
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("attachment", json!({})), field("short_text", json!({})),]));
    let made = owner.post(
        "/api/v1/opensearch/queries",
        json!({
            "form_token": form.token, "name": "Look up",
            "search_field_rules": [{"operand": "and", "fields": [{"field": "field_2", "fuzzy": false}]}],
            "display_field_rules": [{"field": "field_2"}, {"field": "field_1"}],
        }),
    );
    assert_eq!(made.status, 201, "{made}");
    let query = made.data()["token"].as_str().expect("a token").to_owned();
    let rows = |caller: &Caller| {
        let path = format!("/api/v1/q/{query}/search");
        let found = caller.post(path, json!({"values": {"field_2": "x"}}));
        assert_eq!(found.status, 200, "{found}");
        found.json()["data"].as_array().expect("rows").clone()
    };
    let file = backup(&server.dir);
    let once = |caller: &Caller, values: Value| {
        let caller = caller.header("idempotency-key", "the-same");
        let made = caller.post(form.submissions(), json!({"field_values": values}));
        assert_eq!(made.status, 201, "{made}");
        made.data()["entry"]["token"].as_str().expect("a token").to_owned()
    };
    let id = uploaded(&anon, &form, "a.txt", "text/plain", b"lost");
    let with_file = once(&anon, json!({"field_1": [id], "field_2": "x"}));
    let later = uploaded(&anon, &form, "b.txt", "text/plain", b"later");
    let entry = owner.get(form.entry(1)).data();
    let link = entry["field_1"][0]["url"].as_str().expect("a link");
    let link = path_of(&owner, link).to_owned();
    assert_eq!(anon.get(&link).status, 200);
    // The file of a row of the query.
    let row = rows(&anon).first().expect("a row").to_string();
    let at = row.find(&format!("/q/{query}/entries/")).expect("a link");
    let shown = row[at..].split('"').next().expect("a link").to_owned();
    assert_eq!(anon.get(&shown).status, 200);
    let (_home, kept) = restored(&server, &file);
    let new = kept.anon();
    // The same request with the same key is a new one, since its entry is lost; then it is known.
    let values = json!({"field_2": "x"});
    let first = once(&new, values.clone());
    assert_ne!(first, with_file);
    assert_eq!(once(&new, values), first);
    assert_eq!(new.get(&link).status, 404);
    assert_eq!(new.get(&shown).status, 404);
    assert_eq!(rows(&new).len(), 1);
    let body = json!({"field_values": {"field_1": [later], "field_2": "y"}});
    let refused = new.post(form.submissions(), body);
    assert_eq!(refused.status, 422, "{refused}");
    assert_eq!(refused.json()["code"], "upload_not_found", "{refused}");
    assert_eq!(prepare(&new, &form, "c.txt", "text/plain", 1).status, 201);
}

#[test]
fn no_id_of_an_event_is_given_twice_and_streams_begin_anew() {
    let server = Server::alone("it is ended");
    let (owner, form) = event_stream::simple(&server);
    let mut stream = Stream::open(&owner, &form);
    event_stream::add(&owner, &form, "kept");
    let before = stream.event().id;
    let file = backup(&server.dir);
    let mut lost = Vec::new();
    for _ in 0..3 {
        event_stream::add(&owner, &form, "lost");
        lost.push(stream.event().id);
    }
    let (home, kept) = restored(&server, &file);
    let there = again(&owner, &kept);
    // Entries read after the backup are gone: they have to be read again.
    for last in [&before, &lost[0]] {
        let gone = event_stream::refused(&there, &form, Some(last.as_str()));
        assert_eq!(gone.status, 410, "{gone}");
    }
    let mut stream = Stream::open(&there, &form);
    for _ in 0..4 {
        add(&there, &form, json!({"field_1": "new"}));
        let event = stream.event();
        assert!(!lost.contains(&event.id) && event.id != before, "{event:?}");
    }
    let gone = event_stream::refused(&there, &form, Some(lost[0].as_str()));
    assert_eq!(gone.status, 410, "{gone}");
    drop(stream);
    kept.signal("TERM");
    assert_eq!(kept.wait(), Some(0));
    // Ids of deliveries are numbers of this table, and there was none before.
    let database = rusqlite::Connection::open(home.path().join("formsvc.db")).expect("opens");
    let next: i64 = database
        .query_row("SELECT seq FROM sqlite_sequence WHERE name = 'outbox'", [], |row| row.get(0))
        .expect("a number");
    assert!(next > 1_700_000_000_000, "{next}");
}

/// The current version of a resource, as it is read.
fn tag(caller: &Caller, path: &str) -> String {
    let read = caller.get(path);
    assert_eq!(read.status, 200, "{path}: {read}");
    read.header("etag").to_owned()
}

/// Changes something, so often as given; its version after that.
fn changed(caller: &Caller, path: &str, bodies: &[Value]) -> String {
    for body in bodies {
        let done = caller.patch(path, body.clone());
        assert_eq!(done.status, 200, "{path}: {done}");
    }
    tag(caller, path)
}

/// The changes of a resource in a life.
type Bodies<'a> = &'a dyn Fn(&str) -> [Value; 2];

#[test]
fn no_version_from_after_the_backup_passes_for_one_from_after_the_restore() {
    let server = Server::alone("its data dir is looked at");
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let linked = owner.form(json!([field(
        "linked_form",
        json!({
            "form_token": form.token, "search_fields": ["field_1"],
            "display_fields": [{"api_code": "field_1", "public": true}],
        })
    )]));
    add(&owner, &form, json!({"field_1": "kept"}));
    add(&owner, &linked, json!({"field_1": owner.get(form.entry(1)).data()["token"]}));
    let query = json!({
        "form_token": form.token, "name": "Look up",
        "search_field_rules": [{"operand": "and", "fields": [{"field": "field_1", "fuzzy": false}]}],
        "display_field_rules": [{"field": "field_1"}],
    });
    let query = owner.post("/api/v1/opensearch/queries", query);
    assert_eq!(query.status, 201, "{query}");
    let hooks = format!("{}/integrations/webhooks", form.path());
    let hook = json!({"url": "https://example.com/hook", "trigger_events": ["entry_created"]});
    let hook = owner.post(&hooks, hook);
    assert_eq!(hook.status, 201, "{hook}");
    let part = |name: &str| format!("{}/{name}", form.path());
    let word = |it: &Response, key: &str| it.data()[key].as_str().expect("text").to_owned();
    let query = format!("/api/v1/opensearch/queries/{}", word(&query, "token"));
    let hook = format!("{hooks}/{}", word(&hook, "id"));
    // The changes of each, as many in both lives.
    let two = |key: &str, one: Value, other: Value| [json!({key: one}), json!({key: other})];
    let name = |life: &str| two("name", json!(format!("{life} 1")), json!(format!("{life} 2")));
    let values = |life: &str| {
        let value = |n: u8| json!({"field_1": format!("{life} {n}")});
        two("field_values", value(1), value(2))
    };
    let enabled = |_: &str| two("enabled", json!(false), json!(true));
    let settings = |_: &str| {
        let edits = |may: bool| json!({"allow_edit_after_submission": may});
        two("submission_options", edits(true), edits(false))
    };
    let theme = |_: &str| two("primary_color", json!("#112233"), json!("#332211"));
    let targets: [(String, Bodies); 6] = [
        (form.entry(1), &values),
        (form.path(), &name),
        (part("settings"), &settings),
        (part("theme"), &theme),
        (query, &name),
        (hook, &enabled),
    ];
    let file = backup(&server.dir);
    let before: Vec<String> = targets.iter().map(|(path, _)| tag(&owner, path)).collect();
    let lost: Vec<String> = targets.iter().map(|(path, bodies)| changed(&owner, path, &bodies("lost"))).collect();
    add(&owner, &form, json!({"field_1": "lost too"}));
    let others = [form.entry(2), linked.entry(1), part("field_rules")];
    let lost_others = others.each_ref().map(|path| tag(&owner, path));

    let (_home, kept) = restored(&server, &file);
    let there = again(&owner, &kept);
    let new: Vec<String> = targets.iter().map(|(path, bodies)| changed(&there, path, &bodies("new"))).collect();
    add(&there, &form, json!({"field_1": "somebody else's"}));
    for (n, (path, bodies)) in targets.iter().enumerate() {
        for stale in [&before[n], &lost[n]] {
            let asked = there.header("if-none-match", stale).get(path);
            assert_eq!(asked.status, 200, "{path}: {asked}");
            let refused = there.header("if-match", stale);
            let refused = refused.patch(path, bodies("stale")[0].clone());
            assert_eq!(refused.status, 412, "{path}: {refused}");
        }
        let asked = there.header("if-none-match", &new[n]).get(path);
        assert_eq!(asked.status, 304, "{path}: {asked}");
        let done = there.header("if-match", &new[n]).patch(path, bodies("more")[0].clone());
        assert_eq!(done.status, 200, "{path}: {done}");
    }
    for (path, stale) in others.iter().zip(&lost_others) {
        let asked = there.header("if-none-match", stale).get(path);
        assert_eq!(asked.status, 200, "{path}: {asked}");
    }
    let refused = there.header("if-match", &lost_others[0]).delete(&others[0]);
    assert_eq!(refused.status, 412, "{refused}");
}
