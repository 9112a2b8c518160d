//! "Nothing else of an entry leaves the server" (handbook): hidden values change neither the text nor the size of an
//! answer.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use support::sheets::xlsx;
use support::steps::set;
use support::uploads::send;
use support::{Caller, Form, Response, Server, field};

use crate::queries::{Query, body, condition, fill, group, links, local, set_values};

/// Marks that no visitor ever gets.
const MARKS: [&str; 19] = [
    "mk-hidden-column",
    "mk-hidden-label",
    "mk-hidden-notes",
    "mk-hidden-choice",
    "mk-hidden-file",
    "mk-out-of-scope",
    "mk-trashed",
    "mk-other-form",
    "mk-other-query",
    "mk-linked-private",
    "mk-linked-searched",
    "mk-form-name",
    "mk-folder",
    "mk-owner",
    "mk-password",
    "mk-creator",
    "486.17",
    "Quartz",
    "12345678",
];

struct World {
    _server: Server,
    owner: Caller,
    form: Form,
    query: Query,
    /// Of entries that no visitor may see.
    secrets: Vec<String>,
}

fn fields(list: &Form) -> Value {
    let choices = json!([{"api_code": "a", "label": "Open"}, {"api_code": "hid", "label": "mk-hidden-choice"}]);
    json!([
        field("name", json!({"label": "Name", "required": true})),
        field("short_text", json!({"label": "Town"})),
        field("long_text", json!({"label": "mk-hidden-label", "notes": "<p>mk-hidden-notes</p>"})),
        field("number", json!({"label": "Group"})),
        field("phone", json!({"label": "Phone"})),
        field("attachment", json!({"label": "Inside"})),
        field("checkbox", json!({"label": "Kind", "choices": choices})),
        field(
            "linked_form",
            json!({
            "label": "Person", "form_token": list.token, "search_fields": ["field_1", "field_3"],
            "display_fields": [
                {"api_code": "field_1", "public": true}, {"api_code": "field_2", "public": false}]})
        ),
    ])
}

fn world() -> World {
    let server = Server::alone("its data dir is looked at");
    // The organisation has the name of its first user.
    server.user();
    let owner = server.user_named("mk-owner@example.com", "mk-owner-name mk-creator");
    let list = owner.form_with(json!({"name": "mk-form-name-list", "fields": [
        field("short_text", json!({"label": "Public"})),
        field("short_text", json!({"label": "Private"})),
        field("short_text", json!({"label": "Searched"})),
    ]}));
    let linked = owner.post(
        list.entries(),
        json!({"field_values": {"field_1": "Tulip", "field_2": "mk-linked-private", "field_3": "mk-linked-searched"}}),
    );
    let linked = linked.data()["token"].clone();
    let folder = owner.post("/api/v1/folders", json!({"name": "mk-folder"})).data();
    let form = owner.form_with(json!({
        "name": "mk-form-name", "description": "mk-form-name", "folder_token": folder["token"], "fields": fields(&list),
    }));
    let file = upload(&owner, &form);
    set(&owner, &form, json!({"access_control": {"access_password": "mk-password"}}));
    let phone = json!({"country_id": "CN", "number": "13812345678"});
    fill(
        &owner,
        &form,
        &[
            json!({"field_1": "Zoe Quartz", "field_2": "Paris", "field_3": "mk-hidden-column", "field_4": 1,
                "field_5": phone, "field_6": [file], "field_7": ["a", "hid"], "field_8": linked}),
            json!({"field_1": "Zoe Quartz", "field_2": "mk-out-of-scope", "field_4": 486.17}),
            json!({"field_1": "Zoe Quartz", "field_2": "mk-trashed", "field_4": 1}),
            json!({"field_1": "Yan Open", "field_2": "Paris", "field_4": 1}),
        ],
    );
    owner.delete(form.entry(3)).is(200);
    let other = owner.form(json!([field("name", json!({"label": "mk-other-form"}))]));
    fill(&owner, &other, &[json!({"field_1": "mk-other-form"})]);
    let rules = json!([
        {"field": "field_1", "protected": true, "editable": true}, {"field": "field_2", "editable": true},
        {"field": "field_5", "protected": true}, {"field": "serial_number"},
        {"field": "field_8_associated_field_1"}]);
    let groups = json!([group("or", &["field_1", "field_2", "serial_number"], false)]);
    let mut whole = body(&form, groups, rules);
    whole["scope_conditions"] = json!([condition("field_4", "ne", json!(486.17))]);
    whole["allow_to_export_results"] = json!(true);
    let query = Query::new(&owner, whole.clone());
    whole["name"] = json!("mk-other-query");
    whole["messages"] = json!({"no_result": "mk-other-query"});
    let hidden_query = Query::new(&owner, whole);
    let mut secrets = vec![hidden_query.token, form.token.clone(), list.token.clone(), other.token.clone()];
    for path in [form.entry(2), form.trash()] {
        let data = owner.get(path).data();
        let entry = if data.is_array() { data[0].clone() } else { data };
        secrets.push(entry["token"].as_str().expect("a token").to_owned());
    }
    secrets.push(linked.as_str().expect("a token").to_owned());
    World { _server: server, owner, form, query, secrets }
}

