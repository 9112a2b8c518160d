//! Bodies that are JSON and still odd: valid ones with one or two members exchanged for something else. Each is refused
//! or succeeds, and values that were read can be written back.

use serde_json::{Value, json};
use support::{Caller, Form, Server, field};

/// A fixed sequence: a fault that it finds can be found again.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits") % sides
    }
}

fn odd(dice: &mut Dice) -> Value {
    let odd = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(""),
        json!(" "),
        json!("\u{0}"),
        json!("a\u{202e}b\u{7}"),
        json!("ß\u{fb01}\u{1f469}\u{200d}\u{1f680}"),
        json!("x".repeat(20_000)),
        json!([]),
        json!({}),
        json!([null]),
        json!([[], {}]),
        json!({"value": {"value": "a"}}),
        json!({"": ""}),
        json!("field_1"),
        json!("2026-02-30"),
        json!("today"),
        json!("-9999-01-01T00:00:00Z"),
        json!("(a+)+$"),
        json!("("),
    ];
    odd[dice.roll(odd.len())].clone()
}

/// Every place in a value, as JSON pointers.
fn places(value: &Value, at: &str, out: &mut Vec<String>) {
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                let at = format!("{at}/{}", escaped(key));
                out.push(at.clone());
                places(inner, &at, out);
            }
        }
        Value::Array(items) => {
            for (i, inner) in items.iter().enumerate() {
                let at = format!("{at}/{i}");
                out.push(at.clone());
                places(inner, &at, out);
            }
        }
        _ => {}
    }
}

/// The value with one or two places exchanged.
fn mutated(value: &Value, dice: &mut Dice) -> Value {
    let mut value = value.clone();
    for _ in 0..=dice.roll(2) {
        let mut all = Vec::new();
        places(&value, "", &mut all);
        let at = &all[dice.roll(all.len())];
        if let Some(place) = value.pointer_mut(at) {
            *place = odd(dice);
        }
    }
    value
}

fn all_kinds() -> Value {
    let choices = json!([
        {"api_code": "a", "label": "A", "allow_extended_text": true, "score": 1.5, "quota": 1000},
        {"api_code": "o", "label": "O", "is_other": true, "hidden": false},
    ]);
    json!([
        field("short_text", json!({"min_length": 1, "max_length": 50, "pattern": "^[a-z]+$", "pattern_message": "no", "notes": "<b>n</b>", "default_value": "abc", "placeholder": "p"})),
        field("long_text", json!({"unique": true})),
        field("name", json!({"required": false, "hidden": true})),
        field("email", json!({"allowed_domains": ["example.com"]})),
        field("phone", json!({"default_country": "DE", "allowed_countries": ["DE", "CN"]})),
        field("number", json!({"min": -5, "max": 5.5, "precision": 2, "unit": "kg"})),
        field("date", json!({"precision": "minute", "min": "2020-01-01 00:00", "max": "today", "default_value": "now"})),
        field("radio", json!({"choices": choices, "random_order": true, "default_value": "a"})),
        field("checkbox", json!({"choices": choices, "min_selected": 1, "max_selected": 2})),
        {"type": "page_break", "previous_text": "Back", "next_text": "On"},
        field("description", json!({"content": "<p>x</p>"})),
    ])
}

fn all_values() -> Value {
    json!({
        "field_1": "abc", "field_2": "one\ntwo", "field_3": "Ada", "field_4": "ada@example.com",
        "field_5": {"country_id": "DE", "number": "15112345678"}, "field_6": 1.25,
        "field_7": "2024-02-29 12:30", "field_8": {"value": "o", "other_text": "else"},
        "field_9": ["a", {"value": "o", "other_text": "x"}],
    })
}

fn send(caller: &Caller, method: &str, path: &str, body: &Value) -> u16 {
    let sent = body.to_string();
    let kind = Some("application/json");
    let answer = caller.send(method, path, kind, sent.as_bytes());
    let refusal = [400, 404, 409, 422].contains(&answer.status);
    assert!(refusal || [200, 201].contains(&answer.status), "{method} {path} {sent:.3000}: {answer:.500}");
    answer.status
}

