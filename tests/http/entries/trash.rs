//! The trash of a form's entries: listed, restored, deleted for good, swept (contract sections 3.3 and 4).

use std::time::Duration;

use serde_json::{Value, json};
use support::steps::serials;
use support::{Caller, Form, Response, Server, at_once, field, next_moment};

/// A form of a unique text and a number, with entries 1 to `count`.
fn filled(owner: &Caller, count: i64) -> Form {
    let form = owner.form(json!([field("short_text", json!({"unique": true})), field("number", json!({}))]));
    for n in 1..=count {
        let body = json!({"field_values": {"field_1": format!("entry {n}"), "field_2": n}});
        assert_eq!(owner.post(form.entries(), body).status, 201);
    }
    form
}

fn restore(caller: &Caller, form: &Form, serial: i64) -> Response {
    let path = format!("{}/trash/entries/{serial}/restore", form.path());
    caller.send("POST", &path, None, b"")
}

/// The number of entries by the form, the number by the list, and the number in the trash.
fn counts(owner: &Caller, form: &Form) -> [i64; 3] {
    let total = |list: String| {
        let page = owner.get(list).json();
        page["pagination"]["total"].as_i64().expect("a number")
    };
    let told = owner.get(form.path()).data()["entries_count"].as_i64();
    [told.expect("a number"), total(form.entries()), total(form.trash())]
}

const NOT_FOUND: &str = r#"404 {"error":"Entry not found"}"#;
const TAKEN: &str = "field_values.field_1: has already been taken";

#[test]
fn what_is_deleted_lies_in_the_trash_and_comes_back_as_it_was() {
    let owner = Server::shared().user();
    let form = filled(&owner, 3);
    let before = owner.get(form.entry(2));
    assert_eq!(owner.delete(form.entry(2)).status, 200);
    assert_eq!(counts(&owner, &form), [2, 2, 1]);
    assert_eq!(
        owner.get(form.trash()).to_string(),
        r#"200 {"data":[{"serial_number":2,"token":"[token]","created_at":"[time]","updated_at":"[time]","info_filling_duration":null,"creator_name":"Ada Lovelace","field_1":"entry 2","field_2":2}],"pagination":{"total":1,"next_cursor":"","previous_cursor":""}}"#
    );
    assert_eq!(owner.get(form.trash()).json()["data"][0], before.data());
    // Nothing but the trash knows it.
    assert_eq!(owner.get(form.entry(2)).to_string(), NOT_FOUND);
    let change = json!({"field_values": {"field_2": 9}});
    assert_eq!(owner.patch(form.entry(2), change).to_string(), NOT_FOUND);
    assert_eq!(owner.delete(form.entry(2)).to_string(), NOT_FOUND);
    let back = restore(&owner, &form, 2);
    assert_eq!((back.status, back.data()), (200, before.data()));
    assert_eq!(back.header("etag"), before.header("etag"));
    assert_eq!(counts(&owner, &form), [3, 3, 0]);
    assert_eq!(owner.get(form.entry(2)).data(), before.data());
    assert_eq!(serials(&owner.get(form.entries()).json()), [3, 2, 1]);
    // Its number stays its own.
    assert_eq!(owner.delete(form.entry(3)).status, 200);
    let next = owner.post(form.entries(), json!({"field_values": {}}));
    assert_eq!(next.data()["serial_number"], 4);
    assert_eq!(restore(&owner, &form, 3).data()["serial_number"], 3);
    assert_eq!(serials(&owner.get(form.entries()).json()), [4, 3, 2, 1]);
}