fn upload(owner: &Caller, form: &Form) -> String {
    let body = json!({"field_api_code": "field_6", "file_name": "mk-hidden-file.txt", "content_type": "text/plain",
        "file_size": 3});
    let prepared = owner.post(format!("{}/entry_attachments", form.published()), body);
    let prepared = prepared.data();
    send(owner, &prepared, "text/plain", b"abc").is(200);
    prepared["upload_id"].as_str().expect("an id").to_owned()
}

/// All that a visitor can ask, right or wrong.
fn answers(world: &World) -> Vec<(String, Response)> {
    let query = &world.query;
    let anon = query.anon();
    let mut out: Vec<(String, Response)> = Vec::new();
    let mut keep = |what: String, answer: Response| out.push((what, answer));
    for address in [query.page(), query.public()] {
        keep(format!("HEAD {address}"), anon.send("HEAD", &address, None, b""));
        keep(format!("GET {address}"), anon.get(&address));
    }
    for values in [
        json!({"field_1": "Zoe Quartz"}),
        json!({"field_2": "Paris"}),
        json!({"serial_number": 1}),
        json!({"serial_number": 2}),
        json!({"serial_number": 3}),
        json!({"field_1": "mk-n0body"}),
        json!({"field_3": "mk-hidden-c0lumn"}),
        json!({"field_1": "x".repeat(5000)}),
        json!({}),
    ] {
        keep(format!("search {values}"), query.search(&values));
        let few = query.ask(json!({"values": values, "page_size": 1}));
        if few.status == 200 {
            let cursor = few.json()["pagination"]["next_cursor"].clone();
            let cursor = cursor.as_str().unwrap_or_default().to_owned();
            let bits = URL_SAFE_NO_PAD.decode(&cursor).unwrap_or_default();
            let mut cursed = few.clone();
            cursed.text = String::from_utf8_lossy(&bits).into_owned();
            keep(format!("the cursor of {values}"), cursed);
            let more = query.ask(json!({"values": values, "page_size": 1, "cursor": cursor}));
            keep(format!("page 2 of {values}"), more);
        }
        keep(format!("page of {values}"), anon.get(query.typed(&values)));
        keep(format!("head of {values}"), anon.send("HEAD", &query.typed(&values), None, b""));
        keep(format!("csv of {values}"), anon.get(query.export("csv", &values)));
        let mut book = anon.get(query.export("xlsx", &values));
        if book.status == 200 {
            book.text = format!("{:?} {}", xlsx(&book), unpacked(&book));
        }
        keep(format!("xlsx of {values}"), book);
    }
    let page = anon.get(query.typed(&json!({"field_1": "Zoe Quartz"})));
    for link in links(&page) {
        let link = local(&anon, &link);
        if link.starts_with("/q/") || link.starts_with("/api/") {
            keep(format!("GET {link}"), anon.get(&link));
        }
    }
    let (row, path) = query.row(&json!({"field_1": "Zoe Quartz"}), 1);
    let right = row["edit_token"].as_str().expect("a right");
    let editor = anon.header("x-edit-token", right);
    for values in [
        json!({"field_2": "Paris"}),
        json!({"field_1": ""}),
        json!({"field_2": 5}),
        json!({"field_3": "x"}),
        json!({"field_9": "x"}),
    ] {
        let body = json!({ "field_values": values });
        keep(format!("edit {values}"), editor.patch(&path, body.clone()));
        keep(format!("edit {values} by nobody"), anon.patch(&path, body));
    }
    for (odd, body) in [
        ("search", json!({"values": []})),
        ("search", json!({"values": {"field_1": []}})),
        ("search", json!({"values": {"field_1": "Zoe Quartz"}, "cursor": "x"})),
        ("search", json!({"values": {"field_1": "Zoe Quartz"}, "page_size": 0})),
    ] {
        keep(format!("{body}"), anon.post(format!("{}/{odd}", query.public()), body));
    }
    for address in [
        format!("{}?cursor=x&field_1=Zoe", query.page()),
        format!("{}/export?format=x&field_1=Zoe%20Quartz", query.page()),
        format!("{}/entries", query.public()),
        format!("{}/search", query.public()),
    ] {
        keep(format!("GET {address}"), anon.get(&address));
    }
    out
}