fn filled(owner: &Caller) -> Form {
    let form = owner.form(all_kinds());
    let body = json!({"field_values": all_values()});
    let made = owner.post(form.entries(), body);
    assert_eq!(made.status, 201, "{made}");
    form
}

/// Reads and writes the same back: nothing changes.
fn writes_back(owner: &Caller, method: &str, path: &str, wrap: &dyn Fn(Value) -> Value) {
    let read = owner.get(path);
    assert_eq!(read.status, 200, "{read}");
    let body = wrap(read.data()).to_string();
    let kind = Some("application/json");
    let written = owner.send(method, path, kind, body.as_bytes());
    assert_eq!(written.status, 200, "{path} {body:.3000}: {written:.500}");
    let mut after = written.data();
    let mut before = read.data();
    for key in ["updated_at", "warnings"] {
        for side in [&mut before, &mut after] {
            if let Value::Object(map) = side {
                map.remove(key);
            }
        }
    }
    assert_eq!(after, before, "{path}");
}

#[test]
fn odd_forms_are_refused_or_whole() {
    let owner = Server::shared().user();
    let mut dice = Dice(0x5eed_0001);
    let whole = json!({
        "name": "x", "description": "d", "scene": "exam", "layout": "card", "locale": "en",
        "timezone": "Asia/Tokyo", "folder_token": null, "fields": all_kinds(),
    });
    let mut made = 0;
    for _ in 0..100 {
        let body = mutated(&whole, &mut dice);
        let answer = owner.post("/api/v1/forms", body.clone());
        assert!([201, 404, 422, 400].contains(&answer.status), "{body}: {answer:.500}");
        if answer.status != 201 {
            continue;
        }
        made += 1;
        let token = answer.data()["token"].as_str().expect("a token").to_owned();
        let form = Form { token, body: answer.data() };
        writes_back(&owner, "PATCH", &form.path(), &|read| read);
        let page = Server::shared().anon().get(form.page());
        assert_eq!(page.status, 200, "{body}");
        assert_eq!(Server::shared().anon().get(form.published()).status, 200);
        send(&owner, "POST", &form.entries(), &json!({"field_values": all_values()}));
    }
    assert!(made > 3, "{made}");
}

#[test]
fn odd_edits_are_refused_or_whole() {
    let owner = Server::shared().user();
    let mut dice = Dice(0x5eed_0002);
    let form = filled(&owner);
    for round in 0..100 {
        let fields = owner.get(form.path()).data()["fields"].clone();
        let body = json!({"fields": fields, "name": "y", "confirm_data_loss": true, "published": true});
        let body = mutated(&body, &mut dice);
        if send(&owner, "PATCH", &form.path(), &body) == 200 {
            owner.patch(form.path(), json!({"published": true}));
            writes_back(&owner, "PATCH", &form.path(), &|read| read);
            let entry = owner.get(form.entry(1));
            assert_eq!(entry.status, 200, "{round} {body}: {entry}");
            assert_eq!(owner.get(form.entries()).status, 200);
            assert_eq!(Server::shared().anon().get(form.page()).status, 200, "{body}");
        }
    }
}

