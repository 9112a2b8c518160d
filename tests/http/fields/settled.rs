//! Smaller decisions that no other file is about: blank values, equal values, priorities (contract section 12).

use rusqlite::Connection;
use serde_json::{Value, json};
use support::uploads::{prepare, send, uploaded};
use support::{Caller, Form, Response, Server, field};

fn write(owner: &Caller, form: &Form, value: &Value) -> Response {
    owner.post(form.entries(), json!({"field_values": {"field_1": value}}))
}

#[test]
fn text_of_blanks_and_a_phone_of_a_country_are_blank() {
    let owner = Server::shared().user();
    for (kind, values) in [
        (
            "short_text",
            // Without width, a soft hyphen, fillers of hangul, the blank of braille, a word joiner, a direction mark.
            [" ", "\u{a0}\u{3000}\t\n", "", "\u{200b}", "\u{ad}", "\u{3164}\u{ffa0}", "\u{2800}", "\u{2060} \u{202e}"]
                .map(|text| json!(text))
                .to_vec(),
        ),
        ("long_text", vec![json!("\n\n"), json!("\u{2003}"), json!("\u{feff}\n\u{200d}")]),
        ("name", vec![json!("\u{3000}"), json!("\u{3164}"), json!("\u{2800}\u{2800}")]),
        ("email", vec![json!(" "), json!("\u{200b}")]),
        ("url", vec![json!(" \t"), json!("\u{2060}")]),
        ("date", vec![json!(" "), json!("\u{200b}")]),
        (
            "phone",
            vec![
                json!({"country_id": "DE"}),
                json!({"country_id": "DE", "country_code": "49", "number": null}),
                json!({"country_id": "DE", "number": "\u{a0}"}),
                json!({"country_id": "DE", "number": "\u{200b}"}),
            ],
        ),
    ] {
        let form = owner.form(json!([field(kind, json!({}))]));
        let needed = owner.form(json!([field(kind, json!({"required": true}))]));
        for value in values {
            let made = write(&owner, &form, &value);
            assert_eq!(made.status, 201, "{kind} {value}: {made}");
            assert_eq!(made.data()["field_1"], Value::Null, "{kind} {value}");
            let refused = write(&owner, &needed, &value);
            assert_eq!(refused.faults(), ["field_values.field_1: can't be blank"], "{kind} {value}");
        }
    }
}

#[test]
fn content_types_are_compared_without_parameters_and_case() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let own = json!({"media_type": "custom", "content_types": ["text/plain"]});
    let form = owner.form(json!([field("attachment", own)]));
    for (declared, sent) in [("Text/PLAIN; charset=utf-8", "text/plain"), ("text/plain", "TEXT/Plain;charset=latin1")] {
        let prepared = prepare(&anon, &form, "a.txt", declared, 3);
        assert_eq!(prepared.status, 201, "{prepared}");
        let kept = send(&anon, &prepared.data(), sent, b"abc");
        assert_eq!(kept.status, 200, "{kept}");
    }
    assert_eq!(prepare(&anon, &form, "a", "text/csv; text/plain", 3).status, 422);
}

#[test]
fn an_address_is_found_by_what_its_codes_are_called() {
    let owner = Server::shared().user();
    let address = json!({"country": "CN", "state": "CN-SH", "city": "x"});
    for (locale, words) in [("en", ["shanghai", "China", "CN-SH"]), ("zh-CN", ["上海", "中国", "cn-sh"])] {
        let form = owner.form_with(json!({
            "name": "A form", "locale": locale, "fields": [field("address", json!({}))],
        }));
        assert_eq!(write(&owner, &form, &address).status, 201);
        let elsewhere = json!({"country": "DE", "state": "DE-BE"});
        assert_eq!(write(&owner, &form, &elsewhere).status, 201);
        for word in words {
            let filters = json!([{"field": "field_1", "operator": "like", "value": word}]);
            let found = owner.post(form.query(), json!({"filters": filters}));
            let found = found.data();
            assert_eq!(found.as_array().map(Vec::len), Some(1), "{word}: {found}");
            assert_eq!(found[0]["serial_number"], 1, "{word}");
        }
    }
}

#[test]
fn only_respondents_have_to_type_two_characters() {
    let server = Server::shared();
    let owner = server.user();
    let people = owner.form(json!([field("name", json!({}))]));
    assert_eq!(write(&owner, &people, &json!("Ada")).status, 201);
    let form = owner.form(json!([field(
        "linked_form",
        json!({"form_token": people.token, "search_fields": ["field_1"],
            "display_fields": [{"api_code": "field_1", "public": true}]}),
    )]));
    let found = |caller: &Caller, path: &str, keyword: &str| {
        let path = format!("/api/v1/{path}?field=field_1&keyword={keyword}");
        let answer = caller.get(path);
        assert_eq!(answer.status, 200, "{answer}");
        answer.data().as_array().map_or(0, Vec::len)
    };
    let published = format!("f/{}/associated_entry_options", form.token);
    let own = format!("forms/{}/linked_form_options", form.token);
    let anon = server.anon();
    for (keyword, respondent, collaborator) in [("a", 0, 1), ("", 0, 1), ("ad", 1, 1)] {
        assert_eq!(found(&anon, &published, keyword), respondent, "{keyword}");
        assert_eq!(found(&owner, &own, keyword), collaborator, "{keyword}");
    }
}