/// All parts of an archive, one after another.
fn unpacked(answer: &Response) -> String {
    let cursor = std::io::Cursor::new(answer.bytes.clone());
    let mut archive = zip::ZipArchive::new(cursor).expect("an archive");
    let mut out = String::new();
    for at in 0..archive.len() {
        let mut part = archive.by_index(at).expect("a part");
        std::io::Read::read_to_string(&mut part, &mut out).expect("text");
    }
    out
}

#[test]
fn no_answer_has_what_is_not_shown() {
    let world = world();
    let all = answers(&world);
    let found = |what: &str| {
        let all = all.iter().filter(|(name, _)| name.starts_with(what));
        all.filter(|(_, answer)| answer.text.contains("Paris")).count()
    };
    // Shown values are there, so that the search for hidden ones means something.
    for what in ["search", "page of", "csv", "xlsx", "GET /q/"] {
        assert!(found(what) > 0, "{what}");
    }
    for (what, answer) in &all {
        assert!(answer.status < 500, "{what}: {answer}");
        let text = format!("{} {:?}", answer.text, answer.headers);
        // On a page, the visitor's typed values come back to them.
        let is_page = answer.header("content-type").starts_with("text/html");
        let text = match is_page && what.contains("Zoe") {
            true => text.replace("Zoe Quartz", "").replace("Zoe+Quartz", "").replace("Zoe%20Quartz", ""),
            false => text,
        };
        let secrets = world.secrets.iter().map(String::as_str);
        for mark in MARKS.into_iter().chain(secrets) {
            assert!(!text.contains(mark), "{what}: {mark}: {answer}");
        }
    }
    assert_eq!(world.owner.get(world.form.entry(1)).data()["field_1"], "Zoe Quartz");
}

/// An answer without values that differ from second to second.
fn settled(answer: &Response) -> (u16, String) {
    let Ok(mut body) = serde_json::from_str::<Value>(&answer.text) else {
        return (answer.status, answer.text.clone());
    };
    for row in body["data"].as_array_mut().into_iter().flatten() {
        if let Some(row) = row.as_object_mut() {
            row.remove("edit_token");
        }
    }
    (answer.status, body.to_string())
}