#[test]
fn odd_values_are_refused_or_whole() {
    let owner = Server::shared().user();
    let mut dice = Dice(0x5eed_0003);
    let form = filled(&owner);
    let whole = json!({"field_values": all_values(), "x_field_1": "x", "started_at": "2026-01-01T00:00:00Z"});
    let mut stored = 0;
    for n in 0..200 {
        let mut body = mutated(&whole, &mut dice);
        if body["field_values"].is_object() && dice.roll(4) > 0 {
            body["field_values"]["field_2"] = json!(format!("text {n}"));
        }
        let (caller, path) = match dice.roll(3) {
            0 => (owner.clone(), form.entries()),
            1 => (Server::shared().anon(), form.submissions()),
            _ => {
                send(&owner, "PATCH", &form.entry(1), &body);
                continue;
            }
        };
        if send(&caller, "POST", &path, &body) == 201 {
            stored += 1;
            // A value that was read can be written, and reads the same.
            let newest = owner.get(format!("{}?page_size=1", form.entries()));
            let entry = newest.json()["data"][0].clone();
            let serial = entry["serial_number"].as_i64().expect("a number");
            let again = owner.patch(form.entry(serial), json!({"field_values": entry}));
            let refused: Vec<String> = again.attributes();
            // A blank one that is demanded now, or a default that is not, is a refusal all the same.
            assert!(again.status == 200, "{body:.2000} {entry} {refused:?}: {again:.500}");
            for code in 1..=9 {
                let code = format!("field_{code}");
                assert_eq!(again.data()[&code], entry[&code], "{body:.2000}");
            }
        }
    }
    assert!(stored > 5, "{stored}");
}

#[test]
fn odd_settings_themes_and_rules_are_refused_or_whole() {
    let owner = Server::shared().user();
    let mut dice = Dice(0x5eed_0004);
    let form = filled(&owner);
    let settings = json!({
        "locale": "de", "timezone": "Europe/Berlin",
        "after_submission": {
            "mode": "redirect",
            "show_message": {"style": "rich_text", "rich_text": "<b>T</b>", "text": {"title": "T", "description": "D"}},
            "redirect": {"url": "https://example.com/", "fields": ["field_2"]},
            "report": {"score_based_feedbacks": [{"start_point": 0.0, "end_point": 5.5, "comment": "ok"}]},
        },
        "availability": {"manually_closed": false, "entries_limit": 1000, "schedule": {"start_at": "2026-01-01T00:00:00Z", "end_at": "2099-01-01T00:00:00Z"}},
        "access_control": {"access_password": "p"},
        "submission_options": {"show_progress": true, "one_per_respondent": "browser"},
        "verification_code": {"enabled": true, "length": 6},
        "certificate": {"enabled": true, "title": "C", "min_score": 1.5},
        "exam": {"duration_minutes": 30, "questions": {"field_8": {"scored": true, "score": 2.0, "answer": "a"}}},
        "pricing": {"currency": "EUR", "discounts": [{"min_total": 10.0, "percent_off": 5.0}]},
    });
    let theme = json!({
        "primary_color": "#AA0000", "font": "serif", "header": {"type": "text", "text": "Hi", "images": []},
        "wallpaper": {"color": "#EEEEEE", "image": null}, "submit_button": {"text": "Go", "color": "#003300"},
    });
    let rules = json!({"rules": [
        {"condition": {"operand": "or", "items": [
            {"field": "field_6", "operator": "between", "value": [1, 2]},
            {"field": "field_8", "operator": "any_in", "value": ["a"]},
            {"field": "field_5", "operator": "like", "value": "49"},
        ]}, "action": "show", "fields": ["field_9"]},
        {"condition": {"operand": "and", "items": [{"field": "field_7", "operator": "gt", "value": "2024-01-01"}]}, "action": "require", "fields": ["field_8"]},
    ]});
    for (method, part, whole) in
        [("PATCH", "settings", settings), ("PATCH", "theme", theme), ("PUT", "field_rules", rules)]
    {
        let path = format!("{}/{part}", form.path());
        assert_eq!(send(&owner, method, &path, &whole), 200, "{part}");
        for _ in 0..60 {
            let body = mutated(&whole, &mut dice);
            if send(&owner, method, &path, &body) == 200 {
                writes_back(&owner, method, &path, &|read| read);
            }
            let anon = Server::shared().anon();
            let page = anon.get(form.page());
            assert!([200, 403].contains(&page.status), "{body}: {page:.300}");
            assert!([200, 403].contains(&anon.get(form.published()).status));
        }
        owner.patch(&path, json!({"availability": null, "access_control": null}));
    }
}