#[test]
fn bytes_decide_whether_an_import_is_a_workbook() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    assert_eq!(write(&owner, &form, &json!("x")).status, 201);
    let book = owner.get(format!("{}/export?format=xlsx", form.entries()));
    let import = format!("{}/import", form.entries());
    let workbook = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    for (kind, bytes) in [("text/csv", &book.bytes[..]), (workbook, b"field_1\ny\n")] {
        let taken = owner.send("POST", &import, Some(kind), bytes);
        assert_eq!(taken.status, 201, "{kind}: {taken}");
        assert_eq!(taken.data()["created"], 1);
    }
}

#[test]
fn a_tag_covers_what_is_shown_of_linked_entries() {
    let owner = Server::shared().user();
    let people = owner.form(json!([field("name", json!({})), field("short_text", json!({}))]));
    let person = write(&owner, &people, &json!("Ada")).data()["token"].clone();
    let form = owner.form(json!([field(
        "linked_form",
        json!({"form_token": people.token, "search_fields": ["field_1"],
            "display_fields": [{"api_code": "field_1", "public": true}]}),
    )]));
    assert_eq!(write(&owner, &form, &person).status, 201);
    let tag = || owner.get(form.entry(1)).header("etag").to_owned();
    let before = tag();
    let change = json!({"field_values": {"field_1": "Ada Lovelace"}});
    assert_eq!(owner.patch(people.entry(1), change).status, 200);
    let after = tag();
    assert_ne!(after, before, "its name is shown");
    let known = owner.header("If-None-Match", &before).get(form.entry(1));
    assert_eq!(known.status, 200, "{known}");
    let read = known.data();
    assert!(read.to_string().contains("Ada Lovelace"), "{read}");
    // A write with the older tag would overwrite values that its sender has not seen.
    let late = owner.header("If-Match", &before).patch(form.entry(1), json!({"field_values": {"field_1": null}}));
    assert_eq!(late.status, 412, "{late}");
    assert_eq!(owner.delete(people.entry(1)).status, 200);
    assert_ne!(tag(), after, "it was deleted");
}

#[test]
fn a_file_that_came_in_time_can_be_used_for_a_day() {
    let server = Server::alone("its data dir is looked at");
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("attachment", json!({}))]));
    let change = |sql: &str| {
        let database = Connection::open(server.dir.join("formsvc.db")).expect("opens");
        assert_eq!(database.execute(sql, []).expect("changed"), 1);
    };
    // An hour after it was prepared nothing can be sent any more, but a sent file is there.
    let id = uploaded(&anon, &form, "a.txt", "text/plain", b"abc");
    change("UPDATE uploads SET expires_at = created_at - 1 WHERE used_at IS NULL");
    let made = write(&owner, &form, &json!([id]));
    assert_eq!(made.status, 201, "{made}");
    let hours = |hours: i64| hours * 3_600_000;
    for (age, status) in [(hours(24) - 60_000, 201), (hours(24) + 60_000, 422)] {
        let id = uploaded(&anon, &form, "b.txt", "text/plain", b"abc");
        change(&format!(
            "UPDATE uploads SET created_at = created_at - {age}, expires_at = expires_at - {age}, \
             put_at = put_at - {age} WHERE used_at IS NULL"
        ));
        let made = write(&owner, &form, &json!([id]));
        assert_eq!(made.status, status, "{made}");
        if status == 422 {
            assert_eq!(made.json()["code"], "upload_expired", "{made}");
        }
    }
}

#[test]
fn file_names_lose_what_file_systems_forbid() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form(json!([field("attachment", json!({}))]));
    let id = uploaded(&anon, &form, "a<b>:\"|?*.txt", "text/plain", b"abc");
    let file = write(&owner, &form, &json!([id])).data()["field_1"][0].clone();
    assert_eq!(file["name"], "a<b>:\"|?*.txt", "as it was sent");
    let url = file["url"].as_str().expect("a link");
    let got = anon.get(url.strip_prefix(&anon.base).expect("ours"));
    let place = got.header("content-disposition");
    assert_eq!(place, "attachment; filename=\"a_b______.txt\"; filename*=UTF-8''a_b______.txt");
}

#[test]
fn a_hang_up_without_certificates_changes_nothing() {
    let server = Server::alone("it is ended");
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    for _ in 0..2 {
        server.signal("HUP");
        assert_eq!(write(&owner, &form, &json!("x")).status, 201);
    }
    assert!(server.is_running());
    let total = owner.get(form.entries()).json()["pagination"]["total"].clone();
    assert_eq!(total, 2);
}