/// The size and the text of each answer.
fn weighed(query: &Query) -> Vec<(String, u16, usize, String, Vec<String>)> {
    let anon = query.anon();
    let mut out = Vec::new();
    for values in [
        json!({"field_1": "Yan Open"}),
        json!({"field_2": "Paris"}),
        json!({"serial_number": 1}),
        json!({"serial_number": 2}),
        json!({"serial_number": 3}),
        json!({"serial_number": 99}),
        json!({"field_2": "nowhere"}),
        json!({}),
    ] {
        let page = anon.get(query.typed(&values));
        let few = query.ask(json!({"values": values, "page_size": 1}));
        for (what, answer) in [
            ("json", query.search(&values)),
            ("few", few),
            ("page", page),
            ("csv", anon.get(query.export("csv", &values))),
            ("xlsx", anon.get(query.export("xlsx", &values))),
            ("drawn", anon.get(query.public())),
        ] {
            let (status, mut text) = settled(&answer);
            let is_settled = text.starts_with('{') || text.starts_with('\u{feff}');
            if what == "few" || !is_settled {
                text.clear();
            }
            let fixed = ["date", "x-request-id", "etag", "content-security-policy", "set-cookie"];
            let mut headers: Vec<String> = answer
                .headers
                .iter()
                .filter(|(name, _)| !fixed.contains(&name.as_str()))
                .map(|(name, value)| format!("{name}: {value:?}"))
                .collect();
            headers.sort();
            if what == "csv" || what == "drawn" {
                headers.push(format!("etag: {}", answer.header("etag")));
            }
            out.push((format!("{what} {values}"), status, answer.bytes.len(), text, headers));
        }
    }
    out
}

#[test]
fn hidden_values_change_no_byte() {
    let world = world();
    let World { owner, form, query, .. } = &world;
    // Without a right in the rows, answers hold nothing that changes by itself.
    let rules = json!([
        {"field": "field_1", "protected": true}, {"field": "field_2"}, {"field": "field_5", "protected": true},
        {"field": "serial_number"}]);
    query.change(owner, json!({ "display_field_rules": rules }));
    let before = weighed(query);
    let same = |what: &str| {
        for (before, after) in before.iter().zip(weighed(query)) {
            assert_eq!(after, *before, "{what}");
        }
    };
    let change = |serial: i64, values: Value| {
        owner.patch(form.entry(serial), json!({ "field_values": values })).is(200);
        same(&format!("{serial}: {values}"));
    };
    // A column that is not shown.
    change(1, json!({"field_3": "something much longer than it was before".repeat(20)}));
    change(1, json!({"field_3": null, "field_6": [], "field_7": []}));
    change(4, json!({"field_4": 2, "field_7": ["a"]}));
    // The same mask of other values.
    change(1, json!({"field_1": "Zacharias Quite Another Name"}));
    change(1, json!({"field_5": {"country_id": "CN", "number": "13898765678"}}));
    // An entry out of the scope.
    change(2, json!({"field_1": "Yan Open", "field_2": "Paris"}));
    change(2, json!({"field_2": "nowhere"}));
    fill(owner, form, &vec![json!({"field_1": "Yan Open", "field_2": "Paris", "field_4": 486.17}); 30]);
    same("more out of the scope");
    for serial in 10..20 {
        owner.delete(form.entry(serial)).is(200);
    }
    same("more in the trash");
    owner.delete(form.trashed(3)).is(200);
    same("nothing in its place");
    let other = owner.form(json!([field("name", json!({}))]));
    fill(owner, &other, &[json!({"field_1": "Yan Open"})]);
    same("another form");
    // Shown values do change them.
    set_values(owner, form, 1, json!({"field_2": "Rome"}));
    assert_ne!(weighed(query), before);
}

#[test]
fn refusals_read_the_same_whatever_the_reason() {
    let world = world();
    let query = &world.query;
    let anon = query.anon();
    // Out of the scope, in the trash, never there.
    let found = |serial: i64| query.search(&json!({"serial_number": serial})).text;
    let nothing = found(99);
    assert_eq!(found(2), nothing);
    assert_eq!(found(3), nothing);
    let (row, _) = query.row(&json!({"serial_number": 1}), 1);
    let right = row["edit_token"].as_str().expect("a right");
    let mut told: Vec<String> = Vec::new();
    let unknown = "A".repeat(22);
    for entry in world.secrets[4..].iter().chain([&unknown]) {
        let path = format!("{}/entries/{entry}", query.public());
        for caller in [anon.clone(), anon.header("x-edit-token", right)] {
            let refused = caller.patch(&path, json!({"field_values": {"field_2": "x"}}));
            assert!([403, 404].contains(&refused.status), "{refused}");
            told.push(refused.to_string());
        }
    }
    for (at, one) in told.iter().enumerate() {
        assert_eq!(*one, told[at % 2], "{told:?}");
    }
}