#[test]
fn what_is_not_in_the_trash_is_not_found_there() {
    let owner = Server::shared().user();
    let form = filled(&owner, 1);
    for serial in [1, 2, 0, 4_294_967_297] {
        assert_eq!(restore(&owner, &form, serial).to_string(), NOT_FOUND);
        assert_eq!(owner.delete(form.trashed(serial)).to_string(), NOT_FOUND);
    }
    for odd in ["-1", "01", "x", "1.0", "99999999999999999999"] {
        let told = match odd.len() {
            20 => NOT_FOUND.to_owned(),
            _ => format!(r#"404 {{"error":"Entry not found: \"{odd}\" is not a serial number"}}"#),
        };
        let path = format!("{}/{odd}", form.trash());
        assert_eq!(owner.delete(&path).to_string(), told);
        let path = format!("{path}/restore");
        let asked = owner.send("POST", &path, None, b"");
        assert_eq!(asked.to_string(), told);
    }
    // Another form's entry of that number is another.
    let other = filled(&owner, 1);
    owner.delete(other.entry(1));
    assert_eq!(restore(&owner, &form, 1).status, 404);
    assert_eq!(restore(&owner, &other, 1).status, 200);
    assert_eq!(restore(&owner, &other, 1).to_string(), NOT_FOUND);
}

#[test]
fn deleted_from_the_trash_nothing_is_left() {
    let server = Server::alone("its data dir is looked at");
    let owner = server.user();
    let form = filled(&owner, 3);
    for serial in [1, 2] {
        owner.delete(form.entry(serial));
    }
    assert_eq!(owner.delete(form.trashed(2)).to_string(), r#"200 {"data":{"deleted":true,"serial_number":2}}"#);
    assert_eq!(owner.delete(form.trashed(2)).to_string(), NOT_FOUND);
    assert_eq!(restore(&owner, &form, 2).to_string(), NOT_FOUND);
    assert_eq!(counts(&owner, &form), [1, 1, 1]);
    let database = rusqlite::Connection::open(server.dir.join("formsvc.db")).expect("opens");
    let left = |sql: &str| -> i64 {
        let count = database.query_row(sql, [], |row| row.get(0));
        count.expect("a number")
    };
    for table in ["entries", "entries_trash"] {
        let sql = format!("SELECT count(*) FROM {table} WHERE id & 4294967295 = 2 OR \"values\" LIKE '%entry 2%'");
        assert_eq!(left(&sql), 0, "{table}");
    }
    assert_eq!(left("SELECT count(*) FROM entry_keys WHERE serial = 2"), 0);
    // Its number is not given again.
    let next = owner.post(form.entries(), json!({"field_values": {}}));
    assert_eq!(next.data()["serial_number"], 4);
}

/// A text that nothing can be left out of when it is packed.
fn odd_text(n: u64) -> String {
    let mut rest = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut out = String::new();
    while rest > 0 {
        out.extend(char::from_digit(u32::try_from(rest % 36).expect("a digit"), 36));
        rest /= 36;
    }
    out
}

#[test]
fn nor_is_it_left_in_what_filters_are_answered_from() {
    let server = Server::alone("its jobs run now");
    let owner = server.user();
    let form = filled(&owner, 0);
    let path = server.dir.join("formsvc.db");
    let database = rusqlite::Connection::open(path).expect("opens");
    database.busy_timeout(Duration::from_secs(20)).expect("a timeout");
    let change = |sql: &str| database.execute(sql, []).expect("SQL");
    // As if others had come before, so that a block is full.
    change("UPDATE form_counters SET next_serial = 4000");
    let entries: Vec<Value> = (4000..4200).map(|n| json!({"field_values": {"field_1": odd_text(n)}})).collect();
    let bulk = format!("{}/entries/bulk", form.path());
    assert_eq!(owner.post(bulk, json!({"entries": entries})).status, 201);
    let run = |job: &str| assert!(server.run(&["jobs", "run-once", job]).status.success());
    let copies = |n: u64| -> i64 {
        let sql = "SELECT count(*) FROM segments WHERE instr(data, CAST(?1 AS BLOB)) > 0";
        let count = database.query_row(sql, [odd_text(n)], |row| row.get(0));
        count.expect("a number")
    };
    run("sealing");
    run("resealing");
    assert!(copies(4001) > 0 && copies(4003) > 0);
    owner.delete(form.entry(4001));
    owner.delete(form.entry(4002));
    owner.delete(form.entry(4003));
    assert_eq!(owner.delete(form.trashed(4001)).status, 200);
    run("resealing");
    assert_eq!(copies(4001), 0);
    change("UPDATE entries_trash SET deleted_at = 0 WHERE id & 4294967295 = 4003");
    run("deleted-entries");
    run("resealing");
    assert_eq!(copies(4003), 0);
    assert_eq!(restore(&owner, &form, 4002).status, 200);
    assert_eq!(counts(&owner, &form), [198, 198, 0]);
}

#[test]
fn a_unique_value_is_free_until_its_entry_comes_back() {
    let owner = Server::shared().user();
    let form = filled(&owner, 2);
    owner.delete(form.entry(1));
    let again = json!({"field_values": {"field_1": "ENTRY 1"}});
    assert_eq!(owner.post(form.entries(), again.clone()).status, 201);
    let refused = restore(&owner, &form, 1);
    assert_eq!(
        refused.to_string(),
        r#"422 {"error":"Validation failed","error_details":[{"attribute":"field_values.field_1","message":"has already been taken"}]}"#
    );
    assert_eq!(counts(&owner, &form), [2, 2, 1]);
    // It can come back when the other has gone, and then has its value again.
    owner.delete(form.entry(3));
    assert_eq!(restore(&owner, &form, 1).status, 200);
    assert_eq!(owner.post(form.entries(), again).faults(), [TAKEN]);
    assert_eq!(restore(&owner, &form, 3).faults(), [TAKEN]);
    // Its own value is no double.
    let own = json!({"field_values": {"field_1": "entry 1"}});
    assert_eq!(owner.patch(form.entry(1), own).status, 200);
}

#[test]
fn of_all_that_want_one_value_back_one_gets_it() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({"unique": true}))]));
    for serial in 1..=8 {
        let body = json!({"field_values": {"field_1": "the one"}});
        assert_eq!(owner.post(form.entries(), body).status, 201);
        owner.delete(form.entry(serial));
    }
    let statuses = at_once(8, |n| restore(&owner, &form, i64::try_from(n).expect("few") + 1).status);
    let count = |status: u16| statuses.iter().filter(|known| **known == status).count();
    assert_eq!((count(200), count(422)), (1, 7), "{statuses:?}");
    assert_eq!(counts(&owner, &form), [1, 1, 7]);
    // And of all that want one entry back, too.
    let other = filled(&owner, 1);
    owner.delete(other.entry(1));
    let statuses = at_once(8, |_| restore(&owner, &other, 1).status);
    let restored = statuses.iter().filter(|status| **status == 200).count();
    assert_eq!(restored, 1, "{statuses:?}");
    assert_eq!(counts(&owner, &other), [1, 1, 0]);
}

#[test]
fn the_trash_is_listed_as_entries_are() {
    let owner = Server::shared().user();
    let form = filled(&owner, 7);
    for serial in [2, 5, 3] {
        next_moment();
        let body = json!({"field_values": {"field_2": 0}});
        assert_eq!(owner.patch(form.entry(serial), body).status, 200);
    }
    for serial in [4, 1, 7, 2, 6, 3, 5] {
        owner.delete(form.entry(serial));
    }
    let walk = |sort: &str, size: usize| {
        let (mut all, mut cursor) = (Vec::new(), String::new());
        loop {
            let list = format!("{}?sort={sort}&page_size={size}", form.trash());
            let page = owner.get(format!("{list}&cursor={cursor}"));
            assert_eq!(page.status, 200, "{page}");
            let page = page.json();
            assert_eq!(page["pagination"]["total"], 7);
            all.extend(serials(&page));
            cursor = page["pagination"]["next_cursor"].as_str().expect("a string").to_owned();
            if cursor.is_empty() {
                return all;
            }
        }
    };
    for size in [1, 3, 10] {
        assert_eq!(walk("serial_number", size), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(walk("-serial_number", size), [7, 6, 5, 4, 3, 2, 1]);
        assert_eq!(walk("created_at", size), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(walk("updated_at", size), [1, 4, 6, 7, 2, 5, 3]);
        assert_eq!(walk("-updated_at", size), [3, 5, 2, 7, 6, 4, 1]);
    }
    let ask = |query: &str| owner.get(format!("{}?{query}", form.trash()));
    assert_eq!(
        ask("fields=field_2&page_size=1&sort=serial_number").json()["data"][0]
            .as_object()
            .map(|row| row.keys().cloned().collect::<Vec<_>>()),
        Some(["serial_number", "token", "created_at", "updated_at", "field_2"].map(str::to_owned).to_vec())
    );
    assert_eq!(ask("fields=field_9").attributes(), ["fields"]);
    for odd in ["sort=name", "page_size=0", "page_size=101", "cursor=x"] {
        assert_eq!(ask(odd).status, 400, "{odd}");
    }
    // A cursor of the entries is none of the trash.
    let other = filled(&owner, 2);
    let first = owner.get(format!("{}?page_size=1", other.entries())).json();
    let cursor = first["pagination"]["next_cursor"].as_str().expect("a cursor");
    let asked = owner.get(format!("{}?cursor={cursor}", other.trash()));
    assert_eq!(asked.to_string(), r#"400 {"error":"cursor is not valid for this list"}"#);
}

#[test]
fn the_trash_is_filtered_as_entries_are() {
    let owner = Server::shared().user();
    let form = filled(&owner, 6);
    for serial in [1, 2, 3, 4] {
        owner.delete(form.entry(serial));
    }
    let ask = |filters: &Value, keyword: &str, rest: &str| {
        let query = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("filters", &filters.to_string())
            .append_pair("keyword", keyword)
            .finish();
        owner.get(format!("{}?{query}{rest}", form.trash()))
    };
    let above = json!([{"field": "field_2", "operator": "gte", "value": 2}]);
    let page = ask(&above, "", "&page_size=2").json();
    assert_eq!((serials(&page), &page["pagination"]["total"]), (vec![4, 3], &json!(3)));
    let next = page["pagination"]["next_cursor"].as_str().expect("text");
    let page = ask(&above, "", &format!("&page_size=2&cursor={next}")).json();
    assert_eq!(serials(&page), [2]);
    assert_eq!(serials(&ask(&json!([]), "Entry 3", "").json()), [3]);
    assert_eq!(serials(&ask(&above, "entry 1", "").json()), [0; 0]);
    // Live ones are none of it.
    assert_eq!(serials(&ask(&json!([]), "entry 5", "").json()), [0; 0]);
    let odd = json!([{"field": "field_2", "operator": "like", "value": "1"}]);
    assert_eq!(ask(&odd, "", "").attributes(), ["filters[0].operator"]);
}

#[test]
fn pages_of_the_trash_are_stable_while_entries_come_and_go() {
    let owner = Server::shared().user();
    let form = filled(&owner, 12);
    for serial in 2..=11 {
        owner.delete(form.entry(serial));
    }
    let page = |cursor: &str| {
        let list = format!("{}?page_size=3&cursor={cursor}", form.trash());
        let page = owner.get(list).json();
        let next = page["pagination"]["next_cursor"].as_str().expect("text");
        (serials(&page), next.to_owned())
    };
    let (first, next) = page("");
    assert_eq!(first, [11, 10, 9]);
    // One that was shown leaves, one that comes later goes, one that is newer than all comes.
    assert_eq!(restore(&owner, &form, 10).status, 200);
    assert_eq!(owner.delete(form.trashed(7)).status, 200);
    assert_eq!(owner.delete(form.entry(12)).status, 200);
    let (second, next) = page(&next);
    assert_eq!(second, [8, 6, 5]);
    assert_eq!(restore(&owner, &form, 5).status, 200);
    let (third, next) = page(&next);
    assert_eq!((third, next.as_str()), (vec![4, 3, 2], ""));
}

#[test]
fn scopes_and_strangers() {
    let server = Server::shared();
    let owner = server.user();
    let form = filled(&owner, 2);
    owner.delete(form.entry(1));
    let stranger = server.user();
    let unknown = r#"404 {"error":"Form not found"}"#;
    assert_eq!(stranger.get(form.trash()).to_string(), unknown);
    assert_eq!(restore(&stranger, &form, 1).to_string(), unknown);
    assert_eq!(stranger.delete(form.trashed(1)).to_string(), unknown);
    let with = |scope: &str| server.token(&owner.email, scope);
    let (reader, writer) = (with("entry:read"), with("entry:write"));
    let deleter = with("entry:delete");
    assert_eq!(reader.get(form.trash()).status, 200);
    assert_eq!(writer.get(form.trash()).status, 403);
    assert_eq!(restore(&reader, &form, 1).status, 403);
    assert_eq!(restore(&deleter, &form, 1).status, 403);
    assert_eq!(writer.delete(form.trashed(1)).status, 403);
    assert_eq!(restore(&writer, &form, 1).status, 200);
    owner.delete(form.entry(1));
    assert_eq!(deleter.delete(form.trashed(1)).status, 200);
    // With the whole form in the trash, its own trash can't be reached, and is restored with it.
    owner.delete(form.entry(2));
    owner.delete(form.path());
    assert_eq!(owner.get(form.trash()).to_string(), unknown);
    assert_eq!(restore(&owner, &form, 2).to_string(), unknown);
    let back = format!("{}/restore", form.path());
    assert_eq!(owner.send("POST", &back, None, b"").status, 200);
    assert_eq!(restore(&owner, &form, 2).status, 200);
}

#[test]
fn versions_are_compared_where_asked() {
    let owner = Server::shared().user();
    let form = filled(&owner, 1);
    let tag = owner.get(form.entry(1)).header("etag").to_owned();
    owner.delete(form.entry(1));
    let other = owner.header("If-Match", "\"other\"");
    let conflict = r#"412 {"error":"This was changed by somebody else: read it again","code":"version_conflict"}"#;
    assert_eq!(restore(&other, &form, 1).to_string(), conflict);
    assert_eq!(other.delete(form.trashed(1)).to_string(), conflict);
    let matching = owner.header("If-Match", &tag);
    assert_eq!(restore(&matching, &form, 1).status, 200);
    owner.delete(form.entry(1));
    assert_eq!(matching.delete(form.trashed(1)).status, 200);
}

#[test]
fn a_link_leads_to_what_came_back() {
    let owner = Server::shared().user();
    let people = owner.form(json!([field("name", json!({}))]));
    let ada = owner.post(people.entries(), json!({"field_values": {"field_1": "Ada"}}));
    let token = ada.data()["token"].as_str().expect("a token").to_owned();
    let link = json!({
        "form_token": people.token,
        "search_fields": ["field_1"],
        "display_fields": [{"api_code": "field_1", "public": true}],
    });
    let form = owner.form(json!([field("linked_form", link)]));
    let to = |token: &str| json!({"field_values": {"field_1": token}});
    let linked = owner.post(form.entries(), to(&token));
    assert_eq!(linked.status, 201, "{linked}");
    let read = || owner.get(form.entry(1)).data()["field_1"].clone();
    let before = read();
    assert_eq!(before["associated_fields"], json!({"field_1": "Ada"}));
    owner.delete(people.entry(1));
    assert_eq!(read(), json!({"deleted": true}));
    assert_eq!(owner.post(form.entries(), to(&token)).status, 422);
    assert_eq!(restore(&owner, &people, 1).data()["token"], token);
    assert_eq!(read(), before);
    assert_eq!(owner.post(form.entries(), to(&token)).status, 201);
    // A linking entry in the trash still shows the entry that it links to.
    owner.delete(form.entry(1));
    assert_eq!(owner.get(form.trash()).json()["data"][0]["field_1"], before);
    owner.delete(people.entry(1));
    let gone = json!({"deleted": true});
    assert_eq!(owner.get(form.trash()).json()["data"][0]["field_1"], gone);
    assert_eq!(restore(&owner, &form, 1).data()["field_1"], gone);
    owner.delete(people.trashed(1));
    assert_eq!(read(), gone);
}

#[test]
fn entries_come_back_into_a_form_that_has_changed() {
    let owner = Server::shared().user();
    let choices = json!([{"api_code": "a", "label": "A"}, {"api_code": "b", "label": "B"}]);
    let form = owner.form(json!([
        field("number", json!({"unique": true})),
        field("radio", json!({"choices": choices})),
        field("short_text", json!({})),
    ]));
    let values = json!({"field_1": 12, "field_2": "a", "field_3": "more"});
    owner.post(form.entries(), json!({"field_values": values}));
    owner.post(form.entries(), json!({"field_values": {"field_1": 13}}));
    owner.delete(form.entry(1));
    let field_1 = field("short_text", json!({"api_code": "field_1", "unique": true}));
    let of_radio = |kind: &str, choices: Value| field(kind, json!({"api_code": "field_2", "choices": choices}));
    let field_3 = field("short_text", json!({"api_code": "field_3"}));
    // Entries in the trash are collected data as well.
    let change = |fields: Value, confirmed: bool| {
        let body = json!({"fields": fields, "confirm_data_loss": confirmed});
        owner.patch(form.path(), body)
    };
    let left = json!([field_1, of_radio("checkbox", json!([choices[1]]))]);
    let refused = change(left.clone(), false);
    assert_eq!(refused.json()["code"], "data_loss");
    assert_eq!(
        refused.faults(),
        [
            "fields.field_2.choices.a: holds data of 1 entry in the trash",
            "fields.field_3: holds data of 1 entry in the trash",
        ]
    );
    // A change of type loses nothing.
    let kept = json!([field_1, of_radio("checkbox", choices.clone()), field_3]);
    let changed = change(kept, false);
    assert_eq!(changed.status, 200, "{changed}");
    let row = owner.get(form.trash()).json()["data"][0].clone();
    assert_eq!(
        (&row["field_1"], &row["field_2"], &row["field_3"]),
        (&json!("12"), &json!([{"value": "a"}]), &json!("more"))
    );
    assert_eq!(restore(&owner, &form, 1).data(), row);
    // It is unique as the value that it reads as now.
    let double = json!({"field_values": {"field_1": "12"}});
    assert_eq!(owner.post(form.entries(), double.clone()).faults(), [TAKEN]);
    owner.delete(form.entry(1));
    assert_eq!(owner.post(form.entries(), double).status, 201);
    assert_eq!(restore(&owner, &form, 1).faults(), [TAKEN]);
    // With the loss confirmed, it comes back without.
    assert_eq!(change(left, true).status, 200);
    owner.delete(form.entry(3));
    let back = restore(&owner, &form, 1).data();
    assert_eq!((&back["field_1"], &back["field_2"]), (&json!("12"), &json!([])));
    assert_eq!(back.get("field_3"), None);
}

#[test]
fn a_field_becomes_unique_and_the_trash_minds_it_later() {
    let owner = Server::shared().user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    for _ in 0..2 {
        let body = json!({"field_values": {"field_1": "same"}});
        assert_eq!(owner.post(form.entries(), body).status, 201);
    }
    owner.delete(form.entry(2));
    let unique = field("short_text", json!({"api_code": "field_1", "unique": true}));
    let changed = owner.patch(form.path(), json!({"fields": [unique]}));
    assert_eq!(changed.status, 200, "{changed}");
    assert_eq!(restore(&owner, &form, 2).faults(), [TAKEN]);
}

#[test]
fn a_field_does_not_become_unique_over_what_comes_back_meanwhile() {
    let owner = Server::shared().user();
    for round in 0..10 {
        let form = owner.form(json!([field("short_text", json!({}))]));
        for _ in 0..2 {
            let body = json!({"field_values": {"field_1": "same"}});
            assert_eq!(owner.post(form.entries(), body).status, 201);
        }
        owner.delete(form.entry(2));
        let answers = at_once(2, |n| {
            if n == 0 {
                let unique = field("short_text", json!({"api_code": "field_1", "unique": true}));
                owner.patch(form.path(), json!({"fields": [unique]})).status
            } else {
                restore(&owner, &form, 2).status
            }
        });
        // One of them is refused, whichever comes second.
        let mut sorted = answers.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [200, 422], "round {round}: {answers:?}");
    }
}

#[test]
fn after_30_days_the_trash_is_swept() {
    let server = Server::alone("its jobs run now");
    let owner = server.user();
    let (form, other) = (filled(&owner, 4), filled(&owner, 2));
    for serial in [1, 2, 3] {
        owner.delete(form.entry(serial));
    }
    owner.delete(other.entry(1));
    let database = rusqlite::Connection::open(server.dir.join("formsvc.db")).expect("opens");
    let age = |serial: i64, days: i64| {
        let sql = "UPDATE entries_trash SET deleted_at = deleted_at - ?2 * 86400000 \
                   WHERE id & 4294967295 = ?1";
        database.execute(sql, (serial, days)).expect("updates");
    };
    age(1, 31);
    age(2, 29);
    let swept = server.run(&["jobs", "run-once", "deleted-entries"]);
    assert!(swept.status.success());
    assert_eq!(serials(&owner.get(form.trash()).json()), [3, 2]);
    assert_eq!(counts(&owner, &form), [1, 1, 2]);
    assert_eq!(counts(&owner, &other), [1, 1, 0]);
    assert_eq!(restore(&owner, &form, 1).to_string(), NOT_FOUND);
    assert_eq!(restore(&owner, &form, 2).status, 200);
    assert_eq!(counts(&owner, &form), [2, 2, 1]);
    let next = owner.post(form.entries(), json!({"field_values": {}}));
    assert_eq!(next.data()["serial_number"], 5);
}
